"""Tests of the store: it is durable, append-only, small, and shared by processes."""

import os
import stat
from multiprocessing import get_context

import pytest

from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store import responses
from suburb_pandas.store.store import Store
from tests.benchmarks.nation import body_of
from tests.support.stored import HEADERS, put

NAMESPACE = Namespace("live", "https://example.org")
ITEM = Item("rent", "Quokka Bay")
BODY = b'{"data": {"area_name": "Quokka Bay"}}'


@pytest.fixture
def store(tmp_path):
    """Return a new store."""
    return Store(tmp_path / "s")


def newest(store, items, namespace=NAMESPACE, by=None):
    """Return the facts about the newest response of those items that have one."""
    return store.read(responses.newest, namespace, items, by=by)


def bodies(store, *items, by=None):
    """Return the bodies of the newest responses of those items that have one."""
    return {item: found.body for item, found in store.with_bodies(newest(store, items, by=by)).items()}


def test_a_response_comes_back_as_it_came(store):
    """A stored response keeps its bytes, headers, time, digest, price and address, also for another `Store`."""
    call = put(store, NAMESPACE, {ITEM: BODY}, cents=30, retrieved_at="2026-04-28T00:00:00+00:00")[ITEM]
    other = Store(store.path)
    found = other.with_bodies(newest(other, [ITEM, Item("rent", "Nowhere")]))
    assert [*found] == [ITEM]
    assert (found[ITEM].body, found[ITEM].headers, found[ITEM].url) == (BODY, HEADERS, NAMESPACE.base_url)
    assert (found[ITEM].cents, found[ITEM].retrieved_at) == (30, "2026-04-28T00:00:00+00:00")
    (row,) = other.read(responses.ledger)
    assert (row.number, row.at, row.outcome, row.cents, row.http_status) == (call.number, call.at, "billed", 30, 200)
    assert (row.item, row.source, row.request_id) == (ITEM, "live", HEADERS["x-request-id"])


def test_a_newer_response_is_added_and_the_older_one_kept(store):
    """A refresh adds a vintage. The newest vintage is used by default, and older ones can be requested by time."""
    for month in (4, 5):
        put(store, NAMESPACE, {ITEM: b"%d" % month}, retrieved_at=f"2026-0{month}-28T00:00:00+00:00")
    assert bodies(store, ITEM) == {ITEM: b"5"}
    assert bodies(store, ITEM, by="2026-05-01") == {ITEM: b"4"}
    assert bodies(store, ITEM, by="2026-04-01") == {}
    assert [one.body for one in store.vintages(NAMESPACE, ITEM)] == [b"4", b"5"]


def test_responses_of_other_sources_addresses_and_endpoints_do_not_mix(store):
    """Responses are kept apart by source, base URL, endpoint, and the state of a look-up."""
    look_up = Item("geocode", "quokka", "WA")
    put(store, NAMESPACE, {ITEM: BODY, look_up: b"[]"})
    for namespace in (Namespace("sandbox", NAMESPACE.base_url), Namespace("live", "https://example.com")):
        assert not newest(store, [ITEM], namespace)
    others = [Item("impacts", "Quokka Bay"), Item("geocode", "quokka"), Item("geocode", "quokka", "NSW")]
    assert bodies(store, ITEM, look_up, *others) == {ITEM: BODY, look_up: b"[]"}


def test_thousands_of_items_are_looked_up_at_once(store):
    """A list of items that exceeds SQLite's limit on parameters is looked up completely."""
    items = [Item("rent", f"Nowhere {number}") for number in range(1203)]
    odd = [Item("rent", name) for name in ('"Quoted"', "back\\slash", "Caf\u00e9 \U0001f998", "\u2028")]
    put(store, NAMESPACE, dict.fromkeys([*items[::400], *odd], BODY))
    assert set(bodies(store, *items, *odd, Item("rent", "Nowhere 0\0"))) == {*items[::400], *odd}


def test_a_repeated_vintage_takes_at_most_8_kilobytes(store):
    """Each further vintage of a rent history of 20 kB and more takes at most 8 kB of the disk."""
    item, body, sizes = Item("rent", "Made-up 00003"), body_of("Made-up 00003"), []
    assert len(body) > 20_000
    for first, last in ((0, 1), (1, 51)):
        for number in range(first, last):
            put(store, NAMESPACE, {item: body.replace(b'.0}],"unit"', b'.%d}],"unit"' % number)})
        store.close()
        sizes.append(store.path.stat().st_size)
    assert (sizes[1] - sizes[0]) / 50 < 8000


def put_some(path, number):
    """Store twenty responses in reservations of their own."""
    store = Store(path)
    for step in range(20):
        put(store, NAMESPACE, {Item("rent", f"Nowhere {number} {step}"): BODY}, cents=1)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_create_and_fill_one_new_store(tmp_path, method):
    """Several processes may create and fill the same store at once. No call is lost, and no other file stays."""
    workers = [get_context(method).Process(target=put_some, args=(tmp_path / "s", number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    store = Store(tmp_path / "s")
    assert [row.outcome for row in store.read(responses.ledger)] == ["billed"] * 80
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has owners")
def test_only_the_owner_may_read_a_store(tmp_path):
    """Only its owner can read a store, and the files that SQLite keeps beside it."""
    put(Store(tmp_path / "deep" / "s"), NAMESPACE, {ITEM: BODY})
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "deep").iterdir()}
    assert modes.pop("s") == 0o600
    assert set(modes.values()) <= {0o600}
