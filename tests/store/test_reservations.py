"""Tests of reservations: one request at a time buys a response, and its price is held before it is spent."""

import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import suburb_pandas as sp
from suburb_pandas.service.calls import Item, Namespace, Response, utc_now
from suburb_pandas.store import ledger
from suburb_pandas.store.reservations import OverBudgetError
from suburb_pandas.store.store import Store
from tests.support.common import RENTED, plain_sqlite, wait_for
from tests.support.stored import terms_of

NAMES = NAME, OTHER, THIRD = RENTED[:3]
PRICE, BUDGET, NO_PROCESS = 30, 130, 2**22 + 1
TERMS = terms_of(Namespace("live", "https://example.org"), prices={"rent": PRICE}, budget=BUDGET)


def claim(store, terms, items):
    """Claim items as a new request does."""
    return store.claim(terms, dict.fromkeys(items, 0), ())


@pytest.fixture
def held(live):
    """Return a function that claims suburbs as another request would, and begins the call of the first of them."""

    def hold(*names, lease=600.0):
        terms, items = TERMS._replace(namespace=live.namespace, lease=lease), [Item("rent", name) for name in names]
        live.store.step(terms, claim(live.store, terms, items).reservation, begins=items[:1])

    return hold


def change(store, query, *values):
    """Change a store as another program does."""
    with plain_sqlite(store.path) as plain:
        plain.execute(query, values)


def test_requests_that_refresh_the_same_buy_it_once(live, connect, service, caplog):
    """Simultaneous refreshes of the same suburbs make one call for each, and all get the same new responses."""
    sp.rent(NAMES)
    caplog.set_level("INFO", "suburb_pandas")
    service.fail("latency", times=None, seconds=60)
    with ThreadPoolExecutor(2) as pool, connect(store=live.store.path) as other:
        requests = [pool.submit(sp.rent, NAMES, refresh=True, client=client) for client in (live, other)]
        wait_for(lambda: "responses that other requests are buying" in caplog.text)
        service.release()
        pair = [request.result() for request in requests]
    assert pair[0].equals(pair[1])
    assert set(service.served.values()) == {2}


@pytest.fixture
def zombie():
    """Return the number of a process that has ended, and for whose end its parent has not waited."""
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    yield child
    os.waitpid(child, 0)


@pytest.mark.parametrize("is_zombie", [True, False])
def test_a_dead_process_leaves_its_claims_at_once_and_its_call_unknown(live, service, held, zombie, is_zombie):
    """If a process dies, others buy what it had not sent. Repeating the call that it had sent comes with a warning."""
    held(*NAMES)
    change(live.store, "update plan set process = ?", zombie if is_zombie else NO_PROCESS)
    assert sp.ledger()["outcome"].to_list() == ["unknown"]
    assert sp.rent([OTHER, THIRD])["area_name"].nunique() == 2
    assert sp.ledger()["outcome"].to_list() == ["unknown", "billed", "billed"]
    assert sp.quote(NAME).unknown == (NAME,)
    with pytest.warns(sp.SuburbWarning, match=rf"repeated now: '{NAME}' \(30 cents"):
        sp.rent(NAME)
    assert set(service.served.values()) == {1}


def test_a_request_that_was_silent_for_too_long_is_over(live, service, held):
    """After its lease, a suspended request holds no budget, and a quote names its sent call as unknown.

    Its process may still wake up and get its answer. So the next purchase fails for that item, and only the one after
    that repeats the call, with a warning. The item that was not sent is free at once.
    """
    held(NAME, OTHER)
    assert (sp.quote(NAME).unknown, sp.quote(NAME).limits.held) == ((), PRICE)
    change(live.store, "update plan set beats = 0")
    assert (sp.quote(NAME).unknown, sp.quote(NAME).limits.held) == ((NAME,), 0)
    assert sp.ledger()["outcome"].to_list() == ["unknown"]
    warning = rf"repeated now: '{NAME}' \(30 cents"
    with pytest.raises(sp.errors.BatchIncomplete) as caught, pytest.warns(sp.SuburbWarning, match=warning):
        sp.rent(NAMES)
    assert {name: type(error) for name, error in caught.value.failures.items()} == {NAME: sp.errors.Unreachable}
    assert sp.ledger()["outcome"].to_list() == ["unknown", "billed", "billed"]
    with pytest.warns(sp.SuburbWarning, match=warning):
        assert sp.rent(NAMES)["area_name"].nunique() == 3
    assert sp.ledger()["outcome"].to_list() == ["unknown"] + ["billed"] * 3


