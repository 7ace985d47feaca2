"""Builds the rows of a resampled frame, and computes, fills and describes the values of one property type in them.

The columns of ``detail=True`` are defined here: their names, their units, and how to read them.

Calendar periods are left to `periods`, the value between two points and means to `line`, and the dates on which the
points before and after a series were due to `stretches`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.dates import Flags, Resolution, Values, Whole, no_dates, to_dates
from suburb_pandas.frames.marks import Unit
from suburb_pandas.frames.points import Points
from suburb_pandas.frames.rents import Rents
from suburb_pandas.frames.schema import COUNT_UNIT
from suburb_pandas.timeseries.line import line_of
from suburb_pandas.timeseries.periods import Frequency
from suburb_pandas.timeseries.stretches import due

_UNITS_OF_DETAILS: Final = {"_n": "points", "_coverage": "fraction", "_unchanged_days": "days"}
_MOST_ROWS: Final = 50_000_000


@dataclass(frozen=True, slots=True)
class Rule:
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

    @property
    def unit(self) -> str | None:
        """The unit of the values; None if it is that of the frame."""
        return COUNT_UNIT if self.how == "count" else None


class Grid(NamedTuple):
    """The rows of a resampled frame: each period of each suburb, from its first point to its last of any property type.

    ``suburb``, ``first_day`` and ``last_day`` hold, for each row, the suburb's number and the edges of the period.
    ``end_row`` and ``shift`` hold, for each suburb, the row after its last, and the number to add to a period's number
    to get its row.
    """

    frequency: Frequency
    suburb: Whole
    first_day: Whole
    last_day: Whole
    end_row: Whole
    shift: Whole

    @property
    def labels(self) -> Whole:
        """The day that labels each row."""
        return self.first_day if self.frequency.labels_start else self.last_day

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
    ends = [points.take(points.is_first | points.is_last) for points in rents.points.values()]
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
    return Grid(frequency, suburb, frequency.first_day(number), frequency.first_day(number + 1) - 1, end_row, shift)


class PeriodValues:
    """The values of the periods of one property type on the grid.

    ``value`` is the value of each row, after filling and after dropping partial periods. ``is_filled`` is True where it
    was filled. Where the next point is due, ``is_open`` is True. ``is_partial`` is also True for a first row that
    begins before an earlier point would have been due.
    """

    def __init__(self, points: Points, grid: Grid, rule: Rule) -> None:
        self._points, self._grid, self._rule = points, grid, rule
        self._row = grid.row(points.suburb, points.day)
        self.value = self._statistic()
        self.is_filled = np.zeros(len(self.value), dtype="bool")
        if rule.fill:
            self._fill(np.flatnonzero(np.isnan(self.value)))
        if rule.detail or rule.drops_partial:
            self._mark_partial()
        if rule.drops_partial:
            self.value[self.is_partial] = np.nan
            self.is_filled &= ~self.is_partial

    def detail(self, unit: Resolution) -> dict[str, npt.NDArray[Any]]:
        """Return the columns that show how the value of each row was obtained, by their suffixes."""
        dates = no_dates(len(self.value), unit)
        dates[self._row] = to_dates(self._points.day, unit)
        return {
            "_n": self.count,
            "_last": dates,
            "_coverage": self._coverage,
            "_open": self.is_open,
            "_filled": self.is_filled,
            "_unchanged_days": self._last(self._points.days_unchanged()),
        }

    @cached_property
    def count(self) -> Whole:
        """The number of points in each row."""
        return self._number_of(self._row)

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

    @property
    def _coverage(self) -> Values:
        """The share of the days of each row's period that are on the line."""
        share: Values = self._mean_and_days[1] / self._grid.days
        return share

    def _statistic(self) -> Values:
        """Return the value of each row before filling, NaN if there is none or it is beyond the limit."""
        points, rule = self._points, self._rule
        if rule.how == "count":
            return self.count.astype("float64")
        if rule.how == "median":
            return self._last(pd.Series(points.value).groupby(self._row).transform("median"))
        if rule.how == "mean":
            return np.where(self._coverage < rule.min_coverage, np.nan, self._mean_and_days[0])
        value = self._last(points.value)
        if rule.max_lag is not None:
            value[self._grid.last_day - self._last(points.day) > rule.max_lag] = np.nan
        return value

    def _fill(self, rows: Whole) -> None:
        """Fill some rows without a value, except where the gap is too long."""
        grid, line, is_mean = self._grid, line_of(self._points, self._rule.max_gap), self._rule.how == "mean"
        suburb, last_day = grid.suburb[rows], grid.last_day[rows]
        if is_mean:
            means, days = line.mean(suburb, grid.first_day[rows] - 1, last_day)
            values = np.where(days < grid.days[rows], np.nan, means)
        else:
            values = line.at(suburb, last_day)
        if self._rule.fill == "ffill":
            before = pd.Series(self.value if is_mean else self._last(self._points.value)).groupby(grid.suburb).ffill()
            values = np.where(np.isnan(values), np.nan, before.to_numpy()[rows])
        self.value[rows] = values
        self.is_filled[rows] = ~np.isnan(values)

    def _mark_partial(self) -> None:
        """Mark the rows of open and partial periods."""
        grid, (suburb, before, after) = self._grid, due(self._points)
        first, following = self._row[self._points.is_first], grid.row(suburb, after)
        self.is_open = self._number_of(following[following < grid.end_row[suburb]]) > 0
        self.is_partial = self.is_open | (self._number_of(first[grid.first_day[first] < before]) > 0)

    def _number_of(self, rows: Whole) -> Whole:
        """Return how often each row is among some rows."""
        return np.bincount(rows, minlength=len(self._grid.suburb))

    def _last(self, values: npt.ArrayLike) -> Values:
        """Return the value of the last point in each row, NaN if there is none."""
        result = np.full(len(self._grid.suburb), np.nan)
        result[self._row] = values
        return result


def units_of_details(unit: str, kinds: Iterable[str]) -> Unit:
    """Return the unit of each column of numbers in a frame with these columns; `unit` is that of its values."""
    return {kind + suffix: each for kind in kinds for suffix, each in {"": unit, **_UNITS_OF_DETAILS}.items()}


def flag_column(frame: pd.DataFrame, label: str) -> Flags:
    """Return one of these columns that holds True and False; False for all rows of a frame that does not have it."""
    return frame[label].to_numpy("bool") if label in frame.columns else np.zeros(len(frame), dtype="bool")
