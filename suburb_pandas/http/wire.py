"""Makes HTTP exchanges: sends a path with the API key, and returns the status, the headers and the complete body.

It does not retry, follow redirects or send cookies, because a call costs money: deciding about a further call is left
to purchasing, and the meaning of a response to service. Without a complete response, it says why there is none, and
whether the request may have been sent.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from http.client import IncompleteRead, RemoteDisconnected
from importlib.metadata import version
from ssl import CertificateError
from typing import Any, Final, Literal

import requests
from requests.adapters import HTTPAdapter
from requests.exceptions import ConnectTimeout
from requests.structures import CaseInsensitiveDict
from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError, ProxyError

from suburb_pandas.service.calls import BODY_LIMIT, Exchange
from suburb_pandas.service.envelope import CutShortError, TooLargeError, UnknownEncodingError, uncompressed
from suburb_pandas.settings import Settings

_USER_AGENT: Final = f"suburb_pandas/{version('suburb_pandas')}"
_PIECE_BYTES: Final = 2**16

_REASONS: Final[dict[type[BaseException], str]] = {
    ProxyError: "the proxy could not be reached",
    NameResolutionError: "the host's name is not known",
    NewConnectionError: "no connection could be made",
    ConnectTimeoutError: "no connection was made in time",
    TooLargeError: f"the response is larger than {BODY_LIMIT // 2**20} MiB",
    CutShortError: "the compressed response is cut short or damaged",
    RemoteDisconnected: "the connection was closed without an answer",
    IncompleteRead: "the connection was lost in the middle of the response",
    ConnectionResetError: "the connection was reset",
}
_UNSENT: Final = (ProxyError, NewConnectionError, ConnectTimeoutError, ConnectTimeout)
_REFUSAL: Final = re.compile(r"Tunnel connection failed: (\d{3})\b")

Phase = Literal["opening", "connecting", "connected", "unknown"]
"""How far a call has come. ``opening``: its settings are read. ``connecting``: to the host or a proxy, with TLS.
``connected``: it may have been sent. ``unknown``: nothing was opened yet, or a mock replaces the connection.
"""

# urllib3 logs header lines that it cannot parse, and they may repeat the API key. Threads of this name are our workers.
logging.getLogger("urllib3.connection").addFilter(lambda record: not str(record.threadName).startswith("suburb_pandas"))


def allows_threads() -> bool:
    """Return False while vcrpy, which takes one call at a time, or another mock replaces urllib3's connections."""
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
        The phase of the call, by the state of the connection.
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
                "User-Agent": _USER_AGENT,
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # bodies are digested as they were sent, and the store compresses them
                "Authorization": f"Bearer {settings.api_key.value}",
            }
        )

    def exchange(self, path: str) -> Exchange:
        """Make one call, and return its answer, or why there is none.

        Rejected: raising. An exception would hold the request, and so the key.

        After a failure the connection is closed here; after an answer that does not name the suburb that was asked for,
        the caller closes it.
        """
        settings, headers = self._settings, dict[str, str]()
        # Rejected: letting requests prepare it, which takes a fifth of the time of a call, and reads netrc files.
        request = requests.PreparedRequest()
        request.method, request.url = "GET", self._base_url + path
        request.headers = self._session.headers  # type: ignore[assignment]
        try:
            with self._session.send(
                request,
                stream=True,
                allow_redirects=False,
                # Half the time for a connection, so that a second address of the host can be tried.
                timeout=(settings.timeout / 2, settings.timeout),
                proxies=settings.proxies.value,
                verify=settings.verify,
            ) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                body = _body(response, headers, time.monotonic() + settings.timeout)
                return Exchange(response.status_code, headers, body)
        except Exception as problem:  # noqa: BLE001 - whatever failed, the call may have been charged
            failure = _failure(problem, settings, self.phase, headers)
        self.close()
        return failure

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


