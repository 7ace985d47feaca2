"""Reads endpoint, name, state and key from a request's line and headers.

Owns the paths, their percent-encoding, the prices and the bearer header. A path is split before it is decoded, so that
an encoded slash stays part of a name. Which keys are valid is left to `accounts`, which names exist to `app`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote_to_bytes, urlsplit

PRICES = {"rent": 30, "impacts": 10, "geocode": 1}
"""The price of a call by endpoint, in cents."""

TALLY_PATH = "/_tally"

_ENDPOINTS = {("market", "median-rent-series"): "rent", ("lifestyle", "poi-impacts"): "impacts"}


@dataclass(frozen=True)
class Request:
    """A client's request, as read from its line and headers.

    Parameters
    ----------
    method
        The HTTP method.
    target
        Path and query, still percent-encoded.
    endpoint
        ``rent``, ``impacts`` or ``geocode``; empty if the path is not an endpoint's.
    name
        The suburb name for a data endpoint, the query for geocode.
    state
        The state in the query, or None. Only geocode uses it.
    key
        The bearer key, or None.
    """

    method: str
    target: str
    endpoint: str
    name: str
    state: str | None
    key: str | None


def read(environ: Mapping[str, Any]) -> Request:
    """Read the request from a WSGI environment of Werkzeug's server."""
    target = _without_host(str(environ["REQUEST_URI"]))
    path, _, query = target.partition("?")
    endpoint, name = _route(path)
    parameters = parse_qs(query, keep_blank_values=True)
    if endpoint == "geocode":
        name = parameters.get("q", [""])[-1]
    state = parameters.get("state", [None])[-1]
    key = _bearer(str(environ.get("HTTP_AUTHORIZATION", "")))
    return Request(str(environ["REQUEST_METHOD"]), target, endpoint, name, state, key)


def _without_host(target: str) -> str:
    """Remove scheme and host from a target. A client that uses the sandbox as a proxy sends them."""
    if target.startswith("/"):
        return target
    parts = urlsplit(target)
    return parts._replace(scheme="", netloc="").geturl() or "/"


def _route(path: str) -> tuple[str, str]:
    """Return the endpoint and the decoded suburb name of a path. The endpoint is empty if nothing is at that path."""
    try:
        segments = [unquote_to_bytes(segment).decode() for segment in path.split("/")[1:]]
    except UnicodeDecodeError:
        return "", ""
    match segments:
        case ["v1", "geocode", "suburb"]:
            return "geocode", ""
        case ["v1", "suburbs", name, topic, item]:
            return _ENDPOINTS.get((topic, item), ""), name
        case _:
            return "", ""


def _bearer(header: str) -> str | None:
    scheme, _, key = header.partition(" ")
    return key.strip() if scheme.lower() == "bearer" and key.strip() else None
