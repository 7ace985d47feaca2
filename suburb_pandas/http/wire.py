"""Makes HTTP exchanges: sends a path with the API key, and returns the status, the headers and the complete body.

It does not retry, follow redirects or send cookies, because a call costs money: deciding about a further call is left
to purchasing, what a response means to service, and describing a call without a complete response to failures.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from http.client import IncompleteRead
from importlib.metadata import version
from typing import Any, Final

import requests
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPSConnectionPool, Timeout

from suburb_pandas.http.failures import Phase, failure
from suburb_pandas.service.calls import BODY_LIMIT, Exchange
from suburb_pandas.service.encodings import CutShortError, TooLargeError, UnknownEncodingError, uncompressed
from suburb_pandas.settings import Settings

_PIECE_BYTES: Final = 2**16

# urllib3 logs the lines of a response that are no headers, and they may repeat the API key. Workers have such threads.
logging.getLogger("urllib3.connection").addFilter(lambda record: not str(record.threadName).startswith("suburb_pandas"))


def allows_threads() -> bool:
    """Return False while vcrpy replaces the connections of urllib3, because it takes one call at a time."""
    return HTTPConnectionPool.ConnectionCls.__module__ == "urllib3.connection"


def level_that_prints_headers() -> str | None:
    """Return the name of the setting that makes Python print the headers of each call; None if none does.

    urllib3's classes inherit the level of http.client, and can have one of their own.
    """
    kinds = [*HTTPConnectionPool.ConnectionCls.__mro__, *HTTPSConnectionPool.ConnectionCls.__mro__]
    found = next((kind for kind in kinds if vars(kind).get("debuglevel")), None)
    return None if found is None else f"{found.__module__}.{found.__name__}.debuglevel"


class Wire(HTTPAdapter):
    """The connection of one worker, which makes one call after another. It is opened when a call needs it.

    It is an adapter of requests for one service. It looks its connection pool up once, which its parent does at each
    call.

    Attributes
    ----------
    phase
        How far the connection has come.
    """

    def __init__(self, settings: Settings, base_url: str) -> None:
        super().__init__()
        self.phase: Phase = "unknown"
        self._settings, self._base_url = settings, base_url
        self._pool: Any = None
        self._session = _Session()
        self._session.mount(base_url, self)
        self._session.headers = CaseInsensitiveDict(
            {
                "User-Agent": f"suburb_pandas/{_version()}",
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # bodies are stored as they come, and should be readable in the store
                "Authorization": f"Bearer {settings.api_key.value}",
            }
        )

    def exchange(self, path: str) -> Exchange:
        """Make one call, and return its answer, or why there is none.

        After a failure the connection is closed here; after an answer that does not name the suburb that was asked for,
        the caller closes it.
        """
        answer = self._attempt(self._base_url + path)
        if answer.why:
            self.close()
        return answer

    def close(self) -> None:
        """Close the connection. The next call opens another one."""
        super().close()
        self._pool, self.phase = None, "unknown"

    def get_connection_with_tls_context(
        self, request: requests.PreparedRequest, verify: Any, proxies: Any = None, cert: Any = None
    ) -> Any:
        """Return the connection pool."""
        if self._pool is None:
            self.phase = "opening"
            pool: Any = super().get_connection_with_tls_context(request, verify, proxies, cert)
            self.cert_verify(pool, request.url, verify, cert)  # type: ignore[no-untyped-call]
            if pool.ConnectionCls.__module__.startswith("vcr."):
                self.phase = "unknown"  # vcrpy connects when it likes
            else:
                pool.ConnectionCls = _telling(pool.ConnectionCls, self)
                self.phase = "connecting"
            self._pool = pool
        return self._pool

    def _attempt(self, url: str) -> Exchange:
        """Make one call. Return its failure, because an exception would hold the request and so the key."""
        settings, headers = self._settings, dict[str, str]()
        # Rejected: having requests prepare it, which takes a fifth of the time of a call, and reads netrc files.
        request = requests.PreparedRequest()
        request.method, request.url, request.headers = "GET", url, self._session.headers  # type: ignore[assignment]
        # Half the time for a connection, so that a second address of the host can be tried.
        timeout = Timeout(connect=settings.timeout / 2, read=settings.timeout)
        options: dict[str, Any] = {"timeout": timeout, "proxies": dict(settings.proxies), "verify": settings.verify}
        try:
            with self._session.send(request, stream=True, allow_redirects=False, **options) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                body = _body(response, headers, time.monotonic() + settings.timeout)
                return Exchange(response.status_code, headers, body)
        except Exception as problem:  # noqa: BLE001 - whatever failed, the call may have been charged
            return failure(problem, settings, self.phase, headers)


class _Session(requests.Session):
    """A session that ignores redirects: requests would read their bodies without a limit.

    Mocks replace its methods. It puts no cookies into a request that it did not prepare.
    """

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None: no response redirects."""


def _telling(kind: Any, wire: Wire) -> Any:
    """Return a class of connections that tell the wire when they connect, and when they are about to send."""

    class TellingConnection(kind):  # type: ignore[misc]  # it is one of several
        debuglevel = 0  # so that a level that is set meanwhile prints no key

        def connect(self) -> None:
            wire.phase = "connecting"
            super().connect()
            wire.phase = "connected"

    return TellingConnection


@cache
def _version() -> str:
    return version("suburb_pandas")


def _body(response: requests.Response, headers: Mapping[str, str], until: float) -> bytes:
    """Read the whole body; raise if it is too large or may be incomplete, or if it takes too long."""
    body = bytearray()
    response.raw.decode_content = False
    while piece := response.raw.read1(_PIECE_BYTES):
        body += piece
        if len(body) > BODY_LIMIT:
            raise TooLargeError
        if time.monotonic() > until:
            raise TimeoutError
    if _is_cut(response.status_code, headers, body):
        raise IncompleteRead(bytes(body))
    try:
        return uncompressed(bytes(body), headers.get("content-encoding", ""), BODY_LIMIT)
    except UnknownEncodingError:
        return bytes(body)
    except CutShortError:
        if isinstance(response.raw, BaseHTTPResponse):
            raise
        return bytes(body)  # a mock decompresses a body, and leaves its header


def _is_cut(status: int, headers: Mapping[str, str], body: bytearray) -> bool:
    """Return True if a part of the body may be missing, although Python's HTTP library has noticed nothing.

    If the connection is lost among the headers, it returns those that it has, and an empty body. A Content-Length that
    it cannot read, it ignores; here that is a ValueError.
    """
    length, is_chunked = headers.get("content-length"), headers.get("transfer-encoding", "").lower() == "chunked"
    if length is None:
        return not body and not is_chunked and status == HTTPStatus.OK
    lengths = list(map(int, length.split(",")))
    return not is_chunked and not 0 <= min(lengths) <= max(lengths) <= len(body)
