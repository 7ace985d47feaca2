"""Computes matched-model Jevons indices: how a group of series moved, like for like.

Each step is the weighted geometric mean of the ratios of the series that have a value at both ends of the step. The
steps are chained. Which suburbs form a group, and their weights, is left to loaders.rent_index.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from suburb_pandas.timeseries.dates import Flags, Values, Whole
from suburb_pandas.timeseries.points import Points, known_at

_BASE: Final = 100.0
_KEYS_PER_GROUP: Final = 2**32  # more than there are periods, so that keys sort by group, then by period


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of an index: each period of each group, by the numbers of group and period, in this order."""

    group: Whole
    period: Whole
    keys: Whole = field(repr=False)

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


@dataclass(frozen=True, slots=True)
class Members:
    """The group and the weight of each suburb, by its number."""

    group: Whole
    weight: Values


@dataclass(frozen=True, slots=True)
class GroupIndex:
    """The index of one property type, for each row.

    ``level`` is NaN where no unbroken chain of steps leads to the base. ``n_matched`` and ``share`` are the number of
    suburbs that the step to this row compares, and their share of the weight of all suburbs of the group.
    """

    level: Values
    n_matched: Whole
    share: Values


def jevons(points: Points, period: Whole, rows: Rows, members: Members, base: int | None) -> GroupIndex:
    """Return the index of each group: 100 in the period `base`, or in the first period with a value above zero.

    `period` is the number of each point's period.
    """
    group, weight = members.group[points.suburb], members.weight[points.suburb]
    row, is_usable = rows.row(group, period), np.isfinite(points.value) & (points.value > 0)
    step = 1 + np.flatnonzero((np.diff(points.suburb) == 0) & (np.diff(period) == 1) & is_usable[1:] & is_usable[:-1])
    logs = np.log(points.value[step]) - np.log(points.value[step - 1])
    n_matched = np.bincount(row[step], minlength=len(rows))
    total = np.bincount(row[step], weight[step], len(rows))
    change = np.bincount(row[step], weight[step] * logs, len(rows)) / np.where(n_matched, total, 1)
    has_value = np.bincount(row[is_usable], minlength=len(rows)) > 0
    share = total / np.bincount(members.group, members.weight)[rows.group]
    return GroupIndex(_chain(change, n_matched > 0, _base_of(rows, has_value, base)), n_matched, share)


def _base_of(rows: Rows, has_value: Flags, base: int | None) -> Whole:
    """Return the row of the base for each row; -1 where the group has no value there."""
    candidates = np.flatnonzero(has_value if base is None else has_value & (rows.period == base))
    groups, first = np.unique(rows.group[candidates], return_index=True)
    base_row = np.full(rows.group.max(initial=-1) + 1, -1)
    base_row[groups] = candidates[first]
    return base_row[rows.group]


def _chain(change: Values, is_matched: Flags, base_row: Whole) -> Values:
    """Return the level in each row from the changes of its logarithm; NaN where the chain to the base is broken."""
    logs, chain = np.cumsum(change), np.cumsum(~is_matched).astype("float64")
    is_linked = chain == known_at(chain, base_row)
    return np.where(is_linked, _BASE * np.exp(logs - known_at(logs, base_row)), np.nan)
