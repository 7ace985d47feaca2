"""Defines the circuit breaker of a request, which stops or pauses the calls of all its workers at the same time."""

from __future__ import annotations

import threading
import time
from typing import Final

from suburb_pandas import errors
from suburb_pandas.purchasing.call_result import CallResult

SILENT_IN_A_ROW: Final = 5
"""After so many calls in a row without a usable answer, the service counts as down."""

STOPS: Final = (
    errors.Unauthorized,
    errors.PaymentRequired,
    errors.StoreError,
    errors.CassetteError,
    errors.SettingsError,
)
"""Errors that would affect every other call, so the whole request stops."""


class CircuitBreaker:
    """Stops or pauses all workers of a request. Each worker checks it before a call begins.

    ``surcharge`` is the result of the last call that cost more than its quoted price, None if there was none.
    """

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._resume_at = 0.0
        self._silent_in_a_row = 0
        self._lock = threading.Lock()
        self.surcharge: CallResult | None = None

    @property
    def tripped(self) -> bool:
        """True if no further call may be made."""
        return self._stop.is_set()

    def trip(self) -> None:
        """Stop the request: no further call is made."""
        self._stop.set()

    def note(self, result: CallResult, price: int) -> None:
        """Trip if the error of a call affects every call, if it cost more than its price, or if the service is down."""
        with self._lock:
            self._silent_in_a_row = self._silent_in_a_row + 1 if result.silent else 0
            if result.cents > price:
                self.surcharge = result
            if self.surcharge or isinstance(result.error, STOPS) or self._silent_in_a_row >= SILENT_IN_A_ROW:
                self.trip()

    def pause(self, seconds: float) -> None:
        """Pause the request: no call is made for so many seconds."""
        with self._lock:
            self._resume_at = max(self._resume_at, time.monotonic() + seconds)

    def pause_left(self) -> float:
        """Return how many seconds of a pause are left."""
        return max(0.0, self._resume_at - time.monotonic())

    def wait(self, seconds: float) -> bool:
        """Wait so many seconds, or until a pause ends if that is later; return False if the breaker has tripped."""
        until = time.monotonic() + seconds
        while not self.tripped:
            left = max(until - time.monotonic(), self.pause_left())
            if left <= 0:
                return True
            self._stop.wait(left)
        return False
