"""From a request's line and headers to what it asks for.

Owns the paths, their percent-encoding, the prices and the bearer header. Paths are read from the raw request
target and split before they are decoded, so that an encoded slash stays part of a name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote_to_bytes, urlsplit

PRICES = {"rent": 30, "impacts": 10, "geocode": 1}
"""Cents a call, by endpoint."""

TALLY_PATH = "/_tally"

_ENDPOINTS = {("market", "median-rent-series"): "rent", ("lifestyle", "poi-impacts"): "impacts"}


@dataclass(frozen=True)
class Request:
    """What a client asks for.

    Parameters
    ----------
    method
        The HTTP method.
    target
        Path and query as they came.
    endpoint
        ``rent``, ``impacts``, ``geocode``; empty for a path that is none of them.
    name
        The suburb name of a data endpoint, the query of geocode.
    state
        What geocode is restricted to, if it is.
    key
        The bearer key, if one came.
    """

    method: str
    target: str
    endpoint: str
    name: str
    state: str | None
    key: str | None


def read(environ: Mapping[str, Any]) -> Request:
    """The request in a WSGI environment of Werkzeug's server."""
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
    """The target without scheme and host, which a client that takes the sandbox for a proxy sends along."""
    if target.startswith("/"):
        return target
    parts = urlsplit(target)
    return parts._replace(scheme="", netloc="").geturl() or "/"


def _route(path: str) -> tuple[str, str]:
    """The endpoint and the decoded suburb name; no endpoint where nothing is at that path."""
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
