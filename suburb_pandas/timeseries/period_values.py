"""Builds the rows of a resampled frame, and computes, fills and describes the values of one property type in them.

Owns the columns of ``detail=True``: the ends of their labels, and their units.

Calendar periods are left to `periods`, the value between two points and means to `line`, and the dates on which the
points before and after a series were due to `stretches`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.dates import Flags, Resolution, Values, Whole, no_dates, to_dates
from suburb_pandas.frames.marks import Unit
from suburb_pandas.frames.points import Points, ends_of, starts_of
from suburb_pandas.frames.rents import Rents
from suburb_pandas.timeseries.line import line_of
from suburb_pandas.timeseries.periods import Frequency
from suburb_pandas.timeseries.stretches import cadences_of, due_after, due_before

DETAILS: Final = {
    "_n": "points",
    "_last": "",
    "_coverage": "fraction",
    "_open": "",
    "_filled": "",
    "_unchanged_days": "days",
}
"""The columns that show how a value was obtained, by the ends of their labels, with the units of those of numbers."""

_MOST_ROWS: Final = 50_000_000


class Options(NamedTuple):
    """The checked options of a resampling. ``max_gap`` and ``max_lag`` are in days; None means no limit."""

    frequency: Frequency
    how: str
    fill: str | None
    max_gap: int | None
    drops_partial: bool
    min_coverage: float
    max_lag: int | None
    detail: bool
    operation: str


def grid_of(rents: Rents, frequency: Frequency) -> Grid:
    """Build the rows into which a frame is resampled.

    Raises
    ------
    ValueError
        There would be more than 50 million rows.
    """
    ends = [points.take(np.concatenate(points.first_and_last)) for points in rents.points.values()]
    number = frequency.number(np.concatenate([points.day for points in ends]))
    by_suburb = pd.Series(number).groupby(np.concatenate([points.suburb for points in ends]))
    suburbs = np.arange(len(rents.suburbs))
    lowest = by_suburb.min().reindex(suburbs, fill_value=0).to_numpy()
    counts = by_suburb.max().reindex(suburbs, fill_value=-1).to_numpy() - lowest + 1
    if counts.sum() > _MOST_ROWS:  # one wrong date can make a grid centuries long
        raise ValueError(
            f"freq={frequency.name!r} would make {counts.sum():,} rows, more than {_MOST_ROWS:,}. Leave out the rows "
            "with wrong dates, or resample fewer suburbs at a time. Responses that were bought for this are stored, so "
            "loading them again is free."
        )
    end_row = np.cumsum(counts)
    shift = end_row - counts - lowest
    suburb = np.repeat(suburbs, counts)
    number = np.arange(len(suburb)) - shift[suburb]
    first_day, last_day = frequency.first_day(number), frequency.last_day(number)
    label = first_day if frequency.labels_start else last_day
    return Grid(frequency, suburb, first_day, last_day, label, end_row, shift)


class Grid(NamedTuple):
    """The rows of a resampled frame: each period of each suburb, from its first point to its last of any property type.

    ``suburb``, ``first_day``, ``last_day`` and ``label`` hold, for each row, the suburb's number, the edges of the
    period and the day that labels it. ``end_row`` and ``shift`` hold, for each suburb, the row after its last, and the
    number to add to a period's number to get its row.
    """

    frequency: Frequency
    suburb: Whole
    first_day: Whole
    last_day: Whole
    label: Whole
    end_row: Whole
    shift: Whole

    @property
    def days(self) -> Whole:
        """The length of each row's period, in days."""
        return self.last_day - self.first_day + 1

    def row(self, suburb: Whole, day: Whole) -> Whole:
        """Return the row for each suburb and day. After a suburb's last period, this is ``end_row`` or a later row."""
        return self.frequency.number(day) + self.shift[suburb]

    def flags(self, rows: Whole) -> Flags:
        """Return an array that is True in some of the rows."""
        flags = np.zeros(len(self.suburb), dtype="bool")
        flags[rows] = True
        return flags


