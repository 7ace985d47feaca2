"""Tests the packed names in a store: they belong to the lists that are loaded, and only save time."""

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.names.gazetteer import FORMAT
from suburb_pandas.store import names_table
from tests.support.common import LIVE_KEY, plain_sqlite


def load(path, text, client, *, complete=None):
    """Load a text file of names."""
    path.write_text(text)
    sp.load_gazetteer(path, complete, client=client)


@pytest.fixture
def reopened(live, service):
    """Return a function that opens the store of the default client again, as another process does."""
    clients = []

    def reopen():
        clients.append(sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.store.path))
        return clients[-1]

    yield reopen
    for client in clients:
        client.close()


def test_loading_a_list_packs_its_names(live, reopened, tmp_path):
    """The index is built when a list is loaded. Another process reads it, and finds the same."""
    assert live.store.read(names_table.packed, FORMAT) is None
    load(tmp_path / "names.txt", "Quoll Bay\nEmu\n", live)
    assert live.store.read(names_table.packed, FORMAT)
    assert live.store.read(names_table.packed, FORMAT + 1) is None
    assert sp.suggest("quo", client=reopened())["area_name"].to_list() == ["Quoll Bay"]


def test_another_list_makes_them_stale(live, reopened, tmp_path):
    """As soon as another list is loaded, the packed names of the lists before are used no more."""
    load(tmp_path / "one.txt", "Quoll Bay\n", live)
    load(tmp_path / "two.txt", "Quoll Creek\n", live)
    for client in (live, reopened()):
        assert sp.suggest("quo", client=client)["area_name"].to_list() == ["Quoll Bay", "Quoll Creek"]
    load(tmp_path / "two.txt", "Quoll Hill\n", live, complete=True)
    for client in (live, reopened()):
        assert sp.suggest("quo", client=client)["area_name"].to_list() == ["Quoll Hill"]


def test_names_that_were_packed_before_another_list_was_loaded_are_not_stored(live, reopened, tmp_path):
    """If another process loads a list while the names of the lists before are packed, they are packed again."""
    load(tmp_path / "one.txt", "Quoll Bay\n", live)
    before, packed = live.store.read(names_table.lists), live.store.read(names_table.packed, FORMAT)
    load(tmp_path / "two.txt", "Quoll Creek\n", reopened())
    live.store.write(names_table.keep_packed, before, FORMAT, packed)
    assert sp.suggest("quo", client=reopened())["area_name"].to_list() == ["Quoll Bay", "Quoll Creek"]


@pytest.mark.parametrize(
    "damage",
    [
        "delete from packed_names",
        "update packed_names set packed = x'00'",
        "update packed_names set packed = 'text'",
        "update packed_names set packed = substr(packed, 1, 20)",
        "update packed_names set packed = zeroblob(length(packed))",
    ],
)
def test_packed_names_that_are_lost_or_damaged_are_built_again(live, reopened, tmp_path, damage):
    """If the packed names are not what was written, the next process builds and stores them again."""
    load(tmp_path / "one.txt", "Quoll Bay\n", live)
    with plain_sqlite(live.store.path) as plain:
        plain.execute(damage)
    client = reopened()
    assert sp.suggest("quo", client=client)["area_name"].to_list() == ["Quoll Bay"]
    assert client.store.read(names_table.packed, FORMAT)


def test_a_list_in_a_store_of_an_older_version_is_read_without_codes(live):
    """A file that may not be migrated, because it is read-only, has the names and areas of its lists as before."""
    listed = {"SAL_NAME_2021": ["Quoll"], "SAL_CODE_2021": [10001], "LGA_NAME_2021": ["Wader"]}
    sp.load_gazetteer(pd.DataFrame(listed))
    (new,) = live.store.read(names_table.places)
    with plain_sqlite(live.store.path) as plain:
        plain.executescript("alter table listed_place drop column sal_code; pragma user_version = 9;")
        assert names_table.places(plain) == [new._replace(sal_code=None)]
    assert (new.sal_code, new.lga) == ("SAL10001", "Wader")
