"""Divides each series into stretches of one cadence, and tells when the points beyond its ends were due.

The rule is stated in the notes of `cadence`, which makes a table of the stretches.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from suburb_pandas.frames.dates import Flags, Whole
from suburb_pandas.frames.points import Points, starts_of
from suburb_pandas.timeseries.calendar import is_months_end, months_before

NAMES: Final = np.array(["weekly", "fortnightly", "monthly", "quarterly", "irregular"], dtype="object")
"""The cadences, by their numbers."""

_WEEKLY, _MONTHLY, _IRREGULAR = 0, 2, 4
_DAYS: Final = np.array([7, 14, 0, 0, 0])
_MONTHS: Final = np.array([0, 0, 1, 3, 0])
_MEAN_DAYS: Final = np.array([7, 14, 30.4375, 91.3125, np.inf])  # of an irregular stretch, no point can be missing

# Steps are sorted into kinds by their length: kind 1 is weekly (6 to 8 days), 3 fortnightly (13 to 15), 5 monthly (28
# to 31), 7 quarterly (89 to 92). The even kinds lie between these. The first point of a series has no step, which is a
# kind of its own.
_EDGES: Final = [6, 9, 13, 16, 28, 32, 89, 93]
_KIND_OF_CADENCE: Final = np.array([1, 3, 5, 7])[:, None]
_NO_STEP: Final = 9


def _costs_of_steps() -> Whole:
    """Return the cost of a step, by the cadence of its stretch and its own kind."""
    kind = np.arange(_NO_STEP + 1)
    costs = np.full((len(NAMES), len(kind)), 2)  # a third of 6: irregular wins where more steps are longer
    longer, shorter = kind > _KIND_OF_CADENCE, kind < _KIND_OF_CADENCE
    costs[:_IRREGULAR] = 6 * longer + 10 * shorter  # shorter is more, because missing points do not explain it
    costs[_WEEKLY, 0] = 6  # no shorter cadence explains it
    costs[:, _NO_STEP] = [0, 0, 0, 0, 10]  # with less, a change of cadence after few points would be irregular
    return costs


def _costs_of_changes() -> Whole:
    """Return the cost of a change from the cadence of a row to that of a column."""
    # 11 is more than one shorter step, less than two; 29 is more than four longer steps, less than five.
    costs = np.where(_MEAN_DAYS[:, None] > 4 * _MEAN_DAYS, 11, 29)
    costs[_IRREGULAR] = costs[:, _IRREGULAR] = 50  # with less, several weeks missing at the end would be irregular
    np.fill_diagonal(costs, 0)
    return costs


_COSTS: Final = _costs_of_steps()
_CHANGES: Final = _costs_of_changes()


def cadences_of(points: Points) -> Whole:
    """Return the number of the cadence of the stretch that the step to each point is in.

    The first point of a series has the cadence of the first stretch.
    """
    kinds = _kinds(np.diff(points.day, prepend=0))
    kinds[points.is_first] = _NO_STEP
    run = np.flatnonzero(points.is_first | starts_of(kinds))  # of steps of one kind
    kinds, length = kinds[run], np.diff(run, append=len(kinds))
    return np.repeat(_by_share(_at_least_cost(kinds, length), kinds, length), length)


def missing(points: Points, cadences: Whole) -> Whole:
    """Return how many points are missing within the step to each point."""
    gaps = np.rint(np.diff(points.day, prepend=0) / _MEAN_DAYS[cadences]) - 1
    return np.where(points.is_first, 0, gaps.clip(0)).astype("int64")


def due(points: Points) -> tuple[Whole, Whole, Whole]:
    """Return the suburbs that have points, and the days on which points before the first and after the last were due.

    They are one step of the series' first and latest cadence away. An irregular stretch repeats its outermost step. A
    single point counts as monthly if it is dated a month's last day, otherwise as weekly. If the first step is monthly,
    so is the step before it: a single one is no stretch, although the points may have been monthly until then.
    """
    cadences, steps = cadences_of(points), np.diff(points.day, append=0)
    first, last = np.flatnonzero(points.is_first), np.flatnonzero(points.is_last)
    is_monthly = _kinds(steps[first]) == _KIND_OF_CADENCE[_MONTHLY]
    of_first, of_last = np.where(is_monthly, _MONTHLY, cadences[first]), cadences[last]
    single = np.flatnonzero(first == last)
    of_first[single] = of_last[single] = np.where(is_months_end(points.day[first[single]]), _MONTHLY, _WEEKLY)
    before = _one_step_from(points.day[first], of_first, -steps[first], -1)
    after = _one_step_from(points.day[last], of_last, steps[last - 1], 1)
    return points.suburb[first], before, after


def _one_step_from(day: Whole, cadences: Whole, own_step: Whole, direction: Literal[1, -1]) -> Whole:
    """Return the day one step before or after each day, by its cadence; for irregular, by its own step in days."""
    days = np.where(cadences == _IRREGULAR, own_step, direction * _DAYS[cadences])
    return months_before(day + days, -direction * _MONTHS[cadences])


def _kinds(days: Whole) -> Whole:
    """Return the kind of each step."""
    return np.digitize(days, _EDGES)


def _at_least_cost(kinds: Whole, length: Whole) -> Whole:
    """Return the cadence of each run of steps of one kind, so that each series has the least sum of costs.

    `length` is the number of steps. The sums are built up from the first run of each series to the last, over the
    second runs of all series at once, then the third ones, and so on. Then the cadences are followed back from that of
    the least sum at the last run. Of equal sums, a later change is preferred.
    """
    run = np.arange(len(kinds))
    number = run - np.maximum.accumulate(np.where(kinds == _NO_STEP, run, 0))  # within its series
    later_runs = np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number)))[1:-1]
    sums: Whole = _COSTS[:, kinds] * length
    for runs in later_runs:
        sums[:, runs] += (sums[:, None, runs - 1] + _CHANGES[:, :, None]).min(axis=0)
    later_change = _CHANGES + np.eye(len(_CHANGES)) / 2  # all sums are whole, so a half decides between equal ones only
    found = sums.argmin(axis=0)
    for runs in reversed(later_runs):
        found[runs - 1] = (sums[:, runs - 1] + later_change[:, found[runs]]).argmin(axis=0)
    return found


def _by_share(divided: Whole, kinds: Whole, length: Whole) -> Whole:
    """Return the cadence of each run: that of two thirds, and at least two, of its stretch's steps, else irregular."""
    begins: Flags = (kinds == _NO_STEP) | starts_of(divided)
    first = np.flatnonzero(begins)
    steps = np.add.reduceat(np.where(kinds == _NO_STEP, 0, length), first)
    of_cadence = np.add.reduceat(np.where(kinds == _KIND_OF_CADENCE, length, 0), first, axis=1)
    is_regular = (3 * of_cadence >= 2 * steps) & (steps > 1)
    cadence: Whole = np.where(is_regular.any(axis=0), is_regular.argmax(axis=0), _IRREGULAR)
    return cadence[np.cumsum(begins) - 1]
