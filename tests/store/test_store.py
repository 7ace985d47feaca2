"""Tests of the store: it is durable, append-only, and shared by threads and processes."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context

import pytest

import suburb_pandas as sp
from suburb_pandas.service import calls
from suburb_pandas.service.calls import CallOutcome, Item, Namespace, Response
from suburb_pandas.store.reservation import OverBudgetError, ReservationTerms
from suburb_pandas.store.store import Store
from tests.support.common import die, plain_sqlite

NAMESPACE = Namespace("live", "https://example.org")
ITEM = Item("rent", "Quokka Bay")
RESPONSE = Response.of(
    b'{"data": {"area_name": "Quokka Bay"}}', {"date": "today"}, "2026-04-28T00:00:00+00:00", 30, "live"
)


def claim(store, *items, cents=30, budget=5000, before=0, suspended=()):
    """Return a reservation of items at a price of `cents` each."""
    terms = ReservationTerms(NAMESPACE, {"rent": cents, "impacts": cents}, budget, 30)
    return store.reserve(terms, dict.fromkeys(items or (ITEM,), before), suspended).reservation


def buy(store, item=ITEM, response=RESPONSE, *, cents=30):
    """Buy one response: reserve the item, make the call, and end the reservation."""
    before = store.newest(NAMESPACE, [item])
    reservation = claim(store, item, cents=cents, before=before[item].call if before else 0)
    call = reservation.begin(item, lease=30)
    reservation.finish(call, CallOutcome("billed", cents, 200), lease=30, response=response)
    reservation.end()


def call_and_watch(store, outcome, cents=30, *, before=0, response=None):
    """Make a call, and return what another request sees of its item in the meantime."""
    reservation = claim(store, before=before)
    call = reservation.begin(ITEM, lease=30)
    awaited = store.look(NAMESPACE, {ITEM: before}, {}).awaited
    reservation.finish(call, CallOutcome(outcome, cents), lease=30, response=response)
    reservation.end()
    return awaited


def looked(store, watched, *, before=0):
    """Return the items that arrived, are awaited and were lost, for a request that wants one item."""
    progress = store.look(NAMESPACE, {ITEM: before}, watched)
    return set(progress.arrived), set(progress.awaited), set(progress.lost)


def newest(store, *items, by=None):
    """Return the newest response of each item that has one."""
    return store.read(store.newest(NAMESPACE, items, by=by))


def test_a_response_comes_back_as_it_came(tmp_path):
    """A stored response keeps its bytes, headers, time, digest and cost. Another `Store` of the file reads the same."""
    buy(Store(tmp_path / "s"))
    assert newest(Store(tmp_path / "s"), ITEM, Item("rent", "Nowhere")) == {ITEM: RESPONSE}


def test_a_newer_response_is_added_and_the_older_one_kept(tmp_path):
    """A refresh adds a vintage. The newest vintage is used by default, and older ones can be requested by time."""
    store = Store(tmp_path / "s")
    newer = Response.of(b"{}", {}, "2026-05-28T00:00:00+00:00", 12, "live")
    buy(store)
    buy(store, response=newer, cents=12)
    assert newest(store, ITEM) == {ITEM: newer}
    assert newest(store, ITEM, by="2026-05-01") == {ITEM: RESPONSE}
    assert newest(store, ITEM, by="2026-04-01") == {}
    assert store.vintages(NAMESPACE, ITEM) == [RESPONSE, newer]


def test_shelves_do_not_mix(tmp_path):
    """Responses are kept apart by source, base URL and endpoint."""
    store = Store(tmp_path / "s")
    buy(store)
    for namespace in (Namespace("sandbox", NAMESPACE.base_url), Namespace("live", "https://example.com")):
        assert not store.newest(namespace, [ITEM])
    assert newest(store, Item("impacts", "Quokka Bay")) == {}


def test_more_names_than_a_query_takes(tmp_path):
    """A list of items that exceeds SQLite's limit on parameters is looked up completely."""
    store = Store(tmp_path / "s")
    items = [Item("rent", f"Nowhere {number}") for number in range(1203)]
    for item in items[::400]:
        buy(store, item)
    assert set(newest(store, *items)) == set(items[::400])


def test_an_outcome_is_written_once(tmp_path):
    """A call's outcome is written to the ledger once. A second outcome of the same call changes nothing."""
    store = Store(tmp_path / "s")
    reservation = claim(store)
    call = reservation.begin(ITEM, lease=30)
    reservation.finish(call, CallOutcome("unknown", 30), lease=30)
    reservation.finish(call, CallOutcome("not_billed", 0), lease=30)
    assert [(row.outcome, row.cents) for row in store.ledger()] == [("unknown", 30)]


@pytest.mark.parametrize(
    ("outcome", "cents", "response", "expected"),
    [
        ("billed", 30, RESPONSE, ({ITEM}, set(), set())),
        ("unknown", 30, None, (set(), set(), {ITEM})),
        ("not_billed", 0, None, (set(), set(), set())),
    ],
)
def test_another_requests_call_arrives_is_lost_or_leaves_its_item_free(tmp_path, outcome, cents, response, expected):
    """A request that waited for a call learns its end. The item of a call that cost nothing can be claimed."""
    store = Store(tmp_path / "s")
    watched = call_and_watch(store, outcome, cents, response=response)
    assert set(watched) == {ITEM}
    assert looked(store, watched) == expected


def test_a_lost_call_does_not_hide_the_response_that_came_after_it(tmp_path):
    """If one call is lost and a later one is under way, the item is awaited; when that one ends, it has arrived."""
    store = Store(tmp_path / "s")
    watched = call_and_watch(store, "unknown")
    reservation = claim(store)
    assert looked(store, watched) == (set(), {ITEM}, set())
    reservation.end()
    buy(store)
    assert looked(store, watched) == ({ITEM}, set(), set())


