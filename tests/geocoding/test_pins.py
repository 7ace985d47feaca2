"""Tests files of pins: they decide without a look-up, and nothing in them is lost."""

from unittest.mock import Mock

import pytest

import suburb_pandas as sp
from suburb_pandas.geocoding.pins import append_to
from suburb_pandas.names.written import Query
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


def test_a_file_that_is_not_there_or_cannot_be_read_sends_nothing(live, service, path):
    """A file of pins must exist unless ``append_pins=True`` begins it, and so must its folder."""
    for file, options in ((path, {}), (path / "none.csv", {"append_pins": True})):
        with pytest.raises(FileNotFoundError, match="To create it in a folder that exists, pass append_pins=True"):
            sp.resolve("quokka bay", pins=file, **options)
    path.write_text("query,state\n")
    for file, message in ((path.parent, "cannot be read"), (path, "needs the columns query and area_name")):
        with pytest.raises(ValueError, match=message):
            sp.resolve("quokka bay", pins=file)
    assert not service.requests


@pytest.mark.parametrize(("mark", "end"), [("", "\n"), ("\ufeff", "\r\n")])
def test_nothing_in_the_file_is_lost(embedded, path, mark, end):
    """Other columns, values beyond the last label, empty rows, line ends and a byte order mark stay as they are."""
    text = f"{mark}note,{HEAD},note\nours,woylie,,,Zamia,more\n,,,,,\n,emu,,,,\n"
    path.write_text(text.replace("more\n", "more,beyond\n"), newline=end)
    append(path, ["woylie", "quokka bay"])
    lines = f"{text},quokka bay,,,Quokka Bay,\n".replace("\n", f",{end}").replace("more,", "more,beyond")
    assert path.read_bytes().decode() == lines


def test_a_file_that_cannot_be_written_anew_is_kept(embedded, path, monkeypatch):
    """If a file cannot be written, it stays as it was."""
    path.write_text(HEAD)
    monkeypatch.setattr(type(path), "replace", Mock(side_effect=OSError(28, "no space")))
    with pytest.raises(OSError, match="no space"):
        append(path, "woylie")
    assert path.read_text() == HEAD
    assert not [*path.parent.glob("*new")]


def test_a_query_that_another_process_decided_meanwhile_keeps_its_name(path):
    """A decision is added only for a query that is still open, so that the file never has two names for one."""
    path.write_text(f"{HEAD}\nfoo,,,Bar\nwattle,,,\n")
    append_to(path, {Query("Foo"): "Baz", Query("wattle"): "Wattle"}, {Query("foo"): ["Bar", "Baz"]})
    assert path.read_text() == f"{HEAD}\nfoo,,,Bar\nwattle,,,\nwattle,,,Wattle\n"


def test_a_pin_that_is_no_suburb_is_used_and_then_refused_free(live, service, path):
    """A pin is used as it is. If a complete list does not have its name, loading it raises an error without a call."""
    load("SAL_NAME_2021\nLantern Bay (NSW)")
    path.write_text("query,area_name\nlantern bay,Lantern By (NSW)\n")
    for record in ("once", "none"):
        with sp.cassette(path.with_suffix(".yaml"), record):
            names = sp.resolve("lantern bay", pins=path)
            assert names.to_list() == ["Lantern By (NSW)"]
            with pytest.raises(sp.errors.UnknownSuburb):
                sp.rent(names.iloc[0])
    assert not service.requests
