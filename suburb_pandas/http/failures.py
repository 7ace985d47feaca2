"""Describes a call without a complete response: why there is none, and whether the request may have been sent."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from ssl import CertificateError
from traceback import walk_tb
from typing import Final

from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError, ProxyError

from suburb_pandas.service.calls import BODY_LIMIT, NoAnswerError
from suburb_pandas.service.encodings import CutShortError, TooLargeError
from suburb_pandas.settings import Settings


class BrokenOffError(Exception):
    """The response broke off."""


_REASONS: Final[dict[type[BaseException], str]] = {
    ProxyError: "the proxy could not be reached",
    NameResolutionError: "the host's name is not known",
    NewConnectionError: "no connection could be made",
    ConnectTimeoutError: "no connection was made in time",
    TooLargeError: f"the response is larger than {BODY_LIMIT // 2**20} MiB",
    CutShortError: "the compressed response is cut short or damaged",
    BrokenOffError: "the response broke off",
    http.client.RemoteDisconnected: "the connection was closed without an answer",
    http.client.IncompleteRead: "the connection was lost in the middle of the response",
    ConnectionResetError: "the connection was reset",
}
_UNSENT: Final = (ProxyError, NewConnectionError, ConnectTimeoutError)
_OPENS_POOL: Final = {"get_connection_with_tls_context", "cert_verify"}
"""The methods of requests that read the settings, before there is a connection."""

_BEGINS_TLS: Final = "ssl_wrap_socket"
"""The function of urllib3 that begins TLS, before anything is sent through it."""

_REFUSAL: Final = re.compile(r"Tunnel connection failed: (\d{3})\b")
_LONGEST: Final = 200  # characters of a library's text


def failure(problem: BaseException, settings: Settings, price: str | None) -> NoAnswerError:
    """Describe the exception of a call, whose response had this ``X-Cost-Cents`` if its headers arrived.

    The request was certainly not sent if the settings cannot be used, the host's name is not known, no connection was
    made, the proxy refused, TLS could not begin, or a mock has no response. Otherwise it may have been sent.
    """
    causes, has_proxy = list(_causes(problem)), bool(settings.proxies.keys() - {"no"})
    raised_in = {frame.f_code.co_name for cause in causes for frame, _ in walk_tb(cause.__traceback__)}
    wrong_settings, began_tls = not raised_in.isdisjoint(_OPENS_POOL), _BEGINS_TLS in raised_in
    lasting = _lasting_reason(causes, has_proxy=has_proxy)
    is_unsent = wrong_settings or began_tls or lasting is not None
    return NoAnswerError(
        lasting or _reason(causes, settings.timeout, began_tls=began_tls, has_proxy=has_proxy),
        sent=not is_unsent and not any(isinstance(cause, _UNSENT) for cause in causes),
        lasting=wrong_settings or lasting is not None,
        wrong_settings=wrong_settings,
        price=price,
    )


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that requests and urllib3 have nested in it, outermost first."""
    yield problem
    nested = (getattr(problem, "reason", None), getattr(problem, "original_error", None), *problem.args)
    inner = next((cause for cause in (*nested, problem.__cause__) if isinstance(cause, BaseException)), None)
    if inner is not None:
        yield from _causes(inner)


def _lasting_reason(causes: list[BaseException], *, has_proxy: bool) -> str | None:
    """Return the cause in words if the next call would fail for the same reason; otherwise None."""
    for cause in causes:
        refusal = _REFUSAL.match(str(cause))
        if isinstance(cause, CertificateError):
            detail = "" if has_proxy else f": {cause.verify_message.rstrip('.')}"
            return f"the host's certificate cannot be trusted{detail}; see verify="
        if refusal:
            return f"the proxy refused ({refusal[1]})"
        if type(cause).__module__.startswith(("vcr.", "requests_mock.")) or "by Responses" in str(cause):
            return f"the mock in use has no response: {_text(cause, has_proxy=has_proxy)}"
    return None


def _reason(causes: list[BaseException], timeout: float, *, began_tls: bool, has_proxy: bool) -> str:
    for kind, words in _REASONS.items():
        if any(isinstance(cause, kind) for cause in causes):
            return words
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return "no connection was made in time" if began_tls else f"no answer within {timeout:g} s"
    return _text(causes[-1], has_proxy=has_proxy)


def _text(problem: BaseException, *, has_proxy: bool) -> str:
    """Return the type and text of a library's exception; with a proxy only its type, without the proxy's password.

    Rejected: looking for the password in the text. In a URL that is not well formed, nobody can say which part is the
    password.
    """
    if has_proxy:
        return f"{type(problem).__name__}; its text is not shown, because it may quote a proxy's password"
    return " ".join(f"{type(problem).__name__}: {problem}".split())[:_LONGEST].rstrip(".")
