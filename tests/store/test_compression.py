"""Older responses are compressed when a suburb is bought again: nothing is lost, and little disk is needed."""

import random
import sqlite3
import time
from contextlib import suppress

import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import CallOutcome, Item, Response
from suburb_pandas.store import calls_table, migrations
from suburb_pandas.store.store import Store
from tests.benchmarks.vintages import NAMESPACE, bodies_of, fill, store_week
from tests.support.common import LIVE_KEY, plain_sqlite
from tests.support.processes import Worker, race

BAY = "Quokka Bay"
ITEM = Item("rent", BAY)


def points(*values):
    """Return the body of a rent response about one suburb, long enough to be compressed."""
    dated = (
        f'{{"date":"{year}-01-31","value":{value}}}' for year, value in enumerate([*range(100, 130), *values], 1970)
    )
    return f'{{"data":{{"area_name":"{BAY}","area_level":"suburb","house":[{",".join(dated)}],"unit":null}}}}'.encode()


def add(store, *bodies, calls=()):
    """Store a response for each body; ``calls`` are the numbers of their calls."""
    with store.database.writing() as connection:
        for place, body in enumerate(bodies):
            call = connection.execute(
                "insert into call (id, at, source, base_url, endpoint, area_name, outcome, cents) "
                "values (?, '2026', ?, ?, 'rent', ?, 'sent', 30)",
                (calls[place] if calls else None, NAMESPACE.source, NAMESPACE.base_url, BAY),
            ).lastrowid
            at = f"2026-01-01T00:00:{call:02}+00:00"
            response = Response.of(body, {}, at, 30, NAMESPACE.source)
            calls_table.end(connection, call, CallOutcome("billed", 30, 200), response, None)


def bodies_in(store, item=ITEM):
    """Return the bodies of an item as the store returns them, oldest first."""
    return [response.body for response in store.vintages(NAMESPACE, item)]


def compressed_in(path):
    """Return the compressed calls with their bases, and the length of each body in the table of responses."""
    with plain_sqlite(path) as plain:
        compressed = dict(plain.execute("select call_id, base_id from compressed").fetchall())
        lengths = dict(plain.execute("select call_id, length(body) from response").fetchall())
    return compressed, lengths


def test_a_refresh_compresses_the_older_response_and_loses_nothing(live, service):
    """All vintages are read as they came. The newest is readable in SQL; for older ones, ``json`` is null."""
    path, sent = live.store.path, [points(500.0 + week) for week in range(4)]
    for week, body in enumerate(sent):
        service.answer(BAY, "rent", body=body)
        if week:
            with pytest.warns(sp.errors.DataWarning, match="revised"):
                sp.rent(BAY, refresh=True)
        else:
            sp.rent(BAY)
    assert [response.body for response in live.store.vintages(live.namespace, ITEM)] == sent
    with plain_sqlite(path) as plain:
        shown = plain.execute("select json from answer order by id").fetchall()
        assert shown == [(None,), (None,), (None,), (sent[-1].decode(),)]
        assert plain.execute("select json_extract(json, '$.data.area_name') from newest").fetchall() == [(BAY,)]
        assert plain.execute("select count(*) from history").fetchone() == (1,)
    found = sp.vintages(BAY)
    for week, at in enumerate(found["retrieved_at"]):
        frame = sp.rent(BAY, retrieved_by=at)
        assert frame["house"].iloc[-1] == 500.0 + week
        assert len(sp.provenance(frame)) == 1
    assert sp.revisions(BAY)["n_values"].to_list() == [4]
    assert compressed_in(path)[0] == {1: None, 2: 1, 3: 1}
    assert len(sp.ledger()) == 4


@pytest.mark.parametrize("suburbs", [30, pytest.param(300, marks=pytest.mark.long)])
def test_a_year_of_weekly_refreshes_takes_a_fraction_of_the_disk(tmp_path, suburbs):
    """Stores of a year's refreshes: the same responses byte for byte, in a file of less than a fifth of the size."""
    names = [f"Made-up {number:05}" for number in range(suburbs)]
    for kind in ("plain", "small"):
        fill(tmp_path / kind, names, compress=kind == "small")
    small = Store(tmp_path / "small")
    for name in random.Random(1).sample(names, 20):
        assert bodies_in(small, Item("rent", name)) == list(bodies_of(name))
    assert (tmp_path / "plain").stat().st_size > 5 * (tmp_path / "small").stat().st_size


def test_a_response_that_differs_too_much_becomes_the_next_base(tmp_path):
    """Each response is encoded with the last base before it. Small bodies stay as they are."""
    store = Store(tmp_path / "s")
    other = points(*(random.Random(2).randrange(900) for _ in range(300)))
    bodies = [points(1), points(1, 2), b"{}", other, other[:-2] + b" }}", points(1, 2, 3), b"", points(4)]
    add(store, *bodies)
    store.compress_older(NAMESPACE, [ITEM])
    compressed, lengths = compressed_in(store.path)
    assert compressed == {1: None, 2: 1, 4: None, 5: 4, 6: 4}
    assert [call for call, length in lengths.items() if length] == [3, 8]
    assert bodies_in(store) == bodies
    store.compress_older(NAMESPACE, [ITEM])
    assert compressed_in(store.path) == (compressed, lengths)


