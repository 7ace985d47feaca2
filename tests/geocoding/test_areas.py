"""Tests the areas, shares and counts of suburbs in the ABS's files."""

import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.geocoding import sal_file
from tests.support.common import plain_sqlite

MESH_BLOCKS = [
    ("MB_CODE_2021", "SAL_CODE_2021", "SAL_NAME_2021", "STATE_CODE_2021", "STATE_NAME_2021", "AREA_ALBERS_SQKM"),
    ("101", "1", "Quoll", "1", "New South Wales", "3"),
    ("102", "1", "Quoll", "1", "New South Wales", "1"),
    ("201", "2", "Emu (Vic.)", "2", "Victoria", "5"),
    ("301", "3", "Emu (WA)", "5", "Western Australia", "5"),
]
LGA = [
    ("MB_CODE_2021", "LGA_CODE_2021", "LGA_NAME_2021", "AREA_ALBERS_SQKM"),
    ("101", "1", "Wader Shire", "3"),
    ("102", "2", "Curlew", "1"),
    ("201", "3", "Bilby", "5"),
    ("301", "4", "No usual address (WA)", "5"),
]
COUNTS = [
    ("Mesh Block Counts", None, None),
    (None, None, None),
    ("MB_CODE_2021", "Dwelling", "Person"),
    ("101", 10, 25),
    ("102", 5, 0),
    ("201", 0, 0),
    ("999", 7, 7),
    ("Cells in this table were adjusted.", None, None),
]
POSTCODES = "SAL_CODE_2021,SAL_NAME_2021,POA_CODE_2021,POA_NAME_2021,RATIO_FROM_TO\n"


def csv(path, rows):
    """Write a table as a CSV file."""
    path.write_text("\n".join(",".join(map(str, row)) for row in rows))
    return path


def workbook(path, *sheets):
    """Write a workbook with these sheets."""
    book = openpyxl.Workbook()
    book.active.append(["Contents"])
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def known(frame, name):
    """Return the known fields of a suburb."""
    return {column: value for column, value in frame.loc[name].items() if not pd.isna(value)}


@pytest.fixture
def allocation(tmp_path):
    """Return the path of an allocation file as the ABS publishes it: a workbook with a row for each mesh block."""
    return workbook(tmp_path / "SAL_2021_AUST.xlsx", MESH_BLOCKS)


def test_the_abs_workbooks_are_read_as_they_are_downloaded(live, tmp_path, allocation):
    """An allocation file with others of the same mesh blocks gives names, states, areas, shares and counts."""
    counts = workbook(tmp_path / "counts.xlsx", COUNTS[:4], [*COUNTS[:3], *COUNTS[4:]])
    loaded = sp.load_gazetteer(allocation, True, with_=[csv(tmp_path / "lga.csv", LGA), counts])
    assert loaded[["file", "edition", "names", "complete"]].to_numpy().tolist() == [
        ["SAL_2021_AUST.xlsx", "SAL 2021", 3, True]
    ]
    found = sp.places()
    assert found.index.to_list() == ["Emu (Vic.)", "Emu (WA)", "Quoll"]
    assert known(found, "Quoll") == {
        "state": "NSW", "lga": "Wader Shire", "lga_share": 0.75, "dwellings": 15, "persons": 25, "origin": "list",
    }  # fmt: skip
    assert known(found, "Emu (Vic.)") == {
        "state": "VIC", "lga": "Bilby", "lga_share": 1.0, "dwellings": 0, "persons": 0, "origin": "list",
    }  # fmt: skip
    assert known(found, "Emu (WA)") == {"state": "WA", "origin": "list"}
    assert {str(found[column].dtype) for column in ("dwellings", "persons")} == {"Int64"}


