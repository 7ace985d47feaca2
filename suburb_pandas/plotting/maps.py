"""Draws a map: suburbs in the colours of their classes, hatched without data, marked for thin evidence and stale rents.

Reading values and boundaries is left to suburb_values and boundaries, classes to classes, the geometry to map_views, the
names in and beside the shapes to map_labels, the figure and its words to figure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from suburb_pandas.messages import listed
from suburb_pandas.plotting import boundaries as files
from suburb_pandas.plotting import suburb_values
from suburb_pandas.plotting.classes import Styles, classes_of
from suburb_pandas.plotting.figure import Target, Words, finish, make_axes
from suburb_pandas.plotting.flags import OLD_RENT, dates_note
from suburb_pandas.plotting.look import format_number, ink_on, page_colour, text_colour, tidy, type_size
from suburb_pandas.plotting.map_labels import write_names
from suburb_pandas.plotting.suburb_values import SuburbValues
from suburb_pandas.plotting.map_views import View, view_of
from suburb_pandas.plotting.words import (
    holds_made_up,
    operations_note,
    own_values_note,
    source_note,
    title_of,
    without_data_note,
)
from suburb_pandas.service.impacts import LIMITS
from suburb_pandas.timeseries.dates import Whole

_SIGNS: Final = {
    ("flag", "thin"): ("x", "thin evidence", f"Cross: thin evidence, up to {LIMITS['thin']} sales."),
    ("flag", "caution"): (".", "caution", f"Dot: caution, up to {LIMITS['caution']} sales."),
    ("is_stale", True): ("+", "stale rent", f"Plus: {OLD_RENT}."),
}
"""The marker of a value in a column, its name in the legend, and its note."""
_INCHES: Final = (3.0, 7.5)  # the least and the greatest height of a map
_BESIDE, _AROUND, _IN_AXES = 0.28, 1.7, 1.0  # inches for the words beside, above and below a map
_PAD: Final = 0.09  # inches that constrained layout leaves above and below
_SMALL: Final = 6 * 0.72  # points: six pixels at 100 dots an inch
_MOST_SMALL, _COVER = 60, 0.1  # if more shapes are small, they have markers only on a map that is mostly empty
_MOST_NAMES: Final = 12  # suburbs on a map with names
_DOT, _SIGN, _BORDER = 7.0, 5.0, 0.3  # the sizes of markers and the width of borders, in points


def draw(
    values: object,
    boundaries: object,
    target: Target,
    *,
    column: Hashable | None = None,
    classes: Sequence[float] | None = None,
) -> Axes:
    """Draw a map and return its Axes; see `plot_map`."""
    given, (areas, origin) = suburb_values.read(values, column), files.read(boundaries)
    missing = files.without_shape(areas, given.table.index)
    joined = gpd.GeoDataFrame(given.table.reindex(areas.index), geometry=areas.array)
    view = view_of(joined, joined.index.isin(given.table.index), *_room(target))
    ax = make_axes(target)[0]
    tidy(ax, grid=None)
    (west, south, east, north), (across, up) = view.page.bounds, view.points
    ax.set(xticks=[], yticks=[], facecolor="none", xlim=(west, east), ylim=(south, north), aspect=up / across)
    numbers, styles = classes_of(view.rows["value"].to_numpy("float64"), classes, page_colour(ax))
    rows = _with_looks(view, given, numbers, styles)
    known = rows[rows["value"].notna()]
    legend = [*_draw_areas(ax, rows, styles), *_draw_signs(ax, known)]
    if len(known) <= _MOST_NAMES:
        write_names(ax, known, view.page, view.points)
    words = Words(
        title_of(given.column.title, [*known.index] or [*given.table.index]),
        given.column.measure,
        notes=_notes(given, known, missing, origin),
        source=source_note(given.frame),
        alt=_alt(known),
        is_made_up=holds_made_up(given.frame) or origin == files.MADE_UP,
    )
    return finish(target, [ax], words, (view.inches + _PAD) * 9 / type_size(), legend=legend)


def _room(target: Target) -> tuple[float, float, float]:
    """Return the width of a map, and its least and greatest height, in inches.

    In Axes of the user, the layout makes room for the words. The map is as large as then, with the shape of now.
    """
    if target.ax is None:
        least = max((target.figsize or (0, 0))[1] - _AROUND, _INCHES[0])
        return target.width - _BESIDE, least, max(least, _INCHES[1])
    height = target.ax.get_window_extent().height / target.ax.figure.figure.dpi
    share = height / (height + _IN_AXES)
    return share * target.width, share * height, share * height


def _with_looks(view: View, given: SuburbValues, numbers: Whole, styles: Styles) -> gpd.GeoDataFrame:
    """Return the rows in view with all that is drawn of each: its class, text, place and markers.

    ``is_small`` is True for a suburb that needs a marker to be seen, and ``is_marked`` for one with any marker.
    """
    rows, is_known, areas = view.rows, view.rows["value"].notna().to_numpy(), shapely.area(view.rows.geometry.array)
    is_small = is_known & (areas * view.points.prod() < _SMALL**2)
    is_small &= is_small.sum() <= _MOST_SMALL or areas[is_known].sum() < _COVER * view.page.area
    decimals = given.column.decimals(rows["value"].dropna().to_numpy())
    x, y = shapely.get_coordinates(shapely.point_on_surface(rows.geometry.array)).T
    return rows.assign(
        number=numbers,
        face=[styles[number]["facecolor"] for number in numbers],
        text=[format_number(value, decimals) for value in rows["value"]],
        x=x,
        y=y,
        is_small=is_small,
        is_marked=np.any([is_small, *(rows[column] == value for column, value in _SIGNS)], axis=0),
    )


def _draw_areas(ax: Axes, rows: gpd.GeoDataFrame, styles: Styles) -> Iterator[Artist]:
    """Draw the areas of each class and of those without data, and yield their entries of the legend.

    One artist has the areas of a class. Rejected: geopandas' own ``plot``, which takes a hundred times as long to hatch
    them, because it has an artist for each.
    """
    for number, style in enumerate(styles):
        own = rows[rows["number"] == number]
        rings = shapely.get_rings(shapely.get_parts(shapely.normalize(own.geometry.array)))  # turns holes the other way
        path = Path.make_compound_path(*[Path(shapely.get_coordinates(ring), closed=True) for ring in rings])
        area = PathPatch(path, linewidth=_BORDER, linestyle="-", **style)
        small = {"edgecolors": ink_on(style["facecolor"]), "hatch": style["hatch"], "linewidths": 0.8, "gid": "small"}
        ax.scatter("x", "y", _DOT**2, style["facecolor"], data=own[own["is_small"]], marker="o", zorder=3, **small)
        if len(own) or style is not styles[-1]:
            yield ax.add_patch(area)


def _draw_signs(ax: Axes, known: gpd.GeoDataFrame) -> Iterator[Artist]:
    """Mark few sales and stale rents, and yield the entries of the legend."""
    for (column, value), (marker, name, _) in _SIGNS.items():
        rows = known[known[column] == value]
        if len(rows):
            colours = rows["face"].map(ink_on)
            ax.scatter(rows["x"], rows["y"], _SIGN**2, colours, marker=marker, linewidths=0.8, zorder=4, gid=name)
            ink = text_colour(page_colour(ax))
            yield Line2D([], [], color=ink, marker=marker, linestyle="none", label=name, markeredgewidth=1)


def _notes(given: SuburbValues, known: gpd.GeoDataFrame, missing: pd.Index[str], origin: str) -> Iterator[str]:
    """Yield sentences on the signs, the values and the boundaries of a map."""
    yield from (note for (column, value), (*_, note) in _SIGNS.items() if (known[column] == value).any())
    if known["is_small"].any():
        yield "Circle: a suburb that is too small to be seen."
    if len(known) > 1 and known["is_small"].all():
        yield "All are too small. To draw one city, pass the values of its suburbs only."
    yield dates_note(given.frame, given.label)
    yield operations_note(given.frame)
    yield own_values_note(given.frame, given.label)
    yield without_data_note([*given.table.index[given.table["value"].isna()]])
    if len(missing):
        yield f"Not on the map, without a shape: {listed(missing, str)}."
    yield f"Boundaries: {origin}." if origin else ""


def _alt(known: gpd.GeoDataFrame) -> str:
    """Return the range of the values in a sentence."""
    if known.empty:
        return "No suburb has a value."
    ends = known.sort_values("value", kind="stable")["text"]
    low, high = (f"{name} ({text})" for name, text in ends.iloc[[0, -1]].items())
    return f"A map of {len(known):,} suburbs, from {low} to {high}."
