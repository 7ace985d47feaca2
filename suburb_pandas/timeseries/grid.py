"""Builds the rows of a resampled frame, and computes the statistics of each: last, count, median and mean over days.

How many days each point represents is left to `weights`, and the choice of the statistic to `resample`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from suburb_pandas.timeseries.dates import Values, Whole
from suburb_pandas.timeseries.periods import Frequency
from suburb_pandas.timeseries.points import Points, Rents
from suburb_pandas.timeseries.weights import days_represented


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of a resampled frame: each period of each suburb, from its first point to its last of any property type.

    ``suburb`` and ``first_day`` hold, for each row, the suburb's number and the first day of the period. ``first_row``,
    ``end_row`` and ``shift`` hold, for each suburb, its first row, the row after its last, and the number to add to a
    period's number to get its row.
    """

    frequency: Frequency
    suburb: Whole = field(repr=False)
    first_day: Whole = field(repr=False)
    first_row: Whole = field(repr=False)
    end_row: Whole = field(repr=False)
    shift: Whole = field(repr=False)

    def __len__(self) -> int:
        return len(self.suburb)

    @property
    def number(self) -> Whole:
        """The number of each row's period."""
        return np.arange(len(self)) - self.shift[self.suburb]

    @property
    def labels(self) -> Whole:
        """The day that labels each row."""
        return self.frequency.label(self.number)

    @property
    def days(self) -> Whole:
        """The length of each row's period, in days."""
        return self.frequency.first_day(self.number + 1) - self.first_day

    def row(self, suburb: Whole, day: Whole) -> Whole:
        """Return the row for each suburb and day. After a suburb's last period, this is ``end_row`` or a later row."""
        return self.frequency.number(day) + self.shift[suburb]


def grid_of(rents: Rents, frequency: Frequency) -> Grid:
    """Build the rows into which a frame is resampled."""
    ends = [(points, end) for points in rents.points.values() for end in (points.is_first, points.is_last)]
    suburb = np.concatenate([points.suburb[end] for points, end in ends])
    number = frequency.number(np.concatenate([points.day[end] for points, end in ends]))
    order = np.lexsort((number, suburb))
    suburb, number = suburb[order], number[order]
    with_points, first = np.unique(suburb, return_index=True)
    lowest, counts = np.zeros((2, rents.n_suburbs), dtype="int64")
    lowest[with_points] = number[first]
    counts[with_points] = number[np.append(first[1:], len(number)) - 1] - number[first] + 1 if len(first) else 0
    first_row = np.cumsum(counts) - counts
    shift = first_row - lowest
    of_row = np.repeat(np.arange(rents.n_suburbs), counts)
    first_day = frequency.first_day(np.arange(len(of_row)) - shift[of_row])
    return Grid(frequency, of_row, first_day, first_row, first_row + counts, shift)


def last(values: Values, row: Whole, size: int) -> Values:
    """Return the last value in each row, NaN if there is none. Within a row, `values` are ordered by date."""
    result = np.full(size, np.nan)
    result[row] = values
    return result


def count(row: Whole, size: int) -> Whole:
    """Return the number of points in each row."""
    return np.bincount(row, minlength=size)


def median(values: Values, row: Whole, size: int) -> Values:
    """Return the median of the values in each row, NaN if there is none."""
    counts = count(row, size)
    has_points = counts > 0
    start = (np.cumsum(counts) - counts)[has_points]
    ordered = values[np.lexsort((values, row))]
    result = np.full(size, np.nan)
    lower, upper = start + (counts[has_points] - 1) // 2, start + counts[has_points] // 2
    result[has_points] = (ordered[lower] + ordered[upper]) / 2
    return result


def mean(points: Points, row: Whole, grid: Grid) -> tuple[Values, Whole]:
    """Return the mean of each row over the days that points represent, NaN if there are none, and the days' number."""
    total, days = np.zeros(len(grid)), np.zeros(len(grid))
    for values, rows, inside in _pieces(points, row, grid):
        total += np.bincount(rows, weights=inside * values, minlength=len(grid))
        days += np.bincount(rows, weights=inside, minlength=len(grid))
    return np.divide(total, days, out=np.full(len(grid), np.nan), where=days > 0), days.astype("int64")


def _pieces(points: Points, row: Whole, grid: Grid) -> Iterator[tuple[Values, Whole, Values]]:
    """Split the days that points represent at period boundaries, and yield values, rows and numbers of days.

    The first batch holds the days in each point's own period, the next one those in the period before, and so on. Days
    before a suburb's first row are left out.
    """
    values, suburb, end = points.value, points.suburb, points.day
    remaining = days_represented(points, weekly=grid.frequency.is_weekly)
    while len(values):
        begin = grid.first_day[row]
        inside = np.minimum(remaining, end - begin + 1)
        yield values, row, inside.astype("float64")
        continuing = np.flatnonzero(inside < remaining)
        continuing = continuing[row[continuing] > grid.first_row[suburb[continuing]]]
        values, suburb, row = values[continuing], suburb[continuing], row[continuing] - 1
        remaining, end = (remaining - inside)[continuing], begin[continuing] - 1
