"""Purchase: the one path by which money is spent.

A request is planned first: what is stored, what is to be bought, and for how much. The plan is checked against the
cap and the budget before anything is sent. Each call is in the ledger before it leaves, and its response is in the
store before anybody reads it. Nothing here knows what a response means.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from . import errors, names, statuses, wire
from .calls import Exchange, NoAnswerError, Outcome, Response
from .client import Client
from .settings import Settings, in_ci
from .store import OverBudgetError, Store, utc_now

if TYPE_CHECKING:
    from .transport import Transport

_log = logging.getLogger("suburb_pandas")

_FREE_SOURCES = ("embedded", "sandbox")
_UNKNOWN_IN_A_ROW = 5
_EXCERPT = 200

_KEPT_HEADERS = (
    "content-type",
    "date",
    "x-cost-cents",
    "x-rate-card-version",
    "x-request-id",
    wire.MADE_UP_HEADER,
)
"""Never the wallet's balances or cookies: a store may be handed on."""

_STOPS = (
    errors.Unauthorized,
    errors.PaymentRequired,
    errors.BudgetExceeded,
    errors.StoreError,
    errors.SettingsError,
)
"""What concerns the account, the store or the client, and so every other call too."""


@dataclass(frozen=True)
class Quote:
    """What a request would cost, made without a call.

    ``to_buy`` are the names that a call would be made for, at ``cents`` in all; ``stored`` is how many suburbs cost
    nothing because their responses are kept.
    """

    endpoint: str
    to_buy: tuple[str, ...]
    cents: int
    responses: Mapping[str, Response] = field(repr=False)

    @property
    def calls(self) -> int:
        """How many calls would be made."""
        return len(self.to_buy)

    @property
    def stored(self) -> int:
        """How many suburbs cost nothing."""
        return len(self.responses)

    def __str__(self) -> str:
        return f"{self.endpoint}: {self.calls} to buy, {self.stored} stored"


@dataclass
class Haul:
    """What a request brought, by suburb name, and what each call was charged.

    ``stopped`` is what ended the request before all was tried, if anything did.
    """

    responses: dict[str, Response]
    cents: dict[str, int] = field(default_factory=dict)
    failures: dict[str, errors.SuburbError] = field(default_factory=dict)
    stopped: errors.SuburbError | None = None


@dataclass(frozen=True, slots=True)
class Bought:
    """How one call ended: what came, what went wrong, what was charged, and whether that is unknown.

    There is both a response and an error where an answer came that could not be stored.
    """

    name: str
    response: Response | None = None
    error: errors.SuburbError | None = None
    cents: int = 0
    unknown: bool = False


Watch = Callable[[Iterable["Future[Bought | None]"], int], Iterable["Future[Bought | None]"]]
"""Who looks on while calls come in, such as a progress bar: given the calls, and how many there are."""


def plan(client: Client, endpoint: str, wanted: Iterable[str], *, refresh: bool = False) -> Quote:
    """Say what a request would cost. No call is made."""
    unique = list(dict.fromkeys(wanted))
    kept = {} if refresh else client.store.latest(client.shelf, endpoint, unique)
    to_buy = tuple(name for name in unique if name not in kept)
    return Quote(endpoint, to_buy, len(to_buy) * _price(client, endpoint), kept)


def fetch(client: Client, quote: Quote, *, max_cents: int | None = None, watch: Watch = lambda calls, _: calls) -> Haul:
    """Buy what a quote says, and give it together with what was stored.

    ``max_cents`` is the most that this request may cost, by default the client's own cap.
    """
    haul = Haul(dict(quote.responses), stopped=_refusal(client, quote, max_cents))
    if quote.to_buy and haul.stopped is None:
        till = _Till(client, client.store, client.transport, quote, _price(client, quote.endpoint))
        _buy_all(till, haul, watch)
        _name_untried(quote, haul)
    return haul


def _price(client: Client, endpoint: str) -> int:
    return 0 if client.source in _FREE_SOURCES else wire.PRICES[endpoint]


