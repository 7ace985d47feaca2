"""One HTTP exchange: a path goes out with the key, a status, headers and a whole body come back.

Owns the connection pool, the deadline of a call, the size limit, and where the key may go. It does not retry, follow
redirects, keep cookies or look at what an answer says: a call costs money, and what to make of one is purchase's.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.cookiejar import DefaultCookiePolicy
from importlib.metadata import version
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, HTTPError, MaxRetryError, NewConnectionError, ProxyError

from .calls import Exchange, NoAnswerError
from .settings import Settings

BODY_LIMIT = 16 * 2**20
"""Bytes a body may have; a rent history has some 25 thousand."""

_CHUNK = 2**16
_GRACE = 0.05


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
        failure: NoAnswerError
        with _deadline(self._timeout) as call:
            try:
                return self._exchange(path)
            except (requests.RequestException, HTTPError, OSError) as problem:
                why = f"there was no whole answer in {self._timeout:g} s" if call.expired else _why(problem)
                failure = NoAnswerError(why, sent=call.connection is not None and not _never_connected(problem))
        # Raised here, not above: the library's own exception holds the request, and so the key.
        raise failure

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def _exchange(self, path: str) -> Exchange:
        url = self._base_url + path
        with self._session.get(url, stream=True, allow_redirects=False, timeout=self._timeout) as answer:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return Exchange(answer.status_code, headers, _body(answer))


class _Bearer(requests.auth.AuthBase):
    """Sets the key on each request; unlike a dict of headers it has no repr to leak from."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request


def _session(settings: Settings) -> requests.Session:
    session = requests.Session()
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
    body = bytearray()
    for chunk in answer.iter_content(_CHUNK):
        body += chunk
        if len(body) > BODY_LIMIT:
            raise requests.RequestException(f"the answer is larger than {BODY_LIMIT // 2**20} MiB")
    return bytes(body)


def _why(problem: Exception) -> str:
    """What went wrong, in the library's innermost words, which name host and port but hold no headers."""
    reason = _reason(problem)
    words = str(reason).rpartition(": ")[2] if isinstance(reason, NewConnectionError) else str(reason)
    return f"{type(reason).__name__}: {words}"[:200]


def _reason(problem: BaseException) -> BaseException:
    """The innermost cause that requests and urllib3 wrapped."""
    inner = problem.reason if isinstance(problem, MaxRetryError) else next(iter(problem.args), None)
    return _reason(inner) if isinstance(inner, BaseException) else problem


def _never_connected(problem: BaseException) -> bool:
    """Whether there was no connection to send anything by. Whatever broke later may have reached the service."""
    cause: Any = next(iter(problem.args), None)
    reason = cause.reason if isinstance(cause, MaxRetryError) else problem
    if isinstance(reason, ConnectTimeoutError | ProxyError):  # the latter is of the connection to the proxy alone
        return True
    return "CERTIFICATE_VERIFY_FAILED" in str(reason)


class _Call:
    """One call under a deadline: the connection it uses, and whether its time ran out."""

    def __init__(self) -> None:
        self.connection: Any = None
        self.expired = False

    def watch(self, seconds: float, done: threading.Event) -> None:
        """Wait for the end of the call; past its time, shut its socket, so that whoever reads it returns."""
        wait = seconds
        while not done.wait(wait):
            self.expired, wait = True, _GRACE
            sock = getattr(self.connection, "sock", None)
            if sock is not None:
                _shut(sock)


_current = threading.local()


@contextmanager
def _deadline(seconds: float) -> Iterator[_Call]:
    """Limit all of a call. A socket's own timeout only limits the wait for each next byte."""
    call, done = _Call(), threading.Event()
    watcher = threading.Thread(target=call.watch, args=(seconds, done), daemon=True)
    _current.call = call
    watcher.start()
    try:
        yield call
    finally:
        done.set()
        del _current.call


def _shut(sock: socket.socket) -> None:
    try:
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        return  # closed meanwhile


class _Watched:
    """Tells the call of the current thread which connection it was given.

    The connection's class stays urllib3's, so that tools which replace it, as vcrpy does, still can.
    """

    def _get_conn(self, timeout: float | None = None) -> Any:
        connection = super()._get_conn(timeout)  # type: ignore[misc]
        _current.call.connection = connection
        return connection


class _WatchedPool(_Watched, HTTPConnectionPool):
    pass


class _WatchedTlsPool(_Watched, HTTPSConnectionPool):
    pass


_POOLS = {"http": _WatchedPool, "https": _WatchedTlsPool}


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
        manager = super().proxy_manager_for(*args, **options)
        manager.pool_classes_by_scheme = _POOLS
        return manager
