"""The till: responses are bought. A ledger row, the call, its outcome with what it brought; again only if it is free.

What certainly cost nothing is tried four times: a call that was not sent, and one that the service put off (429, 503),
for which all workers wait together. A call that may have cost something is never sent again by the same request.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from suburb_pandas import errors
from suburb_pandas.client.client import Client
from suburb_pandas.messages import counted
from suburb_pandas.names import sal
from suburb_pandas.redaction import line
from suburb_pandas.service import endpoints as wire
from suburb_pandas.service import statuses
from suburb_pandas.service.calls import CallOutcome, Exchange, Item, NoAnswerError, Response, utc_now
from suburb_pandas.store.reservation import OvertakenError, Reservation

if TYPE_CHECKING:
    from suburb_pandas.http.transport import Transport

_log = logging.getLogger("suburb_pandas")

SILENT_IN_A_ROW = 5
"""Calls without an answer after which a service is taken to be down."""

_TRIES = 4
_FIRST_WAIT = 0.4
_LONGEST_WAIT = 60
_SLACK = 5

_PUT_OFF = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)

STOPS = (
    errors.Unauthorized,
    errors.PaymentRequired,
    errors.StoreError,
    errors.CassetteError,
    errors.SettingsError,
)
"""What concerns the account, the store, the cassette or the client, and so every other call too."""

_LASTING = (errors.Forbidden, errors.UnknownSuburb, errors.Rejected)
"""What will be answered again, and so belongs on a cassette."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """How one call ended: what came, what went wrong, and what was charged, or may have been.

    There is both a response and an error where an answer came that could not be stored, and neither where another
    request took the call over. ``silent`` says that no answer came that says anything, and ``again`` after how many
    seconds it may be tried again, where that costs nothing. ``then`` is the call that began as this one ended.
    """

    item: Item
    response: Response | None = None
    error: errors.SuburbError | None = None
    cents: int = 0
    silent: bool = False
    again: float | None = None
    then: Begun | None = None


class Begun(NamedTuple):
    """What is asked for next, and the number of its call, if that has begun."""

    item: Item
    call: int | None


class CircuitBreaker:
    """Holds all workers of a request, for a while or for good. Each looks at it before a call begins."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._resume_at = 0.0
        self._silent_in_a_row = 0
        self._lock = threading.Lock()
        self.surcharge: CallResult | None = None

    @property
    def on(self) -> bool:
        """Whether no further call is to be made."""
        return self._stop.is_set()

    def pull(self) -> None:
        """Let no further call be made."""
        self._stop.set()

    def feel(self, bought: CallResult, price: int) -> None:
        """Come on for what concerns every other call too: an error, a price not quoted, or silence."""
        with self._lock:
            self._silent_in_a_row = self._silent_in_a_row + 1 if bought.silent else 0
            if bought.cents > price:
                self.surcharge = bought
            if self.surcharge or isinstance(bought.error, STOPS) or self._silent_in_a_row >= SILENT_IN_A_ROW:
                self.pull()

    def pause(self, seconds: float) -> None:
        """Let no call be made for so long."""
        with self._lock:
            self._resume_at = max(self._resume_at, time.monotonic() + seconds)

    def pausing(self) -> float:
        """How many seconds are left of a pause."""
        return max(0.0, self._resume_at - time.monotonic())

    def wait(self, seconds: float) -> bool:
        """Wait so long, and for the end of a pause; False where no further call is to be made."""
        until = time.monotonic() + seconds
        while not self.on:
            left = max(until - time.monotonic(), self.pausing())
            if left <= 0:
                return True
            self._stop.wait(left)
        return False


@dataclass(frozen=True, slots=True)
class Worker:
    """What the calls of a request need. Held on to here, as the client may be closed while they are under way.

    ``items`` are those that nobody has taken yet.
    """

    client: Client
    transport: Transport
    plan: Reservation
    prices: Mapping[str, int]
    breaker: CircuitBreaker
    items: Iterator[Item]

    def lease(self) -> float:
        """How many seconds pass at the most until the next sign of life."""
        return lease(self.client) + self.breaker.pausing()


def lease(client: Client) -> float:
    """How long a plan may be silent: as long as a call may take, and some time to write that down."""
    return client.settings.timeout + _SLACK