def _refusal(client: Client, quote: Quote, max_cents: int | None) -> errors.SuburbError | None:
    """Give the reason why nothing may be sent, if there is one."""
    if not quote.cents:
        return None
    settings = client.settings
    cap = settings.max_cents if max_cents is None else max_cents
    if quote.cents > cap:
        return errors.CapExceeded(
            f"This request would cost {quote.cents} cents ({quote}), more than its cap of {cap}. "
            f"Nothing was sent; to go on, pass max_cents={quote.cents}.",
            quote=quote,
        )
    if in_ci() and max_cents is None and not (settings.was_given("max_cents") or settings.was_given("budget_cents")):
        return errors.SettingsError(
            f"This request would cost {quote.cents} cents ({quote}), and nobody watches an automatic run (CI is set). "
            "Nothing was sent; say what it may spend, with max_cents= or budget_cents=."
        )
    spent = client.store.spent()
    return _over_budget(quote, settings, spent) if spent + quote.cents > settings.budget_cents else None


def _over_budget(quote: Quote, settings: Settings, spent: int) -> errors.BudgetExceeded:
    return errors.BudgetExceeded(
        f"This request costs {quote.cents} cents ({quote}), and {spent} of the {settings.budget_cents} that the store "
        "may spend this month are spent. Nothing more was sent; to go on, pass "
        f"budget_cents={spent + quote.cents} to sp.connect().",
        quote=quote,
    )


class _Brake:
    """Stops all workers of a request at once. Each looks at it before a call, and shows it how the call ended."""

    def __init__(self) -> None:
        self.on = False
        self._unknown_in_a_row = 0
        self._lock = threading.Lock()

    def feel(self, bought: Bought) -> None:
        """Come on for what concerns every other call too, and after some calls in a row whose outcome is unknown."""
        with self._lock:
            self._unknown_in_a_row = self._unknown_in_a_row + 1 if bought.unknown else 0
            if isinstance(bought.error, _STOPS) or self._unknown_in_a_row == _UNKNOWN_IN_A_ROW:
                self.on = True


@dataclass(frozen=True, slots=True)
class _Till:
    """What the calls of a request need. Held on to here, as the client may be closed while they are under way."""

    client: Client
    store: Store
    transport: Transport
    quote: Quote
    price: int
    brake: _Brake = field(default_factory=_Brake)


def _buy_all(till: _Till, haul: Haul, watch: Watch) -> None:
    """Make the calls on worker threads, and keep what comes until all are made or something ends the request.

    Also one call alone goes by a worker: Ctrl-C then lets it end and be stored.
    """
    pool = ThreadPoolExecutor(till.client.settings.max_workers, thread_name_prefix="suburb_pandas")
    try:
        calls = [pool.submit(_buy_unless_stopped, till, name) for name in till.quote.to_buy]
        for call in watch(as_completed(calls), len(calls)):
            bought = call.result()
            if bought is not None:
                _keep(haul, bought)
    finally:
        till.brake.on = True
        pool.shutdown(wait=False, cancel_futures=True)


def _keep(haul: Haul, bought: Bought) -> None:
    if bought.response is not None:
        haul.responses[bought.name], haul.cents[bought.name] = bought.response, bought.cents
    elif bought.error is not None:
        haul.failures[bought.name] = bought.error
    if isinstance(bought.error, _STOPS):
        haul.stopped = haul.stopped or bought.error


def _name_untried(quote: Quote, haul: Haul) -> None:
    """Say of each suburb that was never asked for that it was not."""
    if haul.stopped is not None:
        return
    for name in quote.to_buy:
        if name not in haul.responses and name not in haul.failures:
            haul.failures[name] = errors.Unreachable(
                f"{name!r} was not asked for, because of {_UNKNOWN_IN_A_ROW} calls in a row it is not known what they "
                "cost. It cost nothing; run the same again later."
            )


def _buy_unless_stopped(till: _Till, name: str) -> Bought | None:
    if till.brake.on:
        return None
    bought = _buy(till, name)
    till.brake.feel(bought)
    return bought


def _buy(till: _Till, name: str) -> Bought:
    """Make one call, with its ledger row before it and its outcome and response after it."""
    endpoint, settings = till.quote.endpoint, till.client.settings
    path = wire.path(endpoint, names.encode(name))
    if till.client.closed:
        return Bought(name, error=errors.SettingsError(f"The client was closed, and {name!r} was not asked for."))
    try:
        call = till.store.begin(till.client.shelf, endpoint, name, cents=till.price, budget=settings.budget_cents)
    except OverBudgetError as over:
        return Bought(name, error=_over_budget(till.quote, settings, over.spent))
    except errors.StoreError as problem:
        return Bought(name, error=problem)
    _log.debug("%s of %r: sent, at %d cents", endpoint, name, till.price)
    try:
        exchange = till.transport.get(path)
    except NoAnswerError as lost:
        return _lost(till, call, name, lost)
    return _answered(till, call, name, exchange)


