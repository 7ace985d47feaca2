"""Tests of stores that an earlier version wrote: all is read as before, and nothing is bought again."""

import random
import time
import zlib

import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store import migrations, responses
from suburb_pandas.store.store import Store
from tests.benchmarks.nation import body_of
from tests.support.common import LIVE_KEY, plain_sqlite
from tests.support.older import add, store_of_0_1_0
from tests.support.processes import Worker, obey_modes

BAY, FLAT = "Quokka Bay", "Numbat Flat"
URL = "http://127.0.0.1:9"
NAMESPACE, ITEM = Namespace("live", URL), Item("rent", BAY)

FIRST_VERSION = """
insert into call values
    (1, '2026-10-01T00:00:00+00:00', 'live', 'HTTP://127.0.0.1:9/', 'rent', 'Quokka Bay', 'billed', 30, 200, 'r'),
    (2, '2026-10-01T00:00:01+00:00', 'live', 'ftp://O', 'rent', 'Numbat Flat', 'sent', 30, null, null);
insert into response values (1, '2026-10-01T00:00:00+00:00', '{"x-request-id": "r"}',
    '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', x'7b7d');
pragma user_version = 1;
"""


@pytest.fixture
def older(tmp_path, service):
    """Return the settings of a client with a store that version 0.1.0 filled from the service of the test."""
    (tmp_path / "folder").mkdir()
    return {
        "api_key": LIVE_KEY,
        "base_url": service.url,
        "store": store_of_0_1_0(tmp_path / "folder" / "s", service.url),
    }


def contents(settings, may_write=True):  # noqa: FBT002 - passed on by a worker
    """Return what the public functions show of a store, without a call."""
    if not may_write:
        obey_modes()
    with sp.Client(**settings) as client:
        dates = sp.vintages(BAY, client=client)["retrieved_at"]
        with pytest.raises(sp.errors.UnknownSuburb) as refused:
            sp.rent("Woylie", client=client)
        return {
            "values": [sp.rent(BAY, retrieved_by=at, client=client)["house"].iloc[-1] for at in dates],
            "rents": sp.rent([BAY, "Bilby Heights"], client=client)["house"].to_list(),
            "ledger": sp.ledger(client=client).drop(columns="request_id").to_csv(),
            "found": sp.find("quokka", client=client)["area_name"].to_list(),
            "listed": sp.suggest("numb", client=client)["area_name"].to_list(),
            "quoted": [sp.quote(BAY, client=client).calls, [*sp.quote("Bogong Rise", client=client).unknown]],
            "refused": str(refused.value),
        }


def test_a_store_of_version_0_1_0_is_read_as_before_and_nothing_is_bought_again(older, service):
    """Vintages, refusals, look-ups, lists and the ledger of an older store are the same, also for who may only read."""
    folder = older["store"].parent
    folder.chmod(0o500)
    try:
        read_only = Worker(contents, older, False).go().result()
    finally:
        folder.chmod(0o700)
    assert read_only["values"] == [500, 510, 520, 530]
    assert read_only["found"] == [BAY, "Quokka Bay North"]
    assert read_only["listed"] == [FLAT]
    assert read_only["quoted"] == [0, ["Bogong Rise"]]
    assert read_only["ledger"].count("billed,30") == 6
    assert contents(older) == read_only
    assert service.requests == ()


def test_new_responses_in_an_older_store_are_compressed(older):
    """A vintage that is bought into an older store is written with zlib. The older ones stay as they are."""
    with sp.Client(**older) as client:
        before = client.store.vintages(client.namespace, ITEM)
        with pytest.warns(sp.errors.DataWarning, match="revised"):
            sp.rent(BAY, refresh=True, client=client)
        *older_ones, newest = client.store.vintages(client.namespace, ITEM)
    assert older_ones == before
    with plain_sqlite(older["store"]) as plain:
        bodies = plain.execute("select body from response order by call_id").fetchall()
    assert zlib.decompress(bodies[-1][0]) == newest.body
    assert bodies[3] == (before[3].body,)


def bodies_of(path, *names):
    """Return the bodies of all vintages of some suburbs."""
    store = Store(path)
    found = [[one.body for one in store.vintages(NAMESPACE, Item("rent", name))] for name in names]
    store.close()
    return found


def vacuum(path):
    """Vacuum a store, as a user does."""
    with sp.Client(api_key=LIVE_KEY, base_url=URL, store=path) as client:
        client.vacuum()


