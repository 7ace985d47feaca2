"""Builds HTTP responses: status, headers, JSON body, and the header that marks made-up data.

The content of a response is left to `service`, sending it to `server`.

A request under a free key gets the same bytes on every machine, every day and under every Python version. Even the
date and the request id are derived from the request target.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from email.utils import format_datetime
from http.client import responses
from typing import Any, Self

from suburb_pandas.sandbox.country import ANSWER_DATE, DATA_VERSION
from suburb_pandas.sandbox.dice import Dice, digest

MARK = "X-Made-Up-Data"
SERVER = "suburb_pandas-sandbox"


@dataclass(frozen=True)
class Answer:
    """An HTTP response before it is sent.

    Parameters
    ----------
    status
        The HTTP status.
    headers
        The headers in the order in which they are sent. ``Content-Length`` is added at the end.
    body
        The bytes of the body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    def with_headers(self, changes: Mapping[str, str]) -> Self:
        """Return a copy with headers added at the end. They replace those of the same names."""
        kept = {name: value for name, value in self.headers.items() if name not in changes}
        return replace(self, headers={**kept, **changes})

    def head(self) -> bytes:
        """Encode the status line and the headers."""
        fields = {**self.headers, "Content-Length": len(self.body)}
        lines = [f"{name}: {value}\r\n" for name, value in fields.items()]
        return f"HTTP/1.1 {self.status} {responses.get(self.status, '')}\r\n{''.join(lines)}\r\n".encode("latin-1")

    def pieces(self) -> Iterable[bytes]:
        """Return the bytes to send. One piece: a second could wait for the delayed acknowledgement of the first."""
        return [self.head() + self.body]


def encoded(payload: Any) -> bytes:
    """Encode JSON as the service does: without spaces, and floats with a decimal point."""
    return json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()


def answer(target: str, status: int, payload: Any) -> Answer:
    """Build a response to the request for `target`. Its date and request id are derived from the target."""
    headers = {
        "Server": SERVER,
        "Date": _moment(target),
        "Content-Type": "application/json",
        "X-Request-Id": request_id(target),
        MARK: f"suburb_pandas sandbox {DATA_VERSION}",
    }
    return Answer(status, headers, encoded(payload))


def error(target: str, status: int, detail: Any, headers: Mapping[str, str] | None = None) -> Answer:
    """Build an error response. The form of its JSON is not documented, so no client may depend on it."""
    return answer(target, status, {"detail": detail}).with_headers(headers or {})


def request_id(target: str, number: int | None = None) -> str:
    """Derive a request id from the target. A `number` makes the ids of repeated paid calls differ."""
    return f"req_{digest('request', target, str(number or ''))[:20]}"


def _moment(target: str) -> str:
    """Derive a time on `ANSWER_DATE`.

    The clock is not used: the bytes of a recording must not depend on when it was made.
    """
    dice = Dice("moment", target)
    clock = time(dice.between(0, 23), dice.between(0, 59), dice.between(0, 59), tzinfo=UTC)
    return format_datetime(datetime.combine(ANSWER_DATE, clock), usegmt=True)
