"""Buys the responses of a quote. It is the only path by which money is spent.

The quote is checked against the cap of the request, and then against the budget of the month, in the same transaction
that claims the items and holds their prices. Items that another request is buying are waited for, not bought again.
Making the calls is left to worker, waiting to waiting, and decoding the responses to the callers.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

from suburb_pandas import errors
from suburb_pandas.client import changes
from suburb_pandas.client.context import RequestContext
from suburb_pandas.messages import counted, warn
from suburb_pandas.purchasing.breaker import STOPS, CircuitBreaker
from suburb_pandas.purchasing.call_result import CallResult
from suburb_pandas.purchasing.permission import refusal
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.purchasing.threads import run
from suburb_pandas.purchasing.waiting import Heartbeats, wait_for
from suburb_pandas.purchasing.worker import CLOSED, CallUnderWay, Worker, lease_of
from suburb_pandas.service.calls import BODY_LIMIT, Item, Outcome, Response, StoredResponse
from suburb_pandas.service.reading import Reading, read
from suburb_pandas.store.claims_table import Heartbeat
from suburb_pandas.store.reservation import ClaimResult, OverBudgetError, Reservation, ReservationTerms
from suburb_pandas.store.store import OthersProgress

if TYPE_CHECKING:
    from suburb_pandas.http.wire import Wire

_POLL_SECONDS: Final = 0.25

LOST: Final = "another request was buying it, and lost the response"
"""Why an item has no response, if another request made its call and the outcome is unknown."""


@dataclass
class PurchaseResult:
    """The result of a purchase: the items that ``arrived``, the ``cents`` of those bought, and the ``failures``.

    ``charges`` are the cents of its calls, by their outcome. ``stopped`` is the error that ended the request before
    every item was tried. ``not_asked`` are the items among the failures for which no call was made, and ``reason`` says
    why, as part of a sentence.
    """

    arrived: set[Item] = field(default_factory=set)
    cents: dict[Item, int] = field(default_factory=dict)
    charges: dict[Outcome, list[int]] = field(default_factory=dict)
    failures: dict[Item, errors.SuburbError] = field(default_factory=dict)
    stopped: errors.SuburbError | None = None
    not_asked: frozenset[Item] = frozenset()
    reason: str = ""

    def has(self, item: Item) -> bool:
        """Return True if an item has arrived or failed."""
        return item in self.arrived or item in self.failures


Watch = Callable[[Iterable[Item], int], Iterable[Item]]
"""Wraps the iterator of ended items and takes their final number, as a progress bar does."""

Take = Callable[[Item, Response, Reading], None]
"""Called with the item, the response and its reading, when a response arrives."""

_Event = tuple[Item, Response | None, Reading | None]
"""An item that has ended, with its response and reading if one arrived."""


def fetch(
    context: RequestContext,
    quote: Quote,
    take: Take,
    *,
    max_cents: int | None = None,
    watch: Watch = lambda items, _: items,
) -> PurchaseResult:
    """Buy the responses of a quote.

    They are bought on another thread, where Ctrl-C cannot interrupt a claim or a commit. After Ctrl-C, the calls under
    way end and are stored, and no other is sent. ``max_cents`` is the most that this request may cost, by default the
    client's own cap.
    """
    result = PurchaseResult(stopped=refusal(context, quote, max_cents))
    if quote.to_buy and result.stopped is None:
        purchase = _Purchase(context, quote, result, take)
        try:
            purchase.start()
            for _ in watch(purchase.ended_items(), quote.calls):
                pass
        except BaseException:
            purchase.abandon()
            raise
        finally:
            changes.announce()
        purchase.explain_what_was_not_asked()
    return result


class _Purchase:
    """A request that buys in rounds: claim the items that no other request is buying, buy them, wait for the rest.

    If the other request dies or gives up, its items are claimed in the next round.
    """

    def __init__(self, context: RequestContext, quote: Quote, result: PurchaseResult, take: Take) -> None:
        self._context = context
        self._open_wire: Callable[[], Wire] = context.open_wire
        self._quote = quote
        self._result = result
        self._heartbeats = Heartbeats()
        self._take = take
        self._events: SimpleQueue[_Event | BaseException | None] = SimpleQueue()
        self.breaker = CircuitBreaker()
        self._is_abandoned = False

    def abandon(self) -> None:
        """Send no other call. Those under way end and are stored, which is announced when the last one has ended."""
        self._is_abandoned = True
        self.breaker.trip()

    def start(self) -> None:
        """Run this purchase on a thread that Python waits for at exit.

        That thread is started by a second one, not by this one: `threading` waits for a new thread to run, and Ctrl-C
        during that wait would become a RuntimeError.
        """
        _thread.start_new_thread(self._start, ())

    def _start(self) -> None:
        try:
            threading.Thread(target=self._run, name="suburb_pandas", daemon=False).start()
        except RuntimeError as problem:  # the system allows no more threads
            self._events.put(problem)

    def _run(self) -> None:
        """Buy in rounds until every item has ended, or something ends the request."""
        problem: BaseException | None = None
        try:
            self._buy_in_rounds()
        except (errors.StoreError, errors.CassetteError) as found:
            self._result.stopped = self._result.stopped or found
        except BaseException as found:  # noqa: BLE001 - raised again in the user's thread
            problem = found
        self._events.put(problem)
        if self._is_abandoned:
            changes.announce()

    def ended_items(self) -> Iterator[Item]:
        """Yield each item after it has ended and its response, if any, was passed on, until the purchase is over."""
        while True:
            try:
                event = self._events.get(timeout=_POLL_SECONDS)  # without a timeout, Windows cannot interrupt it
            except Empty:
                continue
            if isinstance(event, BaseException):
                raise event
            if event is None:
                return
            item, response, reading = event
            if response is not None and reading is not None:
                self._take(item, response, reading)
            yield item

    def _buy_in_rounds(self) -> None:
        suspended: tuple[Heartbeat, ...] = ()
        while self._left() and not self.breaker.tripped and self._result.stopped is None:
            claimed = self._claim(suspended)
            if claimed is None:
                return
            try:
                self._take_stored(claimed.arrived)
                self._buy(claimed.reservation)
            finally:
                claimed.reservation.end()
            suspended = wait_for(
                self._context,
                claimed.awaited,
                breaker=self.breaker,
                seen=self._heartbeats,
                left=self._left,
                take=self._take_from_others,
            )

    def _left(self) -> dict[Item, int]:
        """Return the items that have not ended, each with the call of the response that is to be replaced."""
        return {item: self._quote.before[item] for item in self._quote.to_buy if not self._result.has(item)}

    def _claim(self, suspended: tuple[Heartbeat, ...]) -> ClaimResult | None:
        context, quote = self._context, self._quote
        if context.closed:
            self._result.stopped = errors.SettingsError(CLOSED, why="the client was closed")
            return None
        room = context.settings.max_workers * BODY_LIMIT
        budget = context.settings.budget_cents
        terms = ReservationTerms(context.namespace, quote.prices, budget, lease_of(context), room)
        try:
            return self._context.store.reserve(terms, self._left(), suspended)
        except OverBudgetError as over:
            self._result.stopped = self._over_budget(over)
            return None

    def _buy(self, reservation: Reservation) -> None:
        """Make the calls on worker threads, until all are made or something ends the request."""
        from suburb_pandas.http.wire import allows_threads  # noqa: PLC0415 - requests is needed by calls only

        under_way: dict[int, CallUnderWay] = {}
        shared = (reservation, self._quote.prices, self.breaker, iter(reservation.claimed), under_way)
        most = self._context.settings.max_workers if allows_threads() else 1
        number = min(most, len(reservation.claimed))
        if number:
            run(number, lambda: Worker(self._context, self._open_wire(), *shared), self._keep)

    def _keep(self, ended: CallResult) -> None:
        """Keep the result of a call, and pass the item on to the user's thread if it has ended."""
        result = self._result
        if ended.outcome is not None:
            result.charges.setdefault(ended.outcome, []).append(ended.cents)
        if ended.response is not None:
            result.arrived.add(ended.item)
            result.cents[ended.item] = ended.cents
        elif ended.error is not None:
            result.failures[ended.item] = ended.error
        if isinstance(ended.error, STOPS):
            result.stopped = result.stopped or ended.error
        if result.has(ended.item):
            self._events.put((ended.item, ended.response, ended.reading))

    def _take_stored(self, arrived: Mapping[Item, StoredResponse]) -> None:
        """Take the responses that other requests have bought and stored. They cost this request nothing."""
        for item, response in self._context.responses.read(arrived).items() if arrived else ():
            self._result.arrived.add(item)
            self._events.put((item, response, read(item, response)))

    def _take_from_others(self, progress: OthersProgress) -> None:
        """Take the responses that arrived, and the failure of the calls that were lost, while this request waited."""
        self._take_stored(progress.arrived)
        for item in progress.lost:
            self._result.failures[item] = _lost_by_another(item)
            self._events.put((item, None, None))

    def _over_budget(self, over: OverBudgetError) -> errors.BudgetExceeded:
        """Return the error for claims that exceed the budget. Part of the request may be stored by now."""
        limits = replace(self._quote.limits, spent=over.spent, held=over.held, claim=over.cents)
        quote = replace(self._quote, limits=limits)
        sent = "Nothing more was sent" if self._result.charges else "Nothing was sent"
        return errors.BudgetExceeded(
            f"This request costs {counted(over.cents, 'cent')} ({quote.summary}), and the month's budget is "
            f"{counted(limits.budget, 'cent')}, of which {limits.used}; the cap of a request is "
            f"{counted(limits.cap, 'cent')}. {sent}; to go on, {limits.advice}",
            quote=quote,
        )

    def explain_what_was_not_asked(self) -> None:
        """Set the error of the items that were never asked for, and report a price that differs from the quote."""
        result, left, mispriced = self._result, self._left(), self.breaker.mispriced
        if mispriced is not None and result.stopped is None:
            if not left:
                is_last = mispriced.outcome == "billed" and mispriced.response is not None
                what_next = (
                    f" The next quote uses {counted(mispriced.cents, 'cent')} for such a call." if is_last else ""
                )
                warn(f"{self._price_of(mispriced)}{what_next}", errors.SuburbWarning)
                return
            result.stopped = self._mispriced(mispriced)
        if result.stopped is None and left:
            result.reason = self.breaker.reason
            because = f"{result.reason}; {_spent(result)}"
            result.failures |= {item: _not_asked(item, because, result.reason) for item in left}
            result.not_asked = frozenset(left)

    def _price_of(self, call: CallResult) -> str:
        """Say what was wrong with the price of a call."""
        cost, name = counted(call.cents, "cent"), call.item.area_name
        if call.unread_price is not None:
            return (
                f"The service sent a price for {name!r} that cannot be read or believed (X-Cost-Cents: "
                f"{call.unread_price!r}); the ledger lists the call as unknown, at {cost}, although it may have cost "
                "more."
            )
        verb = "charged" if call.outcome == "billed" else "may have charged"
        quoted = self._quote.prices[call.item.endpoint]
        return f"The service {verb} {cost} for {name!r}, although {counted(quoted, 'cent')} had been quoted."

    def _mispriced(self, call: CallResult) -> errors.SuburbError:
        message = f"{self._price_of(call)} The request was stopped; {_spent(self._result)}."
        cents = sum(map(sum, self._result.charges.values()))
        if call.unread_price is not None:
            message += " Compare this with your account with the service, and run the same line again to go on."
            return errors.ContractViolation(message, path="X-Cost-Cents", quote=self._quote, cents=cents)
        message += f" {self._cost_of_the_rest(call, cents)}"
        return errors.CapExceeded(message, quote=self._quote, cents=cents)

    def _cost_of_the_rest(self, call: CallResult, charged: int) -> str:
        """Say how much the rest would cost after a rise in prices, and how to go on."""
        prices = {**self._quote.prices, call.item.endpoint: call.cents}
        left = [prices[item.endpoint] for item in self._left()]
        before = self._quote.limits
        limits = replace(before, spent=before.spent + charged, cents=sum(left), claim=sum(left))
        price = f"At the price charged for {call.item.area_name!r}"
        again = "run the same line again"
        how = f"to go on, {again}." if limits.allow else f"before you {again}, {limits.advice}"
        return f"{price}, the {counted(len(left), 'call')} left would cost {sum(left)} cents; {how}"