def test_a_claim_of_no_reservation_holds_nobody_up(live):
    """A claim that some other program left without its reservation is removed."""
    change(live.store, "insert into claim values ('live', ?, 'rent', ?, 9, 30, null)", live.namespace.base_url, NAME)
    assert len(sp.rent(NAME))


def test_a_live_reservation_of_another_computer_is_an_error(live, service, held, monkeypatch):
    """Nobody can see whether another computer's request is alive, so it is an error until its lease has run out."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(socket, "gethostname", lambda: "another-laptop")
        held(THIRD, NAME)
    with pytest.raises(sp.errors.StoreError, match=r"another-laptop.*Nothing was sent; keep a store for each"):
        sp.rent(OTHER)
    assert service.requests == ()
    change(live.store, "update plan set at = '2026-01-01T00:00:00+00:00'")
    assert len(sp.rent([NAME, OTHER]))


ITEMS = [Item("rent", f"Nowhere {number}") for number in range(8)]
MOVES = st.tuples(
    st.sampled_from(["step", "step", "step", "silence", "release", "die"]),
    st.integers(0, 9),
    st.sets(st.sampled_from(ITEMS), max_size=3),
    st.lists(st.sampled_from([("billed", PRICE), ("unknown", PRICE), ("not_billed", 0)]), max_size=3),
)


@settings(max_examples=25)
@given(moves=st.lists(MOVES, min_size=10, max_size=30))
def test_the_cents_held_and_spent_never_exceed_the_budget(moves):
    """Several requests use one store and take their steps in any order. Some die, and some are silent for too long."""
    with TemporaryDirectory() as folder, closing(Store(Path(folder, "s"))) as store:
        requests = {}
        for move, chosen, wanted, outcomes in moves:
            number = [None, *requests][chosen % (1 + len(requests))]
            left, sent = requests.pop(number, ([], []))
            if move == "release":
                store.release(number, waits=True)
            elif move == "die":
                change(store, "update plan set process = ? where id = ?", NO_PROCESS, number)
            else:
                ended = zip(sent, outcomes, strict=False)
                ends = [(replace(call, outcome=outcome, cents=cents), None) for call, (outcome, cents) in ended]
                again = [call for call, _ in ends if chosen % 2 and not call.cents]
                begun = store.step(TERMS, number, ends, again, left[:1])
                left = left[1:] + [call.item for call in again]
                requests[number] = left, [*sent[len(ends) :], *filter(None, begun.values())]
            if move == "silence":
                change(store, "update plan set beats = 0")
            with suppress(OverBudgetError):
                found = claim(store, TERMS, wanted)
                requests[found.reservation] = found.claimed, []
            spent, _, held = store.read(ledger.committed)
            assert spent + held <= BUDGET


@pytest.mark.parametrize("bought", ["claimed", "sent", "stored"])
def test_a_request_whose_reservation_was_ended_does_not_retry_what_another_one_buys(tmp_path, bought):
    """A call that the service put off is retried at once only by the reservation that made it, while that one exists.

    Otherwise another request may have claimed the item, be asking for it, or have bought it, and that counts.
    """
    store, (item, other) = Store(tmp_path / "s"), (Item("rent", NAME), Item("rent", OTHER))

    def retried(reservation, call):
        ends = [(replace(call, outcome="not_billed", cents=0), None)]
        return store.step(TERMS, reservation, ends, again=[call], begins=[item])[item]

    first = claim(store, TERMS, [item]).reservation
    call = retried(first, store.step(TERMS, first, begins=[item])[item])
    change(store, "update plan set beats = 0")
    assert store.claim(TERMS, {item: 0}, {call.number}).lost == [item]
    second = store.claim(TERMS, {item: 0}, {call.number})
    assert second.claimed == [item]
    if bought != "claimed":
        (sent,) = store.step(TERMS, second.reservation, begins=[item]).values()
    if bought == "stored":
        response = Response.of(b"{}", {}, utc_now(), PRICE, "live")
        store.step(TERMS, second.reservation, [(replace(sent, outcome="billed", http_status=200), response)])
        store.release(second.reservation, waits=True)
    third = store.claim(TERMS, {other: 0}, (), first).reservation
    assert third != first
    assert retried(third, call) is None
    assert [row.outcome for row in store.read(ledger.all_calls)].count("sent") == (bought == "sent")


def test_a_charge_that_brought_no_response_is_not_repeated_by_a_request_that_waited(tmp_path):
    """A request that waits for an item, whose call is charged for an error, does not pay for it in silence.

    A request that begins later knows of that call, and may buy the item.
    """
    store, item = Store(tmp_path / "s"), Item("rent", NAME)
    first = claim(store, TERMS, [item]).reservation
    (call,) = store.step(TERMS, first, begins=[item]).values()
    assert claim(store, TERMS, [item]).awaited == [item]
    store.step(TERMS, first, [(replace(call, outcome="billed", http_status=500), None)])
    store.release(first, waits=True)
    assert claim(store, TERMS, [item]).lost == [item]
    assert [each.number for each in store.read(ledger.without_response, TERMS.namespace, {item: 0})] == [call.number]
    assert store.claim(TERMS, {item: 0}, {call.number}).claimed == [item]


def test_the_end_of_a_call_that_the_ledger_has_lost_is_an_error(tmp_path):
    """If an older copy of the store was put in its place, the response of a call under way is not lost in silence."""
    store, item = Store(tmp_path / "s"), Item("rent", NAME)
    first = claim(store, TERMS, [item]).reservation
    (call,) = store.step(TERMS, first, begins=[item]).values()
    change(store, "delete from call")
    response = Response.of(b"{}", {}, utc_now(), PRICE, "live")
    with pytest.raises(sp.errors.StoreError, match=f"lost the call for '{NAME}'"):
        store.step(TERMS, first, [(replace(call, outcome="billed", http_status=200), response)])
    with pytest.warns(sp.SuburbWarning, match="could not be written"):
        store.close()


def test_what_a_locked_store_could_not_take_is_written_by_the_next_transaction(tmp_path):
    """If a step of a request cannot be written, its call under way stays its own, and nobody else repeats it.

    If its end is known, or the request has ended, the next transaction of any request writes that, and may then claim
    the item.
    """
    store, items = Store(tmp_path / "s"), [Item("rent", NAME)]

    def claimed_after(write, *arguments):
        with plain_sqlite(store.path) as other:
            other.execute("begin immediate")
            start = time.monotonic()
            with suppress(sp.errors.StoreError):
                write(*arguments, waits=False)
            assert time.monotonic() - start < 20
        return claim(store, TERMS, items).claimed

    mine = claim(store, TERMS, items).reservation
    assert claimed_after(store.step, TERMS, mine) == []
    (call,) = store.step(TERMS, mine, begins=items).values()
    assert claimed_after(store.step, TERMS, mine) == []
    assert claimed_after(store.step, TERMS, mine, [(replace(call, outcome="not_billed", cents=0), None)]) == items
    assert claimed_after(store.release, mine + 1) == items