def test_a_correspondence_has_its_own_ratios(live, tmp_path, allocation):
    """Of several areas the one with the largest ratio is kept; a query may name any of them."""
    path = tmp_path / "CG_SAL_2021_POA_2021.csv"
    quoll, emus = "1,Quoll,2031,2031,0.3\n1,Quoll,2032,2032,0.7\n", "2,Emu (Vic.),3031,3031,1\n3,Emu (WA),6001,6001,1\n"
    path.write_text(f"{POSTCODES}{quoll}{emus}9,Bilby,2033,2033,1\n")
    sp.load_gazetteer(allocation, True, with_=path)
    found = sp.places(["Quoll", "Emu (WA)", "Bilby"])
    assert found["postcode"].fillna("-").to_list() == ["2032", "6001", "-"]
    assert found["postcode_share"].fillna(-1).to_list() == [0.7, 1.0, -1.0]
    assert sp.places(postcode=2031).index.to_list() == ["Quoll"]
    assert sp.resolve(["quoll 2031", "emu 6001"]).to_list() == ["Quoll", "Emu (WA)"]
    with pytest.raises(sp.errors.UnknownSuburb, match="Quoll is in NSW"):
        sp.resolve("quoll 3031")


@pytest.mark.parametrize("label", ["SAL_NAME21", "SAL_NAME_2021", "sal_name_2026", "SAL_NAME"])
@pytest.mark.parametrize("as_index", [True, False])
def test_a_frame_is_a_list_too(live, label, as_index):
    """A DataFrame, such as the boundaries that geopandas reads, is a list; its column or index level has the names."""
    boundaries = pd.DataFrame(
        {
            label: ["Quoll", "Emu (WA)", None],
            "STE_NAME21": ["Victoria", "Western Australia", None],
            "geometry": object(),
        }
    )
    if label != "SAL_NAME21":
        boundaries = boundaries.drop(columns="STE_NAME21")
    loaded = sp.load_gazetteer(boundaries.set_index(label) if as_index else boundaries)
    assert loaded["file"].str.fullmatch("DataFrame [0-9a-f]{8}").all()
    assert loaded["edition"].fillna("-").to_list() == [
        {"SAL_NAME": "-", "sal_name_2026": "SAL 2026"}.get(label, "SAL 2021")
    ]
    state = "VIC" if label == "SAL_NAME21" else "-"
    assert sp.places(["Quoll", "Emu (WA)"])["state"].fillna("-").to_list() == [state, "WA"]
    assert sp.resolve("quoll").to_list() == ["Quoll"]


def test_a_geodataframe_is_called_what_it_is(live):
    """A subclass of DataFrame, as geopandas has one, is read like any other, and its type is shown."""

    class GeoDataFrame(pd.DataFrame):
        """Stands in for geopandas's class, which the tests do not install."""

    (file,) = sp.load_gazetteer(GeoDataFrame({"SAL_NAME21": ["Quoll"], "geometry": [None]}))["file"]
    assert file.startswith("GeoDataFrame ")


