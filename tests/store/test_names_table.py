"""Tests the packed names in a store: they belong to the lists that are loaded, and only save time."""

import pytest

import suburb_pandas as sp
from suburb_pandas.names.packed import FORMAT
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
    assert live.store.packed_names(FORMAT) is None
    load(tmp_path / "names.txt", "Quoll Bay\nEmu\n", live)
    assert live.store.packed_names(FORMAT)
    assert live.store.packed_names(FORMAT + 1) is None
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


def test_a_list_that_an_older_version_loaded_is_seen(live, reopened, tmp_path):
    """An older version of the package adds a list without packing it. The packed names of before are not used."""
    load(tmp_path / "one.txt", "Quoll Bay\n", live)
    with plain_sqlite(live.store.path) as plain:
        plain.execute("insert into name_list values (9, '2026-01-01T00:00:00+00:00', 'two.txt', 'x', null, 0, 1)")
        plain.execute("insert into listed_name values (9, 'Quoll Creek', null)")
    for client in (live, reopened()):
        assert sp.suggest("quo", client=client)["area_name"].to_list() == ["Quoll Bay", "Quoll Creek"]


def test_without_packed_names_they_are_built_again(live, reopened, tmp_path):
    """If the packed names are lost, the next process builds and stores them again."""
    load(tmp_path / "one.txt", "Quoll Bay\n", live)
    with plain_sqlite(live.store.path) as plain:
        plain.execute("delete from packed_names")
    client = reopened()
    assert sp.suggest("quo", client=client)["area_name"].to_list() == ["Quoll Bay"]
    assert client.store.packed_names(FORMAT)


@pytest.mark.parametrize("damage", ["x'00'", "x''", "substr(packed, 1, 20)", "zeroblob(length(packed))"])
def test_damaged_names_are_built_again(live, reopened, tmp_path, damage):
    """Packed names that are not what was written are not used."""
    load(tmp_path / "one.txt", "Quoll Bay\n", live)
    with plain_sqlite(live.store.path) as plain:
        plain.execute(f"update packed_names set packed = {damage}")  # noqa: S608 - the damages above
    assert sp.suggest("quo", client=reopened())["area_name"].to_list() == ["Quoll Bay"]


def test_a_busy_store_is_no_obstacle(live, reopened, tmp_path):
    """While another program writes, the names are found all the same, and are stored the next time."""
    load(tmp_path / "one.txt", "Quoll Bay\n", live)
    with plain_sqlite(live.store.path) as plain:
        plain.execute("delete from packed_names")
        plain.execute("begin immediate")
        client = reopened()
        assert sp.suggest("quo", client=client)["area_name"].to_list() == ["Quoll Bay"]
        plain.execute("rollback")
    assert client.store.packed_names(FORMAT) is None
    assert sp.suggest("quo", client=reopened())["area_name"].to_list() == ["Quoll Bay"]
    assert client.store.packed_names(FORMAT)
