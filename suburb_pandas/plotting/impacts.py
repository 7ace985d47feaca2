"""Draws amenity price impacts: as bars in AUD, a panel for each suburb, or as a heatmap, a row for each suburb.

The text beside bars and cells is left to rows, the words around them to figure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, to_hex
from matplotlib.patches import Patch, Rectangle

from suburb_pandas.frames.schema import AREA_NAME, marks_of
from suburb_pandas.messages import listed
from suburb_pandas.plotting import look
from suburb_pandas.plotting.figure import Target, Words, finish, make_axes, wrapped
from suburb_pandas.plotting.flags import CAVEAT, meanings
from suburb_pandas.plotting.look import format_number, page_colour, text_colour, type_size
from suburb_pandas.plotting.rows import HEAD, Rows, across, down, extremes
from suburb_pandas.plotting.words import holds_made_up, missing_suburbs_note, source_note, suburbs_in, title_of
from suburb_pandas.service.impacts import LIMITS, flag_of
from suburb_pandas.timeseries.points import numbers

MOST_SUBURBS: Final = 60
"""The most suburbs of a chart of drivers."""

_PREMIUM, _SHARE, _COVERAGE = _REQUIRED = "premium_dollars", "pct_of_median", "coverage_pct"
_COLUMNS: Final = {
    "Premium, AUD": _PREMIUM,
    "% of median": _SHARE,
    "% of sales": _COVERAGE,
    "Without": "n_absent",
    "With": "n_present",
}
"""The columns beside bars, by their headings."""

_THIN: Final = f"thin evidence: at most {LIMITS['thin']} sales are without the amenity."
_HATCHES: Final = {"not listed": "////", "not known": "\\\\\\\\"}
_HATCH_SHARE: Final = 0.3  # of the colour of text in that of the hatch
_WIDE: Final = 6.0  # inches, the width that more than two columns beside bars need
_HEADING: Final = 40  # points, the least width of a column whose heading is not turned


def draw_bars(drivers: pd.DataFrame, target: Target) -> Axes:
    """Draw the drivers of each suburb as bars, the largest premium on top, and return the Axes of the first panel."""
    ranked, names = _read(drivers)
    known = [heading for heading, label in _COLUMNS.items() if label in ranked][: None if target.width > _WIDE else 2]
    columns = {heading: _written(ranked[_COLUMNS[heading]]) for heading in known}
    sales = [_n_sales(drivers, ranked, name) for name in names]
    headings = [_heading(name if len(names) > 1 else "", number) for name, number in zip(names, sales, strict=True)]
    rows = Rows(target, ranked["label"], columns, headings=headings)
    panels = [ranked[ranked["suburb"] == name] for name in names]
    axes, heights = make_axes(target, len(names)), [rows.height(len(panel)) for panel in panels]
    if len(axes) > 1:
        cast("Any", axes[0].get_subplotspec()).get_gridspec().set_height_ratios(heights)
    for ax, panel, heading in zip(axes, panels, headings, strict=True):
        rows.write(ax, [*panel.index], heading)
        _draw_panel(ax, panel)
    notes = [
        "An amenity that is not listed does not have a premium of zero: its premium is not known.",
        "% of sales: the share of recent sales without the amenity." if "% of sales" in columns else "",
        "Without, with: about how many sales are without the amenity and with it." if "With" in columns else "",
        f"Outlined bar: {_THIN}" if any(ranked["is_thin"]) else "",
        *meanings(str(flag_of(number)) for number in sales),
    ]
    return finish(target, axes, _words(drivers, ranked, _PREMIUM, "AUD", notes), sum(heights))


def draw_heatmap(drivers: pd.DataFrame, target: Target) -> Axes:
    """Draw the drivers of each suburb as a row of cells, in the order of the frame, and return their Axes.

    Drivers that most suburbs list are first, then those with the largest mean.
    """
    ranked, names = _read(drivers)
    if ranked.empty:
        return draw_bars(drivers, target)
    cells = ranked.drop_duplicates(["suburb", "label"])  # of two drivers with one label, the larger premium
    order = cells.groupby("label")[_SHARE].agg(["size", "mean"]).sort_values(["size", "mean"], ascending=False)
    labels = [*order.index]
    texts = [format_number(share, 1) + "*" * thin for share, thin in zip(cells[_SHARE], cells["is_thin"], strict=True)]
    places = cells["label"].map(labels.index), cells["suburb"].map(names.index)
    sales = [_n_sales(drivers, ranked, name) for name in names]
    longest, note = across(texts) + 4, type_size("note")
    rows = Rows(target, names, {"Recent sales": [*map(format_number, sales)]}, data=longest * len(labels))
    width = rows.room / len(labels)
    turn = 0 if width > _HEADING else 90
    headings = labels if turn else [wrapped(label, 0.9 * width, note) for label in labels]
    rows.head = max(rows.head, across(headings, note) if turn else down(headings, note))
    rows.row = max(rows.row, longest * (width < longest))
    (ax,) = make_axes(target)
    rows.write(ax, range(len(names)))
    ax.set_xlim(-0.5, len(labels) - 0.5)
    grey: Any = {"color": look.muted(page_colour(ax)), "fontsize": note, "parse_math": False}
    for column, heading in enumerate(headings):
        ax.text(column, HEAD, heading, ha="center", va="bottom", rotation=turn, **grey)
    is_sparse = len(cells) < len(names) * len(labels)
    unlisted = _hatched(ax, "not listed", (-0.5, -0.5), len(labels), len(names))
    legend = _draw_cells(ax, places, cells[_SHARE], texts, 90 * (width < longest))
    notes = [
        "Drivers are ordered by the number of suburbs that list them, then by mean premium.",
        "Hatched: the driver is not listed for the suburb, which does not mean zero." if is_sparse else "",
        f"* {_THIN}" if any(cells["is_thin"]) else "",
    ]
    words = _words(drivers, ranked, _SHARE, "per cent of the median price", notes)
    return finish(target, [ax], words, rows.height(len(names)), legend=legend + [unlisted] * is_sparse)


def _read(drivers: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the drivers with figures as float64, the largest premium first, and the suburbs in the order of the frame.

    ``suburb`` is the suburb as text, and ``is_thin`` is True for thin evidence.
    """
    if not isinstance(drivers, pd.DataFrame):
        raise TypeError(f"Pass a frame of drivers, as sp.impacts() returns it, not {type(drivers).__name__}.")
    if missing := [label for label in ("label", *_REQUIRED) if label not in drivers]:
        raise ValueError(f"This is not a frame of drivers, as sp.impacts() returns it: it has no {listed(missing)}.")
    names = [name or "" for name in suburbs_in(drivers)]
    if len(names) > MOST_SUBURBS:
        chosen = f"drivers[drivers['{AREA_NAME}'].isin([{listed(names[:2])}])]"
        raise ValueError(
            f"This frame has {len(names)} suburbs, but a chart shows up to {MOST_SUBURBS}. Choose some; of many, a "
            f"heatmap is the smallest chart: sp.plot_impacts({chosen}, kind='heatmap')"
        )
    figures = {label: numbers(drivers, label, f"drivers[{label!r}]") for label in _COLUMNS.values() if label in drivers}
    read = drivers.assign(
        label=drivers["label"].astype(str),
        suburb=drivers[AREA_NAME].astype(str) if AREA_NAME in drivers else names[0],
        is_thin=[str(flag) == "thin" for flag in drivers.get("evidence", drivers["label"])],
        **figures,
    )
    return read.sort_values(_PREMIUM, ascending=False, kind="stable", ignore_index=True), names


