"""Tests of reservations: one request at a time buys a response, and its price is held before it is spent."""

import os
import shutil
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import suburb_pandas as sp
from suburb_pandas.service.calls import CallOutcome, Item, Namespace, Response, utc_now
from suburb_pandas.store import calls_table, claims_table
from suburb_pandas.store.reservation import OverBudgetError, OvertakenError, ReservationTerms
from suburb_pandas.store.store import Store
from tests.support.common import LIVE_KEY, RENTED, die, plain_sqlite, wait_for
from tests.support.processes import Worker, obey_modes

NAMESPACE = Namespace("live", "https://example.org")
NAME = "Quokka Bay"
ITEMS = [Item("rent", f"Nowhere {number}") for number in range(8)]
PRICE, BUDGET = 30, 130


def reserve(store, items, *, budget=BUDGET, suspended=()):
    """Reserve items that were never bought."""
    terms = ReservationTerms(NAMESPACE, {"rent": PRICE}, budget, 30)
    return store.reserve(terms, dict.fromkeys(items, 0), suspended)


def spent_and_held(store):
    """Return the cents spent this month plus the cents that claims hold."""
    with store.database.reading() as connection:
        return calls_table.spent(connection) + claims_table.held(connection)


def test_a_second_plan_waits_for_what_the_first_has_claimed(tmp_path):
    """A reservation claims only the items that no other reservation has claimed, and holds only their prices."""
    store = Store(tmp_path / "s")
    first, second = reserve(store, ITEMS[:3]), reserve(store, ITEMS[1:4])
    assert (first.reservation.claimed, second.reservation.claimed) == (ITEMS[:3], ITEMS[3:4])
    assert set(second.awaited) == {*ITEMS[1:3]}
    assert spent_and_held(store) == 4 * PRICE
    first.reservation.end()
    assert reserve(store, ITEMS[1:3]).reservation.claimed == ITEMS[1:3]


def test_what_has_arrived_meanwhile_is_not_claimed(tmp_path):
    """A response that another request bought after the quote was made is used, and not bought again."""
    store = Store(tmp_path / "s")
    reservation = reserve(store, ITEMS[:1]).reservation
    call = reservation.begin(ITEMS[0], lease=30)
    reservation.finish(
        call, CallOutcome("billed", PRICE), lease=30, response=Response.of(b"{}", {}, "2026", PRICE, "live")
    )
    opened = reserve(store, ITEMS[:2])
    assert set(opened.arrived) == {ITEMS[0]}
    assert opened.reservation.claimed == ITEMS[1:2]


def test_a_dead_plans_money_is_released_and_its_call_is_unknown(tmp_path):
    """If a process dies, its unsent items can be claimed at once. Its calls under way are unknown at full price."""
    store = Store(tmp_path / "s")
    reservation = reserve(store, ITEMS[:4]).reservation
    reservation.begin(ITEMS[0], lease=30)
    die(reservation)
    assert [row.outcome for row in store.ledger()] == ["unknown"]
    assert reserve(store, ITEMS[1:4]).reservation.claimed == ITEMS[1:4]
    assert spent_and_held(store) == 4 * PRICE
    with pytest.raises(OverBudgetError):
        reserve(store, ITEMS[:1])


def test_a_suspended_plan_is_overtaken_and_notices_it(tmp_path):
    """An overtaken reservation cannot send items that another has claimed. Responses to its earlier calls are kept."""
    store = Store(tmp_path / "s")
    sleeper = reserve(store, ITEMS[:2]).reservation
    call = sleeper.begin(ITEMS[0], lease=0.01)
    heartbeats = tuple(set(reserve(store, ITEMS[:2]).awaited.values()))
    assert reserve(store, ITEMS[1:2], suspended=heartbeats).reservation.claimed == ITEMS[1:2]
    with pytest.raises(OvertakenError):
        sleeper.begin(ITEMS[1], lease=30)
    sleeper.finish(call, CallOutcome("billed", PRICE), lease=30, response=Response.of(b"{}", {}, "2026", PRICE, "live"))
    assert [row.outcome for row in store.ledger()] == ["billed"]
    assert set(reserve(store, ITEMS[:1]).arrived) == {ITEMS[0]}


def remove_lock(path):
    """Remove a lock file."""
    path.unlink()


def replace_lock(path):
    """Replace a lock file by another file."""
    path.with_name("other").touch()
    path.with_name("other").replace(path)


