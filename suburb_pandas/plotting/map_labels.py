"""Writes the names of the suburbs of a map: into their shapes, or beside them with a leader."""

from __future__ import annotations

from textwrap import fill
from typing import Any, Final

import geopandas as gpd
import numpy as np
import shapely
from matplotlib.axes import Axes

from suburb_pandas.frames.dates import Values
from suburb_pandas.plotting.figure import across, down
from suburb_pandas.plotting.look import ink_on, muted, page_colour, text_colour, type_size

_LETTERS: Final = 15  # in a line of a name
_AROUND: Final = 6.0 * np.mgrid[-33:34, -33:34].reshape(2, -1).T  # points from a place to the spots that are tried
_GAP: Final = 8.0  # points between a place and a text beside it
_MARKER: Final = 4.5  # points around a marker that no text covers
_WORSE: Final = 150.0  # what it costs, in points, to cover a suburb, and to cross a text or a leader


def write_names(ax: Axes, known: gpd.GeoDataFrame, page: Values, points: Values) -> list[str]:
    """Write the names and values of some rows on a page, from the largest suburb to the smallest.

    ``page`` has the corners in view, and ``points`` the number of points in its units to the east and to the north. A
    text stands in its shape if it fits, else as near as is free, and never in the shape of another suburb. Names
    without a place are returned. The rows have the columns that maps adds to them.
    """
    known = known.sort_values("size", ascending=False)
    shapes = known.scale(*points, origin=(0, 0)).array
    view, land = shapely.box(*(page * points).flat), shapely.union_all(shapes)
    marks = np.vstack([markers.get_offsets() for markers in ax.collections]) * points
    taken = shapely.union_all(shapely.buffer(shapely.points(marks), _MARKER))
    shapely.prepare([view, land, *shapes])
    nameless = []
    for suburb, shape in zip(known.itertuples(), shapes, strict=True):
        place, text = points * [suburb.x, suburb.y], f"{fill(suburb.Index, _LETTERS)}\n{suburb.text}"
        half = np.array([across([text], "note"), down([text], "note")]) / 2
        spots = place + _AROUND
        boxes = shapely.box(*(spots - half).T, *(spots + half).T)
        leaders = shapely.linestrings([[place, spot] for spot in spots])
        shapely.prepare(taken)
        gaps, is_inside = shapely.distance(shapely.Point(place), boxes), shapely.contains(shape, boxes)
        is_beside = (gaps > _GAP) & ~shapely.contains_xy(land, spots)
        is_free = shapely.contains(view, boxes) & ~shapely.intersects(taken, boxes) & (is_inside | is_beside)
        cost = gaps + _WORSE * shapely.intersects(land, boxes) + _WORSE * shapely.intersects(taken, leaders)
        cost[is_inside] = shapely.length(leaders[is_inside]) / 1000
        best = np.argmin(np.where(is_free, cost, np.inf))
        if is_free[best]:
            taken = shapely.union_all([taken, boxes[best], leaders[best]])
            _write(ax, suburb, text, spots[best] / points, suburb.face if is_inside[best] else None)
        else:
            nameless.append(suburb.Index)
    return nameless


def _write(ax: Axes, suburb: Any, text: str, spot: Values, face: str | None) -> None:
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
