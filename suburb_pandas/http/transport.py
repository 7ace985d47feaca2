"""One HTTP exchange: a path goes out with the key, a status, headers and a whole body come back.

Owns the connection pool, the deadline of a call, the size limit, and where the key may go. It does not retry, follow
redirects, keep cookies or look at what an answer says: a call costs money, and what to make of one is purchase's.
"""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from ssl import CertificateError
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import BaseHTTPResponse, PoolManager, Timeout
from urllib3.exceptions import (
    ConnectTimeoutError,
    IncompleteRead,
    InvalidChunkLength,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    ReadTimeoutError,
)

from suburb_pandas.errors import SettingsError
from suburb_pandas.service.calls import BODY_LIMIT, Exchange, NoAnswerError
from suburb_pandas.settings import Settings

_CHUNK = 2**16
_IDLE = 5.0
_LONG = 20  # digits; of a length with thousands of them Python's library would make none
_BODILESS = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
_IN_WORDS: dict[type[BaseException], str] = {
    NameResolutionError: "the host's name is not known",
    NewConnectionError: "no connection could be made",
    ConnectTimeoutError: "no connection was made in time",
    ReadTimeoutError: "no connection was made in time",  # as TLS has it; what was sent meets its deadline first
    http.client.RemoteDisconnected: "the connection was closed without an answer",
    http.client.IncompleteRead: "the connection was lost in the middle of the answer",
    IncompleteRead: "the connection was lost in the middle of the answer",
    InvalidChunkLength: "the connection was lost in the middle of the answer",
    ConnectionResetError: "the connection was reset",
    ProxyError: "the proxy could not be reached",
}


class Transport:
    """Calls to one base URL, safe to share between threads.

    requests reads the settings and opens the pool of connections, once; each call is urllib3's. Rejected: the sessions
    of requests, which at each call look the environment up, let a netrc replace the key, keep cookies and read
    redirects, and take three times as long.

    Raises
    ------
    SettingsError
        The proxy or the certificates cannot be used.
    """

    def __init__(self, settings: Settings, base_url: str) -> None:
        self._settings = settings
        self._watch = _Watch(settings.timeout)
        self._adapter = _Adapter(pool_maxsize=settings.max_workers)
        # The wait for each next byte is longer than the call may take, so that it is the deadline that ends it.
        self._timeout = Timeout(connect=settings.timeout, read=settings.timeout + 1)
        problem = self._open(requests.Request("GET", base_url).prepare())
        if problem:
            raise SettingsError(f"The service cannot be called with these settings: {problem}. Nothing was sent.")

    def get(self, path: str) -> Exchange:
        """Make one call.

        Raises
        ------
        NoAnswerError
            No whole answer came in time.
        """
        call, too_late, why, lasting = _Call(), f"its {self._settings.timeout:g} s were over", "", False
        try:
            with self._watch.over(call):
                exchange = self._exchange(path)
        except Exception as problem:  # noqa: BLE001 - whatever it was, the call may have been charged
            why = too_late if call.expired else _why(problem)
            lasting = not call.expired and _refusal(problem) is not None
        if call.cut:  # which may look like an answer that has ended
            why = too_late
        if why:
            # Raised out here: the library's own exception, which would be its context, holds the request and the key.
            raise NoAnswerError(why, sent=call.sent, lasting=lasting)
        return exchange

    def close(self) -> None:
        """Close the connections."""
        self._adapter.close()
        self._watch.close()

    def _open(self, request: requests.PreparedRequest) -> str | None:
        """Open the pool; give what is wrong with the settings, if it cannot be."""
        verify, proxies = self._settings.verify, self._settings.proxies
        try:
            self._pool: Any = self._adapter.get_connection_with_tls_context(request, verify, proxies)
            self._adapter.cert_verify(self._pool, request.url, verify, None)  # type: ignore[no-untyped-call]
            self._prefix = self._adapter.request_url(request, proxies).rstrip("/")
        except Exception as problem:  # noqa: BLE001 - what a proxy may be called is for the libraries to say
            return _why(problem)
        return None

    def _exchange(self, path: str) -> Exchange:
        headers = {
            "User-Agent": f"suburb_pandas/{_version()}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # what is kept is then what came, and can be read in the store
            "Authorization": f"Bearer {self._settings.api_key.value}",
        }
        with self._pool.urlopen(
            "GET",
            f"{self._prefix}{path}",
            headers=headers,
            retries=False,
            redirect=False,
            assert_same_host=False,
            timeout=self._timeout,
            preload_content=False,
        ) as answer:
            named = {name.lower(): value for name, value in answer.headers.items()}
            return Exchange(answer.status, named, _body(answer))


@cache
def _version() -> str:
    return version("suburb_pandas")


def _body(answer: BaseHTTPResponse) -> bytes:
    """Read all of an answer, as long as that is not too much, and be sure that it is all."""
    _check_length(answer)
    body = bytearray()
    for chunk in answer.stream(_CHUNK, decode_content=True):
        body += chunk
        if len(body) > BODY_LIMIT:
            raise _UnusableError(f"the answer is larger than {BODY_LIMIT // 2**20} MiB")
    # A connection lost among the headers looks to Python's HTTP library like their end, and the body then like none.
    says_so = answer.status in _BODILESS or answer.headers.get("Content-Length") == "0" or _is_chunked(answer)
    if not body and not says_so:
        raise _UnusableError("the answer broke off before its body")
    return bytes(body)


def _check_length(answer: BaseHTTPResponse) -> None:
    """Refuse a length that Python's HTTP library would pass over, and with it whether the body is whole."""
    said = {part.strip() for part in answer.headers.get("Content-Length", "0").split(",")}
    if len(said) > 1 or not all(part.isascii() and part.isdigit() and len(part) < _LONG for part in said):
        raise _UnusableError("the answer says of no length that can be read")


