"""Divides values into classes with round limits, and gives each a name and a colour.

If there are values of both signs, zero is a limit. Values below zero have colours of their own, so that growth and
premiums show their sign on every map. Drawing the classes is left to draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from suburb_pandas.plotting.composition.colours import ABOVE, BELOW, level_colours, scale_colours
from suburb_pandas.plotting.composition.text import decimals_of, format_number
from suburb_pandas.timeseries.dates import Values

_MOST: Final = 6  # limits
_STEPS: Final = (1, 2, 2.5, 5, 10, 20)
_TAILS: Final = (2, 98)  # percentiles; a few values beyond them share the outer classes


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of a map, from the lowest. ``limits`` are the lower limits of all but the first."""

    limits: Values
    names: Sequence[str]
    below_zero: int

    def number_of(self, values: Values) -> npt.NDArray[np.intp]:
        """Return the number of the class of each value; a limit belongs to the class above it."""
        return np.searchsorted(self.limits, values, side="right")

    def colours(self, page: str) -> list[str]:
        """Return the colour of each class on a page."""
        above = len(self.names) - self.below_zero
        longer = max(above, self.below_zero)
        below = scale_colours(longer, page, BELOW)[: self.below_zero]
        return [*reversed(below), *scale_colours(longer, page, ABOVE if self.below_zero else level_colours())[:above]]


def classes_of(values: Values) -> Classes:
    """Return classes for one or more values, none of them missing."""
    limits = _limits(values)
    limits = limits[(limits > values.min()) & (limits <= values.max())]
    texts = _texts(limits)
    if len(set(texts)) < max(len(limits), 1):  # one class, also for values that differ only far behind the point
        ends = dict.fromkeys(_texts(np.array([values.min(), values.max()])))
        return Classes(limits[:0], [" to ".join(ends)], int(values.max() < 0))
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return Classes(limits, [f"under {texts[0]}", *between, f"{texts[-1]} or more"], _below_zero(limits, values))


def _limits(values: Values) -> Values:
    """Return round limits for the bulk of some values."""
    low, high = np.percentile(values, _TAILS[0], method="lower"), np.percentile(values, _TAILS[1], method="higher")
    if low == high:
        low, high = values.min(), values.max()
    if low == high:
        return np.array([])
    step = _step(low, high, whole=bool((values == np.round(values)).all()))
    first, last = np.floor(low / step) + 1, np.floor(high / step)
    if values.min() < 0 <= values.max():  # zero is a limit, however few values lie below it or above
        first, last = min(first, 0), max(last, 0)
    exact = 2 - int(np.floor(np.log10(step)))  # decimals: 3 times 0.1 is not 0.3
    return np.round(step * np.arange(first, last + 1), exact)


def _step(low: float, high: float, *, whole: bool) -> float:
    """Return the smallest round step that has no more than the most multiples between two values."""
    power = 10.0 ** max(np.floor(np.log10((high - low) / (_MOST + 1))), 0 if whole else -np.inf)
    steps = [power * step for step in _STEPS if not whole or power * step == round(power * step)]
    return float(next(step for step in steps if np.floor(high / step) - np.floor(low / step) <= _MOST))


def _below_zero(limits: Values, values: Values) -> int:
    """Return how many classes hold values below zero only."""
    if values.max() < 0:
        return len(limits) + 1
    return int((limits <= 0).sum()) if values.min() < 0 else 0


def _texts(values: Values) -> list[str]:
    """Return values as text, all with the same decimals."""
    decimals = decimals_of(values)
    return [format_number(value, decimals) for value in values]