def work(worker: Worker, keep: Callable[[CallResult], None]) -> None:
    """Buy one response after the other, until there are no more to buy, and have each kept."""
    try:
        begun = _next(worker)
        while begun is not None:
            bought = _buy(worker, *begun)
            if bought is not None:
                keep(bought)
            begun = (bought and bought.then) or _next(worker)
    except BaseException:
        worker.breaker.pull()
        raise


def _next(worker: Worker) -> Begun | None:
    item = next(worker.items, None)
    return item and Begun(item, None)


def _buy(worker: Worker, item: Item, call: int | None) -> CallResult | None:
    """Buy one response, and tell the brake; None where it was not asked for."""
    bought, wait = None, 0.0
    for tried in range(1, _TRIES + 1):
        if call is None and not worker.breaker.wait(wait):
            break
        bought, call = _try(worker, item, call, _backoff(tried), is_last=tried == _TRIES), None
        if bought.again is None:
            break
        wait = bought.again
    if bought is not None:
        worker.breaker.feel(bought, worker.prices[item.endpoint])
    return bought


def _backoff(tried: int) -> float:
    return _FIRST_WAIT * float(2**tried) * random.uniform(0.25, 0.75)  # noqa: S311 - spreads, hides nothing


def _try(worker: Worker, item: Item, call: int | None, backoff: float, *, is_last: bool) -> CallResult:
    """Make one call, with its ledger row before it and its outcome and response after it."""
    path = wire.path(item.endpoint, sal.encode(item.subject), item.state)
    if worker.client.closed and call is None:
        return CallResult(item, error=errors.SettingsError("The client was closed. Nothing more was sent."))
    try:
        call = call or worker.plan.begin(item, lease=worker.lease())
    except OvertakenError:
        return CallResult(item)
    except errors.StoreError as problem:
        return CallResult(item, error=problem)
    _log.debug("%s of %r: sent, at %d cents", *item, worker.prices[item.endpoint])
    try:
        exchange = worker.transport.get(path)
    except NoAnswerError as lost:
        return _lost(worker, call, item, lost, None if is_last or lost.sent or lost.lasting else backoff)
    again = _put_off(worker, exchange, backoff)
    return _answered(worker, call, item, exchange, None if is_last else again)


def _lost(worker: Worker, call: int, item: Item, lost: NoAnswerError, again: float | None) -> CallResult:
    """Note a call without a whole answer: it cost nothing only where it certainly was not sent."""
    cents = worker.prices[item.endpoint] if lost.sent else 0
    why = line(lost.why, worker.client.secret)
    _log.info("%s of %r: no whole answer, %s", *item, why)
    unnoted, _ = _finish(worker, call, item, CallOutcome("unknown" if lost.sent else "not_billed", cents), again=again)
    if not lost.sent:
        message = (
            f"The service could not be reached for {item.subject!r} ({why}). Nothing was sent and nothing "
            "charged; check the network and run the same again."
        )
    else:
        charge = (
            f"It may have charged {counted(cents, 'cent')}; the ledger has it as unknown"
            if cents
            else "It cost nothing"
        )
        message = (
            f"The call for {item.subject!r} was sent, and no whole answer came back ({why}). {charge}. "
            "Run the same again to try once more."
        )
    error = unnoted or errors.Unreachable(message, cents=cents)
    return CallResult(item, None, error, cents, silent=True, again=None if unnoted else again)


def _answered(worker: Worker, call: int, item: Item, exchange: Exchange, again: float | None) -> CallResult:
    """Note a call with an answer: a 200 is stored with its outcome, anything else becomes an error."""
    status, headers = exchange.status, _headers(worker, exchange)
    outcome, cents = statuses.settle(status, headers, worker.prices[item.endpoint])
    _log.info("%s of %r: answered with %d, %s, %d cents", *item, status, outcome, cents)
    kept = {name: headers[name] for name in wire.KEPT_HEADERS if name in headers}
    response = replace(
        Response.of(exchange.body, kept, _retrieved_at(worker, kept), cents, worker.client.source), call=call
    )
    ending = CallOutcome(outcome, cents, status, headers.get("x-request-id"))
    if status == HTTPStatus.OK:
        unnoted, then = _finish(worker, call, item, ending, response=response, then=_follower(worker, item, cents))
        return CallResult(item, response, unnoted or _recorded(worker, item, response, status), cents, then=then)
    unnoted, _ = _finish(worker, call, item, ending, again=again)
    error = statuses.error(
        status,
        headers,
        name=item.subject,
        key_is_test=worker.client.source == "sandbox",
        outcome=outcome,
        cents=cents,
        said=line(exchange.body.decode("utf-8", "replace"), worker.client.secret),
    )
    if isinstance(error, _LASTING):
        unnoted = unnoted or _recorded(worker, item, response, status)
    is_silent = outcome == "unknown" or status in _PUT_OFF
    return CallResult(item, None, unnoted or error, cents, silent=is_silent, again=None if unnoted else again)


