"""Projects, selects and simplifies shapes, and turns them into matplotlib's paths.

Only shapes in view are projected. Details smaller than a pixel are removed first: the ABS's shapes have a thousand
corners each, and drawing all of them would take most of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pyproj
import shapely
from matplotlib.path import Path
from pyproj.crs.coordinate_operation import LambertAzimuthalEqualAreaConversion

Box = tuple[float, float, float, float]
"""The limits in the west, the south, the east and the north."""

_MARGIN: Final = 0.03  # of the larger side of the map
_AROUND: Final = 0.25  # the same, before the projection, which bends the edges
_DOTS_AN_INCH: Final = 300
_MOST_DEGREES: Final = 360
_STRAIGHT: Final = 10.0  # degrees, times the square root of a pixel: a line of this length bends by less than a pixel
_SMALLER: Final = 16  # the factor by which the tolerance is reduced for a shape that would be lost


@dataclass(frozen=True, slots=True)
class View:
    """The shapes in view: their numbers among all shapes, and their geometry, ready to draw.

    ``box`` is the extent of the map. ``projection`` describes how the shapes were projected; empty if they were not.
    """

    shapes: npt.NDArray[np.intp]
    geometry: npt.NDArray[np.object_]
    box: Box
    projection: str

    @property
    def ratio(self) -> float:
        """The height of the view as a multiple of its width."""
        return (self.box[3] - self.box[1]) / (self.box[2] - self.box[0])


def view_of(shapes: gpd.GeoSeries, focus: npt.NDArray[np.bool_], inches: tuple[float, float]) -> View:
    """Return the shapes in view, which is the bounds of those in focus and a margin.

    ``inches`` is the size of the figure.

    Raises
    ------
    ValueError
        The coordinates do not fit the coordinate reference system.
    """
    geometry = shapely.force_2d(shapes.to_numpy())
    box = _bounds(geometry[focus])
    if shapes.crs is not None and shapes.crs.is_geographic and max(map(abs, box)) > _MOST_DEGREES:
        raise ValueError(
            f"The coordinates of the boundaries are not degrees, but their CRS is {shapes.crs.name}, which has "
            "degrees. Set the right one: boundaries.set_crs(..., allow_override=True)"
        )
    numbers = np.flatnonzero(_overlaps(geometry, _widened(box, _AROUND)))
    shown = simplified(geometry[numbers], pixel_of(box, inches) / 2)
    crs = equal_area(shapes.crs, box)
    if crs is not None:
        shown = _projected(shown, shapes.crs, crs, pixel_of(box, inches))
    limits = _widened(_bounds(shown[focus[numbers]]), _MARGIN)
    is_shown = _overlaps(shown, limits)
    return View(numbers[is_shown], shown[is_shown], limits, _in_words(box) if crs is not None else "")


def _bounds(geometry: npt.NDArray[np.object_]) -> Box:
    west, south, east, north = (float(each) for each in shapely.total_bounds(geometry))
    return west, south, east, north


def _overlaps(geometry: npt.NDArray[np.object_], box: Box) -> npt.NDArray[np.bool_]:
    """Return True for each shape whose bounds overlap a box."""
    low, high = np.split(shapely.bounds(geometry), 2, axis=1)
    return np.asarray(((low <= box[2:]) & (high >= box[:2])).all(axis=1))


def _widened(box: Box, share: float) -> Box:
    west, south, east, north = box
    more = share * max(east - west, north - south)
    return west - more, south - more, east + more, north + more


def pixel_of(box: Box, inches: tuple[float, float]) -> float:
    """Return the size of a pixel at 300 dots an inch, for a map that is as large as the figure."""
    return max((box[2] - box[0]) / inches[0], (box[3] - box[1]) / inches[1]) / _DOTS_AN_INCH


def simplified(geometry: npt.NDArray[np.object_], tolerance: float) -> npt.NDArray[np.object_]:
    """Return shapes without the corners that are closer to their outline than a tolerance. No shape is lost.

    Rejected: ``coverage_simplify``, which keeps neighbours together exactly but takes fifty times as long. Below half a
    pixel nobody can see the difference.
    """
    simple = shapely.simplify(geometry, tolerance, preserve_topology=False)
    for finer in (tolerance / _SMALLER, 0):
        lost = shapely.is_empty(simple)
        simple[lost] = shapely.simplify(geometry[lost], finer, preserve_topology=False) if finer else geometry[lost]
    return np.asarray(simple, "object")


def _projected(geometry: npt.NDArray[np.object_], crs: Any, onto: Any, pixel: float) -> npt.NDArray[np.object_]:
    """Return projected shapes. Long lines get more corners first, because a straight line in degrees bends on a map.

    Otherwise gaps would open between neighbours that have different corners on their common border.
    """
    dense = shapely.segmentize(geometry, _STRAIGHT * pixel**0.5)
    return np.asarray(gpd.GeoSeries(dense, crs=crs).to_crs(onto), "object")


def equal_area(crs: Any, box: Box) -> Any:
    """Return an equal-area projection centred on the view, for degrees; None for coordinates that stay as they are.

    Rejected: Australian Albers (EPSG:9473), which is also equal-area. Away from its middle meridian, 132 degrees East,
    it turns the map: by nine degrees in Sydney.
    """
    if crs is None or not crs.is_geographic:
        return None
    conversion = LambertAzimuthalEqualAreaConversion(*_middle(box))
    return pyproj.crs.ProjectedCRS(conversion, geodetic_crs=crs.to_2d())


def _middle(box: Box) -> tuple[float, float]:
    """Return the latitude and the longitude in the middle of the view, in whole tenths of a degree."""
    return round((box[1] + box[3]) / 2, 1), round((box[0] + box[2]) / 2, 1)


def _in_words(box: Box) -> str:
    latitude, longitude = _middle(box)
    parallel = f"{abs(latitude)}\N{DEGREE SIGN} {'S' if latitude < 0 else 'N'}"
    meridian = f"{abs(longitude)}\N{DEGREE SIGN} {'W' if longitude < 0 else 'E'}"
    return f"Lambert azimuthal equal-area projection, centred on {parallel}, {meridian}"


def paths_of(geometry: npt.NDArray[np.object_]) -> list[Path]:
    """Return a path for each shape: the rings of all of its parts, holes in the other direction."""
    parts, owners = shapely.get_parts(shapely.normalize(geometry), return_index=True)
    _, corners, (rings, polygons) = shapely.to_ragged_array(parts)
    codes = np.full(len(corners), Path.LINETO, Path.code_type)
    codes[rings[:-1]] = Path.MOVETO
    codes[rings[1:] - 1] = Path.CLOSEPOLY
    ends = rings[polygons[np.searchsorted(owners, np.arange(len(geometry) + 1))]]
    return [Path(corners[start:end], codes[start:end]) for start, end in pairwise(ends)]
