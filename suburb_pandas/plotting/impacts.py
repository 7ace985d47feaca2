"""Draws amenity price impacts as bars in AUD, one for each driver, with columns of figures beside them.

The columns are left to columns, words around the bars to notes and chart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.axes import Axes

from suburb_pandas.frames.schema import is_made_up
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.messages import counted
from suburb_pandas.plotting.composition import ticks
from suburb_pandas.plotting.composition.chart import Chart, axes_for
from suburb_pandas.plotting.composition.colours import faded, muted, page_colour, series_colours
from suburb_pandas.plotting.composition.columns import Columns, RowNames
from suburb_pandas.plotting.composition.content import Panel, Words
from suburb_pandas.plotting.composition.place import Target
from suburb_pandas.plotting.composition.style import tidy
from suburb_pandas.plotting.composition.text import decimals_of, format_number
from suburb_pandas.plotting.drivers import CAVEAT, COLUMNS, THIN, is_thin, n_sales_of, read_drivers
from suburb_pandas.plotting.notes import check_number, missing_suburbs_note, rows_of, source_note, suburbs_in, title_of
from suburb_pandas.service.impacts import LIMITS, flag_of
from suburb_pandas.timeseries.points import numbers

_HEADINGS: Final = ("Premium, AUD", "% of median", "% of sales")
_COUNTS: Final = ("n_absent", "n_present")
_COUNTS_HEADING: Final = "Without / with"

_SUBTITLE: Final = "Premium where the amenity is absent, AUD"
_CAVEATS: Final = (
    CAVEAT,
    "An amenity that is not listed does not have a premium of zero: its premium is not known.",
)
_COVERAGE: Final = "% of sales: the share of recent sales without the amenity."
_COUNTS_NOTE: Final = "Without / with: about how many sales are without the amenity and with it."
_PALE: Final = f"Pale bar: thin evidence, because {THIN}."
_LEAST_WIDTH: Final = 0.2
_MOST_HEIGHT: Final = 3.6  # of a bar with the space around it, as a multiple of the type size of labels
_WORDS_INCHES, _PANEL_INCHES, _BAR_INCHES = 1.6, 0.45, 0.31
_USUAL_TYPE: Final = 10.0


def draw(drivers: pd.DataFrame, target: Target, *, footnote: bool = True) -> Axes:
    """Draw a frame of drivers and return the Axes of the first panel.

    Raises
    ------
    TypeError, ValueError
        ``drivers`` is not a frame of drivers, its figures are not numbers, or it has too many suburbs.
    """
    ranked, names = read_drivers(drivers), suburbs_in(drivers)
    check_number(names)
    by_suburb = {name: rows_of(ranked, name) for name in names}
    bars = sum(_share(rows) for rows in by_suburb.values())
    inches = _WORDS_INCHES + _PANEL_INCHES * len(names) + _BAR_INCHES * bars
    axes = axes_for(target, len(names), inches * rcParams["font.size"] / _USUAL_TYPE)
    drawn = [_draw_panel(ax, rows, ranked) for ax, rows in zip(axes, by_suburb.values(), strict=True)]
    sales = [_sales_note(drivers, name) for name in names]
    if len(names) > 1:
        above = zip(drawn, names, sales, strict=True)
        drawn = [replace(panel, heading=str(name), remark=remark) for panel, name, remark in above]
    words = Words(
        title_of(endpoint_of(drivers).title, names),
        _SUBTITLE if len(names) > 1 else f"{_SUBTITLE}. {sales[0]}",
        notes=[*_notes(ranked, sales), missing_suburbs_note(drivers, names)],
        source=source_note(drivers),
        is_made_up=is_made_up(drivers),
        has_foot=footnote,
    )
    Chart(drawn, words)
    return axes[0]


def _notes(drivers: pd.DataFrame, sales: Sequence[str]) -> Iterator[str]:
    """Yield sentences that explain the figures and bars of this chart; ``sales`` are the notes on numbers of sales."""
    yield from _CAVEATS
    if len(drivers):
        yield _COVERAGE
        if _has_counts(drivers):
            yield _COUNTS_NOTE
    if any(map(is_thin, drivers.to_dict("records"))):
        yield _PALE
    for flag, most in LIMITS.items():
        if any(f"({flag})" in note for note in sales):
            yield f"{flag.capitalize()}: up to {most} sales."
    if drivers[list(COLUMNS[1:])].isna().any(axis=None):
        yield "Question mark: not known."


def _share(drivers: pd.DataFrame) -> int:
    """Return the share of a suburb in the height of all panels: its number of drivers, at least two."""
    return max(len(drivers), 2)


def _draw_panel(ax: Axes, drivers: pd.DataFrame, of_all: pd.DataFrame) -> Panel:
    """Draw the bars of one suburb and the columns beside them, with the same column widths for all suburbs."""
    _draw_bars(ax, drivers)
    panel = Panel(ax, share=_share(drivers), least_width=_LEAST_WIDTH, most_height=_MOST_HEIGHT)
    if drivers.empty:
        return replace(panel, message="No drivers are listed")
    decimals = [decimals_of(of_all[column].to_numpy("float64"), 1) for column in COLUMNS[1:]]
    names = RowNames(ax, [*drivers["label"].astype(str)], [*of_all["label"].astype(str)])
    headings = (*_HEADINGS, *([_COUNTS_HEADING] if _has_counts(drivers) else []))
    figures = Columns(ax, headings, _cells(drivers, decimals), _cells(of_all, decimals))
    return replace(panel, beside=[names, figures])


def _draw_bars(ax: Axes, drivers: pd.DataFrame) -> None:
    """Draw the bars of one suburb, the largest on top."""
    tidy(ax, grid=None)
    ax.set_facecolor("none")  # a colour behind the bars alone would cut them off from their columns
    page = page_colour(ax)
    colours = series_colours(page)
    for place, driver in enumerate(drivers.to_dict("records")):
        premium = driver["premium_dollars"] if np.isfinite(driver["premium_dollars"]) else 0.0
        colour = colours[0 if premium >= 0 else 1 % len(colours)]
        ax.barh(place, premium, height=0.62, color=faded(colour, page) if is_thin(driver) else colour)
    if len(drivers):
        ax.axvline(0, color=muted(page), linewidth=0.8, gid="zero")
    ax.set_ylim(max(len(drivers), 1) - 0.5, -0.5)
    ticks.hide(ax)


def _cells(drivers: pd.DataFrame, decimals: Sequence[int]) -> list[tuple[str, ...]]:
    """Return the figures beside each bar as text: premium, per cent of the median, coverage and numbers of sales."""
    figures = drivers[list(COLUMNS[1:])].to_numpy("float64")
    cells = [tuple(map(format_number, row, decimals)) for row in figures]
    if not _has_counts(drivers):
        return cells
    counts = np.stack([numbers(drivers, column, f"drivers[{column!r}]") for column in _COUNTS], axis=1)
    return [
        (*cell, " / ".join(format_number(count, 0) for count in row)) for cell, row in zip(cells, counts, strict=True)
    ]


def _has_counts(drivers: pd.DataFrame) -> bool:
    """Return True if a frame has the numbers of sales without and with the amenity of each driver."""
    return all(column in drivers.columns for column in _COUNTS)


def _sales_note(drivers: pd.DataFrame, name: str | None) -> str:
    """Return a sentence on the number of sales behind the figures of a suburb."""
    number = n_sales_of(drivers, name)
    if number is None:
        return "Number of recent sales not known."
    flag = flag_of(number)
    return f"{counted(number, 'recent sale')}{'' if flag == 'ok' else f' ({flag})'}."
