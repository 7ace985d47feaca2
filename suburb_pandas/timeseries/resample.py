"""Rents on one calendar: a series that is monthly for years and weekly lately, put on months, quarters, years or weeks.

It owns what a period's value is. Which days a point speaks for is `weights`; when a series' next point is due, and so
whether a period is still open, is `cadence`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Literal, TypedDict

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


class Calendar(TypedDict, total=False):
    """How to put rents on a calendar, beside its frequency."""

    how: How
    fill: Fill | None
    max_gap: Length | None
    partial: Partial
    min_coverage: float


class ResampleOptions(Calendar, total=False):
    """What ``resample`` takes besides."""

    detail: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """How to resample, checked."""

    frequency: Frequency
    how: How
    fill: Fill | None
    max_gap: int | None
    partial: Partial
    min_coverage: float

    @property
    def unit(self) -> str | None:
        """Give the unit of what comes out, None where it is that of what goes in."""
        return "points" if self.how == "count" else None


def rule(
    freq: object,
    *,
    how: How = "last",
    fill: Fill | None = None,
    max_gap: Length | None = None,
    partial: Partial = "keep",
    min_coverage: float = 0.0,
) -> Rule:
    """Check how to resample, before anything is bought or computed."""
    for name, given, known in (
        ("how", how, ("last", "mean", "median", "count")),
        ("fill", fill, (None, "ffill", "linear")),
        ("partial", partial, ("keep", "drop")),
    ):
        if given not in known:
            raise ValueError(f"{name} is one of {listed(known)}, not {given!r}.")
    if max_gap is not None and fill is None:
        raise ValueError("max_gap says which gaps to fill, so it goes with fill='ffill' or fill='linear'.")
    if not isinstance(min_coverage, Real) or not 0 <= min_coverage <= 1:
        raise ValueError(f"min_coverage is a share of a period's days, from 0 to 1, not {min_coverage!r}.")
    if min_coverage and how != "mean":
        raise ValueError("min_coverage is about the days that a mean is over, so it goes with how='mean'.")
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
    """Put rents on one calendar, without bias between monthly and weekly points.

    A plain ``resample("QE").mean()`` counts a week as much as a month, and so leans to the weekly era; ``ffill`` and
    ``asfreq`` make values up, or drop them. Here a period has either the last point dated inside it, or the mean over
    its days.

    For the mean each point speaks for the days since the previous point of its own series, its own date included, but
    at most for its calendar month if it is dated a month's last day, else for 31 days; at weekly frequencies for at
    most seven. A series' first point speaks for its calendar month if it is dated that month's last day, else for seven
    days, and never for days before its own calendar month. A period's mean is over the days spoken for.

    So a mean may use a point dated after its period's end: up to six days in weekly data, up to 30 where points are
    further apart and not at month ends. Until that point has come, the mean of a period that is over can still move.
    ``last`` looks at nothing later.

    Parameters
    ----------
    frame
        A frame of the rent shape, of one suburb or long. Rows may be in any order.
    freq
        A calendar frequency of pandas, from weeks up: ``W`` and anchored weeks, ``MS`` and ``ME``, ``QS`` and ``QE``,
        ``YS`` and ``YE``, the last four also anchored, as in ``QE-FEB`` or, for financial years, ``YE-JUN``.
    how
        ``"last"``: the last point dated inside the period, NaN where there is none. ``"mean"``: the mean by days, NaN
        where no day is spoken for. ``"median"`` and ``"count"``: of the points dated inside it.
    fill
        ``"ffill"`` or ``"linear"`` (in days between the labels of the neighbouring periods) fills periods between
        points, a gap whole or not at all. By default nothing is filled.
    max_gap
        The longest gap to fill, from the last point before it to the first one after it, such as ``"62D"``.
    partial
        ``"drop"`` takes away what a period has that is still open: one that the series' next point, a step of its
        latest cadence after its last, would still fall into. It does so after filling.
    min_coverage
        For the mean: the least share of a period's days that must be spoken for.
    detail
        Say for each property type how each value came about.

    Returns
    -------
    pandas.DataFrame
        A row for each period from a suburb's first point to its last, of whichever type: index ``date``, as pandas
        labels the periods; columns as in the frame given, ``house`` and ``unit`` (float64, AUD per week, points for
        ``count``), and ``area_name`` (categorical) before them for a long frame, suburbs in their order there.

        ``detail`` adds, here for houses: ``house_n`` (int64, points dated in the period), ``house_last`` (date of the
        last one), ``house_coverage`` (share of the period's days spoken for), ``house_open``, ``house_filled`` (bool)
        and ``house_unchanged_days`` (float64, how long the value of that last point had stood by its date).

    Raises
    ------
    TypeError, ValueError
        The frame is not of the rent shape, or an option is none of these.

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
    """Resample by a rule that is checked."""
    rents = read(frame)
    grid = grid_of(rents, by.frequency)
    series = {kind: _Series(points, grid, by) for kind, points in rents.points.items()}
    columns: dict[str, npt.NDArray[Any]] = {kind: one.value for kind, one in series.items()}
    if detail:
        for kind, one in series.items():
            columns |= {f"{kind}_{name}": values for name, values in one.detail(rents.unit).items()}
    index = pd.DatetimeIndex(to_dates(grid.labels, rents.unit), name="date")
    result = pd.DataFrame({**rents.named(rents.place[grid.suburb]), **columns}, index=index)
    if by.partial == "drop":
        nothing_closed = np.all([one.is_open | (one.count == 0) for one in series.values()], axis=0)
        result = result[~(nothing_closed & ends_of(grid.suburb))]
    return carry(frame, result, unit=by.unit or unit_of(frame))


class _Series:
    """One property type on the grid. What nobody asks for is not computed."""

    def __init__(self, points: Points, grid: Grid, rule: Rule) -> None:
        self._points = points
        self._grid = grid
        self._rule = rule
        self._row = grid.row(points.suburb, points.day)

    @cached_property
    def count(self) -> Whole:
        """How many points each row has."""
        return count(self._row, len(self._grid))

    @cached_property
    def is_open(self) -> Flags:
        """Whether the next point of the series is due in a row."""
        is_open = np.zeros(len(self._grid), dtype="bool")
        suburb, due = next_due(self._points)
        row = self._grid.row(suburb, due)
        is_open[row[row < self._grid.end_row[suburb]]] = True
        return is_open

    @cached_property
    def value(self) -> Values:
        """The value of each row: what its points make of it, filled, and taken away where it is open."""
        value = self._unfilled.copy()
        gap, left, right = self._gaps
        value[gap] = value[left]
        if self._rule.fill == "linear":
            label = self._grid.labels
            share = (label[gap] - label[left]) / (label[right] - label[left])
            with np.errstate(invalid="ignore"):  # infinite values
                value[gap] += share * (value[right] - value[left])
        if self._rule.partial == "drop":
            value[self.is_open] = np.nan
        return value

    def detail(self, unit: Unit) -> dict[str, npt.NDArray[Any]]:
        """Say how the value of each row came about."""
        points, row, size = self._points, self._row, len(self._grid)
        dates, is_filled = no_dates(size, unit), np.zeros(size, dtype="bool")
        dates[row] = to_dates(points.day, unit)
        is_filled[self._gaps[0]] = True
        return {
            "n": self.count,
            "last": dates,
            "coverage": self._mean[1] / self._grid.days,
            "open": self.is_open,
            "filled": is_filled,
            "unchanged_days": last(points.days_unchanged().astype("float64"), row, size),
        }

    @cached_property
    def _mean(self) -> tuple[Values, Whole]:
        """The mean of each row over the days spoken for, and how many those are."""
        return mean(self._points, self._row, self._grid)

    @cached_property
    def _unfilled(self) -> Values:
        if self._rule.how == "mean":
            value, days = self._mean
            if self._rule.min_coverage:
                value = np.where(days / self._grid.days < self._rule.min_coverage, np.nan, value)
            return value
        if self._rule.how == "count":
            return self.count.astype("float64")
        of_row = median if self._rule.how == "median" else last
        return of_row(self._points.value, self._row, len(self._grid))

    @cached_property
    def _gaps(self) -> tuple[Whole, Whole, Whole]:
        """The rows to fill, and for each the rows before and after its gap, which have values."""
        if self._rule.fill is None:
            return (np.zeros(0, dtype="int64"),) * 3
        there = ~np.isnan(self._unfilled)
        before, after = nearest(there)
        is_inside = (before >= self._grid.first_row[self._grid.suburb]) & (
            after < self._grid.end_row[self._grid.suburb]
        )
        gap = np.flatnonzero(~there & is_inside)
        if len(gap):
            longest = np.inf if self._rule.max_gap is None else self._rule.max_gap
            gap = gap[self._days_between(before[gap], after[gap]) <= longest]
        return gap, before[gap], after[gap]

    def _days_between(self, left: Whole, right: Whole) -> Values:
        """Give the days from the last point up to one row to the first from another on; NaN where there is none."""
        suburb, day = self._points.suburb, self._points.day
        last_before = np.searchsorted(self._row, left, side="right") - 1
        first_after = np.searchsorted(self._row, right)
        has_both = (last_before >= 0) & (suburb[last_before] == suburb[first_after])
        return np.where(has_both, day[first_after] - day[last_before], np.nan)
