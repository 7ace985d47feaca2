"""The ways in which a service lets its clients down, each with a name.

Owns what each fault does to an answer and whether the call is billed all the same. Which request meets which
fault is `script`; the bytes that go out late, or not at all, are `delivery`.
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
    """A fault. Those of `INSTEAD` come before any billing; all others spoil a call that is billed."""

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
    """The connection closed before any byte of the answer, and before any billing."""

    LATENCY = "latency"
    """A whole, right answer that comes late."""
    SERVER_ERROR_BILLED = "server_error_billed"
    """500, without metering headers, for a call that was billed."""
    DROPPED_AFTER_BILLING = "dropped_after_billing"
    """The connection closed before any byte of the answer, after billing."""
    DROPPED_MID_BODY = "dropped_mid_body"
    """The headers and half of the body that they promise, then the connection closed."""
    DROPPED_AFTER_BODY = "dropped_after_body"
    """A whole, right answer, then the connection closed without a word of it before."""
    SLOW_BODY = "slow_body"
    """The body in small pieces."""
    SLOW_HEADERS = "slow_headers"
    """The headers in small pieces."""
    TRUNCATED_JSON = "truncated_json"
    """A complete message whose JSON stops half way."""
    MALFORMED_JSON = "malformed_json"
    """A 200 whose body is a web page."""
    WRONG_NAME = "wrong_name"
    """The right shape for another suburb."""
    WRONG_TYPE = "wrong_type"
    """A text where a number belongs."""
    MISSING_FIELD = "missing_field"
    """An object without a field that is always there."""


INSTEAD = frozenset(
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
"""Faults that come instead of an answer: nothing is looked up and nothing billed."""

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
"""What a service does on a bad day, and what an error rate picks from."""

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


def instead(fault: Fault, target: str) -> Answer:
    """The answer of a fault that comes instead of one."""
    return error(target, _STATUSES[fault], f"Made-up fault: {fault}", _HEADERS.get(fault))


def spoil(fault: Fault, whole: Answer, target: str) -> Answer:
    """The answer as the fault leaves it; untouched where the fault has nothing to bite on, as on an error."""
    if whole.status != 200:  # noqa: PLR2004 - a status code is its own name
        return whole
    if fault == Fault.SERVER_ERROR_BILLED:
        return instead(fault, target)
    if fault == Fault.TRUNCATED_JSON:
        return replace(whole, body=whole.body[: len(whole.body) // 2])
    if fault == Fault.MALFORMED_JSON:
        page = b"<!doctype html><title>Made-up fault</title><p>Back soon."
        return replace(whole, body=page).with_headers({"Content-Type": "text/html"})
    if fault in _CHANGES:
        return _changed(whole, _CHANGES[fault])
    return whole


def _changed(whole: Answer, change: Callable[[dict[str, Any]], None]) -> Answer:
    """The answer with its data object changed: that of a suburb, or geocode's first candidate."""
    payload = json.loads(whole.body)
    data = payload.get("data")
    first = data[0] if isinstance(data, list) and data else data
    if isinstance(first, dict):
        change(first)
    return replace(whole, body=encoded(payload))


def _fourth_point(data: dict[str, Any]) -> dict[str, Any] | None:
    points: list[dict[str, Any]] = data.get("house") or data.get("unit") or []
    return points[3] if len(points) > 3 else None  # noqa: PLR2004 - the fourth


def _rename(data: dict[str, Any]) -> None:
    data["area_name"] = next(suburb.name for suburb in SUBURBS if suburb.name != data["area_name"])


def _mistype(data: dict[str, Any]) -> None:
    point = _fourth_point(data)
    if point:
        point["value"] = "about that"
    elif "n_sales" in data:
        data["n_sales"] = "many"
    else:
        data["area_name"] = 7


def _omit(data: dict[str, Any]) -> None:
    point = _fourth_point(data)
    if point:
        del point["date"]
    else:
        data.pop("n_sales" if "n_sales" in data else "area_name")


_CHANGES = MappingProxyType({Fault.WRONG_NAME: _rename, Fault.WRONG_TYPE: _mistype, Fault.MISSING_FIELD: _omit})