def test_vacuum_compresses_older_responses_and_gives_the_disk_back(tmp_path):
    """After `vacuum` every vintage is read as it came from a file of a third of the size. A damaged body stays."""
    path, body = store_of_0_1_0(tmp_path / "s"), body_of(FLAT)
    add(path, FLAT, *[body + b" " * number for number in range(60)])
    add(path, "Woylie", body)
    before, size = bodies_of(path, BAY, FLAT), path.stat().st_size
    with plain_sqlite(path) as plain:
        plain.execute("update response set body = ? where call_id = 69", (body[1:],))
    for _ in range(2):
        vacuum(path)
    assert path.stat().st_size < size / 3
    with plain_sqlite(path) as plain:
        assert plain.execute("select count(*) from compressed").fetchone() == (0,)
        assert plain.execute("select body from response where call_id = 69").fetchone() == (body[1:],)
    assert bodies_of(path, BAY, FLAT) == before


@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=pytest.mark.long)])
def test_a_vacuum_that_is_killed_loses_nothing(tmp_path, kills, trial):
    """After SIGKILL at any moment of a `vacuum`, every vintage is read as it came, and another `vacuum` ends it."""
    chance, names = random.Random(3), [f"Made-up {number:05}" for number in range(40)]
    path = store_of_0_1_0(tmp_path / "s")
    for name in names:
        add(path, name, *[body_of(name) + b" " * number for number in range(30)])
    before = bodies_of(path, BAY, *names)
    for _ in range(kills):
        worker = Worker(vacuum, path).go()
        time.sleep(chance.random() * 0.6)
        worker.end()
        with plain_sqlite(path) as plain:
            assert plain.execute("pragma integrity_check").fetchone() == ("ok",)
        assert bodies_of(path, BAY, *names) == before
    vacuum(path)
    assert bodies_of(path, BAY, *names) == before
    trial("a process is killed (SIGKILL) in a vacuum", "every vintage is read as it came", kills=kills)


@pytest.fixture
def first_version(tmp_path):
    """Return the path of a store of the first release, with a call that was under way when its process died."""
    with plain_sqlite(tmp_path / "first") as plain:
        plain.executescript(migrations.VERSIONS[0] + FIRST_VERSION)
    return tmp_path / "first"


def test_a_store_of_the_first_release_is_taken_along(first_version, tmp_path):
    """Its responses are found under every spelling of their base URL, and a call without an outcome is unknown.

    Its schema becomes that of a new store.
    """
    assert bodies_of(first_version, BAY) == [[b"{}"]]
    assert [row.outcome for row in Store(first_version).read(responses.ledger)] == ["billed", "unknown"]
    Store(tmp_path / "new").close()
    schemas = []
    for path in (first_version, tmp_path / "new"):
        with plain_sqlite(path) as plain:
            schemas.append(plain.execute("select type, name, sql from sqlite_master order by name").fetchall())
    assert schemas[0] == schemas[1]


def test_a_migration_that_fails_changes_nothing(first_version, monkeypatch):
    """A migration that fails is rolled back as a whole: the file keeps every byte."""
    before = first_version.read_bytes()
    monkeypatch.setattr(migrations, "VERSIONS", (*migrations.VERSIONS, "create table other (a); nonsense"))
    with pytest.raises(sp.errors.StoreError, match="nonsense"):
        Store(first_version)
    monkeypatch.undo()
    assert first_version.read_bytes() == before
    assert len(Store(first_version).read(responses.ledger)) == 2


def test_a_process_of_version_0_1_0_that_has_the_store_open_can_end_its_call(tmp_path):
    """If a store is migrated while version 0.1.0 buys, the answer of its call under way is stored and billed."""
    path = store_of_0_1_0(tmp_path / "s")
    with plain_sqlite(path) as older:
        older.execute("insert into plan (id, host, at, beats, patience) values (90, 'h', '2026-01-01', 0, 30)")
        older.execute("insert into claim values ('live', ?, 'rent', ?, 90, 30, null)", (URL, FLAT))
        older.execute(
            "insert into call (id, at, source, base_url, endpoint, area_name, cents, plan_id, outcome, spends) "
            "values (90, '2026-01-01T00:00:00+00:00', 'live', ?, 'rent', ?, 30, 90, 'sent', 1)",
            (URL, FLAT),
        )
        Store(path).close()
        older.execute(
            "insert into ended (call_id, outcome, cents, http_status, ended_at, retrieved_at, headers, sha256, body) "
            "select 90, 'billed', 30, 200, '2026', retrieved_at, headers, sha256, body from response where call_id = 5"
        )
        assert older.execute("select count(*) from claim").fetchone() == (0,)
    assert [row.outcome for row in Store(path).read(responses.ledger)][-1] == "billed"
    assert bodies_of(path, FLAT, "Bilby Heights") == [bodies_of(path, "Bilby Heights")[0]] * 2
