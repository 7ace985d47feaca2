"""Builds the rows of a resampled frame, and computes the statistics of each: last, count, median and mean over days.

The value between two points is left to `line`, and the choice of the statistic to `resample`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from suburb_pandas.timeseries.dates import Values, Whole
from suburb_pandas.timeseries.layouts import Rents
from suburb_pandas.timeseries.line import Line, total_of
from suburb_pandas.timeseries.periods import Frequency
from suburb_pandas.timeseries.points import starts_of

_MOST_ROWS: Final = 50_000_000
_FAR: Final = 2**40  # beyond the number of every period


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of a resampled frame: each period of each suburb, from its first point to its last of any property type.

    ``suburb``, ``number`` and ``first_day`` hold, for each row, the suburb's number, the period's number and its first
    day. ``end_row`` and ``shift`` hold, for each suburb, the row after its last, and the number to add to a period's
    number to get its row.
    """

    frequency: Frequency
    suburb: Whole
    number: Whole
    first_day: Whole
    end_row: Whole
    shift: Whole

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
    lowest, highest = np.full(len(rents.suburbs), _FAR), np.full(len(rents.suburbs), -_FAR)
    np.minimum.at(lowest, suburb, number)
    np.maximum.at(highest, suburb, number)
    counts = (highest - lowest + 1).clip(0)
    if counts.sum() > _MOST_ROWS:  # one wrong date can make a grid centuries long
        raise ValueError(
            f"freq={frequency.name!r} would make {counts.sum():,} rows, more than {_MOST_ROWS:,}. Leave out the rows "
            "with wrong dates, or resample fewer suburbs at a time. Responses that were bought for this are stored, so "
            "loading them again is free."
        )
    first_row = np.cumsum(counts) - counts
    shift = first_row - lowest
    of_row = np.repeat(np.arange(len(rents.suburbs)), counts)
    period = np.arange(len(of_row)) - shift[of_row]
    return Grid(frequency, of_row, period, frequency.first_day(period), first_row + counts, shift)


def mean(line: Line, row: Whole, grid: Grid) -> tuple[Values, Whole]:
    """Return the mean of each row over its days on the line, NaN if there are none, and the number of these days.

    The pieces of the line are cut at period boundaries. First come the days in each point's own period, with all points
    of a period in one sum; then the days in the period before, and so on. Only the first point of a period reaches into
    an earlier one, so no row gets two sums at once.
    """
    points, total, days = line.points, np.zeros(len(grid)), np.zeros(len(grid), dtype="int64")
    for block in points.blocks():
        at, until, value, slope = row[block], points.day[block], points.value[block], line.slope[block]
        remaining, first = line.days[block], np.flatnonzero(starts_of(at))
        inside = np.minimum(remaining, until - grid.first_day[at] + 1)
        total[at[first]] = np.add.reduceat(total_of(value, slope, inside), first)
        days[at[first]] = np.add.reduceat(inside, first)
        while len(more := np.flatnonzero(inside < remaining)):
            until, value = until[more] - inside[more], value[more] - slope[more] * inside[more]
            at, slope, remaining = at[more] - 1, slope[more], remaining[more] - inside[more]
            inside = np.minimum(remaining, until - grid.first_day[at] + 1)
            total[at] += total_of(value, slope, inside)
            days[at] += inside
    return np.divide(total, days, out=np.full(len(grid), np.nan), where=days > 0), days
