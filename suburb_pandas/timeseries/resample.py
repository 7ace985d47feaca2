"""Resamples rents to weeks, months, quarters or years, without bias between monthly and weekly points.

The table `STATISTICS` lists the statistics that the value of a period can be. To add one, add an entry there and its
name to the type `How`. The rows of the result are left to `grid`, the value between two points to `line`, the names
of the columns of ``detail`` to `detail`, and the dates on which the points before and after a series were due to
`cadence`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.operations import call_of
from suburb_pandas.frames.schema import RENT_UNIT, carry, unit_of
from suburb_pandas.messages import listed
from suburb_pandas.timeseries.cadence import next_due, previous_due
from suburb_pandas.timeseries.dates import Flags, Length, TimeUnit, Values, Whole, no_dates, to_dates, whole_days
from suburb_pandas.timeseries.detail import DETAILS, units_of_details
from suburb_pandas.timeseries.grid import Grid, count, grid_of, last, mean, median
from suburb_pandas.timeseries.line import COVERAGE, MAX_GAP, Line, coverage_limit, line_of
from suburb_pandas.timeseries.periods import Frequency, frequency
from suburb_pandas.timeseries.points import Points, ends_of, known_at, nearest, read, starts_of

How = Literal["last", "mean", "median", "count"]
Fill = Literal["ffill", "linear"]
Partial = Literal["keep", "drop"]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic that ``resample`` can compute for each period.

    ``compute`` returns its value for each row of one property type, NaN beyond the limit that ``limit`` names: the
    option that goes with this statistic alone. ``fills`` has, by the value of ``fill``, the function that returns the
    values of some empty rows, NaN where the gap is too long. ``unit`` is the unit of the values, or None if it is that
    of the frame.
    """

    compute: Callable[[_Series], Values]
    limit: str | None = None
    fills: Mapping[str, Callable[[_Series, Whole, Line], Values]] = field(default_factory=dict)
    unit: str | None = None


STATISTICS: Final[Mapping[str, Statistic]] = {
    "last": Statistic(
        lambda series: series.last,
        limit="max_lag",
        fills={
            "linear": lambda series, rows, line: series.on_last_day(rows, line),
            "ffill": lambda series, rows, line: series.last_point(rows, line),
        },
    ),
    "mean": Statistic(
        lambda series: series.mean,
        limit="min_coverage",
        fills={
            "linear": lambda series, rows, line: series.mean_on(rows, line),
            "ffill": lambda series, rows, line: series.last_mean(rows, line),
        },
    ),
    "median": Statistic(lambda series: median(series.points.value, series.row, len(series.grid))),
    "count": Statistic(lambda series: series.count.astype("float64"), unit="points"),
}
"""The statistics by the value of ``how``."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The checked options of a resampling. ``max_gap`` and ``max_lag`` are in days; None means no limit."""

    frequency: Frequency
    how: How
    fill: Fill | None
    max_gap: int | None
    partial: Partial
    min_coverage: float
    max_lag: int | None
    detail: bool
    operation: str

    @property
    def statistic(self) -> Statistic:
        """The statistic that `how` names."""
        return STATISTICS[self.how]


def rule(
    freq: object,
    *,
    how: How = "last",
    fill: Fill | None = None,
    max_gap: Length | None = None,
    partial: Partial = "keep",
    min_coverage: float | None = None,
    max_lag: Length | None = None,
    detail: bool = False,
) -> Rule:
    """Check the options of `resample`, so that a mistake is found before any call is paid for.

    Raises
    ------
    ValueError
        An option has an unknown value, or does not go with the other options.
    """
    for option, given, known in (
        ("how", how, tuple(STATISTICS)),
        ("fill", fill, (None, "ffill", "linear")),
        ("partial", partial, ("keep", "drop")),
    ):
        if given not in known:
            raise ValueError(f"{option} is one of {listed(known)}, not {given!r}.")
    if max_gap is not None and fill is None:
        raise ValueError("max_gap says which gaps to fill, so it goes with fill='ffill' or fill='linear'.")
    if fill is not None and fill not in STATISTICS[how].fills:
        raise ValueError(f"A {how} is of the points in a period, so there is nothing to fill: leave out fill={fill!r}.")
    _check_limit("min_coverage", min_coverage, how)
    _check_limit("max_lag", max_lag, how)
    usual_gap = MAX_GAP if fill == "linear" else None
    parsed = frequency(freq)
    return Rule(
        parsed,
        how,
        fill,
        usual_gap if max_gap is None else whole_days(max_gap, "max_gap"),
        partial,
        coverage_limit(COVERAGE if min_coverage is None else min_coverage),
        None if max_lag is None else whole_days(max_lag, "max_lag"),
        detail,
        call_of(
            resample,
            freq=parsed.name,
            how=how,
            fill=fill,
            max_gap=max_gap,
            partial=partial,
            min_coverage=min_coverage,
            max_lag=max_lag,
            detail=detail,
        ),
    )


