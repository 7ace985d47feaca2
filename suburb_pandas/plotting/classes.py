"""Divides values into classes with round limits, and gives each a name, a colour and hatching.

If there are values of both signs, zero is a limit. Values below zero have colours and hatching of their own, so that
growth and premiums show their sign on every map. Drawing the classes is left to maps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from matplotlib.ticker import MaxNLocator

from suburb_pandas.frames.dates import Values, Whole
from suburb_pandas.plotting.look import (
    ABOVE,
    BELOW,
    GRID,
    ROUND_STEPS,
    decimals_of,
    format_number,
    ink_on,
    mixed,
    muted,
    scale_colours,
)

Styles = Sequence[Mapping[str, Any]]
"""How the areas of each class are drawn, as matplotlib's patches have it."""

_MOST: Final = 6  # steps between the ends of the bulk
_HATCHING, _NO_DATA = 0.45, 0.03  # shares of the colour of text in hatching, and in areas without data
_BULK: Final = (2, 98)  # percentiles; a few values beyond them share the outer classes


def classes_of(values: Values, limits: Values | None, page: str, decimals: int) -> tuple[Whole, Styles]:
    """Return the number of the class of each value, and how the areas of each class are drawn, from the lowest.

    The last class is that of suburbs without data. A limit belongs to the class above it. By default the limits are
    round. If there are none, all values are in one class, which is named after the first, with ``decimals``.
    """
    known = values[np.isfinite(values)]
    are_round = limits is None
    limits = _round_limits(known) if limits is None else limits
    names = [format_number(value, decimals) for value in known[:1]]
    if limits.size:
        texts = [format_number(limit, decimals_of(limits)) for limit in limits]
        between = [f"{low} to {high}" for low, high in pairwise(texts)]
        names = [f"under {texts[0]}", *between, f"{texts[-1]} or more"]
    below = int((limits <= 0).sum() + (are_round and known.max(initial=-np.inf) < 0))
    longer = max(below, len(names) - below)
    faces = [*scale_colours(longer, page, BELOW)[:below][::-1], *scale_colours(longer, page, ABOVE)]
    styles: list[dict[str, Any]] = [
        {"label": name, "facecolor": face, "edgecolor": page, "linewidth": 0.15}
        for name, face in zip(names, faces, strict=False)
    ]
    for style in styles[:below]:
        style |= {"hatch": "----", "edgecolor": mixed(ink_on(style["facecolor"]), _HATCHING, style["facecolor"])}
    face, line = muted(page, _NO_DATA), muted(page, GRID)
    styles.append({"label": "no data", "facecolor": face, "edgecolor": line, "linewidth": 0.6, "hatch": "////"})
    return np.where(np.isfinite(values), np.digitize(values, limits), len(styles) - 1), styles


def limits_of(numbers: Sequence[float]) -> Values:
    """Return the limits of the user, or raise if they are not finite numbers that rise."""
    try:
        limits = np.array([float(limit) for limit in numbers])
    except (OverflowError, TypeError, ValueError):
        limits = np.empty(0)
    if not limits.size or not np.isfinite(limits).all() or not (np.diff(limits) > 0).all():
        raise ValueError(
            f"classes must be rising numbers, the limits between classes, not {numbers!r}: [400, 500, 600]"
        )
    return limits


def _round_limits(values: Values) -> Values:
    """Return round limits for the bulk of some values, with zero between the signs."""
    if not values.size:
        return values
    low, high = np.percentile(values, _BULK, method="nearest")
    if low == high:
        low, high = values.min(), values.max()
    if values.min() < 0:
        low, high = min(low, 0), max(high, 0)
    locator = MaxNLocator(_MOST, steps=list(ROUND_STEPS), integer=bool((values == values.round()).all()))
    limits = np.asarray(locator.tick_values(low, high)).round(9)  # 3 times 0.1 is not 0.3
    return limits[(limits > values.min()) & (limits <= values.max())]
