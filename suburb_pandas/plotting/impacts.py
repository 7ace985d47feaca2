"""Draws amenity price impacts: as bars in AUD, a panel for each suburb, or as a heatmap, a row for each suburb.

The text beside bars and cells is left to rows, the words around them to figure.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from suburb_pandas.frames.column import label_of, suburbs_in, suburbs_of
from suburb_pandas.frames.conversions import numbers
from suburb_pandas.frames.schema import is_made_up
from suburb_pandas.frames.suburbs import select_suburbs
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.messages import listed
from suburb_pandas.plotting import look
from suburb_pandas.plotting.figure import INCH, Captions, Target, finish
from suburb_pandas.plotting.look import format_number, page_colour, type_size
from suburb_pandas.plotting.rows import make_rows
from suburb_pandas.plotting.values import meanings
from suburb_pandas.plotting.words import CAVEAT, alt_of_ranking, missing_suburbs_note, source_note, title_of
from suburb_pandas.service.impacts import LIMITS, flag_of

MOST_SUBURBS: Final = 60
"""The most suburbs of a chart of drivers."""

_PREMIUM, _SHARE, _ABSENT, _PRESENT = "premium_dollars", "pct_of_median", "n_absent", "n_present"
_HEADINGS: Final = {
    _PREMIUM: "Premium, AUD",
    _SHARE: "% of median",
    _ABSENT: "Sales without",
    _PRESENT: "Sales with",
}
"""The headings of the columns beside bars."""

_LETTER, _TURNED = 0.6, 2.0  # the heights of a letter of a driver and of turned numbers, as multiples of the type size
_CELL: Final = 6.12  # the width of a chart that a cell with upright numbers needs, as the same
_DRIVER: Final = 0.27  # inches of the least width of a new heatmap, for each driver
_WIDE: Final = 6.0 * INCH  # the width that more than two columns beside bars need
_BAR: Final = 0.6  # the height of a bar, in rows


def draw_bars(drivers: pd.DataFrame, target: Target) -> Axes:
    """Draw the drivers of each suburb as bars, the largest premium on top, and return the Axes of the first panel."""
    ranked, headings = _read_drivers(drivers, _PREMIUM)
    shown = [*_HEADINGS.values()][: None if target.width > _WIDE else 2]
    by_suburb = [ranked[ranked["suburb"] == name] for name in headings]
    panels, height = make_rows(target, headings.values(), [each[shown] for each in by_suburb])
    page = page_colour(panels.axes[0])
    for ax, own in zip(panels.axes, by_suburb, strict=True):
        edges = look.signed_colours(own[_PREMIUM], page)
        faces = np.where(own["is_thin"], "none", edges)
        ax.barh(range(len(own)), own[_PREMIUM], _BAR, color=faces, edgecolor=edges, linewidth=1.4)
        ax.vlines(0, -0.5, len(own) - 0.5, color=look.muted(page), linestyle="-", linewidth=0.8)
    note = "An amenity that is not listed does not have a premium of zero: its premium is not known."
    return finish(
        target, panels, _captions(drivers, ranked, headings, [note], unit="AUD", thin="Outlined bar:"), height
    )


def draw_heatmap(drivers: pd.DataFrame, target: Target) -> Axes:
    """Draw the drivers of each suburb as a row of cells, in the order of the frame, and return their Axes.

    Drivers that most suburbs list are first, then those with the largest premium. Without drivers, the chart is that of
    bars, which names the suburbs.
    """
    ranked, headings = _read_drivers(drivers, _SHARE)
    if ranked.empty:
        return draw_bars(drivers, target)
    cells = ranked.drop_duplicates(["suburb", "label"])  # of two drivers with one label, the larger premium
    labels, shares = [label for label, _ in Counter(cells["label"]).most_common()], cells[_SHARE]
    width = max(target.width, INCH * _DRIVER * len(labels))
    target = replace(target, figsize=(width / INCH, target.least_height / INCH))
    panels, height = make_rows(target, [""], [pd.DataFrame(index=[*headings.values()])])
    ax = panels.axes[0]
    ax.set_xticks(range(len(labels)), labels, rotation=90, fontsize=type_size("note"), parse_math=False)
    ax.margins(x=0)
    page = page_colour(ax)
    ax.axhspan(
        -0.5, len(headings) - 0.5, facecolor=look.muted(page, look.GRID), edgecolor=page, hatch="////", linewidth=0
    )
    colours = look.diverging_colours(page).with_extremes(bad=page)
    faces = colours(0.5 + shares / (shares.abs().max() or 1) / 2)
    columns, rows = cells["label"].map(labels.index), cells["suburb"].map([*headings].index)
    boxes = ax.bar(columns, 1, 1, rows - 0.5, color=faces, edgecolor=page, linewidth=1)
    is_narrow = target.width < _CELL * type_size() * len(labels)
    texts = cells["text"] + cells["is_thin"].map({True: "*", False: ""})
    written = ax.bar_label(boxes, texts, label_type="center", fontsize=type_size(), rotation=90 * is_narrow)
    for text, face in zip(written, faces, strict=True):
        text.set_color(look.ink_on(face))
    has_gaps = len(cells) < len(labels) * len(headings)
    notes = [
        "Drivers are ordered by the number of suburbs that list them, then by the largest premium.",
        "Hatched: the driver is not listed for the suburb, which does not mean zero." if has_gaps else "",
        "Question mark: not known." if shares.isna().any() else "",
    ]
    height += (_LETTER * max(map(len, labels)) + _TURNED * is_narrow * len(headings)) * type_size()
    captions = _captions(drivers, cells, headings, notes, unit="per cent of the median price", thin="*")
    return finish(target, panels, captions, height)


def _read_drivers(drivers: pd.DataFrame, column: str) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the drivers, the largest figure of a column first, and the headings of the suburbs by their names.

    ``suburb`` is the suburb as text, and ``text`` the figure. ``is_known`` is True if there is one, and ``is_thin`` for
    thin evidence. Figures are float64, and texts in the columns that are named as headings. The suburbs are in the
    order of the frame.
    """
    if not isinstance(drivers, pd.DataFrame):
        raise TypeError(f"Pass a frame of drivers, as sp.impacts() returns it, not {type(drivers).__name__}.")
    endpoint = endpoint_of(drivers)
    if endpoint.shape == "rows" and endpoint.name != "impacts":
        raise ValueError(
            f"There is no chart of {endpoint.noun}. To draw a column of this frame, use pandas' own plot()."
        )
    if missing := [label for label in ("label", _PREMIUM, _SHARE) if label not in drivers]:
        raise ValueError(f"This is not a frame of drivers, as sp.impacts() returns it: it has no {listed(missing)}.")
    if suburb_label := label_of(drivers):
        suburbs = pd.Series([*suburbs_of(drivers, suburb_label)], drivers.index, dtype="object")
        names = [*select_suburbs(suburbs).names] or [""]  # this warns of rows without a name
        drivers = drivers.assign(suburb=suburbs)[suburbs.notna()]
    else:
        names = [name or "" for name in suburbs_in(drivers)]
        drivers = drivers.assign(suburb=names[0])
    if len(names) > MOST_SUBURBS:
        raise ValueError(
            f"This frame has {len(names)} suburbs, but a chart shows up to {MOST_SUBURBS}. Choose some "
            f"before: sp.plot_impacts(sp.impacts(suburbs[:{MOST_SUBURBS}]))"
        )
    table = drivers.assign(label=drivers["label"].astype("object").fillna("?").map(str))
    for name, heading in _HEADINGS.items():
        table[name] = numbers(drivers, name, f"drivers[{name!r}]") if name in drivers else np.nan
        table[heading] = [format_number(figure, int(name == _SHARE)) for figure in table[name]]
    flags = table["evidence"] if "evidence" in table else table[_ABSENT].map(flag_of)
    table["is_thin"] = flags.astype("str") == "thin"
    table["text"], table["is_known"] = table[_HEADINGS[column]], np.isfinite(table[column])
    table.index = [*table["label"]]
    sales = (table[_ABSENT] + table[_PRESENT]).groupby(table["suburb"]).max()
    headings = {name: _heading(name, sales.get(name)) for name in names}
    return table.sort_values(column, ascending=False, kind="stable"), headings


