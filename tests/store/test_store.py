"""Tests of the store: it is durable, append-only, small, and shared by processes."""

import stat

import pytest
from msgspec.structs import astuple, replace

from suburb_pandas.service.calls import Item, Namespace, Response
from suburb_pandas.store import responses
from suburb_pandas.store.store import Store
from tests.benchmarks.nation import body_of
from tests.support.processes import race
from tests.support.stored import HEADERS, put

NAMESPACE = Namespace("live", "https://example.org")
ITEM = Item("rent", "Quokka Bay")
BODY = b'{"data": {"area_name": "Quokka Bay"}}'
AT = "2026-04-28T00:00:00+00:00"


@pytest.fixture
def store(tmp_path):
    """Return a new store."""
    return Store(tmp_path / "s")


def bodies(store, *items, namespace=NAMESPACE, by=None):
    """Return the bodies of the newest responses of those items that have one."""
    found = store.read(responses.newest, namespace, items, by=by)
    return {item: response.body for item, response in store.with_bodies(found).items()}


def test_a_response_comes_back_as_it_came(store):
    """A stored response keeps its bytes, headers, time, digest, price and address, also for another `Store`."""
    call = put(store, NAMESPACE, {ITEM: BODY}, cents=30, retrieved_at=AT)[ITEM]
    other = Store(store.path)
    (found,) = other.vintages(NAMESPACE, ITEM)
    expected = Response.of(BODY, HEADERS, AT, 30, "live", url=NAMESPACE.base_url, call=call.number, at=call.at)
    assert astuple(found) == astuple(expected)
    request_id = HEADERS["x-request-id"]
    ended = replace(call, outcome="billed", cents=30, http_status=200, request_id=request_id)
    assert other.read(responses.ledger) == [ended]
    assert bodies(other, ITEM, Item("rent", "Nowhere")) == {ITEM: BODY}


def test_a_newer_response_is_added_and_the_older_one_kept(store):
    """A refresh adds a vintage. The newest vintage is used by default, and older ones can be requested by time.

    A read sees the store as it was when it began.
    """
    other = Store(store.path)
    put(store, NAMESPACE, {ITEM: b"4"}, retrieved_at=AT)

    def read(file):
        before = responses.ledger(file)
        put(other, NAMESPACE, {ITEM: b"5"}, retrieved_at=AT.replace("04", "05"))
        return before == responses.ledger(file)

    assert store.read(read)
    assert bodies(store, ITEM) == {ITEM: b"5"}
    assert bodies(store, ITEM, by="2026-05-01") == {ITEM: b"4"}
    assert bodies(store, ITEM, by="2026-04-01") == {}
    assert [one.body for one in store.vintages(NAMESPACE, ITEM)] == [b"4", b"5"]


def test_responses_of_other_sources_addresses_and_endpoints_do_not_mix(store):
    """Responses and prices are kept apart by source, base URL, endpoint, and the state of a look-up."""
    look_up, impacts = Item("geocode", "quokka", "WA"), Item("impacts", ITEM.area_name)
    put(store, NAMESPACE, {ITEM: BODY, look_up: b"[]"}, cents=30)
    for other in (Namespace("sandbox", NAMESPACE.base_url), Namespace("live", "https://example.com")):
        assert bodies(store, ITEM, namespace=other) == {}
        assert store.read(responses.last_price, other, "rent") == 0
    others = [impacts, Item("geocode", "quokka"), Item("geocode", "quokka", "NSW")]
    assert bodies(store, ITEM, look_up, *others) == {ITEM: BODY, look_up: b"[]"}
    put(store, NAMESPACE, {impacts: BODY}, cents=10)
    prices = [store.read(responses.last_price, NAMESPACE, endpoint) for endpoint in ("rent", "impacts")]
    assert prices == [30, 10]


def test_thousands_of_items_are_looked_up_at_once(store):
    """A list of items that exceeds SQLite's limit on parameters is looked up completely."""
    names = [*map(str, range(1203)), '"Quoted"', "back\\slash", "Caf\u00e9 \U0001f998", "\u2028"]
    items = [Item("rent", name) for name in names]
    stored = items[::400] + items[-4:]
    put(store, NAMESPACE, dict.fromkeys(stored, BODY))
    assert set(bodies(store, *items, Item("rent", "0\0"))) == {*stored}


def test_a_repeated_vintage_takes_at_most_8_kilobytes(store):
    """Each further vintage of a rent history of 20 kB and more takes at most 8 kB of the disk."""
    body, sizes = body_of("Made-up 00003"), []
    assert len(body) > 20_000
    for numbers in (range(1), range(1, 31)):
        for number in numbers:
            put(store, NAMESPACE, {ITEM: body.replace(b'.0}],"unit"', b'.%d}],"unit"' % number)})
        store.close()
        sizes.append(store.path.stat().st_size)
    assert (sizes[1] - sizes[0]) / 30 < 8000


def put_some(path, number):
    """Store twenty responses in reservations of their own."""
    store = Store(path)
    for step in range(20):
        put(store, NAMESPACE, {Item("rent", f"Nowhere {number} {step}"): BODY}, cents=1)
    store.close()


def test_processes_create_and_fill_one_new_store(tmp_path):
    """Several processes may create and fill the same store at once. No call is lost, and no other file stays.

    Only its owner can read the store, and the files that SQLite keeps beside it.
    """
    path = tmp_path / "very" / "deep" / "s"
    race([(put_some, path, number) for number in range(4)])
    assert [*path.parent.iterdir()] == [path]
    assert [row.outcome for row in Store(path).read(responses.ledger)] == ["billed"] * 80
    put(Store(path), NAMESPACE, {ITEM: BODY})
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
