"""Writes text beside the rows of panels: their names to the left, and columns under headings to the right.

Drawing the rows is left to impacts and scorecard. Widths are estimated by the number of letters, and all panels of a
chart have the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, cast

import pandas as pd
from matplotlib.axes import Axes

from suburb_pandas.plotting.figure import Target, wrapped
from suburb_pandas.plotting.look import muted, page_colour, text_colour, tidy, type_size

FLAGS: Final = "Flags"
"""The heading of a column of words. All other columns are figures, which stand on the right."""

_WORDS, _HEADING = 0.36, 0.6  # the greatest shares of the width that names or words, and the heading of a panel, take
_HEAD: Final = -0.6  # the lower edge of headings, in rows: just above the first row, which is row 0
_LETTER, _LINE = 0.64, 1.3  # the width of a digit and the height of a line, as multiples of the type size


def write_rows(target: Target, axes: Sequence[Axes], headings: Iterable[str], panels: Sequence[pd.DataFrame]) -> float:
    """Write the names and columns of the rows of panels, and return the height of all, in inches of the usual type.

    Each panel has a frame of texts, with the names in the index.
    """
    whole, gap = 72 * target.width, 0.9 * type_size()
    fit = partial(wrapped, room=_WORDS * whole, size=type_size())
    fitted = [panel.map(fit).rename(fit) for panel in panels]
    written = [wrapped(heading, _HEADING * whole, 1.25 * type_size()) for heading in headings]  # bold letters are wider
    texts = pd.concat(fitted)
    widths = {title: across([*cells, *str(title).split()]) for title, cells in texts.items()}
    pad, row = across(texts.index) + gap, down([*texts.index, *texts.to_numpy().flat]) + gap / 2
    titles = {title: wrapped(str(title), width, type_size()) for title, width in widths.items()}
    head = down([*written, *titles.values()])
    heights = [row * max(len(panel), 1) + head for panel in panels]
    if len(axes) > 1:
        cast("Any", axes[0].get_subplotspec()).get_gridspec().set_height_ratios(heights)
    for ax, heading, panel in zip(axes, written, fitted, strict=True):
        ax.set(facecolor="none", ylim=(max(len(panel), 1) - 0.5, _HEAD - head / row))  # one colour behind all text
        tidy(ax, values="x")
        ax.set_yticks(range(len(panel)), panel.index, ha="left", parse_math=False)
        ax.tick_params(axis="y", pad=pad)
        page, right = page_colour(ax), 0.0
        style: Any = {"textcoords": "offset points", "annotation_clip": False, "parse_math": False}
        style |= {"xycoords": ax.get_yaxis_transform(), "color": text_colour(page), "fontsize": type_size()}
        ax.annotate(heading, (0, _HEAD), (-pad, 0), va="bottom", weight="bold", **style)
        for title, width in widths.items():
            is_left, left, right = title == FLAGS, right + gap, right + gap + width
            place, style["ha"] = (left if is_left else right, 0), "left" if is_left else "right"
            for number, text in enumerate(panel[title]):
                # Figures need no more room than their heading: layout takes half of the time.
                ax.annotate(text, (1, number), place, va="center_baseline", in_layout=is_left, **style)
            grey = style | {"color": muted(page)}
            ax.annotate(titles[title], (1, _HEAD), place, va="bottom", **grey)
    return sum(heights) / (8 * type_size())


def across(texts: Iterable[str]) -> float:
    """Return the width of the longest line of some texts, in points."""
    return _LETTER * type_size() * max((len(line) for text in texts for line in text.splitlines()), default=0)


def down(texts: Iterable[str]) -> float:
    """Return the height of the highest of some texts, in points."""
    return _LINE * type_size() * max((len(text.splitlines()) for text in texts), default=1)


def extremes(texts: Iterable[str], names: Iterable[str]) -> str:
    """Return a sentence on the largest and the least of some figures, which are ranked texts."""
    known = [f"{text}, {name}" for text, name in zip(texts, names, strict=True) if text[0] != "?"]
    return f"Largest: {known[0]}. Least: {known[-1]}." if known else ""
