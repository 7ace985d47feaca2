"""Divides each series into stretches of one cadence, and tells when the points beyond its ends were due.

The rule is stated in the notes of `cadence`, which makes a table of the stretches.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import numpy as np

from suburb_pandas.timeseries.dates import Flags, Whole, is_months_end, months_before
from suburb_pandas.timeseries.points import Points, starts_of


class _Cadence(NamedTuple):
    """A cadence: its step in days or calendar months, and the shortest and the longest step that is one, in days."""

    name: str
    days: int
    months: int
    shortest: int
    longest: int


_CADENCES: Final = (
    _Cadence("weekly", 7, 0, 6, 8),
    _Cadence("fortnightly", 14, 0, 13, 15),
    _Cadence("monthly", 0, 1, 28, 31),
    _Cadence("quarterly", 0, 3, 89, 92),
)
NAMES: Final = np.array([*(one.name for one in _CADENCES), "irregular"], dtype="object")
"""The cadences, by their numbers."""

_NUMBERS: Final = np.arange(len(NAMES))
_WEEKLY, _FORTNIGHTLY, _MONTHLY, _QUARTERLY, _IRREGULAR = _NUMBERS.tolist()
_STEP_IN_DAYS: Final = np.array([*(one.days for one in _CADENCES), 0])
_STEP_IN_MONTHS: Final = np.array([*(one.months for one in _CADENCES), 0])
_STEPS: Final = _STEP_IN_DAYS + _STEP_IN_MONTHS * 365.25 / 12  # days
_STEPS[_IRREGULAR] = np.inf  # no point can be missing

# Steps are sorted into kinds by their length: kind 1 is weekly, 3 fortnightly, 5 monthly, 7 quarterly. The even kinds
# lie between these. The first point of a series has no step, which is a kind of its own.
_EDGES: Final = [edge for one in _CADENCES for edge in (one.shortest, one.longest + 1)]
_KINDS: Final = np.searchsorted(_EDGES, np.arange(_EDGES[-1] + 1), side="right")  # by days
_KIND_OF_CADENCE: Final = 2 * _NUMBERS[:_IRREGULAR] + 1
_NO_STEP: Final = len(_EDGES) + 1

_LONGER: Final = 6
_SHORTER: Final = 10  # more, because missing points do not explain it
_IRREGULAR_STEP: Final = 2  # a third of a longer step, so that irregular wins where more than a third are longer
_TO_MUCH_SHORTER: Final = 11  # more than one shorter step, less than two
_TO_OTHER: Final = 29  # more than four longer steps, less than five
_TO_OR_FROM_IRREGULAR: Final = 50  # with less, several weeks that are missing at the end would be irregular
_IRREGULAR_FROM_START: Final = 10  # with less, a change of cadence after few points would be


def _costs_of_steps() -> Whole:
    """Return the cost of a step, by the cadence of its stretch and its own kind."""
    own, kind = _KIND_OF_CADENCE[:, None], np.arange(_NO_STEP + 1)
    of_regular = np.where(kind > own, _LONGER, np.where(kind < own, _SHORTER, 0))
    of_regular[_WEEKLY, kind < own[_WEEKLY]] = _LONGER  # no shorter cadence explains it
    costs = np.vstack([of_regular, np.full(len(kind), _IRREGULAR_STEP)])
    costs[:, _NO_STEP] = np.where(_NUMBERS == _IRREGULAR, _IRREGULAR_FROM_START, 0)
    return costs


def _costs_of_changes() -> Whole:
    """Return the cost of a change from the cadence of a row to that of a column."""
    costs = np.where(_STEPS[:, None] > 4 * _STEPS, _TO_MUCH_SHORTER, _TO_OTHER)
    costs[_IRREGULAR] = costs[:, _IRREGULAR] = _TO_OR_FROM_IRREGULAR
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
    first = np.flatnonzero(points.is_first | starts_of(kinds))
    kinds, begins, length = kinds[first], points.is_first[first], np.diff(first, append=len(kinds))
    divided = _at_least_cost(kinds, length, begins)
    return np.repeat(_by_share(divided, kinds, begins, length), length)


def missing(points: Points, cadences: Whole) -> Whole:
    """Return how many points are missing within the step to each point."""
    gaps = np.rint(np.diff(points.day, prepend=0) / _STEPS[cadences]) - 1
    return np.where(points.is_first, 0, gaps.clip(0)).astype("int64")


def due(points: Points) -> tuple[Whole, Whole, Whole]:
    """Return the suburbs that have points, and the days on which points before the first and after the last were due.

    They are one step of the series' first and latest cadence away. An irregular stretch repeats its outermost step. A
    single point counts as monthly if it is dated a month's last day, otherwise as weekly. If the first step is monthly,
    so is the step before it: a single one is no stretch, although the points may have been monthly until then.
    """
    cadences, days = cadences_of(points), np.diff(points.day, append=0)
    first, last = np.flatnonzero(points.is_first), np.flatnonzero(points.is_last)
    is_single, of_single = first == last, np.where(is_months_end(points.day[first]), _MONTHLY, _WEEKLY)
    of_first, of_last = (np.where(is_single, of_single, cadences[end]) for end in (first, last))
    of_first[~is_single & (_kinds(days[first]) == _KIND_OF_CADENCE[_MONTHLY])] = _MONTHLY
    before = _one_step_from(points.day[first], of_first, days[first], -1)
    after = _one_step_from(points.day[last], of_last, days[last - 1], 1)
    return points.suburb[first], before, after


def _one_step_from(day: Whole, cadences: Whole, own_steps: Whole, direction: Literal[1, -1]) -> Whole:
    """Return the day one step before or after each day, by its cadence; for irregular, its own step in days."""
    days = np.where(cadences == _IRREGULAR, own_steps, _STEP_IN_DAYS[cadences])
    return months_before(day + direction * days, -direction * _STEP_IN_MONTHS[cadences])


def _kinds(days: Whole) -> Whole:
    """Return the kind of each step."""
    return _KINDS.take(days.clip(0, _EDGES[-1]))


def _at_least_cost(kinds: Whole, length: Whole, begins: Flags) -> Whole:
    """Return the cadence of each run of steps of one kind, so that each series has the least sum of costs.

    `length` is the number of steps; `begins` is True for the first run of a series. The sums are built up from the
    first run of all series, over the second of those that have one, to the last. Then the cadences are followed back
    from that of the least sum at the last run. Of equal sums, a later change is preferred.
    """
    place, rounds = _rounds(begins)
    placed = np.empty((2, len(place)), dtype="int64")
    placed[:, place] = kinds, length
    sums: Whole = _COSTS.take(placed[0], axis=1) * placed[1]
    for earlier, runs in rounds:
        sums[:, runs] += (sums[:, None, earlier] + _CHANGES[:, :, None]).min(axis=0)
    later_change = _CHANGES + np.eye(len(_CHANGES)) / 2  # all sums are whole, so a half decides between equal ones only
    found = sums.argmin(axis=0)
    for earlier, runs in reversed(rounds):
        found[earlier] = (sums[:, earlier] + later_change[:, found[runs]]).argmin(axis=0)
    return found[place]


def _rounds(begins: Flags) -> tuple[Whole, list[tuple[slice, slice]]]:
    """Return a place for each run: first all first runs of a series, then all second ones, and so on.

    Also return the slice of the second runs beside that of the first runs of the same series, then that of the third
    beside the second, and so on. Series with more runs come first, so that these slices are in the same order.
    """
    series = np.cumsum(begins) - 1
    number = np.arange(len(begins)) - np.flatnonzero(begins)[series]
    rank = np.argsort(np.argsort(-np.bincount(series), kind="stable"))
    edges = [0, *np.cumsum(np.bincount(number)).tolist()]
    rounds = [
        (slice(before, before + end - start), slice(start, end))
        for before, start, end in zip(edges, edges[1:], edges[2:], strict=False)
    ]
    return np.array(edges)[number] + rank[series], rounds


def _by_share(divided: Whole, kinds: Whole, begins: Flags, length: Whole) -> Whole:
    """Return the cadence of each run: that of two thirds, and at least two, of its stretch's steps, else irregular."""
    stretch = np.cumsum(begins | starts_of(divided)) - 1
    size = _NO_STEP + 1
    counts = np.bincount(stretch * size + kinds, length, size * (stretch.max(initial=-1) + 1)).reshape(-1, size)
    of_cadence, steps = counts[:, _KIND_OF_CADENCE], counts[:, :_NO_STEP].sum(axis=1)
    is_regular = (3 * of_cadence >= 2 * steps[:, None]) & (steps[:, None] > 1)
    return np.where(is_regular.any(axis=1), is_regular.argmax(axis=1), _IRREGULAR)[stretch]
