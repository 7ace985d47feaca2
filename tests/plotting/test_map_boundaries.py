"""The boundaries of a map: the files and frames that are read, those that are refused, and the join by exact names."""

import json
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from zipfile import ZipFile

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely

import suburb_pandas as sp
from suburb_pandas.names import sal
from suburb_pandas.plotting.boundaries import read, without_shape
from tests.plotting.test_map import names_on, squares
from tests.support.charts import written
from tests.support.made_up import NAMES

SHAPES = sp.sandbox_boundaries()
NAMED = ["Quokka Bay", "Lantern Bay (NSW)", "Lantern Bay (Tas.)", "No usual address (NSW)"]
VALUES = pd.Series({"Quokka Bay": 1.0, "Lantern Bay (NSW)": 2.0})


def as_the_abs_has_them(**columns):
    """Return some made-up boundaries with the ABS's columns, in degrees, and a row without a geometry."""
    geometry = [*shapely.box(np.arange(147, 147.3, 0.1), -33, np.arange(147.1, 147.4, 0.1), -32.9)[:3], None]
    return gpd.GeoDataFrame({"SAL_CODE21": list("1239"), "SAL_NAME21": NAMED, **columns}, geometry=geometry, crs=7844)


def file_of(folder, kind):
    """Write boundaries to a file of a kind, and return its path."""
    name, _, around = kind.partition(" in ")
    path, frame = folder / f"SAL_2021.{name}", as_the_abs_has_them()
    if name == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        frame.to_file(path, **({"SPATIAL_INDEX": "NO"} if name == "fgb" else {}))
    if not around:
        return path
    shutil.make_archive(folder / "zipped" / "SAL", "zip", folder)
    return folder / "zipped" / "SAL.zip"


@pytest.mark.parametrize("kind", ["shp", "gpkg", "geojson", "fgb", "parquet", "shp in a zip", "gpkg in a zip"])
def test_a_file_is_read_as_downloaded(tmp_path, kind):
    """Also inside its zip file, beside metadata. A row without a geometry is left out."""
    (tmp_path / "SAL_2021_metadata.xml").write_text("<OGRVRTDataSource>")
    path = file_of(tmp_path, kind)
    ax = sp.plot_map(VALUES, str(path))
    assert {name: value for name, (value, _) in names_on(ax).items()} == VALUES.to_dict()
    assert f"Boundaries: {path.name}." in written(ax)
    assert ax.get_aspect() == pytest.approx(1 / np.cos(np.radians(32.95)))


@pytest.fixture(scope="module")
def asked():
    """Serve nothing on 127.0.0.1, and return the address and the list of paths that were asked for."""
    paths = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()


VRT = "<OGRVRTDataSource><OGRVRTLayer name='x'><SrcDataSource>{}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
HARMFUL = {
    "address": VRT.format("{0}/x.json"),
    "file": "\ufeff \n" + VRT.format("{1}"),
    "wfs": "<OGRWFSDataSource><URL>{0}/wfs</URL></OGRWFSDataSource>",
    "pipeline": '{"type": "gdal_streamed_alg", "command_line": "gdal vector pipeline ! read {1}"}',
    "flatgeobuf": "fgb\x03fgb\x01 " + VRT.format("{1}"),
}


@pytest.mark.parametrize("content", HARMFUL)
@pytest.mark.parametrize("name", ["a.shp", "a.gpkg", "a.json", "a.fgb", "a.vrt", "in.zip", "two.zip", "a.gdb/a.shp"])
def test_a_file_that_leads_elsewhere_is_refused_before_it_is_opened(tmp_path, asked, content, name):
    """XML and JSON can make GDAL fetch an address or open another file, whatever their ending is.

    A zip file must have one file of boundaries. Folders are not opened.
    """
    address, paths = asked
    other = tmp_path / "other.json"
    other.write_text('{"type": "FeatureCollection", "features": []}')
    text = HARMFUL[content].replace("{0}", address).replace("{1}", str(other))
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if name.endswith(".zip"):
        with ZipFile(path, "w") as opened:
            opened.writestr("a.shp", text)
            opened.writestr("b.json" if name == "two.zip" else "b.xml", text)
    else:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"is not one layer of .* pass the GeoDataFrame: geopandas\.read_file\("):
        sp.plot_map(VALUES, path.parent if name.startswith("a.gdb") else path)
    assert paths == []


@pytest.mark.parametrize("name", ["a;.gpkg", "a.zip!b.gpkg"])
def test_a_name_that_gdal_takes_for_another_file_is_refused(tmp_path, name):
    """What GDAL opens is exactly the file whose first bytes were read."""
    shutil.copy(file_of(tmp_path, "gpkg"), tmp_path / name)
    with pytest.raises(ValueError, match="is not one layer of boundaries"):
        read(tmp_path / name)


