"""The boundaries of a map: the files and frames that are read, those that are refused, and the join by exact names."""

import json
import os
import shutil
import socket
import sys
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.plotting.boundaries import read_boundaries
from tests.plotting.test_map import names_on, squares
from tests.support.charts import written
from tests.support.made_up import NAMES

NAMED = ["Quokka Bay", "Lantern Bay (NSW)", "Lantern Bay (Tas.)", "No usual address (NSW)"]
VALUES = pd.Series({"Quokka Bay": 1.0, "Lantern Bay (NSW)": 2.0})
ABS = squares(NAMED, 0.1, 0.1, 7844).rename(columns={"area_name": "SAL_NAME21"})
ABS = ABS.set_geometry([*ABS.translate(147, -33)[:3], None])
"""Some made-up boundaries as the ABS has them: in degrees, with a row without a geometry."""


def file_of(folder, kind):
    """Write boundaries to a file of a kind, and return its path."""
    name, _, around = kind.partition(" in ")
    path = folder / f"SAL_2021.{name}"
    ABS.to_file(path, **({"SPATIAL_INDEX": "NO"} if name == "fgb" else {}))
    return zipped(folder) if around else path


def refused(message=r"is not one layer of .* pass the GeoDataFrame: geopandas\.read_file\("):
    """Return the context in which a file has to be refused."""
    return pytest.raises(ValueError, match=message)


def zipped(folder):
    """Put the files of a folder into a zip file, and return its path."""
    return Path(shutil.make_archive(folder, "zip", folder))


@pytest.mark.parametrize("kind", ["shp", "gpkg", "geojson", "fgb", "shp in a zip"])
def test_a_file_is_read_as_downloaded(tmp_path, kind):
    """Also inside its zip file, beside metadata. A row without a geometry is left out."""
    (tmp_path / "SAL_2021_metadata.xml").write_text("<OGRVRTDataSource>")
    path = file_of(tmp_path, kind)
    ax = sp.plot_map(VALUES, str(path))
    assert names_on(ax) == VALUES.to_dict()
    assert f"Boundaries: {path.name}." in written(ax)


def test_of_several_layers_the_one_with_names_is_read(tmp_path):
    """Which one is meant is not known if several have names. If none has, its columns are named."""
    path = tmp_path / "a.gpkg"
    ABS.rename(columns={"SAL_NAME21": "SA2_CODE"}).to_file(path, layer="SA2")
    with refused(r"not none\. Their columns are .*SA2_CODE"):
        read_boundaries(path)
    ABS.to_file(path, layer="SAL")
    assert read_boundaries(path)[0].index.tolist() == NAMED[:3]
    ABS.to_file(path, layer="other")
    with refused():
        read_boundaries(path)


