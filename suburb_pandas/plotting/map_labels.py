"""Writes the names of the suburbs of a map: into their shapes, or beside them with a leader."""

from __future__ import annotations

from typing import Any, Final

import geopandas as gpd
import numpy as np
import shapely
from matplotlib.axes import Axes

from suburb_pandas.plotting.look import ink_on, muted, page_colour, text_colour, type_size
from suburb_pandas.plotting.map_views import View

_LETTER, _LINE = 0.62, 1.4  # the width of a letter and the height of a line, as multiples of the type size
_DISTANCES: Final = np.array([8.0, 14, 22, 32, 45, 65, 90, 120, 160])  # points between a place and a text beside it
_ANGLES: Final = np.linspace(0, 2 * np.pi, 24, endpoint=False)
_TURNS: Final = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])  # on a circle
_SIDES: Final = _TURNS / np.abs(_TURNS).max(axis=1, keepdims=True)  # on a square, so that no box covers its middle
_MARKER: Final = 4.5  # points around a marker that no text covers
_COVERED, _PASSED = 60.0, 20.0  # what it costs that a text covers a suburb, and that its leader passes one; in points
_CROSSED, _OVER = 300.0, 1e5  # the same for other texts and leaders: if a leader crosses them, or a text covers them


def write_names(ax: Axes, view: View, known: gpd.GeoDataFrame) -> None:
    """Write the ``label`` of some rows of a view, from the largest suburb to the smallest, each in the best free place.

    In Axes that are too small, some have no place and are left out. The rows have the columns that maps adds to them.
    """
    is_marked = known[["is_small", "thin", "caution", "is_stale"]].any(axis=1)
    taken = [*shapely.buffer(known["place"], np.where(is_marked, _MARKER, 1) / view.points)]
    shapes = shapely.buffer(known.geometry.array, 0)  # valid again after simplifying
    for row in np.argsort(-shapely.area(shapes), kind="stable"):
        label, face, place = known.iloc[row][["label", "face", "place"]]
        lines = label.splitlines()
        size = type_size("note") / view.points * np.array([_LETTER * max(map(len, lines)), _LINE * len(lines)])
        spots, distances = _spots(shapes[row], place, size, view.points)
        boxes = shapely.box(*(spots - size / 2).T, *(spots + size / 2).T)
        ways = shapely.shortest_line(place, shapely.points(spots))
        is_inside = shapely.contains(shapes[row], boxes)
        shared = shapely.area(shapely.intersection(boxes[:, None], shapes)) / np.minimum(
            shapely.area(shapes), size.prod()
        )
        cost = np.where(is_inside, distances / 10, distances + _COVERED * shared.sum(axis=1))
        cost += _CROSSED * shapely.intersects(ways, shapely.union_all(taken[len(known) :]))
        is_over = shapely.intersects(boxes, shapely.union_all(taken)) | ~shapely.within(boxes, shapely.box(*view.box))
        best = int(np.argmin(cost + _OVER * is_over))
        if not is_over[best]:
            taken += [boxes[best], ways[best]]
            _write(ax, label, ways[best], face if is_inside[best] else None)


def _spots(shape: Any, place: Any, size: Any, points: float) -> tuple[Any, Any]:
    """Return the middles of the texts that can be tried, in and around a shape, and their distances in points."""
    middle = shapely.get_coordinates(shapely.maximum_inscribed_circle(shape))[:1]
    away = (size / 2 + _DISTANCES[:, None] / points)[:, None] * _SIDES
    spots = shapely.get_coordinates(place) + away.reshape(-1, 2)
    return np.concatenate([middle, spots]), np.append(0, np.repeat(_DISTANCES, len(_SIDES)))


def _write(ax: Axes, label: str, way: Any, face: str | None) -> None:
    """Write a text at the end of a way, in a shape with a colour or, without one, beside its shape with a leader.

    A box around it hides borders and hatching.
    """
    page = page_colour(ax)
    place, spot = shapely.get_coordinates(way)
    leader = {"arrowstyle": "-", "color": muted(page), "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0}
    ax.annotate(
        label,
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
