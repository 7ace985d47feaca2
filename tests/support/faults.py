"""Names the faults of a service, and applies them to responses and to their delivery.

Choosing the calls that get a fault is left to adversary.
"""

import re
import time
from dataclasses import dataclass, replace
from enum import StrEnum

from suburb_pandas.sandbox.answers import Answer, error

_PIECES = 20
_NAME = re.compile(rb'"area_name":"[^"]*"')


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
    """A number in place of a name."""
    MISSING_FIELD = "missing_field"
    """A response that lacks a required field."""


_STATUSES = {
    Fault.RATE_LIMITED: 429,
    Fault.RATE_LIMITED_RETRY_AFTER: 429,
    Fault.SERVER_ERROR: 500,
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

BEFORE_BILLING = frozenset(_STATUSES)
"""Faults that strike before the call is looked up or charged."""


@dataclass(frozen=True)
class Delivered(Answer):
    """A response that is sent late or in part. ``seconds`` is how long it takes if it is slow."""

    fault: Fault
    seconds: float

    def pieces(self):
        """Yield the bytes to send, and raise ConnectionAbortedError where the fault closes the connection."""
        head, body = self.head(), self.body
        match self.fault:
            case Fault.SLOW_HEADERS:
                yield from self._slowly(head)
                yield body
                return
            case Fault.SLOW_BODY:
                yield head
                yield from self._slowly(body)
                return
            case Fault.DROPPED_MID_BODY:
                yield head + body[: len(body) // 2]
            case Fault.DROPPED_AFTER_BODY:
                yield head + body
        raise ConnectionAbortedError

    def _slowly(self, content):
        size = max(1, -(-len(content) // _PIECES))
        for start in range(0, len(content), size):
            time.sleep(self.seconds / _PIECES)
            yield content[start : start + size]


def failure(fault, target):
    """Build the error response of a fault that comes instead of the call."""
    response = error(target, _STATUSES[fault], f"Made-up fault: {fault}", _HEADERS.get(fault))
    return delivered(response, fault, 0)


def delivered(response, fault, seconds):
    """Return a response that is sent as the fault says, or as it is if the fault is not one of delivery."""
    if fault.startswith(("dropped", "slow")):
        return Delivered(response.status, response.headers, response.body, fault, seconds)
    return response


def spoil(fault, response, target):
    """Apply a fault to a correct response. An error response, or one that the fault cannot change, stays as it is."""
    if response.status != 200:
        return response
    if fault == Fault.SERVER_ERROR_BILLED:
        return error(target, 500, f"Made-up fault: {fault}")
    body = response.body
    match fault:
        case Fault.TRUNCATED_JSON:
            body = body[: len(body) // 2]
        case Fault.MALFORMED_JSON:
            body = b"<!doctype html><title>Made-up fault</title><p>Back soon."
        case Fault.WRONG_NAME:
            body = _NAME.sub(b'"area_name":"Made Up"', body)
        case Fault.WRONG_TYPE:
            body = _NAME.sub(b'"area_name":7', body)
        case Fault.MISSING_FIELD:
            body = body.replace(b'"data":', b'"date":')
    return replace(response, body=body)
