"""Tests of reservations: one request at a time buys a response, and its price is held before it is spent."""

import shutil
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

import suburb_pandas as sp
from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store import reservations, responses
from suburb_pandas.store.reservations import OverBudgetError
from suburb_pandas.store.store import Store
from tests.support.common import LIVE_KEY, RENTED, plain_sqlite, wait_for
from tests.support.processes import Worker, ask
from tests.support.stored import terms_of

NAME, OTHER, THIRD = RENTED[:3]
PRICE, BUDGET = 30, 130


@pytest.fixture
def held(live):
    """Return a function that claims suburbs as another request would, and begins the calls of some of them."""

    def hold(*names, sent=(), lease=40.0):
        terms = terms_of(live.namespace, prices={"rent": PRICE}, lease=lease)
        items = [Item("rent", name) for name in names]
        reservation = live.store.write(
            reservations.claim, terms, dict.fromkeys(items, 0), (), reservation=0
        ).reservation
        return live.store.step(terms, reservation, begins=[Item("rent", name) for name in sent])

    return hold


def test_requests_that_want_the_same_buy_it_once(service, tmp_path):
    """Simultaneous refreshes of the same suburbs make one call for each, and all get the same new responses."""
    options, names = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "s"}, RENTED[:8]
    with ExitStack() as stack, ThreadPoolExecutor(6) as pool:
        clients = [stack.enter_context(sp.Client(**options)) for _ in range(6)]
        sp.rent(names, client=clients[0])
        service.fail("latency", times=None, seconds=0.3)
        frames = list(pool.map(lambda client: sp.rent(names, refresh=True, client=client), clients))
        assert all(frame.equals(frames[0]) for frame in frames)
        assert set(service.served.values()) == {2}
        assert sp.ledger(client=clients[0])["cents"].sum() == PRICE * len(service.requests)


def test_a_dead_process_leaves_its_claims_at_once_and_its_call_unknown(service, tmp_path):
    """If a process dies, others buy what it had not sent. Repeating the call that it had sent comes with a warning."""
    options = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "s", "max_workers": 1}
    service.fail("latency", name=NAME, seconds=60)
    worker = Worker(ask, options, ("rent", [NAME, OTHER, THIRD])).go()
    wait_for(lambda: service.most_at_once)
    worker.kill()
    service.release()
    with sp.connect(**options):
        began = time.monotonic()
        assert sp.rent([OTHER, THIRD])["area_name"].nunique() == 2
        assert time.monotonic() - began < 20
        assert sp.ledger()["outcome"].to_list() == ["unknown", "billed", "billed"]
        assert sp.quote(NAME).unknown == (NAME,)
        with pytest.warns(sp.SuburbWarning, match=rf"repeated now: '{NAME}' \(30 cents"):
            sp.rent(NAME)
    assert service.served == {("rent", NAME): 2, ("rent", OTHER): 1, ("rent", THIRD): 1}


def test_a_silent_request_loses_what_it_had_not_sent(live, service, held):
    """After its lease, others buy what a silent request had not sent. Its sent call is unknown, and is not repeated."""
    (call,) = held(NAME, OTHER, sent=[NAME], lease=0.5).values()
    began = time.monotonic()
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent([NAME, OTHER, THIRD])
    assert 0.5 < time.monotonic() - began < 20
    assert {name: type(error) for name, error in caught.value.failures.items()} == {NAME: sp.errors.Unreachable}
    assert set(caught.value.frame["area_name"]) == {OTHER, THIRD}
    assert {row.number: row.outcome for row in live.store.read(responses.ledger)}[call.number] == "unknown"
    assert set(service.served) == {("rent", OTHER), ("rent", THIRD)}


def test_what_others_hold_counts_against_the_budget(live, service, held):
    """The price of a claim is held, and the budget counts it until its request ends."""
    live.set_limits(budget_cents=3 * PRICE)
    held(NAME, OTHER, sent=[NAME])
    with pytest.raises(sp.errors.BudgetExceeded, match="30 are spent and 30 are held by requests under way"):
        sp.rent([THIRD, RENTED[3]])
    assert len(sp.rent(THIRD))
    assert len(service.requests) == 1


