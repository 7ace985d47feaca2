"""Decides which request gets a fault or a canned response, and when a client is too fast.

Owns the cues that tests add, the seeded random faults and the rate limit, all behind one lock.
The effect of a fault is left to `faults`, building and charging a canned response to `app`.
"""

import random
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock

from suburb_pandas.sandbox.adversary.faults import ORDINARY, Fault
from suburb_pandas.sandbox.routes import Request


@dataclass
class _Cue:
    """The requests that a fault or canned response is for: name, endpoint and how many are left. None means any."""

    name: str | None
    endpoint: str | None
    left: int | None

    def takes(self, request: Request) -> bool:
        """Return True if the cue is for this request, and count it as used once."""
        if self.left == 0 or self.name not in (None, request.name) or self.endpoint not in (None, request.endpoint):
            return False
        if self.left is not None:
            self.left -= 1
        return True


@dataclass
class FaultCue(_Cue):
    """A fault to come, and how long it takes in seconds if it takes time."""

    fault: Fault
    seconds: float


@dataclass
class CannedAnswer(_Cue):
    """A response that a test has written, to be sent in place of the made-up one."""

    status: int
    body: bytes
    headers: Mapping[str, str | None] = field(default_factory=dict)
    billed: bool = True


class Script:
    """The faults and canned responses to come.

    Parameters
    ----------
    error_rate
        The share of requests that get a random fault, from 0 to 1.
    faults
        The faults to draw from; those of `ORDINARY` if empty.
    seed
        The seed of the random faults: with the same seed, the same sequence of requests gets the same faults.
    rate_limit
        Requests per second, over all clients; None for no limit.
    seconds
        The duration of a random fault that takes time, in seconds.
    clock
        The clock of the rate limit, in seconds, which never goes back.
    """

    def __init__(
        self,
        *,
        error_rate: float = 0.0,
        faults: Sequence[str] = (),
        seed: int = 0,
        rate_limit: float | None = None,
        seconds: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lock = Lock()
        self._random = random.Random(seed)  # noqa: S311 - a repeatable adversary, not a secret
        self._error_rate = error_rate
        self._faults = tuple(Fault(fault) for fault in faults) or ORDINARY
        self._rate_limit = rate_limit
        self._seconds = seconds
        self._clock = clock
        self._recent: deque[float] = deque()
        self._refused = 0
        self._fault_cues: list[FaultCue] = []
        self._canned: list[CannedAnswer] = []
        self._released = Event()

    def add(self, cue: FaultCue | CannedAnswer) -> None:
        """Add a cue. Of matching faults the oldest is used first, of matching canned responses the newest."""
        with self._lock:
            if isinstance(cue, FaultCue):
                self._fault_cues.append(cue)
            else:
                self._canned.insert(0, cue)

    def clear(self) -> None:
        """Remove every cue. Random faults and the rate limit stay."""
        with self._lock:
            self._fault_cues.clear()
            self._canned.clear()

    def wait(self, seconds: float) -> None:
        """Wait for some seconds, or until `release`."""
        self._released.wait(seconds)

    def release(self) -> None:
        """End every `wait` at once, now and from now on."""
        self._released.set()

    def fault(self, request: Request) -> FaultCue | None:
        """Return the fault for this request, if any: that of the rate limit, that of a cue, or a random one."""
        with self._lock:
            cues = (cue for cue in self._fault_cues if cue.takes(request))
            return self._rate_limited() or next(cues, None) or self._draw()

    def canned(self, request: Request) -> CannedAnswer | None:
        """Return the canned response for this request, or None."""
        with self._lock:
            return next((cue for cue in self._canned if cue.takes(request)), None)

    def _rate_limited(self) -> FaultCue | None:
        """Return a refusal if the limit of the last second is reached. Every second refusal has a Retry-After."""
        if self._rate_limit is None:
            return None
        now = self._clock()
        while self._recent and now - self._recent[0] >= 1:
            self._recent.popleft()
        if len(self._recent) < self._rate_limit:
            self._recent.append(now)
            return None
        self._refused += 1
        return self._once(Fault.RATE_LIMITED if self._refused % 2 else Fault.RATE_LIMITED_RETRY_AFTER)

    def _draw(self) -> FaultCue | None:
        """Draw a random fault with the probability `error_rate`; otherwise return None."""
        if self._error_rate <= self._random.random():
            return None
        return self._once(self._random.choice(self._faults))

    def _once(self, fault: Fault) -> FaultCue:
        return FaultCue(None, None, 1, fault, self._seconds)
