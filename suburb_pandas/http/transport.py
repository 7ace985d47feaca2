"""Makes one HTTP exchange: sends a path with the API key, and returns the status, the headers and the complete body.

Without a complete response, it raises the reason in words. It does not retry, follow redirects or keep cookies, because
a call costs money: deciding about a further call is left to purchasing, what a response means to service, the deadline
to deadline, and all private parts of urllib3 to connections.
"""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from ssl import CertificateError
from typing import Any

import requests
from urllib3 import BaseHTTPResponse, Timeout
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
from suburb_pandas.http.connections import ConnectedCall, WatchedAdapter
from suburb_pandas.http.deadline import Deadlines
from suburb_pandas.service.calls import BODY_LIMIT, Exchange, NoAnswerError
from suburb_pandas.service.encodings import CutShortError, TooLargeError, UnknownEncodingError, uncompressed
from suburb_pandas.settings import Settings

_CHUNK_BYTES = 2**16
_TOO_MANY_DIGITS = 20  # Python's HTTP library ignores a Content-Length of thousands of digits
_TOO_LARGE = f"the response is larger than {BODY_LIMIT // 2**20} MiB"
_GARBLED = "not known, because some headers cannot be read"  # instead of the price
_BODILESS = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
_REASONS: dict[type[BaseException], str] = {
    NameResolutionError: "the host's name is not known",
    NewConnectionError: "no connection could be made",
    ConnectTimeoutError: "no connection was made in time",
    # It can only be a TLS handshake: once a request was sent, the deadline comes before a read timeout.
    ReadTimeoutError: "no connection was made in time",
    http.client.RemoteDisconnected: "the connection was closed without an answer",
    http.client.IncompleteRead: "the connection was lost in the middle of the response",
    IncompleteRead: "the connection was lost in the middle of the response",
    InvalidChunkLength: "the connection was lost in the middle of the response",
    ConnectionResetError: "the connection was reset",
    ProxyError: "the proxy could not be reached",
}
_REFUSAL = re.compile(r"Tunnel connection failed: (\d{3})\b")


class Transport:
    """The connections to one base URL. Threads may share it.

    requests prepares the connection pool once, from the settings; urllib3 makes each call. Rejected: sessions of
    requests. They read the environment at each call, let a netrc file replace the key, keep cookies, parse redirects,
    and take three times as long.

    Raises
    ------
    SettingsError
        The proxy or the certificates cannot be used.
    """

    def __init__(self, settings: Settings, base_url: str) -> None:
        self._settings = settings
        self._deadlines = Deadlines(settings.timeout)
        self._adapter = WatchedAdapter(pool_maxsize=settings.max_workers)
        # The read timeout is longer than the deadline of the whole call, so that the deadline always comes first.
        self._timeout = Timeout(connect=settings.timeout, read=settings.timeout + 1)
        problem = self._open(requests.Request("GET", base_url).prepare())
        if problem:
            raise SettingsError(f"The service cannot be called with these settings: {problem}. Nothing was sent.")

    @contextmanager
    def exchange(self, path: str, *, fresh: bool = False) -> Iterator[Exchange]:
        """Make one call; with ``fresh``, over a new connection that serves no other call.

        No other call uses the connection before the block ends. So the caller reads the response inside the block, and
        calls `close_connections` there if the response is for another call. If the block raises, the connection is
        closed.

        Raises
        ------
        NoAnswerError
            No complete response arrived before the deadline.
        """
        call, too_late = ConnectedCall(fresh=fresh), f"no answer within {self._settings.timeout:g} s"
        reason, lasting = "", False
        try:
            with self._deadlines.watch(call), call.under_way():
                exchange = self._exchange(path, call)
        except Exception as problem:  # noqa: BLE001 - whatever failed, the call may have been charged
            reason = too_late if call.expired else _reason(problem, quotes=not _has_proxy(self._settings))
            lasting = not call.expired and _lasting_reason(problem) is not None
        if call.cut:  # a response that was cut off can look complete
            reason = too_late
        with self._pool.held_until_read(call):
            if reason:
                # Rejected: raising in the except block, where its context would be an exception that holds the key.
                raise NoAnswerError(reason, sent=call.sent, lasting=lasting, price=call.price)
            yield replace(exchange, has_surplus=call.has_surplus)

    def close_connections(self) -> None:
        """Close the idle connections now, and each of the others when its call ends."""
        self._pool.close_all()

    def close(self) -> None:
        """Close the connections."""
        self._adapter.close()
        self._deadlines.close()

    def _open(self, request: requests.PreparedRequest) -> str | None:
        """Open the pool and return None; or return the reason why it cannot be opened with these settings."""
        self._pool: Any
        try:
            self._pool, self._prefix = self._adapter.open_pool(
                request, verify=self._settings.verify, proxies=self._settings.proxies
            )
        except Exception as problem:  # noqa: BLE001 - only the libraries know which proxies they accept
            if _has_proxy(self._settings):
                return (
                    f"{_unquoted(problem)}; check verify= and the proxy's URL, in which the user name and password "
                    "must be percent-encoded"
                )
            return _reason(problem, quotes=True)
        return None

    def _exchange(self, path: str, call: ConnectedCall) -> Exchange:
        """Send a request and read the response. Note its price on the call at once, in case the response breaks off."""
        headers = {
            "User-Agent": f"suburb_pandas/{_version()}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # bodies are stored as they come, and should be readable in the store
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
        ) as response:
            lower_case = {name.lower(): response.headers[name] for name in response.headers}  # repeated ones are joined
            if call.is_garbled:
                lower_case.setdefault("x-cost-cents", _GARBLED)
            call.price = lower_case.get("x-cost-cents")
            body = _body(response)
            has_one_length = ("content-length" in lower_case) != ("transfer-encoding" in lower_case)
            call.is_clean = response.status == HTTPStatus.OK and bool(body) and has_one_length
            return Exchange(response.status, lower_case, _uncompressed(body, response.headers))