def _is_chunked(answer: BaseHTTPResponse) -> bool:
    return answer.headers.get("Transfer-Encoding", "").lower() == "chunked"


class _UnusableError(Exception):
    """What came, or did not come, cannot be used."""


def _why(problem: BaseException) -> str:
    """Say what went wrong as a person would; for what is not foreseen, in the words of the innermost cause."""
    causes = list(_causes(problem))
    if isinstance(problem, _UnusableError):
        return str(problem)
    refusal = _refusal(problem)
    if refusal is not None:
        return refusal
    for kind, words in _IN_WORDS.items():
        if any(isinstance(cause, kind) for cause in causes):
            return words
    return " ".join(f"{type(causes[-1]).__name__}: {causes[-1]}".split())[:200]


def _refusal(problem: BaseException) -> str | None:
    """Say why no connection will be made next time either: for the host's certificate, or because a proxy refuses."""
    for cause in _causes(problem):
        if isinstance(cause, CertificateError):
            return f"the host's certificate is not to be trusted: {cause.verify_message.rstrip('.')}; see verify="
        if isinstance(cause, OSError) and "Tunnel connection failed" in str(cause):
            return f"the proxy refused: {str(cause).partition(': ')[2]}"
    return None


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """Give an exception and those that it wraps, outermost first, as requests and urllib3 nest them."""
    yield problem
    wrapped = (getattr(problem, "reason", None), getattr(problem, "original_error", None), *problem.args)
    inner = next((one for one in wrapped if isinstance(one, BaseException)), None)
    if inner is not None:
        yield from _causes(inner)


class _Call:
    """One call under a deadline, and the socket it has in hand.

    ``sent`` says whether it may have left, ``expired`` whether its time ran out, and ``cut`` whether that was after it
    may have left, so that what it read may be short.
    """

    def __init__(self) -> None:
        self.sent = self.expired = self.cut = False
        self._sock: socket.socket | None = None
        self._lock = threading.Lock()

    def hold(self, sock: object, *, sent: bool) -> None:
        """Note the socket that the call waits at, and whether the request is about to leave by it."""
        with self._lock:
            if self.expired:
                raise _UnusableError("the time was over before there was a connection")
            self.sent = sent
            self._sock = sock if isinstance(sock, socket.socket) else None

    def give_back(self) -> None:
        """Note that the socket is no longer this call's: the next one may have it already."""
        with self._lock:
            self._sock = None

    def expire(self) -> None:
        """Shut the socket, as the time is over, so that whoever reads it returns."""
        with self._lock:
            self.expired = True
            if self._sock is not None:
                self.cut = self.sent
                _shut(self._sock)


_current = threading.local()


class _Watch:
    """Ends the calls of a transport whose time is over: a socket's own timeout limits the wait for each next byte.

    All calls may take as long, so the one that began first is the first to end. One thread watches them all, and goes
    when there has been none for a while. Rejected: a thread a call, which takes a tenth of the time of a batch.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[_Call, float] = {}
        self._changed = threading.Condition()
        self._is_on = self._is_closed = False

    @contextmanager
    def over(self, call: _Call) -> Iterator[None]:
        """Watch a call for as long as the block runs."""
        _current.call = call
        try:
            with self._changed:
                self._ends[call] = time.monotonic() + self._seconds
                if not self._is_on:
                    threading.Thread(target=self._run, daemon=True).start()
                    self._is_on = True
                if len(self._ends) == 1:  # else it waits for the end of an earlier call, before which no other can be
                    self._changed.notify()
            yield
        finally:
            self._ends.pop(call, None)
            del _current.call

    def close(self) -> None:
        """Have the thread go as soon as there are no more calls."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ends or self._is_closed, _IDLE)
                if not self._ends:
                    self._is_on = False
                    return
                call, end = next(iter(self._ends.items()), (None, 0.0))
                if call is not None and end > time.monotonic():
                    self._changed.wait(end - time.monotonic())
                    continue
            if call is not None:
                self._ends.pop(call, None)
                call.expire()


def _shut(sock: socket.socket) -> None:
    """Shut a socket under its reader. Of a TLS socket it is the TCP one below: TLS is in the reader's hands."""
    try:
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        return  # closed meanwhile


class _Watched:
    """Tells the call of the current thread which connection it has, from just before the request leaves.

    The connection's class stays urllib3's, so that tools which replace it, as vcrpy does, still can.
    """

    def _validate_conn(self, connection: Any) -> None:
        super()._validate_conn(connection)  # type: ignore[misc]
        if connection.is_closed:
            connection.connect()
        _current.call.hold(connection.sock, sent=True)

    def _new_conn(self) -> Any:
        """Make a connection that tells of its socket before it speaks to a proxy or of TLS."""
        connection = super()._new_conn()  # type: ignore[misc]
        connect = connection._new_conn  # noqa: SLF001 - there is no public place between the two

        def noted() -> Any:
            sock = connect()
            _current.call.hold(sock, sent=False)
            return sock

        connection._new_conn = noted  # noqa: SLF001 - as above
        return connection

    def _put_conn(self, connection: Any) -> None:
        if hasattr(_current, "call"):
            _current.call.give_back()
        super()._put_conn(connection)  # type: ignore[misc]


def _watch(manager: PoolManager) -> None:
    """Have a manager make pools that are watched, whichever kind it makes: direct, by proxy or by SOCKS."""
    manager.pool_classes_by_scheme = {
        scheme: type(pool.__name__, (_Watched, pool), {}) for scheme, pool in manager.pool_classes_by_scheme.items()
    }


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        _watch(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        is_new = proxy not in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **options)
        if is_new:
            _watch(manager)
        return manager
