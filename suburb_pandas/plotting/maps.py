"""Draws a map: suburbs in the colours of their classes, hatched without data, marked for thin evidence and stale rents.

The shapes in view are drawn without details smaller than a pixel: the ABS's have a thousand corners each, and drawing
all of them would take most of the time. Reading values and boundaries is left to values and boundaries, the
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
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from suburb_pandas.frames.dates import Values
from suburb_pandas.messages import listed
from suburb_pandas.plotting import boundaries as files
from suburb_pandas.plotting.classes import Styles, classes_of, limits_of
from suburb_pandas.plotting.figure import Target, Words, finish, make_axes
from suburb_pandas.plotting.look import format_number, page_colour, text_colour, tidy, type_size
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

_SIGNS: Final = {
    ("flag", "thin"): ("x", "thin evidence", f"Cross: thin evidence, up to {LIMITS['thin']} sales"),
    ("flag", "caution"): (".", "caution", f"Dot: caution, up to {LIMITS['caution']} sales"),
    ("flag", "sales not known"): ("v", "sales not known", "Triangle: an unknown number of sales"),
    ("is_stale", True): ("+", "stale rent", f"Plus: {OLD_RENT}"),
}
"""The marker of a value in a column, its name in the legend, and its note, which ends with the kind of sales."""
_LOWEST, _HIGHEST = 3.0, 7.5  # inches, the height of a map
_BESIDE, _AROUND = 0.28, 1.7  # inches for the words beside, above and below a map
_SHARE: Final = 0.8  # of Axes of the user that the layout leaves to the map
_MARGIN: Final = 1.06  # times the bounds of the suburbs
_DOTS: Final = 300  # an inch; details smaller than one of them are left out
_SMALL: Final = 6 * 0.72  # points: six pixels at 100 dots an inch
_MOST_SMALL, _COVER = 60, 0.1  # if more shapes are small, they have markers only on a map that is mostly empty
_MOST_NAMES: Final = 12  # suburbs on a map with names
_NAMED: Final = 115.0  # points, the least width and height of a map with names: that in Axes of 2 inches
_DOT, _SIGN = 7.0, 5.0  # the sizes of markers, in points


def draw(
    values: object, boundaries: object, target: Target, column: Hashable | None, classes: Sequence[float] | None
) -> Axes:
    """Draw a map and return its Axes; see `plot_map`."""
    given, (areas, origin) = read(values, column), files.read(boundaries)
    limits = None if classes is None else limits_of(classes)
    if given.table.empty:
        raise ValueError("The frame has no suburbs to draw.")
    missing = files.without_shape(areas, given.table.index)
    rows = gpd.GeoDataFrame(given.table.reindex(areas.index), geometry=areas.array)
    ax = make_axes(target)[0]
    tidy(ax)
    page, points = _view(rows[rows.index.isin(given.table.index)], target)
    ax.set(xticks=[], yticks=[], xlim=page[:, 0], ylim=page[:, 1], aspect=points[1] / points[0], facecolor="none")
    rows = _in_view(rows, page, points)
    numbers = rows["value"].to_numpy()
    decimals = given.column.decimals(numbers[np.isfinite(numbers)])
    rows["number"], styles = classes_of(numbers, limits, page_colour(ax), decimals)
    rows["face"] = [styles[number]["facecolor"] for number in rows["number"]]
    rows["text"] = [format_number(value, decimals) for value in numbers]
    known = rows[rows["value"].notna()]
    legend = [*_draw_areas(ax, rows, styles), *_draw_signs(ax, known)]
    room = np.ptp(page * points, axis=0)
    has_names = len(known) <= _MOST_NAMES and room.min() >= _NAMED
    nameless = write_names(ax, known, page, points) if has_names else []
    words = Words(
        title_of(", ".join([given.column.title, *_amenity(given.frame)]), [*known.index]),
        given.column.measure,
        notes=_notes(given, known, nameless, missing, origin),
        source=source_note(given.frame),
        alt=_alt(known),
        is_made_up=given.is_made_up or origin == files.MADE_UP,
    )
    return finish(target, [ax], words, room[1] / (8 * type_size()), legend=legend)


def _view(focus: gpd.GeoDataFrame, target: Target) -> tuple[Values, Values]:
    """Return the corners of the page in view, and the number of points in its units to the east and to the north.

    In view are the suburbs in focus and whatever lies around them in the room of the map. As geopandas draws them,
    degrees to the east are as long as in the middle of the map.
    """
    limits, is_in_degrees = focus.total_bounds.reshape(2, 2), getattr(focus.crs, "is_geographic", False)
    middle = limits.mean(axis=0)
    degree = np.array([np.cos(np.radians(middle[1])) if is_in_degrees else 1, 1])
    size = _MARGIN * degree * np.ptp(limits, axis=0)
    room = _room(target, size[1] / size[0])
    points = degree * (room / size).min()
    return middle + np.outer([-1, 1], room / points / 2), points


def _room(target: Target, shape: float) -> Values:
    """Return the width and the height of a map in points, as high as its shape requires if that may be chosen.

    In Axes of the user, the words take a part of the room. The map has the shape that the Axes have now.
    """
    if target.ax is not None:
        return 72 * _SHARE * np.array(target.ax.bbox.size) / target.ax.figure.dpi
    width = target.width - _BESIDE
    height = target.figsize[1] - _AROUND if target.figsize else min(width * shape, _HIGHEST)
    return 72 * np.array([width, max(height, _LOWEST)])


def _in_view(rows: gpd.GeoDataFrame, page: Values, points: Values) -> gpd.GeoDataFrame:
    """Return the rows in view with the outlines and places that are drawn, and with their sizes in square points.

    ``is_small`` is True for a suburb that needs a marker to be seen.
    """
    near = rows.iloc[rows.sindex.query(shapely.box(*page.flat), sort=True)]
    # Rejected: coverage_simplify, which keeps neighbours together exactly but takes fifty times as long.
    outlines = near.simplify(36 / points[1] / _DOTS, preserve_topology=False)
    outlines = outlines.where(shapely.area(outlines.array) > 0, near.envelope)  # no shape is lost
    size, is_known = shapely.area(outlines.array) * points.prod(), near["value"].notna()
    is_small = is_known & (size < _SMALL**2)
    is_small &= is_small.sum() <= _MOST_SMALL or size[is_known].sum() < _COVER * np.prod(np.ptp(page * points, axis=0))
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


def _amenity(drivers: pd.DataFrame) -> list[str]:
    """Return the label of the drivers in a frame, if it has drivers and all have the same label."""
    labels = {*map(str, drivers.get("label", ()))} if "evidence" in drivers else ()
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
    ends = known.sort_values("value")["text"].iloc[[0, -1]]
    low, high = (f"{name} ({text})" for name, text in ends.items())
    return f"A map of {len(known):,} suburb{'' if len(known) == 1 else 's'}, from {low} to {high}."
