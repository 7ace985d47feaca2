"""Selects the shapes in view, and removes details smaller than a pixel.

The ABS's shapes have a thousand corners each, and drawing all of them would take most of the time.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import geopandas as gpd
import numpy as np
import shapely

from suburb_pandas.timeseries.dates import Flags, Values

_MARGIN: Final = 1.06  # times the bounds of the suburbs with values
_DOTS: Final = 300  # an inch


class View(NamedTuple):
    """The rows of a map that are in view, ready to draw.

    ``page`` is the box in view, ``points`` the number of points in its units to the east and to the north, and
    ``inches`` its height.
    """

    rows: gpd.GeoDataFrame
    page: Any
    points: Values
    inches: float


def view_of(rows: gpd.GeoDataFrame, focus: Flags, width: float, least: float, most: float) -> View:
    """Return the rows in view: those in focus and whatever lies around them in the room of the map.

    The room is ``width`` inches wide and, between ``least`` and ``most``, as high as the map requires. As geopandas
    draws them, degrees to the east are as long as in the middle of the map.
    """
    box, is_in_degrees = rows[focus].total_bounds.reshape(2, 2), rows.crs is not None and rows.crs.is_geographic
    middle = box.mean(axis=0)
    degree = np.array([np.cos(np.radians(middle[1])) if is_in_degrees else 1, 1])
    size = _MARGIN * degree * np.ptp(box, axis=0)
    room = np.array([width, np.clip(width * size[1] / size[0], least, most)])
    inches = degree * (room / size).min()
    page = shapely.box(*(middle - room / inches / 2), *(middle + room / inches / 2))
    near = rows.iloc[np.sort(rows.sindex.query(page))]
    return View(near.set_geometry(_simplified(near, 0.5 / inches[1] / _DOTS)), page, 72 * inches, room[1])


def _simplified(rows: gpd.GeoDataFrame, tolerance: float) -> gpd.GeoSeries:
    """Return shapes without the corners that are closer to their outline than a tolerance. No shape is lost.

    Rejected: ``coverage_simplify``, which keeps neighbours together exactly but takes fifty times as long. Below half a
    pixel nobody can see the difference.
    """
    simple = rows.geometry.simplify(tolerance, preserve_topology=False)
    return simple.where(shapely.area(simple.array) > 0, rows.geometry.envelope)
