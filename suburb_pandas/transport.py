"""One HTTP exchange: a path goes out with the key, a status, headers and a whole body come back.

Owns the connection pool, the deadline of a call, the size limit, and where the key may go. It does not retry, follow
redirects, keep cookies or look at what an answer says: a call costs money, and what to make of one is purchase's.
"""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.cookiejar import DefaultCookiePolicy
from importlib.metadata import version
from ssl import CertificateError
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import PoolManager
from urllib3.exceptions import (
    ConnectTimeoutError,
    IncompleteRead,
    InvalidChunkLength,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    ReadTimeoutError,
)

from .calls import BODY_LIMIT, Exchange, NoAnswerError
from .settings import Key, Settings

_CHUNK = 2**16
_IN_WORDS: dict[type[BaseException], str] = {
    NameResolutionError: "the host's name is not known",
    ProxyError: "the proxy could not be reached",
    NewConnectionError: "no connection could be made",
    ConnectTimeoutError: "no connection was made in time",
    ReadTimeoutError: "no connection was made in time",  # as TLS has it; what was sent meets its deadline first
    CertificateError: "the host's certificate is not to be trusted",
    http.client.RemoteDisconnected: "the connection was closed without an answer",
    http.client.IncompleteRead: "the connection was lost in the middle of the answer",
    IncompleteRead: "the connection was lost in the middle of the answer",
    InvalidChunkLength: "the connection was lost in the middle of the answer",
    ConnectionResetError: "the connection was reset",
}


class Transport:
    """A session of calls to one base URL, safe to share between threads."""

    def __init__(self, settings: Settings, base_url: str) -> None:
        self._base_url = base_url
        self._timeout = settings.timeout
        self._session = _session(settings)

    def get(self, path: str) -> Exchange:
        """Make one call.

        Raises
        ------
        NoAnswerError
            No whole answer came in time.
        """
        call, too_late, why = _Call(), f"its {self._timeout:g} s were over", ""
        try:
            with _deadline(call, self._timeout):
                exchange = self._exchange(path)
        except Exception as problem:  # noqa: BLE001 - whatever it was, the call may have been charged
            why = too_late if call.expired else _why(problem)
        if call.cut:  # which may look like an answer that has ended
            why = too_late
        if why:
            # Raised out here: the library's own exception, which would be its context, holds the request and the key.
            raise NoAnswerError(why, sent=call.sent)
        return exchange

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def _exchange(self, path: str) -> Exchange:
        url = self._base_url + path
        # The wait for each next byte is longer than the call may take, so that it is the deadline that ends it.
        timeout = (self._timeout, self._timeout + 1)
        with self._session.get(url, stream=True, allow_redirects=False, timeout=timeout) as answer:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return Exchange(answer.status_code, headers, _body(answer))


class _Bearer(requests.auth.AuthBase):
    """Sets the key on each request: a dict of headers would have a repr to leak from."""

    def __init__(self, key: Key) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key.value}"
        return request


class _Session(requests.Session):
    """A session to which every answer is final: requests would read a redirect's body and parse its address."""

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002 - the name is requests'
        return None


def _session(settings: Settings) -> requests.Session:
    session = _Session()
    # With trust_env, requests would look the environment up at every call, and a netrc would replace the key.
    session.trust_env = False
    session.auth = _Bearer(settings.api_key)
    session.proxies.update(settings.proxies)
    session.verify = settings.verify
    session.headers.update(
        {
            "User-Agent": f"suburb_pandas/{_version()}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # what is kept is then what came, and can be read in the store
        }
    )
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    adapter = _Adapter(pool_maxsize=settings.max_workers)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session


@cache
def _version() -> str:
    return version("suburb_pandas")


def _body(answer: requests.Response) -> bytes:
    """Read all of an answer, as long as that is not too much, and be sure that it is all."""
    body = bytearray()
    for chunk in answer.iter_content(_CHUNK):
        body += chunk
        if len(body) > BODY_LIMIT:
            raise requests.RequestException(f"the answer is larger than {BODY_LIMIT // 2**20} MiB")
    # A connection lost among the headers looks to Python's HTTP library like their end, and the body then like none.
    if not body and answer.headers.get("Content-Length") != "0" and not _is_chunked(answer):
        raise requests.RequestException("the answer broke off before its body")
    return bytes(body)


def _is_chunked(answer: requests.Response) -> bool:
    return answer.headers.get("Transfer-Encoding", "").lower() == "chunked"


def _why(problem: BaseException) -> str:
    """Say what went wrong as a person would; for what is not foreseen, in the words of the innermost cause."""
    causes = list(_causes(problem))
    for kind, words in _IN_WORDS.items():
        if any(isinstance(cause, kind) for cause in causes):
            return words
    return " ".join(f"{type(causes[-1]).__name__}: {causes[-1]}".split())[:200]


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """Give an exception and those that it wraps, outermost first, as requests and urllib3 nest them."""
    yield problem
    wrapped = (getattr(problem, "reason", None), getattr(problem, "original_error", None), *problem.args)
    inner = next((one for one in wrapped if isinstance(one, BaseException)), None)
    if inner is not None:
        yield from _causes(inner)


class _Call:
    """One call under a deadline, and the socket it has in hand.

    ``sent`` says whether it may have left, ``expired`` whether its time ran out, and ``cut`` whether that was while it
    had a socket, so that what it read may be short.
    """

    def __init__(self) -> None:
        self.sent = self.expired = self.cut = False
        self._sock: socket.socket | None = None
        self._lock = threading.Lock()

    def start(self, sock: object) -> None:
        """Note the socket that the request is about to leave by."""
        with self._lock:
            if self.expired:
                raise requests.Timeout("the time was over before there was a connection")
            self.sent = True
            self._sock = sock if isinstance(sock, socket.socket) else None

    def give_back(self) -> None:
        """Note that the socket is no longer this call's: the next one may have it already."""
        with self._lock:
            self._sock = None

    def watch(self, seconds: float, done: threading.Event) -> None:
        """Wait for the end of the call; past its time, shut its socket, so that whoever reads it returns."""
        if done.wait(seconds):
            return
        with self._lock:
            self.expired = True
            if self._sock is not None:
                self.cut = True
                _shut(self._sock)


_current = threading.local()


@contextmanager
def _deadline(call: _Call, seconds: float) -> Iterator[None]:
    """Limit all of a call, where a socket's own timeout only limits the wait for each next byte.

    Connecting cannot be cut short: if it takes longer than that, nothing is sent.
    """
    done = threading.Event()
    _current.call = call
    try:
        threading.Thread(target=call.watch, args=(seconds, done), daemon=True).start()
        yield
    finally:
        done.set()
        del _current.call


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
        _current.call.start(connection.sock)

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
