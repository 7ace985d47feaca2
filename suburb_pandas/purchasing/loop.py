"""Runs the loop that buys: one thread of a request owns the store, the progress and the retries.

Worker threads make HTTP exchanges and nothing else. Each time the loop wakes up, it takes all exchanges that have
ended, decides, writes the ends of those calls and the beginnings of the next ones in one transaction, and hands the
next calls to the free workers. Waiting for items that other requests are buying, heartbeats and deadlines are part of
it. Making an exchange is left to http, what follows from it to decisions, the transactions to store, and passing the
results on to purchase.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from suburb_pandas import errors
from suburb_pandas.client.context import RequestContext
from suburb_pandas.purchasing import decisions, explanations
from suburb_pandas.purchasing.decisions import Ended, Progress, PurchaseResult
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service import path_of
from suburb_pandas.service.calls import BODY_LIMIT, Call, Exchange, Item, Terms
from suburb_pandas.service.reading import Reading, read
from suburb_pandas.store.reservations import OverBudgetError

if TYPE_CHECKING:
    from suburb_pandas.http.wire import Wire

_log = logging.getLogger("suburb_pandas")

_POLL: Final = 0.25  # seconds after which the loop looks at everything again
_BEATS_A_LEASE: Final = 8
_GIVEN_UP_AFTER: Final = 1.5  # timeouts of a call, whatever its server does


class ItemEnded(NamedTuple):
    """An item that has ended, with what was read of its response, which may be that it cannot be read.

    It has no reading if no response arrived, if its own call was refused, or if reading raised a defect of the package.
    """

    item: Item
    reading: Reading | None = None


class LoopEnded(NamedTuple):
    """The end of a loop, with what it raised that is no error of the package, if anything."""

    problem: BaseException | None = None


@dataclass(slots=True, eq=False)
class Worker:
    """A thread that makes exchanges.

    ``sent`` is the time when its last call was sent. ``may_reuse_connection`` is True if the next call may be sent over
    the same connection: the last response named its suburb, so that a late answer cannot be taken for another's.
    """

    inbox: SimpleQueue[str | None] = field(default_factory=SimpleQueue)
    sent: float = 0.0
    may_reuse_connection: bool = False


_Answer = tuple[Worker, Exchange]

_Mail = SimpleQueue[_Answer | None]
"""The exchanges that have ended. None only wakes the loop up."""


def work(worker: Worker, wire: Wire, mail: _Mail) -> None:
    """Make one exchange after another until the inbox says None."""
    with closing(wire):
        while (path := worker.inbox.get()) is not None:
            if not worker.may_reuse_connection:
                wire.close()
            mail.put((worker, wire.exchange(path)))


class Loop:
    """The purchase of a quote's items.

    Parameters
    ----------
    context
        The client and the cassette.
    quote
        The items and their prices.
    result
        Where the loop writes what has arrived and failed so far.

    Attributes
    ----------
    events
        The items that have ended, in this order, and at last the end of the loop.
    tries
        The items that have not ended, with the number of their calls. If a call is tried again, the failures of
        ``result`` say why, until its item ends.
    progress
        How the calls have gone.
    """

    def __init__(self, context: RequestContext, quote: Quote, result: PurchaseResult) -> None:
        self._settings = settings = context.settings
        self._context, self._quote = context, quote
        self.result: PurchaseResult = result
        self.events: SimpleQueue[ItemEnded | LoopEnded] = SimpleQueue()
        self._store, self._open_wire = context.store, context.client.open_wire
        self._terms = Terms(
            context.namespace, quote.prices, settings.budget_cents, settings.lease, settings.retry_wait, context.secret
        )
        self._mail: _Mail = SimpleQueue()
        self._todo: deque[Item] = deque()
        self._awaited: list[Item] = []
        self._reservation: int | None = None
        self._last_beat = self._resume_at = self._next_look = 0.0
        self._free: list[Worker] = []
        self._busy: dict[Worker, Call] = {}
        self._overdue: dict[Worker, Call] = {}
        self._unwritten: list[Call] = []
        self._defect: Exception | None = None
        self.tries: dict[Item, int] = dict.fromkeys(quote.to_buy, 0)
        self.progress: Progress = Progress()

    def stop(self) -> None:
        """Begin no other call. Those under way end and are stored."""
        decisions.stop(self.progress)
        self._mail.put(None)

    def run(self) -> None:
        """Buy until every item has ended, or something ends the request. The last event is the end of the loop."""
        problem: BaseException | None = None
        try:
            self._buy()
        except BaseException as found:  # noqa: BLE001 - raised again in the user's thread
            problem = found
        self.events.put(LoopEnded(problem))

    def _buy(self) -> None:
        try:
            with self._safely():
                self._claim(self.tries)
            while self._busy or ((self._todo or self._awaited) and not self.progress.stopped):
                answers = self._answers()
                if self._todo or self._awaited:
                    self._stop_if_nobody_waits()
                with self._safely():
                    self._step(answers)
                    if self._awaited and time.monotonic() >= self._next_look and not self.progress.stopped:
                        self._claim(self._awaited)
        finally:
            for worker in self._free:
                worker.inbox.put(None)
            if self._reservation is not None:
                self._store.release(self._reservation, waits=self._may_wait)
            if not self._overdue:
                self._store.close_mine()  # before the caller goes on, who may close the client and remove the store
        if self._defect is not None:
            raise self._defect
        if self.result.error is not None and self._has_sent:
            explanations.after_calls(self.result.error)

    @property
    def _may_wait(self) -> bool:
        """True if the store may take its time. After an error of the store, it has waited before."""
        return not isinstance(self.result.error, errors.StoreError)

    @property
    def _has_sent(self) -> bool:
        """True if a call may have reached the service."""
        was_sent = any(call.http_status or call.outcome != "not_billed" for call in self.result.calls)
        return was_sent or any(self.tries.values())

    def linger(self) -> None:
        """Store the responses that arrive after their deadline, as long as the program and the client live."""
        while self._overdue and threading.main_thread().is_alive() and not self._context.client.closed:
            with self._safely():
                self._keep_late(self._answers())
        self._store.close_mine()

    def _claim(self, items: Iterable[Item]) -> None:
        """Claim the items that no other request is buying or has left, and take those that have arrived."""
        self._check_room()
        before = {item: self._quote.before[item] for item in items}
        known = {call.number for call in self._quote.without_response}
        found = self._store.claim(self._terms, before, known, self._reservation)
        if found.awaited and not self._awaited:
            _log.info("Waiting for %d responses that other requests are buying", len(found.awaited))
        self._reservation, self._awaited = found.reservation, found.awaited
        self._next_look = time.monotonic() + _POLL
        self._todo.extend(found.claimed)
        for item, response in self._context.read(found.arrived).items():
            self._pass_on(item, read(item, response))
        for item in found.lost:
            self._pass_on(item, error=explanations.lost(item))
        if found.claimed:
            self._mail.put(None)  # their calls may begin

    def _check_room(self) -> None:
        self._store.check_room(self._settings.max_workers * BODY_LIMIT)

    def _answers(self) -> list[_Answer]:
        """Return all exchanges that have ended, after waiting for the first one until there is something else to do."""
        pause = self._resume_at - time.monotonic()
        found: list[_Answer | None] = []
        with suppress(Empty):
            found.append(self._mail.get(timeout=pause if 0 < pause < _POLL else _POLL))
            while True:
                found.append(self._mail.get_nowait())
        return [answer for answer in found if answer is not None]

    def _stop_if_nobody_waits(self) -> None:
        """Stop the request if its client was closed, or the program has ended."""
        with self._safely():
            self._context.client.check_open()
        if not threading.main_thread().is_alive():
            decisions.stop(self.progress, "the program has ended")

    def _step(self, answers: list[_Answer]) -> None:
        """Decide what follows from the exchanges that have ended, write it, and hand out the next calls."""
        ended = [self._ended(worker, exchange) for worker, exchange in answers if worker in self._busy]
        sent_too_long_ago = time.monotonic() - _GIVEN_UP_AFTER * self._settings.timeout
        ended += [self._give_up(worker) for worker in list(self._busy) if worker.sent < sent_too_long_ago]
        is_recorded = bool(ended and self._context.cassette)
        begins: list[Item] = []
        if not is_recorded:  # a cassette that cannot record stops the request before the next call
            with self._safely():
                begins = self._next_items()
        self._write(ended, begins)
        self._keep_late(answers)
        for each in ended:
            self._conclude(each)
        if is_recorded:
            self._mail.put(None)

    def _ended(self, worker: Worker, exchange: Exchange) -> Ended:
        """Return what follows from the exchange of a worker, which is free now."""
        ended = self._decided(self._busy.pop(worker), exchange)
        worker.may_reuse_connection = ended.reading is not None and ended.reading.names_suburb
        self._free.append(worker)
        return ended

    def _give_up(self, worker: Worker) -> Ended:
        """End a call that takes longer than any call may. Its worker is left alone until its server has ended."""
        self._overdue[worker] = self._busy.pop(worker)
        return self._decided(self._overdue[worker], Exchange(why=f"no answer within {self._settings.timeout:g} s"))

    def _decided(self, call: Call, exchange: Exchange) -> Ended:
        try:
            ended = decisions.end_of(self._terms, call, exchange, self.tries[call.item])
        except Exception as defect:  # noqa: BLE001 - the answers that came with it are written first
            ended = Ended(replace(call, outcome="unknown"), defect=defect)
        self._resume_at = max(self._resume_at, time.monotonic() + ended.pause)
        if not ended.again:
            decisions.update(self.progress, ended, call.cents)
        return ended

    def _next_items(self) -> list[Item]:
        """Take the items whose calls begin now: as many as the progress allows, each with a free worker."""
        if not self._todo or time.monotonic() < self._resume_at or self.progress.stopped:
            return []
        from suburb_pandas.http.wire import allows_threads  # noqa: PLC0415 - requests is needed by calls only

        workers = self._settings.max_workers if allows_threads() else 1
        under_way = len(self._busy)
        allowed = decisions.calls_to_begin(self.progress, under_way)
        most = min(len(self._todo), workers - under_way, allowed)
        while len(self._free) < most and self._start_worker():
            pass
        return [self._todo.popleft() for _ in range(min(most, len(self._free)))]

    def _start_worker(self) -> bool:
        """Start another worker. Return False if the system allows no more threads; raise if there is no worker then."""
        worker = Worker()
        args = worker, self._open_wire(), self._mail
        try:
            threading.Thread(target=work, args=args, name="suburb_pandas worker", daemon=True).start()
        except RuntimeError:
            if not self._free and not self._busy:
                raise
            return False
        self._free.append(worker)
        return True

    def _write(self, ended: list[Ended], begins: list[Item]) -> None:
        """Write the ends of calls and the beginnings of the next ones, and hand these out."""
        ends = [(each.call, each.to_store) for each in ended]
        again = [each.call for each in ended if each.again]
        if begins:
            with self._safely():
                self._check_room()
        begins = [] if self.progress.stopped else begins
        beat_is_due = time.monotonic() - self._last_beat >= self._terms.lease / _BEATS_A_LEASE
        if self._reservation is None or not (ends or begins or beat_is_due):
            return
        try:
            begun = self._store.step(self._terms, self._reservation, ends, again, begins, waits=self._may_wait)
        except errors.StoreError as problem:
            self._unwritten += [call for call, _ in ends]
            if ended:  # whatever stopped the request before, what arrived and is not stored is said first
                self.result.error = explanations.unwritten(self._context, self._unwritten, problem)
            self._stop_because(problem)
            return
        self._last_beat = time.monotonic()
        for item, call in begun.items():
            self._send(item, call)

    def _send(self, item: Item, call: Call | None) -> None:
        """Hand a call to a free worker. If another reservation has taken its item, wait for that one."""
        if call is None:
            self._awaited.append(item)
            return
        self.tries[item] += 1
        _log.debug("%s of %r: sent, at %d cents", item.endpoint, item.area_name, call.cents)
        worker = self._free.pop()
        self._busy[worker], worker.sent = call, time.monotonic()
        worker.inbox.put(path_of(item))

    def _keep_late(self, answers: list[_Answer]) -> None:
        """Store responses that came after their deadline. The ledger keeps their calls as unknown."""
        for worker, exchange in answers:
            call = self._overdue.pop(worker, None)
            if call is not None:
                worker.inbox.put(None)
                late, response = decisions.settled(self._terms, call, exchange)
                kept = None if response is None or response.is_refusal else response  # it would look like an answer
                with suppress(errors.StoreError):
                    self._store.step(self._terms, None, [(late, kept)])

    def _conclude(self, ended: Ended) -> None:
        """Record a response on the cassette, and pass on the end of a call, or ask for its item again."""
        call, item, response = ended.call, ended.call.item, ended.to_record
        status = f"answered with {call.http_status}" if call.http_status else "no complete response"
        _log.info("%s of %r: %s, %s, %d cents", item.endpoint, item.area_name, status, call.outcome, call.cents)
        self._context.client.spent += call.cents
        if response is not None:
            try:
                self._context.record([(item, response)])
            except errors.CassetteError as problem:
                problem.cents = call.cents
                self._stop_because(problem)
        if isinstance(ended.error, decisions.STOPS):
            self._stop_because(ended.error)
        self._defect = self._defect or ended.defect
        if ended.again and ended.error is not None:
            self.result.failures[item] = ended.error
            self._todo.appendleft(item)
            return
        self.result.calls.append(call)
        if ended.error is None:
            self.result.cents[item] = call.cents
        self._pass_on(item, ended.reading, ended.error)

    def _pass_on(self, item: Item, reading: Reading | None = None, error: errors.SuburbError | None = None) -> None:
        """Pass on an item that has ended, with what was read of its response, or with its error."""
        del self.tries[item]
        self.result.failures.pop(item, None)
        if error is not None:
            self.result.failures[item] = error
        self.events.put(ItemEnded(item, reading))

    @contextmanager
    def _safely(self) -> Iterator[None]:
        """Stop the request if the block raises, so that the calls under way still end and are written."""
        try:
            yield
        except errors.SuburbError as problem:
            self._stop_because(problem)
        except OverBudgetError as excess:
            self._stop_because(explanations.over_budget(self._quote, excess))
        except Exception as defect:  # noqa: BLE001 - raised once the calls under way have ended
            self._defect = self._defect or defect
            decisions.stop(self.progress)

    def _stop_because(self, problem: errors.SuburbError) -> None:
        self.result.error = self.result.error or problem
        decisions.stop(self.progress)
