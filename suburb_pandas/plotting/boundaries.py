"""Reads boundaries from a GeoDataFrame or a file, and finds the shape of each suburb by its exact name.

A file is opened by GDAL only if its first bytes are those of a shapefile, a GeoPackage or a FlatGeobuf file, because
many other formats make GDAL fetch an address or open another file: XML under any ending, and some JSON. Python reads
JSON. The made-up boundaries are left to made_up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from zipfile import ZipFile, is_zipfile

import geopandas as gpd
import numpy as np
import pandas as pd
import pyogrio
import shapely

from suburb_pandas.frames.column import SPELLINGS, is_common
from suburb_pandas.frames.schema import AREA_NAME, is_made_up
from suburb_pandas.messages import listed
from suburb_pandas.names.sal import is_sal_column
from suburb_pandas.settings import expand_home

_ENDINGS: Final = {".shp", ".gpkg", ".geojson", ".json", ".fgb", ".parquet"}
_BEGINNING: Final = 1024  # bytes
# Each has a zero byte in front of anything that a driver for XML could find.
_OF_GDAL: Final = re.compile(rb"\0\0\x27\n|SQLite format 3\0|fgb\x03fgb.{0,5}\0", re.DOTALL)
_GEODATABASE: Final = (".gdb", "a00000001.gdbtable", b"[\x03\x04]\0\0\0")  # a folder, its first table, how that begins
_MARK: Final = b"\xef\xbb\xbf"  # of UTF-8
_POLYGONS: Final = (3, 6)  # shapely's numbers of a polygon and of one with several parts


@dataclass(frozen=True, slots=True)
class Shapes:
    """The areas of suburbs by their names, what they come from in words, and how many rows have no area."""

    areas: gpd.GeoSeries
    origin: str
    without_area: int
    is_made_up: bool


def read(boundaries: object) -> Shapes:
    """Read boundaries from a GeoDataFrame, or from a file as `plot_map` describes it."""
    if isinstance(boundaries, gpd.GeoDataFrame):
        if boundaries.active_geometry_name is None:
            raise ValueError("boundaries has no geometry. Name the column of shapes: boundaries.set_geometry('...')")
        return _shapes_of(boundaries, "boundaries", f"a frame of {len(boundaries):,} shapes")
    if not isinstance(boundaries, str | PathLike):
        raise TypeError(
            f"boundaries must be a GeoDataFrame or the path of a file, not {type(boundaries).__name__}. The ABS "
            "publishes the boundaries of suburbs as a shapefile and as a GeoPackage."
        )
    path = Path(expand_home(boundaries))
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}. Check the path of boundaries=.")
    return _shapes_of(_of_path(path), path.name, path.name)


def _shapes_of(frame: gpd.GeoDataFrame, title: str, origin: str) -> Shapes:
    """Return the areas of a frame."""
    label = _only_label([*frame.columns, *frame.index.names], title)
    names = frame[label] if label in frame.columns else frame.index.get_level_values(label)
    shapes = shapely.force_2d(frame.geometry.to_numpy())
    has_area = np.isin(shapely.get_type_id(shapes), _POLYGONS) & (shapely.area(shapes) > 0)
    if not has_area.any():
        raise ValueError(
            f"{title} has no areas: none of its {len(frame)} rows has a polygon. Pass the areas of the suburbs, not "
            "their points or lines."
        )
    index = pd.Index(np.asarray(names, "object")[has_area])
    areas = gpd.GeoSeries(shapes[has_area], index, crs=frame.crs)
    return Shapes(areas, "made up" if is_made_up(frame) else origin, int((~has_area).sum()), is_made_up(frame))


def _labels_of_names(labels: Iterable[Hashable]) -> list[str]:
    """Return the labels that can be those of the names: the ABS's, else ``area_name``, else common ones."""
    texts = [*dict.fromkeys(label for label in labels if isinstance(label, str))]
    found = ([*filter(rule, texts)] for rule in (is_sal_column, AREA_NAME.__eq__, is_common))
    return next(filter(None, found), [])


def _only_label(labels: Iterable[Hashable], title: str) -> str:
    """Return the label of the names, or raise if there is none, or several."""
    found = _labels_of_names(labels)
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"{title} has several columns of names: {listed(found)}. Drop all but one.")
    raise ValueError(
        f"{title} has no column of names: neither the ABS's SAL_NAME_2021 or SAL_NAME21, nor {AREA_NAME}, "
        f"{', '.join(SPELLINGS)}. Its columns are {listed(labels)}. Rename the one that holds the names to area_name."
    )


