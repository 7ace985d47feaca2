"""Computes Jevons indices: how a group of series moved, each series compared with its own last earlier value.

While a series had no value, it is taken to have moved with the index. Which suburbs form a group, and their weights, is
left to loaders.rent_index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from suburb_pandas.timeseries.dates import Flags, Values, Whole
from suburb_pandas.timeseries.points import Points, known_at, nearest, starts_of

_BASE: Final = 100.0
_KEYS_PER_GROUP: Final = 2**32  # more than there are periods, so that keys sort by group, then by period


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of an index: each period of each group, by the numbers of group and period, in this order."""

    group: Whole
    period: Whole
    keys: Whole

    @classmethod
    def of(cls, group: Whole, period: Whole) -> Rows:
        """Return one row for each pair of group and period."""
        keys, first = np.unique(group * _KEYS_PER_GROUP + period, return_index=True)
        return cls(group[first], period[first], keys)

    def __len__(self) -> int:
        return len(self.keys)

    def row(self, group: Whole, period: Whole) -> Whole:
        """Return the row of each pair of group and period, which must be among the rows."""
        return np.searchsorted(self.keys, group * _KEYS_PER_GROUP + period)


class Members(NamedTuple):
    """The group and the weight of each suburb, by its number."""

    group: Whole
    weight: Values


class GroupIndex(NamedTuple):
    """The index of one property type, for each row.

    ``level`` is NaN in a row without a suburb to compare, except the group's first row with a value. ``n_compared`` is
    the number of suburbs compared, and ``share`` their share of the weight of all suburbs of the group. ``n_bridged``
    is how many of them had no value in the last row before that has a level.
    """

    level: Values
    n_compared: Whole
    share: Values
    n_bridged: Whole


def jevons(points: Points, period: Whole, rows: Rows, members: Members, base: int | None) -> GroupIndex:
    """Return the index of each group: 100 in the period `base`, or in the first period with a value.

    `period` is the number of each point's period.
    """
    row, is_compared = rows.row(members.group[points.suburb], period), ~points.is_first
    weight = np.where(is_compared, members.weight[points.suburb], 0)
    n_compared, total = np.bincount(row[is_compared], minlength=len(rows)), np.bincount(row, weight, len(rows))
    has_level = _has_level(rows, row, n_compared)
    before, last_level = _previous(row), _previous(nearest(has_level)[0])
    is_bridged = is_compared & (before != last_level[row])
    share = weight / np.where(n_compared, total, 1)[row]
    change = share * np.diff(np.log(points.value), prepend=0)
    logs = np.cumsum(np.bincount(row, change, len(rows)), dtype="float64")
    _bridge(logs, rows, *(values[is_bridged] for values in (row, before, share)))
    logs[~has_level] = np.nan
    level = _BASE * np.exp(logs - known_at(logs, _base_row(rows, has_level, base)))
    share_of_group = total / np.bincount(members.group, members.weight)[rows.group]
    return GroupIndex(level, n_compared, share_of_group, np.bincount(row[is_bridged], minlength=len(rows)))


def _has_level(rows: Rows, row: Whole, n_compared: Whole) -> Flags:
    """Return True for each row with a suburb to compare, and for the first row of a group that has a value."""
    has_value = np.flatnonzero(np.bincount(row, minlength=len(rows)))
    found: Flags = n_compared > 0
    found[has_value[starts_of(rows.group[has_value])]] = True
    return found


def _previous(values: Whole) -> Whole:
    """Return for each value the one before it; -1 for the first."""
    return np.append(-1, values)[: len(values)]


def _bridge(logs: Values, rows: Rows, row: Whole, before: Whole, share: Values) -> None:
    """Correct the index, in place, for suburbs that were missing.

    The change of a suburb since its last value includes what the index moved meanwhile. That part is taken, by the
    suburb's share in the mean, from the row in which it comes back and from all later rows of its group.

    ``logs`` is the logarithm of the index in each row. ``row`` and ``before`` are the rows of a suburb's value and of
    its last earlier one.
    """
    order, end = np.argsort(row, kind="stable"), np.searchsorted(rows.group, rows.group, side="right")
    row, before, share = row[order], before[order], share[order]
    edges = [*np.flatnonzero(starts_of(row)).tolist(), len(row)]
    for at in map(slice, edges, edges[1:]):
        first = row[at.start]
        logs[first : end[first]] -= share[at] @ (logs[first - 1] - logs[before[at]])


def _base_row(rows: Rows, has_level: Flags, base: int | None) -> Whole:
    """Return the row of the base for each row; -1 where the group has no level there."""
    candidates = np.flatnonzero(has_level if base is None else has_level & (rows.period == base))[::-1]
    base_row = np.full(rows.group.max(initial=-1) + 1, -1)
    base_row[rows.group[candidates]] = candidates  # the first of a group is written last
    return base_row[rows.group]
