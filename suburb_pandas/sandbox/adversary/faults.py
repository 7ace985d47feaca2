"""Names the faults of a service, and applies them to responses.

Choosing the requests that get a fault is left to `script`; sending bytes late, or not at all, to `delivery`.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from suburb_pandas.sandbox.answers import Answer, encoded, error
from suburb_pandas.sandbox.country import SUBURBS


class Fault(StrEnum):
    """A fault of the service.

    The faults of `BEFORE_BILLING` cost nothing. A call with any other fault is charged as usual.
    """

    RATE_LIMITED = "rate_limited"
    """429 without ``Retry-After``."""
    RATE_LIMITED_RETRY_AFTER = "rate_limited_retry_after"
    """429 with ``Retry-After: 1``."""
    SERVER_ERROR = "server_error"
    """500, not billed."""
    BAD_GATEWAY = "bad_gateway"
    """502, not billed."""
    UNAVAILABLE = "unavailable"
    """503, not billed."""
    GATEWAY_TIMEOUT = "gateway_timeout"
    """504, not billed."""
    REDIRECT = "redirect"
    """302 to another host."""
    DROPPED_BEFORE = "dropped_before"
    """The connection is closed before any byte of the response, and before the call is charged."""

    LATENCY = "latency"
    """A correct response that is late."""
    SERVER_ERROR_BILLED = "server_error_billed"
    """500, without metering headers, for a call that was charged."""
    DROPPED_AFTER_BILLING = "dropped_after_billing"
    """The connection is closed before any byte of the response, after the call is charged."""
    DROPPED_MID_BODY = "dropped_mid_body"
    """The headers and half of the body are sent, and then the connection is closed."""
    DROPPED_AFTER_BODY = "dropped_after_body"
    """A correct response is sent, and then the connection is closed, which no header has announced."""
    SLOW_BODY = "slow_body"
    """The body is sent slowly, in small pieces."""
    SLOW_HEADERS = "slow_headers"
    """The headers are sent slowly, in small pieces."""
    TRUNCATED_JSON = "truncated_json"
    """A complete HTTP message whose JSON stops half way."""
    MALFORMED_JSON = "malformed_json"
    """A 200 whose body is a web page."""
    WRONG_NAME = "wrong_name"
    """The right form, with the name of another suburb."""
    WRONG_TYPE = "wrong_type"
    """A text in place of a number; in a geocode response, a number in place of a name."""
    MISSING_FIELD = "missing_field"
    """An object that lacks a required field."""


BEFORE_BILLING = frozenset(
    {
        Fault.RATE_LIMITED,
        Fault.RATE_LIMITED_RETRY_AFTER,
        Fault.SERVER_ERROR,
        Fault.BAD_GATEWAY,
        Fault.UNAVAILABLE,
        Fault.GATEWAY_TIMEOUT,
        Fault.REDIRECT,
        Fault.DROPPED_BEFORE,
    }
)
"""Faults that strike before the call is looked up or charged."""

ORDINARY = (
    Fault.LATENCY,
    Fault.RATE_LIMITED,
    Fault.RATE_LIMITED_RETRY_AFTER,
    Fault.SERVER_ERROR,
    Fault.BAD_GATEWAY,
    Fault.UNAVAILABLE,
    Fault.GATEWAY_TIMEOUT,
    Fault.DROPPED_BEFORE,
    Fault.DROPPED_MID_BODY,
    Fault.SLOW_BODY,
    Fault.TRUNCATED_JSON,
    Fault.MALFORMED_JSON,
)
"""The faults of a bad day, from which an error rate draws unless it is given others."""

_STATUSES = {
    Fault.RATE_LIMITED: 429,
    Fault.RATE_LIMITED_RETRY_AFTER: 429,
    Fault.SERVER_ERROR: 500,
    Fault.SERVER_ERROR_BILLED: 500,
    Fault.BAD_GATEWAY: 502,
    Fault.UNAVAILABLE: 503,
    Fault.GATEWAY_TIMEOUT: 504,
    Fault.REDIRECT: 302,
    Fault.DROPPED_BEFORE: 500,
}

_HEADERS = {
    Fault.RATE_LIMITED_RETRY_AFTER: {"Retry-After": "1"},
    Fault.REDIRECT: {"Location": "http://elsewhere.invalid/v1"},
}


def failure(fault: Fault, target: str) -> Answer:
    """Build the error response of a fault that replaces the correct one."""
    return error(target, _STATUSES[fault], f"Made-up fault: {fault}", _HEADERS.get(fault))


def spoil(fault: Fault, response: Answer, target: str) -> Answer:
    """Apply a fault to a correct response. An error response, or one that the fault cannot change, stays as it is."""
    if response.status != 200:  # noqa: PLR2004 - a status code is its own name
        return response
    if fault == Fault.SERVER_ERROR_BILLED:
        return failure(fault, target)
    if fault == Fault.TRUNCATED_JSON:
        return replace(response, body=response.body[: len(response.body) // 2])
    if fault == Fault.MALFORMED_JSON:
        page = b"<!doctype html><title>Made-up fault</title><p>Back soon."
        return replace(response, body=page).with_headers({"Content-Type": "text/html"})
    if fault in _CHANGES:
        return _changed(response, _CHANGES[fault])
    return response


def _changed(response: Answer, change: Callable[[dict[str, Any]], None]) -> Answer:
    """Change the data object of a response: a suburb's, or the first candidate of geocode."""
    payload = json.loads(response.body)
    data = payload.get("data")
    first = data[0] if isinstance(data, list) and data else data
    if isinstance(first, dict):
        change(first)
    return replace(response, body=encoded(payload))


def _later_points(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the points of a series from the fourth on. They are many: a client may leave out a few broken ones."""
    points: list[dict[str, Any]] = data.get("house") or data.get("unit") or []
    return points[3:]


def _rename(data: dict[str, Any]) -> None:
    data["area_name"] = next(suburb.name for suburb in SUBURBS if suburb.name != data["area_name"])


def _mistype(data: dict[str, Any]) -> None:
    points = _later_points(data)
    for point in points:
        point["value"] = "about that"
    if points:
        return
    if "n_sales" in data:
        data["n_sales"] = "many"
    else:
        data["area_name"] = 7


def _omit(data: dict[str, Any]) -> None:
    points = _later_points(data)
    for point in points:
        del point["date"]
    if not points:
        data.pop("n_sales" if "n_sales" in data else "area_name")


_CHANGES = MappingProxyType({Fault.WRONG_NAME: _rename, Fault.WRONG_TYPE: _mistype, Fault.MISSING_FIELD: _omit})
