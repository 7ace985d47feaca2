"""Reads boundaries from a GeoDataFrame or a file, and joins them with values by the exact name.

Rejected: joining on names without their suffix. Of the ABS's 15,334 suburbs, 2,274 have a namesake in another state or
council, and would get its value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile, is_zipfile

import geopandas as gpd
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyogrio
import shapely

from suburb_pandas.frames.column import SPELLINGS, is_common
from suburb_pandas.frames.schema import AREA_NAME, is_made_up
from suburb_pandas.messages import listed
from suburb_pandas.names.sal import is_sal_column
from suburb_pandas.settings import expand_home

_FILES: Final = {".shp", ".gpkg", ".geojson", ".json", ".fgb", ".parquet"}
_POLYGONS: Final = {3, 6}  # shapely's numbers of a polygon and of one with several parts
_NAMES: Final = f"the ABS's SAL_NAME_2021 or SAL_NAME21, nor {AREA_NAME}, {', '.join(SPELLINGS)}"


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes that have a geometry, their names, and how many rows had none.

    ``title`` names the file; it is empty for a frame.
    """

    names: npt.NDArray[np.object_]
    geometry: gpd.GeoSeries
    without_geometry: int
    title: str
    is_made_up: bool


def read(boundaries: object) -> Shapes:
    """Read boundaries from a GeoDataFrame, or from a file that geopandas can read.

    Raises
    ------
    TypeError, ValueError, FileNotFoundError
        As in `plot_map`.
    """
    if isinstance(boundaries, gpd.GeoDataFrame):
        if boundaries.active_geometry_name is None:
            raise ValueError("boundaries has no geometry. Name the column of shapes: boundaries.set_geometry('...')")
        return _of_frame(boundaries, "")
    if isinstance(boundaries, str | PathLike):
        path = Path(expand_home(boundaries))
        if not path.exists():
            raise FileNotFoundError(f"There is no file {path}. Check the path of boundaries=.")
        return _of_frame(_of_file(path), path.name)
    raise TypeError(
        f"boundaries must be a GeoDataFrame or the path of a file, not {type(boundaries).__name__}. The ABS publishes "
        "the boundaries of suburbs as a shapefile and as a GeoPackage."
    )


def _of_frame(frame: gpd.GeoDataFrame, title: str) -> Shapes:
    """Return the shapes of a frame."""
    label = _name_label([*frame.columns, *frame.index.names], title or "boundaries")
    names = np.asarray(frame[label] if label in frame.columns else frame.index.get_level_values(label), "object")
    geometry = frame.geometry
    has_shape = ~(geometry.isna() | geometry.is_empty).to_numpy()
    kinds = set(shapely.get_type_id(geometry.to_numpy()[has_shape]).tolist())
    if not kinds - _POLYGONS:
        has_shape &= shapely.area(geometry.to_numpy()) > 0
    if not has_shape.any():
        raise ValueError(
            f"{title or 'boundaries'} has no shapes: none of its {len(frame)} rows has a geometry. Read the "
            "file that has the shapes of the suburbs."
        )
    if kinds - _POLYGONS:
        found = listed(sorted(geometry[has_shape].geom_type.unique()), str)
        raise ValueError(
            f"{title or 'boundaries'} must hold polygons, but it holds {found}. Pass the areas "
            "of the suburbs, not their points or lines."
        )
    return Shapes(names[has_shape], geometry[has_shape], int((~has_shape).sum()), title, is_made_up(frame))


def _name_label(labels: Iterable[Hashable], title: str) -> Hashable:
    """Return the label of the names: the ABS's, else ``area_name``, else a common one. Only text can be a label."""
    texts = [label for label in labels if isinstance(label, str)]
    for is_label in (is_sal_column, lambda label: label == AREA_NAME, is_common):
        found = list(dict.fromkeys(filter(is_label, texts)))
        if len(found) == 1:
            return found[0]
        if found:
            raise ValueError(f"{title} has several columns of names: {listed(found)}. Drop all but one.")
    raise ValueError(
        f"{title} has no column of names: neither {_NAMES}. Its columns are {listed(texts)}. Rename "
        "the one that holds the names to area_name."
    )


def _of_file(path: Path) -> gpd.GeoDataFrame:
    """Read the names and the shapes of a file, and nothing else of it."""
    if path.suffix.casefold() == ".parquet":  # GDAL reads it only if it was built to
        return gpd.read_parquet(path)
    source = _inside(path)
    try:
        layers = [str(layer) for layer, kind in pyogrio.list_layers(source) if kind is not None]
        fields = {layer: list(pyogrio.read_info(source, layer=layer)["fields"]) for layer in layers}
    except pyogrio.errors.DataSourceError as problem:
        raise ValueError(
            f"{path.name} cannot be read as boundaries: {str(problem).split(';')[0]} "
            "Pass a shapefile, a GeoPackage, GeoJSON or a GeoParquet file."
        ) from None
    named = [layer for layer, columns in fields.items() if any(map(_can_be_names, columns))] or layers[:1]
    if len(named) != 1:
        raise ValueError(
            f"{path.name} has several layers of suburbs: {listed(named)}. Read one, and pass the GeoDataFrame: "
            f"geopandas.read_file({str(source)!r}, layer={named[0]!r})"
            if named
            else f"{path.name} has no layer of shapes. Pass the path of a file with the boundaries of suburbs."
        )
    label = _name_label(fields[named[0]], path.name)
    return gpd.read_file(source, layer=named[0], columns=[label], engine="pyogrio")


def _can_be_names(label: str) -> bool:
    return is_sal_column(label) or label == AREA_NAME or is_common(label)


def _inside(path: Path) -> str:
    """Return the path of the only file of boundaries in a zip file; any other path as it is.

    GDAL opens a zip file itself only if it holds nothing else, and the ABS adds its terms to some.
    """
    if not is_zipfile(path):
        return str(path)
    with ZipFile(path) as opened:
        members = [name for name in opened.namelist() if Path(name).suffix.casefold() in _FILES]
    if len(members) > 1:
        raise ValueError(f"{path.name} holds several files of boundaries: {listed(members)}. Unpack the one to draw.")
    return f"/vsizip/{path.resolve()}/{members[0]}" if members else str(path)


def match(shapes: Sequence[Any] | npt.NDArray[np.object_], names: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the position of each shape's name among the names with values, by the exact name; -1 without one."""
    return pd.Index(list(names), dtype="object").get_indexer(pd.Index(shapes, dtype="object"))


def join(shapes: Shapes, names: Sequence[str]) -> npt.NDArray[np.intp]:
    """Join shapes with names as `match` does.

    Raises
    ------
    ValueError
        No name has a shape, or several shapes have one of the names.
    """
    positions = match(shapes.names, names)
    found = positions[positions >= 0]
    if not len(found):
        several = f"None of the {len(names)} names, such as {listed(names[:3])}, has a shape."
        raise ValueError(
            f"{several if len(names) > 1 else f'No shape is called {names[0]!r}.'} The first shapes are called "
            f"{listed(shapes.names[:3])}, and names have to match exactly. Find the exact names: "
            f"sp.resolve({list(names[:3])})"
        )
    if len(np.unique(found)) < len(found):
        twice = [names[int(position)] for position in np.flatnonzero(np.bincount(found) > 1)]
        raise ValueError(
            f"Several shapes are called {listed(twice)}. If they are parts of one suburb, join them with "
            "boundaries.dissolve(...). If they are different suburbs, use the ABS's names, which differ."
        )
    return positions