@pytest.mark.parametrize("harm", [remove_lock, replace_lock])
def test_a_reservation_whose_lock_is_gone_begins_no_call(tmp_path, harm):
    """Without its lock, a reservation looks dead to other processes, so it sends nothing more. What arrives is kept."""
    store = Store(tmp_path / "s")
    reservation = reserve(store, ITEMS[:3]).reservation
    call = reservation.begin(ITEMS[0], lease=30)
    harm(tmp_path / "s-plan-1")
    response = Response.of(b"{}", {}, "2026", PRICE, "live")
    then = reservation.finish(call, CallOutcome("billed", PRICE), lease=30, response=response, then=ITEMS[1])
    assert then is None
    with pytest.raises(sp.errors.StoreError, match=r"s-plan-1 was removed or replaced.*Nothing more was sent"):
        reservation.begin(ITEMS[1], lease=30)
    assert [row.outcome for row in store.ledger()] == ["billed"]
    assert set(reserve(store, ITEMS[:1]).arrived) == {ITEMS[0]}


def test_a_request_whose_lock_is_removed_sends_no_other_call(live, service):
    """If the lock file of a request is removed while a call is under way, that call is kept and no other is sent."""
    live.settings = replace(live.settings, max_workers=1)
    service.fail("latency", seconds=60)

    def remove_and_go_on():
        wait_for(lambda: service.most_at_once)
        remove_lock(live.store.path.with_name("store.sqlite-plan-1"))
        service.release()

    with ThreadPoolExecutor(1) as other:
        removed = other.submit(remove_and_go_on)
        with pytest.raises(sp.errors.StoreError, match=r"store\.sqlite-plan-1 was removed") as caught:
            sp.rent(RENTED[:4])
        removed.result()
    assert len(service.requests) == 1
    assert caught.value.frame["area_name"].nunique() == 1
    assert sp.ledger()["outcome"].to_list() == ["billed"]


def look_at_another_users_lock(path):
    """Without root's right to read any file, look at a reservation of another user, and return the errors."""
    obey_modes()
    store, problems = Store(path), []
    for look in (store.ledger, lambda: reserve(store, ITEMS[1:2]), lambda: store.look(NAMESPACE, {ITEMS[0]: 0}, {})):
        with pytest.raises(sp.errors.StoreError) as caught:
            look()
        problems.append(str(caught.value))
    (path.parent / "s-plan-1").unlink()
    return problems, [row.outcome for row in store.ledger()]


@pytest.mark.skipif(
    not getattr(os, "geteuid", int)() and sys.platform != "linux", reason="root obeys modes on Linux only"
)
def test_another_users_lock_is_an_error_that_names_it(tmp_path):
    """A lock that may not be read is no sign of life: the error says to remove it. Then its call is unknown."""
    store = Store(tmp_path / "s")
    reserve(store, ITEMS[:1]).reservation.begin(ITEMS[0], lease=30)
    (tmp_path / "s-plan-1").chmod(0)
    store.close()
    problems, outcomes = Worker(look_at_another_users_lock, tmp_path / "s").go().result()
    assert all("s-plan-1 belongs to another user" in problem for problem in problems)
    assert all("remove the file" in problem for problem in problems)
    assert outcomes == ["unknown"]


def test_a_sign_of_life_keeps_a_plan_from_being_overtaken(tmp_path):
    """A reservation is overtaken only if it has written no heartbeat since the one that others waited on."""
    store = Store(tmp_path / "s")
    reservation = reserve(store, ITEMS[:2]).reservation
    heartbeats = tuple(set(reserve(store, ITEMS[:2]).awaited.values()))
    reservation.begin(ITEMS[0], lease=30)
    assert reserve(store, ITEMS[:2], suspended=heartbeats).reservation.claimed == []


def test_a_live_claim_of_another_computer_is_an_error(tmp_path, monkeypatch):
    """Locks do not reach another computer, so its live claims are an error until its lease runs out."""
    store = Store(tmp_path / "s")
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(socket, "gethostname", lambda: "another-laptop")
        reserve(store, ITEMS[:1])
    with pytest.raises(sp.errors.StoreError, match=r"another-laptop.*Nothing was sent; keep a store for each computer"):
        reserve(store, ITEMS[1:2])
    with store.database.writing() as connection:
        connection.execute("update plan set at = '2026-01-01T00:00:00+00:00'")
    assert reserve(store, ITEMS[:1]).reservation.claimed == ITEMS[:1]


