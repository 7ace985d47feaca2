"""Runs the loop that buys: one thread of a request owns the store, the progress and the retries.

Worker threads make HTTP exchanges and nothing else. Each time the loop wakes up, it takes all exchanges that have
ended, decides, writes the ends of those calls and the beginnings of the next ones in one transaction, and hands the
next calls to the free workers. Waiting for items that other requests are buying, heartbeats and deadlines are part of
it. What follows from an exchange is left to decisions, the transactions to store, passing the results on to purchase.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

from suburb_pandas import errors
from suburb_pandas.client.context import RequestContext
from suburb_pandas.purchasing import decisions, explanations
from suburb_pandas.purchasing.decisions import Asked, Ended, Progress
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service.calls import BODY_LIMIT, Call, Exchange, Item, Response
from suburb_pandas.service.urls import path_of
from suburb_pandas.store.reservations import CallEnd, Heartbeat, OverBudgetError, Standing, Terms

if TYPE_CHECKING:
    from suburb_pandas.http.wire import Wire

_log = logging.getLogger("suburb_pandas")

_POLL: Final = 0.25  # seconds after which the loop looks at everything again
_FIRST_LOOK: Final = 0.01  # seconds after which it first looks for items that others are buying
_BEATS_A_LEASE: Final = 8

CLOSED: Final = (
    "The client was closed, and nothing more was sent. Connect again with sp.connect(), and run the same line again."
)
ENDED: Final = "the program has ended"
"""Why the rest of a request was not asked for, if the main thread has ended."""


@dataclass(slots=True, eq=False)
class Worker:
    """A thread that makes exchanges. ``keeps`` is True if its connection may serve the next call.

    ``call`` is the call that it makes, and ``since`` when that began by the monotonic clock.
    """

    inbox: SimpleQueue[str | None] = field(default_factory=SimpleQueue)
    keeps: bool = False
    call: Call | None = None
    since: float = 0.0


_Answer = tuple[Worker, Exchange]

_Mail = SimpleQueue[_Answer | None]
"""The exchanges that have ended. None only wakes the loop up."""


def work(worker: Worker, wire: Wire, mail: _Mail) -> None:
    """Make one exchange after another until the inbox says None."""
    with closing(wire):
        while (path := worker.inbox.get()) is not None:
            if not worker.keeps:
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
    take
        Called with each item that has ended here or elsewhere, and with the end of its call if it was made here.
    """

    def __init__(
        self, context: RequestContext, quote: Quote, take: Callable[[Item, Ended | Response | None], None]
    ) -> None:
        self._context = context
        self._quote = quote
        self._take = take
        settings = context.settings
        self._store = context.store
        self._terms = Terms(context.namespace, quote.prices, settings.budget_cents, settings.lease)
        self._asked = Asked(
            quote.prices, context.source, context.namespace.base_url, context.secret, settings.retry_wait
        )
        self._open_wire = context.open_wire
        self._mail: _Mail = SimpleQueue()
        self._wanted = {item: quote.before[item] for item in quote.to_buy}
        self._todo: deque[Item] = deque()
        self._retries: list[tuple[float, Ended]] = []
        self._tries: Counter[Item] = Counter()
        self._awaited: dict[Item, Heartbeat] = {}
        self._heard: dict[Heartbeat, float] = {}
        self._next_look, self._pause = 0.0, _FIRST_LOOK
        self._known = frozenset(call.number for call in quote.unknown_calls)
        self._reservation = 0
        self._last_beat = 0.0
        self._is_eager = True  # more calls may begin than the last step began
        self._resume_at = 0.0
        self._free: list[Worker] = []
        self._busy: list[Worker] = []
        self._overdue: list[Worker] = []
        self.progress = Progress()
        self._defect: Exception | None = None
        self.calls: list[Call] = []
        self.stopped: errors.SuburbError | None = None

    @property
    def left(self) -> dict[Item, int]:
        """The items that have not ended, each with the call of the response that is to be replaced."""
        return self._wanted

    def stop(self) -> None:
        """Begin no other call. Those under way end and are stored."""
        self.progress.stopped = True
        self._mail.put(None)

    def run(self) -> None:
        """Buy until every item has ended, or something ends the request."""
        try:
            with self._stopping():
                self._claim(self._wanted, ())
            while self._busy or ((self._todo or self._retries or self._awaited) and not self._is_over()):
                self._step(self._answers(self._patience()))
                if self._awaited and time.monotonic() >= self._next_look and not self._is_over():
                    with self._stopping():
                        self._look()
        finally:
            for worker in self._free:
                worker.inbox.put(None)
            for _, ended in self._retries:
                self._end(ended.call.item, ended)
            if self._reservation:
                self._store.release(self._reservation, waits=not isinstance(self.stopped, errors.StoreError))

        if self._defect is not None:
            raise self._defect

    def linger(self) -> None:
        """Store the responses that arrive after their deadline, as long as the program and the client live."""
        while self._overdue and threading.main_thread().is_alive() and not self._context.closed:
            self._keep_late(self._answers(_POLL))
        self._store.close_mine()

    def _is_over(self) -> bool:
        """Return True if no other call may begin, and note why."""
        if self._context.closed:
            self._stop_because(errors.SettingsError(CLOSED, why="the client was closed"))
        if not threading.main_thread().is_alive():
            self.progress.reason = self.progress.reason or ENDED
            self.progress.stopped = True
        return self.progress.stopped

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """Stop the request if the block raises, so that the calls under way still end and are written."""
        try:
            yield
        except errors.StoreError as problem:
            self._stop_because(problem)
        except OverBudgetError as over:
            self._stop_because(explanations.over_budget(self._quote, over, self.calls))

    def _stop_because(self, problem: errors.SuburbError) -> None:
        self.stopped = self.stopped or problem
        self.progress.stopped = True

    def _claim(self, wanted: Mapping[Item, int], silent: Iterable[Heartbeat]) -> None:
        """Claim the wanted items that no other request is buying, and take those that have arrived."""
        self._check_room()
        standing = self._store.claim(self._terms, dict(wanted), self._known, silent, self._reservation)
        self._reservation = standing.reservation
        self._todo.extend(standing.claimed)
        self._is_eager = True
        self._take_standing(standing)

    def _check_room(self) -> None:
        self._store.check_room(self._context.settings.max_workers * BODY_LIMIT)

    def _look(self) -> None:
        """Look for the items that others are buying, and claim those that they have left."""
        self._next_look, self._pause = time.monotonic() + self._pause, min(2 * self._pause, _POLL)
        wanted = {item: self._wanted[item] for item in self._awaited}
        standing = self._store.look(self._context.namespace, wanted, self._known)
        now = time.monotonic()
        self._heard = {beat: self._heard.get(beat, now) for beat in standing.awaited.values()}
        silent = [beat for beat, since in self._heard.items() if now - since > beat.lease]
        if silent or standing.free:
            self._claim(wanted, silent)
        else:
            self._take_standing(standing)

    def _take_standing(self, standing: Standing) -> None:
        """Take the responses that other requests have bought, which cost this one nothing, and the calls they lost."""
        if standing.awaited and not self._awaited:
            _log.info("Waiting for %d responses that other requests are buying", len(standing.awaited))
        self._awaited = standing.awaited
        for item, response in self._context.responses.read(standing.arrived).items() if standing.arrived else ():
            self._end(item, response)
        for item in standing.lost:
            self._end(item, None)

    def _end(self, item: Item, ended: Ended | Response | None) -> None:
        del self._wanted[item]
        self._take(item, ended)

    def _step(self, answers: list[_Answer]) -> None:
        """Decide what follows from the exchanges that have ended, write it, and hand out the next calls."""
        self._keep_late(answers)
        ended = [self._ended_call(worker, exchange) for worker, exchange in answers if worker in self._busy]
        ended += [self._give_up(worker) for worker in self._busy if self._is_overdue(worker)]
        # A cassette that cannot record stops the request before the next call.
        self._is_eager = bool(ended and self._context.cassette)
        begins = [] if self._is_eager else self._next_items()
        self._write(ended, begins)
        for each in ended:
            self._conclude(each)

    def _ended_call(self, worker: Worker, exchange: Exchange) -> Ended:
        """Free a worker, and return what follows from its exchange."""
        call = worker.call
        assert call is not None  # noqa: S101 - a busy worker has one
        self._busy.remove(worker)
        self._free.append(worker)
        ended = decisions.end_of(self._asked, call, exchange, self._tries[call.item])
        worker.keeps = ended.reading is not None and ended.reading.names_suburb
        return self._counted(ended)

    def _give_up(self, worker: Worker) -> Ended:
        """End a call that takes longer than any call may. Its worker is left alone until its server has ended."""
        call = worker.call
        assert call is not None  # noqa: S101 - as above
        self._busy.remove(worker)
        self._overdue.append(worker)
        exchange = Exchange(why=f"no answer within {self._context.settings.timeout:g} s")
        return self._counted(decisions.end_of(self._asked, call, exchange, self._tries[call.item]))

    def _counted(self, ended: Ended) -> Ended:
        """Count a call that has ended; if it is retried, note when."""
        now, item = time.monotonic(), ended.call.item
        self._resume_at = max(self._resume_at, now + ended.pause)
        if ended.again is None:
            decisions.count(self.progress, ended, self._asked.prices[item.endpoint])
        else:
            self._retries.append((now + ended.again, ended))
        return ended

    def _is_overdue(self, worker: Worker) -> bool:
        return time.monotonic() - worker.since > self._context.settings.longest_call

    def _next_items(self) -> list[Item]:
        """Take the items whose calls begin now: as many as there are free workers and the progress allows."""
        now = time.monotonic()
        due = [ended.call.item for when, ended in self._retries if when <= now]
        number = len(due) + len(self._todo)
        if not number or now < self._resume_at or self._is_over():
            return []
        number = min(number, decisions.room(self.progress, len(self._busy)))
        number = min(number, self._free_workers(number))
        found = due[:number]
        self._retries = [(when, ended) for when, ended in self._retries if ended.call.item not in found]
        return found + [self._todo.popleft() for _ in range(number - len(found))]

    def _free_workers(self, number: int) -> int:
        """Return how many workers are free, after starting some if ``number`` are needed."""
        from suburb_pandas.http.wire import allows_threads  # noqa: PLC0415 - requests is needed by calls only

        most = self._context.settings.max_workers if allows_threads() else 1
        while len(self._free) < number and len(self._free) + len(self._busy) < most:
            worker = Worker()
            thread = threading.Thread(
                target=work,
                args=(worker, self._open_wire(), self._mail),
                name="suburb_pandas worker",
                daemon=True,
            )
            try:
                thread.start()
            except RuntimeError:  # the system allows no more threads
                if not self._free and not self._busy:
                    raise
                break
            self._free.append(worker)
        return min(len(self._free), most - len(self._busy))

    def _write(self, ended: list[Ended], begins: list[Item]) -> None:
        """Write the ends of calls and the beginnings of the next ones, and hand these out."""
        prices = self._asked.prices
        ends = [
            CallEnd(each.call, each.to_store, None if each.again is None else prices[each.call.item.endpoint])
            for each in ended
        ]
        if begins:
            try:
                self._check_room()
            except errors.StoreError as problem:
                self._stop_because(problem)
                begins = []
        is_quiet = not (ends or begins) and time.monotonic() - self._last_beat < self._terms.lease / _BEATS_A_LEASE
        if is_quiet or not self._reservation:
            return
        try:
            begun = self._store.step(self._terms, self._reservation, ends, begins)
        except errors.StoreError as problem:
            self._stop_because(explanations.unwritten(self._context, ended, problem) if ended else problem)
            return
        self._last_beat = time.monotonic()
        for item, call in begun.items():
            self._send(item, call)

    def _send(self, item: Item, call: Call | None) -> None:
        """Hand a call to a free worker. If another reservation has taken its item, wait for that one."""
        if call is None:
            self._awaited[item] = Heartbeat(0, 0, self._terms.lease)  # the next look finds the right one
            self._next_look, self._pause = 0.0, _FIRST_LOOK
            return
        self._tries[item] += 1
        _log.debug("%s of %r: sent, at %d cents", item.endpoint, item.area_name, call.cents)
        worker = self._free.pop()
        worker.call, worker.since = call, time.monotonic()
        self._busy.append(worker)
        worker.inbox.put(path_of(item))

    def _conclude(self, ended: Ended) -> None:
        """Record a response on the cassette, and pass on the end of a call, unless it is retried."""
        call, response = ended.call, ended.to_record
        _log.info(
            "%s of %r: %s, %s, %d cents",
            call.item.endpoint,
            call.item.area_name,
            f"answered with {call.http_status}" if call.http_status else "no complete response",
            call.outcome,
            call.cents,
        )
        self._context.client.note_spent(call.cents)
        if response is not None:
            try:
                self._context.record(call.item, response)
            except errors.CassetteError as problem:
                problem.cents = call.cents
                ended.error = problem
        if isinstance(ended.error, decisions.STOPS):
            self._stop_because(ended.error)
        self._defect = self._defect or ended.defect
        if ended.again is None:
            self.calls.append(call)
            self._end(call.item, ended)

    def _keep_late(self, answers: list[_Answer]) -> None:
        """Store responses that came after their deadline. The ledger keeps their calls as unknown."""
        for worker, exchange in answers:
            if worker in self._overdue and worker.call is not None:
                self._overdue.remove(worker)
                worker.inbox.put(None)
                late = decisions.end_of(self._asked, worker.call, exchange, decisions.TRIES)
                if late.arrived:
                    with suppress(errors.StoreError):
                        self._store.step(self._terms, self._reservation, [CallEnd(late.call, late.response)])

    def _answers(self, patience: float) -> list[_Answer]:
        """Return all exchanges that have ended, after waiting for the first one."""
        found: list[_Answer | None] = []
        with suppress(Empty):
            found.append(self._mail.get(timeout=patience) if patience else self._mail.get_nowait())
            while True:
                found.append(self._mail.get_nowait())
        return [answer for answer in found if answer is not None]

    def _patience(self) -> float:
        """Return the seconds until the loop has something to do, if no exchange ends before that."""
        now = time.monotonic()
        times = [self._resume_at if self._resume_at > now else now + _POLL, *(when for when, _ in self._retries)]
        times += [self._next_look] if self._awaited else []
        return 0.0 if self._is_eager else min(_POLL, max(0.0, min(times) - now))