def test_a_live_reservation_of_another_computer_is_an_error(live, service, held, monkeypatch):
    """Nobody can see whether another computer's request is alive, so it is an error until its lease has run out."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(socket, "gethostname", lambda: "another-laptop")
        held(NAME)
    with pytest.raises(sp.errors.StoreError, match=r"another-laptop.*Nothing was sent; keep a store for each"):
        sp.rent(OTHER)
    assert service.requests == ()
    with plain_sqlite(live.store.path) as plain:
        plain.execute("update plan set at = '2026-01-01T00:00:00+00:00'")
    assert len(sp.rent([NAME, OTHER]))


class Spending(RuleBasedStateMachine):
    """Several requests use one store and take their steps in any order. Some die, and some are overtaken."""

    items = tuple(Item("rent", f"Nowhere {number}") for number in range(8))
    terms = terms_of(Namespace("live", "https://example.org"), prices={"rent": PRICE}, budget=BUDGET)

    def __init__(self):
        super().__init__()
        self.store = Store(Path(mkdtemp()) / "s")
        self.left, self.sent = {}, {}

    def teardown(self):
        """Close the store and delete its folder."""
        self.store.close()
        shutil.rmtree(self.store.path.parent)

    @rule(wanted=st.sets(st.sampled_from(items), min_size=1), gives_up=st.booleans())
    def open(self, wanted, gives_up):
        """Claim some items. If `gives_up` is True, all other reservations have been silent for long."""
        wanted = dict.fromkeys(wanted, 0)
        if gives_up:
            with plain_sqlite(self.store.path) as plain:
                plain.execute("update plan set beats = 0")
        with suppress(OverBudgetError):
            found = self.store.write(reservations.claim, self.terms, wanted, (), reservation=0)
            if found.claimed:
                self.left[found.reservation], self.sent[found.reservation] = found.claimed, []

    @precondition(lambda self: self.left)
    @rule(data=st.data(), outcomes=st.lists(st.sampled_from(["billed", "not_billed", "unknown", "again"]), max_size=3))
    def step(self, data, outcomes):
        """End some calls of a reservation, and begin another one."""
        number = data.draw(st.sampled_from([*self.left]))
        ends, again, begins = [], [], [self.left[number].pop()] if self.left[number] else []
        for call, outcome in zip([*self.sent[number]], outcomes, strict=False):
            self.sent[number].remove(call)
            is_free = outcome in {"not_billed", "again"}
            ended = replace(call, outcome="not_billed" if is_free else outcome, cents=0 if is_free else PRICE)
            ends.append((ended, None))
            again += [call.item] if outcome == "again" else []
        self.left[number] += again
        begun = self.store.step(self.terms, number, ends, again, begins)
        self.sent[number] += [call for call in begun.values() if call is not None]

    @precondition(lambda self: self.left)
    @rule(data=st.data(), dies=st.booleans())
    def end(self, data, dies):
        """End a reservation, or have it belong to a process that died."""
        number = data.draw(st.sampled_from([*self.left]))
        del self.left[number], self.sent[number]
        if dies:
            with plain_sqlite(self.store.path) as plain:
                plain.execute("update plan set process = ? where id = ?", (2**22 + 1, number))  # no system has it
        else:
            self.store.release(number, waits=True)

    @invariant()
    def spends_and_holds_no_more_than_the_budget(self):
        """Check that the cents spent and held together are within the budget."""
        spent, _, held = self.store.read(responses.committed)
        assert spent + held <= BUDGET


TestSpending = Spending.TestCase
TestSpending.__doc__ = "The cents held and spent never exceed the budget, whatever the order of the steps."
TestSpending.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


def test_a_step_that_cannot_be_written_leaves_its_request_what_it_holds(tmp_path, monkeypatch):
    """If one step of a request cannot be written, its call under way stays its own, and nobody else repeats it."""
    store, item = Store(tmp_path / "s"), Item("rent", NAME)
    terms = terms_of(Namespace("live", "https://example.org"))
    mine = store.write(reservations.claim, terms, {item: 0}, (), reservation=0).reservation
    (call,) = store.step(terms, mine, begins=[item]).values()
    ended = (replace(call, outcome="not_billed", cents=0), None)
    with monkeypatch.context() as broken:
        broken.setattr(reservations, "step", lambda *_, **__: 1 / 0)
        for ends in ([], [ended]):
            with pytest.raises(sp.errors.StoreError):
                store.step(terms, mine, ends)
            assert store.write(reservations.claim, terms, {item: 0}, (), reservation=0).awaited == (
                [] if ends else [item]
            )
    store.close()


def test_a_claim_of_no_reservation_holds_nobody_up(live):
    """A claim that some other program left without its reservation is removed."""
    with plain_sqlite(live.store.path) as plain:
        plain.execute("insert into claim values ('live', ?, 'rent', ?, 9, 30, null)", (live.namespace.base_url, NAME))
    assert len(sp.rent(NAME))
