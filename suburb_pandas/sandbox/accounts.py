"""Who may ask for what, what it costs them, and what has been counted.

Owns keys, wallets and the tally, all behind one lock. It never keeps a key in what it shows.
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
    """What a call cost, and how its key's wallet stands after it."""

    cents: int
    spent: int
    remaining: int
    number: int | None


@dataclass(frozen=True)
class Seen:
    """A request as the sandbox remembers it: whether an Authorization came, never the key."""

    method: str
    target: str
    status: int
    authorization: bool
    fault: str | None = None


def is_known(key: str | None) -> bool:
    """Whether the sandbox takes the key at all."""
    return key is not None and (key in (EMBEDDED_KEY, SANDBOX_KEY) or pays(key))


def pays(key: str) -> bool:
    """Whether calls under the key cost anything."""
    return key.startswith(LIVE_PREFIX)


def may_read(key: str | None, name: str) -> bool:
    """Whether the key is good for that suburb."""
    return key != SANDBOX_KEY or name in SANDBOX_NAMES


class Accounts:
    """Wallets and counts.

    Parameters
    ----------
    wallet_cents
        What each live key starts with.
    """

    def __init__(self, wallet_cents: int) -> None:
        self._lock = Lock()
        self._wallet_cents = wallet_cents
        self._spent: defaultdict[str, int] = defaultdict(int)
        self._served: Counter[tuple[str, str]] = Counter()
        self._billed: Counter[tuple[str, str]] = Counter()
        self._seen: list[Seen] = []
        self._at_once = 0
        self._most_at_once = 0

    def charge(self, key: str | None, endpoint: str, name: str) -> Charge | None:
        """Take the price out of the key's wallet and count the call; None, and neither, if it cannot pay."""
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
    def in_hand(self) -> Iterator[None]:
        """Count a request in, and out again."""
        with self._lock:
            self._at_once += 1
            self._most_at_once = max(self._most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1

    def remember(self, seen: Seen) -> None:
        """Keep a request for tests to look at."""
        with self._lock:
            self._seen.append(seen)

    def served(self) -> Counter[tuple[str, str]]:
        """Calls answered, by endpoint and name."""
        with self._lock:
            return self._served.copy()

    def billed(self) -> Counter[tuple[str, str]]:
        """Cents billed, by endpoint and name."""
        with self._lock:
            return self._billed.copy()

    def seen(self) -> tuple[Seen, ...]:
        """Every request, in the order they were answered."""
        with self._lock:
            return tuple(self._seen)

    def most_at_once(self) -> int:
        """The most requests that were in hand at one time."""
        with self._lock:
            return self._most_at_once

    def tally(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        served, billed = self.served(), self.billed()
        return {
            "served": [{"endpoint": e, "name": n, "calls": calls} for (e, n), calls in sorted(served.items())],
            "billed": [{"endpoint": e, "name": n, "cents": cents} for (e, n), cents in sorted(billed.items())],
            "calls": served.total(),
            "cents": billed.total(),
            "most_at_once": self.most_at_once(),
            "requests": [asdict(seen) for seen in self.seen()],
        }