def test_a_frame_adds_areas(live):
    """A frame adds areas to suburbs by name; those that are not in the list are left out."""
    listed = pd.DataFrame({"SAL_NAME_2021": ["Quoll", "Woylie"]})
    areas = pd.DataFrame({"area_name": ["Quoll", "Emu"], "SA4_NAME_2021": ["Marri Coast", "x"], "Person": [12.0, 3.0]})
    sp.load_gazetteer(listed, with_=areas)
    assert known(sp.places(), "Quoll") == {"sa4": "Marri Coast", "sa4_share": 1.0, "persons": 12, "origin": "list"}
    assert sp.places().index.to_list() == ["Quoll", "Woylie"]


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (
            pd.DataFrame({"SAL_NAME_2021": ["Quoll"]}),
            r"has the columns SAL_NAME_2021\. Nothing was changed\. A table in with_ needs",
        ),
        (pd.DataFrame({"LGA_NAME_2021": ["Wader"]}), "has no column of suburb names"),
        (pd.DataFrame({"SAL_NAME_2021": ["Bilby"], "LGA_NAME_2021": ["Wader"]}), "None of the suburbs in"),
        (pd.DataFrame({"SAL_NAME_2021": ["Quoll"], "Person": ["many"]}), "'many' is not a number between"),
        (pd.DataFrame({"SAL_NAME_2021": ["Quoll"], "Person": [float("inf")]}), "'inf' is not a number between 0 and"),
        (
            pd.DataFrame({"SAL_NAME_2021": ["Quoll"], "Person": [-1]}),
            "'-1' is not a number between 0 and 1,000,000,000",
        ),
        (
            pd.DataFrame({"SAL_NAME_2021": ["Quoll"], "LGA_NAME_2021": ["Wader"], "RATIO": [70]}),
            "the ratios of Quoll add up to 70",
        ),
        (pd.DataFrame({"SAL_NAME_2021": ["Quoll"], "LGA_NAME_2021": ["a\x07b"]}), "is not the name of an area"),
        (
            pd.DataFrame(
                {"POA_CODE_2021": ["1"], "POA_NAME_2021": ["1"], "SAL_NAME_2021": ["Quoll"], "RATIO_FROM_TO": [1]}
            ),
            "are shares of POA_CODE_2021, not of suburbs",
        ),
        (
            pd.DataFrame(
                {"LGA_CODE_2021": ["1"], "LGA_NAME_2021": ["x"], "SAL_NAME_2021": ["Quoll"], "RATIO_FROM_TO": [1]}
            ),
            "are shares of LGA_NAME_2021, not of suburbs",
        ),
    ],
)
def test_what_adds_nothing_is_refused(live, tmp_path, added, message):
    """A table in ``with_`` that cannot be read, or says nothing of these suburbs, is refused, and nothing changes."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Woylie"]}))
    with pytest.raises(ValueError, match=message):
        sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Quoll"]}), with_=[added])
    assert sp.places().index.to_list() == ["Woylie"]


@pytest.mark.parametrize("name", ["SAL_2021_AUST_GDA2020.shp", "boundaries.gpkg", "SAL.zip"])
def test_boundaries_are_read_with_geopandas(live, tmp_path, name):
    """A file of boundaries is refused with the advice to read it with geopandas."""
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(ValueError, match=r"Pass it as a GeoDataFrame: geopandas\.read_file\("):
        sp.load_gazetteer(tmp_path / name)


def test_without_openpyxl_a_workbook_says_how_to_get_it(live, allocation, monkeypatch):
    """Where openpyxl is not installed, the error names the extra that brings it."""
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"pip install 'suburb_pandas\[excel\]'"):
        sp.load_gazetteer(allocation)


def test_a_workbook_without_names_is_refused(live, tmp_path):
    """A workbook with no sheet of the ABS's columns is refused."""
    with pytest.raises(ValueError, match=r"^No sheet of .* has a column of suburb names"):
        sp.load_gazetteer(workbook(tmp_path / "other.xlsx", [("a", "b"), (1, 2)]))


def test_what_a_list_says_is_in_the_store_for_people(live, tmp_path, allocation):
    """The areas of listed suburbs are a table that can be read at a SQLite prompt."""
    sp.load_gazetteer(allocation, with_=csv(tmp_path / "lga.csv", LGA))
    with plain_sqlite(live.store.path) as plain:
        rows = plain.execute("select area_name, lga, lga_share, partly from listed_place order by 1").fetchall()
    assert rows == [("Emu (Vic.)", "Bilby", 1.0, "[]"), ("Quoll", "Wader Shire", 0.75, '["Curlew"]')]


def test_areas_of_another_year_are_read(live):
    """Councils change every year: a list may have the areas of a later year. Those of its own year come first."""
    listed = {"SAL_NAME_2021": ["Quoll"], "LGA_NAME_2025": ["Later"], "STATE_NAME_2016": ["Victoria"]}
    sp.load_gazetteer(pd.DataFrame(listed))
    assert known(sp.places(), "Quoll") == {"lga": "Later", "lga_share": 1.0, "origin": "list"}
    sp.load_gazetteer(pd.DataFrame(listed | {"LGA_NAME_2021": ["Wader"]}), True)
    assert known(sp.places(), "Quoll") == {"lga": "Wader", "lga_share": 1.0, "origin": "list"}


@pytest.mark.parametrize("source", [5, ["Quoll"], pd.Series(["Quoll"]), None])
def test_what_is_no_source(live, source):
    """A list is a path or a frame; anything else is a TypeError that says so."""
    with pytest.raises(TypeError, match="A list must be a path, a DataFrame or a GeoDataFrame"):
        sp.load_gazetteer(source)
    with pytest.raises(TypeError, match="with_ must be a path, a frame, or a list of these, not int"):
        sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Quoll"]}), with_=3)


