"""Defines the circuit breaker of a request, which decides when a call may be sent, and stops or pauses all workers.

It limits the money that a faulty service can cost. Making the calls is left to worker, and explaining to the user why a
request stopped to purchase.
"""

from __future__ import annotations

import threading
import time
from typing import Final

from suburb_pandas import errors
from suburb_pandas.purchasing.call_result import CallResult
from suburb_pandas.service.reading import Reading

FRUITLESS_IN_A_ROW: Final = 5
"""After this many calls in a row that brought no data, the service counts as down. Free refusals do not count."""

UNREADABLE_IN_A_ROW: Final = 3
"""After this many unreadable answers in a row, the service counts as broken."""

WITHOUT_DATA_AT_FIRST: Final = 10
"""If this many answers at the start of a request are without data, the service counts as having lost its data."""

WITHOUT_DATA_IN_A_ROW: Final = 20
"""The same for answers in a row, once one had data. Suburbs without data can be neighbours in a list."""

ABOUT_ANOTHER: Final = 2
"""After this many answers about another suburb, no answer can be trusted."""

STOPS: Final = (
    errors.Unauthorized,
    errors.PaymentRequired,
    errors.StoreError,
    errors.CassetteError,
    errors.SettingsError,
)
"""Errors that would affect every other call, so the whole request stops."""


class CircuitBreaker:
    """Decides when a call of a request may be sent, and stops or pauses all of its workers.

    Until the first answer with data, at most three calls are under way at a time, and fewer after calls that failed, so
    that no more calls fail than the breaker allows. After it, the calls that are under way at the first failure can
    fail as well. Of answers without data, no more arrive than the breaker allows, unless one with data comes late.

    Attributes
    ----------
    reason
        Why the service counts as down or broken, as part of a sentence; empty if it does not.
    is_proven
        True after the first answer with data.
    mispriced
        The result of the last call that cost more than its quoted price, or whose price could not be read; None if
        there was none.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._tripped = False
        self._resume_at = 0.0
        self._under_way = 0
        self.is_proven: bool = False
        self._fruitless_in_a_row = 0
        self._unreadable_in_a_row = 0
        self._left_without_data = WITHOUT_DATA_AT_FIRST  # answers without data that are left before it trips
        self._about_another = 0
        self._n_arrived = self._n_judged = 0
        self._readings: dict[int, Reading] = {}  # of answers that arrived after an answer that is still unread
        self.reason: str = ""
        self.mispriced: CallResult | None = None

    @property
    def tripped(self) -> bool:
        """True if no further call may be made."""
        return self._tripped

    @property
    def goes_on(self) -> bool:
        """True if the next call may begin in the commit that ends another one."""
        return self.is_proven and self._may_enter()

    def trip(self, reason: str = "") -> None:
        """Stop the request: no further call is made."""
        self._tripped = True  # before the lock: Ctrl-C may come while this waits for it
        with self._changed:
            self.reason = self.reason or reason
            self._changed.notify_all()

    def enter(self, seconds: float = 0.0) -> bool:
        """Wait until another call may be sent, and at least for ``seconds``; return False if the breaker has tripped.

        After True, the call counts as under way until `end`.
        """
        while self.wait(seconds):
            with self._changed:
                self._changed.wait_for(lambda: self._tripped or self._has_room())
            if self.enter_at_once():
                return True
            seconds = 0.0
        return False

    def enter_at_once(self) -> bool:
        """Return True if another call may be sent now, without waiting. That call then counts as under way."""
        with self._changed:
            if not self._may_enter():
                return False
            self._under_way += 1
            return True

    def arrived(self) -> int:
        """Count an answer as arrived, and return its number in the order of arrival."""
        with self._changed:
            self._n_arrived += 1
            return self._n_arrived

    def end(self, result: CallResult, price: int) -> None:
        """Count a call as ended, and trip if its result is a reason to do so. A call to be retried is not judged.

        The reasons are an error that affects every call, a price that differs from the quote, and a service that is
        down or broken.
        """
        with self._changed:
            self._under_way -= 1
            if result.again is None:
                self._count_fruitless(result)
                if result.cents > price or result.unread_price is not None:
                    self.mispriced = result
                if self.mispriced or isinstance(result.error, STOPS):
                    self.trip()
                if self._fruitless_in_a_row >= FRUITLESS_IN_A_ROW:
                    self.trip(
                        f"the service seems to be down: {FRUITLESS_IN_A_ROW} calls in a row had no usable response"
                    )
                if result.number is not None and result.reading is not None:
                    self._judge(result.number, result.reading)
            self._changed.notify_all()

    def _count_fruitless(self, result: CallResult) -> None:
        """Count the calls in a row that brought nothing. A response without data is left out, as `_judge` counts it."""
        reading = result.reading
        if result.fruitless or (reading is not None and reading.problem is not None and result.cents):
            self._fruitless_in_a_row += 1
        elif reading is None or reading.has_data:
            self._fruitless_in_a_row = 0

    def _judge(self, number: int, reading: Reading) -> None:
        """Trip after too many answers that cannot be read, are without data, or are about other suburbs.

        Answers in a row are counted in the order of arrival. One that cannot be read is without data, too.
        """
        self._readings[number] = reading
        while (following := self._readings.pop(self._n_judged + 1, None)) is not None:
            self._n_judged += 1
            self._unreadable_in_a_row = self._unreadable_in_a_row + 1 if following.problem else 0
            self._left_without_data = WITHOUT_DATA_IN_A_ROW if following.has_data else self._left_without_data - 1
            self.is_proven = self.is_proven or following.has_data
            self._about_another += following.is_about_another
            if self._about_another >= ABOUT_ANOTHER:
                self.trip(f"the service mixes suburbs up: {ABOUT_ANOTHER} responses were about other suburbs")
            if self._unreadable_in_a_row >= UNREADABLE_IN_A_ROW:
                self.trip(f"the service seems to be broken: {UNREADABLE_IN_A_ROW} responses in a row could not be read")
            if self._left_without_data <= 0:
                at_first, later = f"the first {WITHOUT_DATA_AT_FIRST}", f"the last {WITHOUT_DATA_IN_A_ROW}"
                which = later if self.is_proven else at_first
                self.trip(f"the service seems to have no data at the moment: {which} responses were without data")

    def pause(self, seconds: float) -> None:
        """Pause the request: no call is made for this many seconds."""
        with self._changed:
            self._resume_at = max(self._resume_at, time.monotonic() + seconds)

    def pause_left(self) -> float:
        """Return the seconds that are left of a pause."""
        return max(0.0, self._resume_at - time.monotonic())

    def wait(self, seconds: float) -> bool:
        """Wait this many seconds, or until a pause ends if that is later; return False if the breaker has tripped."""
        until = time.monotonic() + seconds
        with self._changed:
            while not self._tripped:
                left = max(until - time.monotonic(), self.pause_left())
                if left <= 0:
                    return True
                self._changed.wait(left)
        return False

    def _may_enter(self) -> bool:
        return not self._tripped and not self.pause_left() and self._has_room()

    def _has_room(self) -> bool:
        """Return True if another call may be under way, even if all of those under way will bring no data."""
        unread = len(self._readings)
        room = self._left_without_data - unread
        if not self.is_proven:
            room = min(room, UNREADABLE_IN_A_ROW - self._unreadable_in_a_row - unread)
        if not self.is_proven or self._fruitless_in_a_row:
            room = min(room, FRUITLESS_IN_A_ROW - self._fruitless_in_a_row)
        return self._under_way < room