def _words(drivers: pd.DataFrame, ranked: pd.DataFrame, column: str, unit: str, notes: list[str]) -> Words:
    """Return the words around a chart of a column of premiums."""
    names = suburbs_in(drivers)
    return Words(
        title_of("Amenity price impacts", names),
        "No drivers are listed" if drivers.empty else f"Premium where the amenity is absent, {unit}",
        notes=[CAVEAT, *notes, missing_suburbs_note(drivers, names)],
        source=source_note(drivers),
        alt=extremes(ranked[column].set_axis(ranked["label"] + " in " + ranked["suburb"])),
        is_made_up=holds_made_up(drivers),
    )


def _written(column: pd.Series[float]) -> list[str]:
    """Return the figures of a column as text, with at most one decimal."""
    decimals = look.decimals_of(column, 1)
    return [format_number(figure, decimals) for figure in column]


def _n_sales(drivers: pd.DataFrame, ranked: pd.DataFrame, name: str) -> float:
    """Return the number of recent sales of a suburb, NaN if the frame does not say."""
    counts = ranked[ranked["suburb"] == name].reindex(columns=["n_absent", "n_present"])
    return float(marks_of(drivers).get("n_sales", counts.sum(axis=1, skipna=False).max()))


def _heading(name: str, sales: float) -> str:
    """Return the heading of a panel: the suburb, and the number of sales behind its figures with their flag."""
    flag = flag_of(sales)
    words = f"{name}. Recent sales: {format_number(sales)}".removeprefix(". ")
    return f"{words} ({flag})" if flag in LIMITS else words


