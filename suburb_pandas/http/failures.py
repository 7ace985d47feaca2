"""Describes a call without a complete response: why there is none, and whether the request may have been sent."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator, Mapping
from ssl import CertificateError
from typing import Final, Literal

from requests.exceptions import ConnectTimeout
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError, ProxyError

from suburb_pandas.service.calls import BODY_LIMIT, Exchange
from suburb_pandas.service.encodings import CutShortError, TooLargeError
from suburb_pandas.settings import Settings

_REASONS: Final[dict[type[BaseException], str]] = {
    ProxyError: "the proxy could not be reached",
    NameResolutionError: "the host's name is not known",
    NewConnectionError: "no connection could be made",
    ConnectTimeoutError: "no connection was made in time",
    TooLargeError: f"the response is larger than {BODY_LIMIT // 2**20} MiB",
    CutShortError: "the compressed response is cut short or damaged",
    http.client.RemoteDisconnected: "the connection was closed without an answer",
    http.client.IncompleteRead: "the connection was lost in the middle of the response",
    ConnectionResetError: "the connection was reset",
}
_UNSENT: Final = (ProxyError, NewConnectionError, ConnectTimeoutError, ConnectTimeout)
_REFUSAL: Final = re.compile(r"Tunnel connection failed: (\d{3})\b")
_LONGEST: Final = 200  # characters of a library's text

Phase = Literal["opening", "connecting", "connected", "unknown"]
"""How far a call has come: its settings are read, it connects (to a proxy, too, and TLS begins), or it may be sent.

Nobody knows where a mock takes the place of the connection.
"""


def failure(problem: BaseException, settings: Settings, phase: Phase, headers: Mapping[str, str]) -> Exchange:
    """Describe the exception of a call in a phase, with the headers that had arrived."""
    causes, has_proxy = list(_causes(problem)), bool(settings.proxies.keys() - {"no"})
    lasting = _refused_by_a_mock(problem) if phase == "unknown" else None
    if phase == "connecting":
        lasting = _not_trusted(causes, has_proxy=has_proxy)
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


def _not_trusted(causes: list[BaseException], *, has_proxy: bool) -> str | None:
    """Return why each call would fail to connect: a certificate or a proxy; None for any other cause."""
    for cause in causes:
        refusal = _REFUSAL.match(str(cause))
        if isinstance(cause, CertificateError):
            detail = "" if has_proxy else f": {cause.verify_message.rstrip('.')}"
            return f"the host's certificate cannot be trusted{detail}; see verify="
        if refusal:
            return f"the proxy refused ({refusal[1]})"
    return None


def _refused_by_a_mock(problem: BaseException) -> str | None:
    """Return in words that a mock has no response for the call; None for any other cause."""
    is_mock = type(problem).__module__.startswith(("vcr.", "requests_mock."))
    is_refusal = str(problem).startswith("Connection refused by Responses")
    return f"the mock in use has no response: {type(problem).__name__}" if is_mock or is_refusal else None


def _reason(causes: list[BaseException], timeout: float, phase: Phase, *, has_proxy: bool) -> str:
    for kind, words in _REASONS.items():
        if any(isinstance(cause, kind) for cause in causes):
            return words
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return "no connection was made in time" if phase == "connecting" else f"no answer within {timeout:g} s"
    return _text(causes[-1], has_proxy=has_proxy)


def _text(problem: BaseException, *, has_proxy: bool) -> str:
    """Return the type and text of a library's exception; with a proxy only its type, without the proxy's password.

    Rejected: looking for the password in the text. In a URL that is not well formed, nobody can say which part is the
    password.
    """
    if has_proxy:
        return f"{type(problem).__name__}; its text is not shown, because it may quote a proxy's password"
    return " ".join(f"{type(problem).__name__}: {problem}".split())[:_LONGEST].rstrip(".")
