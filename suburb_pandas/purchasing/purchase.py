"""Purchase: the one path by which money is spent.

A request's quote is checked against its cap, and against the month's budget in the very transaction that claims what is
to be bought and holds its price. What another request is buying at this moment is waited for, not bought again. Each
call is in the ledger before it leaves, and its response is in the store before anybody reads it; that is the till's.
Nothing here knows what a response means.
"""

from __future__ import annotations

import _thread
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from suburb_pandas import errors
from suburb_pandas.client.client import Client
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.purchasing.worker import SILENT_IN_A_ROW, STOPS, CallResult, CircuitBreaker, Worker, lease, work
from suburb_pandas.service.calls import BODY_LIMIT, GEOCODE, Item, Response, StoredResponse
from suburb_pandas.settings import in_ci
from suburb_pandas.store.claims_table import Heartbeat
from suburb_pandas.store.reservation import ClaimResult, OverBudgetError, Reservation, ReservationTerms
from suburb_pandas.store.store import Store

if TYPE_CHECKING:
    from suburb_pandas.http.transport import Transport

_FIRST_LOOK, _LONGEST_LOOK = 0.01, 0.25
_GRACE = 1.0

_log = logging.getLogger("suburb_pandas")


@dataclass
class PurchaseResult:
    """How the calls of a request ended: of which items an answer ``came``, and what each was charged.

    ``stopped`` is what ended the request before all was tried, if anything did. ``not_asked`` are those of the failures
    that were not tried, because the service gave no answer to what was.
    """

    came: set[Item] = field(default_factory=set)
    cents: dict[Item, int] = field(default_factory=dict)
    failures: dict[Item, errors.SuburbError] = field(default_factory=dict)
    stopped: errors.SuburbError | None = None
    not_asked: frozenset[Item] = frozenset()

    def has(self, item: Item) -> bool:
        """Whether it is known what became of it."""
        return item in self.came or item in self.failures


Watch = Callable[[Iterable[Item], int], Iterable[Item]]
"""Who looks on while it is learnt what became of each item, as a progress bar does: also given how many there are."""

Take = Callable[[Item, Response], None]
"""Who takes the answers, each as it comes."""


def fetch(
    client: Client, quote: Quote, take: Take, *, max_cents: int | None = None, watch: Watch = lambda items, _: items
) -> PurchaseResult:
    """Buy what a quote says, and say how that ended.

    It is bought on another thread, where Ctrl-C does not strike in the middle of a claim or a commit: calls that are
    under way end in the store, and the rest is not sent. ``max_cents`` is the most that this request may cost, by
    default the client's own cap.
    """
    result = PurchaseResult(stopped=_refusal(client, quote, max_cents))
    if quote.to_buy and result.stopped is None:
        purchase = _Purchase(client, quote, result, take)
        try:
            purchase.start()
            for _ in watch(purchase.news(), quote.calls):
                pass
        except BaseException:
            purchase.breaker.pull()
            raise
        purchase.say_what_was_not_asked()
    return result


def nothing(quote: Quote, option: str, why: str) -> PurchaseResult:
    """Give an error for what is not stored: an option forbids to buy it."""
    result = PurchaseResult()
    if quote.to_buy:
        names, cost = dict.fromkeys(item.subject for item in quote.to_buy), counted(quote.cents, "cent")
        what = "look-up" if all(item.endpoint == GEOCODE for item in quote.to_buy) else "suburb"
        result.stopped = errors.NotStored(
            f"{counted(len(names), what)} of this request cannot be had from the store, as {why}: {listed(names)}. "
            f"Nothing was sent; without {option} the missing is bought, for {cost} ({quote.summary}).",
            quote=quote,
        )
    return result


def _refusal(client: Client, quote: Quote, max_cents: int | None) -> errors.SuburbError | None:
    """Give the reason why nothing may be sent, if there is one that needs no look at the store."""
    if quote.to_buy and client.would_mix:
        return errors.SettingsError(
            f"The cassette holds answers of the real service, and not {listed(item.subject for item in quote.to_buy)}; "
            "without an API key, only the sandbox of made-up suburbs could answer. Nothing was sent; connect with one."
        )
    if not quote.cents:
        return None
    settings, cost = client.settings, counted(quote.cents, "cent")
    cap = settings.max_cents if max_cents is None else max_cents
    if quote.cents > cap:
        return errors.CapExceeded(
            f"This request would cost {cost} ({quote.summary}), more than its cap of {cap}. "
            f"Nothing was sent; to go on, pass {quote.argument}.",
            quote=quote,
        )
    if in_ci() and max_cents is None and not (settings.was_given("max_cents") or settings.was_given("budget_cents")):
        return errors.SettingsError(
            f"This request would cost {cost} ({quote.summary}), and nobody watches an automatic run "
            "(CI is set). Nothing was sent; say what it may spend, with max_cents= or budget_cents=."
        )
    return None


