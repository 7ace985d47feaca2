"""Measures and wraps text, and formats numbers, for all charts.

Where text goes is left to arrangement, legend, end_labels and columns, type sizes to style.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, Final, cast

import numpy as np
from matplotlib import rcParams
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import Formatter

POINTS_IN_INCH: Final = 72
_MOST_DECIMALS: Final = 6


class Ruler:
    """Measures text as a figure's renderer draws it.

    Rejected: estimates from the number of letters, and the widths that a font states. At small sizes, hinting makes
    text up to 20 per cent wider than the font states.

    Parameters
    ----------
    like
        A text of the figure, with its font.
    renderer
        The renderer that is about to draw; by default the one of the figure's canvas.
    """

    def __init__(self, like: Text, renderer: RendererBase | None = None) -> None:
        figure = cast("Figure", like.figure)
        self._scratch = Text(0, 0, parse_math=False, fontproperties=like.get_fontproperties().copy())
        self._scratch.set_figure(figure)
        self._renderer = renderer
        self._point = figure.figure.dpi / POINTS_IN_INCH
        self._known: dict[tuple[str, float, str], tuple[float, float]] = {}

    def width(self, text: str, size: float, weight: Any = "normal") -> float:
        """Return the width of a text, in points: that of its widest line."""
        return self._measure(text, size, weight)[0]

    def height(self, text: str, size: float, weight: Any = "normal") -> float:
        """Return the height of the lines of a text, in points; 0 for no text."""
        return self._measure(text, size, weight)[1]

    def _measure(self, text: str, size: float, weight: Any) -> tuple[float, float]:
        """Return width and height of a text, in points."""
        key = (text, size, str(weight))
        if key not in self._known:
            self._scratch.set(text=text, fontsize=size, fontweight=weight)
            box = self._scratch.get_window_extent(self._renderer)
            self._known[key] = (box.width / self._point, box.height / self._point) if text else (0, 0)
        return self._known[key]

    def widest(self, texts: Iterable[str], size: float, weight: Any = "normal") -> float:
        """Return the width of the widest of several texts, in points; 0 for none."""
        return max((self.width(text, size, weight) for text in texts), default=0.0)

    def wrap(self, text: str, room: float, size: float, weight: Any = "normal") -> str:
        """Break a text into lines of at most ``room`` points. Words that are longer are broken too."""
        whole = " ".join(text.split())
        if self.width(whole, size, weight) <= room:
            return whole
        lines: list[str] = []
        for word in text.split():
            joined = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(joined, size, weight) <= room:
                lines[-1] = joined
            else:
                lines += self._pieces(word, room, size, weight)
        return "\n".join(lines)

    def _pieces(self, word: str, room: float, size: float, weight: Any) -> list[str]:
        """Break a word where it exceeds the room; a piece has at least one letter."""
        pieces = [""]
        for letter in word if self.width(word, size, weight) > room else (word,):
            if pieces[-1] and self.width(pieces[-1] + letter, size, weight) > room:
                pieces.append("")
            pieces[-1] += letter
        return pieces


def format_number(value: float, decimals: int = 0) -> str:
    """Return a number with thousands separators and the minus sign that matplotlib uses; a missing one as ``?``."""
    if not isfinite(value):
        return "?"
    text = f"{value:,.{decimals}f}"
    text = text.removeprefix("-") if not float(text.replace(",", "")) else text  # no "-0"
    return text.replace("-", "\N{MINUS SIGN}") if rcParams["axes.unicode_minus"] else text


def decimals_of(values: Any, most: int = _MOST_DECIMALS) -> int:
    """Return how many decimals the known ones of some numbers need, up to a limit."""
    known = np.asarray(values, dtype="float64")
    known = known[np.isfinite(known)]
    for decimals in range(most):
        if np.allclose(np.round(known, decimals), known, rtol=0, atol=10.0 ** -(most + 2)):
            return decimals
    return most


class NumberFormatter(Formatter):
    """Formats the ticks of an axis alike, with as many decimals as their steps need."""

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - matplotlib's signature
        """Return one tick label; the other ticks are not known."""
        return format_number(x, decimals_of([x]))

    def format_ticks(self, values: Any) -> list[str]:
        """Return the labels of all ticks of an axis."""
        decimals = decimals_of(values)
        return [format_number(value, decimals) for value in values]