def _recorded(worker: Worker, item: Item, response: Response, status: int) -> errors.CassetteError | None:
    """Have the cassette that is in use keep what came; what it says if it cannot goes to the caller."""
    try:
        worker.client.record(item, response, status)
    except errors.CassetteError as problem:
        problem.cents = response.cents
        return problem
    return None


def _follower(worker: Worker, item: Item, cents: int) -> Item | None:
    """Give what can be asked for next without another look, so that its call begins in the commit that ends this one.

    A batch has half as many commits then, and the wait for them is what it has beside the service's own time.
    """
    is_all_well = cents <= worker.prices[item.endpoint] and not worker.breaker.on and not worker.breaker.pausing()
    may_go_on = is_all_well and not worker.client.closed and worker.client.cassette is None
    return next(worker.items, None) if may_go_on and worker.plan.has_looked else None


def _put_off(worker: Worker, exchange: Exchange, backoff: float) -> float | None:
    """Where the service puts a call off, have all workers wait as long as it asks for, within reason.

    Gives how long the call itself is to wait besides: not at all, or None where it was not put off, or not for free.
    """
    outcome, _ = statuses.settle(exchange.status, exchange.headers, 0)
    if exchange.status not in _PUT_OFF or outcome != "not_billed":
        return None
    said = statuses.retry_after(exchange.headers) or 0
    worker.breaker.pause(min(max(said, backoff), _LONGEST_WAIT))
    return 0.0


def _finish(
    worker: Worker,
    call: int,
    item: Item,
    ending: CallOutcome,
    *,
    response: Response | None = None,
    again: float | None = None,
    then: Item | None = None,
) -> tuple[errors.SuburbError | None, Begun | None]:
    """Note how a call ended, and begin what follows. Give what went wrong, if anything did, and what was begun.

    Where it cannot be noted, the answer is not lost: it goes to the caller, with the error.
    """
    worker.client.note_spent(ending.cents)
    held, begun, unnoted = None if again is None else worker.prices[item.endpoint], None, None
    try:
        begun = worker.plan.finish(call, ending, lease=worker.lease(), response=response, again=held, then=then)
    except errors.StoreError as problem:
        unnoted = _unnoted(worker, item, ending, problem, has_answer=response is not None)
    return unnoted, then and Begun(then, begun)


def _unnoted(
    worker: Worker, item: Item, ending: CallOutcome, problem: errors.StoreError, *, has_answer: bool
) -> errors.SuburbError:
    kind = errors.SettingsError if worker.client.closed else errors.StoreError
    what = "The client was closed, and its store with it." if worker.client.closed else str(problem)
    answer = ", and its answer is in the frame of this error alone (.frame)" if has_answer else ""
    return kind(
        f"{what} The call for {item.subject!r} had ended, {ending.outcome} at {counted(ending.cents, 'cent')}; "
        f"the ledger has it as unknown{answer}.",
        status_code=ending.http_status,
        request_id=ending.request_id,
        cents=ending.cents,
    )


def _headers(worker: Worker, exchange: Exchange) -> dict[str, str]:
    """Give the headers that are looked at, or kept, as they can be shown."""
    names_ = [name for name in (*wire.KEPT_HEADERS, "retry-after") if name in exchange.headers]
    return {name: line(exchange.headers[name], worker.client.secret) for name in names_}


def _retrieved_at(worker: Worker, headers: Mapping[str, str]) -> str:
    """Give the time by our own clock, but for made-up data by theirs, so that a notebook of them never changes."""
    said = statuses.date(headers) if worker.client.source == "embedded" else None
    return said or utc_now()
