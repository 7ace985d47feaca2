"""Ends each call at its deadline, and notes whether its request may have left.

Telling a call which socket it is using is left to connections, sending the request and reading the response to
transport.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_IDLE_SECONDS = 5.0  # after so long without calls, the thread ends


class TimedCall:
    """One call with a deadline, and the socket that it is using.

    Attributes
    ----------
    sent
        True if the request may have left.
    expired
        True if the deadline has passed.
    cut
        True if the deadline passed after the request may have left, so that the response may be incomplete.
    """

    def __init__(self) -> None:
        self.sent: bool = False
        self.expired: bool = False
        self.cut: bool = False
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()

    def use(self, sock: object, *, sent: bool) -> None:
        """Note the socket that the call uses from now on, and whether the request is about to be sent through it."""
        with self._lock:
            if self.expired:
                raise _ExpiredError
            self.sent = sent
            self._socket = sock if isinstance(sock, socket.socket) else None

    def release(self) -> None:
        """Forget the socket, which another call may use from now on."""
        with self._lock:
            self._socket = None

    def expire(self) -> None:
        """Mark the call as expired and shut its socket down, so that the thread that makes the call stops waiting."""
        with self._lock:
            self.expired = True
            if self._socket is not None:
                self.cut = self.sent
                _shut_down(self._socket)


class _ExpiredError(Exception):
    """The deadline passed before there was a connection."""


def _shut_down(sock: socket.socket) -> None:
    """Shut down a socket from which another thread is reading."""
    try:
        # Not sock.shutdown: on a TLS socket, that would also drop the TLS state which the reader is using.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        return  # the reader has closed it already


class Deadlines:
    """The deadlines of a transport's calls, each the same number of seconds after its start.

    A socket's own timeout is not enough: it limits the wait for the next bytes, not the whole call. One thread expires
    all calls, oldest first, and ends when there has been no call for 5 seconds. Rejected: a thread for each call, which
    took a tenth of the time of a batch.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[TimedCall, float] = {}
        self._changed = threading.Condition()
        self._has_thread = self._is_closed = False

    @contextmanager
    def watch(self, call: TimedCall) -> Iterator[None]:
        """Expire `call` if the block is still running at the deadline."""
        try:
            with self._changed:
                self._ends[call] = time.monotonic() + self._seconds
                if not self._has_thread:
                    threading.Thread(target=self._run, daemon=True).start()
                    self._has_thread = True
                if len(self._ends) == 1:  # otherwise the thread already waits for an earlier deadline
                    self._changed.notify()
            yield
        finally:
            with self._changed:
                self._ends.pop(call, None)

    def close(self) -> None:
        """End the thread as soon as no call is left."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ends or self._is_closed, _IDLE_SECONDS)
                if not self._ends:
                    self._has_thread = False
                    return
                call, end = next(iter(self._ends.items()))
                left = end - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                    continue
                del self._ends[call]
            call.expire()