def _heading(name: str, sales: float | None) -> str:
    """Return a suburb and the number of its sales with their flag, if it is known."""
    flag = flag_of(sales)
    heading = name if flag is None else f"{name}: {sales:,.0f} sales".removeprefix(": ")
    return f"{heading} ({flag})" if flag in LIMITS else heading


def _captions(
    drivers: pd.DataFrame, ranked: pd.DataFrame, headings: dict[str, str], notes: list[str], *, unit: str, thin: str
) -> Captions:
    """Return the words around a chart of premiums in a unit, with ``thin`` for the sign of thin evidence."""
    names, places = [*headings], (ranked["label"] + " in " + ranked["suburb"]).str.removesuffix(" in ")
    sign = f"{thin} thin evidence, because at most {LIMITS['thin']} sales are without the amenity."
    evidence = sign if ranked["is_thin"].any() else ""
    return Captions(
        title_of("Amenity price impacts", names),
        "No drivers are listed" if drivers.empty else f"Premium where the amenity is absent, {unit}",
        notes=[CAVEAT, *notes, evidence, *meanings(headings.values()), missing_suburbs_note(drivers, names)],
        source=source_note(drivers),
        alt=alt_of_ranking(ranked["text"].set_axis(places)[ranked["is_known"].to_numpy()]),
        is_made_up=is_made_up(drivers),
    )
