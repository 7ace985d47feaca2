"""Draws a map: suburbs in the colours of their classes, hatched without data, marked for thin evidence and stale rents.

The shapes in view are drawn without details smaller than a pixel: the ABS's have a thousand corners each, and drawing
all of them would take most of the time. Reading values and boundaries is left to values and boundaries, the
names in and beside the shapes to map_labels, the figure and its words to figure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final

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
from suburb_pandas.plotting.classes import Styles, classes_of
from suburb_pandas.plotting.figure import Target, Words, finish, make_axes
from suburb_pandas.plotting.look import format_number, ink_on, page_colour, text_colour, tidy, type_size
from suburb_pandas.plotting.map_labels import write_names
from suburb_pandas.plotting.values import OLD_RENT, SuburbValues, dates_note, read
from suburb_pandas.plotting.words import (
    operations_note,
    own_values_note,
    source_note,
    title_of,
    without_data_note,
)
from suburb_pandas.service.impacts import LIMITS
from suburb_pandas.timeseries.dates import Flags, Values, Whole

_SIGNS: Final = {
    ("flag", "thin"): ("x", "thin evidence", f"Cross: thin evidence, up to {LIMITS['thin']} sales"),
    ("flag", "caution"): (".", "caution", f"Dot: caution, up to {LIMITS['caution']} sales"),
    ("flag", "sales not known"): ("v", "sales not known", "Triangle: an unknown number of sales"),
    ("is_stale", True): ("+", "stale rent", f"Plus: {OLD_RENT}"),
}
"""The marker of a value in a column, its name in the legend, and its note, which ends with the kind of sales."""
_INCHES: Final = (3.0, 7.5)  # the least and the greatest height of a map
_BESIDE, _AROUND, _IN_AXES = 0.28, 1.7, 1.0  # inches for the words beside, above and below a map
_MARGIN: Final = 1.06  # times the bounds of the suburbs
_DOTS: Final = 300  # an inch; details smaller than one of them are left out
_SMALL: Final = 6 * 0.72  # points: six pixels at 100 dots an inch
_MOST_SMALL, _COVER = 60, 0.1  # if more shapes are small, they have markers only on a map that is mostly empty
_MOST_NAMES: Final = 12  # suburbs on a map with names
_NAMED: Final = 2.0  # inches: the least width and height of the user's Axes with names
_DOT, _SIGN = 7.0, 5.0  # the sizes of markers, in points


def draw(
    values: object, boundaries: object, target: Target, column: Hashable | None, classes: Sequence[float] | None
) -> Axes:
    """Draw a map and return its Axes; see `plot_map`."""
    given, (areas, origin) = read(values, column), files.read(boundaries)
    if given.table.empty:
        raise ValueError("The frame has no suburbs to draw.")
    missing = files.without_shape(areas, given.table.index)
    joined = gpd.GeoDataFrame(given.table.reindex(areas.index), geometry=areas.array)
    rows, page, points = _view(joined, joined.index.isin(given.table.index), *_room(target))
    ax = make_axes(target)[0]
    tidy(ax)
    west, south, east, north = page.bounds
    aspect = points[1] / points[0]
    ax.set(xticks=[], yticks=[], xlim=(west, east), ylim=(south, north), aspect=aspect, facecolor="none")
    numbers = rows["value"].to_numpy("float64")
    decimals = given.column.decimals(numbers[np.isfinite(numbers)])
    found = classes_of(numbers, classes, page_colour(ax), decimals)
    rows = _with_looks(rows, page, points, decimals, found)
    known = rows[rows["value"].notna()]
    legend = [*_draw_areas(ax, rows, found[1]), *_draw_signs(ax, known)]
    nameless = [*known.index] if len(known) <= _MOST_NAMES else []
    if nameless and (target.ax is None or min(ax.get_window_extent().size) >= _NAMED * ax.figure.figure.dpi):
        nameless = write_names(ax, known, page, points)
    words = Words(
        title_of(", ".join([given.column.title, *_amenity(given.frame)]), [*known.index]),
        given.column.measure,
        notes=_notes(given, known, nameless, missing, origin),
        source=source_note(given.frame),
        alt=_alt(known),
        is_made_up=given.is_made_up or origin == files.MADE_UP,
    )
    inches = (north - south) * points[1] / 72
    return finish(target, [ax], words, inches * 9 / type_size(), legend=legend)


def _room(target: Target) -> tuple[float, float, float]:
    """Return the width of a map, and its least and greatest height, in inches.

    In Axes of the user, the layout makes room for the words. The map is as large as then, with the shape of now.
    """
    if target.ax is None:
        least, most = _INCHES
        if target.figsize:
            least = most = max(target.figsize[1] - _AROUND, least)
        return target.width - _BESIDE, least, most
    height = target.ax.get_window_extent().height / target.ax.figure.figure.dpi
    share = height / (height + _IN_AXES)
    return share * target.width, share * height, share * height


def _view(
    rows: gpd.GeoDataFrame, focus: Flags, width: float, least: float, most: float
) -> tuple[gpd.GeoDataFrame, Any, Values]:
    """Return the rows in view, the box in view, and the number of points in its units to the east and to the north.

    In view are the rows in focus and whatever lies around them in the room of the map. The room is ``width`` inches
    wide and, between ``least`` and ``most``, as high as the map requires. As geopandas draws them, degrees to the east
    are as long as in the middle of the map.
    """
    limits, is_in_degrees = rows[focus].total_bounds.reshape(2, 2), getattr(rows.crs, "is_geographic", False)
    middle = limits.mean(axis=0)
    degree = np.array([np.cos(np.radians(middle[1])) if is_in_degrees else 1, 1])
    size = _MARGIN * degree * np.ptp(limits, axis=0)
    room = np.array([width, np.clip(width * size[1] / size[0], least, most)])
    inches = degree * (room / size).min()
    page = shapely.box(*(middle - room / inches / 2), *(middle + room / inches / 2))
    near = rows.iloc[np.sort(rows.sindex.query(page))]
    # Rejected: coverage_simplify, which keeps neighbours together exactly but takes fifty times as long.
    simple = near.geometry.simplify(0.5 / inches[1] / _DOTS, preserve_topology=False)
    simple = simple.where(shapely.area(simple.array) > 0, near.geometry.envelope)  # no shape is lost
    return near.set_geometry(simple), page, 72 * inches


def _with_looks(
    rows: gpd.GeoDataFrame, page: Any, points: Values, decimals: int, classes: tuple[Whole, Styles]
) -> gpd.GeoDataFrame:
    """Return the rows in view with all that is drawn of each: its class, text, place and markers.

    ``is_small`` is True for a suburb that needs a marker to be seen, and ``is_marked`` for one with any marker.
    """
    values, areas = rows["value"].to_numpy("float64"), shapely.area(rows.geometry.array)
    is_known = np.isfinite(values)
    is_small = is_known & (areas * points.prod() < _SMALL**2)
    is_small &= is_small.sum() <= _MOST_SMALL or areas[is_known].sum() < _COVER * page.area
    numbers, styles = classes
    x, y = shapely.get_coordinates(shapely.point_on_surface(rows.geometry.array)).T
    return rows.assign(
        number=numbers,
        face=[styles[number]["facecolor"] for number in numbers],
        text=[format_number(value, decimals) for value in values],
        x=x,
        y=y,
        is_small=is_small,
        is_marked=np.any([is_small, *(rows[label] == flag for label, flag in _SIGNS)], axis=0),
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
        area = PathPatch(path, linestyle="-", **style)
        small, ink = own[own["is_small"]], text_colour(page_colour(ax))
        # Two artists, because one has the same colour for its edge and its hatching.
        look = {"c": style["facecolor"], "hatch": style["hatch"], "edgecolors": style["edgecolor"], "linewidths": 0}
        rim = {"facecolors": "none", "edgecolors": ink, "linewidths": 0.8}
        for gid, options in (("small", look), ("rim", rim)):
            ax.scatter(small["x"], small["y"], _DOT**2, marker="o", zorder=3, gid=gid, **options)
        if len(own) or style is not styles[-1]:
            yield ax.add_artist(area)


def _draw_signs(ax: Axes, known: gpd.GeoDataFrame) -> Iterator[Artist]:
    """Mark few sales and stale rents, and yield the entries of the legend."""
    ink = text_colour(page_colour(ax))
    for (column, value), (marker, name, _) in _SIGNS.items():
        rows = known[known[column] == value]
        if len(rows):
            colours = rows["face"].map(ink_on)
            ax.scatter(rows["x"], rows["y"], _SIGN**2, colours, marker=marker, linewidths=0.8, zorder=4, gid=name)
            yield Line2D([], [], color=ink, marker=marker, linestyle="none", label=name, markeredgewidth=1)


def _amenity(drivers: pd.DataFrame) -> list[str]:
    """Return the label of the drivers in a frame, if it has drivers and all have the same label."""
    labels = {*map(str, drivers["label"])} if {"evidence", "label"} <= {*drivers.columns} else ()
    return [*labels] if len(labels) == 1 else []


def _notes(
    given: SuburbValues, known: gpd.GeoDataFrame, nameless: list[str], missing: pd.Index[str], origin: str
) -> Iterator[str]:
    """Yield sentences on the signs, the names, the values and the boundaries of a map."""
    end = " without the amenity." if "evidence" in given.frame and "sales_flag" not in given.frame else "."
    yield from (note + end for (column, value), (*_, note) in _SIGNS.items() if (known[column] == value).any())
    if known["is_small"].any():
        small = "All suburbs are" if known["is_small"].all() else "Circle: a suburb that is"
        yield f"{small} too small to be seen. To draw one city, pass the values of its suburbs only."
    yield f"No room for the names of {listed(nameless, str)}." if nameless else ""
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
    ends = known.sort_values("value")["text"]
    low, high = f"{ends.index[0]} ({ends.iloc[0]})", f"{ends.index[-1]} ({ends.iloc[-1]})"
    return f"A map of {len(known):,} suburbs, from {low} to {high}."