def _of_path(path: Path) -> gpd.GeoDataFrame:
    """Read the boundaries in a file, or in the only file of boundaries in a folder or a zip file."""
    ending, table, first = _GEODATABASE
    if path.suffix.casefold() == ending and (path / table).is_file():
        return _of_gdal(path) if re.match(first, _beginning_of(path / table)) else _refuse(path)
    if path.is_dir():
        return _of_file(path / _only_file((file.name for file in path.iterdir()), path))
    if not is_zipfile(path):
        return _of_file(path)
    # GDAL could find other files in a zip file than Python, so it does not see it.
    with ZipFile(path) as opened, TemporaryDirectory() as folder:
        only = _only_file(opened.namelist(), path)
        for name in opened.namelist():
            if Path(name).with_suffix("") == Path(only).with_suffix(""):
                opened.extract(name, folder)
        return _of_file(Path(opened.extract(only, folder)))


def _only_file(names: Iterable[str], path: Path) -> str:
    found = [name for name in names if Path(name).suffix.casefold() in _ENDINGS]
    if len(found) != 1:
        what = f"several files of boundaries: {listed(found)}" if found else "no file of boundaries"
        raise ValueError(f"{path.name} holds {what}. Pass the path of the one to draw.")
    return found[0]


def _beginning_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_BEGINNING)


def _of_file(path: Path) -> gpd.GeoDataFrame:
    """Read a file in the way that its first bytes ask for."""
    beginning = _beginning_of(path)
    try:
        if _OF_GDAL.match(beginning):
            return _of_gdal(path)
        if beginning.startswith(b"PAR1"):
            return gpd.read_parquet(path)
        if beginning.removeprefix(_MARK).lstrip().startswith(b"{"):
            return _of_json(path)
    except (AttributeError, KeyError, TypeError, pyogrio.errors.DataSourceError, json.JSONDecodeError):
        pass
    return _refuse(path)


def _of_json(path: Path) -> gpd.GeoDataFrame:
    """Read GeoJSON. GDAL would fetch the coordinate reference system that it links to."""
    found = json.loads(path.read_bytes())
    named = ((found.get("crs") or {}).get("properties") or {}).get("name", "OGC:CRS84")
    return gpd.GeoDataFrame.from_features(found["features"], crs=named)


def _of_gdal(path: Path) -> gpd.GeoDataFrame:
    """Read the names and the shapes of the layer of suburbs, and nothing else of a file."""
    layers = [str(layer) for layer, kind in pyogrio.list_layers(path) if kind is not None]
    fields = {layer: pyogrio.read_info(path, layer=layer)["fields"] for layer in layers}
    named = [layer for layer in layers if _labels_of_names(fields[layer])] or layers[:1]
    if len(named) != 1:
        raise ValueError(
            f"{path.name} has several layers of suburbs: {listed(named)}. Read one, and pass the GeoDataFrame: "
            f"geopandas.read_file({str(path)!r}, layer={named[0]!r})"
            if named
            else f"{path.name} has no layer of shapes. Pass the path of a file with the boundaries of suburbs."
        )
    label = _only_label(fields[named[0]], path.name)
    return gpd.read_file(path, layer=named[0], columns=[label], engine="pyogrio")


def _refuse(path: Path) -> gpd.GeoDataFrame:
    raise ValueError(
        f"{path.name} is neither a shapefile, a GeoPackage, GeoJSON, FlatGeobuf nor GeoParquet, so it was not read. "
        f"If you trust it, pass the GeoDataFrame: geopandas.read_file({str(path)!r})"
    )


def check_names(shapes: Shapes, names: pd.Index[str]) -> None:
    """Raise unless a name has a shape, and none has several.

    Names match exactly. Rejected: joining on names without their suffix. Of the ABS's 15,334 suburbs, 2,274 have a
    namesake in another state or council, and would get its value.
    """
    found = shapes.areas.index[shapes.areas.index.isin(names)]
    if found.empty:
        several = f"None of the {len(names)} names, such as {listed(names[:3])}, has a shape."
        raise ValueError(
            f"{several if len(names) > 1 else f'No shape is called {names[0]!r}.'} The first shapes are called "
            f"{listed(shapes.areas.index[:3])}, and names have to match exactly. Find the exact names: "
            f"sp.resolve({list(names[:3])})"
        )
    if found.has_duplicates:
        raise ValueError(
            f"Several shapes are called {listed(found[found.duplicated()].unique())}. If they are parts of one suburb, "
            "join them with boundaries.dissolve(...). If they are different suburbs, use the ABS's names, which differ."
        )
