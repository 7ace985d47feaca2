"""Purchase: the one path by which money is spent.

A request is planned first: what is stored, what is to be bought, and for how much. The plan is checked against the
cap and the budget before anything is sent. Each call is in the ledger before it leaves, and its response is in the
store before anybody reads it. Nothing here knows what a response means.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from . import errors, names, statuses, wire
from .client import Client
from .exchange import Exchange, NoAnswerError
from .store import Response, utc_now

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

_STOPS = (errors.Unauthorized, errors.PaymentRequired, errors.BudgetExceeded, errors.StoreError)
"""What concerns the account or the store, and so every other call too."""


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
    """How one call ended: with a response or an error, what it was charged, and whether that is unknown."""

    name: str
    result: Response | errors.SuburbError
    cents: int = 0
    unknown: bool = False


Watch = Callable[[Iterable["Future[Bought]"], int], Iterable["Future[Bought]"]]
"""Who looks on while calls come in, such as a progress bar: given the calls, and how many there are."""


def plan(client: Client, endpoint: str, wanted: Iterable[str], *, refresh: bool = False) -> Quote:
    """Say what a request would cost. No call is made."""
    unique = list(dict.fromkeys(names.check(name) for name in wanted))
    kept = {} if refresh else client.store.latest(client.shelf, endpoint, unique)
    to_buy = tuple(name for name in unique if name not in kept)
    return Quote(endpoint, to_buy, len(to_buy) * _price(client, endpoint), kept)


def fetch(client: Client, quote: Quote, *, max_cents: int | None = None, watch: Watch = lambda calls, _: calls) -> Haul:
    """Buy what a quote says, and give it together with what was stored.

    ``max_cents`` is the most that this request may cost, by default the client's own cap.
    """
    haul = Haul(dict(quote.responses))
    haul.stopped = _refusal(client, quote, client.settings.max_cents if max_cents is None else max_cents)
    if quote.to_buy and haul.stopped is None:
        _buy_all(client, quote, haul, watch)
    return haul


def _price(client: Client, endpoint: str) -> int:
    return 0 if client.source in _FREE_SOURCES else wire.PRICES[endpoint]


def _refusal(client: Client, quote: Quote, cap: int) -> errors.SuburbError | None:
    """Give the reason why nothing may be sent, if a quote passes the cap or the budget."""
    if not quote.cents:
        return None
    if quote.cents > cap:
        return errors.CapExceeded(
            f"This request would cost {quote.cents} cents ({quote}), more than its cap of {cap}. "
            f"Nothing was sent; to go on, pass max_cents={quote.cents}.",
            quote=quote,
        )
    budget, spent = client.settings.budget_cents, client.store.spent()
    if spent + quote.cents > budget:
        return errors.BudgetExceeded(
            f"This request would cost {quote.cents} cents ({quote}), and {spent} of the {budget} that the store may "
            "spend this month are gone. Nothing was sent; to go on, pass "
            f"budget_cents={spent + quote.cents} to sp.connect().",
            quote=quote,
        )
    return None


def _buy_all(client: Client, quote: Quote, haul: Haul, watch: Watch) -> None:
    """Make the calls on worker threads, and keep what comes until all are made or something ends the request.

    Also one call alone goes by a worker: Ctrl-C then lets it end and be stored, and its traceback, which has the
    caller's frames only, can show no header.
    """
    _ = client.transport  # opened here, so that a warning points at the caller's line
    pool = ThreadPoolExecutor(client.settings.max_workers, thread_name_prefix="suburb_pandas")
    calls = [pool.submit(_buy, client, quote.endpoint, name) for name in quote.to_buy]
    in_a_row = 0
    try:
        for call in watch(as_completed(calls), len(calls)):
            if call.cancelled():
                continue
            bought = call.result()
            in_a_row = in_a_row + 1 if bought.unknown else 0
            _keep(haul, bought)
            if haul.stopped is not None or in_a_row >= _UNKNOWN_IN_A_ROW:
                for waiting in calls:
                    waiting.cancel()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    _name_untried(quote, haul)


def _keep(haul: Haul, bought: Bought) -> None:
    if isinstance(bought.result, Response):
        haul.responses[bought.name], haul.cents[bought.name] = bought.result, bought.cents
    elif isinstance(bought.result, _STOPS):
        haul.stopped = haul.stopped or bought.result
    else:
        haul.failures[bought.name] = bought.result


def _name_untried(quote: Quote, haul: Haul) -> None:
    """Say of each suburb that was never asked for that it was not."""
    if haul.stopped is not None:
        return
    for name in quote.to_buy:
        if name not in haul.responses and name not in haul.failures:
            haul.failures[name] = errors.Unreachable(
                f"{name!r} was not asked for, because {_UNKNOWN_IN_A_ROW} calls in a row brought no answer. "
                "It cost nothing; run the same again later."
            )


def _buy(client: Client, endpoint: str, name: str) -> Bought:
    """Make one call, with its ledger row before it and its outcome and response after it."""
    cents = _price(client, endpoint)
    _log.debug("%s of %r: sent, at %d cents", endpoint, name, cents)
    try:
        call = client.store.begin(client.shelf, endpoint, name, cents=cents, budget=client.settings.budget_cents)
        try:
            exchange = client.transport.get(wire.path(endpoint, names.encode(name)))
        except NoAnswerError as lost:
            return _lost(client, call, name, lost, cents)
        return _answered(client, call, name, exchange, cents)
    except errors.SuburbError as problem:
        return Bought(name, problem)


def _lost(client: Client, call: int, name: str, lost: NoAnswerError, cents: int) -> Bought:
    """Note a call without a whole answer: it cost nothing only where it certainly was not sent."""
    if not lost.sent:
        _log.info("%r was not sent: %s", name, lost.why)
        client.store.finish(call, "not_billed", cents=0)
        error = errors.Unreachable(
            f"The service could not be reached for {name!r} ({lost.why}). Nothing was sent and nothing charged; "
            "check the network and run the same again."
        )
        return Bought(name, error)
    _log.info("%r has no whole answer: %s", name, lost.why)
    client.store.finish(call, "unknown", cents=cents)
    charge = f"It may have charged {cents} cents, and the ledger has it as unknown" if cents else "It cost nothing"
    error = errors.Unreachable(
        f"The call for {name!r} was sent, and no whole answer came back ({lost.why}). {charge}; "
        "run the same again to try once more.",
        cents=cents,
    )
    return Bought(name, error, cents, unknown=True)


def _answered(client: Client, call: int, name: str, exchange: Exchange, price: int) -> Bought:
    """Note a call with an answer: a 200 is stored with its outcome, anything else becomes an error."""
    outcome, cents = statuses.settle(exchange.status, exchange.headers, price)
    response = _response(client, exchange) if exchange.status == HTTPStatus.OK else None
    _log.info("%r answered with %d: %s, %d cents", name, exchange.status, outcome, cents)
    client.store.finish(
        call,
        outcome,
        cents=cents,
        http_status=exchange.status,
        request_id=exchange.headers.get("x-request-id"),
        response=response,
    )
    if response is not None:
        return Bought(name, response, cents)
    error = statuses.error(
        exchange.status,
        exchange.headers,
        name=name,
        key_is_test=client.source == "sandbox",
        outcome=outcome,
        cents=cents,
        said=_excerpt(exchange.body, client),
    )
    return Bought(name, error, cents, unknown=outcome == "unknown")


def _response(client: Client, exchange: Exchange) -> Response:
    headers = {name: exchange.headers[name] for name in _KEPT_HEADERS if name in exchange.headers}
    return Response.of(exchange.body, headers, _retrieved_at(client, exchange))


def _retrieved_at(client: Client, exchange: Exchange) -> str:
    """Give the time by our own clock, but for made-up data by theirs, so that a notebook of them never changes."""
    if client.source != "embedded" or "date" not in exchange.headers:
        return utc_now()
    return parsedate_to_datetime(exchange.headers["date"]).astimezone(UTC).isoformat()


def _excerpt(body: bytes, client: Client) -> str:
    """Give the start of what the service said, in one line, and without the key should it have echoed it."""
    text = body[: 4 * _EXCERPT].decode("utf-8", "replace")
    if client.source == "live":
        text = text.replace(client.settings.api_key, "[key]")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_EXCERPT] or "it gave no reason"
