"""Tests files of pins: how they decide queries, how they are extended, and how people may write them."""

from unittest.mock import Mock

import pytest

import suburb_pandas as sp
from tests.geocoding.listed import load

HEAD = "query,state,postcode,area_name"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "names.csv"


def append(path, queries, *given, **more):
    """Resolve queries, extend a file of pins, and return its lines."""
    sp.resolve(queries, *given, pins=path, append_pins=True, **more)
    return path.read_text().splitlines()


def test_a_pin_decides_what_is_ambiguous(live, service, path):
    """A pin decides a query with the same state, postcode and region, in any spelling, before anything else.

    It is not looked up.
    """
    path.write_text(
        f"{HEAD},region\nlantern bay,,,Lantern Bay (Tas.),\nMagpie Flat,Vic.,3359,Magpie Flat (SA),Shire of Wader\n"
    )
    found = sp.resolve(["Lantern  Bay", "magpie flat"], [None, "VIC"], [None, 3359], region=[None, "wader"], pins=path)
    assert found.to_list() == ["Lantern Bay (Tas.)", "Magpie Flat (SA)"]
    assert not service.requests
    with pytest.raises(sp.errors.AmbiguousSuburb):
        sp.resolve("magpie flat", "VIC", pins=path)


def test_what_is_resolved_is_appended(embedded, path):
    """``append_pins=True`` appends the queries that have no pin yet, each once and in order, and begins the file.

    An empty file is like none.
    """
    path.touch()
    first = append(path, ["quokka bay", "Quokka Bay", "quokka  bay"], [None, "WA", None])
    assert first == [HEAD, "quokka bay,,,Quokka Bay", "Quokka Bay,WA,,Quokka Bay"]
    assert append(path, ["QUOKKA BAY", "lantern bay"], [None, "Tas"]) == [*first, "lantern bay,TAS,,Lantern Bay (Tas.)"]
    with pytest.warns(sp.SuburbWarning):
        assert append(path, "xyzzy", errors="warn")[-1] == "xyzzy,,,"


def test_an_open_query_is_written_once_and_can_be_decided(embedded, path):
    """Open queries are appended with their candidates, once. If a name is filled in, the same call succeeds.

    The message names the file, and how to decide the queries in it.
    """
    asked = ["woylie", "quokka bay", "sugrgum"], [None, "Narnia", None]
    how = f"1 elsewhere, 1 unknown.* fill in each empty area_name in {path} and run the same line again, with append_p"
    for _ in range(2):
        with pytest.warns(sp.SuburbWarning, match=how):
            lines = append(path, *asked, errors="warn")
        assert lines == [
            f"{HEAD},candidates",
            "woylie,,,Woylie,",
            "quokka bay,Narnia,,,Quokka Bay",
            "sugrgum,,,,Sugargum",
        ]
    path.write_text("\n".join(lines).replace("Narnia,,,", "Narnia,,Quokka Bay,").replace("gum,,,,", "gum,,,Sugargum,"))
    assert sp.resolve(*asked, pins=path).to_list() == ["Woylie", "Quokka Bay", "Sugargum"]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffarea_name,query,note\r\nLantern Bay (NSW),lantern bay,as agreed\r\n",
        'query,area_name\n"lantern bay","Lantern Bay (NSW)"',
        "query,area_name\nlantern bay,\nLantern Bay,Lantern Bay (NSW)\nlantern bay,Lantern Bay (NSW)\n\n",
    ],
)
def test_people_write_it_in_many_ways(embedded, path, text):
    """A file of pins may have other columns, none for state and postcode, quotes, CRLF line ends or a byte order mark.

    Rows without a name and repeated rows are allowed.
    """
    path.write_bytes(text.encode())
    assert sp.resolve("lantern bay", pins=str(path)).to_list() == ["Lantern Bay (NSW)"]