class _Session(requests.Session):
    """A session that ignores redirects: requests would read their bodies without a limit.

    Sending through a session lets libraries of mocks work, which replace its methods. It adds no cookies to a request
    that it did not prepare.
    """

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None: no response redirects."""


def _telling(kind: Any, wire: Wire) -> Any:
    """Return a class of connections that tell the wire when they connect, and when they are about to send."""

    class TellingConnection(kind):  # type: ignore[misc]  # a class that urllib3 or a mock chose
        debuglevel = 0  # so that a level that is set meanwhile prints no key

        def connect(self) -> None:
            wire.phase = "connecting"
            super().connect()
            wire.phase = "connected"

    return TellingConnection


def _body(response: requests.Response, headers: Mapping[str, str], until: float) -> bytes:
    """Read the whole body; raise if it is too large or may be incomplete, or if it takes too long."""
    pieces = bytearray()
    response.raw.decode_content = False
    while piece := response.raw.read1(_PIECE_BYTES):
        pieces += piece
        if len(pieces) > BODY_LIMIT:
            raise TooLargeError
        if time.monotonic() > until:
            raise TimeoutError
    body = bytes(pieces)
    if _is_cut(response.status_code, headers, body):
        raise IncompleteRead(body)
    try:
        return uncompressed(body, headers.get("content-encoding", ""), BODY_LIMIT)
    except UnknownEncodingError:
        return body
    except CutShortError:
        if isinstance(response.raw, BaseHTTPResponse):
            raise
        return body  # a mock decompresses a body, and leaves its header


def _is_cut(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """Return True if a part of the body may be missing, although Python's HTTP library has noticed nothing.

    If the connection is lost among the headers, that library returns those that have arrived, and an empty body. It
    ignores a Content-Length that it cannot read; here that is a ValueError. Proxies can repeat the header, and requests
    joins the values.
    """
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return False
    length = headers.get("content-length")
    if length is None:
        return not body and status == HTTPStatus.OK
    lengths = list(map(int, length.split(",")))
    return not 0 <= min(lengths) <= max(lengths) <= len(body)


def _failure(problem: BaseException, settings: Settings, phase: Phase, headers: Mapping[str, str]) -> Exchange:
    """Describe the exception of a call in a phase, with the headers that had arrived."""
    causes, has_proxy = list(_causes(problem)), bool(settings.proxies.value.keys() - {"no"})
    lasting = _lasting(causes, phase, has_proxy=has_proxy)
    by_kind = phase == "unknown" and any(isinstance(cause, _UNSENT) for cause in causes)
    return Exchange(
        headers=headers,
        why=lasting or _reason(causes, settings.timeout, phase, has_proxy=has_proxy),
        sent=not (phase in {"opening", "connecting"} or lasting or by_kind),
        lasting=phase == "opening" or lasting is not None,
        wrong_settings=phase == "opening",
    )


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that requests and urllib3 have nested in it, outermost first."""
    yield problem
    nested = (getattr(problem, "reason", None), getattr(problem, "original_error", None), *problem.args)
    inner = next((cause for cause in (*nested, problem.__cause__) if isinstance(cause, BaseException)), None)
    if inner is not None:
        yield from _causes(inner)


def _lasting(causes: list[BaseException], phase: Phase, *, has_proxy: bool) -> str | None:
    """Return why each call would fail: a certificate, a proxy, or a mock without a response; None for other causes."""
    problem = causes[0]
    if phase == "unknown":
        comes_from_a_mock = type(problem).__module__.startswith(("vcr.", "requests_mock."))
        if comes_from_a_mock or str(problem).startswith("Connection refused by Responses"):
            return f"the mock in use has no response: {type(problem).__name__}"
    for cause in causes if phase == "connecting" else ():
        if isinstance(cause, CertificateError):
            detail = "" if has_proxy else f": {cause.verify_message.rstrip('.')}"
            return f"the host's certificate cannot be trusted{detail}; see verify="
        if refusal := _REFUSAL.match(str(cause)):
            return f"the proxy refused ({refusal[1]})"
    return None


def _reason(causes: list[BaseException], timeout: float, phase: Phase, *, has_proxy: bool) -> str:
    """Return why a call failed: in our words, or as the type and the text of a library's exception.

    If there is a proxy, only the type is shown, because the text may quote the proxy's password. Rejected: looking for
    the password in the text. In a URL that is not well formed, nobody can say which part is the password.
    """
    for kind, words in _REASONS.items():
        if any(isinstance(cause, kind) for cause in causes):
            return words
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return "no connection was made in time" if phase == "connecting" else f"no answer within {timeout:g} s"
    name = type(causes[-1]).__name__
    if has_proxy:
        return f"{name}; its text is not shown, because it may quote a proxy's password"
    return f"{name}: {causes[-1]}".rstrip(".")
