"""Tests files of pins: what is in them is kept, and a name that is no suburb is told."""

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
