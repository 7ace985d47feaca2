"""The boundaries of a map: the files and frames that are read, and the join by the exact name."""

import subprocess
import sys
from zipfile import ZipFile

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import suburb_pandas as sp
from suburb_pandas.names import sal
from suburb_pandas.plotting.maps.boundaries import join, match, read
from suburb_pandas.sandbox import SUBURBS
from tests.support.charts import written
from tests.support.made_up import NAMES, countries

SHAPES = sp.sandbox_boundaries()


def as_the_abs_has_them(**columns):
    """Return some made-up boundaries with the ABS's columns, in degrees, and a row without a geometry."""
    geometry = [shapely.box(147 + n / 10, -33, 147.1 + n / 10, -32.9) for n in range(3)]
    names = ["Quokka Bay", "Lantern Bay (NSW)", "Lantern Bay (Tas.)", "No usual address (NSW)"]
    frame = {"SAL_CODE21": list("1239"), "SAL_NAME21": names, "AREASQKM21": [1.0, 2, 3, 0], **columns}
    return gpd.GeoDataFrame(frame, geometry=[*geometry, None], crs="EPSG:7844")


def file_of(folder, kind):
    """Write boundaries to a file of a kind, and return its path."""
    if kind in {"shp", "gpkg", "geojson"}:
        as_the_abs_has_them().to_file(folder / f"SAL_2021.{kind}")
        return folder / f"SAL_2021.{kind}"
    inner = file_of(folder, kind.removesuffix(".zip"))
    with ZipFile(folder / "SAL_2021.zip", "w") as opened:
        for part in folder.glob("SAL_2021.*"):
            if part.suffix != ".zip":
                opened.write(part, f"folder/{part.name}")
        opened.writestr("Read me first.txt", f"The terms of {inner.name}.")
    return folder / "SAL_2021.zip"


def test_a_geoparquet_file_is_read(tmp_path):
    """By geopandas itself: GDAL can do so only if it was built to."""
    pytest.importorskip("pyarrow")
    path = tmp_path / "SAL_2021.parquet"
    as_the_abs_has_them().to_parquet(path)
    shapes = read(path)
    assert (shapes.names.tolist()[0], shapes.without_geometry, shapes.title) == ("Quokka Bay", 1, path.name)


def test_a_frame_without_a_geometry_says_how_to_name_it():
    with pytest.raises(ValueError, match=r"boundaries has no geometry\. .*: boundaries\.set_geometry"):
        read(gpd.GeoDataFrame({"SAL_NAME21": ["Quokka Bay"]}))


@pytest.mark.parametrize("kind", ["shp", "gpkg", "geojson", "shp.zip", "gpkg.zip"])
def test_a_file_is_read_as_downloaded(tmp_path, kind):
    """Also inside its zip file, beside other files. A row without a geometry is counted."""
    path = file_of(tmp_path, kind)
    for given_path in (path, str(path)):
        shapes = read(given_path)
        assert shapes.names.tolist() == ["Quokka Bay", "Lantern Bay (NSW)", "Lantern Bay (Tas.)"]
        assert (shapes.without_geometry, shapes.title, shapes.is_made_up) == (1, path.name, False)
    ax = sp.plot_map(pd.Series({"Quokka Bay": 1, "Lantern Bay (NSW)": 2}), path, ax=Figure().subplots())
    assert f"Boundaries: {path.name}; Lambert azimuthal equal-area" in written(ax)
    assert "Rows of the boundaries without a geometry: 1." in written(ax)


def test_of_several_layers_the_one_with_names_of_suburbs_is_read(tmp_path):
    """The ABS's GeoPackage has a layer for each kind of area."""
    path = tmp_path / "structures.gpkg"
    shapes = as_the_abs_has_them()
    shapes.rename(columns={"SAL_NAME21": "LGA_NAME_2021"}).to_file(path, layer="LGA")
    shapes.to_file(path, layer="SAL")
    assert read(path).names[0] == "Quokka Bay"
    shapes.to_file(path, layer="SAL_again")
    with pytest.raises(ValueError, match=r"several layers of suburbs: 'SAL', 'SAL_again'\. Read one"):
        read(path)