@pytest.mark.parametrize(("mark", "end"), [("", "\n"), ("\ufeff", "\r\n")])
def test_nothing_in_the_file_is_lost(embedded, path, mark, end):
    """Other columns, values beyond the last label, empty rows, line ends and a byte order mark stay as they are."""
    text = f"{mark}note,{HEAD},note\nours,woylie,,,Zamia,more\n,,,,,\n,emu,,,,\n"
    path.write_text(text.replace("more\n", "more,beyond\n"), newline=end)
    append(path, ["woylie", "quokka bay"])
    lines = f"{text},quokka bay,,,Quokka Bay,\n".replace("\n", f",{end}").replace("more,", "more,beyond")
    assert path.read_bytes().decode() == lines


def test_columns_that_the_file_lacks_are_added(embedded, path):
    """A file with the columns of queries and names alone gets the others; emptied columns of a spreadsheet go."""
    path.write_text("query,area_name,,\nlantern bay,Lantern Bay (Tas.),,\n\n")
    assert append(path, ["lantern bay"] * 2, [None, "NSW"], region=[None, "Curlew Shores"]) == [
        "query,area_name,state,region",
        "lantern bay,Lantern Bay (Tas.),,",
        ",,,",
        "lantern bay,Lantern Bay (NSW),NSW,Curlew Shores",
    ]


def test_a_file_that_cannot_be_written_anew_is_kept(embedded, path, monkeypatch):
    """If a file cannot be written, it stays as it was."""
    path.write_text(HEAD)
    monkeypatch.setattr(type(path), "replace", Mock(side_effect=OSError(28, "no space")))
    with pytest.raises(OSError, match="no space"):
        append(path, "woylie")
    assert path.read_text() == HEAD
    assert not [*path.parent.glob("*new")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("suburb;name\n", "has the columns suburb;name"),
        ("query,state\n", "needs the columns query and area_name"),
        ("query,area_name,query\n", "query and area_name once"),
        (f'{HEAD}\n"a,,,Woylie\nb,,,Quokka Bay\n"c",,,Woylie\n', "cannot be read as CSV"),
        (f"{HEAD}\na,,,Quokka Bay\nA,,,Woylie\n", "row 3: 'a' has two names"),
        (f"{HEAD}\na,,,..\n", r"row 2: '\.\.' cannot be a suburb name"),
        (f"{HEAD}\n,,,Woylie\n", "row 2: area_name is filled in, but query is empty"),
        (f'{HEAD}\n"a,b', "cannot be read as CSV"),
        (f"{HEAD}\n\udcff", "cannot be read as CSV in UTF-8 .*Nothing was sent"),
    ],
)
def test_a_file_that_cannot_be_read_is_left_alone(live, service, path, content, message):
    """A file of pins that cannot be read is an error that names the row. No call is made, and nothing is appended."""
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=message):
        append(path, "lantern bay")
    assert path.read_bytes().decode(errors="surrogateescape") == content
    assert not service.requests


def test_no_file(live, service, path):
    """A file of pins must exist unless ``append_pins=True`` begins it, and so must its folder."""
    for file, options in ((path, {}), (path / "none.csv", {"append_pins": True})):
        with pytest.raises(FileNotFoundError, match="To create it in a folder that exists, pass append_pins=True"):
            sp.resolve("quokka bay", pins=file, **options)
    with pytest.raises(ValueError, match="cannot be read"):
        sp.resolve("quokka bay", pins=path.parent)
    assert not service.requests


def test_a_pin_that_is_no_suburb_is_used_with_a_warning(live, path):
    """A pin for a name that is not in a complete list is used, with a warning, and so it is in a replay."""
    load("SAL_NAME_2021\nLantern Bay (NSW)")
    path.write_text("query,area_name\nlantern bay,Lantern By (NSW)\n")
    for record in ("once", "none"):
        with (
            sp.cassette(path.with_suffix(".yaml"), record),
            pytest.warns(sp.SuburbWarning, match=r"has names that are not in .*: 'Lantern By \(NSW\)'"),
        ):
            assert sp.resolve("lantern bay", pins=path).to_list() == ["Lantern By (NSW)"]