def _spent(result: PurchaseResult) -> str:
    """Say how many calls of a request were billed, and what they cost, as part of a sentence."""
    billed = [cents for cents in result.charges.get("billed", ()) if cents]
    unknown = [cents for cents in result.charges.get("unknown", ()) if cents]
    parts = [
        f"{counted(len(charges), 'call')} {'was' if len(charges) == 1 else 'were'} {how} "
        f"{counted(sum(charges), 'cent')}"
        for charges, how in ((billed, "billed, for"), (unknown, "of unknown outcome, listed in the ledger at"))
        if charges
    ]
    return ", and ".join(parts) or "nothing was billed"


def _lost_by_another(item: Item) -> errors.Unreachable:
    return errors.Unreachable(
        f"Another request was buying {item.area_name!r}, and its response was lost. That call was sent, and its "
        "outcome is unknown; the ledger shows what it may have cost. Run the same line again to try once more, which "
        "may charge a second time.",
        why=LOST,
    )


def _not_asked(item: Item, reason: str, broken: str) -> errors.Unreachable:
    return errors.Unreachable(
        f"{item.area_name!r} was not asked for, because {reason}. This suburb cost nothing. Run the same line again "
        "later; it goes on with the rest.",
        why=f"not asked for, because {broken}" if broken else "not asked for",
    )