def _lost(till: _Till, call: int, name: str, lost: NoAnswerError) -> Bought:
    """Note a call without a whole answer: it cost nothing only where it certainly was not sent."""
    cents = till.price if lost.sent else 0
    _log.info("%s of %r: no whole answer, %s", till.quote.endpoint, name, lost.why)
    unnoted = _finish(till, call, name, "unknown" if lost.sent else "not_billed", cents=cents)
    if not lost.sent:
        message = (
            f"The service could not be reached for {name!r} ({lost.why}). Nothing was sent and nothing charged; "
            "check the network and run the same again."
        )
    else:
        charge = f"It may have charged {cents} cents; the ledger has it as unknown" if cents else "It cost nothing"
        message = (
            f"The call for {name!r} was sent, and no whole answer came back ({lost.why}). {charge}. "
            "Run the same again to try once more."
        )
    return Bought(name, None, unnoted or errors.Unreachable(message, cents=cents), cents, unknown=lost.sent)


def _answered(till: _Till, call: int, name: str, exchange: Exchange) -> Bought:
    """Note a call with an answer: a 200 is stored with its outcome, anything else becomes an error."""
    status, headers = exchange.status, exchange.headers
    outcome, cents = statuses.settle(status, headers, till.price)
    _log.info("%s of %r: answered with %d, %s, %d cents", till.quote.endpoint, name, status, outcome, cents)
    response = _response(till, exchange) if status == HTTPStatus.OK else None
    unnoted = _finish(till, call, name, outcome, cents=cents, exchange=exchange, response=response)
    if response is not None:
        return Bought(name, response, unnoted, cents)
    error = statuses.error(
        status,
        headers,
        name=name,
        key_is_test=till.client.source == "sandbox",
        outcome=outcome,
        cents=cents,
        said=_excerpt(exchange.body, till),
    )
    return Bought(name, None, unnoted or error, cents, unknown=outcome == "unknown")


def _finish(
    till: _Till,
    call: int,
    name: str,
    outcome: Outcome,
    *,
    cents: int,
    exchange: Exchange | None = None,
    response: Response | None = None,
) -> errors.StoreError | None:
    """Note how a call ended. Where that fails, its answer is not lost: it goes to the caller, with the error."""
    status, headers = (exchange.status, exchange.headers) if exchange else (None, {})
    request_id = headers.get("x-request-id")
    try:
        till.store.finish(call, outcome, cents=cents, http_status=status, request_id=request_id, response=response)
    except errors.StoreError as problem:
        answer = ", and its answer is in the frame of this error alone (.frame)" if response else ""
        return errors.StoreError(
            f"{problem} The call for {name!r} had ended, {outcome} at {cents} cents; "
            f"it stays in the ledger as sent{answer}.",
            status_code=status,
            request_id=request_id,
            cents=cents,
        )
    return None


def _response(till: _Till, exchange: Exchange) -> Response:
    headers = {name: exchange.headers[name] for name in _KEPT_HEADERS if name in exchange.headers}
    return Response.of(exchange.body, headers, _retrieved_at(till, headers))


def _retrieved_at(till: _Till, headers: Mapping[str, str]) -> str:
    """Give the time by our own clock, but for made-up data by theirs, so that a notebook of them never changes."""
    if till.client.source == "embedded":
        with suppress(KeyError, ValueError):
            return parsedate_to_datetime(headers["date"]).astimezone(UTC).isoformat()
    return utc_now()


def _excerpt(body: bytes, till: _Till) -> str:
    """Give the start of what the service said, in one line, and without the key should it have echoed it."""
    if till.client.source == "live":
        body = body.replace(till.client.settings.api_key.value.encode(), b"[key]")
    text = body[: 4 * _EXCERPT].decode("utf-8", "replace")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_EXCERPT] or "it gave no reason"
