"""Resamples rents to weeks, months, quarters or years, without bias between monthly and weekly points.

The table `STATISTICS` lists the statistics that the value of a period can be. To add one, add an entry there and its
name to the type `How`. The rows of the result are left to `grid`, the days that a point represents to `weights`, and
the date on which the next point of a series is due to `cadence`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.schema import carry, unit_of
from suburb_pandas.messages import listed
from suburb_pandas.timeseries.cadence import next_due
from suburb_pandas.timeseries.dates import Flags, Length, Unit, Values, Whole, no_dates, to_dates, whole_days
from suburb_pandas.timeseries.grid import Grid, count, grid_of, last, mean, median
from suburb_pandas.timeseries.periods import Frequency, frequency
from suburb_pandas.timeseries.points import Points, ends_of, nearest, read

How = Literal["last", "mean", "median", "count"]
Fill = Literal["ffill", "linear"]
Partial = Literal["keep", "drop"]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic that ``resample`` can compute for each period.

    ``compute`` returns its value for each row of one property type. ``unit`` is the unit of these values, or None if it
    is that of the frame. ``takes_coverage`` is True if ``min_coverage`` may be given.
    """

    compute: Callable[[_Series], Values]
    unit: str | None = None
    takes_coverage: bool = False


STATISTICS: Final[Mapping[str, Statistic]] = {
    "last": Statistic(lambda series: last(series.points.value, series.row, len(series.grid))),
    "mean": Statistic(lambda series: series.mean, takes_coverage=True),
    "median": Statistic(lambda series: median(series.points.value, series.row, len(series.grid))),
    "count": Statistic(lambda series: series.count.astype("float64"), unit="points"),
}
"""The statistics by the value of ``how``."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The checked options of a resampling. ``max_gap`` is in days."""

    frequency: Frequency
    how: How
    fill: Fill | None
    max_gap: int | None
    partial: Partial
    min_coverage: float

    @property
    def statistic(self) -> Statistic:
        """The statistic that `how` names."""
        return STATISTICS[self.how]

    @property
    def unit(self) -> str | None:
        """The unit of the resampled values, or None if it is that of the frame."""
        return self.statistic.unit


def rule(
    freq: object,
    *,
    how: How = "last",
    fill: Fill | None = None,
    max_gap: Length | None = None,
    partial: Partial = "keep",
    min_coverage: float = 0.0,
) -> Rule:
    """Check the options of `resample`, so that a mistake is found before any call is paid for.

    Raises
    ------
    ValueError
        An option has an unknown value, or does not go with the other options.
    """
    for name, given, known in (
        ("how", how, tuple(STATISTICS)),
        ("fill", fill, (None, "ffill", "linear")),
        ("partial", partial, ("keep", "drop")),
    ):
        if given not in known:
            raise ValueError(f"{name} is one of {listed(known)}, not {given!r}.")
    if max_gap is not None and fill is None:
        raise ValueError("max_gap says which gaps to fill, so it goes with fill='ffill' or fill='linear'.")
    if not isinstance(min_coverage, Real) or not 0 <= min_coverage <= 1:
        raise ValueError(f"min_coverage is a share of a period's days, from 0 to 1, not {min_coverage!r}.")
    if min_coverage and not STATISTICS[how].takes_coverage:
        takers = " or ".join(f"how={name!r}" for name, statistic in STATISTICS.items() if statistic.takes_coverage)
        raise ValueError(f"min_coverage is about the days that a mean is over, so it goes with {takers}.")
    longest = None if max_gap is None else whole_days(max_gap, "max_gap")
    return Rule(frequency(freq), how, fill, longest, partial, float(min_coverage))


