"""Writes text beside the rows of a panel: their names to the left, and columns under headings to the right.

Drawing the rows is left to impacts and scorecard. Widths are estimated by the number of letters, and all panels of a
chart have the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import pandas as pd
from matplotlib.axes import Axes

from suburb_pandas.plotting.figure import Target, wrapped
from suburb_pandas.plotting.look import decimals_of, format_number, muted, page_colour, text_colour, tidy, type_size

HEAD: Final = -0.6
"""The lower edge of headings, in rows: just above the first row, which is row 0."""

_DATA, _NAMES, _CELL = 0.35, 0.33, 0.28  # shares of the width: of the data, at least of names, at most of a column
_LETTER, _LINE = 0.64, 1.3  # the width of a digit and the height of a line, as multiples of the type size
_INCHES: Final = 0.125  # the usual type size


class Rows:
    """The names and columns of all rows of a chart, wrapped to its width.

    ``row`` and ``head`` are the heights of a row and of the headings, and ``room`` the width for the data, in points.

    Parameters
    ----------
    target
        Where the chart is drawn.
    names
        The name of each row, of all panels.
    columns
        The text in each row of a column, by its heading. ``words`` is the heading of a column of words.
    headings
        The headings of the panels.
    data
        The least width of the data, in points. By default a share of the width.
    """

    def __init__(
        self,
        target: Target,
        names: Iterable[str],
        columns: Mapping[str, Iterable[str]],
        *,
        words: str = "",
        headings: Iterable[str] = (),
        data: float | None = None,
    ) -> None:
        whole, self._gap = 72 * target.width, 0.9 * type_size()
        self._columns: list[tuple[str, list[str], float, str]] = []
        texts = []
        self._room = whole
        for heading, cells in columns.items():
            texts = [wrapped(cell, _CELL * whole, type_size()) for cell in cells]
            width = max(across(texts), across(heading.split(), type_size("note")))
            self._columns.append((heading, texts, width, "left" if heading == words else "right"))
            self._room -= width + self._gap
        most = max(self._room - (_DATA * whole if data is None else data), _NAMES * whole)
        self._names = [wrapped(name, most, type_size()) for name in names]
        self._pad = 0.95 * across(self._names) + self._gap
        self.room = self._room - self._pad
        self.row = down([*self._names, *texts]) + self._gap / 2  # only the last column can have several lines
        self.head = down([*map(self._wrapped, headings), "\n"])

    def height(self, rows: int) -> float:
        """Return the height of a panel with so many rows, in inches with type of the usual size."""
        return _INCHES * (self.row * max(rows, 1) + self.head) / type_size()

    def write(self, ax: Axes, rows: Sequence[int], heading: str = "", *, scale: Literal["x"] | None = None) -> None:
        """Write the names and columns of some rows beside Axes, from the top on, under a heading of the panel.

        ``scale`` is the axis that has a scale, if any.
        """
        ax.set_facecolor("none")  # a colour behind the data alone would cut them off from their columns
        tidy(ax, grid=scale, values=scale)
        if scale is None:
            ax.set_xticks([])
        ax.set_ylim(max(len(rows), 1) - 0.5, HEAD - self.head / self.row)
        ax.set_yticks(range(len(rows)), [self._names[row] for row in rows], ha="left", parse_math=False)
        ax.tick_params(axis="y", pad=self._pad)
        page, note, right = page_colour(ax), type_size("note"), 0.0
        where: dict[str, Any] = {
            "xycoords": ax.get_yaxis_transform(),
            "textcoords": "offset points",
            "annotation_clip": False,
            "parse_math": False,
        }
        ink = {"color": text_colour(page), "fontsize": type_size(), **where}
        grey = {"color": muted(page), "fontsize": note, "va": "bottom", **where}
        ax.annotate(self._wrapped(heading), (0, HEAD), (-self._pad, 0), va="bottom", weight="bold", **ink)
        for title, cells, width, side in self._columns if len(rows) else ():
            left, right = right + self._gap, right + self._gap + width
            place = (left if side == "left" else right), 0
            ax.annotate(wrapped(title, width, note), (1, HEAD), place, ha=side, **grey)
            for number, row in enumerate(rows):
                # The others in a column of figures need no more room than the first: layout takes half of the time.
                is_wide = number == 0 or side == "left"
                ax.annotate(cells[row], (1, number), place, ha=side, va="center_baseline", in_layout=is_wide, **ink)

    def _wrapped(self, heading: str) -> str:
        return wrapped(heading, self._room, 1.25 * type_size())  # bold letters are wider


def across(texts: Iterable[str], size: float | None = None) -> float:
    """Return the width of the longest line of some texts, in points."""
    return _LETTER * (size or type_size()) * max((len(line) for text in texts for line in text.splitlines()), default=0)


def down(texts: Iterable[str], size: float | None = None) -> float:
    """Return the height of the highest of some texts, in points."""
    return _LINE * (size or type_size()) * max((len(text.splitlines()) for text in texts), default=1)


def extremes(values: pd.Series[float]) -> str:
    """Return a sentence on the largest and the least value, by the labels of their rows."""
    ranked = values.dropna().sort_values(ascending=False)
    written = [f"{format_number(value, decimals_of(ranked, 1))}, {label}" for label, value in ranked.items()]
    return f"Largest: {written[0]}. Least: {written[-1]}." if written else ""
