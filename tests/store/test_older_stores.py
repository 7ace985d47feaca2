"""Tests of stores that an earlier version wrote: all is read as before, and nothing is bought again."""

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store import ledger, migrations
from suburb_pandas.store.store import Store
from tests.benchmarks.nation import body_of
from tests.support.common import LIVE_KEY, plain_sqlite
from tests.support.older import add, store_of_0_1_0
from tests.support.processes import Worker, ask_one, obey_modes

BAY, FLAT = "Quokka Bay", "Numbat Flat"
URL = "http://127.0.0.1:9"

FIRST_VERSION = """
insert into call values
    (1, '2026-10-01T00:00:00+00:00', 'live', 'HTTP://127.0.0.1:9/', 'rent', 'Quokka Bay', 'billed', 30, 200, 'r'),
    (2, '2026-10-01T00:00:01+00:00', 'live', 'ftp://O', 'rent', 'Numbat Flat', 'sent', 30, null, null);
insert into response values (1, '2026-10-01T00:00:00+00:00', '{"x-request-id": "r"}',
    '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', x'7b7d');
pragma user_version = 1;
"""


def contents(path, url, *, may_write=True):
    """Return what the public functions show of a store, without a call."""
    if not may_write:
        obey_modes()
    with sp.connect(api_key=LIVE_KEY, base_url=url, store=path) as client:
        return [
            [sp.rent(BAY, retrieved_by=at)["house"].iloc[-1] for at in sp.vintages(BAY)["retrieved_at"]],
            sp.ledger().groupby("outcome")["cents"].agg(list).to_dict(),
            sp.find("quokka")["area_name"].to_list(),
            sp.suggest("numb")["area_name"].to_list(),
            [sp.quote(BAY).calls, *sp.quote("Bogong Rise").unknown],
            type(ask_one(client, "rent", "Woylie")),
        ]


def test_a_store_of_version_0_1_0_is_read_as_before_and_nothing_is_bought_again(service, connect, tmp_path):
    """Vintages, refusals, look-ups, lists and the ledger of an older store are the same, also for who may only read.

    A vintage that is bought later is added to them.
    """
    folder = tmp_path / "folder"
    folder.mkdir()
    path = store_of_0_1_0(folder / "s", service.url)
    folder.chmod(0o500)
    try:
        with ThreadPoolExecutor(1) as pool:
            read_only = pool.submit(contents, path, service.url, may_write=False).result()
    finally:
        folder.chmod(0o700)
    assert read_only == contents(path, service.url)
    assert read_only == [
        [500, 510, 520, 530],
        {"billed": [30] * 6 + [1], "unknown": [30]},
        [BAY, "Quokka Bay North"],
        [FLAT],
        [0, "Bogong Rise"],
        sp.errors.UnknownSuburb,
    ]
    assert service.requests == ()
    with connect(store=path), pytest.warns(sp.errors.DataWarning, match="revised"):
        sp.rent(BAY, refresh=True)
    assert contents(path, service.url)[0][:4] == read_only[0]


def bodies_of(path, *names):
    """Return the bodies of all vintages of some suburbs."""
    store = Store(path)
    found = [[one.body for one in store.vintages(Namespace("live", URL), Item("rent", name))] for name in names]
    store.close()
    return found


def vacuum(path):
    """Vacuum a store, as a user does."""
    with sp.connect(api_key=LIVE_KEY, base_url=URL, store=path) as client:
        client.vacuum()


def test_vacuum_compresses_older_responses_and_gives_the_disk_back(tmp_path):
    """After `vacuum` every vintage is read as it came from a file of a third of the size. A damaged body stays."""
    path, body = store_of_0_1_0(tmp_path / "s"), body_of(FLAT)
    add(path, FLAT, *[body + b" " * number for number in range(60)])
    add(path, "Woylie", body)
    add(path, "Emu", body)
    before, size = bodies_of(path, BAY, FLAT), path.stat().st_size
    with plain_sqlite(path) as plain:
        plain.execute("update response set body = ? where call_id = 69", (body[1:],))
        for _ in range(2):
            vacuum(path)
        assert plain.execute("select count(*) from compressed").fetchone() == (0,)
        assert plain.execute(
            "select call_id from response where substr(body, 1, 1) is not cast('x' as blob)"
        ).fetchall() == [(69,)]
    assert path.stat().st_size < size / 3
    assert bodies_of(path, BAY, FLAT) == before


@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=pytest.mark.long)])
def test_a_vacuum_that_is_killed_loses_nothing(tmp_path, kills, trial):
    """After SIGKILL at any moment of a `vacuum`, every vintage is read as it came, and another `vacuum` ends it."""
    chance, names = random.Random(3), [f"Made-up {number:05}" for number in range(20)]
    path = store_of_0_1_0(tmp_path / "s")
    for name in names:
        add(path, name, *[body_of(name) + b" " * number for number in range(30)])
    before = bodies_of(path, BAY, *names)
    for _ in range(kills):
        worker = Worker(vacuum, path).go()
        time.sleep(chance.random() * 0.3)
        worker.end()
        with plain_sqlite(path) as plain:
            assert plain.execute("pragma integrity_check").fetchone() == ("ok",)
        assert bodies_of(path, BAY, *names) == before
    vacuum(path)
    assert bodies_of(path, BAY, *names) == before
    trial("a process is killed (SIGKILL) in a vacuum", "every vintage is read as it came", kills=kills)


def test_a_store_of_the_first_release_is_taken_along_as_a_whole(tmp_path, monkeypatch):
    """A migration that fails is rolled back: the file keeps every byte. Otherwise the schema is that of a new store.

    The responses are found under every spelling of their base URL, and a call that was under way is unknown.
    """
    path = tmp_path / "first"
    with plain_sqlite(path) as plain:
        plain.executescript(migrations.VERSIONS[0] + FIRST_VERSION)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "VERSIONS", (*migrations.VERSIONS, "create table other (a); nonsense"))
        with pytest.raises(sp.errors.StoreError, match="nonsense"):
            Store(path)
    assert path.read_bytes() == before
    assert bodies_of(path, BAY) == [[b"{}"]]
    assert [row.outcome for row in Store(path).read(ledger.all_calls)] == ["billed", "unknown"]
    schema = "select type, name, sql from sqlite_master order by name"
    old, new = (Store(file).read(lambda file: [*file.execute(schema)]) for file in (path, tmp_path / "new"))
    assert old == new


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
    assert [row.outcome for row in Store(path).read(ledger.all_calls)][-1] == "billed"
    bought, stored = bodies_of(path, FLAT, "Bilby Heights")
    assert bought == stored[:1]
