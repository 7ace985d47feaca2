"""A list of suburb names from a file, and what load_gazetteer makes of it."""

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
    return new, dict(rows)


def test_the_abs_file_has_a_row_for_each_mesh_block(tmp_path):
    """Names come once each, with the state that their rows say, and the edition is the year of the column."""
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
    """Where rows disagree, and no suffix decides, the state is not known."""
    text = (
        HEADER + "1,1,Quoll,1,New South Wales,1\n2,1,Quoll,2,Victoria,1\n3,1,Emu (SA),1,Victoria,1\n4,1,Emu (SA),4,,1\n"
    )
    assert read(written(tmp_path, text))[1] == {"Quoll": None, "Emu (SA)": "SA"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_plain_list_has_a_name_a_line(tmp_path, encoding):
    """States are those of the suffixes; blank lines, outer spaces, repeats and Windows' line ends do not matter."""
    text = "Quoll\r\n\r\n  Woylie (Vic.) \r\nQuoll\r\nNull\r\n"
    new, rows = read(written(tmp_path, text, "list.txt", encoding))
    assert rows == {"Quoll": None, "Woylie (Vic.)": "VIC", "Null": None}
    assert new.edition is None


def test_states_may_be_missing_and_columns_be_of_another_year(tmp_path):
    """Only the names are needed, and the next edition has the same columns with another year."""
    new, rows = read(written(tmp_path, "SAL_NAME_2026\nQuoll\nNA\n"))
    assert rows == {"Quoll": None, "NA": None}
    assert new.edition == "SAL 2026"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("suburb,state\nQuoll,NSW\n", "line 1: 'suburb,state' is not a suburb name"),
        ("Quoll\nWoylie\tVIC\n", "line 2"),
        ("suburb\nQuoll\n", "line 1: 'suburb' is not a suburb name"),
        ("SAL_CODE_2021\n123\n", "line 1"),
        ("SAL_CODE_2021\tSAL_NAME_2021\n1\tQuoll\n", "its columns not separated by commas"),
        ("SAL_CODE_2021;SAL_NAME_2021\n1;Quoll\n", "its columns not separated by commas"),
        ("SAL_NAME_2016,SAL_NAME_2021\nQuoll,Quoll\n", "several columns of names: SAL_NAME_2016, SAL_NAME_2021"),
        ("SAL_NAME_2021\nQu\x07oll\n", r"list.csv: 'Qu\\x07oll' is not a suburb name"),
        ("", "holds no names"),
        (HEADER, "holds no names"),
        ("Quoll\n..\n", "line 2"),
    ],
)
def test_what_is_no_list_is_refused(tmp_path, text, message):
    """With the line, and what a list looks like."""
    with pytest.raises(ValueError, match=message):
        read(written(tmp_path, text))


def test_a_workbook_is_refused(tmp_path):
    """What is no text is to be saved as CSV."""
    path = tmp_path / "list.xlsx"
    path.write_bytes(b"PK\x03\x04\xff\xfe")
    with pytest.raises(ValueError, match="Save the list as CSV"):
        read(path)


def test_fifteen_thousand_names_are_complete(tmp_path):
    """Unless it is said otherwise; and a short list is, if that is said."""
    long = written(tmp_path, "\n".join(f"Quoll {number} Branch" for number in range(15_000)), "long.txt")
    short = written(tmp_path, "Quoll\n", "short.txt")
    assert [read(long)[0].complete, read(long, complete=False)[0].complete] == [True, False]
    assert [read(short)[0].complete, read(short, complete=True)[0].complete] == [False, True]


def test_what_is_loaded_is_recorded(live, service, tmp_path):
    """The frame says which lists are there: the file, its edition, how many names, when, and the file's digest."""
    found = sp.load_gazetteer(written(tmp_path, HEADER + "1,10001,Quoll,1,New South Wales,0.1\n"))
    assert found.dtypes.astype("str").to_dict() == {
        "file": pd.Series([""], dtype="str").dtype.name,
        "edition": pd.Series([""], dtype="str").dtype.name,
        "names": "int64",
        "complete": "bool",
        "loaded_at": "datetime64[us, UTC]",
        "sha256": pd.Series([""], dtype="str").dtype.name,
    }
    assert found[["file", "edition", "names", "complete"]].to_numpy().tolist() == [["list.csv", "SAL 2021", 1, False]]
    assert not service.requests


def test_lists_add_up_until_a_complete_one_comes(live, tmp_path):
    """A partial list is added, or takes the place of one of its name; a complete one takes the place of all."""
    sp.load_gazetteer(written(tmp_path, "Quoll\n", "one.txt"))
    sp.load_gazetteer(str(written(tmp_path, "Woylie\n", "two.txt")))
    sp.load_gazetteer(written(tmp_path, "Bilby\n", "one.txt"))
    assert sp.places(["Quoll", "Woylie", "Bilby"])["origin"].isna().to_list() == [True, False, False]
    found = sp.load_gazetteer(written(tmp_path, "Emu\n", "three.txt"), complete=True)
    assert found["file"].to_list() == ["three.txt"]
    assert sp.places(["Woylie", "Bilby", "Emu"])["origin"].isna().to_list() == [True, True, False]


def test_a_bad_file_changes_nothing(live, tmp_path):
    """What was loaded before stays."""
    sp.load_gazetteer(written(tmp_path, "Quoll\n"))
    with pytest.raises(ValueError):
        sp.load_gazetteer(written(tmp_path, "Quoll,NSW\n"), complete=True)
    with pytest.raises(FileNotFoundError):
        sp.load_gazetteer(tmp_path / "none.csv")
    assert sp.places("Quoll")["origin"].to_list() == ["list"]


def test_the_embedded_sandbox_goes_by_no_other_list(tmp_path):
    """A list that is loaded under it is kept, with a warning, for the live service that shares its store."""
    store = tmp_path / "store.sqlite"
    with sp.connect(api_key="embedded", store=store) as embedded:
        with pytest.warns(sp.SuburbWarning, match=r"a list of its own.* kept in the store .*store\.sqlite for"):
            sp.load_gazetteer(written(tmp_path, "Quoll\n"), complete=True)
        assert sp.places("Quoll", client=embedded)["origin"].isna().all()
        assert len(sp.suggest("", client=embedded)) == 0
        assert sp.resolve(NAMES, client=embedded).to_list() == NAMES
    with sp.connect(api_key="test", store=store):
        assert sp.resolve("quoll").to_list() == ["Quoll"]
        assert sp.places([SUBURBS[0].name])["origin"].isna().all()


def test_a_list_in_a_temporary_store_is_said_to_be_gone(embedded, tmp_path):
    """Who has no key yet is told to connect first."""
    with pytest.warns(sp.SuburbWarning, match=r"gone with its temporary store.*sp\.connect\(api_key='test'\)"):
        sp.load_gazetteer(written(tmp_path, "Quoll\n"))