def resample(
    frame: pd.DataFrame,
    freq: str,
    *,
    how: How = "last",
    fill: Fill | None = None,
    max_gap: Length | None = None,
    partial: Partial = "keep",
    min_coverage: float = 0.0,
    detail: bool = False,
) -> pd.DataFrame:
    """Resample rents to a calendar frequency, without bias between monthly and weekly points.

    A plain ``resample("QE").mean()`` gives a weekly point as much weight as a monthly one, so weekly data dominate.
    ``ffill`` makes values up, and ``asfreq`` drops points. Here the value of a period is either its last point or the
    mean over its days.

    For the mean, each point represents the days since the previous point of its series, up to and including its own
    date. The limit is its calendar month if it is dated a month's last day, otherwise 31 days; at weekly frequencies it
    is seven days. A series' first point represents its calendar month if it is dated that month's last day, otherwise
    seven days, and never days before its own calendar month. The mean of a period is taken over its represented days.

    A mean may therefore use a point dated after its period: up to six days later in weekly data, up to 30 days later
    where points are further apart and not at month ends. Until that point has arrived, the mean of a past period can
    still change. ``last`` uses no later point.

    Parameters
    ----------
    frame
        A frame of the rent shape, of one suburb or long. Rows may be in any order.
    freq
        A calendar frequency of pandas: ``W`` or an anchored week such as ``W-MON``; ``MS``, ``ME``, ``QS``, ``QE``,
        ``YS`` or ``YE``. Quarters and years may be anchored, as in ``QE-FEB``, or ``YE-JUN`` for financial years.
    how
        ``"last"``: the last point dated in the period. ``"mean"``: the mean over the period's represented days.
        ``"median"``: the median of the points dated in the period. ``"count"``: the number of these points. Except for
        the count, a value is NaN where there is no such point or day.
    fill
        Fill gaps between periods with values: ``"ffill"`` repeats the last value, ``"linear"`` interpolates by days
        between the labels of the periods. A gap is filled completely or not at all. By default nothing is filled.
    max_gap
        The longest gap to fill, from the last point before it to the first point after it, such as ``"62D"``.
    partial
        ``"drop"`` removes the values of open periods, after filling. A period is open if the series' next point is due
        in it: one step of its latest cadence after its last point. A suburb's last row is removed too if every property
        type is open or has no points there.
    min_coverage
        For ``how="mean"``: the smallest share of a period's days that must be represented, from 0 to 1. Below it the
        value is NaN.
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

        - ``house_n`` (int64): points dated in the period
        - ``house_last`` (datetime64): date of the last of these points
        - ``house_coverage`` (float64): share of the period's days that are represented
        - ``house_open`` (bool): True if the period is open
        - ``house_filled`` (bool): True if the value was filled
        - ``house_unchanged_days`` (float64): days for which the value had been unchanged at that last point

    Raises
    ------
    TypeError, ValueError
        The frame does not have the rent shape, or an option has an unknown value.

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
    checked = rule(freq, how=how, fill=fill, max_gap=max_gap, partial=partial, min_coverage=min_coverage)
    return resampled(frame, checked, detail=detail)


def resampled(frame: pd.DataFrame, by: Rule, *, detail: bool = False) -> pd.DataFrame:
    """Resample a frame by checked options, as `resample` does."""
    rents = read(frame)
    grid = grid_of(rents, by.frequency)
    series = {kind: _Series(points, grid, by) for kind, points in rents.points.items()}
    columns: dict[str, npt.NDArray[Any]] = {kind: each.value for kind, each in series.items()}
    if detail:
        for kind, each in series.items():
            columns |= {f"{kind}_{name}": values for name, values in each.detail(rents.unit).items()}
    index = pd.DatetimeIndex(to_dates(grid.labels, rents.unit), name="date")
    result = pd.DataFrame({**rents.name_column(rents.category[grid.suburb]), **columns}, index=index)
    if by.partial == "drop":
        nothing_closed = np.all([each.is_open | (each.count == 0) for each in series.values()], axis=0)
        result = result[~(nothing_closed & ends_of(grid.suburb))]
    return carry(frame, result, unit=by.unit or unit_of(frame))


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
    def mean(self) -> Values:
        """The mean of each row over its represented days."""
        return self._mean_and_days[0]

    @cached_property
    def coverage(self) -> Values:
        """The share of the days of each row's period that points represent."""
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
    def value(self) -> Values:
        """The value of each row, after filling and after dropping open periods."""
        value = self._unfilled.copy()
        gap, left, right = self._gaps
        value[gap] = value[left]
        if self._rule.fill == "linear":
            label = self.grid.labels
            share = (label[gap] - label[left]) / (label[right] - label[left])
            with np.errstate(invalid="ignore"):  # inf - inf is NaN, as in pandas
                value[gap] += share * (value[right] - value[left])
        if self._rule.partial == "drop":
            value[self.is_open] = np.nan
        return value

    def detail(self, unit: Unit) -> dict[str, npt.NDArray[Any]]:
        """Return the columns that show how the value of each row was obtained."""
        points, row, size = self.points, self.row, len(self.grid)
        dates, is_filled = no_dates(size, unit), np.zeros(size, dtype="bool")
        dates[row] = to_dates(points.day, unit)
        is_filled[self._gaps[0]] = True
        return {
            "n": self.count,
            "last": dates,
            "coverage": self.coverage,
            "open": self.is_open,
            "filled": is_filled,
            "unchanged_days": last(points.days_unchanged().astype("float64"), row, size),
        }

    @cached_property
    def _mean_and_days(self) -> tuple[Values, Whole]:
        """The mean of each row over its represented days, and their number."""
        return mean(self.points, self.row, self.grid)

    @cached_property
    def _unfilled(self) -> Values:
        value = self._rule.statistic.compute(self)
        if not self._rule.min_coverage:
            return value
        return np.where(self.coverage < self._rule.min_coverage, np.nan, value)

    @cached_property
    def _gaps(self) -> tuple[Whole, Whole, Whole]:
        """The rows to fill, and for each of them the nearest rows with values before and after the gap."""
        if self._rule.fill is None:
            return (np.zeros(0, dtype="int64"),) * 3
        has_value = ~np.isnan(self._unfilled)
        before, after = nearest(has_value)
        is_inside = (before >= self.grid.first_row[self.grid.suburb]) & (after < self.grid.end_row[self.grid.suburb])
        gap = np.flatnonzero(~has_value & is_inside)
        if len(gap):
            longest = np.inf if self._rule.max_gap is None else self._rule.max_gap
            gap = gap[self._days_between(before[gap], after[gap]) <= longest]
        return gap, before[gap], after[gap]

    def _days_between(self, left: Whole, right: Whole) -> Values:
        """Return the days from the last point in or before row `left` to the first point in or after row `right`.

        The result is NaN where a suburb does not have both.
        """
        suburb, day = self.points.suburb, self.points.day
        last_before = np.searchsorted(self.row, left, side="right") - 1
        first_after = np.searchsorted(self.row, right)
        has_both = (last_before >= 0) & (suburb[last_before] == suburb[first_after])
        return np.where(has_both, day[first_after] - day[last_before], np.nan)
