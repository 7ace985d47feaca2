"""Reads boundaries from a GeoDataFrame or a file, and finds the shape of each suburb by its exact name.

A file is opened by GDAL only if its first bytes are those of a shapefile, a GeoPackage or a FlatGeobuf file, because
many other formats make GDAL fetch an address or open another file: XML under any ending, and some JSON. Python reads
JSON. GeoParquet is not read: PROJ would open the file that a coordinate reference system in it names. The made-up
boundaries are left to sandbox_boundaries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zipfile import ZipFile, is_zipfile

import geopandas as gpd
import pandas as pd
import shapely

from suburb_pandas.errors import SkippedRowsWarning
from suburb_pandas.frames.column import column_or_level, labels_of
from suburb_pandas.frames.schema import is_made_up
from suburb_pandas.messages import listed, warn
from suburb_pandas.settings import expand_home


def read_boundaries(boundaries: object) -> tuple[gpd.GeoSeries, str, bool]:
    """Return the areas of suburbs by their names, their origin in words if it is known, and whether they are made up.

    The areas are read from a GeoDataFrame, or from a file as `plot_map` describes it.
    """
    if isinstance(boundaries, gpd.GeoDataFrame):
        are_made_up = is_made_up(boundaries)
        return _areas_of(boundaries), "made up" * are_made_up, are_made_up
    if not isinstance(boundaries, str | PathLike):
        raise TypeError(f"boundaries must be a GeoDataFrame or the path of a file, not {type(boundaries).__name__}.")
    path = expand_home(boundaries).resolve()
    return _areas_of(_of_path(path)), path.name, False


def _areas_of(frame: gpd.GeoDataFrame) -> gpd.GeoSeries:
    """Return the areas of a frame by their names. Rows without an area are left out."""
    if getattr(frame, "active_geometry_name", None) is None:
        raise ValueError("The boundaries have no geometry. Set it with boundaries.set_geometry(...).")
    labels = labels_of(frame)
    if len(labels) != 1:
        raise ValueError(
            "The boundaries must have one column of names, such as SAL_NAME_2021, area_name or suburb, not "
            f"{listed(labels) or 'none'}. Their columns are {listed(frame.columns)}. Rename the right one to area_name."
        )
    names = pd.Index(column_or_level(frame, labels[0], ValueError), dtype="object")
    areas = gpd.GeoSeries(frame.geometry.array, names)
    return areas[shapely.area(areas.array) > 0]


def _of_path(path: Path) -> gpd.GeoDataFrame:
    """Read the boundaries in a file, or in the only file of boundaries in a zip file."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}. Check the path of boundaries=.")
    try:
        with TemporaryDirectory() as folder:
            return _of_file(_unpacked(path, Path(folder)))
    except Exception as error:  # what can be wrong with a file, and what a reader then raises, has no end
        reader = "geopandas.read_parquet" if path.suffix.casefold() == ".parquet" else "geopandas.read_file"
        raise ValueError(
            f"{path.name} is not one layer of boundaries in a shapefile, a GeoPackage, GeoJSON or FlatGeobuf, so it "
            f"was not read. If you trust it, pass the GeoDataFrame: {reader}({str(path)!r})"
        ) from error


def _unpacked(path: Path, folder: Path) -> Path:
    """Return the only file of boundaries in a zip file, unpacked into a folder; any other path as it is.

    GDAL could find other files in a zip file than Python, so it does not see it.
    """
    if not path.is_file():  # a named pipe would wait for a writer
        raise ValueError("This is not a regular file.")
    if not is_zipfile(path):
        return path
    with ZipFile(path) as opened:
        opened.extractall(folder)
    (found,) = [file for file in folder.rglob("*") if file.suffix.casefold() in _FORMATS]
    return found


def _of_file(file: Path) -> Any:
    """Read a file if it begins as its ending requires, or raise.

    pyogrio takes what follows some characters for a part of an archive or of an address, and opens another file.
    """
    beginning, read_file = _FORMATS[file.suffix.casefold()]
    with file.open("rb") as opened:
        if {*"!;?"} & {*str(file)} or not re.match(beginning, opened.read(16), re.DOTALL):
            raise ValueError("Its first bytes do not fit its ending, or its path has a sign of an address.")
    return read_file(file)


def _of_layers(path: Path) -> gpd.GeoDataFrame:
    """Read the layer that has a column of names; the ABS puts suburbs and other areas into one GeoPackage."""
    layers = [*gpd.list_layers(path)["name"]]
    (layer,) = [layer for layer in layers if labels_of(gpd.read_file(path, layer=layer, rows=1))] or layers[:1]
    return gpd.read_file(path, layer=layer)


def _of_json(path: Path) -> gpd.GeoDataFrame:
    """Read GeoJSON. GDAL would fetch the coordinate reference system that it links to, and PROJ open a path."""
    found = json.loads(path.read_text("utf-8-sig"))
    crs = found.get("crs") or {"properties": {}}
    named = crs["properties"].get("name", "OGC:CRS84")
    if not re.fullmatch("(urn:ogc:def:crs:)?(EPSG|OGC)[:0-9.A-Z]*", named):
        raise ValueError(f"It names an unusual coordinate reference system: {named!r}.")
    return gpd.GeoDataFrame.from_features(found["features"], crs=named)


# The first bytes of a file have a zero byte in front of anything that a driver for XML could find.
_FORMATS: Final[dict[str, tuple[bytes, Callable[[Path], Any]]]] = {
    ".shp": (rb"\0\0\x27\n", gpd.read_file),
    ".gpkg": (rb"SQLite format 3\0", _of_layers),
    ".fgb": (rb"fgb\x03fgb.{0,5}\0", gpd.read_file),
    ".geojson": (b"", _of_json),
    ".json": (b"", _of_json),
}
"""How the files with an ending begin, and what reads them."""


def without_shape(areas: gpd.GeoSeries, names: pd.Index[str]) -> pd.Index[str]:
    """Return the names without a shape, with a warning. Raise unless a name has a shape, and none has several.

    Names match exactly. Rejected: joining on names without their suffix. Of the ABS's 15,334 suburbs, 2,274 have a
    namesake in another state or council, and would get its value.
    """
    found, missing = areas.index[areas.index.isin(names)], names.difference(areas.index, sort=False)
    if found.empty:
        raise ValueError(
            f"None of the names has a shape: {listed(names[:3])}. The boundaries have {len(areas):,} areas, the first "
            f"called {listed(areas.index[:3]) or 'nothing'}, and names have to match exactly. Find the exact names: "
            f"sp.resolve({list(names[:3])})"
        )
    if found.has_duplicates:
        raise ValueError(
            f"Several shapes are called {listed(found[found.duplicated()].unique())}. If they are parts of one suburb, "
            "join them with boundaries.dissolve(...). If they are different suburbs, use the ABS's names, which differ."
        )
    if len(missing):
        what = f"{len(missing):,} of {len(names):,} names have no shape and are not on the map: {listed(missing)}."
        warn(what, SkippedRowsWarning)
    return missing
