"""Computes the values of the periods of one property type, fills them, and records how each was obtained.

The columns of ``detail=True`` are defined here: their names, their units, and how to read them.

The rows and means over days are left to `grid`, the value between two points to `line`, and the dates on which the
points before and after a series were due to `stretches`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.schema import COUNT_UNIT, Unit
from suburb_pandas.timeseries.dates import Flags, TimeUnit, Values, Whole, no_dates, to_dates
from suburb_pandas.timeseries.grid import Grid, mean
from suburb_pandas.timeseries.line import line_of
from suburb_pandas.timeseries.periods import Frequency
from suburb_pandas.timeseries.points import Points
from suburb_pandas.timeseries.stretches import due

_UNITS_OF_DETAILS: Final = {"_n": "points", "_coverage": "fraction", "_unchanged_days": "days"}


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
        self.is_filled = np.zeros(len(grid), dtype="bool")
        if rule.fill:
            self._fill(np.flatnonzero(np.isnan(self.value)))
        if rule.detail or rule.drops_partial:
            self._mark_partial()
        if rule.drops_partial:
            self.value[self.is_partial] = np.nan
            self.is_filled &= ~self.is_partial

    def detail(self, unit: TimeUnit) -> dict[str, npt.NDArray[Any]]:
        """Return the columns that show how the value of each row was obtained, by their suffixes."""
        dates = no_dates(len(self._grid), unit)
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
        return np.bincount(self._row, minlength=len(self._grid))

    @cached_property
    def _mean_and_days(self) -> tuple[Values, Whole]:
        """The mean of each row over its days on the line, and their number."""
        return mean(line_of(self._points), self._row, self._grid)

    @cached_property
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
        if is_mean:
            means, days = mean(line, self._row, grid)
            values = np.where(days < grid.days, np.nan, means)[rows]
        else:
            values = line.at(grid.suburb[rows], grid.last_day[rows])
        if self._rule.fill == "ffill":
            before = pd.Series(self.value if is_mean else self._last(self._points.value)).groupby(grid.suburb).ffill()
            values = np.where(np.isnan(values), np.nan, before.to_numpy()[rows])
        self.value[rows] = values
        self.is_filled[rows] = ~np.isnan(values)

    def _mark_partial(self) -> None:
        """Mark the rows of open and partial periods."""
        grid, (suburb, before, after) = self._grid, due(self._points)
        first, following = self._row[self._points.is_first], grid.row(suburb, after)
        open_rows = following[following < grid.end_row[suburb]]
        early_rows = first[grid.first_day[first] < before]
        self.is_open = np.bincount(open_rows, minlength=len(grid)) > 0
        self.is_partial = self.is_open | (np.bincount(early_rows, minlength=len(grid)) > 0)

    def _last(self, values: npt.ArrayLike) -> Values:
        """Return the value of the last point in each row, NaN if there is none."""
        result = np.full(len(self._grid), np.nan)
        result[self._row] = values
        return result


def units_of_details(unit: str, kinds: Iterable[str]) -> Unit:
    """Return the unit of each column of numbers in a frame with these columns; `unit` is that of its values."""
    return {kind + suffix: each for kind in kinds for suffix, each in {"": unit, **_UNITS_OF_DETAILS}.items()}


def flags_of(frame: pd.DataFrame, label: str) -> Flags:
    """Return one of these columns that holds True and False; False for all rows of a frame that does not have it."""
    return frame[label].to_numpy("bool") if label in frame.columns else np.zeros(len(frame), dtype="bool")
