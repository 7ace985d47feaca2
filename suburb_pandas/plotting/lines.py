"""Draws rents as lines on their real dates, with cadence, gaps and flat runs visible, and labels their ends.

This module decides on the panels of the chart. Reading rents and the captions that do not depend on the kind of chart
are left to rents, cadence and gaps to timeseries, the figure to figure.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.transforms import offset_copy

from suburb_pandas.frames.dates import Values
from suburb_pandas.frames.schema import DATE, INDEX_UNIT, PROPERTY_TYPES, RENT
from suburb_pandas.loaders.staleness import stale_before
from suburb_pandas.plotting.figure import Panels, Target, finish, make_panels, size_of, text_height, wrapped
from suburb_pandas.plotting.look import (
    COLOURS,
    MARKERS,
    NOT_HIGHLIGHTED,
    format_number,
    muted,
    page_colour,
    series_colours,
    tidy,
    type_size,
)
from suburb_pandas.plotting.rents import AT_BASE, SERIES, RentChart, houses_of
from suburb_pandas.plotting.words import PER_CENT, alt_of_lines
from suburb_pandas.timeseries.stretches import FLAT

_SMALL: Final = 151.2  # points, the usual width of a small panel
_TICK: Final = 50.0  # points, the width of the label of a date with the space around it
_LINE, _BELOW = 1.36, 8.0  # heights of a line of the heading of a small panel, and below it, in sizes of the type
_LOWEST, _AROUND = 22.4, 4.0  # the least height of other panels, and what the labels at their ends leave, as the same
_HEADING, _LABEL = 0.75, 0.3  # the greatest shares of the width of a panel that its heading and its labels take
_KEPT: Final = 0.7  # of the height of a user's Axes, which a layout may make lower
_MARKERS: Final = 4  # on each of several lines; a line alone needs none to be told from others, and has one at its end
_REFERENCES: Final = {PER_CENT: 0.0, INDEX_UNIT: AT_BASE}  # by unit, the value that gets a line across each panel

_NOTES: Final = {
    "quarterly": "Thin line with dots: quarterly points.",
    "monthly": "Thin line: monthly points.",
    "fortnightly": "Thick line: fortnightly points.",
    "weekly": "Thick line: weekly points.",
    "dot": "Each dot is a point.",
    "flat": f"Dashed: unchanged for {FLAT} days or more.",
    "filled": "Dotted: filled, not observed.",
    "open": "Hollow: the period is still open.",
    "gap": "Break: no points for longer than usual.",
    "mark": "Markers only tell the lines apart.",
}
"""The sentences on the cadences and the strokes of steps, and on the flags of points."""

_THICK: Final = ("weekly", "fortnightly")
_DASHES: Final[dict[str, Any]] = {"plain": "-", "flat": (0, (2.2, 1.2)), "filled": (0, (0.7, 0.9))}


def draw(chart: RentChart, target: Target) -> Axes:
    """Draw rents, growth, an index, or the vintages of a suburb, and return the Axes of the first panel.

    More suburbs than there are colours get a small panel each, unless some are highlighted.
    """
    is_small = len(chart.names) > len(COLOURS) and not chart.highlighted
    is_by_suburb = is_small or len(chart.names) == 1
    columns = max(round(target.width / _SMALL), 1) if is_small else 1
    width = target.width / columns
    panels = make_panels(target, len(chart.names if is_by_suburb else chart.property_types), columns)
    series = _series(chart, page_colour(panels.axes[0]), is_by_suburb=is_by_suburb)
    drawn = series.dropna(subset="value")
    labelled = drawn[drawn["is_labelled"]]
    points_of: Mapping[Hashable, pd.DataFrame] = dict(iter(chart.points.groupby(SERIES)))
    reference = _REFERENCES.get(str(chart.column.unit))
    for ax, heading in zip(panels.axes, series["heading"].unique(), strict=True):
        _draw_panel(ax, drawn[drawn["heading"] == heading], points_of, reference, width)
    texts = {each: ", ".join(labelled["text"][labelled["heading"] == each]) for each in series["heading"].unique()}
    if is_small:
        headings = ["\n".join(wrapped(part, _HEADING * width) for part in each) for each in texts.items()]
        lines = max(heading.count("\n") + 1 for heading in headings)
        height, legend = (_LINE * lines + _BELOW) * type_size(), _share_values(panels)
    else:
        headings, legend = [*texts] if len(texts) > 1 else [], []
        height = _label_panels(panels, [*texts], labelled, width, is_given=target.ax is not None)
    shared = chart.captions(drawn.index, _notes(chart.points, labelled))
    captions = replace(shared, headings=headings, alt=alt_of_lines(texts), has_values_on_y=True)
    return finish(target, panels, captions, height * panels.rows, legend=legend)


def _series(chart: RentChart, page: str, *, is_by_suburb: bool) -> pd.DataFrame:
    """Return a row for each series, the grey ones first: its last point and its look.

    ``heading`` is that of its panel, ``label`` tells it from the others there, and ``text`` stands at the end of the
    line, with the last value and, if that is stale, its month. A line without a label is grey and has no marker.
    """
    types, names, highlighted = chart.property_types, chart.names, chart.highlighted
    keys = pd.MultiIndex.from_product([types, sorted(names, key=highlighted.__contains__)], names=SERIES)
    series: pd.DataFrame = chart.points.groupby(SERIES)[[DATE, "value"]].last().reindex(keys)
    type_of_each, suburb_of_each = (keys.get_level_values(column) for column in SERIES)
    if is_by_suburb:
        series["heading"], series["label"] = suburb_of_each, type_of_each
    else:
        series["heading"], series["label"] = type_of_each.map(houses_of).str.capitalize(), suburb_of_each
    decimals = chart.column.decimals(series["value"].to_numpy())
    values = [format_number(value, decimals) for value in series["value"]]
    series["is_stale"] = series[DATE] < stale_before(series[DATE])
    months = series[DATE].dt.strftime(" (%Y-%m)").where(series["is_stale"], "")
    series["text"] = series["label"] + " " + values + months
    # Units have the same colour whether or not houses are drawn.
    coloured = (types if RENT in types else PROPERTY_TYPES) if is_by_suburb else highlighted or names
    looks = dict(zip(coloured, zip(series_colours(page), MARKERS, strict=True), strict=False))
    series["is_labelled"] = series["label"].isin([*looks])
    grey = muted(page, NOT_HIGHLIGHTED), ""
    series[["colour", "marker"]] = [looks.get(label, grey) for label in series["label"]]
    return series


def _draw_panel(
    ax: Axes,
    series: pd.DataFrame,
    points_of: Mapping[Hashable, pd.DataFrame],
    reference: float | None,
    width: float,
) -> None:
    """Draw the lines of a panel, with as many labels of dates as fit into its width, and the line of reference.

    ``points_of`` has the points of each series of the chart, also of those in other panels.
    """
    tidy(ax, values="y")
    colour = muted(page_colour(ax))
    if series.empty:
        ax.tick_params(labelleft=False, grid_alpha=0)
        ax.text(0.5, 0.5, "No points", transform=ax.transAxes, ha="center", color=colour, fontsize=type_size())
    elif reference is not None:
        ax.axhline(reference, color=colour, linewidth=0.8, gid="level")
    markers = _MARKERS if series["is_labelled"].sum() > 1 else 1
    for line in series.itertuples():
        _draw_line(ax, points_of[line.Index], line, markers)
    if not points_of:
        ax.set(xticks=[], yticks=[])
        return
    locator = AutoDateLocator(minticks=3, maxticks=max(int(width / _TICK), 4))  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    ax.margins(x=0.01)


def _draw_line(ax: Axes, points: pd.DataFrame, line: Any, markers: int) -> None:
    """Draw the steps of a series, one artist for each form, and then its dots, its markers and its hollow points."""
    weight = 1.0 if line.is_labelled else 0.6
    steps = points["cadence"] + " " + points["stroke"]
    for form in sorted({*steps[points["stroke"] != ""]}):
        cadence, stroke = form.split()
        at = np.flatnonzero(steps != form)  # the line is broken before each other point
        ax.plot(
            np.insert(points[DATE].to_numpy(), at, np.datetime64("NaT", "D")),
            np.insert(points["value"].to_numpy(), at, np.nan),
            color=line.colour,
            linestyle=_DASHES[stroke],
            linewidth=weight * (1.9 if cadence in _THICK else 0.9),
            marker="",
            gid=form,
            solid_capstyle="butt",  # the default caps would cover a gap of one week
        )
    marked = points.iloc[np.unique(np.linspace(len(points) - 1, 0, markers).astype("int64"))]
    for flag, own, marker, size in (
        ("dot", points[points["dot"]], ".", 4.5),
        ("mark", marked[~marked["open"]], line.marker, 5.0),
        ("open", points[points["open"]], line.marker, 5.0),
    ):
        ax.plot(
            own[DATE],
            own["value"],
            color=line.colour,
            linestyle="",
            marker=marker,
            markersize=weight * size,
            markerfacecolor=page_colour(ax) if flag == "open" else line.colour,
            markeredgewidth=1.0,
            label=line.label if flag == "mark" else "",
            gid=flag,
        )


def _share_values(panels: Panels) -> list[Artist]:
    """Put panels on one scale of values, with labels at the left, and return their legend if one is needed."""
    first, *others = panels.axes
    for ax in others:
        ax.sharey(first)
    for number, ax in enumerate(panels.axes):
        ax.tick_params(labelleft=number % panels.columns == 0)
    first.autoscale_view(scalex=False)
    entries = {line.get_label(): line for ax in panels.axes for line in ax.get_legend_handles_labels()[0]}
    return [*entries.values()] if len(entries) > 1 else []


def _label_panels(
    panels: Panels, headings: Sequence[str], series: pd.DataFrame, width: float, *, is_given: bool
) -> float:
    """Label the ends of lines in panels of a width, and return the height that each panel needs.

    In given Axes the panels keep their height.
    """
    labels = series.assign(text=[wrapped(text, _LABEL * width) for text in series["text"]])
    labels["height"] = [text_height([text]) for text in labels["text"]]
    around = _AROUND * type_size()
    height: float = max(_LOWEST * type_size(), labels.groupby("heading")["height"].sum().max() + around)
    for ax, heading in zip(panels.axes, headings, strict=True):
        _label_ends(ax, labels[labels["heading"] == heading], _KEPT * size_of(ax)[1] if is_given else height - around)
    return height


def _label_ends(ax: Axes, labels: pd.DataFrame, room: float) -> None:
    """Label lines to the right of the data, moved apart for a panel of a height in points, with leaders if moved.

    The labels follow their lines when limits change, and are hidden while the end of the line is out of view. A line
    that ended early has no leader, which could be taken for data.
    """
    labels = labels.sort_values("value", kind="stable")
    rows: Any = labels.itertuples()
    wanted = np.asarray(np.interp(labels["value"], ax.get_ylim(), (0, room)))
    for line, move in zip(rows, spread(wanted, labels["height"].to_numpy(), room) - wanted, strict=True):
        leader = {"arrowstyle": "-", "linestyle": ":", "linewidth": 0.9, "relpos": (0, 0.5), "color": line.colour}
        has_leader = abs(move) > type_size() / 2 and not line.is_stale
        ax.annotate(
            line.text,
            (line.date, line.value),
            (1, line.value),
            textcoords=offset_copy(ax.get_yaxis_transform(), ax.figure.figure, 12, move, "points"),
            arrowprops=leader if has_leader else None,
            color=line.colour,
            fontsize=type_size(),
            va="center",
            parse_math=False,
            gid="end",
        )


def spread(wanted: Values, heights: Values, room: float) -> Values:
    """Return the centres of labels, which come from the lowest to the highest, moved apart so that none overlap.

    They lie between 0 and ``room`` if they fit. Each is in the middle between two places: where it is if all labels
    only move up, and where it is if they only move down.
    """
    stacked, spare = np.cumsum(heights) - heights / 2, room - heights.sum()
    places = wanted - stacked
    free = (np.maximum.accumulate(places) + np.minimum.accumulate(places[::-1])[::-1]) / 2
    return stacked + np.clip(free, min(0, spare), max(0, spare))


def _notes(points: pd.DataFrame, labelled: pd.DataFrame) -> list[str]:
    """Return sentences on the forms of steps, the flags of points, and the markers of lines that share a panel."""
    steps = points[points["stroke"] != ""]
    shown = {*steps["cadence"], *steps["stroke"], *(flag for flag in ("dot", "open", "gap") if points[flag].any())}
    if labelled["heading"].duplicated().any() and len(points) > len(labelled):
        shown.add("mark")
    return [sentence for form, sentence in _NOTES.items() if form in shown]
