"""Divides values into classes with round limits, and gives each a name and a colour.

If there are values of both signs, zero is a limit. Values below zero have colours of their own, so that growth and
premiums show their sign on every map. Drawing the classes is left to maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
from matplotlib.ticker import MaxNLocator

from suburb_pandas.plotting.look import (
    ABOVE,
    BELOW,
    ROUND_STEPS,
    decimals_of,
    format_number,
    level_colours,
    scale_colours,
)
from suburb_pandas.timeseries.dates import Values

_MOST: Final = 6  # steps between the ends of the bulk
_BULK: Final = (2, 98)  # percentiles; a few values beyond them share the outer classes
_DECIMALS: Final = 9  # of limits: 3 times 0.1 is not 0.3


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


def classes_of(values: Values, given: Sequence[float] | None = None) -> Classes:
    """Return classes for values, none of them missing; with the limits of the user if there are any."""
    if given is None and not values.size:
        return Classes(values, [], 0)
    limits = _round_limits(values) if given is None else _checked(given)
    is_below = given is None and bool(values.max() < 0)
    texts = _texts(limits)
    if given is None and len({*texts}) < max(len(limits), 1):  # values that differ only far behind the point
        ends = dict.fromkeys(_texts(np.array([values.min(), values.max()])))
        return Classes(limits[:0], [" to ".join(ends)], int(is_below))
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    names = [f"under {texts[0]}", *between, f"{texts[-1]} or more"]
    return Classes(limits, names, int((limits <= 0).sum()) + is_below)


def _checked(given: Sequence[float]) -> Values:
    """Return the limits of the user, or raise if they are not rising numbers."""
    try:
        limits = np.asarray(given, "float64")
    except (TypeError, ValueError):
        limits = np.array([])
    if limits.ndim != 1 or not limits.size or not np.isfinite(limits).all() or (np.diff(limits) <= 0).any():
        raise ValueError(f"classes must be rising numbers, the limits between classes, not {given!r}: [400, 500, 600]")
    return limits


def _round_limits(values: Values) -> Values:
    """Return round limits for the bulk of some values."""
    least, most = values.min(), values.max()
    low, high = np.percentile(values, _BULK[0], method="lower"), np.percentile(values, _BULK[1], method="higher")
    locator = MaxNLocator(_MOST, steps=list(ROUND_STEPS), integer=bool((values == np.round(values)).all()))
    limits = np.asarray(locator.tick_values(*((low, high) if low < high else (least, most))), "float64").round(
        _DECIMALS
    )
    limits = np.union1d(limits, [0] if least < 0 else [])  # between the signs, however few values lie beyond
    return limits[(limits > least) & (limits <= most)]


def _texts(values: Values) -> list[str]:
    """Return values as text, all with the same decimals."""
    decimals = decimals_of(values)
    return [format_number(value, decimals) for value in values]
