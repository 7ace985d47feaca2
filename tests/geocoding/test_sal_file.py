"""Tests reading lists of suburb names from files, and loading them with load_gazetteer."""

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.geocoding import sal_file
from suburb_pandas.sandbox import SUBURBS
from tests.support.made_up import NAMES

HEADER = "MB_CODE_2021,SAL_CODE_2021,SAL_NAME_2021,STATE_CODE_2021,STATE_NAME_2021,AREA_ALBERS_SQKM\n"


def written(tmp_path, text, name="list.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_text(text, encoding=encoding)
    return path


def read(path, *, complete=None):
    new, rows = sal_file.read(path, complete=complete)
    return new, {place.area_name: place.state for place in rows}


def test_the_abs_file_has_a_row_for_each_mesh_block(tmp_path):
    """From the ABS's file each name is read once, with the state in its rows; the edition is the column's year."""
    text = HEADER + (
        "1,10001,Quoll,1,New South Wales,0.1\n"
        "2,10001,Quoll,1,New South Wales,0.2\n"
        "3,20001,Woylie (Vic.),2,Victoria,0.3\n"
        "4,90001,Bilby,9,Other Territories,0.4\n"
        "5,ZZZZZ,Outside Australia,Z,Outside Australia,0\n"
    )
    new, rows = read(written(tmp_path, text))
    assert rows == {"Quoll": "NSW", "Woylie (Vic.)": "VIC", "Bilby": "OT", "Outside Australia": None}
    assert (new.file, new.edition, new.names, new.complete) == ("list.csv", "SAL 2021", 4, False)
    assert len(new.sha256) == 64


def test_a_name_in_two_states_has_none(tmp_path):
    """A name whose rows have different states gets a state only from its suffix."""
    text = (
        HEADER + "1,1,Quoll,1,New South Wales,1\n2,1,Quoll,2,Victoria,1\n3,1,Emu (SA),1,Victoria,1\n4,1,Emu (SA),4,,1\n"
    )
    assert read(written(tmp_path, text))[1] == {"Quoll": None, "Emu (SA)": "SA"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_plain_list_has_a_name_a_line(tmp_path, encoding):
    """A text file has one name a line. Blank lines, outer spaces, repeats, CRLF and a byte order mark are ignored.

    Only the suffix of a name gives its state.
    """
    text = "Quoll\r\n\r\n  Woylie (Vic.) \r\nQuoll\r\nNull\r\n"
    new, rows = read(written(tmp_path, text, "list.txt", encoding))
    assert rows == {"Quoll": None, "Woylie (Vic.)": "VIC", "Null": None}
    assert new.edition is None


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path):
    """A CSV file may begin with a byte order mark, as Excel writes it, before a name or a quote."""
    for header in ("SAL_NAME_2021,STATE_NAME_2021", '"SAL_NAME_2021","STATE_NAME_2021"'):
        new, rows = read(written(tmp_path, f"{header}\r\nQuoll,Victoria\r\n", encoding="utf-8-sig"))
        assert rows == {"Quoll": "VIC"}
        assert (new.edition, new.names) == ("SAL 2021", 1)


def test_a_byte_order_mark_in_the_middle_is_no_part_of_a_name(tmp_path):
    """Lists that were joined into one file may have a byte order mark before any name."""
    path = tmp_path / "list.txt"
    path.write_bytes("Quoll\n".encode("utf-8-sig") + "Woylie (Vic.)\nQuoll\n".encode("utf-8-sig"))
    assert read(path)[1] == {"Quoll": None, "Woylie (Vic.)": "VIC"}


def test_a_byte_order_mark_alone_is_no_list(tmp_path):
    """A file with nothing but a byte order mark, as an editor may save it, has no names."""
    with pytest.raises(ValueError, match="has no names"):
        read(written(tmp_path, "", encoding="utf-8-sig"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
@pytest.mark.parametrize("text", ["Caf\u00e9\nQuoll\n", "SAL_NAME_2021\nCaf\u00e9\n"])
def test_another_encoding_is_refused(tmp_path, text, encoding):
    """A list has to be UTF-8. Another encoding is refused, with or without a byte order mark."""
    with pytest.raises(ValueError, match=r"is not text in UTF-8\. Nothing was changed\. Save it as CSV UTF-8"):
        read(written(tmp_path, text, encoding=encoding))


def test_states_may_be_missing_and_columns_be_of_another_year(tmp_path):
    """The ABS's file may lack the states, and be of another year. States of another year than the names are ignored."""
    new, rows = read(written(tmp_path, "SAL_NAME_2026\nQuoll\nNA\n"))
    assert rows == {"Quoll": None, "NA": None}
    assert new.edition == "SAL 2026"
    text = "SAL_NAME_2021,STATE_NAME_2016,STATE_NAME_2021\nQuoll,Victoria,Tasmania\n"
    assert read(written(tmp_path, text))[1] == {"Quoll": "TAS"}


@pytest.mark.parametrize("end", [",", ",,", ", ", ',""', ",\r"])
@pytest.mark.parametrize("first", ["", ","], ids=["rows alone", "header too"])
def test_empty_values_beyond_the_columns_are_ignored(tmp_path, first, end):
    """Rows that end in commas are read as if they did not, even if the first row has no comma at its end."""
    text = f"SAL_NAME_2021,STATE_NAME_2021{first}\nQuoll,Victoria{end}\n\nWoylie,New South Wales{end}\nBilby,Tasmania\n"
    assert read(written(tmp_path, text))[1] == {"Quoll": "VIC", "Woylie": "NSW", "Bilby": "TAS"}
    text = f"SAL_NAME_2021{first}\nQuoll{end}\nBilby\n"
    assert read(written(tmp_path, text))[1] == {"Quoll": None, "Bilby": None}


@pytest.mark.parametrize("row", ["Emu, North,Victoria", "Emu,Victoria,,x", "Emu,Victoria,x,", ",,x"])
def test_a_value_beyond_the_columns_is_refused(tmp_path, row):
    """A row with more values than there are columns is refused with its number: its values may be in wrong columns."""
    path = written(tmp_path, f"SAL_NAME_2021,STATE_NAME_2021\nQuoll,Victoria\n\n{row}\n")
    with pytest.raises(
        ValueError, match=rf"list\.csv, row 4: '{row.strip(',').rpartition(',')[2]}' is beyond the last column"
    ):
        read(path)


def test_a_row_may_be_short(tmp_path):
    """A row that ends before the column of states has a name without a state. One that ends earlier has no name."""
    text = "SAL_CODE_2021,SAL_NAME_2021,STATE_NAME_2021\n1,Quoll\n2\n3,Bilby,Tasmania\n"
    assert read(written(tmp_path, text))[1] == {"Quoll": None, "Bilby": "TAS"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("suburb,state\nQuoll,NSW\n", "line 1: 'suburb,state' is not a suburb name"),
        ("Quoll\nWoylie\tVIC\n", "line 2"),
        ("suburb\nQuoll\n", "line 1: 'suburb' is not a suburb name"),
        ("SAL_CODE_2021\n123\n", "line 1"),
        ("SAL_CODE_2021\tSAL_NAME_2021\n1\tQuoll\n", "are not separated by commas"),
        ("SAL_CODE_2021;SAL_NAME_2021\n1;Quoll\n", "are not separated by commas"),
        ("SAL_NAME_2016,SAL_NAME_2021\nQuoll,Quoll\n", "several columns of names: SAL_NAME_2016, SAL_NAME_2021"),
        ("SAL_NAME_2021\nQu\x07oll\n", r"list.csv: 'Qu\\x07oll' is not a suburb name"),
        ("", "has no names"),
        (HEADER, "has no names"),
        ("Quoll\n..\n", "line 2"),
        ("Quoll,\nWoylie,\n", r"list\.csv, line 1: 'Quoll,' is not a suburb name"),
        ('SAL_NAME_2021\n"Quoll\nBilby\n', r"list\.csv, line 3: unexpected end of data"),
        ('"SAL_NAME_2021\nQuoll\n', r"list\.csv, line 2: unexpected end of data"),
    ],
)
def test_what_is_no_list_is_refused(tmp_path, text, message):
    """A file that is not a list of names is refused with an error that names the line or the column."""
    with pytest.raises(ValueError, match=message):
        read(written(tmp_path, text))


def test_a_damaged_workbook_is_refused(tmp_path):
    """A file that is called a workbook and is none is refused."""
    path = tmp_path / "list.xlsx"
    path.write_bytes(b"PK\x03\x04\xff\xfe")
    with pytest.raises(ValueError, match=r"list\.xlsx cannot be read as an Excel workbook"):
        read(path)


def test_fifteen_thousand_names_are_complete(tmp_path):
    """A list of 15,000 names or more is taken to be complete; the argument ``complete`` overrides that."""
    long = written(tmp_path, "\n".join(f"Quoll {number} Branch" for number in range(15_000)), "long.txt")
    short = written(tmp_path, "Quoll\n", "short.txt")
    assert [read(long)[0].complete, read(long, complete=False)[0].complete] == [True, False]
    assert [read(short)[0].complete, read(short, complete=True)[0].complete] == [False, True]


def test_what_is_loaded_is_recorded(live, service, tmp_path):
    """``load_gazetteer`` returns a row for each loaded list: file, edition, number of names, time and SHA-256."""
    found = sp.load_gazetteer(written(tmp_path, HEADER + "1,10001,Quoll,1,New South Wales,0.1\n"))
    assert found.dtypes.astype("str").to_dict() == {
        "file": pd.Series([""], dtype="str").dtype.name,
        "edition": pd.Series([""], dtype="str").dtype.name,
        "names": "int64",
        "complete": "bool",
        "loaded_at": "datetime64[us]",
        "sha256": pd.Series([""], dtype="str").dtype.name,
    }
    assert found[["file", "edition", "names", "complete"]].to_numpy().tolist() == [["list.csv", "SAL 2021", 1, False]]
    assert not service.requests


def test_lists_add_up_until_a_complete_one_comes(live, tmp_path):
    """A partial list is added, or replaces a list from a file of the same name. A complete list replaces all others."""
    sp.load_gazetteer(written(tmp_path, "Quoll\n", "one.txt"))
    sp.load_gazetteer(str(written(tmp_path, "Woylie\n", "two.txt")))
    sp.load_gazetteer(written(tmp_path, "Bilby\n", "one.txt"))
    assert sp.places(["Quoll", "Woylie", "Bilby"])["origin"].isna().to_list() == [True, False, False]
    found = sp.load_gazetteer(written(tmp_path, "Emu\n", "three.txt"), complete=True)
    assert found["file"].to_list() == ["three.txt"]
    assert sp.places(["Woylie", "Bilby", "Emu"])["origin"].isna().to_list() == [True, True, False]


def test_a_bad_file_changes_nothing(live, tmp_path):
    """If a file is refused or missing, the lists loaded before are kept."""
    sp.load_gazetteer(written(tmp_path, "Quoll\n"))
    with pytest.raises(ValueError):
        sp.load_gazetteer(written(tmp_path, "Quoll,NSW\n"), complete=True)
    with pytest.raises(FileNotFoundError):
        sp.load_gazetteer(tmp_path / "none.csv")
    assert sp.places("Quoll")["origin"].to_list() == ["list"]


def test_the_embedded_sandbox_goes_by_no_other_list(tmp_path):
    """A list loaded under the embedded sandbox is stored for the live service, with a warning, and not used itself."""
    store = tmp_path / "store.sqlite"
    with sp.connect(api_key="embedded", store=store) as embedded:
        with pytest.warns(
            sp.SuburbWarning, match=r"its own list.* kept in the store; to use it, .*, store='.*store\.sqlite'\)"
        ):
            sp.load_gazetteer(written(tmp_path, "Quoll\n"), complete=True)
        assert sp.places("Quoll", client=embedded)["origin"].isna().all()
        assert len(sp.suggest("", client=embedded)) == 0
        assert sp.resolve(NAMES, client=embedded).to_list() == NAMES
    with sp.connect(api_key="test", store=store):
        assert sp.resolve("quoll").to_list() == ["Quoll"]
        assert sp.places([SUBURBS[0].name])["origin"].isna().all()


@pytest.mark.parametrize("store", [{}, {"store": ":memory:"}])
def test_a_list_in_a_temporary_store_is_said_to_be_gone(tmp_path, store):
    """If the store is temporary, the warning says that the list is lost, and how to connect first."""
    with (
        sp.Client(api_key="embedded", **store) as client,
        pytest.warns(sp.SuburbWarning, match=r"in a temporary store and will be lost.*connect\(api_key='test'\)$"),
    ):
        sp.load_gazetteer(written(tmp_path, "Quoll\n"), client=client)
