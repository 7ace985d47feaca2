"""Decides which connections may serve another call, and tells each call which socket it is using.

A connection that carries more or less than one response for each request would pass one call's response to the next. So
a connection is kept only after a response that transport found complete and its caller has read, and only if its socket
holds nothing more. It is checked again when the next call takes it.

It is the only module that subclasses http.client, urllib3 and requests or uses their private methods, so check it when
one of them has a new version. Ending calls is left to deadline.
"""

from __future__ import annotations

import http.client
import io
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from queue import Empty
from typing import Any

from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from urllib3 import PoolManager

from suburb_pandas.http.deadline import TimedCall

_current = threading.local()
"""The attribute ``call`` of this object is the call that the current thread is making."""


class ConnectedCall(TimedCall):
    """A call and its connection.

    Parameters
    ----------
    fresh
        True for a new connection, which serves no other call.

    Attributes
    ----------
    is_garbled
        True if some lines among the headers of the response are not headers, so that the headers after them are lost.
    price
        The ``X-Cost-Cents`` of the response, as soon as its headers have arrived; None without one.
    is_clean
        True if the response is a 200 with a body, and the end of the body is known for certain.
    has_surplus
        True if the connection carried more bytes than the response.
    connection
        The connection, after the response has arrived over it.
    epoch
        The pool's epoch when the call took its connection.
    """

    def __init__(self, *, fresh: bool = False) -> None:
        super().__init__()
        self.fresh = fresh
        self.is_garbled: bool = False
        self.price: str | None = None
        self.is_clean: bool = False
        self.has_surplus: bool = False
        self.connection: Any = None
        self.epoch: int = 0

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Make this the call of the current thread for the block."""
        _current.call = self
        try:
            yield
        finally:
            del _current.call


class _ResponseFile(io.BufferedReader):
    """The bytes that a socket delivers for one response. When the file is closed, it notes whether there are more."""

    def __init__(self, raw: io.RawIOBase, sock: Any, call: ConnectedCall) -> None:
        super().__init__(raw)
        self._sock = sock
        self._call = call

    def close(self) -> None:
        if not self.closed:
            self._call.has_surplus = self._call.has_surplus or self._has_more()
        super().close()

    def _has_more(self) -> bool:
        """Return True if more bytes have arrived, in this buffer, in that of TLS or in the socket, without waiting."""
        with suppress(OSError, ValueError):  # there are none, or the socket is closed
            timeout = self._sock.gettimeout()
            self._sock.settimeout(0)
            try:
                return bool(self.peek(1))
            finally:
                self._sock.settimeout(timeout)
        return False


class _FinalResponse(http.client.HTTPResponse):
    """A response of http.client that skips every interim one (1xx). http.client itself skips only 100."""

    def __init__(self, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        if _current.call.sent:  # otherwise a proxy answers, before TLS begins
            self.fp = _ResponseFile(self.fp.detach(), sock, _current.call)

    def begin(self) -> None:
        """Read the status and the headers."""
        super().begin()
        while self.status < HTTPStatus.OK:
            self.headers = self.msg = None  # type: ignore[assignment]  # as before the headers are read
            super().begin()
        if self.msg.defects or self.msg.get_payload():
            _current.call.is_garbled = True
            # urllib3 would log the lines that are no headers, and they may repeat the API key.
            self.msg.defects.clear()
            self.msg.set_payload("")


class WatchedPool:
    """Mixin for urllib3's connection pools, which decides about connections and tells calls about sockets.

    Rejected: subclassing the connections, whose class vcrpy and similar tools replace.
    """

    pool: Any

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._epoch = 0
        self._keeping = threading.Lock()

    @contextmanager
    def held_until_read(self, call: ConnectedCall) -> Iterator[None]:
        """Hold the connection of a call for the block in which its response is read; if that fails, close it."""
        try:
            yield
        except BaseException:
            call.is_clean = False
            raise
        finally:
            self._give_back(call)

    def _give_back(self, call: ConnectedCall) -> None:
        """Keep the connection of a call for the next one, or close it."""
        connection, call.connection = call.connection, None
        if connection is None:
            return
        is_good = call.is_clean and not (call.cut or call.has_surplus or call.fresh)
        with self._keeping:
            if is_good and call.epoch == self._epoch:
                super()._put_conn(connection)  # type: ignore[misc]
                return
        connection.close()

    def close_all(self) -> None:
        """Close the idle connections now, and each of the others when its call ends."""
        with self._keeping:
            self._epoch += 1
            with suppress(Empty):
                while True:
                    connection = self.pool.get(block=False)
                    if connection is not None:
                        connection.close()

    def _get_conn(self, timeout: float | None = None) -> Any:
        """Return a connection on which nothing has arrived since it was kept, or a new one."""
        call = _current.call
        call.epoch = self._epoch
        return self._new_conn() if call.fresh else super()._get_conn(timeout)  # type: ignore[misc]

    def _validate_conn(self, connection: Any) -> None:
        """Connect if necessary, and note that the request is about to be sent."""
        super()._validate_conn(connection)  # type: ignore[misc]
        if connection.is_closed:
            connection.connect()
        _current.call.use(connection.sock, sent=True)

    def _new_conn(self) -> Any:
        """Return a new connection that notes its socket before it talks to a proxy or negotiates TLS."""
        connection = super()._new_conn()  # type: ignore[misc]
        connection.response_class = _FinalResponse
        connect = connection._new_conn  # noqa: SLF001 - urllib3 has no public hook between the socket and TLS

        def connect_and_note() -> Any:
            sock = connect()
            _current.call.use(sock, sent=False)
            return sock

        connection._new_conn = connect_and_note  # noqa: SLF001 - as above
        return connection

    def _put_conn(self, connection: Any) -> None:
        """Hold a connection whose response has arrived, until `_give_back` decides about it."""
        if connection is not None:
            _current.call.release()
            _current.call.connection = connection


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
