"""Owns keys, wallets, the counts of calls and the log of requests.

One lock guards all counts and wallets. No key is in the log or the tally. Prices are left to `routes`, the order of
the checks to `app`.

``embedded`` reads every suburb for free, ``test`` reads nine suburbs (`SANDBOX_NAMES`) for free, and each key that
begins with ``mib_live_`` reads every suburb and pays from a wallet of its own.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any

from suburb_pandas.sandbox.country import SANDBOX_NAMES
from suburb_pandas.sandbox.routes import PRICES

EMBEDDED_KEY = "embedded"
SANDBOX_KEY = "test"
LIVE_PREFIX = "mib_live_"


@dataclass(frozen=True)
class Charge:
    """The cost of a call and the key's wallet after it, in cents.

    `number` is the count of calls served so far; it is None under a free key.
    """

    cents: int
    spent: int
    remaining: int
    number: int | None


@dataclass(frozen=True)
class LoggedRequest:
    """A request in the log. It says whether an Authorization header was sent, and never holds the key."""

    method: str
    target: str
    status: int
    authorization: bool
    fault: str | None = None


def is_known(key: str | None) -> bool:
    """Return True if the sandbox accepts the key."""
    return key is not None and (key in (EMBEDDED_KEY, SANDBOX_KEY) or pays(key))


def pays(key: str) -> bool:
    """Return True if calls under the key cost money."""
    return key.startswith(LIVE_PREFIX)


def may_read(key: str | None, name: str) -> bool:
    """Return True if the key may read the suburb `name`."""
    return key != SANDBOX_KEY or name in SANDBOX_NAMES


class Accounts:
    """Wallets, counts and the log of requests.

    Parameters
    ----------
    wallet_cents
        The balance of each live key at the start, in cents.
    """

    def __init__(self, wallet_cents: int) -> None:
        self._lock = Lock()
        self._wallet_cents = wallet_cents
        self._spent: defaultdict[str, int] = defaultdict(int)
        self._served: Counter[tuple[str, str]] = Counter()
        self._billed: Counter[tuple[str, str]] = Counter()
        self._log: list[LoggedRequest] = []
        self._in_progress = 0
        self._most_at_once = 0

    def charge(self, key: str | None, endpoint: str, name: str) -> Charge | None:
        """Charge the key's wallet and count the call. Return None, and do neither, if the wallet cannot pay."""
        with self._lock:
            if key is None or not pays(key):
                self._served[endpoint, name] += 1
                return Charge(0, 0, 0, None)
            cents, spent = PRICES[endpoint], self._spent[key]
            if spent + cents > self._wallet_cents:
                return None
            self._spent[key] += cents
            self._served[endpoint, name] += 1
            self._billed[endpoint, name] += cents
            return Charge(cents, spent + cents, self._wallet_cents - spent - cents, self._served.total())

    @contextmanager
    def in_progress(self) -> Iterator[None]:
        """Count a request as in progress while the block runs."""
        with self._lock:
            self._in_progress += 1
            self._most_at_once = max(self._most_at_once, self._in_progress)
        try:
            yield
        finally:
            with self._lock:
                self._in_progress -= 1

    def log(self, request: LoggedRequest) -> None:
        """Add a request to the log."""
        with self._lock:
            self._log.append(request)

    def served(self) -> Counter[tuple[str, str]]:
        """Return the number of calls served, by endpoint and name."""
        with self._lock:
            return self._served.copy()

    def billed(self) -> Counter[tuple[str, str]]:
        """Return the cents billed, by endpoint and name."""
        with self._lock:
            return self._billed.copy()

    def requests(self) -> tuple[LoggedRequest, ...]:
        """Return every logged request, in the order of their responses."""
        with self._lock:
            return tuple(self._log)

    def most_at_once(self) -> int:
        """Return the largest number of requests that were in progress at the same time."""
        with self._lock:
            return self._most_at_once

    def tally(self) -> dict[str, Any]:
        """Return all counts and the log as plain JSON data."""
        served, billed = self.served(), self.billed()
        return {
            "served": [{"endpoint": e, "name": n, "calls": calls} for (e, n), calls in sorted(served.items())],
            "billed": [{"endpoint": e, "name": n, "cents": cents} for (e, n), cents in sorted(billed.items())],
            "calls": served.total(),
            "cents": billed.total(),
            "most_at_once": self.most_at_once(),
            "requests": [asdict(request) for request in self.requests()],
        }