SQUARE = json.dumps(squares(["A"]).to_geo_dict())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", SQUARE.replace('"features"', '"crs": {"properties": {"name": "+init=PATH:y"}}, "features"')),
        ("a.json", SQUARE.replace("[[[1000.0", "[[[NaN")),
        ("a.json", "[" * 100_000),
        ("damaged.zip", SQUARE),
        ("a.parquet", "PAR1"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(tmp_path, name, content):
    """PROJ would open the path that a coordinate reference system names. A damaged file has no other message."""
    path, proj = tmp_path / name, tmp_path / "proj"
    proj.write_text("<y> +proj=merc <>")
    path.write_text(content.replace("PATH", str(proj)))
    if name == "damaged.zip":
        with ZipFile(path, "w") as opened:
            opened.writestr("a.json", content)
        path.write_bytes(path.read_bytes().replace(b"Polygon", b"polygon"))  # not as its checksum has it
    with refused(r"GeoJSON or FlatGeobuf, so .* geopandas\.read_(file|parquet)\("):
        read_boundaries(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such files here")
def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    """Reading it would wait for ever."""
    os.mkfifo(tmp_path / "a.json")
    with refused():
        read_boundaries(tmp_path / "a.json")


@pytest.fixture
def address(monkeypatch):
    """Return the address of a server that nobody may connect to."""
    monkeypatch.setenv("GDAL_HTTP_TIMEOUT", "1")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(BlockingIOError):
            server.accept()


VRT = "<OGRVRTDataSource><OGRVRTLayer name='x'><SrcDataSource>{}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
HARMFUL = [
    VRT.format("ADDRESS/x.json"),
    "\ufeff \n" + VRT.format("ADDRESS/x.json"),
    "<OGRWFSDataSource><URL>ADDRESS/wfs</URL></OGRWFSDataSource>",
    '{"type": "gdal_streamed_alg", "command_line": "gdal vector pipeline ! read ADDRESS/x.json"}',
    "fgb\x03fgb\x01 " + VRT.format("ADDRESS/x.json"),
]


@pytest.mark.parametrize("content", HARMFUL)
@pytest.mark.parametrize("name", ["a.shp", "a.gpkg", "a.json", "a.fgb", "a.vrt", "zip"])
def test_a_file_that_leads_elsewhere_is_refused_before_it_is_opened(tmp_path, address, content, name):
    """XML and JSON can make GDAL fetch an address or open another file, whatever their ending."""
    path = tmp_path / (name if "." in name else "a.shp")
    path.write_text(content.replace("ADDRESS", address), encoding="utf-8")
    with refused():
        sp.plot_map(VALUES, zipped(tmp_path) if name == "zip" else path)


@pytest.mark.parametrize("name", ["a;.gpkg", "a.zip!b.gpkg", "two in a.zip"])
def test_what_gdal_opens_is_exactly_the_file_that_was_checked(tmp_path, name):
    """GDAL would take these names for other files. A zip file must have one file of boundaries."""
    path = file_of(tmp_path, "gpkg")
    shutil.copy(path, tmp_path / "a")
    shutil.copy(path, tmp_path / ("b.gpkg" if " " in name else name))
    with refused():
        read_boundaries(zipped(tmp_path) if " " in name else tmp_path / name)


@pytest.mark.parametrize(("properties", "crs"), [({"href": "ADDRESS"}, "OGC:CRS84"), ({"name": "EPSG:7844"}, 7844)])
def test_geojson_has_the_coordinate_reference_system_that_it_names(tmp_path, address, properties, crs):
    """A link to one is not fetched: coordinates are then degrees, as the standard of GeoJSON has them."""
    content = ABS.to_geo_dict() | {"crs": {"properties": properties}}
    (tmp_path / "a.json").write_text("\ufeff " + json.dumps(content).replace("ADDRESS", address))
    assert read_boundaries(tmp_path / "a.json")[0].crs == crs


def test_no_suburb_gets_the_value_of_a_namesake():
    """Of namesakes only the one with a value is coloured. Others may have several shapes."""
    values, shapes = pd.Series({"Lantern Bay (Tas.)": 1.0, "Magpie Flat (SA)": 2.0}), sp.sandbox_boundaries()
    shapes = pd.concat([shapes, shapes[shapes["SAL_NAME_2021"] == "Woylie"]])
    assert names_on(sp.plot_map(values, shapes)) == values.to_dict()


def test_made_up_boundaries_are_those_of_the_sandbox(live):
    """One row for each suburb, tied to no place on the earth. A gazetteer can be loaded from them."""
    shapes = sp.sandbox_boundaries()
    assert shapes["SAL_NAME_2021"].to_list() == NAMES
    with pytest.raises(Exception, match="Transformer"):
        shapes.to_crs("EPSG:4326")
    assert sp.load_gazetteer(shapes, complete=True)["names"].to_list() == [175]


def test_without_geopandas_a_map_says_what_to_install(monkeypatch):
    """The error has the line to paste."""
    monkeypatch.setitem(sys.modules, "geopandas", None)
    line = r"Maps need geopandas, which is not installed: python -m pip install 'suburb_pandas\[map\]'"
    for call in (sp.sandbox_boundaries, lambda: sp.plot_map(None, "file.shp")):
        with pytest.raises(ImportError, match=line):
            call()