def _check_limit(name: str, given: object, how: How) -> None:
    """Raise ValueError if an option is given that is a limit for another statistic."""
    if given is not None and STATISTICS[how].limit != name:
        (taker,) = (other for other, statistic in STATISTICS.items() if statistic.limit == name)
        raise ValueError(f"{name} is a limit for how={taker!r}, so it does not go with how={how!r}.")


def resample(
    frame: pd.DataFrame,
    freq: str,
    *,
    how: How = "last",
    fill: Fill | None = None,
    max_gap: Length | None = None,
    partial: Partial = "keep",
    min_coverage: float | None = None,
    max_lag: Length | None = None,
    detail: bool = False,
) -> pd.DataFrame:
    """Resample rents to a calendar frequency, without bias between monthly and weekly points.

    A plain ``resample("QE").mean()`` gives a weekly point as much weight as a monthly one, so weekly data dominate.
    ``ffill`` makes values up, and ``asfreq`` drops points. Here the value of a period is either its last point or the
    mean over its days.

    A point is a level as at its date. So between two neighbouring points of a series at most 35 days apart, the value
    of a day is on the straight line between them. On a point's date it is the point, and on any other day there is no
    value. The mean of a period is taken over its days that have a value. It does not depend on how often points arrive.
    It interpolates: a week between two monthly points has a mean although no point is dated in it.

    The days between a period's last point and the next point are part of its mean. So the mean of a past period can
    change once more, when the next point arrives. ``last`` uses no later point.

    Parameters
    ----------
    frame
        A frame of the rent shape, of one suburb or long. Rows may be in any order.
    freq
        A calendar frequency of pandas: ``W`` or an anchored week such as ``W-MON``; ``MS``, ``ME``, ``QS``, ``QE``,
        ``YS`` or ``YE``. Quarters and years may be anchored, as in ``QE-FEB``, or ``YE-JUN`` for financial years.
        With ``MS``, ``QS`` and ``YS`` the label of a period is its first day: it is dated before the data that it
        summarises. To join values to events by date, use a label at the end.
    how
        ``"last"``: the last point dated in the period. ``"mean"``: the mean over the period's days on the line.
        ``"median"``: the median of the points dated in the period. ``"count"``: the number of these points. Except for
        the count, a value is NaN where there is no such point or day.
    fill
        Fill empty periods between two points: those that would have no value otherwise. ``"linear"`` takes the value on
        the line at the period's last day, or for ``how="mean"`` the mean over all its days. ``"ffill"`` repeats the
        last value. A gap between two points is filled completely or not at all. By default nothing is filled.
    max_gap
        With ``fill``: the most days between the two points on either side of a gap that is filled, such as ``"62D"``.
        By default 35 days for ``"linear"``, and no limit for ``"ffill"``.
    partial
        ``"drop"`` removes the values of open periods, after filling. A period is open if the series' next point is due
        in it: one step of its latest cadence after its last point. It also removes a first period that begins more than
        one step of the series before its first point. A suburb's first or last row is removed too if no property type
        has a value left that it had there.
    min_coverage
        For ``how="mean"``: the least share of a period's days that must be on the line, from 0 to 1. Below it the
        value is NaN. By default 0.5.
    max_lag
        For ``how="last"``: the most days from the last point to the end of its period, such as ``"10D"``. Beyond it the
        value is NaN. By default no limit.
    detail
        Add columns that show how each value was obtained.

    Returns
    -------
    pandas.DataFrame
        One row for each period of a suburb, from its first point to its last, of either property type. The index
        ``date`` holds the labels that pandas gives the periods. Columns as in ``frame``: ``house`` and ``unit``
        (float64, AUD per week, or a number of points for ``how="count"``), preceded for a long frame by ``area_name``
        (categorical; suburbs in the order of their first rows).

        ``detail`` adds for each property type, here houses:

        - ``house_n`` (int64): points dated in the period; a mean with 0 points lies on the line between others
        - ``house_last`` (datetime64): date of the last of these points; with ``MS``, ``QS`` and ``YS`` it is after the
          label
        - ``house_coverage`` (float64): share of the period's days on the line, before filling
        - ``house_open`` (bool): True if the period is open
        - ``house_filled`` (bool): True if the value was filled
        - ``house_unchanged_days`` (float64): days for which the value had been unchanged at that last point

    Raises
    ------
    TypeError, ValueError
        The frame does not have the rent shape, an option has an unknown value or does not go with another one, or the
        result would have more than 50 million rows.

    Examples
    --------
    >>> rents = sp.rent("Quokka Bay")
    >>> sp.resample(rents, "QE", how="mean", partial="drop").tail(1)
                house ...
    date
    2026-03-31 ...

    >>> sp.resample(rents, "2W")
    Traceback (most recent call last):
        ...
    ValueError: freq is one of pandas' calendar frequencies from weeks up: ...
    """
    return resampled(
        frame,
        rule(
            freq,
            how=how,
            fill=fill,
            max_gap=max_gap,
            partial=partial,
            min_coverage=min_coverage,
            max_lag=max_lag,
            detail=detail,
        ),
    )


