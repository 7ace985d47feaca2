"""Draws a column of a scorecard as a ranked dot plot: a row for each suburb, with its value and its flags in words.

The text beside the dots is left to rows, reading values to values, the words around them to figure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from suburb_pandas.plotting import look, words
from suburb_pandas.plotting.figure import Target, Words, finish
from suburb_pandas.plotting.rows import FLAGS, extremes, make_rows
from suburb_pandas.plotting.values import dates_note, meanings, read, read_highlight

MOST_SUBURBS: Final = 200
"""The most suburbs of a ranked chart."""

_GUIDE: Final = 0.3  # the share of the colour of text in that of guides
_AXIS_INCHES: Final = 0.3
_WIDE: Final = 6.0  # inches, the width that labels of ticks need; each value is written beside its dot


def draw(card: pd.DataFrame, target: Target, *, by: str, highlight: str | Iterable[str] | None = None) -> Axes:
    """Draw a column of a scorecard and return the Axes.

    ``highlight`` is one or several suburbs that are drawn in colour, and all others in grey; without any, all have it.
    """
    given = read(card, by)
    table, _, column, frame = given
    if len(table) > MOST_SUBURBS:
        raise ValueError(
            f"This scorecard has {len(table)} suburbs, but a chart shows up to {MOST_SUBURBS}. Draw the largest "
            f"values: sp.plot_scorecard(card.nlargest(30, {by!r}), by={by!r})"
        )
    chosen = read_highlight(highlight, table.index, MOST_SUBURBS)
    ranked = table.dropna(subset="value").sort_values("value", ascending=False, kind="stable")
    values, names, flags = ranked["value"], ranked.index, ranked["words"]
    unit, decimals = column.unit or "value", column.decimals(values.to_numpy())
    figures = [look.format_number(value, decimals) for value in values]
    texts = pd.DataFrame({unit[:1].upper() + unit[1:]: figures, FLAGS: flags}, names)
    (ax,), inches = make_rows(target, [""], [texts if any(flags) else texts.iloc[:, :1]])
    if target.width < _WIDE or ranked.empty:
        ax.set_xticks([])
    is_bright, page = names.isin(chosen) | (not chosen), look.page_colour(ax)
    above, below, *_ = look.series_colours(page)
    edges = np.select([~is_bright, values < 0], [look.muted(page, look.NOT_HIGHLIGHTED), below], above)
    ax.yaxis.grid(visible=True, color=look.muted(page, _GUIDE), linestyle="-", linewidth=0.9)
    faces = np.where(flags == "", edges, page)
    ax.scatter(values, range(len(ranked)), 46, color=faces, edgecolor=edges, linewidth=1.6, zorder=3, clip_on=False)
    for name in np.array(ax.get_yticklabels())[is_bright & ~is_bright.all()]:
        name.set_fontweight("bold")
    around = Words(
        words.title_of(column.title, [*names] or [*table.index]),
        column.measure if len(ranked) else "No values",
        notes=[
            "Hollow: the suburb has a flag, which is in the last column." if any(flags) else "",
            *meanings(flags),
            words.without_data_note([*table.index.difference(names, sort=False)]),
            dates_note(frame, by),
            words.own_values_note(frame, by),
        ],
        source=words.source_note(frame),
        alt=extremes(figures, names),
        is_made_up=given.is_made_up,
    )
    return finish(target, [ax], around, inches + _AXIS_INCHES)