@cache
def _version() -> str:
    return version("suburb_pandas")


def _body(response: BaseHTTPResponse) -> bytes:
    """Read the whole body; raise if it is too large or may be incomplete."""
    _check_length(response)
    body = bytearray()
    for chunk in response.stream(_CHUNK_BYTES, decode_content=False):
        body += chunk
        if len(body) > BODY_LIMIT:
            raise _UnusableError(_TOO_LARGE)
    # If the connection is lost among the headers, Python's HTTP library returns what it has, with an empty body.
    may_be_empty = (
        response.status in _BODILESS or response.headers.get("Content-Length") == "0" or _is_chunked(response)
    )
    if not body and not may_be_empty:
        raise _UnusableError("the response broke off before its body")
    return bytes(body)


def _uncompressed(body: bytes, headers: Mapping[str, str]) -> bytes:
    """Decompress a body, although none was asked for; leave it as it came if its encoding is not known here."""
    try:
        return uncompressed(body, headers.get("Content-Encoding", ""), BODY_LIMIT)
    except UnknownEncodingError:
        return body
    except TooLargeError:
        raise _UnusableError(_TOO_LARGE) from None
    except CutShortError:
        raise _UnusableError("the compressed response is cut short or damaged") from None


def _check_length(response: BaseHTTPResponse) -> None:
    """Raise if Python's HTTP library would ignore the Content-Length, so that a missing part would not be noticed."""
    lengths = {part.strip() for part in response.headers.get("Content-Length", "0").split(",")}
    if len(lengths) > 1 or not all(
        part.isascii() and part.isdigit() and len(part) < _TOO_MANY_DIGITS for part in lengths
    ):
        raise _UnusableError("the Content-Length of the response cannot be read")


def _is_chunked(response: BaseHTTPResponse) -> bool:
    return response.headers.get("Transfer-Encoding", "").lower() == "chunked"


class _UnusableError(Exception):
    """The response cannot be used."""


def _has_proxy(settings: Settings) -> bool:
    """Return True if there is a proxy for any scheme. The environment's NO_PROXY alone is none, and has the key ``no``.

    Error texts of libraries are then not shown. They may quote the proxy's URL, which may hold a password, or the
    proxy's answer, which may repeat the password. Rejected: looking for the password in them. In a URL that is not well
    formed, nobody can say which part is the password.
    """
    return bool(settings.proxies.keys() - {"no"})


def _reason(problem: BaseException, *, quotes: bool) -> str:
    """Return the cause of an error in words; for an unforeseen error, the type of its innermost cause.

    If ``quotes`` is True, the texts of libraries are quoted.
    """
    causes = list(_causes(problem))
    if isinstance(problem, _UnusableError):
        return str(problem)
    lasting = _lasting_reason(problem, quotes=quotes)
    if lasting is not None:
        return lasting
    for kind, words in _REASONS.items():
        if any(isinstance(cause, kind) for cause in causes):
            return words
    if not quotes:
        return _unquoted(causes[-1])
    return " ".join(f"{type(causes[-1]).__name__}: {causes[-1]}".split())[:200]


def _lasting_reason(problem: BaseException, *, quotes: bool = False) -> str | None:
    """Return the cause in words if the next call would fail for the same reason; otherwise None.

    Such causes are a certificate that cannot be trusted, and a proxy that refuses the connection.
    """
    for cause in _causes(problem):
        if isinstance(cause, CertificateError):
            detail = f": {cause.verify_message.rstrip('.')}" if quotes else ""
            return f"the host's certificate cannot be trusted{detail}; see verify="
        refusal = _REFUSAL.match(str(cause)) if isinstance(cause, OSError) else None
        if refusal:
            return f"the proxy refused ({refusal[1]})"
    return None


def _unquoted(problem: BaseException) -> str:
    return f"{type(problem).__name__}; its text is not shown, because it may quote a proxy's password"


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that requests and urllib3 have nested in it, outermost first."""
    yield problem
    nested = (getattr(problem, "reason", None), getattr(problem, "original_error", None), *problem.args)
    inner = next((cause for cause in nested if isinstance(cause, BaseException)), None)
    if inner is not None:
        yield from _causes(inner)
