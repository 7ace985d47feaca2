"""Tests lists of suburb names: the files and frames that can be read, what they say, and loading them."""

import itertools

import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.geocoding import abs_files
from tests.support.made_up import NAMES

MESH_BLOCKS = """MB_CODE_2021,SAL_CODE_2021,SAL_NAME_2021,STATE_CODE_2021,STATE_NAME_2021,AREA_ALBERS_SQKM
101,10001,Quoll,1,New South Wales,3
102,10001,Quoll,1,New South Wales,1
201,20001,Emu (Vic.),2,Victoria,5
301,ZZZZZ,Outside Australia,Z,Outside Australia,5"""
LGA = """MB_CODE_2021,LGA_CODE_2021,LGA_NAME_2021,AREA_ALBERS_SQKM
101,1,Wader Shire,3
102,2,Curlew,1
201,3,No usual address (Vic.),5"""
COUNTS = [
    "Mesh Block Counts\n\nMB_CODE_2021,Dwelling,Person\n101,10,25",
    "Mesh Block Counts\n\nMB_CODE_2021,Dwelling,Person\n102,5,0\n201,0,\n999,7,7\nCells in this table were adjusted.",
]


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(text, name="list.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode(errors="surrogateescape"))
        return path

    return write


def workbook(path, *sheets):
    """Write a workbook with these sheets, each a text with a row on each line."""
    book = openpyxl.Workbook()
    book.active.append(["Contents"])
    for text in sheets:
        sheet = book.create_sheet()
        for line in text.splitlines():
            sheet.append(line.split(","))
    book.save(path)
    return path


def known(name="Quoll"):
    """Return what the loaded lists say of a suburb."""
    return ", ".join(f"{column} {value}" for column, value in sp.places(name).iloc[0].dropna().items())


def test_the_abs_workbooks_are_read_as_they_are_downloaded(live, service, tmp_path, write):
    """An allocation file with others of the same mesh blocks gives names, states, codes, areas, shares and counts."""
    allocation = workbook(tmp_path / "SAL_2021_AUST.xlsx", MESH_BLOCKS)
    added = [write(LGA), workbook(tmp_path / "counts.xlsx", *COUNTS)]
    loaded = sp.load_gazetteer(allocation, True, with_=added)
    assert " ".join(loaded) == "file edition names complete loaded_at sha256"
    assert loaded.iloc[0, :4].to_list() == ["SAL_2021_AUST.xlsx", "SAL 2021", 3, True]
    assert loaded["loaded_at"].dtype == "datetime64[us]"
    assert known() == (
        "state NSW, lga Wader Shire, lga_share 0.75, dwellings 15, persons 25, sal_code SAL10001, origin list"
    )
    assert known("Emu (Vic.)") == "state VIC, dwellings 0, persons 0, sal_code SAL20001, origin list"
    assert sp.places().index.to_list() == ["Emu (Vic.)", "Quoll"]  # without the ABS's special names
    assert sp.places(lga="Curlew").index.to_list() == ["Quoll"]
    assert not service.requests


@pytest.mark.parametrize(
    "text",
    [
        "SAL_NAME_2021,STATE_NAME_2021\nQuoll,Victoria\nEmu (WA),\nQuoll,Victoria\n",
        '\ufeff"SAL_NAME_2021","STATE_NAME_2021"\r\n"Quoll","Victoria"\r\n\r\n"Emu (WA)"\r\n',
        "SAL_CODE_2021\tSAL_NAME_2021\tSTATE_NAME_2021\n1\tQuoll\tVictoria\n2\tEmu (WA)\n3\n",
        "sal_name21;STE_NAME21;x\nQuoll;Victoria;1\nEmu (WA);;2\n",
        "SAL_NAME_2021,STATE_NAME_2021,,\nQuoll,Victoria,, x\nEmu (WA),Victoria,\n",
    ],
)
def test_a_table_of_the_abs_is_read_in_many_forms(live, write, text):
    """A table may be separated by commas, tabs or semicolons, be quoted, and have a byte order mark or short rows.

    The suffix of a name has precedence over its state.
    """
    loaded = sp.load_gazetteer(write(text))
    assert loaded.iloc[0, 1:4].to_list() == ["SAL 2021", 2, False]
    assert sp.places()["state"].to_dict() == {"Emu (WA)": "WA", "Quoll": "VIC"}


@pytest.mark.parametrize("heading", ["", "\ufeff", "suburb\n", '"Locality"\r\n'])
def test_a_plain_list_has_a_name_a_line(live, write, heading):
    """A text file has one name a line. A heading, blank lines, repeats, CRLF and byte order marks are ignored."""
    sp.load_gazetteer(write(f"{heading}Quoll\r\n\r\n  Emu (WA) \r\n\ufeffQuoll\r\nNull\r\n"))
    assert sp.places()["state"].fillna("-").to_dict() == {"Emu (WA)": "WA", "Null": "-", "Quoll": "-"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("list.csv", "suburb,state\nQuoll,NSW\n", "has no column of suburb names"),
        ("list.csv", "SAL_NAME_2021\nBilby; NSW\n", "'Bilby; NSW' is not a suburb name"),
        ("list.csv", "Quoll\n..\n", r"'\.\.' is not a suburb name"),
        ("list.csv", "Quoll\n7\n", "'7' is not a suburb name"),
        (
            "list.csv",
            "SAL_NAME_2016,SAL_NAME_2021\nQuoll,Quoll\n",
            "several columns of names: SAL_NAME_2016, SAL_NAME_",
        ),
        ("list.csv", "SAL_NAME_2021\nEmu,Victoria\n", r"list\.csv cannot be read .*1 fields in line 2, saw 2\)"),
        ("list.csv", f"SAL_NAME_2021{',' * 8}\n" + f"Quoll{',' * 8}\n" * 65_535 + f"Emu{',' * 9}x\n", "saw 10"),
        ("list.csv", "SAL_NAME_2021\nCaf\udce9\n", "cannot be read .*Save it as CSV UTF-8"),
        ("list.csv", "\ufeff", "has no names"),
        ("list.xlsx", "SAL_NAME_2021\n", r"list\.xlsx cannot be read"),
        ("boundaries.gpkg", "", r"Pass it as a GeoDataFrame: geopandas\.read_file\("),
        ("with", "SAL_NAME_2021\nQuoll", r"adds nothing to .*\. Nothing was changed\. A table in with_ needs"),
        ("with", "LGA_NAME_2021\nWader", "A table in with_ needs the column SAL_NAME_2021"),
        ("with", "SAL_NAME_2021,LGA_NAME_2021\nBilby,Wader", "None of the suburbs in"),
        ("with", "SAL_NAME_2021,Person\nQuoll,many", "'many' is not a number between 0 and 1,000,000,000"),
        ("with", "SAL_NAME_2021,Person\nQuoll,-1", "'-1' is not a number"),
        ("with", "SAL_NAME_2021,LGA_NAME_2021,RATIO\nQuoll,Wader,70", "the ratios of Quoll add up to 70"),
        ("with", "POA_NAME_2021,SAL_NAME_2021,RATIO\n1,Quoll,1", "are shares of areas, not of suburbs"),
    ],
    ids=itertools.count(),
)
def test_what_cannot_be_read_is_refused(live, write, name, text, message):
    """A file that is not a list of names, or adds nothing to one, is refused with its name and the reason.

    So is another encoding, a damaged workbook and a file of boundaries. What was loaded is kept.
    """
    sp.load_gazetteer(write("Woylie\n", "good.txt"))
    file = write(text, name)
    sources = (QUOLL, file) if name == "with" else (file, ())
    with pytest.raises(ValueError, match=message):
        sp.load_gazetteer(sources[0], True, with_=sources[1])
    assert sp.places().index.to_list() == ["Woylie"]


