"""Draws a column of a scorecard as a ranked dot plot: a row for each suburb, with its value and its flags in words.

The columns of text are left to composition, the reasons for flags to flags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullLocator
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from suburb_pandas.frames.schema import AREA_NAME, is_made_up
from suburb_pandas.plotting.composition import ticks
from suburb_pandas.plotting.composition.chart import Chart, axes_for
from suburb_pandas.plotting.composition.colours import muted, page_colour, series_colours
from suburb_pandas.plotting.composition.columns import Columns, RowNames
from suburb_pandas.plotting.composition.content import Panel, Words
from suburb_pandas.plotting.composition.place import Target
from suburb_pandas.plotting.composition.style import Sizes, tidy
from suburb_pandas.plotting.composition.text import NumberFormatter, format_number
from suburb_pandas.plotting.flags import dates_note, flags_by_suburb, meanings
from suburb_pandas.plotting.measures import (
    decimals_of_values,
    heading,
    measure_words,
    own_values_note,
    shown_values,
    title_words,
    unit_of_column,
    why_no_yield,
)
from suburb_pandas.plotting.notes import source_note, title_of, without_data_note
from suburb_pandas.timeseries.dates import Values

MOST_SUBURBS: Final = 200
"""The most suburbs of a ranked chart."""

_HOLLOW: Final = "Hollow: the suburb has a flag, which is in the last column."
_LEAST_WIDTH: Final = 0.2
_MOST_HEIGHT: Final = 3.4  # of a row, as a multiple of the type size of labels
_WORDS_INCHES, _ROW_INCHES = 1.7, 0.25
_USUAL_TYPE: Final = 10.0
_MARKER: Final = 1.25  # as a multiple of the usual size of a marker
_MOST_OF_A_ROW: Final = 0.8
_MOST_TICKS: Final = 6
_ROUND_STEPS: Final = (1, 2, 2.5, 5, 10)


def draw(card: pd.DataFrame, target: Target, *, by: str, footnote: bool = True) -> Axes:
    """Draw a column of a scorecard and return the Axes.

    Raises
    ------
    TypeError, ValueError
        ``card`` is not a frame of suburbs, ``by`` is not a column of numbers, or there are too many suburbs.
    """
    names, values = _read(card, by)
    shown = np.argsort(-values, kind="stable")[: np.isfinite(values).sum()]
    flags = flags_by_suburb(card, by)
    ranked, ranked_flags = values[shown], [flags[row] for row in shown]
    height = _WORDS_INCHES + _ROW_INCHES * max(len(shown), 4)
    (ax,) = axes_for(target, 1, height * rcParams["font.size"] / _USUAL_TYPE)
    unit = unit_of_column(card, by)
    panel = _draw_panel(ax, [names[row] for row in shown], ranked, ranked_flags, unit)
    without = [names[row] for row in np.flatnonzero(~np.isfinite(values))]
    words = Words(
        title_of(title_words(by, card), [names[row] for row in shown] or names),
        measure_words(by, card),
        notes=[*_notes(ranked_flags, without), dates_note(card.iloc[shown], by)],
        source=f"{source_note(card)}\n{own_values_note(card, by)}",
        is_made_up=is_made_up(card),
        has_foot=footnote,
    )
    Chart([panel], words)
    return ax


def _read(card: pd.DataFrame, by: str) -> tuple[list[str], Values]:
    """Return the suburbs of a scorecard and their values in a column, NaN for a missing value."""
    if not isinstance(card, pd.DataFrame):
        raise TypeError(f"Pass a scorecard, as sp.scorecard() returns it, not {type(card).__name__}.")
    if card.index.name != AREA_NAME and AREA_NAME not in card.columns:
        raise ValueError(
            "This is not a scorecard, as sp.scorecard() returns it: no index or column is called 'area_name'."
        )
    can_be_shown = [
        str(label) for label, dtype in card.dtypes.items() if is_numeric_dtype(dtype) and not is_bool_dtype(dtype)
    ]
    if by not in can_be_shown:
        raise _no_such_column(card, by, can_be_shown)
    names = card.index if card.index.name == AREA_NAME else card[AREA_NAME]
    if len(names) > MOST_SUBURBS:
        raise ValueError(
            f"This scorecard has {len(names)} suburbs, but a chart shows up to {MOST_SUBURBS}. Draw the largest "
            f"values: sp.plot_scorecard(card.nlargest(30, {by!r}), by={by!r})"
        )
    return [*map(str, names)], shown_values(card, by, card[by].to_numpy("float64", na_value=np.nan))


def _no_such_column(card: pd.DataFrame, by: str, can_be_shown: Sequence[str]) -> ValueError:
    """Return the error for a column that cannot be drawn. For a yield, it says how to make a scorecard with yields."""
    if by in card.columns:
        return ValueError(f"{by!r} is not a column of numbers. {_choice(can_be_shown)}")
    if reason := why_no_yield(by, can_be_shown, "sp.plot_scorecard({}, by={!r})"):
        return ValueError(reason)
    return ValueError(f"{by!r} is not a column of this scorecard. {_choice(can_be_shown)}")


def _choice(labels: Sequence[str]) -> str:
    """Return a sentence that lists all columns that can be drawn."""
    return f"Choose by= from {', '.join(map(repr, labels))}." if labels else "It has no column of numbers to draw."


def _draw_panel(ax: Axes, names: Sequence[str], values: Values, flags: Sequence[str], unit: str | None) -> Panel:
    """Draw a dot for each suburb, the largest value on top, with names, values and flags beside them."""
    tidy(ax, grid="both")
    ax.set_facecolor("none")  # a colour behind the dots alone would cut them off from their columns
    rows = max(len(values), 1)
    ax.set_ylim(rows - 0.5, -0.5)
    resize = partial(_resize, rows=rows)
    panel = Panel(ax, share=rows, least_width=_LEAST_WIDTH, most_height=_MOST_HEIGHT, resize=resize)
    if not len(values):
        ticks.hide(ax)
        return replace(panel, message="No values")
    _draw_dots(ax, values, flags)
    decimals = decimals_of_values(values, unit)
    cells = [[format_number(value, decimals)] for value in values]
    headings = [heading(unit) if unit else "Value"]
    if any(flags):
        cells, headings = [[*cell, flag] for cell, flag in zip(cells, flags, strict=True)], [*headings, "Flag"]
    columns = Columns(ax, headings, cells, cells, has_words=any(flags))
    return replace(panel, beside=[RowNames(ax, names, names), columns])


def _draw_dots(ax: Axes, values: Values, flags: Sequence[str]) -> None:
    """Draw the dots of all suburbs: hollow with a flag, and in a colour of their own below zero."""
    page = page_colour(ax)
    colours = series_colours(page)
    is_flagged, is_below = np.array([bool(flag) for flag in flags]), values < 0
    for hollow, below in product((False, True), repeat=2):
        rows = np.flatnonzero((is_flagged == hollow) & (is_below == below))
        colour = colours[below % len(colours)]
        face, gid = (page, "flagged") if hollow else (colour, "dot")
        ax.plot(values[rows], rows, "o", color=colour, markerfacecolor=face, gid=gid, zorder=3)
    low, high = values.min(), values.max()
    if low <= 0 <= high:
        ax.axvline(0, color=muted(page), linewidth=0.8, gid="zero")
    ax.margins(x=0.04)
    # A single value needs no scale, because it is written beside its dot.
    ax.xaxis.set_major_locator(MaxNLocator(nbins=_MOST_TICKS, steps=_ROUND_STEPS) if low < high else NullLocator())
    ax.xaxis.set_major_formatter(NumberFormatter())


def _resize(ax: Axes, height: float, sizes: Sizes, *, rows: int) -> None:
    """Fit the dots to the type of the chart, and to the height of a row."""
    dots = [line for line in ax.lines if line.get_gid() in {"dot", "flagged"}]
    size = min(_MARKER * sizes.marker, _MOST_OF_A_ROW * height / rows)
    for dot in dots:
        dot.set(markersize=size, markeredgewidth=max(0.22 * size, 0.5))


def _notes(flags: Sequence[str], without: Sequence[str]) -> Iterator[str]:
    """Yield sentences on the flags that this chart has, and on the suburbs that it leaves out."""
    if any(flags):
        yield _HOLLOW
        yield from meanings(flags)
    yield without_data_note(without)
