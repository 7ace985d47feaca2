"""Answers requests: reads each one, checks it, charges for it and builds the response.

Owns the paths, the prices, the keys and their wallets, and the order of the checks: path, method, rate limit, made-up
failures, key, the names that the key may read, the name itself, the wallet. The data is left to `series`, `premiums`
and `geocode`, the connections to `server`.

``embedded`` reads every suburb for free, ``test`` reads nine suburbs (`SANDBOX_NAMES`) for free, and each key that
begins with ``mib_live_`` reads every suburb and pays from a wallet of its own.
"""

import random
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, unquote

from suburb_pandas.sandbox import geocode, oddities, premiums, series
from suburb_pandas.sandbox.answers import Answer, answer, error, request_id
from suburb_pandas.sandbox.country import BY_NAME, SANDBOX_NAMES, Suburb

EMBEDDED_KEY = "embedded"
SANDBOX_KEY = "test"
LIVE_PREFIX = "mib_live_"

PRICES = {"rent": 30, "impacts": 10, "geocode": 1}
"""The price of a call by endpoint, in cents."""

_PATHS = {"market/median-rent-series": "rent", "lifestyle/poi-impacts": "impacts"}
_MAKERS: dict[str, Callable[[Suburb], dict[str, Any]]] = {"rent": series.rents, "impacts": premiums.impacts}
"""The functions that make the data of a suburb, by endpoint."""

_QUERY_MISSING = [{"type": "missing", "loc": ["query", "q"], "msg": "Field required", "input": None}]


@dataclass(frozen=True)
class Request:
    """A client's request, as read from its line and headers.

    Parameters
    ----------
    method
        The HTTP method.
    target
        Path and query, still percent-encoded.
    endpoint
        ``rent``, ``impacts`` or ``geocode``; empty if the path is not an endpoint's.
    name
        The suburb name for a data endpoint, the query for geocode.
    state
        The state in the query. Only geocode uses it.
    key
        The bearer key. Empty if there is none.
    """

    method: str
    target: str
    endpoint: str
    name: str
    state: str
    key: str

    @property
    def is_paid(self) -> bool:
        """True if calls under the key cost money."""
        return self.key.startswith(LIVE_PREFIX)

    @property
    def has_known_key(self) -> bool:
        """True if the sandbox accepts the key."""
        return self.is_paid or self.key in (EMBEDDED_KEY, SANDBOX_KEY)


def read(environ: Mapping[str, Any]) -> Request:
    """Read the request from a WSGI environment of Werkzeug's server."""
    target = re.sub("^https?://[^/]*", "", environ["REQUEST_URI"]) or "/"  # clients send the host to a proxy
    path, _, query = target.partition("?")
    parameters = dict(parse_qsl(query))
    endpoint, name = "", ""
    match path.split("/"):  # before decoding: an encoded slash is part of a name
        case ["", "v1", "geocode", "suburb"]:
            endpoint, name = "geocode", parameters.get("q", "")
        case ["", "v1", "suburbs", encoded, *topic]:
            endpoint, name = _PATHS.get("/".join(topic), ""), unquote(encoded)
    scheme, _, key = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    key = key.strip() if scheme.lower() == "bearer" else ""
    return Request(environ["REQUEST_METHOD"], target, endpoint, name, parameters.get("state", ""), key)


class Service:
    """The service without its server.

    Parameters
    ----------
    latency_ms
        The delay before each call is answered, in milliseconds.
    error_rate
        The share of calls that fail with status 500 or 503, from 0 to 1. They cost nothing.
    rate_limit
        Calls per second, over all clients; None for no limit. A call beyond the limit gets 429.
    wallet_cents
        The balance of each live key at the start, in cents.
    """

    def __init__(
        self,
        *,
        latency_ms: float = 0,
        error_rate: float = 0.0,
        rate_limit: float | None = None,
        wallet_cents: int = 10_000,
    ) -> None:
        self._latency = latency_ms / 1000
        self._error_rate = error_rate
        self._chance = random.Random(0)  # noqa: S311 - repeatable failures, not secrets
        self._latest: deque[float] | None = deque(maxlen=int(rate_limit)) if rate_limit else None
        self.wallet_cents = wallet_cents
        self._spent: Counter[str] = Counter()
        self._served = 0
        self._lock = Lock()

    @property
    def total_cents(self) -> int:
        """The total of all cents billed."""
        with self._lock:
            return self._spent.total()

    def respond(self, request: Request) -> Answer:
        """Return the response to a request."""
        if not request.endpoint:
            return error(request.target, 404, "Not Found")
        if request.method != "GET":
            return error(request.target, 405, "Method Not Allowed", {"Allow": "GET"})
        time.sleep(self._latency)
        if self._is_too_fast():
            return error(request.target, 429, "Too many calls", {"Retry-After": "1"})
        if self._chance.random() < self._error_rate:
            return error(request.target, self._chance.choice((500, 503)), "Made-up failure")
        return self.answer(request)

    def answer(self, request: Request) -> Answer:
        """Return the response to a call that does not fail, and charge for it."""
        if not request.has_known_key:
            return error(request.target, 401, "Missing or unknown API key")
        if request.endpoint == "geocode":
            if not request.name:
                return error(request.target, 422, _QUERY_MISSING)
        elif request.key == SANDBOX_KEY and request.name not in SANDBOX_NAMES:
            return error(request.target, 403, "This key does not cover that suburb")
        elif request.name not in BY_NAME:
            return error(request.target, 404, "No suburb has exactly this name")
        return self.metered(request, answer(request.target, 200, _payload(request)))

    def metered(self, request: Request, response: Answer) -> Answer:
        """Charge for a response and add its metering headers, or return a 402 if the wallet cannot pay.

        Each paid call also gets a request id of its own.
        """
        cents = PRICES[request.endpoint] if request.is_paid else 0
        with self._lock:
            spent = self._spent[request.key] + cents
            if spent > self.wallet_cents:
                return error(request.target, 402, "Wallet empty")
            self._spent[request.key] = spent
            self._served += 1
            number = self._served if request.is_paid else None
        remaining = self.wallet_cents - spent if request.is_paid else 0
        return response.with_headers(
            {
                "X-Cost-Cents": str(cents),
                "X-Spent-Cents": str(spent),
                "X-Remaining-Cents": str(remaining),
                "X-Balance-Cents": str(remaining),
                "X-Rate-Card-Version": "1",
                "X-Period-End": "2026-04-30T23:59:59Z",
                "X-Request-Id": request_id(request.target, number),
            }
        )

    def _is_too_fast(self) -> bool:
        """Return True if the last second has as many calls as the limit allows. Otherwise count this call."""
        if self._latest is None:
            return False
        with self._lock:
            now = time.monotonic()
            if len(self._latest) == self._latest.maxlen and now - self._latest[0] < 1:
                return True
            self._latest.append(now)
            return False


def _payload(request: Request) -> dict[str, Any]:
    """Return the JSON of a response with status 200."""
    if request.endpoint == "geocode":
        return {"data": geocode.candidates(request.name, request.state)}
    reason = oddities.reason_for_none(request.endpoint, request.name)
    if reason:
        return {"data": None, "available": False, "reason": reason, "message": oddities.MESSAGES[reason]}
    return {"data": _MAKERS[request.endpoint](BY_NAME[request.name])}
