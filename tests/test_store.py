"""The store: durable, append-only, and shared by threads and processes."""

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import suburb_pandas as sp
from suburb_pandas.calls import Response, Shelf
from suburb_pandas.store import OverBudgetError, Store, utc_now

SHELF = Shelf("live", "https://example.org")
ANSWER = Response.of(b'{"data": null}', {"date": "today"}, "2026-04-28T00:00:00+00:00")


def begin(store, name="Quokka Bay", *, cents=30, budget=5000):
    """Begin a call for a rent history."""
    return store.begin(SHELF, "rent", name, cents=cents, budget=budget)


def test_a_response_comes_back_as_it_came(tmp_path):
    """Bytes, headers, time and digest; from another store object on the same file too."""
    store = Store(tmp_path / "s")
    store.finish(begin(store), "billed", cents=30, http_status=200, response=ANSWER)
    assert Store(tmp_path / "s").latest(SHELF, "rent", ["Quokka Bay", "Nowhere"]) == {"Quokka Bay": ANSWER}


def test_a_newer_response_is_added_and_the_older_one_kept(tmp_path):
    """A refresh adds a vintage; the newest is the one that is used."""
    store = Store(tmp_path / "s")
    newer = Response.of(b"{}", {}, utc_now())
    for response in (ANSWER, newer):
        store.finish(begin(store), "billed", cents=30, response=response)
    assert store.latest(SHELF, "rent", ["Quokka Bay"]) == {"Quokka Bay": newer}
    with sqlite3.connect(tmp_path / "s") as plain:
        assert plain.execute("select count(*) from response").fetchone() == (2,)


def test_shelves_do_not_mix(tmp_path):
    """Another source, URL or endpoint has responses of its own."""
    store = Store(tmp_path / "s")
    store.finish(begin(store), "billed", cents=30, response=ANSWER)
    for shelf in (Shelf("sandbox", SHELF.base_url), Shelf("live", "https://example.com")):
        assert store.latest(shelf, "rent", ["Quokka Bay"]) == {}
    assert store.latest(SHELF, "impacts", ["Quokka Bay"]) == {}


def test_more_names_than_a_query_takes(tmp_path):
    """A long list is looked up in pieces, and all of it is found."""
    store = Store(tmp_path / "s")
    names = [f"Nowhere {number}" for number in range(1203)]
    for name in names[::400]:
        store.finish(begin(store, name), "billed", cents=0, response=ANSWER)
    assert set(store.latest(SHELF, "rent", names)) == set(names[::400])


def test_an_outcome_is_written_once(tmp_path):
    """The ledger is never rewritten: only a call without an outcome can get one."""
    store = Store(tmp_path / "s")
    call = begin(store)
    store.finish(call, "unknown", cents=30)
    store.finish(call, "not_billed", cents=0)
    assert [(row.outcome, row.cents) for row in store.ledger()] == [("unknown", 30)]


def test_the_budget_holds_under_threads(tmp_path):
    """Forty calls at once under a budget for ten: ten may leave."""
    store = Store(tmp_path / "s")

    def attempt(number):
        try:
            return begin(store, f"Nowhere {number}", budget=300)
        except OverBudgetError:
            return None

    with ThreadPoolExecutor(8) as pool:
        assert sum(call is not None for call in pool.map(attempt, range(40))) == 10
    assert store.spent() == 300


def _begin_some(path, number):
    store = Store(path)
    for step in range(20):
        store.finish(begin(store, f"Nowhere {number} {step}"), "billed", cents=1, response=ANSWER)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_open_and_fill_one_new_store(tmp_path, method):
    """Four processes start on a store that does not exist yet, and lose nothing."""
    context = get_context(method)
    workers = [context.Process(target=_begin_some, args=(tmp_path / "s", number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(Store(tmp_path / "s").ledger()) == 80


def test_a_store_goes_on_in_a_forked_process(tmp_path):
    """A connection is never used on both sides of a fork."""
    store = Store(tmp_path / "s")
    begin(store)
    child = get_context("fork").Process(target=begin, args=(store,))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert len(store.ledger()) == 2


@pytest.mark.skipif(os.name != "posix", reason="owners are a matter of POSIX")
def test_only_the_owner_may_read_a_store(tmp_path):
    """What was bought is nobody else's business."""
    Store(tmp_path / "deep" / "s")
    assert stat.S_IMODE((tmp_path / "deep" / "s").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"not a database, and longer than a header of one hundred bytes" * 9])
def test_what_is_no_store_is_an_error_that_says_where(tmp_path, content):
    """A file of another kind is left as it is."""
    (tmp_path / "s").write_bytes(content)
    with pytest.raises(sp.StoreError, match=str(tmp_path / "s")):
        Store(tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == content


def test_another_programs_database_is_not_touched(tmp_path):
    """A SQLite file with tables of its own is refused, and none is added."""
    with sqlite3.connect(tmp_path / "s") as plain:
        plain.execute("create table theirs (a)")
    with pytest.raises(sp.StoreError, match="another program's"):
        Store(tmp_path / "s")
    with sqlite3.connect(tmp_path / "s") as plain:
        assert plain.execute("select name from sqlite_master").fetchall() == [("theirs",)]


def test_a_store_of_another_version_is_not_touched(tmp_path):
    """A newer package's store is refused, not rewritten."""
    Store(tmp_path / "s").close()
    with sqlite3.connect(tmp_path / "s") as plain:
        plain.execute("pragma user_version = 99")
    with pytest.raises(sp.StoreError, match="another version"):
        Store(tmp_path / "s")


def test_a_store_that_cannot_be_written_is_an_error_before_anything_is_sent(service, tmp_path):
    """No store, no call: what could not be kept is not bought."""
    client = sp.Client(api_key="mib_live_x", base_url=service.url, store=tmp_path)
    with pytest.raises(sp.StoreError):
        sp.rent("Quokka Bay", client=client)
    assert service.requests == ()


def test_a_failed_transaction_leaves_nothing(tmp_path):
    """Any exception rolls back, and the store goes on."""
    store = Store(tmp_path / "s")
    begin(store)
    with pytest.raises(sp.StoreError):  # the outcome is written, then the response without its digest is refused
        store.finish(1, "billed", cents=1, response=Response(b"", {}, "now", None))
    assert [row.outcome for row in store.ledger()] == ["sent"]
