"""The rows of rents on one calendar, and what the points of a series make of each: last, count, median, mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from suburb_pandas.timeseries.dates import Values, Whole
from suburb_pandas.timeseries.periods import Frequency
from suburb_pandas.timeseries.points import Points, Rents
from suburb_pandas.timeseries.weights import days_spoken_for


@dataclass(frozen=True, slots=True)
class Grid:
    """For each suburb a row for each period, from the first one with a point to the last.

    ``suburb`` and ``first_day`` say of each row whose it is, and when its period begins. Of each suburb, ``first_row``
    is its first row and ``end_row`` the one after its last; a period's number and its suburb's ``shift`` make its row.
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
        """Give the number of each row's period."""
        return np.arange(len(self)) - self.shift[self.suburb]

    @property
    def labels(self) -> Whole:
        """Give the day that labels each row."""
        return self.frequency.label(self.number)

    @property
    def days(self) -> Whole:
        """Give how many days each row's period has."""
        return self.frequency.first_day(self.number + 1) - self.first_day

    def row(self, suburb: Whole, day: Whole) -> Whole:
        """Give the row of a suburb's day."""
        return self.frequency.number(day) + self.shift[suburb]


def grid_of(rents: Rents, frequency: Frequency) -> Grid:
    """Make the rows for a frame."""
    ends = [(points, end) for points in rents.points.values() for end in (points.is_first, points.is_last)]
    suburb = np.concatenate([points.suburb[end] for points, end in ends])
    number = frequency.number(np.concatenate([points.day[end] for points, end in ends]))
    order = np.lexsort((number, suburb))
    suburb, number = suburb[order], number[order]
    some, first = np.unique(suburb, return_index=True)
    lowest, counts = np.zeros((2, rents.n_suburbs), dtype="int64")
    lowest[some] = number[first]
    counts[some] = number[np.append(first[1:], len(number)) - 1] - number[first] + 1 if len(first) else 0
    first_row = np.cumsum(counts) - counts
    shift = first_row - lowest
    of_row = np.repeat(np.arange(rents.n_suburbs), counts)
    first_day = frequency.first_day(np.arange(len(of_row)) - shift[of_row])
    return Grid(frequency, of_row, first_day, first_row, first_row + counts, shift)


def last(values: Values, row: Whole, size: int) -> Values:
    """Give the last value of each row."""
    found = np.full(size, np.nan)
    found[row] = values
    return found


def count(row: Whole, size: int) -> Whole:
    """Give how many points each row has."""
    return np.bincount(row, minlength=size)


def median(values: Values, row: Whole, size: int) -> Values:
    """Give the median of each row."""
    counts = count(row, size)
    some = counts > 0
    start = (np.cumsum(counts) - counts)[some]
    ordered = values[np.lexsort((values, row))]
    found = np.full(size, np.nan)
    found[some] = (ordered[start + (counts[some] - 1) // 2] + ordered[start + counts[some] // 2]) / 2
    return found


def mean(points: Points, row: Whole, grid: Grid) -> tuple[Values, Whole]:
    """Give the mean of each row over the days that points speak for, NaN where there are none, and how many."""
    total, days = np.zeros(len(grid)), np.zeros(len(grid))
    for values, rows, inside in _pieces(points, row, grid):
        total += np.bincount(rows, weights=inside * values, minlength=len(grid))
        days += np.bincount(rows, weights=inside, minlength=len(grid))
    return np.divide(total, days, out=np.full(len(grid), np.nan), where=days > 0), days.astype("int64")


def _pieces(points: Points, row: Whole, grid: Grid) -> Iterator[tuple[Values, Whole, Values]]:
    """Cut the days that points speak for where periods end, latest period first: values, rows, and days in each."""
    values, suburb, end = points.value, points.suburb, points.day
    left = days_spoken_for(points, weekly=grid.frequency.is_weekly)
    while len(values):
        begin = grid.first_day[row]
        inside = np.minimum(left, end - begin + 1)
        yield values, row, inside.astype("float64")
        more = np.flatnonzero(inside < left)
        more = more[row[more] > grid.first_row[suburb[more]]]
        values, suburb, row = values[more], suburb[more], row[more] - 1
        left, end = (left - inside)[more], begin[more] - 1
