"""The circuit breaker of a request: stops further calls, or pauses them, for all workers at the same time."""

from __future__ import annotations

import threading
import time
from typing import Final

from suburb_pandas import errors
from suburb_pandas.purchasing.call_result import CallResult

SILENT_IN_A_ROW: Final = 5
"""The number of calls in a row without a usable answer after which the service counts as down."""

STOPS: Final = (
    errors.Unauthorized,
    errors.PaymentRequired,
    errors.StoreError,
    errors.CassetteError,
    errors.SettingsError,
)
"""Errors that would affect every other call, so the whole request stops."""


class CircuitBreaker:
    """Stops or pauses all workers of a request. Each worker checks it before a call begins."""

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
        """Let no further call be made."""
        self._stop.set()

    def note(self, result: CallResult, price: int) -> None:
        """Trip for an error that affects every call, a charge above the quoted price, or a service that is down."""
        with self._lock:
            self._silent_in_a_row = self._silent_in_a_row + 1 if result.silent else 0
            if result.cents > price:
                self.surcharge = result
            if self.surcharge or isinstance(result.error, STOPS) or self._silent_in_a_row >= SILENT_IN_A_ROW:
                self.trip()

    def pause(self, seconds: float) -> None:
        """Let no call be made for so many seconds."""
        with self._lock:
            self._resume_at = max(self._resume_at, time.monotonic() + seconds)

    def pausing(self) -> float:
        """Return the seconds that are left of a pause."""
        return max(0.0, self._resume_at - time.monotonic())

    def wait(self, seconds: float) -> bool:
        """Wait so many seconds, and until a pause ends; return False if no further call may be made."""
        until = time.monotonic() + seconds
        while not self.tripped:
            left = max(until - time.monotonic(), self.pausing())
            if left <= 0:
                return True
            self._stop.wait(left)
        return False