QUOLL = pd.DataFrame({"SAL_NAME_2021": ["Quoll"], "STE_NAME21": "New South Wales"})


def test_a_workbook_needs_openpyxl(live, write, monkeypatch):
    """Without openpyxl, the error for a workbook names the extra that brings it."""
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"pip install 'suburb_pandas\[excel\]'"):
        sp.load_gazetteer(write("", "list.xlsx"))
    with pytest.raises(TypeError, match="not int"):
        sp.load_gazetteer(7)


def test_a_correspondence_has_its_own_ratios(live, write):
    """Of several areas the one with the largest ratio is kept; a query may name any of them."""
    ratios = "SAL_NAME_2021,POA_NAME_2021,RATIO_FROM_TO\nQuoll,2031,0.3\nQuoll,2032,0.7\nQuoll,2034,0\nBilby,2033,1\n"
    sp.load_gazetteer(QUOLL, True, with_=write(ratios))
    assert known() == "state NSW, postcode 2032, postcode_share 0.7, origin list"
    assert [len(sp.places(postcode=one)) for one in (2031, 2032, 2033, 2034)] == [1, 1, 0, 0]
    assert sp.resolve(["quoll 2031", "quoll 2034"]).to_list() == ["Quoll"] * 2


class GeoDataFrame(pd.DataFrame):
    """Stands in for geopandas's class, which the tests do not install."""


@pytest.mark.parametrize("as_index", [{}, {"drop": True}, {"drop": False}])
def test_a_frame_is_a_list_too(live, as_index):
    """A DataFrame or GeoDataFrame is a list: a column, an index level or both have the names. Another frame adds areas.

    Suburbs that are not in the list are left out.
    """
    boundaries = GeoDataFrame({"SAL_NAME21": ["Quoll", "Emu (WA)", None], "STE_NAME21": "Victoria", "geometry": 0})
    areas = pd.DataFrame({"area_name": ["Quoll", "Bilby"], "SA4_NAME_2021": "Marri Coast", "Person": ["1,012", "3"]})
    source = boundaries.set_index("SAL_NAME21", **as_index) if as_index else boundaries
    loaded = sp.load_gazetteer(source, with_=areas)
    assert loaded["file"].str.fullmatch("(GeoDataFrame|DataFrame) [0-9a-f]{8}").all()
    assert known() == "state VIC, sa4 Marri Coast, sa4_share 1.0, persons 1012, origin list"
    assert [*sp.places().index] == ["Emu (WA)", "Quoll"]


