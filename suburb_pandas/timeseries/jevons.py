"""Computes Jevons indices: how a group of series moved, each series compared with its own last earlier value.

While a series had no value, it is taken to have moved with the index. Which suburbs form a group, and their weights, is
left to loaders.rent_index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from suburb_pandas.frames.dates import Values, Whole
from suburb_pandas.frames.points import Points, starts_of

_BASE: Final = 100.0
_KEYS_PER_GROUP: Final = 2**32  # more than there are periods, so that keys sort by group, then by period


@dataclass(frozen=True, slots=True)
class IndexGrid:
    """The rows of an index: each period of each group, by the numbers of group and period, in this order."""

    group: Whole
    period: Whole
    keys: Whole

    @classmethod
    def of(cls, group: Whole, period: Whole) -> IndexGrid:
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


def jevons(points: Points, period: Whole, grid: IndexGrid, members: Members, base: int | None) -> GroupIndex:
    """Return the index of each group: 100 in the period `base`, or in the first period with a value.

    `period` is the number of each point's period.
    """
    group, is_compared = members.group[points.suburb], ~points.is_first
    row = grid.row(group, period)
    weight = np.where(is_compared, members.weight[points.suburb], 0)
    n_compared, total = np.bincount(row[is_compared], minlength=len(grid)), np.bincount(row, weight, len(grid))
    has_level = n_compared > 0
    has_level[pd.Series(row).groupby(group).min().to_numpy()] = True
    number = np.arange(len(grid))
    last_level = pd.Series(np.where(has_level, number, -1)).shift(fill_value=-1).cummax().to_numpy()
    last_row = np.roll(row, 1)
    is_bridged = is_compared & (last_row != last_level[row])
    share = weight / np.where(n_compared, total, 1)[row]
    logs = np.cumsum(np.bincount(row, share * np.diff(np.log(points.value), prepend=0), len(grid)), dtype="float64")
    _bridge(logs, grid.group, *(values[is_bridged] for values in (row, last_row, share)))
    logs[~has_level] = np.nan
    at_base = pd.Series(logs if base is None else np.where(grid.period == base, logs, np.nan))
    level = _BASE * np.exp(logs - at_base.groupby(grid.group).transform("first").to_numpy())
    share_of_group = total / np.bincount(members.group, members.weight)[grid.group]
    return GroupIndex(level, n_compared, share_of_group, np.bincount(row[is_bridged], minlength=len(grid)))


def _bridge(logs: Values, groups: Whole, row: Whole, last_row: Whole, share: Values) -> None:
    """Correct the index, in place, for suburbs that were missing.

    The change of a suburb since its last value includes what the index moved meanwhile. That part is taken, by the
    suburb's share in the mean, from the row in which it comes back and from all later rows of its group.

    ``logs`` is the logarithm of the index in each row. ``row`` and ``last_row`` are the rows of a suburb's value and of
    its last earlier one.
    """
    order, end = np.argsort(row, kind="stable"), np.searchsorted(groups, groups, side="right")
    row, last_row, share = row[order], last_row[order], share[order]
    edges = [*np.flatnonzero(starts_of(row)).tolist(), len(row)]
    for at in map(slice, edges, edges[1:]):
        first = row[at.start]
        logs[first : end[first]] -= share[at] @ (logs[first - 1] - logs[last_row[at]])
