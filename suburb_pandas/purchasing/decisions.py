"""Decides what follows from a call: its cost, its response, whether it is retried, and when a request stops.

Plain functions on plain data: nothing here knows of threads, of a store or of a server. Making the calls is left to
loop, and explaining to the user why a request stopped to explanations.

Only a call that cost nothing is retried, up to four tries in all: a call that was not sent, or one that the service put
off (429, 503). All calls wait before it is retried. A call that may have cost something is never repeated by the same
request.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from msgspec.structs import replace

from suburb_pandas import errors
from suburb_pandas.messages import counted
from suburb_pandas.redaction import redacted, without_key
from suburb_pandas.service import statuses
from suburb_pandas.service.calls import REDACTED, Call, Exchange, Item, Response, Terms, utc_now
from suburb_pandas.service.reading import Reading, read

_log = logging.getLogger("suburb_pandas")

TRIES: Final = 4
"""The most tries of a call that costs nothing."""

FRUITLESS_IN_A_ROW: Final = 5
"""After this many calls in a row without a usable response, the service counts as down. Free refusals do not count."""

UNREADABLE_IN_A_ROW: Final = 3
"""After this many unreadable answers in a row, the service counts as broken."""

WITHOUT_DATA_AT_FIRST: Final = 10
"""If this many answers at the start of a request are without data, the service counts as having lost its data."""

WITHOUT_DATA_IN_A_ROW: Final = 20
"""The same for answers in a row, once one had data. Suburbs without data can be neighbours in a list."""

ABOUT_ANOTHER: Final = 2
"""After this many answers about another suburb, no answer can be trusted."""

STOPS: Final = (errors.Unauthorized, errors.PaymentRequired, errors.SettingsError)
"""Errors of a call that every other call would get, too, so the whole request stops."""

_LASTING: Final = (errors.Forbidden, errors.UnknownSuburb, errors.Rejected)
"""Errors that the same call would get again, so a cassette records them."""

_PUT_OFF: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_LONGEST_WAIT: Final = 60  # seconds


@dataclass(slots=True)
class Ended:
    """A call that has ended, and what follows from it.

    Attributes
    ----------
    call
        Its ledger row, with its outcome.
    response, reading
        The answer, and what was read of it if it was a 200: its contents, or why it cannot be read.
    error
        The error of a call that ended in anything but a 200.
    again, pause
        True if this call is tried again, and the seconds to wait before any call is made.
    fruitless
        True if it counts against the service: it did not get there, was put off, was charged without a 200, or has an
        unknown outcome.
    defect
        What reading the response raised, if it was no error of the package. It is raised once the response is stored.
    """

    call: Call
    response: Response | None = None
    reading: Reading | None = None
    error: errors.SuburbError | None = None
    again: bool = False
    pause: float = 0.0
    fruitless: bool = False
    defect: Exception | None = None

    @property
    def to_store(self) -> Response | None:
        """The response if it is stored: a 200, or a refusal that was charged and that the same call gets again."""
        call, response = self.call, self.response
        is_kept = response is not None and statuses.is_stored(response.status, call.cents, call.outcome)
        return response if is_kept else None

    @property
    def to_record(self) -> Response | None:
        """The response if a cassette records it: a 200, or a refusal that the same call gets again."""
        return self.response if self.error is None or isinstance(self.error, _LASTING) else None


@dataclass(slots=True)
class Progress:
    """How the calls of a request have gone so far. Calls that are retried are not counted.

    Attributes
    ----------
    is_proven
        True after the first answer with data.
    stopped
        True if no further call may be made.
    reason
        Why the service counts as down or broken, or that the program has ended, as part of a sentence; else empty.
    mispriced
        The last call that cost more than its quoted price, or whose price could not be read; None if there was none.
    fruitless_in_a_row, unreadable_in_a_row, without_data_in_a_row, about_another
        The numbers of calls so far that the limits above are about.
    """

    is_proven: bool = False
    stopped: bool = False
    reason: str = ""
    mispriced: Call | None = None
    fruitless_in_a_row: int = 0
    unreadable_in_a_row: int = 0
    without_data_in_a_row: int = 0
    about_another: int = 0

    @property
    def most_without_data(self) -> int:
        """The number of answers in a row without data after which the service counts as having lost its data."""
        return WITHOUT_DATA_IN_A_ROW if self.is_proven else WITHOUT_DATA_AT_FIRST


@dataclass
class PurchaseResult:
    """The result of a purchase: the ``cents`` of the items that were bought, and the ``failures``.

    ``calls`` has the last call of each item. ``error`` is the error that ended the request before every item was
    tried. ``not_asked`` are the items among the failures for which no call was made, and ``reason`` says why, as part
    of a sentence.
    """

    cents: dict[Item, int] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    failures: dict[Item, errors.SuburbError] = field(default_factory=dict)
    error: errors.SuburbError | None = None
    not_asked: frozenset[Item] = frozenset()
    reason: str = ""


def end_of(terms: Terms, call: Call, exchange: Exchange, tries: int) -> Ended:
    """Return what follows from the end of an exchange. ``tries`` is the number of this try, from 1."""
    call, response = settled(terms, call, exchange)
    if response is None:
        return _end_without_answer(terms, call, exchange, tries)
    if response.is_refusal:
        return _end_with_error_status(terms, call, response, _headers(terms, exchange), tries)
    try:
        return Ended(call, response, read(call.item, response))
    except Exception as defect:  # noqa: BLE001 - whatever it is, the response was paid for
        return Ended(call, response, defect=defect)


def settled(terms: Terms, call: Call, exchange: Exchange) -> tuple[Call, Response | None]:
    """Return the ledger row of a call that has ended, and its response if a complete one arrived.

    Until then, the row has the quoted price. A call without an answer cost nothing only if it certainly was not sent.
    """
    headers = _headers(terms, exchange)
    charge, unreadable = statuses.charge(call.item.endpoint, headers)
    if not exchange.sent:
        return replace(call, outcome="not_billed", cents=0), None
    if exchange.why:
        return replace(call, outcome="unknown", cents=max(call.cents, charge or 0), price_header=unreadable), None
    outcome, cents = statuses.settle(call.item.endpoint, exchange.status, headers, call.cents)
    call = replace(
        call,
        outcome=outcome,
        cents=cents,
        http_status=exchange.status,
        request_id=headers.get("x-request-id"),
        price_header=unreadable,
    )
    return call, _response(terms, call, exchange, headers)


def _response(terms: Terms, call: Call, exchange: Exchange, headers: Mapping[str, str]) -> Response:
    """Return a complete answer as it is stored: without the key."""
    body = without_key(exchange.body, terms.secret)
    mark = {} if body == exchange.body else {REDACTED: "the API key"}
    if mark:
        _log.warning(
            "%s of %r: the response held the API key, which was cut out; tell the service, and change the key",
            call.item.endpoint,
            redacted(call.item.area_name, terms.secret),
        )
    kept = {name: value for name, value in headers.items() if name in statuses.KEPT_HEADERS}
    return Response.of(
        body,
        kept | mark,
        # Made-up data have the sandbox's time, so that notebooks never change.
        (statuses.date(kept) if terms.namespace.source == "embedded" else None) or utc_now(),
        call.cents,
        terms.namespace.source,
        url=terms.namespace.base_url,
        status=exchange.status,
        call=call.number,
        at=call.at,
    )


def _end_without_answer(terms: Terms, call: Call, exchange: Exchange, tries: int) -> Ended:
    """Return what follows from a call without a complete answer."""
    item, why, cents = call.item, redacted(exchange.why, terms.secret), call.cents
    if exchange.wrong_settings:
        message = (
            f"The service cannot be called with these settings: {why}; check verify= and the proxy's URL, in which the "
            "user name and password must be percent-encoded. Nothing was sent."
        )
    elif not exchange.sent:
        message = (
            f"The service could not be reached for {item.area_name!r} ({why}). Nothing was sent, and nothing was "
            f"charged. {'Put this right' if exchange.lasting else 'Check the network'} and try again."
        )
    else:
        charge = (
            f"The call may have charged {counted(cents, 'cent')}; the ledger lists it as unknown"
            if cents
            else "Nothing was charged"
        )
        message = (
            f"The call for {item.area_name!r} was sent, and no complete response came back ({why}). {charge}. "
            f"Try again{', which may charge a second time' if cents else ''}."
        )
    kind = errors.SettingsError if exchange.wrong_settings else errors.Unreachable
    is_retried = tries < TRIES and not (exchange.sent or exchange.lasting)
    return Ended(
        call,
        error=kind(message, cents=cents),
        again=is_retried,
        pause=_backoff(terms, tries) if is_retried else 0.0,
        fruitless=True,
    )


def _end_with_error_status(
    terms: Terms, call: Call, response: Response, headers: Mapping[str, str], tries: int
) -> Ended:
    """Return what follows from an answer with a status other than 200."""
    cost, wait = statuses.cost_of(call.outcome, call.cents), statuses.retry_after(headers)
    error = statuses.error(call.item, response, cost, cents=call.cents, wait=wait, secret=terms.secret)
    is_put_off = response.status in _PUT_OFF
    ended = Ended(call, response, error=error, fruitless=is_put_off or call.outcome != "not_billed")
    error.is_stored = ended.to_store is not None
    if is_put_off and call.outcome == "not_billed":
        ended.pause = min(max(wait or 0, _backoff(terms, tries)), _LONGEST_WAIT)
        ended.again = tries < TRIES
    return ended


def _headers(terms: Terms, exchange: Exchange) -> dict[str, str]:
    """Return the headers that are used or stored, redacted."""
    names = [name for name in (*statuses.KEPT_HEADERS, "retry-after") if name in exchange.headers]
    return {name: redacted(exchange.headers[name], terms.secret) for name in names}


def _backoff(terms: Terms, tries: int) -> float:
    return terms.retry_wait * float(2**tries) * random.uniform(0.25, 0.75)  # noqa: S311 - spreads calls, protects nothing


def update(progress: Progress, ended: Ended, quoted: int) -> None:
    """Add a call that is not retried to the progress, and stop the request if there is a reason.

    The reasons are an error that affects every call, a price above the quote or one that cannot be read, and a service
    that is down or broken. Answers in a row are counted in the order of arrival.
    """
    if ended.call.cents > quoted or ended.call.price_header is not None:
        progress.mispriced = ended.call
    if progress.mispriced or ended.defect or isinstance(ended.error, STOPS):
        stop(progress)
    _count_fruitless(progress, ended)
    if ended.reading is not None:
        _count_reading(progress, ended.reading)


def _count_fruitless(progress: Progress, ended: Ended) -> None:
    """Count the calls in a row without a usable response. Those without data are counted as readings instead."""
    reading = ended.reading
    if ended.fruitless or (reading is not None and reading.problem is not None and ended.call.cents):
        progress.fruitless_in_a_row += 1
    elif reading is None or reading.has_data:
        progress.fruitless_in_a_row = 0
    if progress.fruitless_in_a_row >= FRUITLESS_IN_A_ROW:
        stop(progress, f"the service seems to be down: {FRUITLESS_IN_A_ROW} calls in a row had no usable response")


def _count_reading(progress: Progress, reading: Reading) -> None:
    """Count answers that cannot be read, are without data, or are about other suburbs."""
    progress.unreadable_in_a_row = progress.unreadable_in_a_row + 1 if reading.problem else 0
    progress.without_data_in_a_row = 0 if reading.has_data else progress.without_data_in_a_row + 1
    progress.is_proven = progress.is_proven or reading.has_data
    progress.about_another += reading.is_about_another
    if progress.about_another >= ABOUT_ANOTHER:
        stop(progress, f"the service mixes suburbs up: {ABOUT_ANOTHER} responses were about other suburbs")
    if progress.unreadable_in_a_row >= UNREADABLE_IN_A_ROW:
        stop(progress, f"the service seems to be broken: {UNREADABLE_IN_A_ROW} responses in a row could not be read")
    if progress.without_data_in_a_row >= (most := progress.most_without_data):
        which = "last" if progress.is_proven else "first"
        stop(
            progress, f"the service seems to have no data at the moment: the {which} {most} responses were without data"
        )


def stop(progress: Progress, reason: str = "") -> None:
    """Let no further call be made. The first reason that is not empty counts."""
    progress.stopped = True
    progress.reason = progress.reason or reason


def calls_to_begin(progress: Progress, under_way: int) -> int:
    """Return how many more calls may begin, even if all of those under way fail or are without data.

    Until the first answer with data, at most three calls are under way at a time, and fewer after calls that failed, so
    that no more calls fail than are allowed. After it, the calls that are under way at the first failure can fail, too.
    """
    if progress.stopped:
        return 0
    most = progress.most_without_data - progress.without_data_in_a_row
    if not progress.is_proven:
        most = min(most, UNREADABLE_IN_A_ROW - progress.unreadable_in_a_row)
    if progress.fruitless_in_a_row:
        most = min(most, FRUITLESS_IN_A_ROW - progress.fruitless_in_a_row)
    return max(0, most - under_way)
