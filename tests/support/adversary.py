"""Runs the sandbox as an adversary: with faults, canned responses and a count of all that it charged.

It extends the package's `Service` and `Sandbox` from outside. What a fault does is left to faults.
"""

import copy
import random
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event, Lock

from suburb_pandas.sandbox.answers import answer
from suburb_pandas.sandbox.server import Sandbox
from suburb_pandas.sandbox.service import Service
from tests.support.faults import BEFORE_BILLING, Fault, delivered, failure, spoil


@dataclass
class _Cue:
    """The calls that a fault or canned response is for: name, endpoint and how many are left. None means any."""

    name: str | None
    endpoint: str | None
    left: int | None

    def takes(self, request):
        """Return True if the cue is for this request, and count it as used once."""
        if self.left == 0 or self.name not in (None, request.name) or self.endpoint not in (None, request.endpoint):
            return False
        if self.left is not None:
            self.left -= 1
        return True


@dataclass
class _FaultCue(_Cue):
    fault: Fault
    seconds: float


@dataclass
class _Canned(_Cue):
    status: int
    body: bytes
    headers: dict[str, str | None]
    billed: bool


@dataclass(frozen=True)
class LoggedRequest:
    """A request in the log. It does not hold the key."""

    target: str
    status: int
    fault: str | None = None


@dataclass
class Books:
    """The counts of a service: calls and cents by endpoint and name, and every request."""

    served: Counter = field(default_factory=Counter)
    billed: Counter = field(default_factory=Counter)
    requests: list[LoggedRequest] = field(default_factory=list)
    most_at_once: int = 0


class HostileService(Service):
    """A service that fails when a test says so. All of its own data are behind one lock."""

    def __init__(self, *, error_rate=0.0, faults=(), seed=0, slow_seconds=1.0, **options):
        super().__init__(**options)
        self.lock = Lock()
        self.released = Event()
        self.cues, self.canned, self.books = [], [], Books()
        self._random = random.Random(seed)
        self._rate, self._faults, self._seconds = error_rate, tuple(faults), slow_seconds
        self._at_once = 0

    def respond(self, request):
        """Return the response to a request, with a fault if it gets one, and log it."""
        with self._in_progress():
            cue = self._cue(request) if request.endpoint and request.method == "GET" else None
            response = self._faulty(request, cue) if cue else super().respond(request)
            with self.lock:
                fault = cue and cue.fault
                self.books.requests.append(LoggedRequest(request.target, response.status, fault))
        return response

    def answer(self, request):
        """Return a canned response if there is one and the key is known; otherwise the made-up one."""
        with self.lock:
            canned = next((cue for cue in self.canned if request.has_known_key and cue.takes(request)), None)
        if canned is None:
            return super().answer(request)
        response = replace(answer(request.target, canned.status, None), body=canned.body)
        if canned.billed:
            response = self.metered(request, response)
        headers = response.with_headers(canned.headers).headers
        return replace(response, headers={name: value for name, value in headers.items() if value is not None})

    def metered(self, request, response):
        """Count a call that is charged."""
        response = super().metered(request, response)
        with self.lock:
            if "X-Cost-Cents" in response.headers:
                self.books.served[request.endpoint, request.name] += 1
                if request.is_paid:
                    self.books.billed[request.endpoint, request.name] += int(response.headers["X-Cost-Cents"])
        return response

    def _faulty(self, request, cue):
        if cue.fault == Fault.LATENCY:
            self.released.wait(cue.seconds)
        if cue.fault in BEFORE_BILLING:
            return failure(cue.fault, request.target)
        return delivered(spoil(cue.fault, super().respond(request), request.target), cue.fault, cue.seconds)

    def _cue(self, request):
        """Return the fault that this call gets: the oldest that a test has added, or a random one, or None."""
        with self.lock:
            added = next((cue for cue in self.cues if cue.takes(request)), None)
            if added or self._rate <= self._random.random():
                return added
            return _FaultCue(None, None, 1, self._random.choice(self._faults), self._seconds)

    @contextmanager
    def _in_progress(self):
        with self.lock:
            self._at_once += 1
            self.books.most_at_once = max(self.books.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self.lock:
                self._at_once -= 1


class Adversary(Sandbox):
    """A running sandbox with its counts, and the faults and responses that tests add to it."""

    service: HostileService

    @property
    def served(self):
        """The number of calls served, free or paid, by endpoint and name (for geocode: the query).

        A call counts from the time of its charge, even if a fault then spoils or drops its response.
        """
        return self._copied("served")

    @property
    def billed(self):
        """The cents billed, by endpoint and name. Calls under the free keys are not included."""
        return self._copied("billed")

    @property
    def requests(self):
        """Every request, in the order of their responses."""
        return tuple(self._copied("requests"))

    @property
    def most_at_once(self):
        """The largest number of requests that were in progress at the same time."""
        return self.service.books.most_at_once

    def tally(self):
        """Return all counts, and the log."""
        with self.service.lock:
            books = self.service.books
            totals = {"calls": books.served.total(), "cents": books.billed.total()}
            return copy.deepcopy(vars(books) | totals)

    def fail(self, fault, *, name=None, endpoint=None, times=1, seconds=1.0):
        """Add a fault for the next matching calls. Of several that match, the oldest is used.

        Parameters
        ----------
        fault
            A `Fault`, or its name, such as ``"malformed_json"``.
        name
            The suburb of the matching calls (for geocode: the query); None matches any.
        endpoint
            ``rent``, ``impacts`` or ``geocode``; None matches any.
        times
            The number of calls that get the fault; None for all from now on.
        seconds
            The duration of the fault if it is ``latency``, ``slow_body`` or ``slow_headers``, in seconds.
        """
        cue = _FaultCue(name, endpoint, times, Fault(fault), seconds)
        with self.service.lock:
            self.service.cues.append(cue)

    def release(self):
        """End every wait of a ``latency`` fault at once, now and from now on."""
        self.service.released.set()

    def answer(self, name, endpoint, *, status=200, body=b"", headers=None, billed=None, times=None):
        """Add a canned response, for a suburb of the sandbox or any other name.

        Of several that match a call, the newest is used.

        Parameters
        ----------
        name, endpoint
            The calls to answer: a suburb (for geocode: a query), and ``rent``, ``impacts`` or ``geocode``.
        status, body
            The status and the body of the response.
        headers
            Headers to add or replace; None as a value removes the header, even the mark of made-up data.
        billed
            True if the call is counted and charged, and its response has metering headers. None means True for
            status 200 and False for any other.
        times
            The number of calls to answer; None for all from now on.
        """
        charged = status == 200 if billed is None else billed
        canned = _Canned(name, endpoint, times, status, body, headers or {}, charged)
        with self.service.lock:
            self.service.canned.insert(0, canned)

    def clear(self):
        """Remove everything that `fail` and `answer` have added. The counts stay."""
        with self.service.lock:
            self.service.cues.clear()
            self.service.canned.clear()

    def _copied(self, books):
        with self.service.lock:
            return getattr(self.service.books, books).copy()


def serve(port=0, **options):
    """Start a sandbox that a test can turn into an adversary, as the package's `serve` does.

    Besides the options of `Service`, ``error_rate`` draws from ``faults``, with the random ``seed`` and with
    ``slow_seconds`` for a fault that takes time.
    """
    return Adversary(HostileService(**options), port)