def test_a_column_of_the_abs_comes_before_another_of_names(live):
    """The ABS's column has the names, whatever ``area_name`` holds. Spellings of a state and of codes do not matter."""
    columns = {"area_name": "Emu", "SAL_NAME21": "Quoll", "STATE_NAME_2021": ["NSW", "New South Wales"]}
    sp.load_gazetteer(pd.DataFrame(columns | {"POA_NAME_2021": "poa2031", "SAL_CODE21": ["sal10001", "10001"]}))
    assert known() == "state NSW, postcode 2031, postcode_share 1.0, sal_code SAL10001, origin list"


AREA_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["Quoll", "Emu"]), st.sampled_from(["a", "b", "c", "Outside Australia"]), st.integers(0, 5)
    ),
    min_size=1,
)


@given(AREA_ROWS)
def test_the_share_is_that_of_the_largest_part(rows):
    """The area that is kept has the largest weight, and its share is that weight in the whole; the others are known.

    Rows in no area are a part of the whole.
    """
    frame = pd.DataFrame(rows, columns=["SAL_NAME_2021", "LGA_NAME_2021", "Person"])
    for place in abs_files.read(frame, complete=False)[1]:
        own = frame[frame["SAL_NAME_2021"] == place.area_name].groupby("LGA_NAME_2021")["Person"]
        assert place.persons == own.sum().sum()
        weights = own.sum() if place.persons else own.size()
        shares = (weights / weights.sum()).drop("Outside Australia", errors="ignore")
        if shares.empty:
            assert place.lga is None
            continue
        assert place.lga_share == pytest.approx(shares.max()) == pytest.approx(shares[place.lga])
        assert {*place.partly} == {*shares[shares > 0].index} - {place.lga}


def test_a_later_list_adds_to_an_earlier_one(live, write):
    """The facts of two lists about a suburb add up, and the later area comes first; the suburb is found by both.

    A state on which lists, or the rows of one, differ is not known.
    """
    earlier = "SAL_NAME_2021,STE_NAME21,LGA_NAME21\nQuoll,Victoria,Wader\nEmu,Victoria,Wader\nNumbat,Victoria,\n"
    sp.load_gazetteer(write(f"{earlier}Dunnart,,Wader\n"))
    later = "SAL_NAME_2021,STE_NAME21,LGA_NAME21,Person\nQuoll,Tasmania,,1\nEmu,,Curlew,1\nNumbat,Victoria,,1\n"
    sp.load_gazetteer(write(f"{later}Dunnart,Victoria,,1\nBilby,Victoria,,1\nBilby,Tasmania,,1\n", "later.csv"))
    assert known() == "lga Wader, lga_share 1.0, persons 1, origin list"
    assert known("Emu") == "state VIC, lga Curlew, lga_share 1.0, persons 1, origin list"
    assert known("Bilby") == "persons 2, origin list"
    assert sp.places(state="VIC").index.to_list() == ["Dunnart", "Emu", "Numbat"]
    assert sp.places(lga="Wader").index.to_list() == ["Dunnart", "Emu", "Quoll"]


def test_lists_add_up_until_a_complete_one_comes(live, write):
    """A partial list is added, or replaces a list from a file of the same name. A complete list replaces all others.

    A list of 15,000 names or more is complete, unless the argument says otherwise.
    """
    for name, file in (("Quoll", "one.txt"), ("Woylie", "two.txt"), ("Bilby", "one.txt")):
        sp.load_gazetteer(write(name, file))
    assert [*sp.places().index] == ["Bilby", "Woylie"]
    assert [*sp.load_gazetteer(str(write("Emu", "three.txt")), True)["file"]] == ["three.txt"]
    assert [*sp.places().index] == ["Emu"]
    many = write("\n".join(f"Quoll {number} Branch" for number in range(15_000)))
    assert [abs_files.read(many, complete=one)[0].complete for one in (None, False)] == [True, False]


def test_the_embedded_sandbox_goes_by_no_other_list(tmp_path):
    """A list loaded under the embedded sandbox is stored for the live service, with a warning, and not used itself."""
    store = tmp_path / "s.sqlite"
    with sp.connect(api_key="embedded", store=store):
        with pytest.warns(sp.SuburbWarning, match="its own list.*load it again after you connect"):
            sp.load_gazetteer(QUOLL, complete=True)
        assert sp.places().index.to_list() == sorted(NAMES)
    with sp.connect(api_key="test", store=store):
        assert sp.resolve("quoll").to_list() == ["Quoll"]
