"""Divides the steps of each series among the cadences at the least cost.

The costs and the rule are stated in the notes of `cadence`. Finding the steps of points is left to `stretches`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from suburb_pandas.frames.dates import Flags, Whole
from suburb_pandas.frames.points import starts_of


class Cadence(NamedTuple):
    """A cadence: its name, the shortest and the longest of its steps in days, and its step in days or in months."""

    name: str
    shortest: int
    longest: int
    days: int = 0
    months: int = 0


CADENCES: Final = (
    Cadence("weekly", 6, 8, days=7),
    Cadence("fortnightly", 13, 15, days=14),
    Cadence("monthly", 28, 31, months=1),
    Cadence("quarterly", 89, 92, months=3),
)
"""The cadences, from the shortest to the longest. What is none of them is irregular."""

NAMES: Final = np.array([*(cadence.name for cadence in CADENCES), "irregular"], dtype="object")
"""The names of the cadences, by their numbers."""

DAYS: Final = np.array([*(cadence.days for cadence in CADENCES), 0])
MONTHS: Final = np.array([*(cadence.months for cadence in CADENCES), 0])
WEEKLY, MONTHLY, IRREGULAR = (NAMES.tolist().index(name) for name in ("weekly", "monthly", "irregular"))
MEAN_DAYS: Final = DAYS + 30.4375 * MONTHS
MEAN_DAYS[IRREGULAR] = np.inf  # of an irregular stretch, no point can be missing

# The lengths of steps are in classes. The odd ones, 1, 3 and so on, are those of the cadences, and the even ones lie
# between these. The first point of a series has no step, which is a class of its own.
_EDGES: Final = [edge for cadence in CADENCES for edge in (cadence.shortest, cadence.longest + 1)]
_CLASS_OF_CADENCE: Final = np.arange(1, len(_EDGES), 2)[:, None]
_NO_STEP: Final = len(_EDGES) + 1


def _costs_of_steps() -> Whole:
    """Return the cost of a step, by the cadence of its stretch and the class of its length."""
    length_class = np.arange(_NO_STEP + 1)
    costs = np.full((len(NAMES), len(length_class)), 2)  # a third of 6: irregular wins where more steps are longer
    longer, shorter = length_class > _CLASS_OF_CADENCE, length_class < _CLASS_OF_CADENCE
    costs[:IRREGULAR] = 6 * longer + 10 * shorter  # shorter is more, because missing points do not explain it
    costs[WEEKLY, 0] = 6  # no shorter cadence explains it
    costs[:, _NO_STEP] = 0
    costs[IRREGULAR, _NO_STEP] = 10  # with less, a change of cadence after few points would be irregular
    return costs


def _costs_of_changes() -> Whole:
    """Return the cost of a change from the cadence of a row to that of a column."""
    # 11 is more than one shorter step, less than two; 29 is more than four longer steps, less than five.
    costs = np.where(MEAN_DAYS[:, None] > 4 * MEAN_DAYS, 11, 29)
    costs[IRREGULAR] = costs[:, IRREGULAR] = 50  # with less, several weeks missing at the end would be irregular
    np.fill_diagonal(costs, 0)
    return costs


_COSTS: Final = _costs_of_steps()
_CHANGES: Final = _costs_of_changes()


def divide(steps: Whole, is_first: Flags) -> Whole:
    """Return the number of the cadence of the stretch that each step is in, by the lengths of the steps in days.

    Where `is_first` is True, a series begins: there is no step, and the cadence is that of the first stretch.
    """
    length_class = np.where(is_first, _NO_STEP, _length_class(steps))
    begins = np.flatnonzero(is_first | starts_of(length_class))  # of runs of steps in one class
    length_class, n_steps = length_class[begins], np.diff(begins, append=len(steps))
    cheapest = _cheapest_cadences(length_class, n_steps)
    return np.repeat(_confirmed_by_share(cheapest, length_class, n_steps), n_steps)


def is_monthly(steps: Whole) -> Flags:
    """Return True for each step of 28 to 31 days."""
    return np.asarray(_length_class(steps) == _CLASS_OF_CADENCE[MONTHLY])


def _length_class(steps: Whole) -> Whole:
    """Return the class of the length of each step, in days."""
    return np.digitize(steps, _EDGES)


def _cheapest_cadences(length_class: Whole, n_steps: Whole) -> Whole:
    """Return the cadence of each run of steps in one class, so that each series has the least sum of costs.

    All series are computed at once: their second runs, then their third ones, and so on.
    """
    run = np.arange(len(length_class))
    place = run - np.maximum.accumulate(np.where(length_class == _NO_STEP, run, 0))  # within its series
    later_runs = np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place)))[1:-1]
    return _followed_back(_least_sums(_COSTS[:, length_class] * n_steps, later_runs), later_runs)


def _least_sums(costs: Whole, later_runs: Sequence[Whole]) -> Whole:
    """Return the least sum of costs from the first run of a series to each run, by the cadence of that run."""
    sums = costs.copy()
    for runs in later_runs:
        sums[:, runs] += (sums[:, None, runs - 1] + _CHANGES[:, :, None]).min(axis=0)
    return sums


def _followed_back(sums: Whole, later_runs: Sequence[Whole]) -> Whole:
    """Return the cadence of each run, followed back from the least sum at the last one. Later changes are preferred."""
    later_change = _CHANGES + np.eye(len(_CHANGES)) / 2  # all sums are whole, so a half decides between equal ones only
    cadences = sums.argmin(axis=0)
    for runs in reversed(later_runs):
        cadences[runs - 1] = (sums[:, runs - 1] + later_change[:, cadences[runs]]).argmin(axis=0)
    return cadences


def _confirmed_by_share(cheapest: Whole, length_class: Whole, n_steps: Whole) -> Whole:
    """Return the cadence of each run: that of two thirds, and at least two, of its stretch's steps, else irregular."""
    is_first = length_class == _NO_STEP
    begins: Flags = is_first | starts_of(cheapest)
    stretch = np.flatnonzero(begins)
    total = np.add.reduceat(np.where(is_first, 0, n_steps), stretch)
    of_cadence = np.add.reduceat(np.where(length_class == _CLASS_OF_CADENCE, n_steps, 0), stretch, axis=1)
    has_share = (3 * of_cadence >= 2 * total) & (total > 1)
    cadence: Whole = np.where(has_share.any(axis=0), has_share.argmax(axis=0), IRREGULAR)
    return cadence[np.cumsum(begins) - 1]