@pytest.mark.parametrize("clients", ["one", "each"])
def test_threads_that_want_the_same_buy_it_once(service, tmp_path, clients):
    """Threads that load the same suburbs at once make one call for each response, and all get equal frames."""
    service.fail("latency", times=None, seconds=0.05)
    options = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "s"}
    shared, lengths = sp.Client(**options), []

    def load():
        client = shared if clients == "one" else sp.Client(**options)
        lengths.append((len(sp.rent(RENTED[:12], client=client)), len(sp.rent(NAME, client=client))))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lengths) == 8
    assert len(set(lengths)) == 1
    assert set(service.served.values()) == {1}
    assert sp.ledger(client=shared)["cents"].sum() == 30 * len(service.requests)


def test_two_refreshes_at_once_buy_once(live, service):
    """Simultaneous refreshes of the same suburb share one call and its response."""
    sp.rent(NAME)
    service.fail("latency", times=None, seconds=0.3)
    threads = [threading.Thread(target=sp.rent, args=(NAME,), kwargs={"refresh": True}) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(service.requests) == 2
    assert len(sp.vintages(NAME)) == 2


def test_a_call_whose_outcome_nobody_knows_is_shared_too(live, service):
    """A request that waited for another's call shares its unknown outcome. Only a later request makes a new call."""
    service.fail("latency", seconds=0.3)
    service.answer(NAME, "rent", status=500, times=1)
    errors = []

    def load():
        try:
            sp.rent(NAME)
        except sp.SuburbError as error:
            errors.append(error)

    first = threading.Thread(target=load)
    first.start()
    wait_for(lambda: len(sp.ledger()))
    load()
    first.join()
    assert sorted((type(error).__name__, error.cents) for error in errors) == [("ServiceError", 30), ("Unreachable", 0)]
    assert len(service.requests) == 1
    assert len(sp.rent(NAME))


def test_who_was_refused_leaves_it_to_who_waits(live, service):
    """If a call is refused at no cost, its own request fails, and a request that waited for it makes the call again."""
    service.fail("latency", seconds=0.3)
    service.answer(NAME, "rent", status=422, times=1)
    refused = []

    def load():
        with pytest.raises(sp.errors.Rejected) as caught:
            sp.rent(NAME)
        refused.append(caught.value)

    first = threading.Thread(target=load)
    first.start()
    wait_for(lambda: len(sp.ledger()))
    assert len(sp.rent(NAME))
    first.join()
    assert len(refused) == 1
    assert len(service.requests) == 2


def test_a_silent_holder_is_overtaken_after_its_patience(live, service):
    """A reservation that writes no heartbeat blocks other requests for no longer than its lease."""
    live.settings = replace(live.settings, lease_slack=0.2)
    terms = ReservationTerms(live.namespace, {"rent": PRICE}, 5000, 0.5)
    holder = live.store.reserve(terms, {Item("rent", NAME): 0}).reservation
    start = time.monotonic()
    assert len(sp.rent(NAME))
    assert 0.5 <= time.monotonic() - start < 25
    with pytest.raises(OvertakenError):
        holder.begin(Item("rent", NAME), lease=1)
    assert len(service.requests) == 1


class Spending(RuleBasedStateMachine):
    """Several reservations in one store take their steps in any order. Some die, and some are overtaken."""

    def __init__(self):
        super().__init__()
        self.folder = Path(mkdtemp())
        self.store = Store(self.folder / "s")
        self.reservations = []

    def teardown(self):
        """Release the locks, close the store and delete its folder."""
        for reservation in self.reservations:
            die(reservation)
        self.store.close()
        shutil.rmtree(self.folder)

    @rule(items=st.sets(st.sampled_from(ITEMS), min_size=1), gives_up=st.booleans())
    def open(self, items, gives_up):
        """Claim some items. If `gives_up` is True, overtake the reservations that hold some of them."""
        try:
            opened = reserve(self.store, items)
            if opened.awaited and gives_up:
                opened.reservation.end()
                opened = reserve(self.store, items, suspended=tuple(set(opened.awaited.values())))
        except OverBudgetError:
            return
        if opened.reservation.claimed:
            opened.reservation.left, opened.reservation.sent = [*opened.reservation.claimed], []
            self.reservations.append(opened.reservation)

    @precondition(lambda self: self.reservations)
    @rule(data=st.data())
    def send(self, data):
        """Begin a call of a reservation."""
        reservation = data.draw(st.sampled_from(self.reservations))
        if reservation.left:
            try:
                reservation.sent.append((reservation.left[-1], reservation.begin(reservation.left.pop(), lease=30)))
            except OvertakenError:
                return

    @precondition(lambda self: any(one.sent for one in self.reservations))
    @rule(data=st.data(), outcome=st.sampled_from(["billed", "not_billed", "unknown", "put off"]))
    def answer(self, data, outcome):
        """End a call of a reservation, or put it off for a retry."""
        reservation = data.draw(st.sampled_from([one for one in self.reservations if one.sent]))
        item, call = reservation.sent.pop()
        cents = PRICE if outcome in {"billed", "unknown"} else 0
        if outcome == "put off":
            reservation.left.append(item)
        ending = CallOutcome("not_billed" if outcome == "put off" else outcome, cents)
        reservation.finish(call, ending, lease=30, again=PRICE if outcome == "put off" else None)

    @precondition(lambda self: self.reservations)
    @rule(data=st.data(), dies=st.booleans())
    def end(self, data, dies):
        """End a reservation, or release only its lock, as when its process dies."""
        reservation = data.draw(st.sampled_from(self.reservations))
        self.reservations.remove(reservation)
        if dies:
            die(reservation)
        else:
            reservation.end()

    @invariant()
    def spends_and_holds_no_more_than_the_budget(self):
        """Check that the cents spent and held together are within the budget."""
        assert spent_and_held(self.store) <= BUDGET


TestSpending = Spending.TestCase
TestSpending.__doc__ = "The cents held and spent never exceed the budget, whatever the order of the steps."
TestSpending.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.sets(st.sampled_from(ITEMS), min_size=1), min_size=2, max_size=6))
def test_threads_never_pass_the_budget(requests):
    """With real threads, too, the cents held and spent never exceed the budget at any step."""
    folder = Path(mkdtemp())
    store, seen = Store(folder / "s"), []

    def run(items):
        try:
            reservation = reserve(store, items).reservation
        except OverBudgetError:
            return
        for item in reservation.claimed:
            seen.append(spent_and_held(store))
            call = reservation.begin(item, lease=30)
            seen.append(spent_and_held(store))
            reservation.finish(
                call, CallOutcome("billed", PRICE), lease=30, response=Response.of(b"{}", {}, "2026", PRICE, "live")
            )
        reservation.end()

    threads = [threading.Thread(target=run, args=(items,)) for items in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = spent_and_held(store)
    store.close()
    shutil.rmtree(folder)
    assert max(seen, default=0) <= BUDGET
    assert total <= BUDGET


def test_an_older_version_that_has_the_store_open_buys_on(tmp_path):
    """An older version of the package may have the store open. Its SQL and this version's both find their claims."""
    store, old, new = Store(tmp_path / "s"), Item("rent", "Quokka Bay"), Item("rent", "Bilby Heights")
    terms = ReservationTerms(NAMESPACE, {"rent": PRICE}, 5000, 30)
    reservation = store.reserve(terms, {old: 0, new: 0}).reservation
    with plain_sqlite(tmp_path / "s") as plain:
        key = (NAMESPACE.source, NAMESPACE.base_url, old.endpoint, old.area_name)
        call = plain.execute(
            "insert into call (at, source, base_url, endpoint, area_name, cents, plan_id, outcome) "
            "values (?, ?, ?, ?, ?, ?, 1, 'sent')",
            (utc_now(), *key, PRICE),
        ).lastrowid
        spent = plain.execute(
            "update claim set call_id = ?, cents = 0 where source = ? and base_url = ? and endpoint = ? "
            "and area_name = ? and plan_id = 1 and call_id is null",
            (call, *key),
        )
        assert spent.rowcount == 1
        plain.execute("update call set outcome = 'billed', ended_at = '2026' where id = ?", (call,))
        plain.execute("delete from claim where call_id = ?", (call,))
    later = reservation.begin(new, lease=30)
    with pytest.raises(OvertakenError):
        reservation.begin(old, lease=30)
    reservation.finish(
        later, CallOutcome("billed", PRICE), lease=30, response=Response.of(b"{}", {}, "2026", PRICE, "live")
    )
    assert store.spent() == 2 * PRICE
    with plain_sqlite(tmp_path / "s") as plain:
        assert plain.execute("select count(*) from claim").fetchone() == (0,)