def test_an_answer_that_came_late_is_compressed_without_a_later_base(tmp_path):
    """A call can end after later calls of its suburb. Its response never has a later one as its base."""
    store = Store(tmp_path / "s")
    add(store, points(2), points(3), points(4), calls=(2, 3, 4))
    store.compress_older(NAMESPACE, [ITEM])
    add(store, points(1), points(5), calls=(1, 5))
    store.compress_older(NAMESPACE, [ITEM])
    assert compressed_in(store.path)[0] == {1: None, 2: None, 3: 2, 4: 2}
    assert bodies_in(store) == [points(value) for value in (1, 2, 3, 4, 5)]


def test_a_store_of_the_version_before_opens_and_becomes_small(tmp_path):
    """An older store keeps its responses. They are compressed when their suburb is bought again."""
    path, newest = tmp_path / "s", points(1, 2, 3)
    with plain_sqlite(path) as plain:
        plain.create_function("canonical_url", 1, str, deterministic=True)
        for script in migrations.VERSIONS[:5]:
            plain.executescript(script)
        plain.execute("pragma user_version = 5")
        for call, body in enumerate((points(1), points(1, 2)), 1):
            what = (call, NAMESPACE.source, NAMESPACE.base_url, BAY)
            plain.execute("insert into call values (?, '2026', ?, ?, 'rent', ?, 'billed', 30, 200, null, null, '2026', "
                          "null, null)", what)  # fmt: skip
            sha256 = Response.of(body, {}, "", 0, "").sha256
            plain.execute("insert into response values (?, '2026', '{}', ?, ?)", (call, sha256, body))
    store = Store(path)
    assert bodies_in(store) == [points(1), points(1, 2)]
    assert compressed_in(path)[0] == {}
    add(store, newest)
    store.compress_older(NAMESPACE, [ITEM])
    assert compressed_in(path)[0] == {1: None, 2: 1}
    assert bodies_in(store) == [points(1), points(1, 2), newest]


def test_a_damaged_base_is_an_error_and_never_wrong_data(tmp_path):
    """If a base is damaged, what rests on it is damaged: a StoreError. The newest response is read as before."""
    store = Store(tmp_path / "s")
    add(store, points(1), points(2), points(3))
    store.compress_older(NAMESPACE, [ITEM])
    with plain_sqlite(store.path) as plain:
        plain.execute("update compressed set data = substr(data, 1, 30) where call_id = 1")
    with pytest.raises(sp.errors.StoreError, match="is damaged: its data about 'Quokka Bay' have changed"):
        store.vintages(NAMESPACE, ITEM)
    assert store.bodies([1, 2, 3]) == {3: points(3)}
    assert store.read(store.newest(NAMESPACE, [ITEM]))[ITEM].body == points(3)
    add(store, points(4))
    store.compress_older(NAMESPACE, [ITEM])
    assert store.bodies([1, 2, 3, 4]) == {3: points(3), 4: points(4)}


def test_a_busy_store_is_compressed_the_next_time(tmp_path):
    """While another program writes, nothing waits and nothing fails."""
    store = Store(tmp_path / "s")
    add(store, points(1), points(2))
    with plain_sqlite(store.path) as other:
        other.execute("begin immediate")
        began = time.monotonic()
        store.compress_older(NAMESPACE, [ITEM])
        assert time.monotonic() - began < 5
        other.execute("rollback")
    assert compressed_in(store.path)[0] == {}
    store.compress_older(NAMESPACE, [ITEM])
    assert compressed_in(store.path)[0] == {1: None}


def test_on_a_full_disk_nothing_is_compressed_and_nothing_lost(small_disk):
    """Compressing needs a little room. Without it the responses stay as they are, and it is done when there is room."""
    folder, _ = small_disk
    names = [f"Made-up {number:05}" for number in range(20)]
    items = [Item("rent", name) for name in names]
    store = Store(year_of(folder, names, 8))
    store.newest(NAMESPACE, items)
    filler = folder / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    store.compress_older(NAMESPACE, items)
    assert calls_of_compressed(store) == []
    filler.unlink()
    store.compress_older(NAMESPACE, items)
    assert len(calls_of_compressed(store)) == 20 * 7
    for name in names:
        assert bodies_in(store, Item("rent", name)) == list(bodies_of(name, 8))
    store.close()


