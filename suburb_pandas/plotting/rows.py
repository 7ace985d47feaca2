"""Makes panels of rows with text beside them: their names to the left, and columns under headings to the right.

Drawing the rows is left to impacts and scorecard. Widths are estimated by the number of letters, and all panels of a
chart have the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from textwrap import fill
from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes

from suburb_pandas.plotting.figure import Target, across, down, make_axes, text_style, wrapped
from suburb_pandas.plotting.look import tidy, type_size

FLAGS: Final = "Flags"
"""The heading of a column of words. All other columns are figures, which stand on the right."""

_WORDS, _HEADING = 0.36, 0.48  # the greatest shares of the width that names or words, and the heading of a panel, take
_HEAD: Final = -0.6  # the lower edge of headings, in rows: just above the first row, which is row 0
_COLUMN: Final = 7  # letters in a line of the heading of a column, unless a word is longer


def make_rows(target: Target, headings: Iterable[str], panels: Sequence[pd.DataFrame]) -> tuple[list[Axes], float]:
    """Return Axes with the names and columns of the rows of panels, and their height in inches of the usual type.

    Each panel has a heading and a frame of texts, with the names in the index.
    """
    room = 72 * target.width
    fit, fold = partial(wrapped, room=_WORDS * room), partial(fill, width=_COLUMN, break_long_words=False)
    panels = [panel.map(fit).rename(index=fit, columns=fold) for panel in panels]
    headings = [wrapped(heading, _HEADING * room) for heading in headings]
    texts: Any = pd.concat(panels)
    names, widths = across(texts.index), {title: across([title, *texts[title]]) for title in texts}
    row, head = down([*texts.index, *texts.to_numpy().flat]) + type_size() / 2, down([*headings, *texts])
    heights = [row * max(len(panel), 1) + head for panel in panels]
    axes: Any = make_axes(target, len(panels))
    if len(axes) > 1:
        axes[0].get_gridspec().set_height_ratios(heights)
    for ax, heading, panel in zip(axes, headings, panels, strict=True):
        ax.set(facecolor="none", ylim=(max(len(panel), 1) - 0.5, _HEAD - head / row))  # one colour behind all text
        tidy(ax, values="x")
        _write_panel(ax, heading, panel, names + type_size(), widths)
    return axes, sum(heights) / (8 * type_size())


def _write_panel(ax: Axes, heading: str, panel: pd.DataFrame, pad: float, widths: Mapping[Any, float]) -> None:
    """Write the heading and the names to the left of a panel, the columns of these widths to its right."""
    place = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "annotation_clip": False}
    write: Any = partial(ax.annotate, **text_style(ax) | place)
    write(heading, (0, _HEAD), (-pad, 0), va="bottom", weight="bold")
    ax.set_yticks(range(len(panel)), panel.index, ha="left", parse_math=False)
    ax.tick_params(axis="y", pad=pad)
    left = type_size()
    for title, width in widths.items():
        is_left = title == FLAGS
        offset, side = (left if is_left else left + width, 0), "left" if is_left else "right"
        write(title, (1, _HEAD), offset, ha=side, va="bottom", **text_style(ax, "note"))
        for number, text in enumerate(panel[title]):
            # Figures need no more room than their heading: layout takes half of the time.
            write(text, (1, number), offset, ha=side, va="center_baseline", in_layout=is_left)
        left += width + type_size()


def extremes(texts: Iterable[str], names: Iterable[str]) -> str:
    """Return a sentence on the largest and the least of some figures, which are ranked texts."""
    known = [f"{text}, {name}" for text, name in zip(texts, names, strict=True) if text[0] != "?"]
    return f"Largest: {known[0]}. Least: {known[-1]}." if known else ""