def test_a_part_in_no_area_is_a_part(live):
    """Rows without an area count in the whole, so that the share of an area is its part of the suburb."""
    areas = {"SAL_NAME_2021": ["Quoll"] * 2, "LGA_NAME_2021": ["Wader", "No usual address (NSW)"], "Person": [10, 90]}
    sp.load_gazetteer(pd.DataFrame(areas))
    assert known(sp.places(), "Quoll") == {"lga": "Wader", "lga_share": 0.1, "persons": 100, "origin": "list"}


def test_ratios_of_nothing_stay_nothing(live):
    """Where the file gives ratios, no other share is worked out, and those of one suburb are at most the whole."""
    areas = {"SAL_NAME_2021": ["Quoll"] * 2, "LGA_NAME_2021": ["Wader", "Curlew"], "RATIO_FROM_TO": [0, 0]}
    sp.load_gazetteer(pd.DataFrame(areas))
    assert known(sp.places(), "Quoll") == {"lga": "Curlew", "lga_share": 0.0, "origin": "list"}
    with pytest.raises(ValueError, match=r"the ratios of Quoll add up to 1\.6"):
        sp.load_gazetteer(pd.DataFrame(areas | {"RATIO_FROM_TO": [0.8, 0.8]}))


def test_a_column_that_is_the_index_too_is_read_once(live):
    """``set_index(..., drop=False)`` leaves the names in both places."""
    frame = pd.DataFrame({"SAL_NAME_2021": ["Quoll"], "LGA_NAME_2021": ["Wader"]})
    sp.load_gazetteer(frame.set_index("SAL_NAME_2021", drop=False))
    assert sp.places()["lga"].to_dict() == {"Quoll": "Wader"}
    with pytest.raises(ValueError, match="'7' is not a suburb name"):
        sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": [7]}))


def test_a_count_of_none_is_a_count(live):
    """A suburb in which nobody lives has 0 dwellings and 0 persons, not NA."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Quoll"], "Dwelling": [0], "Person": [0]}))
    assert known(sp.places(), "Quoll") == {"dwellings": 0, "persons": 0, "origin": "list"}


def test_a_later_list_adds_to_an_earlier_one(live):
    """The facts of two lists about a suburb add up. A state on which the lists disagree is not known."""
    first = pd.DataFrame({"SAL_NAME_2021": ["Quoll", "Emu"], "STE_NAME21": "Victoria", "LGA_NAME21": "Wader"})
    second = pd.DataFrame({"SAL_NAME_2021": ["Quoll", "Emu"], "STE_NAME21": ["Tasmania", None], "Person": [1, 2]})
    for one in (first, second):
        sp.load_gazetteer(one)
    assert known(sp.places(), "Quoll") == {"lga": "Wader", "lga_share": 1.0, "persons": 1, "origin": "list"}
    assert known(sp.places(), "Emu") == {
        "state": "VIC",
        "lga": "Wader",
        "lga_share": 1.0,
        "persons": 2,
        "origin": "list",
    }


AREA_ROWS = st.lists(
    st.tuples(st.sampled_from(["Quoll", "Emu"]), st.sampled_from(["a", "b", "c"]), st.integers(0, 5)), min_size=1
)


@given(AREA_ROWS)
def test_the_share_is_that_of_the_largest_part(rows):
    """The area that is kept has the largest weight, and its share is that weight in the whole; the others are known."""
    frame = pd.DataFrame(rows, columns=["SAL_NAME_2021", "LGA_NAME_2021", "Person"])
    _, places = sal_file.read(frame, complete=False)
    for place in places:
        own = frame[frame["SAL_NAME_2021"] == place.area_name]
        weights = own.groupby("LGA_NAME_2021")["Person"].sum()
        if weights.sum() == 0:
            weights = own.groupby("LGA_NAME_2021").size()
        assert place.lga_share == pytest.approx(weights.max() / weights.sum())
        assert weights[place.lga] == weights.max()
        assert {*place.partly} == {*weights[weights > 0].index} - {place.lga}
        assert place.persons == own["Person"].sum()
