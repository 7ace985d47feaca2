"""Makes paid calls. Each call is written to the ledger before it is sent and updated when it ends.

Only a call that cost nothing is retried, up to four tries in all: a call that was not sent, or one that the service
put off (429, 503). If the service puts a call off, all workers wait. A call that may have cost something is never
repeated by the same request. Claiming items is left to store.reservation, stopping all workers to breaker.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple

from suburb_pandas import errors
from suburb_pandas.client.context import RequestContext
from suburb_pandas.messages import counted, sentences
from suburb_pandas.purchasing.breaker import CircuitBreaker
from suburb_pandas.purchasing.call_result import CallResult, NextCall
from suburb_pandas.purchasing.echo import cut_out_key
from suburb_pandas.redaction import redacted
from suburb_pandas.service import statuses
from suburb_pandas.service.calls import CallOutcome, Exchange, Item, NoAnswerError, Response, utc_now
from suburb_pandas.service.reading import read
from suburb_pandas.service.urls import path_of
from suburb_pandas.store.reservation import OvertakenError, Reservation

if TYPE_CHECKING:
    from suburb_pandas.http.wire import Wire

_log = logging.getLogger("suburb_pandas")

_TRIES: Final = 4
_LONGEST_WAIT: Final = 60  # seconds

CLOSED: Final = (
    "The client was closed, and nothing more was sent. Connect again with sp.connect(), and run the same line again."
)
"""The message of the error of a client that was closed during a request."""

_PUT_OFF: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)

_LASTING: Final = (errors.Forbidden, errors.UnknownSuburb, errors.Rejected)
"""Errors that the same call would get again, so a cassette records them."""


class CallUnderWay(NamedTuple):
    """A call that waits for its answer: its item, its wire, and when it began, by the monotonic clock."""

    item: Item
    wire: Wire
    since: float


@dataclass(frozen=True, slots=True)
class Worker:
    """The parts that all worker threads of a request share, and the wire that each of them has for itself.

    Each part is stored here and not read from the client, which may be closed meanwhile. ``items`` yields the items
    that no thread has taken yet. ``under_way`` has the calls that wait for their answer.
    """

    context: RequestContext
    wire: Wire
    reservation: Reservation
    prices: Mapping[str, int]
    breaker: CircuitBreaker
    items: Iterator[Item]
    under_way: dict[int, CallUnderWay]

    def lease(self) -> float:
        """Return the seconds within which the next heartbeat is due, including a pause of the request."""
        return lease_of(self.context) + self.breaker.pause_left()


def lease_of(context: RequestContext) -> float:
    """Return the seconds that a reservation may be silent: the longest that a call takes, and time to write its end."""
    return context.settings.longest_call + context.settings.lease_slack


def work(worker: Worker, keep: Callable[[CallResult], None]) -> None:
    """Make one call after another until no item is left, and pass each result to ``keep``.

    Raises
    ------
    GivenUpError
        The call took so long that `give_up_overdue` has ended it.
    """
    with closing(worker.wire):
        upcoming = _take(worker)
        while upcoming is not None:
            result = _buy(worker, *upcoming)
            if result is not None:
                keep(result)
            upcoming = (result and result.then) or _take(worker)


class GivenUpError(Exception):
    """A call was given up before it was answered."""


def give_up_overdue(worker: Worker, keep: Callable[[CallResult], None]) -> int:
    """End the calls that take longer than any call may, pass each result to ``keep``, and return their number.

    ``worker`` is any worker of the request.
    """
    settings, number = worker.context.settings, 0
    for call, (item, wire, since) in worker.under_way.copy().items():
        if time.monotonic() - since > settings.longest_call and worker.under_way.pop(call, None) is not None:
            problem = NoAnswerError(f"no answer within {settings.timeout:g} s", sent=wire.give_up())
            result = _end_without_answer(worker, call, item, problem, None)
            worker.breaker.end(result, worker.prices[item.endpoint])
            keep(result)
            number += 1
    return number


def _take(worker: Worker) -> NextCall | None:
    item = next(worker.items, None)
    return item and NextCall(item, None)


def _buy(worker: Worker, item: Item, call: int | None) -> CallResult | None:
    """Buy one response, with retries as long as they are free; return None if no call was made."""
    result, wait = None, 0.0
    for attempt in range(1, _TRIES + 1):
        if call is not None and (worker.context.closed or not worker.breaker.enter_at_once()):
            _withdraw(worker, call, item)
            call = None
        if call is None and not worker.breaker.enter(wait):
            break
        result, call = _try(worker, item, call, _backoff(worker, attempt), is_last=attempt == _TRIES), None
        worker.breaker.end(result, worker.prices[item.endpoint])
        if result.again is None:
            break
        wait = result.again
    return result


def _backoff(worker: Worker, attempt: int) -> float:
    return worker.context.settings.retry_wait * float(2**attempt) * random.uniform(0.25, 0.75)  # noqa: S311 - spreads calls, protects nothing


def _withdraw(worker: Worker, call: int, item: Item) -> None:
    """Remove from the ledger a call that began but may not be sent now. If that fails, it stays there as unknown.

    Rejected: sending it after a pause. Another process may have taken over its item by then.
    """
    try:
        worker.reservation.withdraw(call, item, lease=worker.lease())
    except errors.StoreError as problem:
        _log.info("A call that was not sent stays in the ledger: %s", problem)


def _try(worker: Worker, item: Item, call: int | None, backoff: float, *, is_last: bool) -> CallResult:
    """Make one call: write its ledger row, send it, and write its outcome and response."""
    path = path_of(item)
    if worker.context.closed and call is None:
        return CallResult(item, error=errors.SettingsError(CLOSED, why="the client was closed"))
    try:
        call = call or worker.reservation.begin(item, lease=worker.lease())
    except OvertakenError:
        return CallResult(item)
    except errors.StoreError as problem:
        return CallResult(item, error=problem)
    _log.debug("%s of %r: sent, at %d cents", item.endpoint, item.area_name, worker.prices[item.endpoint])
    answer = _exchange(worker, call, item, path)
    if isinstance(answer, NoAnswerError):
        again = None if is_last or answer.sent or answer.lasting else backoff
        return _end_without_answer(worker, call, item, answer, again)
    again = _put_off(worker, item, answer, backoff)
    result = _end_with_answer(worker, call, item, answer, None if is_last else again)
    if result.reading is None or not result.reading.names_suburb:
        worker.wire.close()  # otherwise what arrives late could be taken for the answer to the next call
    return result


def _exchange(worker: Worker, call: int, item: Item, path: str) -> Exchange | NoAnswerError:
    """Send a call, and return the answer, or why there is none. If the call was given up, store a late response."""
    worker.under_way[call] = CallUnderWay(item, worker.wire, time.monotonic())
    try:
        answer = worker.wire.exchange(path)
    finally:
        is_given_up = worker.under_way.pop(call, None) is None
    if is_given_up:
        if isinstance(answer, Exchange):
            _store_late(worker, call, item, answer)
        raise GivenUpError
    return answer


def _store_late(worker: Worker, call: int, item: Item, exchange: Exchange) -> None:
    """Store the response to a call that was given up. The ledger keeps the call as unknown, at its full price."""
    if exchange.status == HTTPStatus.OK:
        with suppress(errors.StoreError):
            response, ended = _response(worker, call, item, exchange)
            worker.reservation.finish(call, ended, lease=worker.lease(), response=response)


def _end_without_answer(
    worker: Worker, call: int, item: Item, problem: NoAnswerError, again: float | None
) -> CallResult:
    """End a call without a complete response. It cost nothing only if it certainly was not sent."""
    price = worker.prices[item.endpoint]
    headers = {} if problem.price is None else {"x-cost-cents": redacted(problem.price, worker.context.secret)}
    cents = max(price, statuses.settle(item.endpoint, HTTPStatus.OK, headers, price)[1]) if problem.sent else 0
    unread_price = statuses.unread_price(item.endpoint, headers)
    ended = CallOutcome("unknown" if problem.sent else "not_billed", cents, price_header=unread_price)
    why = redacted(problem.why, worker.context.secret)
    _log.info("%s of %r: no complete response, %s", item.endpoint, item.area_name, why)
    unwritten, _ = _finish(worker, call, item, ended, again=again)
    if problem.wrong_settings:
        message = (
            f"The service cannot be called with these settings: {why}; check verify= and the proxy's URL, in which the "
            "user name and password must be percent-encoded. Nothing was sent."
        )
    elif not problem.sent:
        message = (
            f"The service could not be reached for {item.area_name!r} ({why}). Nothing was sent, and nothing was "
            f"charged. {'Put this right' if problem.lasting else 'Check the network'} and run the same line again."
        )
    else:
        charge = (
            f"The call may have charged {counted(cents, 'cent')}; the ledger lists it as unknown"
            if cents
            else "Nothing was charged"
        )
        message = (
            f"The call for {item.area_name!r} was sent, and no complete response came back ({why}). {charge}. "
            f"Run the same line again to try once more{', which may charge a second time' if cents else ''}."
        )
    plainly = "no complete response came back" if problem.sent else "the service could not be reached"
    kind = errors.SettingsError if problem.wrong_settings else errors.Unreachable
    error = unwritten or kind(message, cents=cents, why=plainly)
    return CallResult(
        item,
        error=error,
        outcome=ended.outcome,
        cents=cents,
        fruitless=True,
        unread_price=unread_price,
        again=None if unwritten else again,
    )


def _end_with_answer(worker: Worker, call: int, item: Item, exchange: Exchange, again: float | None) -> CallResult:
    """End a call that was answered. Any other status than 200 becomes an error; some refusals are stored, too."""
    response, ended = _response(worker, call, item, exchange)
    status, outcome, cents, unread_price = response.status, ended.outcome, ended.cents, ended.price_header
    _log.info("%s of %r: answered with %d, %s, %d cents", item.endpoint, item.area_name, status, outcome, cents)
    if status == HTTPStatus.OK:
        number = worker.breaker.arrived()
        following = None if unread_price is not None else _following(worker, item, cents)
        unwritten, then = _finish(worker, call, item, ended, response=response, then=following)
        problem = unwritten or _record(worker, item, response)
        reading = read(item, response)
        return CallResult(
            item, response, number, reading, problem, outcome, cents, unread_price=unread_price, then=then
        )
    is_stored = statuses.is_stored(status, cents, outcome)
    unwritten, _ = _finish(worker, call, item, ended, response=response if is_stored else None, again=again)
    error = statuses.error(
        status,
        _headers(worker, exchange),
        name=item.area_name,
        key_is_test=worker.context.source == "sandbox",
        outcome=outcome,
        cents=cents,
        quoted=redacted(response.body.decode("utf-8", "replace"), worker.context.secret),
    )
    error.is_stored = is_stored
    if isinstance(error, _LASTING):
        unwritten = unwritten or _record(worker, item, response)
    is_fruitless = outcome != "not_billed" or status in _PUT_OFF
    return CallResult(
        item,
        error=unwritten or error,
        outcome=outcome,
        cents=cents,
        fruitless=is_fruitless,
        unread_price=unread_price,
        again=None if unwritten else again,
    )


def _response(worker: Worker, call: int, item: Item, exchange: Exchange) -> tuple[Response, CallOutcome]:
    """Return the response to a call without the API key, and the end of the call."""
    exchange, mark = cut_out_key(exchange, item, worker.context.secret)
    status, headers = exchange.status, _headers(worker, exchange)
    outcome, cents = statuses.settle(item.endpoint, status, headers, worker.prices[item.endpoint])
    unread_price = statuses.unread_price(item.endpoint, headers)
    to_store = {name: headers[name] for name in statuses.KEPT_HEADERS if name in headers} | mark
    response = Response.of(
        exchange.body,
        to_store,
        _retrieved_at(worker, to_store),
        cents,
        worker.context.source,
        call=call,
        url=worker.context.namespace.base_url,
        status=status,
    )
    return response, CallOutcome(outcome, cents, status, headers.get("x-request-id"), unread_price)


def _record(worker: Worker, item: Item, response: Response) -> errors.CassetteError | None:
    """Record a response on the cassette in use; return the error if that fails, otherwise None."""
    try:
        worker.context.record(item, response)
    except errors.CassetteError as problem:
        problem.cents = response.cents
        return problem
    return None


def _following(worker: Worker, item: Item, cents: int) -> Item | None:
    """Take the next item if its call may begin in the commit that ends this one; otherwise return None.

    This halves the number of commits. Apart from waiting for the service, a batch spends most of its time on commits.
    """
    is_usual = cents <= worker.prices[item.endpoint] and worker.breaker.goes_on
    may_go_on = is_usual and not worker.context.closed and worker.context.cassette is None
    return next(worker.items, None) if may_go_on and worker.reservation.has_room else None


def _put_off(worker: Worker, item: Item, exchange: Exchange, backoff: float) -> float | None:
    """If the service put a call off, pause all workers for as long as the service asks, up to a minute.

    Returns
    -------
    float or None
        0, because a retry waits for the pause only; None if the call is not retried, because it was not put off, or may
        have cost something.
    """
    if exchange.status not in _PUT_OFF:
        return None
    outcome, _ = statuses.settle(item.endpoint, exchange.status, exchange.headers, 0)
    if outcome != "not_billed":
        return None
    asked = statuses.retry_after(exchange.headers) or 0
    worker.breaker.pause(min(max(asked, backoff), _LONGEST_WAIT))
    return 0.0


def _finish(
    worker: Worker,
    call: int,
    item: Item,
    ended: CallOutcome,
    *,
    response: Response | None = None,
    again: float | None = None,
    then: Item | None = None,
) -> tuple[errors.SuburbError | None, NextCall | None]:
    """Write the end of a call, and begin the next call. Return the error if writing fails, and the next call.

    After an error, the response is not lost: the caller passes it on together with the error, and `unwritten` keeps it.
    """
    worker.context.client.note_spent(ended.cents)
    held, begun, unwritten = None if again is None else worker.prices[item.endpoint], None, None
    try:
        begun = worker.reservation.finish(call, ended, lease=worker.lease(), response=response, again=held, then=then)
    except errors.StoreError as problem:
        has_data = response is not None and not response.is_refusal
        unwritten = _unwritten(worker, item, ended, problem, has_response=has_data)
    return unwritten, then and NextCall(then, begun)


def _unwritten(
    worker: Worker, item: Item, ended: CallOutcome, problem: errors.StoreError, *, has_response: bool
) -> errors.SuburbError:
    """Return the error for a call whose end could not be written."""
    had_ended = f"The call for {item.area_name!r} had ended ({ended.outcome}, {counted(ended.cents, 'cent')});"
    if worker.context.closed:
        kind: type[errors.SuburbError] = errors.SettingsError
        answer = ", and its response is only in the frame of this error (.frame)" if has_response else ""
        message = (
            f"The client was closed, and its store with it. {had_ended} the ledger lists it as unknown{answer}. "
            "Connect again, and run the same line again, which may charge a second time."
        )
    else:
        kind = errors.StoreError
        cause, store = problem.__cause__, worker.context.store.path
        what = f"The store {store} could not be written: {cause}." if cause else sentences(str(problem))[0]
        has_it = "its response is in .frame" if has_response else "the ledger still lists it as unknown"
        message = (
            f"{what} {had_ended} {has_it}, and this Python session records the end of the call in the store as soon as "
            "it can. Repair the store where it is, and run the same line again in this session: what arrived is not "
            "bought twice."
        )
    return kind(
        message,
        status_code=ended.http_status,
        request_id=ended.request_id,
        cents=ended.cents,
        why="the client was closed" if worker.context.closed else problem.why,
    )


def _headers(worker: Worker, exchange: Exchange) -> dict[str, str]:
    """Return the headers that are used or stored, redacted."""
    names = [name for name in (*statuses.KEPT_HEADERS, "retry-after") if name in exchange.headers]
    return {name: redacted(exchange.headers[name], worker.context.secret) for name in names}


def _retrieved_at(worker: Worker, headers: Mapping[str, str]) -> str:
    """Return the time by our own clock; for made-up data, the sandbox's ``Date``, so that notebooks never change."""
    sent = statuses.date(headers) if worker.context.source == "embedded" else None
    return sent or utc_now()