def test_a_read_only_store_shows_what_was_compressed(small_disk):
    """Compressed responses are read from a disk that nobody can write, and compressing is left out there."""
    folder, make_read_only = small_disk
    store = Store(folder / "s")
    add(store, points(1), points(2), points(3))
    store.compress_older(NAMESPACE, [ITEM])
    add(store, points(4))
    store.close()
    make_read_only()
    store = Store(folder / "s")
    store.compress_older(NAMESPACE, [ITEM])
    assert bodies_in(store) == [points(value) for value in (1, 2, 3, 4)]
    assert calls_of_compressed(store) == [1, 2]
    store.close()


def calls_of_compressed(store):
    """Return the calls with a compressed body."""
    with store.database.reading() as connection:
        return [call for (call,) in connection.execute("select call_id from compressed order by 1")]


def test_names_are_known_from_compressed_responses(tmp_path):
    """A suburb whose newest response has no data is known from an older one."""
    with sp.Client(api_key=LIVE_KEY, base_url="http://127.0.0.1:9", store=tmp_path / "s") as client:
        with client.store.database.writing() as connection:
            for call, body in enumerate((points(1), points(2), b'{"data":null,"reason":"no_rents"}'), 1):
                connection.execute(
                    "insert into call (id, at, source, base_url, endpoint, area_name, outcome, cents) "
                    "values (?, '2026', 'live', 'http://127.0.0.1:9', 'rent', ?, 'sent', 30)", (call, BAY),
                )  # fmt: skip
                response = Response.of(body, {}, "2026", 30, "live")
                calls_table.end(connection, call, CallOutcome("billed", 30, 200), response, None)
        client.store.compress_older(client.namespace, [ITEM])
        assert compressed_in(client.store.path)[0] == {1: None, 2: 1}
        assert sp.suggest("quokka", client=client)["area_name"].to_list() == [BAY]
        assert client.store.beginnings([1, 2, 3], 20) == {
            1: points(1)[:20],
            2: points(2)[:20],
            3: b'{"data":null,"reason',
        }


def compress(path, names):
    """Compress what is older, as a process of its own."""
    Store(path).compress_older(NAMESPACE, [Item("rent", name) for name in names])


def year_of(tmp_path, names, weeks):
    """Store some weeks of responses, uncompressed, and return the path of the store."""
    store = Store(tmp_path / "s")
    for week in zip(*(bodies_of(name, weeks) for name in names), strict=True):
        store_week(store, dict(zip(names, week, strict=True)))
    store.close()
    return tmp_path / "s"


def test_processes_that_compress_the_same_at_once_lose_nothing(tmp_path):
    """Each response is compressed once, and read as it came."""
    names = [f"Made-up {number:05}" for number in range(20)]
    path = year_of(tmp_path, names, 8)
    race([(compress, path, names)] * 4)
    Store(path).compress_older(NAMESPACE, [Item("rent", name) for name in names])
    assert len(compressed_in(path)[0]) == 20 * 7
    for name in names:
        assert bodies_in(Store(path), Item("rent", name)) == list(bodies_of(name, 8))


@pytest.mark.parametrize("kills", [6, pytest.param(60, marks=pytest.mark.long)])
def test_a_process_that_is_killed_while_it_compresses_loses_nothing(tmp_path, kills, trial):
    """After SIGKILL at a random moment every response is read as it came, and compressing can go on."""
    names = [f"Made-up {number:05}" for number in range(120)]
    path, rng = year_of(tmp_path, names, 10), random.Random(3)
    for _ in range(kills):
        worker = Worker(compress, path, names).go()
        time.sleep(rng.random() * 0.8)
        worker.end()
        with plain_sqlite(path) as plain:
            assert plain.execute("pragma integrity_check").fetchone() == ("ok",)
        name = rng.choice(names)
        assert bodies_in(Store(path), Item("rent", name)) == list(bodies_of(name, 10))
    compress(path, names)
    assert len(compressed_in(path)[0]) == 120 * 9
    for name in names:
        assert bodies_in(Store(path), Item("rent", name)) == list(bodies_of(name, 10))
    held = "every response is read byte for byte as it came"
    trial("a process is killed (SIGKILL) while it compresses older responses", held, kills=kills)


def test_vacuum_gives_the_disk_back(tmp_path):
    """SQLite reuses the pages that were freed; its own command makes the file smaller."""
    path = year_of(tmp_path, ["Made-up 00001"], 40)
    before = path.stat().st_size
    compress(path, ["Made-up 00001"])
    with plain_sqlite(path) as plain:
        plain.execute("vacuum")
        plain.execute("pragma wal_checkpoint(truncate)")
    assert path.stat().st_size < before / 5
    assert bodies_in(Store(path), Item("rent", "Made-up 00001")) == list(bodies_of("Made-up 00001", 40))


def test_sqlite_enforces_that_a_base_is_earlier(tmp_path):
    """The table refuses a base that is later than what rests on it, so that no circle can be written."""
    store = Store(tmp_path / "s")
    add(store, points(1), points(2))
    with plain_sqlite(store.path) as plain, pytest.raises(sqlite3.IntegrityError):
        plain.execute("insert into compressed values (1, 2, x'00')")