class PeriodValues:
    """The values of the periods of one property type, for each row of the grid. Each is computed when it is needed."""

    def __init__(self, points: Points, grid: Grid, options: Options) -> None:
        self._points, self._grid, self._options = points, grid, options
        self._row = grid.row(points.suburb, points.day)

    @cached_property
    def value(self) -> Values:
        """The value of each row, after filling and after dropping partial periods; NaN if there is none."""
        values, _ = self._value_and_filled_rows
        return np.where(self.is_partial, np.nan, values) if self._options.drops_partial else values

    @property
    def is_filled(self) -> Flags:
        """True where the value was filled."""
        return self._grid.flags(self._value_and_filled_rows[1]) & ~np.isnan(self.value)

    @cached_property
    def is_open(self) -> Flags:
        """True where the next point is due."""
        grid, suburb = self._grid, self._points.suburb[self._points.first_and_last[0]]
        row = grid.row(suburb, due_after(self._points, self._cadences))
        return grid.flags(row[row < grid.end_row[suburb]])

    @cached_property
    def is_partial(self) -> Flags:
        """True in an open period, and in a first one that begins before an earlier point would have been due."""
        first = self._row[self._points.first_and_last[0]]
        begins_early = self._grid.first_day[first] < due_before(self._points, self._cadences)
        return self.is_open | self._grid.flags(first[begins_early])

    @cached_property
    def count(self) -> Whole:
        """The number of points in each row."""
        return np.bincount(self._row, minlength=len(self._grid.suburb))

    def details(self, resolution: Resolution) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of `DETAILS`."""
        dates = no_dates(len(self.value), resolution)
        dates[self._row] = to_dates(self._points.day, resolution)
        unchanged = self._of_last_point(self._points.days_unchanged())
        columns = (self.count, dates, self._coverage, self.is_open, self.is_filled, unchanged)
        return dict(zip(DETAILS, columns, strict=True))

    @cached_property
    def _value_and_filled_rows(self) -> tuple[Values, Whole]:
        """The value of each row after filling, and the rows that were filled."""
        values, rows = self._statistic(), np.empty(0, dtype="int64")
        if self._options.fill:
            empty = np.flatnonzero(np.isnan(values))
            fillings = self._fillings(values, empty)
            values[empty], rows = fillings, empty[~np.isnan(fillings)]
        return values, rows

    def _statistic(self) -> Values:
        """Return the value of each row before filling, NaN if there is none or it is beyond the limit."""
        points, options = self._points, self._options
        if options.how == "count":
            return self.count.astype("float64")
        if options.how == "median":
            return self._of_last_point(pd.Series(points.value).groupby(self._row).transform("median"))
        if options.how == "mean":
            return np.where(self._coverage < options.min_coverage, np.nan, self._mean_and_days[0])
        value = self._of_last_point(points.value)
        if options.max_lag is not None:
            value[self._grid.last_day - self._of_last_point(points.day) > options.max_lag] = np.nan
        return value

    def _fillings(self, unfilled: Values, rows: Whole) -> Values:
        """Return the values that fill some rows without a value, NaN where the gap is too long."""
        grid, line, is_mean = self._grid, line_of(self._points, self._options.max_gap), self._options.how == "mean"
        suburb, last_day = grid.suburb[rows], grid.last_day[rows]
        if is_mean:
            means, days = line.mean(suburb, grid.first_day[rows] - 1, last_day)
            values = np.where(days < grid.days[rows], np.nan, means)
        else:
            values = line.at(suburb, last_day)
        if self._options.fill == "linear":
            return values
        own = unfilled if is_mean else self._of_last_point(self._points.value)
        repeated = pd.Series(own).groupby(grid.suburb).ffill().to_numpy()
        return np.where(np.isnan(values), np.nan, repeated[rows])

    @cached_property
    def _cadences(self) -> Whole:
        """The number of the cadence of the step to each point."""
        return cadences_of(self._points)

    @property
    def _coverage(self) -> Values:
        """The share of the days of each row's period that are on the line."""
        share: Values = self._mean_and_days[1] / self._grid.days
        return share

    @cached_property
    def _mean_and_days(self) -> tuple[Values, Whole]:
        """The mean of each row over its days on the line, and their number."""
        grid, means = self._grid, np.full(len(self._grid.suburb), np.nan)
        days = np.zeros(len(means), dtype="int64")
        for block in self._points.blocks():
            row = self._row[block]
            rows = slice(row.min(initial=len(means)), row.max(initial=-1) + 1)  # no line goes beyond its points
            line = line_of(self._points.take(block))
            means[rows], days[rows] = line.mean(grid.suburb[rows], grid.first_day[rows] - 1, grid.last_day[rows])
        return means, days

    def _of_last_point(self, values: npt.ArrayLike) -> Values:
        """Return the value of the last point in each row, NaN if there is none."""
        result = np.full(len(self._grid.suburb), np.nan)
        result[self._row] = values
        return result


def is_kept(grid: Grid, values: Iterable[PeriodValues]) -> Flags:
    """Return True for the rows that are left when partial periods are dropped.

    A first or last row of a suburb is left only if it has points of a period that is not partial.
    """
    has_points = np.any([(each.count > 0) & ~each.is_partial for each in values], axis=0)
    is_edge = starts_of(grid.suburb) | ends_of(grid.suburb)
    return np.asarray(has_points | ~is_edge)


def units_with_details(unit: str, kinds: Iterable[str]) -> Unit:
    """Return the unit of each column of numbers in a frame with these columns; `unit` is that of its values."""
    units = {"": unit, **DETAILS}
    return {kind + suffix: each for kind in kinds for suffix, each in units.items() if each}