def _draw_panel(ax: Axes, drivers: pd.DataFrame) -> None:
    """Draw the bars of one suburb: an outline where the evidence is thin, and another colour below zero."""
    page, premiums, rows = page_colour(ax), drivers[_PREMIUM], len(drivers)
    colours = [look.series_colours(page)[premium < 0] for premium in premiums]
    faces = ["none" if thin else colour for thin, colour in zip(drivers["is_thin"], colours, strict=True)]
    ax.barh(range(rows), premiums, 0.6, color=faces, edgecolor=colours, linewidth=1.4)
    ax.vlines(0, -0.5, rows - 0.5, color=look.muted(page), linestyle="-", linewidth=0.8)


def _draw_cells(
    ax: Axes, places: tuple[Iterable[int], Iterable[int]], shares: pd.Series[float], texts: Iterable[str], turn: float
) -> list[Patch]:
    """Draw the cells at columns and rows in the colours of their values. Return the entries of the legend."""
    page, low, high = page_colour(ax), np.nanmin(shares, initial=0), np.nanmax(shares, initial=0)
    largest = max(high, -low) or 1
    colours, scale = look.diverging_colours(page), Normalize(-largest, largest)
    edge: Any = {"edgecolor": look.muted(page), "linewidth": 0.6}
    legend: dict[Any, Patch] = {
        step: Patch(facecolor=colours(scale(step)), label=f"{format_number(step, 1)} %", **edge)
        for step in sorted({low, 0, high})
    }
    style: Any = {"ha": "center", "va": "center" if turn else "center_baseline", "rotation": turn}
    for column, row, share, text in zip(*places, shares, texts, strict=True):
        corner, face = (column - 0.5, row - 0.5), to_hex(colours(scale(share)))
        if np.isfinite(share):
            ax.add_patch(Rectangle(corner, 1, 1, facecolor=face, edgecolor=page, linewidth=1))
        else:
            face, legend[text] = page, _hatched(ax, "not known", corner, 1, 1)
        ax.text(column, row, text, color=look.ink_on(face), fontsize=type_size(), **style)
    return [*legend.values()]


def _hatched(ax: Axes, reason: str, corner: tuple[float, float], columns: int, rows: int) -> Patch:
    """Hatch cells without a value. Those of another reason or with a value may be drawn over them."""
    page = page_colour(ax)
    style: Any = {"facecolor": page, "edgecolor": look.mixed(text_colour(page), _HATCH_SHARE, page), "linewidth": 0}
    return ax.add_patch(Rectangle(corner, columns, rows, hatch=_HATCHES[reason], label=reason, **style))
