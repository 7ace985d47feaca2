"""Tests the packed names in a store: they belong to the lists that are loaded, and only save time."""

import pytest

import suburb_pandas as sp
from suburb_pandas.names.gazetteer import FORMAT
from suburb_pandas.store import names_table
from tests.support.common import plain_sqlite


@pytest.fixture
def load(live, tmp_path):
    """Return a function that writes a file of names, and loads it."""

    def load(file, text, complete=None):
        (tmp_path / file).write_text(text)
        sp.load_gazetteer(tmp_path / file, complete, client=live)

    return load


@pytest.fixture
def suggested(live, connect):
    """Return a function that suggests names, with the client that loads and with one as of another process."""

    def suggest():
        with connect(store=live.store.path) as other:
            (found, same) = (sp.suggest("quo", client=client)["area_name"].to_list() for client in (live, other))
        assert found == same
        return found

    return suggest


def test_the_index_of_the_loaded_lists_is_stored_and_never_that_of_others(load, suggested):
    """Another process reads the index of the lists, and finds the same. It is stale once another list is loaded."""
    for file, text, complete, found in (
        ("one.txt", "Quoll Bay\nEmu\n", None, ["Quoll Bay"]),
        ("two.txt", "Quoll Creek\n", None, ["Quoll Bay", "Quoll Creek"]),
        ("two.txt", "Quoll Hill\n", True, ["Quoll Hill"]),
    ):
        load(file, text, complete)
        assert suggested() == found


DAMAGES = [
    "delete from packed_names",
    "update packed_names set packed = 'text'",
    "update packed_names set packed = substr(packed, 1, 20)",
    "update packed_names set packed = zeroblob(length(packed))",
]


def test_packed_names_that_are_lost_or_damaged_are_built_again(live, load, suggested):
    """If the packed names are not what was written, the next process builds and stores them again."""
    load("one.txt", "Quoll Bay\n")
    packed = live.store.read(names_table.packed, FORMAT)
    for damage in DAMAGES:
        with plain_sqlite(live.store.path) as plain:
            plain.execute(damage)
        assert suggested() == ["Quoll Bay"]
        assert live.store.read(names_table.packed, FORMAT) == packed
