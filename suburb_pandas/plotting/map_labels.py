"""Writes the names of the suburbs of a map: into their shapes, or beside them with a leader."""

from __future__ import annotations

from textwrap import wrap
from typing import Any, Final

import geopandas as gpd
import numpy as np
import shapely
from matplotlib.axes import Axes

from suburb_pandas.plotting.look import ink_on, muted, page_colour, text_colour, type_size
from suburb_pandas.timeseries.dates import Values

_LETTERS: Final = 15  # in a line of a name
_LETTER, _LINE = 0.62, 1.4  # the width of a letter and the height of a line, as multiples of the type size
_DISTANCES: Final = np.geomspace(8, 160, 9)  # points between a place and a text beside it
_STEP: Final = 12.0  # points between the places all over a page
_GRID: Final = np.linspace(-1, 1, 7)
_SIDES: Final = np.array([(x, y) for x in _GRID for y in _GRID if max(abs(x), abs(y)) == 1])  # of a square
_MARKER: Final = 4.5  # points around the place of a suburb that no text covers
_COVERED, _CROSSED = 80.0, 300.0  # what it costs, in points, to cover a suburb, and to cross a text or a leader


def write_names(ax: Axes, known: gpd.GeoDataFrame, page: Any, points: Values) -> list[str]:
    """Write the names and values of some rows on a page, from the largest suburb to the smallest.

    ``page`` is the box in view, and ``points`` the number of points in its units to the east and to the north. A text
    stands in its shape if it fits, else as near as is free, and never in the shape of another suburb. Names without a
    place are returned. The rows have the columns that maps adds to them.
    """
    shapes, page = (shapely.transform(each, lambda corners: corners * points) for each in (known.geometry.array, page))
    shapes, places = shapely.buffer(shapes, 0), known[["x", "y"]].to_numpy() * points  # valid after simplifying
    taken = shapely.union_all(shapely.buffer(shapely.points(places[known["is_marked"]]), _MARKER))
    land = shapely.union_all(shapes)
    shapely.prepare([land, page, *shapes])
    west, south, east, north = page.bounds
    everywhere = [(x, y) for x in np.arange(west, east, _STEP) for y in np.arange(south, north, _STEP)]
    nameless = []
    for row in np.argsort(-shapely.area(shapes), kind="stable"):
        shapely.prepare(taken)
        lines = [*wrap(known.index[row], _LETTERS, break_long_words=False), known["text"].iloc[row]]
        half = type_size("note") * np.array([_LETTER * max(map(len, lines)), _LINE * len(lines)]) / 2
        around = (half + _DISTANCES[:, None])[:, None] * _SIDES
        spots = np.vstack([places[row], places[row] + around.reshape(-1, 2), everywhere])
        boxes, ways = (
            shapely.box(*(spots - half).T, *(spots + half).T),
            shapely.linestrings([[places[row], spot] for spot in spots]),
        )
        gaps, is_inside = shapely.distance(shapely.Point(places[row]), boxes), shapely.contains(shapes[row], boxes)
        cost = np.where(gaps < 0.99 * _DISTANCES[0], np.inf, gaps)
        cost += _COVERED * shapely.intersects(land, boxes)
        cost += _CROSSED * shapely.intersects(taken, ways)
        cost[is_inside] = gaps[is_inside] / 1000
        cost[~shapely.contains(page, boxes) | shapely.intersects(taken, boxes)] = np.inf
        cost[shapely.contains_xy(land, spots) & ~shapely.contains_xy(shapes[row], spots)] = np.inf
        best = np.argmin(cost)
        if np.isfinite(cost[best]):
            taken = shapely.union_all([taken, boxes[best], ways[best]])
            place, spot = places[row] / points, spots[best] / points
            _write(ax, "\n".join(lines), place, spot, known["face"].iloc[row] if is_inside[best] else None)
        else:
            nameless.append(known.index[row])
    return nameless


def _write(ax: Axes, text: str, place: Any, spot: Any, face: str | None) -> None:
    """Write a text at a spot, in a shape with a colour or, without one, with a leader from the place of its shape.

    A box around it hides borders and hatching.
    """
    page = page_colour(ax)
    leader = {"arrowstyle": "-", "color": muted(page), "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0}
    ax.annotate(
        text,
        place,
        spot,
        arrowprops=None if face else leader,
        color=ink_on(face) if face else text_colour(page),
        bbox={"boxstyle": "square,pad=0.1", "facecolor": face or page, "edgecolor": "none"},
        fontsize=type_size("note"),
        ha="center",
        va="center",
        parse_math=False,
        gid="name",
        zorder=5,
    )