class _Purchase:
    """A request that buys, in rounds: claim what nobody else is buying, buy it, wait for the rest.

    What it waits for in vain, because the other died or gave up, is claimed in the next round.
    """

    def __init__(self, client: Client, quote: Quote, result: PurchaseResult, take: Take) -> None:
        self._client = client
        self._store: Store = client.store
        self._transport: Transport = client.transport
        self._quote = quote
        self._haul = result
        self._heartbeats = _Heartbeats()
        self._take = take
        self._news: SimpleQueue[tuple[Item, Response | None] | BaseException | None] = SimpleQueue()
        self.breaker = CircuitBreaker()

    def start(self) -> None:
        """Have a thread run this, which is waited for at exit.

        It is another one that starts it: who starts a thread waits for it, and Ctrl-C in the middle of that wait
        becomes a RuntimeError in `threading`.
        """
        _thread.start_new_thread(self._start, ())

    def _start(self) -> None:
        try:
            threading.Thread(target=self._run, name="suburb_pandas").start()
        except RuntimeError as problem:  # there can be no more threads
            self._news.put(problem)

    def _run(self) -> None:
        """Go on until it is known what became of everything, or something ends the request."""
        problem: BaseException | None = None
        try:
            self._go_round()
        except (errors.StoreError, errors.CassetteError) as found:
            self._haul.stopped = self._haul.stopped or found
        except BaseException as found:  # noqa: BLE001 - it is raised where the request was made
            problem = found
        self._news.put(problem)

    def news(self) -> Iterator[Item]:
        """Give each item when it is known what became of it, and its answer has been taken, until all has ended."""
        while True:
            try:
                new = self._news.get(timeout=_LONGEST_LOOK)  # without a time, nothing can interrupt it on Windows
            except Empty:
                continue
            if isinstance(new, BaseException):
                raise new
            if new is None:
                return
            item, response = new
            if response is not None:
                self._take(item, response)
            yield item

    def _go_round(self) -> None:
        suspended: tuple[Heartbeat, ...] = ()
        while self._left() and not self.breaker.on and self._haul.stopped is None:
            opened = self._claim(suspended)
            if opened is None:
                return
            try:
                self._share(opened.arrived)
                self._buy(opened.plan)
            finally:
                opened.plan.end()
            suspended = self._wait_for(opened.awaited)

    def _left(self) -> dict[Item, int]:
        """What is still wanted, each with the call of the newest response that will not do."""
        return {item: self._quote.before[item] for item in self._quote.to_buy if not self._haul.has(item)}

    def _claim(self, suspended: tuple[Heartbeat, ...]) -> ClaimResult | None:
        client, quote = self._client, self._quote
        if client.closed:
            self._haul.stopped = errors.SettingsError("The client was closed. Nothing more was sent.")
            return None
        room = client.settings.max_workers * BODY_LIMIT
        terms = ReservationTerms(client.namespace, quote.prices, client.settings.budget_cents, lease(client), room)
        try:
            return self._store.reserve(terms, self._left(), suspended)
        except OverBudgetError as over:
            self._haul.stopped = self._over_budget(over)
            return None

    def _buy(self, plan: Reservation) -> None:
        """Make the calls on worker threads, and keep what comes until all are made or something ends the request."""
        worker = Worker(self._client, self._transport, plan, self._quote.prices, self.breaker, iter(plan.claimed))
        workers = min(self._client.settings.max_workers, len(plan.claimed))
        if workers:
            with ThreadPoolExecutor(workers, thread_name_prefix="suburb_pandas") as pool:
                try:
                    at_work = [pool.submit(work, worker, self._keep) for _ in range(workers)]
                except RuntimeError:  # there can be no more threads
                    self.breaker.pull()
                    raise
                for future in at_work:
                    future.result()

    def _keep(self, bought: CallResult) -> None:
        """Note how a call ended, and tell who waits for it."""
        result = self._haul
        if bought.response is not None:
            result.came.add(bought.item)
            result.cents[bought.item] = bought.cents
        elif bought.error is not None:
            result.failures[bought.item] = bought.error
        if isinstance(bought.error, STOPS):
            result.stopped = result.stopped or bought.error
        if result.has(bought.item):
            self._news.put((bought.item, bought.response))

    def _share(self, arrived: Mapping[Item, StoredResponse]) -> None:
        """Give what another request bought. It cost this one nothing."""
        for item, response in self._store.read(arrived).items() if arrived else ():
            self._haul.came.add(item)
            self._news.put((item, response))

    def _wait_for(self, awaited: Mapping[Item, Heartbeat]) -> tuple[Heartbeat, ...]:
        """Wait until what others are buying has come, or can be claimed; give the signs of those that fell silent."""
        pause, challenged = _FIRST_LOOK, False
        if awaited:
            _log.info("Waiting for %d responses that other requests are buying", len(awaited))
        while awaited and not self.breaker.on and not self._client.closed:
            left = self._left()
            look = self._store.look(self._client.namespace, left, awaited)
            self._share(look.arrived)
            for item in look.lost:
                self._haul.failures[item] = _shared_loss(item)
                self._news.put((item, None))
            silent = self._heartbeats.silent(look.awaited.values())
            if silent and not challenged:
                self._store.write_nothing()  # whoever fell silent because nothing could be written can speak now
                self.breaker.wait(_GRACE)
                challenged = True
                continue
            if silent or set(left) - set(look.arrived) - look.lost - set(look.awaited):
                return silent
            awaited = look.awaited
            self.breaker.wait(pause)
            pause = min(2 * pause, _LONGEST_LOOK)
        return ()

    def _over_budget(self, over: OverBudgetError) -> errors.BudgetExceeded:
        quote, budget, cost = self._quote, self._client.settings.budget_cents, counted(over.cents, "cent")
        held = f", {over.held} are held by requests under way" if over.held else ""
        quote = replace(quote, budget=over.spent + over.held + over.cents)
        return errors.BudgetExceeded(
            f"This request costs {cost} ({quote.summary}), and {over.spent} of the {budget} that the store "
            f"may spend this month are spent{held}. Nothing more was sent; to go on, pass {quote.argument} to your "
            "sp.connect(), beside what you pass there already.",
            quote=quote,
        )

    def say_what_was_not_asked(self) -> None:
        """Say of what was never asked for that it was not, and why."""
        left, surcharge = self._left(), self.breaker.surcharge
        if surcharge is not None and self._haul.stopped is None:
            price, cost = self._quote.prices[surcharge.item.endpoint], counted(surcharge.cents, "cent")
            what = f"The service charged {cost} for {surcharge.item.subject!r}, where {price} were quoted."
            if not left:
                warn(f"{what} The next quote goes by that price.", errors.SuburbWarning)
                return
            self._haul.stopped = errors.CapExceeded(
                f"{what} The request was stopped; the next quote goes by that price, so look at it and run the same "
                "again.",
                quote=self._quote,
                cents=sum(self._haul.cents.values()),
            )
        if self._haul.stopped is None:
            self._haul.failures |= {item: _not_asked(item) for item in left}
            self._haul.not_asked = frozenset(left)


class _Heartbeats:
    """What signs of life were seen, and for how long each has been the last. By our own watch, whatever the clock."""

    def __init__(self) -> None:
        self._since: dict[Heartbeat, float] = {}

    def silent(self, heartbeats: Iterable[Heartbeat]) -> tuple[Heartbeat, ...]:
        """Give those that have been the last one of their plan for longer than its patience."""
        now = time.monotonic()
        self._since = {heartbeat: self._since.get(heartbeat, now) for heartbeat in heartbeats}
        return tuple(heartbeat for heartbeat, since in self._since.items() if now - since > heartbeat.lease)


def _shared_loss(item: Item) -> errors.Unreachable:
    return errors.Unreachable(
        f"Another request was buying {item.subject!r}, and this one waited for it. That call was sent, and its "
        "outcome is unknown; the ledger has what it may have cost. Run the same again to try once more."
    )


def _not_asked(item: Item) -> errors.Unreachable:
    return errors.Unreachable(
        f"{item.subject!r} was not asked for, because {SILENT_IN_A_ROW} calls in a row brought no answer to go by. "
        "It cost nothing; run the same again later."
    )
