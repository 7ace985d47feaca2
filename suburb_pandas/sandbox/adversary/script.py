"""Which request meets which fault, which canned answer, and when a client is too fast.

Owns what tests have written in advance, the seeded chance of a fault, and the rate limit, behind one lock.
"""

import random
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock

from suburb_pandas.sandbox.adversary.faults import ORDINARY, Fault
from suburb_pandas.sandbox.routes import Request


@dataclass
class _Cue:
    """When something happens: which requests it is for, and how many of them are left."""

    name: str | None
    endpoint: str | None
    left: int | None

    def takes(self, request: Request) -> bool:
        """Whether this is for the request; if so, one is used up."""
        if self.left == 0 or self.name not in (None, request.name) or self.endpoint not in (None, request.endpoint):
            return False
        if self.left is not None:
            self.left -= 1
        return True


@dataclass
class FaultCue(_Cue):
    """A fault to come, and how long it takes if it is one that takes time."""

    fault: Fault
    seconds: float


@dataclass
class CannedAnswer(_Cue):
    """An answer to give instead of the made-up one."""

    status: int
    body: bytes
    headers: Mapping[str, str | None] = field(default_factory=dict)
    billed: bool = True


class Script:
    """What is to go wrong.

    Parameters
    ----------
    error_rate
        The share of requests that meet a fault by chance, from 0 to 1.
    faults
        What chance picks from.
    seed
        Where chance starts: the same seed gives the same faults to the same sequence of requests.
    rate_limit
        Requests a second, over all clients; None for no limit.
    seconds
        How long a chance fault takes if it is one that takes time.
    """

    def __init__(
        self,
        *,
        error_rate: float = 0.0,
        faults: Sequence[str] = (),
        seed: int = 0,
        rate_limit: float | None = None,
        seconds: float = 1.0,
    ) -> None:
        self._lock = Lock()
        self._chance = random.Random(seed)  # noqa: S311 - a repeatable adversary, not a secret
        self._error_rate = error_rate
        self._faults = tuple(Fault(fault) for fault in faults) or ORDINARY
        self._rate_limit = rate_limit
        self._seconds = seconds
        self._recent: deque[float] = deque()
        self._refused = 0
        self._cues: list[FaultCue] = []
        self._canned: list[CannedAnswer] = []
        self._let_go = Event()

    def add(self, cue: FaultCue | CannedAnswer) -> None:
        """Write a cue; faults are taken in the order written, of canned answers the newest that fits."""
        with self._lock:
            if isinstance(cue, FaultCue):
                self._cues.append(cue)
            else:
                self._canned.insert(0, cue)

    def clear(self) -> None:
        """Forget every cue; chance and the rate limit stay."""
        with self._lock:
            self._cues.clear()
            self._canned.clear()

    def wait(self, seconds: float) -> None:
        """Take so long, unless all are let go."""
        self._let_go.wait(seconds)

    def release(self) -> None:
        """Let go whatever waits, now and from now on."""
        self._let_go.set()

    def fault(self, request: Request) -> FaultCue | None:
        """The fault that this request meets: too fast, as written, or by chance."""
        with self._lock:
            return self._too_fast() or next((cue for cue in self._cues if cue.takes(request)), None) or self._drawn()

    def canned(self, request: Request) -> CannedAnswer | None:
        """The canned answer for this request, if one was written."""
        with self._lock:
            return next((cue for cue in self._canned if cue.takes(request)), None)

    def _too_fast(self) -> FaultCue | None:
        """A refusal if the last second has been full, every second one with a Retry-After."""
        if self._rate_limit is None:
            return None
        now = time.monotonic()
        while self._recent and now - self._recent[0] >= 1:
            self._recent.popleft()
        if len(self._recent) < self._rate_limit:
            self._recent.append(now)
            return None
        self._refused += 1
        return self._cue(Fault.RATE_LIMITED if self._refused % 2 else Fault.RATE_LIMITED_RETRY_AFTER)

    def _drawn(self) -> FaultCue | None:
        """A fault by chance."""
        if self._error_rate <= self._chance.random():
            return None
        return self._cue(self._chance.choice(self._faults))

    def _cue(self, fault: Fault) -> FaultCue:
        return FaultCue(None, None, 1, fault, self._seconds)