def test_geojson_that_links_to_its_coordinate_reference_system_is_read_without_it(tmp_path, asked):
    """Nothing is fetched, and the coordinates are degrees, as the standard of GeoJSON has them."""
    path = file_of(tmp_path, "geojson")
    content = json.loads(path.read_text())
    path.write_text("\ufeff " + json.dumps(content | {"crs": {"type": "link", "properties": {"href": asked[0]}}}))
    assert read(path)[0].crs == "OGC:CRS84"
    assert read(file_of(tmp_path, "geojson"))[0].crs == "EPSG:7844"
    assert asked[1] == []


@pytest.mark.parametrize("label", ["SAL_NAME_2021", "sal_name_2026", "area_name", "Locality"])
def test_the_column_of_names_is_found(label):
    """It may be the index. A polygon without an area is left out."""
    shapes = as_the_abs_has_them().rename(columns={"SAL_NAME21": label})
    shapes.loc[1, "geometry"] = shapely.Polygon([(150, -33)] * 4)
    assert read(shapes)[0].index.tolist() == read(shapes.set_index(label))[0].index.tolist() == NAMED[::2]


@pytest.mark.parametrize(
    ("boundaries", "error", "message"),
    [
        (as_the_abs_has_them().drop(columns="SAL_NAME21"), ValueError, "one column of names, .* not none"),
        (as_the_abs_has_them(SAL_NAME_2026="x"), ValueError, "not 'SAL_NAME21', 'SAL_NAME_2026'"),
        (as_the_abs_has_them().set_geometry(gpd.points_from_xy(range(4), [0] * 4)), ValueError, "have no areas"),
        (pd.DataFrame({"area_name": ["x"]}), TypeError, "a GeoDataFrame or the path of a file, not DataFrame"),
        ("missing.shp", FileNotFoundError, r"missing\.shp"),
    ],
)
def test_boundaries_that_cannot_be_drawn_are_refused(boundaries, error, message):
    with pytest.raises(error, match=message):
        sp.plot_map(VALUES, boundaries)


def test_no_suburb_gets_the_value_of_a_namesake():
    """A bare name has no shape, and of namesakes only the one with a value is coloured."""
    with pytest.raises(ValueError, match=r"None of the names has a shape: 'Lantern Bay'\. The first.* sp\.resolve"):
        sp.plot_map(pd.Series({"Lantern Bay": 1.0}), SHAPES)
    values = pd.Series({"Lantern Bay (Tas.)": 1.0, "Magpie Flat (SA)": 2.0})
    assert {name: value for name, (value, _) in names_on(sp.plot_map(values, SHAPES)).items()} == values.to_dict()


def test_several_shapes_of_one_name_are_refused_only_if_it_has_a_value():
    """Namesakes that their names cannot tell apart would get one another's values."""
    shapes = squares(["Woylie", "Woylie", "x"])
    with pytest.raises(ValueError, match=r"Several shapes are called 'Woylie'\. If they are parts of one suburb"):
        sp.plot_map(pd.Series({"Woylie": 1.0, "x": 2.0}), shapes)
    assert [*names_on(sp.plot_map(pd.Series({"x": 2.0}), shapes))] == ["x"]


def test_of_the_real_suburbs_each_gets_its_own_value_and_a_join_on_bare_names_mixes_2274_up(sal_names):
    shapes = [shapely.box(0, 0, 1, 1)] * len(sal_names)
    areas, _ = read(gpd.GeoDataFrame({"area_name": sal_names}, geometry=shapes))
    assert without_shape(areas, pd.Index(sal_names)).empty
    bare = pd.Series([sal.parse(name).base for name in sal_names])
    assert (len(sal_names), bare.duplicated(keep=False).sum()) == (15_334, 2_274)


def test_made_up_boundaries_are_those_of_the_sandbox():
    """One row for each suburb, with a CRS that is tied to no place on the earth."""
    assert SHAPES["SAL_NAME_2021"].to_list() == NAMES
    assert SHAPES.is_valid.all()
    with pytest.raises(Exception, match="Transformer"):
        SHAPES.to_crs("EPSG:4326")
    assert sp.sandbox_boundaries().equals(SHAPES)


def test_a_gazetteer_can_be_loaded_from_made_up_boundaries(live):  # the embedded sandbox has a list of its own
    assert sp.load_gazetteer(sp.sandbox_boundaries(), complete=True)["names"].to_list() == [175]
    assert sp.places(["Lantern Bay (NSW)"])["state"].to_list() == ["NSW"]


WITHOUT = """
import sys
sys.modules["geopandas"] = None
import pandas as pd
import suburb_pandas as sp
for call in (sp.sandbox_boundaries, lambda: sp.plot_map(pd.Series({"Woylie": 1}), "file.shp")):
    try:
        call()
    except ImportError as error:
        print(error)
print("matplotlib" in sys.modules)
"""


def test_without_geopandas_the_package_works_and_a_map_says_what_to_install():
    """The error has the line to paste, and comes before anything is loaded."""
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, timeout=60)
    line = "Maps need geopandas, which is not installed: python -m pip install 'suburb_pandas[map]'"
    assert done.stdout.splitlines() == [line, line, "False"]
