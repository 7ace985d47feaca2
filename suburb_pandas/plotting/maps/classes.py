"""Divides values into classes with round limits, and gives each a name and a colour.

Values of two signs, premiums and growth have classes on both sides of zero, with a colour for each side. Drawing them
is left to draw.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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
_AROUND_ZERO: Final = ("growth", "premium")


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


def classes_of(values: Values, column: Hashable) -> Classes:
    """Return classes for values, of which none is missing and at least one is there."""
    limits = _limits(values, is_around_zero(values, column))
    limits = limits[(limits > values.min()) & (limits <= values.max())]
    if not len(limits):
        names = [format_number(values[0], decimals_of(values[:1]))] if np.ptp(values) == 0 else [_span(values)]
        return Classes(limits, names, int(values.max() < 0))
    decimals = decimals_of(limits)
    texts = [format_number(limit, decimals) for limit in limits]
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return Classes(limits, [f"under {texts[0]}", *between, f"{texts[-1]} or more"], _below_zero(limits, values))


def is_around_zero(values: Values, column: Hashable) -> bool:
    """Return True if a scale has to show the side of zero: of two signs, or of premiums or growth."""
    return bool((values < 0).any() and (values > 0).any()) or any(word in str(column) for word in _AROUND_ZERO)


def _limits(values: Values, around_zero: bool) -> Values:  # noqa: FBT001 - one question, answered once
    """Return round limits for the bulk of some values."""
    low, high = np.percentile(values, _TAILS)
    if low == high:
        low, high = values.min(), values.max()
    if low == high:
        return np.array([])
    step = _step(low, high, whole=bool((values == np.round(values)).all()))
    first, last = np.floor(low / step) + 1, np.ceil(high / step) - 1
    if around_zero and values.min() < 0 <= values.max():  # zero is a limit, however few values lie below it or above
        first, last = min(first, 0), max(last, 0)
    return step * np.arange(first, last + 1)


def _step(low: float, high: float, *, whole: bool) -> float:
    """Return the smallest round step that has no more than the most multiples between two values."""
    power = 10.0 ** np.floor(np.log10((high - low) / (_MOST + 1)))
    steps = [power * step for step in _STEPS if not whole or power * step == round(power * step)]
    return float(next(step for step in steps if np.ceil(high / step) - 1 - np.floor(low / step) <= _MOST))


def _below_zero(limits: Values, values: Values) -> int:
    """Return how many classes hold values below zero only."""
    if values.max() < 0:
        return len(limits) + 1
    return int((limits <= 0).sum()) if values.min() < 0 else 0


def _span(values: Values) -> str:
    low, high = values.min(), values.max()
    decimals = decimals_of([low, high], 2)
    return f"{format_number(low, decimals)} to {format_number(high, decimals)}"