def resampled(frame: pd.DataFrame, by: Rule) -> pd.DataFrame:
    """Resample a frame by checked options, as `resample` does."""
    rents = read(frame)
    grid = grid_of(rents, by.frequency)
    series = {kind: _Series(points, grid, by) for kind, points in rents.points.items()}
    columns: dict[str, npt.NDArray[Any]] = {kind: each.value for kind, each in series.items()}
    if by.detail:
        for kind, each in series.items():
            columns |= {f"{kind}_{name}": values for name, values in each.detail(rents.unit).items()}
    index = pd.DatetimeIndex(to_dates(grid.labels, rents.unit), name="date")
    result = pd.DataFrame({**rents.name_column(rents.category[grid.suburb]), **columns}, index=index)
    if by.partial == "drop":
        is_edge = starts_of(grid.suburb) | ends_of(grid.suburb)
        nothing_left = np.all([each.is_partial | (each.count == 0) for each in series.values()], axis=0)
        result = result[~(nothing_left & is_edge)]
    unit = by.statistic.unit or unit_of(frame) or RENT_UNIT
    units = units_of_details(unit, series) if by.detail else unit
    return carry(frame, result, unit=units, operation=by.operation)


class _Series:
    """One property type on the grid. Its properties are computed when first used."""

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
        suburb, due = next_due(self.points)
        row = self.grid.row(suburb, due)
        is_open[row[row < self.grid.end_row[suburb]]] = True
        return is_open

    @cached_property
    def is_partial(self) -> Flags:
        """True for each open row, and for a first row that begins before the point before the first one was due."""
        suburb, due = previous_due(self.points)
        row = self.grid.row(suburb, self.points.day[self.points.is_first])
        is_partial = self.is_open.copy()
        is_partial[row[self.grid.first_day[row] < due]] = True
        return is_partial

    @cached_property
    def value(self) -> Values:
        """The value of each row, after filling and after dropping partial periods."""
        value = self._unfilled.copy()
        rows, values = self._fills
        value[rows] = values
        if self._rule.partial == "drop":
            value[self.is_partial] = np.nan
        return value

    def detail(self, unit: TimeUnit) -> dict[str, npt.NDArray[Any]]:
        """Return the columns that show how the value of each row was obtained."""
        points, row, size = self.points, self.row, len(self.grid)
        dates, is_filled = no_dates(size, unit), np.zeros(size, dtype="bool")
        dates[row] = to_dates(points.day, unit)
        is_filled[self._fills[0]] = True
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
