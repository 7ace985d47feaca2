"""Draws a map: suburbs in the colours of their classes, hatched without data, marked for thin evidence and stale rents.

The shapes in view are drawn without details smaller than a pixel: the ABS's have a thousand corners each, and drawing
all of them would take most of the time. Names stand in the shapes, or beside them with a leader. Reading values and
boundaries is left to values and boundaries, the colours of classes to classes, the figure and its words to figure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from textwrap import fill
from typing import Any, Final

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from suburb_pandas.frames.dates import Values
from suburb_pandas.messages import listed
from suburb_pandas.plotting.boundaries import read_boundaries, without_shape
from suburb_pandas.plotting.classes import Styles, classes_of, limits_of
from suburb_pandas.plotting.figure import INCH, Captions, Target, finish, make_panels, size_of, text_height, text_width
from suburb_pandas.plotting.look import format_number, ink_on, muted, page_colour, text_colour, tidy, type_size
from suburb_pandas.plotting.values import OLD_RENT, SuburbValues, dates_note, read_values
from suburb_pandas.plotting.words import (
    alt_of_map,
    operations_note,
    own_values_note,
    source_note,
    title_of,
    without_data_note,
)
from suburb_pandas.service.impacts import LIMITS

_SIGNS: Final = {
    ("sales_flag", "thin"): ("x", "thin evidence", f"Cross: thin evidence, up to {LIMITS['thin']} sales"),
    ("sales_flag", "caution"): (".", "caution", f"Dot: caution, up to {LIMITS['caution']} sales"),
    ("sales_flag", "sales not known"): ("v", "sales not known", "Triangle: an unknown number of sales"),
    ("is_stale", True): ("+", "stale rent", f"Plus: {OLD_RENT}"),
}
"""The marker of a value in a column, its name in the legend, and its note, which ends with the kind of sales."""
_LOWEST, _HIGHEST = 3.0 * INCH, 7.5 * INCH  # the height of a map
_BESIDE, _AROUND = 0.28 * INCH, 1.7 * INCH  # for the words beside, above and below a map
_SHARE: Final = 0.8  # of Axes of the user that the layout leaves to the map
_MARGIN: Final = 1.06  # times the bounds of the suburbs
_DETAIL: Final = INCH / 300  # a pixel at 300 dots an inch; smaller details are left out
_SMALL: Final = 6 * INCH / 100  # six pixels at 100 dots an inch
_MOST_SMALL, _COVER = 60, 0.1  # if more shapes are small, they have markers only on a map that is mostly empty
_MOST_NAMES: Final = 12  # suburbs on a map with names
_NAMED: Final = 115.0  # points, the least width and height of a map with names: that in Axes of 2 inches
_DOT, _SIGN = 7.0, 5.0  # the sizes of markers, in points
_LETTERS: Final = 15  # in a line of a name
_SPOTS: Final = 6.0 * np.mgrid[-33:34, -33:34].reshape(2, -1).T  # points from a place to the spots that are tried
_GAP: Final = 8.0  # points between a place and a text beside it
_MARKER: Final = 4.5  # points around a marker that no text covers
_WORSE: Final = 150.0  # what it costs, in points, to cover a suburb, and to cross a text or a leader


def draw(
    values: object, boundaries: object, target: Target, column: Hashable | None, classes: Sequence[float] | None
) -> Axes:
    """Draw a map and return its Axes; see `plot_map`."""
    suburbs, (areas, origin, is_made_up) = read_values(values, column), read_boundaries(boundaries)
    limits = None if classes is None else limits_of(classes)
    if suburbs.table.empty:
        raise ValueError("The frame has no suburbs to draw.")
    missing = without_shape(areas, suburbs.table.index)
    rows = gpd.GeoDataFrame(suburbs.table.reindex(areas.index), geometry=areas.array)
    panels = make_panels(target)
    ax = panels.axes[0]
    tidy(ax)
    view, scale = _view(rows[rows.index.isin(suburbs.table.index)], target)
    ax.set(xticks=[], yticks=[], xlim=view[:, 0], ylim=view[:, 1], aspect=scale[1] / scale[0], facecolor="none")
    rows = _in_view(rows, view, scale)
    numbers = rows["value"].to_numpy()
    decimals = suburbs.column.decimals(numbers[np.isfinite(numbers)])
    rows["number"], styles = classes_of(numbers, limits, page_colour(ax), decimals)
    rows["face"] = [styles[number]["facecolor"] for number in rows["number"]]
    rows["text"] = [format_number(value, decimals) for value in numbers]
    known = rows[rows["value"].notna()]
    legend = [*_draw_areas(ax, rows, styles), *_draw_signs(ax, known)]
    room = np.ptp(view * scale, axis=0)
    has_names = len(known) <= _MOST_NAMES and room.min() >= _NAMED
    nameless = _write_names(ax, known, view, scale) if has_names else []
    captions = Captions(
        title_of(", ".join([suburbs.column.title, *_amenity(suburbs.frame)]), [*known.index]),
        suburbs.column.subtitle,
        notes=_notes(suburbs, known, nameless, missing, origin),
        source=source_note(suburbs.frame),
        alt=alt_of_map(known.sort_values("value")["text"]),
        is_made_up=suburbs.is_made_up or is_made_up,
    )
    return finish(target, panels, captions, room[1], legend=legend)


def _view(focus: gpd.GeoDataFrame, target: Target) -> tuple[Values, Values]:
    """Return the corners of the view, and its scale: the number of points in its units to the east and to the north.

    In view are the suburbs in focus and whatever lies around them in the room of the map. As geopandas draws them,
    degrees to the east are as long as in the middle of the map.
    """
    limits, is_in_degrees = focus.total_bounds.reshape(2, 2), getattr(focus.crs, "is_geographic", False)
    middle = limits.mean(axis=0)
    degree = np.array([np.cos(np.radians(middle[1])) if is_in_degrees else 1, 1])
    size = _MARGIN * degree * np.ptp(limits, axis=0)
    room = _room(target, size[1] / size[0])
    scale = degree * (room / size).min()
    return middle + np.outer([-1, 1], room / scale / 2), scale


def _room(target: Target, shape: float) -> Values:
    """Return the width and the height of a map in points, as high as its shape requires if that may be chosen.

    In Axes of the user, the words take a part of the room. The map has the shape that the Axes have now.
    """
    if target.ax is not None:
        return _SHARE * np.array(size_of(target.ax))
    width = target.width - _BESIDE
    height = target.least_height - _AROUND if target.figsize else min(width * shape, _HIGHEST)
    return np.array([width, max(height, _LOWEST)])


def _in_view(rows: gpd.GeoDataFrame, view: Values, scale: Values) -> gpd.GeoDataFrame:
    """Return the rows in view with the outlines and places that are drawn, and with their sizes in square points.

    ``is_small`` is True for a suburb that needs a marker to be seen.
    """
    near = rows.iloc[rows.sindex.query(shapely.box(*view.flat), sort=True)]
    # Rejected: coverage_simplify, which keeps neighbours together exactly but takes fifty times as long.
    outlines = near.simplify(_DETAIL / 2 / scale[1], preserve_topology=False)
    outlines = outlines.where(shapely.area(outlines.array) > 0, near.envelope)  # no shape is lost
    size, is_known = shapely.area(outlines.array) * scale.prod(), near["value"].notna()
    is_small = is_known & (size < _SMALL**2)
    is_small &= is_small.sum() <= _MOST_SMALL or size[is_known].sum() < _COVER * np.prod(np.ptp(view * scale, axis=0))
    x, y = shapely.get_coordinates(outlines.representative_point()).T
    return near.assign(geometry=outlines, x=x, y=y, size=size, is_small=is_small)


def _draw_areas(ax: Axes, rows: gpd.GeoDataFrame, styles: Styles) -> Iterator[Artist]:
    """Draw the areas of each class and of those without data, and yield their entries of the legend.

    One artist has the areas of a class. Rejected: geopandas' own ``plot``, which takes a hundred times as long to hatch
    them, because it has an artist for each.
    """
    rim = withStroke(linewidth=1.6, foreground=text_colour(page_colour(ax)))
    for number, style in enumerate(styles):
        own = rows[rows["number"] == number]
        rings = shapely.get_rings(shapely.get_parts(shapely.normalize(own.geometry.array)))  # turns holes the other way
        path = Path.make_compound_path(*[Path(shapely.get_coordinates(ring), closed=True) for ring in rings])
        area, small = ax.add_artist(PathPatch(path, **style)), own[own["is_small"]]
        ax.scatter(small["x"], small["y"], _DOT**2, marker="o", zorder=3, gid="small", path_effects=[rim], **style)
        if len(own) or style is not styles[-1]:
            yield area


def _draw_signs(ax: Axes, known: gpd.GeoDataFrame) -> Iterator[Artist]:
    """Mark few sales and stale rents, and yield the entries of the legend."""
    page = page_colour(ax)
    halo = withStroke(linewidth=2.5, foreground=page)
    for (column, value), (marker, name, _) in _SIGNS.items():
        rows = known[known[column] == value]
        if len(rows):
            yield ax.scatter(
                rows["x"],
                rows["y"],
                _SIGN**2,
                text_colour(page),
                marker=marker,
                zorder=4,
                path_effects=[halo],
                label=name,
                gid=name,
            )


def _write_names(ax: Axes, known: gpd.GeoDataFrame, view: Values, scale: Values) -> list[str]:
    """Write the names and values of some rows on a map, from the largest suburb to the smallest.

    A text stands in its shape if it fits, else as near as is free, with its middle in none of the shapes. Names without
    a place are returned.
    """
    known = known.sort_values("size", ascending=False)
    shapes = known.scale(*scale, origin=(0, 0)).array
    frame, land = shapely.box(*(view * scale).flat), shapely.union_all(shapes)
    marks = np.vstack([markers.get_offsets() for markers in ax.collections]) * scale
    taken = shapely.union_all(shapely.buffer(shapely.points(marks), _MARKER))
    shapely.prepare([frame, land, *shapes])
    nameless = []
    for suburb, shape in zip(known.itertuples(), shapes, strict=True):
        place, text = scale * [suburb.x, suburb.y], f"{fill(suburb.Index, _LETTERS)}\n{suburb.text}"
        half = np.array([text_width([text], "note"), text_height([text], "note")]) / 2
        spots = place + _SPOTS
        boxes = shapely.box(*(spots - half).T, *(spots + half).T)
        leaders = shapely.linestrings([[place, spot] for spot in spots])
        shapely.prepare(taken)
        gaps, is_inside = shapely.distance(shapely.Point(place), boxes), shapely.contains(shape, boxes)
        is_beside = (gaps > _GAP) & ~shapely.contains_xy(land, spots)
        is_free = shapely.contains(frame, boxes) & ~shapely.intersects(taken, boxes) & (is_inside | is_beside)
        cost = gaps + _WORSE * shapely.intersects(land, boxes) + _WORSE * shapely.intersects(taken, leaders)
        cost[is_inside] = shapely.length(leaders[is_inside]) / 1000
        best = np.argmin(np.where(is_free, cost, np.inf))
        if is_free[best]:
            taken = shapely.union_all([taken, boxes[best], leaders[best]])
            _write_name(ax, suburb, text, spots[best] / scale, suburb.face if is_inside[best] else None)
        else:
            nameless.append(suburb.Index)
    return nameless


def _write_name(ax: Axes, suburb: Any, text: str, spot: Values, face: str | None) -> None:
    """Write the text of a suburb at a spot: in its shape, which has a colour, or without one, with a leader.

    A box around it hides borders and hatching.
    """
    page = page_colour(ax)
    ax.annotate(
        text,
        (suburb.x, suburb.y),
        (spot[0], spot[1]),
        arrowprops=None if face else {"arrowstyle": "-", "color": muted(page), "linewidth": 0.7},
        color=ink_on(face) if face else text_colour(page),
        bbox={"boxstyle": "square,pad=0.1", "facecolor": face or page, "edgecolor": "none"},
        fontsize=type_size("note"),
        ha="center",
        va="center",
        parse_math=False,
        gid="name",
        zorder=5,
    )


def _amenity(drivers: pd.DataFrame) -> list[str]:
    """Return the label of the drivers in a frame, if it has drivers and all have the same label."""
    labels = {*map(str, drivers.get("label", ()))} if "evidence" in drivers else ()
    return [*labels] if len(labels) == 1 else []


def _notes(
    suburbs: SuburbValues, known: gpd.GeoDataFrame, nameless: list[str], missing: pd.Index[str], origin: str
) -> Iterator[str]:
    """Yield sentences on the signs, the names, the values and the boundaries of a map."""
    end = " without the amenity." if "evidence" in suburbs.frame and "sales_flag" not in suburbs.frame else "."
    yield from (note + end for (column, value), (*_, note) in _SIGNS.items() if (known[column] == value).any())
    if known["is_small"].any():
        small = "All suburbs are" if known["is_small"].all() else "Circle: a suburb that is"
        yield f"{small} too small to be seen. To draw one city, pass the values of its suburbs only."
    yield f"No room for the names of {listed(nameless, str)}." if nameless else ""
    yield dates_note(suburbs.frame, suburbs.label)
    yield operations_note(suburbs.frame)
    yield own_values_note(suburbs.frame, suburbs.label)
    yield without_data_note([*suburbs.table.index[suburbs.table["value"].isna()]])
    if len(missing):
        yield f"Not on the map, without a shape: {listed(missing, str)}."
    yield f"Boundaries: {origin}." if origin else ""
