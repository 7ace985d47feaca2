"""Computes the values of the periods of one property type, fills them, and records how each was obtained.

The columns of ``detail=True`` are defined here: their names, their units, and how to read or drop them.

The list of statistics is left to `resample`, the arithmetic and the rows to `grid`, the value between two points to
`line`, and the dates on which the points before and after a series were due to `stretches`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.schema import Unit
from suburb_pandas.timeseries.dates import Flags, TimeUnit, Values, Whole, no_dates, to_dates
from suburb_pandas.timeseries.grid import Grid, count, last, mean
from suburb_pandas.timeseries.line import Line, line_of
from suburb_pandas.timeseries.periods import Frequency
from suburb_pandas.timeseries.points import Points, known_at, nearest
from suburb_pandas.timeseries.stretches import due

DETAILS: Final = ("n", "last", "coverage", "open", "filled", "unchanged_days")
"""The columns that show how the values of one property type were obtained; ``house_`` or ``unit_`` stands before."""

_UNITS_OF_DETAILS: Final = {"_n": "points", "_coverage": "fraction", "_unchanged_days": "days"}


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic that ``resample`` can compute for each period.

    ``compute`` returns its value for each row of one property type, NaN beyond the limit. ``limit`` is the name of the
    option with that limit, which applies to this statistic only. ``fills`` has a function for each value of ``fill``:
    it returns the values of some empty rows, NaN where the gap is too long. ``unit`` is the unit of the values, or None
    for the unit of the frame.
    """

    compute: Callable[[PeriodValues], Values]
    limit: str | None = None
    fills: Mapping[str, Callable[[PeriodValues, Whole, Line], Values]] = field(default_factory=dict)
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """The checked options of a resampling. ``max_gap`` and ``max_lag`` are in days; None means no limit."""

    frequency: Frequency
    statistic: Statistic
    fill: str | None
    max_gap: int | None
    drops_partial: bool
    min_coverage: float
    max_lag: int | None
    detail: bool
    operation: str


class PeriodValues:
    """The periods of one property type on the grid. Its properties are computed when first used."""

    points: Points
    grid: Grid
    row: Whole

    def __init__(self, points: Points, grid: Grid, rule: Rule) -> None:
        self.points = points
        self.grid = grid
        self.row = grid.row(points.suburb, points.day)
        self._rule = rule

    @cached_property
    def count(self) -> Whole:
        """The number of points in each row."""
        return count(self.row, len(self.grid))

    @property
    def last(self) -> Values:
        """The last point in each row, NaN where it is too old at the end of the period."""
        value = last(self.points.value, self.row, len(self.grid))
        if self._rule.max_lag is not None:
            day = last(self.points.day.astype("float64"), self.row, len(self.grid))
            value[self.grid.last_day - day > self._rule.max_lag] = np.nan
        return value

    @property
    def mean(self) -> Values:
        """The mean of each row over its days on the line, NaN where they are too few."""
        return np.where(self.coverage < self._rule.min_coverage, np.nan, self._mean_and_days[0])

    @cached_property
    def coverage(self) -> Values:
        """The share of the days of each row's period that are on the line."""
        share: Values = self._mean_and_days[1] / self.grid.days
        return share

    @cached_property
    def is_open(self) -> Flags:
        """True for each row in which a suburb's next point is due."""
        is_open = np.zeros(len(self.grid), dtype="bool")
        suburb, _, after = self._due
        row = self.grid.row(suburb, after)
        is_open[row[row < self.grid.end_row[suburb]]] = True
        return is_open

    @cached_property
    def is_partial(self) -> Flags:
        """True for each open row, and for a first row that begins before an earlier point would have been due."""
        suburb, before, _ = self._due
        row = self.grid.row(suburb, self.points.day[self.points.is_first])
        is_partial = self.is_open.copy()
        is_partial[row[self.grid.first_day[row] < before]] = True
        return is_partial

    @cached_property
    def value(self) -> Values:
        """The value of each row, after filling and after dropping partial periods."""
        value = self._unfilled.copy()
        rows, values = self._fills
        value[rows] = values
        if self._rule.drops_partial:
            value[self.is_partial] = np.nan
        return value

    def detail(self, unit: TimeUnit) -> dict[str, npt.NDArray[Any]]:
        """Return the columns that show how the value of each row was obtained."""
        points, row, size = self.points, self.row, len(self.grid)
        dates, is_filled = no_dates(size, unit), np.zeros(size, dtype="bool")
        dates[row] = to_dates(points.day, unit)
        is_filled[self._fills[0]] = True
        is_filled &= ~np.isnan(self.value)
        unchanged = last(points.days_unchanged().astype("float64"), row, size)
        columns = (self.count, dates, self.coverage, self.is_open, is_filled, unchanged)
        return dict(zip(DETAILS, columns, strict=True))

    def on_last_day(self, rows: Whole, line: Line) -> Values:
        """Return the value on the line at the last day of some rows."""
        return line.at(self.grid.suburb[rows], self.grid.last_day[rows])

    def last_point(self, rows: Whole, line: Line) -> Values:
        """Return the last point at or before the last day of some rows, NaN where that day is not on the line."""
        position = self.points.at_or_before(self.grid.suburb[rows], self.grid.last_day[rows])
        return np.where(np.isnan(self.on_last_day(rows, line)), np.nan, known_at(self.points.value, position))

    def mean_on(self, rows: Whole, line: Line) -> Values:
        """Return the mean over the days of some rows, NaN where not all of them are on the line."""
        means, days = mean(line, self.row, self.grid)
        return np.where(days < self.grid.days, np.nan, means)[rows]

    def last_mean(self, rows: Whole, line: Line) -> Values:
        """Return the mean of the last row with a value, NaN where not all days of a row are on the line."""
        before, _ = nearest(~np.isnan(self._unfilled))
        is_of_suburb = before >= self.grid.first_row[self.grid.suburb]
        repeated = known_at(self._unfilled, np.where(is_of_suburb, before, -1))[rows]
        return np.where(np.isnan(self.mean_on(rows, line)), np.nan, repeated)

    @cached_property
    def _due(self) -> tuple[Whole, Whole, Whole]:
        return due(self.points)

    @cached_property
    def _mean_and_days(self) -> tuple[Values, Whole]:
        """The mean of each row over its days on the line, and their number."""
        return mean(line_of(self.points), self.row, self.grid)

    @cached_property
    def _unfilled(self) -> Values:
        return self._rule.statistic.compute(self)

    @cached_property
    def _fills(self) -> tuple[Whole, Values]:
        """The rows to fill, and their values."""
        if self._rule.fill is None or not len(self.points.day):
            return np.zeros(0, dtype="int64"), np.zeros(0)
        empty = np.flatnonzero(np.isnan(self._unfilled))
        values = self._rule.statistic.fills[self._rule.fill](self, empty, line_of(self.points, self._rule.max_gap))
        has_value = ~np.isnan(values)
        return empty[has_value], values[has_value]


def units_of_details(unit: str, kinds: Iterable[str]) -> Unit:
    """Return the unit of each column of numbers in a frame with these columns; `unit` is that of its values."""
    return {kind + suffix: each for kind in kinds for suffix, each in {"": unit, **_UNITS_OF_DETAILS}.items()}


def flags_of(frame: pd.DataFrame, label: str) -> Flags:
    """Return one of these columns that holds True and False; False for all rows of a frame that does not have it."""
    return frame[label].to_numpy("bool") if label in frame.columns else np.zeros(len(frame), dtype="bool")
