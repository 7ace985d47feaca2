"""Draws a column of a scorecard as a ranked dot plot: a row for each suburb, with its value and its flags in words.

The text beside the dots is left to rows, the reasons for flags to flags, the words around them to figure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes

from suburb_pandas.messages import listed
from suburb_pandas.plotting import look, words
from suburb_pandas.plotting.figure import Target, Words, finish, make_axes
from suburb_pandas.plotting.flags import dates_note, meanings
from suburb_pandas.plotting.rows import Rows, extremes
from suburb_pandas.plotting.suburb_values import read

MOST_SUBURBS: Final = 200
"""The most suburbs of a ranked chart."""

_FLAGS: Final = "Flags"
_GREY: Final = 0.3  # the share of the colour of text in that of dots that are not highlighted
_AXIS_INCHES: Final = 0.3


def draw(card: pd.DataFrame, target: Target, *, by: str, highlight: str | Iterable[str] | None = None) -> Axes:
    """Draw a column of a scorecard and return the Axes.

    ``highlight`` is one or several suburbs that are drawn in colour, and all others in grey.
    """
    given = read(card, by)
    if len(given.table) > MOST_SUBURBS:
        raise ValueError(
            f"This scorecard has {len(given.table)} suburbs, but a chart shows up to {MOST_SUBURBS}. Draw the largest "
            f"values: sp.plot_scorecard(card.nlargest(30, {by!r}), by={by!r})"
        )
    column, names, is_known = given.column, given.table.index, given.table["value"].notna()
    marked = _marked(highlight, [*names])
    ranked = given.table[is_known].sort_values("value", ascending=False, kind="stable")
    unit, decimals = column.unit or "value", column.decimals(ranked["value"].to_numpy())
    columns = {f"{unit[:1].upper()}{unit[1:]}": [look.format_number(value, decimals) for value in ranked["value"]]}
    if any(ranked["words"]):
        columns[_FLAGS] = [*ranked["words"]]
    rows = Rows(target, ranked.index, columns, words=_FLAGS)
    (ax,) = make_axes(target)
    rows.write(ax, range(len(ranked)), scale="x")
    _draw_dots(ax, ranked, marked)
    around = Words(
        words.title_of(column.title, [*ranked.index] or [*names]),
        column.measure if len(ranked) else "No values",
        notes=[
            "Hollow: the suburb has a flag, which is in the last column." if _FLAGS in columns else "",
            *meanings(ranked["words"]),
            words.without_data_note([*names[~is_known]]),
            dates_note(given.frame[is_known.to_numpy()], by),
            words.source_note(given.frame),
        ],
        source=words.own_values_note(given.frame, by),
        alt=extremes(ranked["value"]),
        is_made_up=words.holds_made_up(given.frame),
    )
    return finish(target, [ax], around, rows.height(len(ranked)) + _AXIS_INCHES)


def _marked(highlight: str | Iterable[str] | None, names: list[str]) -> list[str]:
    """Return the suburbs to highlight: all of them by default."""
    marked = [highlight] if isinstance(highlight, str) else [*(names if highlight is None else highlight)]
    if unknown := [name for name in marked if name not in names]:
        raise ValueError(f"highlight has {listed(unknown)}, but the suburbs of this scorecard are {listed(names)}.")
    return marked


def _draw_dots(ax: Axes, ranked: pd.DataFrame, marked: list[str]) -> None:
    """Draw the dots: hollow with a flag, in another colour below zero, and grey if others are highlighted."""
    page, values, rows = look.page_colour(ax), ranked["value"].to_numpy(), range(len(ranked))
    colours, grey = look.series_colours(page), look.mixed(look.text_colour(page), _GREY, page)
    is_marked = ranked.index.isin(marked)
    edges = [colours[int(value < 0)] if bright else grey for value, bright in zip(values, is_marked, strict=True)]
    faces = [page if flag else edge for flag, edge in zip(ranked["words"], edges, strict=True)]
    guide: Any = {"color": look.muted(page), "linestyle": "-"}
    ax.hlines(rows, 0, 1, transform=ax.get_yaxis_transform(), linewidth=0.5, zorder=1, **guide)
    ax.scatter(values, rows, 46, color=faces, edgecolor=edges, linewidth=1.6, zorder=3)
    if any(values <= 0) and any(values >= 0):
        ax.vlines(0, -0.5, len(ranked) - 0.5, linewidth=0.8, **guide)
    if len({*values}) <= 1:
        ax.set_xticks([])  # a single value needs no scale, because it is written beside its dot
    for name, bright in zip(ax.get_yticklabels(), is_marked, strict=True):
        name.set_fontweight("bold" if bright and not is_marked.all() else "normal")