@pytest.mark.parametrize("label", ["SAL_NAME_2021", "SAL_NAME21", "sal_name_2026", "area_name", "suburb", "Locality"])
def test_the_column_of_names_is_found(label):
    shapes = as_the_abs_has_them().rename(columns={"SAL_NAME21": label})
    assert read(shapes).names[0] == "Quokka Bay"
    assert read(shapes.set_index(label)).names[0] == "Quokka Bay"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda shapes: shapes.drop(columns="SAL_NAME21"), "boundaries has no column of names"),
        (lambda shapes: shapes.assign(SAL_NAME_2026="x"), "several columns of names: 'SAL_NAME21', 'SAL_NAME_2026'"),
        (lambda shapes: shapes.set_geometry(shapes.centroid), "must hold polygons, but it holds Point"),
        (lambda shapes: shapes.iloc[3:], "has no shapes: none of its 1 rows has a geometry"),
    ],
)
@pytest.mark.filterwarnings("ignore:Geometry is in a geographic CRS")
def test_boundaries_that_cannot_be_drawn_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        read(change(as_the_abs_has_them()))


def test_what_holds_no_boundaries_is_refused(tmp_path):
    with pytest.raises(TypeError, match="a GeoDataFrame or the path of a file, not DataFrame"):
        read(pd.DataFrame({"area_name": ["Woylie"]}))
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read(tmp_path / "missing.shp")
    (tmp_path / "text.gpkg").write_text("no boundaries")
    with pytest.raises(ValueError, match=r"text\.gpkg cannot be read as boundaries"):
        read(tmp_path / "text.gpkg")


def test_a_polygon_without_an_area_counts_as_no_geometry():
    """Three times the same point, such as a generaliser leaves of a tiny suburb, cannot be projected."""
    flat = shapely.Polygon([(150, -33)] * 4)
    shapes = read(gpd.GeoDataFrame({"area_name": ["Woylie", NAMES[0]]}, geometry=[flat, SHAPES.geometry.iloc[0]]))
    assert (shapes.names.tolist(), shapes.without_geometry) == ([NAMES[0]], 1)


def test_several_shapes_of_one_name_are_refused_only_if_it_has_a_value():
    """Namesakes that their names cannot tell apart would get one another's values."""
    shapes = read(SHAPES.assign(SAL_NAME_2021=["Woylie", "Woylie", *NAMES[2:]]))
    with pytest.raises(ValueError, match=r"Several shapes are called 'Woylie'\. If they are parts of one suburb"):
        join(shapes, ["Woylie", NAMES[5]])
    assert (join(shapes, [NAMES[5]]) >= 0).sum() == 1


@given(countries(), st.randoms())
def test_each_shape_gets_the_value_of_its_own_name_and_of_no_namesake(places, random):
    """For any names by the ABS's rule and any order, a shape is joined with its own name or with none."""
    names = [place.area_name for place in places]
    with_values = random.sample(names, random.randint(0, len(names)))
    found = match(names, with_values)
    assert [with_values[position] if position >= 0 else None for position in found] == [
        name if name in with_values else None for name in names
    ]


def namesakes_by(names, values):
    """Count the names that a merge joins with a row of another name."""
    shapes = pd.DataFrame({"key": [sal.parse(name).base for name in names], "shape": names})
    rows = pd.DataFrame({"key": [sal.parse(name).base for name in values], "row": values})
    merged = shapes.merge(rows, on="key")
    return merged.loc[merged["shape"] != merged["row"], "shape"].nunique()


def test_the_usual_join_on_bare_names_mixes_made_up_namesakes_up():
    """The exact join gives each of the made-up suburbs its own value; one on bare names mixes namesakes up."""
    order = np.random.default_rng(0).permutation(len(NAMES))
    given_names = [NAMES[number] for number in order]
    assert [given_names[position] for position in match(NAMES, given_names)] == NAMES
    assert namesakes_by(NAMES, given_names) == sum(suburb.name != suburb.base for suburb in SUBURBS) > 0


def test_of_the_real_suburbs_none_gets_the_value_of_another(sal_names):
    """Among all 15,334 names, the exact join is right, and one on bare names gives 2,274 a namesake's value."""
    order = np.random.default_rng(0).permutation(len(sal_names))
    found = match(sal_names, [sal_names[number] for number in order])
    assert (order[found] == np.arange(len(sal_names))).all()
    assert (len(sal_names), namesakes_by(sal_names, sal_names)) == (15_334, 2_274)


def test_made_up_boundaries_are_those_of_the_sandbox():
    """One row for each suburb, with a CRS that is tied to no place on the earth."""
    assert SHAPES["SAL_NAME_2021"].to_list() == NAMES
    assert set(SHAPES["STATE_NAME_2021"]) >= {"New South Wales", "Tasmania"}
    assert SHAPES.is_valid.all()
    assert not SHAPES.crs.is_geographic
    assert not SHAPES.crs.is_projected
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