def test_an_earlier_lost_call_is_not_taken_for_the_one_that_was_watched(tmp_path):
    """A call that cost nothing leaves its item free, even if an earlier call for the same item was lost."""
    store = Store(tmp_path / "s")
    call_and_watch(store, "unknown")
    assert looked(store, call_and_watch(store, "not_billed", 0)) == (set(), set(), set())


def test_the_response_that_a_refresh_replaces_has_not_arrived(tmp_path):
    """If another request's refresh is lost, the older response is not taken for the new one."""
    store = Store(tmp_path / "s")
    buy(store)
    before = store.newest(NAMESPACE, [ITEM])[ITEM].call
    watched = call_and_watch(store, "unknown", before=before)
    assert looked(store, watched, before=before) == (set(), set(), {ITEM})


def test_a_response_that_came_late_has_arrived_although_its_item_is_claimed_anew(tmp_path):
    """If an overtaken call brings its response after all, nobody waits for the reservation that overtook it."""
    store = Store(tmp_path / "s")
    overtaken = claim(store)
    call = overtaken.begin(ITEM, lease=30)
    watched = store.look(NAMESPACE, {ITEM: 0}, {}).awaited
    assert claim(store, suspended=[*watched.values()]).claimed == [ITEM]
    overtaken.finish(call, CallOutcome("billed", 30), lease=30, response=RESPONSE)
    assert looked(store, watched) == ({ITEM}, set(), set())


def test_the_item_of_a_dead_process_is_neither_awaited_nor_lost(tmp_path):
    """If a process dies in the middle of a call, its item can be claimed at once."""
    store = Store(tmp_path / "s")
    reservation = claim(store)
    reservation.begin(ITEM, lease=30)
    watched = store.look(NAMESPACE, {ITEM: 0}, {}).awaited
    die(reservation)
    assert set(watched) == {ITEM}
    assert looked(store, watched) == (set(), set(), set())


def test_what_is_no_longer_wanted_is_not_lost(tmp_path):
    """The lost call of an item that the request has already does not concern it."""
    store = Store(tmp_path / "s")
    watched = call_and_watch(store, "unknown")
    assert store.look(NAMESPACE, {}, watched).lost == frozenset()


def test_times_are_written_so_that_the_order_of_texts_is_theirs(monkeypatch):
    """The store compares times as text, so a whole second is written to the microsecond, too."""
    moments = [datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, microsecond=1, tzinfo=UTC)]
    texts = []
    for moment in moments:
        monkeypatch.setattr(calls, "clock", lambda moment=moment: moment)
        texts.append(calls.utc_now())
    assert texts == ["2026-01-01T00:00:00.000000+00:00", "2026-01-01T00:00:00.000001+00:00"]


def test_the_budget_holds_under_threads(tmp_path):
    """Prices are held in advance: of forty simultaneous reservations under a budget for ten calls, ten succeed."""
    store = Store(tmp_path / "s")

    def attempt(number):
        try:
            return claim(store, Item("rent", f"Nowhere {number}"), budget=300)
        except OverBudgetError:
            return None

    with ThreadPoolExecutor(8) as pool:
        assert sum(reservation is not None for reservation in pool.map(attempt, range(40))) == 10


def _buy_some(path, number):
    store = Store(path)
    for step in range(20):
        buy(store, Item("rent", f"Nowhere {number} {step}"), cents=1)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_open_and_fill_one_new_store(tmp_path, method):
    """Several processes may create and fill the same store at once, and no call is lost."""
    context = get_context(method)
    workers = [context.Process(target=_buy_some, args=(tmp_path / "s", number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(Store(tmp_path / "s").ledger()) == 80
    assert {row.outcome for row in Store(tmp_path / "s").ledger()} == {"billed"}


def test_a_failed_transaction_leaves_nothing(tmp_path):
    """An exception rolls the whole transaction back, and the store remains usable."""
    store = Store(tmp_path / "s")
    reservation = claim(store)
    call = reservation.begin(ITEM, lease=30)
    with plain_sqlite(tmp_path / "s") as plain:
        # SQLite refuses the response after the outcome.
        plain.execute("create trigger full before insert on response begin select raise(abort, 'full'); end")
        with pytest.raises(sp.errors.StoreError, match="full"):
            reservation.finish(call, CallOutcome("billed", 1), lease=30, response=RESPONSE)
        assert [row.outcome for row in store.ledger()] == ["sent"]
        reservation.end()
        assert [(row.outcome, row.cents) for row in store.ledger()] == [("unknown", 30)]
        plain.execute("drop trigger full")
    store.catch_up()
    assert [(row.outcome, row.cents) for row in store.ledger()] == [("billed", 1)]


def test_no_file_stays_beside_a_store_but_sqlites_own(tmp_path):
    """The lock file of a reservation is removed when the reservation ends."""
    store = Store(tmp_path / "s")
    buy(store)
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize("view", ["answer", "newest"])
def test_a_curious_user_reads_the_store_with_sqlite(tmp_path, view):
    """The views have each body as text for ``json_extract``. A body that is not JSON is null and breaks no query."""
    store = Store(tmp_path / "s")
    buy(store)
    buy(
        store,
        Item("impacts", "Quokka Bay"),
        Response.of(b"<html>", {}, "2026-04-28T00:00:00+00:00", 10, "live"),
        cents=10,
    )
    with plain_sqlite(tmp_path / "s") as plain:
        rows = plain.execute(
            f"select endpoint, json_extract(json, '$.data.area_name'), cents from {view} order by id"  # noqa: S608
        ).fetchall()
    assert rows == [("rent", "Quokka Bay", 30), ("impacts", None, 10)]
