"""Builds the rows of a resampled frame, and computes the statistics of each: last, count, median and mean over days.

The value between two points is left to `line`, and the choice of the statistic to `resample`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from suburb_pandas.timeseries.dates import Values, Whole, to_dates
from suburb_pandas.timeseries.layouts import Rents
from suburb_pandas.timeseries.line import Line, total_of
from suburb_pandas.timeseries.periods import Frequency
from suburb_pandas.timeseries.points import starts_of

_MOST_ROWS: Final = 50_000_000


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of a resampled frame: each period of each suburb, from its first point to its last of any property type.

    ``suburb``, ``number`` and ``first_day`` hold, for each row, the suburb's number, the period's number and its first
    day. ``first_row``, ``end_row`` and ``shift`` hold, for each suburb, its first row, the row after its last, and the
    number to add to a period's number to get its row.
    """

    frequency: Frequency
    suburb: Whole = field(repr=False)
    number: Whole = field(repr=False)
    first_day: Whole = field(repr=False)
    first_row: Whole = field(repr=False)
    end_row: Whole = field(repr=False)
    shift: Whole = field(repr=False)

    def __len__(self) -> int:
        return len(self.suburb)

    @property
    def labels(self) -> Whole:
        """The day that labels each row."""
        return self.frequency.label(self.number)

    @property
    def last_day(self) -> Whole:
        """The last day of each row's period."""
        return self.frequency.first_day(self.number + 1) - 1

    @property
    def days(self) -> Whole:
        """The length of each row's period, in days."""
        return self.last_day - self.first_day + 1

    def row(self, suburb: Whole, day: Whole) -> Whole:
        """Return the row for each suburb and day. After a suburb's last period, this is ``end_row`` or a later row."""
        return self.frequency.number(day) + self.shift[suburb]


def grid_of(rents: Rents, frequency: Frequency) -> Grid:
    """Build the rows into which a frame is resampled.

    Raises
    ------
    ValueError
        There would be more than 50 million rows.
    """
    ends = [(points, end) for points in rents.points.values() for end in (points.is_first, points.is_last)]
    suburb = np.concatenate([points.suburb[end] for points, end in ends])
    number = frequency.number(np.concatenate([points.day[end] for points, end in ends]))
    order = np.lexsort((number, suburb))
    suburb, number = suburb[order], number[order]
    with_points, first = np.unique(suburb, return_index=True)
    lowest, counts = np.zeros((2, rents.n_suburbs), dtype="int64")
    lowest[with_points] = number[first]
    counts[with_points] = number[np.append(first[1:], len(number)) - 1] - number[first] + 1 if len(first) else 0
    _check_number(int(counts.sum()), rents, frequency)
    first_row = np.cumsum(counts) - counts
    shift = first_row - lowest
    of_row = np.repeat(np.arange(rents.n_suburbs), counts)
    period = np.arange(len(of_row)) - shift[of_row]
    return Grid(frequency, of_row, period, frequency.first_day(period), first_row, first_row + counts, shift)


def _check_number(rows: int, rents: Rents, frequency: Frequency) -> None:
    """Raise ValueError if a grid has too many rows for memory: one wrong date can make it centuries long."""
    if rows <= _MOST_ROWS:
        return
    days = np.concatenate([points.day for points in rents.points.values()])
    first, last = to_dates(np.array([days.min(), days.max()])).astype(str)
    raise ValueError(
        f"freq={frequency.name!r} would make {rows:,} rows, more than {_MOST_ROWS:,}: the dates go from {first} to "
        f"{last}. Leave out the rows with wrong dates, or resample fewer suburbs at a time. Responses that were "
        "bought for this are stored, so loading them again is free."
    )


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


def mean(line: Line, row: Whole, grid: Grid) -> tuple[Values, Whole]:
    """Return the mean of each row over its days on the line, NaN if there are none, and the number of these days."""
    total, days = np.zeros(len(grid)), np.zeros(len(grid), dtype="int64")
    for block in line.points.blocks():
        for rows, totals, inside in _pieces(line, row, grid, block):
            total[rows] += totals
            days[rows] += inside
    return np.divide(total, days, out=np.full(len(grid), np.nan), where=days > 0), days


def _pieces(line: Line, row: Whole, grid: Grid, block: slice) -> Iterator[tuple[Whole, Values, Whole]]:
    """Cut some pieces of a line at period boundaries, and yield rows, sums of values and numbers of days.

    The first batch holds the days in each point's own period, with all points of a period in one sum. The next batch
    holds the days in the period before, and so on. Only the first point of a period reaches into an earlier one, so no
    batch has a row twice.
    """
    points, remaining, slope, row = line.points.where(block), line.days[block], line.slope[block], row[block]
    until, value = points.day, points.value
    inside = np.minimum(remaining, until - grid.first_day[row] + 1)
    first = np.flatnonzero(starts_of(row))
    if len(first):
        yield row[first], np.add.reduceat(total_of(value, slope, inside), first), np.add.reduceat(inside, first)
    while len(until):
        more = np.flatnonzero(inside < remaining)
        with np.errstate(invalid="ignore"):  # inf - inf is NaN, as in pandas
            value = value[more] - slope[more] * inside[more]
        slope, row, until = slope[more], row[more] - 1, until[more] - inside[more]
        remaining = remaining[more] - inside[more]
        inside = np.minimum(remaining, until - grid.first_day[row] + 1)
        yield row, total_of(value, slope, inside), inside
