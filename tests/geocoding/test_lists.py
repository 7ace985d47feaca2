"""Tests lists of suburb names: the ABS's workbooks, shares of areas, and lists that add up or replace others."""

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


QUOLL = pd.DataFrame({"SAL_NAME_2021": ["Quoll"], "STE_NAME21": "New South Wales"})


def test_a_long_row_far_down_is_refused(live, write):
    """The whole file is read before anything changes, and a row with more values than the first has an error."""
    with pytest.raises(ValueError, match=r"cannot be read .*saw 10"):
        sp.load_gazetteer(write(f"SAL_NAME_2021{',' * 8}\n" + f"Quoll{',' * 8}\n" * 65_535 + f"Emu{',' * 9}x\n"))


def test_a_workbook_needs_openpyxl(live, write, monkeypatch):
    """Without openpyxl, the error for a workbook names the extra that brings it."""
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"pip install 'suburb_pandas\[excel\]'"):
        sp.load_gazetteer(write("", "list.xlsx"))
    with pytest.raises(TypeError, match="not int"):
        sp.load_gazetteer(7)


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
