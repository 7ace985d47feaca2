"""Ends each call at its deadline, and notes whether its request may have left.

It is the only module that subclasses urllib3 and requests or uses their private methods, so check it when either has a
new version. Sending the request and reading the response are left to transport.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from urllib3 import PoolManager

_IDLE_SECONDS = 5.0  # after which the thread without calls ends


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


_current = threading.local()
"""Its attribute ``call`` is the call that the current thread is making."""


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
        """Expire `call` if the block, which makes the call in this thread, is still running at the deadline."""
        _current.call = call
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
            self._ends.pop(call, None)
            del _current.call

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
                call, end = next(iter(self._ends.items()), (None, 0.0))
                if call is not None and end > time.monotonic():
                    self._changed.wait(end - time.monotonic())
                    continue
            if call is not None:
                self._ends.pop(call, None)
                call.expire()


class WatchedPool:
    """Mixin for urllib3's connection pools, which tells the current thread's call which socket it is using.

    Rejected: subclassing the connections, whose class vcrpy and similar tools replace.
    """

    def _validate_conn(self, connection: Any) -> None:
        """Connect if necessary, and note that the request is about to be sent."""
        super()._validate_conn(connection)  # type: ignore[misc]
        if connection.is_closed:
            connection.connect()
        _current.call.use(connection.sock, sent=True)

    def _new_conn(self) -> Any:
        """Return a new connection that notes its socket before it talks to a proxy or negotiates TLS."""
        connection = super()._new_conn()  # type: ignore[misc]
        connect = connection._new_conn  # noqa: SLF001 - urllib3 has no public hook between the socket and TLS

        def connect_and_note() -> Any:
            sock = connect()
            _current.call.use(sock, sent=False)
            return sock

        connection._new_conn = connect_and_note  # noqa: SLF001 - as above
        return connection

    def _put_conn(self, connection: Any) -> None:
        """Put a connection back into the pool, where another call may take it."""
        if hasattr(_current, "call"):
            _current.call.release()
        super()._put_conn(connection)  # type: ignore[misc]


class WatchedAdapter(HTTPAdapter):
    """A requests adapter whose pools are all watched: direct, through an HTTP proxy or through SOCKS."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """Create the manager of direct connections."""
        super().init_poolmanager(*args, **options)
        _watch_pools(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        """Return the manager of connections through `proxy`."""
        is_new = proxy not in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **options)
        if is_new:
            _watch_pools(manager)
        return manager

    def open_pool(self, request: PreparedRequest, *, verify: bool | str, proxies: Mapping[str, str]) -> tuple[Any, str]:
        """Return the pool for the URL of `request`, and the prefix of every path: the whole URL if a proxy needs it.

        requests takes these steps at each call. Here one pool serves all calls, so they are taken once.
        """
        pool = self.get_connection_with_tls_context(request, verify, proxies)
        self.cert_verify(pool, request.url, verify, None)  # type: ignore[no-untyped-call]
        return pool, self.request_url(request, proxies).rstrip("/")


def _watch_pools(manager: PoolManager) -> None:
    """Have `manager` create watched pools from now on."""
    manager.pool_classes_by_scheme = {
        scheme: type(pool.__name__, (WatchedPool, pool), {}) for scheme, pool in manager.pool_classes_by_scheme.items()
    }
