"""Selects the shapes in view, projects them to equal areas, and removes details smaller than a pixel.

The ABS's shapes have a thousand corners each, and drawing all of them would take most of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import shapely

Box = npt.NDArray[np.float64]
"""The limits in the west, the south, the east and the north."""

_MARGIN: Final = 1.06  # times the bounds of the suburbs with values
_AROUND: Final = 1.8  # the same, before the projection, which bends the edges
_DOTS_AN_INCH: Final = 300
_MOST_DEGREES: Final = 360
_STRAIGHT: Final = 10.0  # degrees, times the square root of a pixel: a line of this length bends by less than a pixel


@dataclass(frozen=True, slots=True)
class View:
    """The rows of a map that are in view, ready to draw.

    ``box`` is the extent of the map, which has the shape of its room, and ``inches`` the size of that room.
    ``projection`` describes how the shapes were projected; it is empty if they were not.
    """

    rows: gpd.GeoDataFrame
    box: Box
    inches: tuple[float, float]
    projection: str

    @property
    def points(self) -> float:
        """The number of points in a unit of the map."""
        return float(72 * self.inches[0] / (self.box[2] - self.box[0]))


def view_of(rows: gpd.GeoDataFrame, focus: npt.NDArray[np.bool_], width: float, heights: tuple[float, float]) -> View:
    """Return the rows in view: those in focus and whatever lies around them in the room of the map.

    The room is ``width`` inches wide and, between two ``heights``, as high as the map requires.

    Raises
    ------
    ValueError
        The coordinates do not fit the coordinate reference system.
    """
    crs, box = rows.crs, rows[focus].total_bounds
    is_in_degrees = crs is not None and crs.is_geographic
    if is_in_degrees and np.abs(box).max() > _MOST_DEGREES:
        raise ValueError(
            f"The coordinates of the boundaries are not degrees, but their CRS is {crs.name}, which has degrees. Set "
            "the right one: boundaries.set_crs(..., allow_override=True)"
        )
    pixel = max((box[2] - box[0]) / width, (box[3] - box[1]) / heights[1]) / _DOTS_AN_INCH
    is_near = _overlaps(rows, _fitted(box, width / heights[1], _AROUND))
    near, focus = rows[is_near], focus[is_near]
    near = near.set_geometry(_simplified(near.geometry.to_numpy(), pixel / 2), crs=crs)
    words = ""
    if is_in_degrees:
        onto, words = _equal_area(box)
        # A straight line in degrees bends on a map, so without more corners gaps would open between neighbours.
        near = near.set_geometry(near.geometry.segmentize(_STRAIGHT * pixel**0.5)).to_crs(onto)
    box = near[focus].total_bounds
    height = float(np.clip(width * (box[3] - box[1]) / (box[2] - box[0]), *heights))
    box = _fitted(box, width / height, _MARGIN)
    return View(near[_overlaps(near, box)], box, (width, height), words)


def _overlaps(rows: gpd.GeoDataFrame, box: Box) -> npt.NDArray[np.bool_]:
    """Return True for each row whose bounds overlap a box."""
    bounds = shapely.bounds(rows.geometry.to_numpy())
    return np.asarray(((bounds[:, :2] <= box[2:]) & (bounds[:, 2:] >= box[:2])).all(axis=1))


def _fitted(box: Box, ratio: float, share: float) -> Box:
    """Return a box around the same middle, so many times as large, and wide or high enough for a room."""
    size, middle = share * (box[2:] - box[:2]), (box[2:] + box[:2]) / 2
    half = np.maximum(size, size[::-1] * [ratio, 1 / ratio]) / 2
    return np.concatenate([middle - half, middle + half])


def _simplified(shapes: npt.NDArray[np.object_], tolerance: float) -> npt.NDArray[np.object_]:
    """Return shapes without the corners that are closer to their outline than a tolerance. No shape is lost.

    Rejected: ``coverage_simplify``, which keeps neighbours together exactly but takes fifty times as long. Below half a
    pixel nobody can see the difference.
    """
    simple = shapely.simplify(shapes, tolerance, preserve_topology=False)
    return np.asarray(np.where(shapely.area(simple) > 0, simple, shapely.envelope(shapes)), "object")


def _equal_area(box: Box) -> tuple[str, str]:
    """Return an equal-area projection that is centred on a box of degrees, and its description.

    Rejected: Australian Albers (EPSG:9473), which is also equal-area. Away from its middle meridian, 132 degrees East,
    it turns the map: by nine degrees in Sydney.
    """
    x, y = ((box[:2] + box[2:]) / 2).round(1)
    place = f"{abs(y)}\N{DEGREE SIGN} {'NS'[int(y < 0)]}, {abs(x)}\N{DEGREE SIGN} {'EW'[int(x < 0)]}"
    words = f"Lambert azimuthal equal-area projection, centred on {place}"
    return f"+proj=laea +lat_0={y} +lon_0={x} +ellps=GRS80", words
