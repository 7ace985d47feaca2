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
from suburb_pandas.plotting.figure import Captions, Target, finish
from suburb_pandas.plotting.rows import FLAGS, make_rows
from suburb_pandas.plotting.values import dates_note, meanings, read_values

MOST_SUBURBS: Final = 200
"""The most suburbs of a ranked chart."""

_GUIDE: Final = 0.3  # the share of the colour of text in that of guides
_DOT: Final = 46  # the size of a dot, in square points


def draw(card: pd.DataFrame, target: Target, *, by: str, highlight: str | Iterable[str] | None = None) -> Axes:
    """Draw a column of a scorecard and return the Axes.

    ``highlight`` is one or several suburbs that are drawn in colour, and all others in grey; without any, all have it.
    """
    suburbs = read_values(card, by)
    table, column = suburbs.table, suburbs.column
    if len(table) > MOST_SUBURBS:
        raise ValueError(
            f"This scorecard has {len(table)} suburbs, but a chart shows up to {MOST_SUBURBS}. Draw the largest "
            f"values: sp.plot_scorecard(card.nlargest(30, {by!r}), by={by!r})"
        )
    highlighted = look.read_highlight(highlight, table.index, MOST_SUBURBS)
    ranked = table.dropna(subset="value").sort_values("value", ascending=False, kind="stable")
    values, names, flags = ranked["value"], ranked.index, ranked["flags"]
    unit, decimals = column.unit or "value", column.decimals(values.to_numpy())
    figures = [look.format_number(value, decimals) for value in values]
    texts = pd.DataFrame({unit[:1].upper() + unit[1:]: figures, FLAGS: flags}, names)
    shown = texts if any(flags) else texts.iloc[:, :1]
    panels, height = make_rows(target, [""], [shown], highlighted=highlighted, has_axis=True)
    ax, is_bright = panels.axes[0], names.isin(highlighted) | (not highlighted)
    page = look.page_colour(ax)
    edges = np.where(is_bright, look.signed_colours(values, page), look.muted(page, look.NOT_HIGHLIGHTED))
    ax.yaxis.grid(visible=True, color=look.muted(page, _GUIDE), linestyle="-", linewidth=0.9)
    faces = np.where(flags == "", edges, page)
    ax.scatter(values, range(len(ranked)), _DOT, color=faces, edgecolor=edges, linewidth=1.6, zorder=3, clip_on=False)
    captions = Captions(
        words.title_of(column.title, [*names] or [*table.index]),
        column.subtitle if len(ranked) else "No values",
        notes=[
            "Hollow: the suburb has a flag, which is in the last column." if any(flags) else "",
            *meanings(flags),
            words.without_data_note([*table.index.difference(names, sort=False)]),
            dates_note(suburbs.frame, by),
            words.own_values_note(suburbs.frame, by),
        ],
        source=words.source_note(suburbs.frame),
        alt=words.alt_of_ranking(pd.Series(figures, names)),
        is_made_up=suburbs.is_made_up,
    )
    return finish(target, panels, captions, height)
