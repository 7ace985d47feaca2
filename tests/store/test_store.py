"""Tests of the store: it is small, and shared by processes."""

import stat

import pytest

from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store import ledger, responses
from suburb_pandas.store.store import Store
from tests.benchmarks.nation import body_of
from tests.support.processes import race
from tests.support.stored import put

NAMESPACE = Namespace("live", "https://example.org")
ITEM = Item("rent", "Quokka Bay")
BODY = b'{"data": {"area_name": "Quokka Bay"}}'


@pytest.fixture
def store(tmp_path):
    """Return a new store."""
    return Store(tmp_path / "s")


def bodies(store, *items):
    """Return the bodies of the newest responses of those items that have one."""
    found = store.read(responses.newest, NAMESPACE, items)
    return {item: response.body for item, response in store.with_bodies(found).items()}


def test_a_read_sees_the_store_as_it_was_when_it_began(store):
    """What another connection writes in the meantime is seen by the next read."""

    def read(file):
        before = ledger.all_calls(file)
        put(Store(store.path), NAMESPACE, {ITEM: BODY})
        return before == ledger.all_calls(file)

    assert store.read(read)
    assert bodies(store, ITEM) == {ITEM: BODY}


def test_look_ups_of_other_states_do_not_mix(store):
    """A look-up without a state, or with another one, is another item."""
    items = [Item("geocode", "quokka", state) for state in ("WA", None, "NSW")]
    put(store, NAMESPACE, {items[0]: b"[]"})
    assert bodies(store, *items) == {items[0]: b"[]"}


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
    assert [row.outcome for row in Store(path).read(ledger.all_calls)] == ["billed"] * 80
    put(Store(path), NAMESPACE, {ITEM: BODY})
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
