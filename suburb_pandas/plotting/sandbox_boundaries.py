"""Offers the boundaries of the made-up suburbs as a GeoDataFrame. Drawing them is left to sandbox.boundaries.

geopandas comes with the extra ``map``, so nothing here imports it before it is needed.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from suburb_pandas.frames.marks import mark
from suburb_pandas.messages import install_line
from suburb_pandas.sandbox.boundaries import outlines
from suburb_pandas.sandbox.country import STATES, SUBURBS

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

# Metres that are tied to no place on the earth. Rejected: degrees in mid-ocean, which a web map would show there.
_NOWHERE: Final = (
    'ENGCRS["Made-up country of the embedded sandbox",EDATUM["Made-up: no place on the earth"],CS[Cartesian,2],'
    'AXIS["(E)",east,ORDER[1]],AXIS["(N)",north,ORDER[2]],LENGTHUNIT["metre",1]]'
)


def require_geopandas() -> None:
    """Raise ImportError, with the line to paste, if geopandas is not installed."""
    if find_spec("geopandas") is None:
        raise ImportError(f"Maps need geopandas, which is not installed: {install_line('map')}")


def sandbox_boundaries() -> GeoDataFrame:
    """Return the boundaries of the made-up suburbs. No call is made.

    They are the same on every machine and follow no real coast. Each state is an island. Its suburbs meet without gaps,
    and are small near its largest town and large elsewhere.

    Returns
    -------
    geopandas.GeoDataFrame
        One row for each made-up suburb, sorted by name. The columns ``SAL_NAME_2021`` and ``STATE_NAME_2021`` (str)
        have the names of the ABS's file, so :func:`load_gazetteer` can read the frame. ``geometry`` has polygons in
        metres. The CRS is a local one that is tied to no place on the earth, so ``to_crs`` raises an error. So does
        ``explore``, because web maps have no tiles of a made-up place. Without the CRS, it shows the shapes on an empty
        page: ``boundaries.set_crs(None, allow_override=True).explore()``.

    Raises
    ------
    ImportError
        geopandas is not installed. It comes with the extra ``map``.

    See Also
    --------
    plot_map : Draw values by suburb on a map.
    load_gazetteer : Read a list of suburbs, also with their councils and statistical areas.

    Examples
    --------
    >>> boundaries = sp.sandbox_boundaries()
    >>> boundaries.columns.to_list()
    ['SAL_NAME_2021', 'STATE_NAME_2021', 'geometry']
    >>> boundaries.crs.name
    'Made-up country of the embedded sandbox'
    """
    require_geopandas()
    import geopandas as gpd  # noqa: PLC0415 - comes with the extra `map` only
    import shapely  # noqa: PLC0415 - as above

    rings = outlines()
    columns = {
        "SAL_NAME_2021": [suburb.name for suburb in SUBURBS],
        "STATE_NAME_2021": [STATES[suburb.state] for suburb in SUBURBS],
    }
    geometry = [shapely.Polygon(rings[suburb.name]) for suburb in SUBURBS]
    frame = gpd.GeoDataFrame(columns, geometry=geometry, crs=_NOWHERE)
    mark(frame, "boundaries", "embedded", None, made_up=True)
    return frame
