"""Makes panels of rows with text beside them: their names to the left, and columns under headings to the right.

Drawing the rows is left to impacts and scorecard. Widths are estimated by the number of letters, and all panels of a
chart have the same ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from textwrap import fill
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from suburb_pandas.plotting.figure import (
    Panels,
    Target,
    make_panels,
    text_height,
    text_style,
    text_width,
    wrapped,
)
from suburb_pandas.plotting.look import MOST_STEPS, tidy, type_size

FLAGS: Final = "Flags"
"""The heading of a column of words. All other columns are figures, which stand on the right."""

_WORDS, _HEADING = 0.36, 0.48  # the greatest shares of the width that names or words, and the heading of a panel, take
_HEAD_AT: Final = -0.6  # the lower edge of headings, in rows: just above the first row, which is row 0
_COLUMN: Final = 7  # letters in a line of the heading of a column, unless a word is longer
_AXIS: Final = 2.4  # the height of the labels of an axis, as a multiple of the type size
_FEWEST: Final = 2  # steps of an axis with labels; each value is also written beside its row


def make_rows(
    target: Target,
    headings: Iterable[str],
    tables: Sequence[pd.DataFrame],
    *,
    highlighted: Collection[str] = (),
    has_axis: bool = False,
) -> tuple[Panels, float]:
    """Return panels with the names and columns of their rows, and their height in points.

    Each panel has a heading and a table of texts, with the names in the index. Names that are ``highlighted`` are bold.
    With ``has_axis``, there is an axis of values below, with as many labels as there is room for, or none. The first
    column then has the values.
    """
    fit, fold = partial(wrapped, room=_WORDS * target.width), partial(fill, width=_COLUMN, break_long_words=False)
    headings = [wrapped(heading, _HEADING * target.width) for heading in headings]
    is_bold = [table.index.isin(highlighted) for table in tables]
    tables = [table.map(fit).rename(index=fit, columns=fold) for table in tables]
    texts: Any = pd.concat(tables)
    names, widths = text_width(texts.index), {title: text_width([title, *texts[title]]) for title in texts}
    row, head = text_height([*texts.index, *texts.to_numpy().flat]) + type_size() / 2, text_height([*headings, *texts])
    heights = [row * max(len(table), 1) + head for table in tables]
    room = target.width - names - sum(widths.values()) - (2 + len(widths)) * type_size()
    # The labels of the axis are about as long as the figures beside the rows.
    steps = min(int(room / (text_width(texts.iloc[:, 0]) + type_size())), MOST_STEPS) if has_axis else 0
    has_ticks = steps >= _FEWEST and len(texts) > 0
    panels = make_panels(target, len(tables))
    axes: Any = panels.axes
    if len(axes) > 1:
        axes[0].get_gridspec().set_height_ratios(heights)
    for ax, heading, table, bold in zip(axes, headings, tables, is_bold, strict=True):
        ax.set(facecolor="none", ylim=(max(len(table), 1) - 0.5, _HEAD_AT - head / row))  # one colour behind all text
        tidy(ax, values="x" if has_ticks else None)
        _write_panel(ax, heading, table, names + type_size(), widths)
        for name in np.array(ax.get_yticklabels())[bold]:
            name.set_fontweight("bold")
    if has_ticks:
        axes[0].locator_params(axis="x", nbins=steps)
    else:
        axes[0].set_xticks([])
    return panels, sum(heights) + has_axis * _AXIS * type_size()


def _write_panel(ax: Axes, heading: str, table: pd.DataFrame, pad: float, widths: Mapping[Any, float]) -> None:
    """Write the heading and the names to the left of a panel, the columns of these widths to its right."""
    place = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "annotation_clip": False}
    write: Any = partial(ax.annotate, **text_style(ax) | place)
    write(heading, (0, _HEAD_AT), (-pad, 0), va="bottom", weight="bold")
    ax.set_yticks(range(len(table)), table.index, ha="left", parse_math=False)
    ax.tick_params(axis="y", pad=pad)
    left = type_size()
    for title, width in widths.items():
        is_left = title == FLAGS
        offset, side = (left if is_left else left + width, 0), "left" if is_left else "right"
        write(title, (1, _HEAD_AT), offset, ha=side, va="bottom", **text_style(ax, "note"))
        for number, text in enumerate(table[title]):
            # Figures need no more room than their heading: layout takes half of the time.
            write(text, (1, number), offset, ha=side, va="center_baseline", in_layout=is_left)
        left += width + type_size()
