"""What every answer of the sandbox looks like: JSON, the same headers, and the mark of made-up data.

Owns the answer and how its bytes follow from it. What an answer says is `app`; how a fault spoils one is
`faults`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Self

from suburb_pandas.sandbox.country import DATA_VERSION
from suburb_pandas.sandbox.dice import Dice, digest

MARK = "X-Made-Up-Data"
SERVER = "suburb_pandas-sandbox"


@dataclass(frozen=True)
class Answer:
    """One answer, before it is sent.

    Parameters
    ----------
    status
        The HTTP status.
    headers
        All headers but ``Content-Length``, in the order they are sent.
    body
        The body's bytes.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    def with_headers(self, changes: Mapping[str, str | None]) -> Self:
        """The answer with headers set, or left out where the value is None."""
        names = {name.lower() for name in changes}
        kept = {name: value for name, value in self.headers.items() if name.lower() not in names}
        added = {name: value for name, value in changes.items() if value is not None}
        return replace(self, headers=kept | added)

    def head(self) -> bytes:
        """The status line and headers as they go over the wire."""
        phrase = HTTPStatus(self.status).phrase if self.status in set(HTTPStatus) else ""
        fields = dict(self.headers)
        if "content-length" not in map(str.lower, fields):
            fields["Content-Length"] = str(len(self.body))
        lines = [f"HTTP/1.1 {self.status} {phrase}", *(f"{name}: {value}" for name, value in fields.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def encoded(payload: Any) -> bytes:
    """JSON as the service writes it: no spaces, floats with their point."""
    return json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()


def answer(target: str, status: int, payload: Any, headers: Mapping[str, str] | None = None) -> Answer:
    """An answer to the request for `target`, whose clock and request id follow from it."""
    return Answer(status, common_headers(target) | dict(headers or {}), encoded(payload))


def error(target: str, status: int, detail: Any, headers: Mapping[str, str] | None = None) -> Answer:
    """An error with some JSON; no client may depend on its shape."""
    return answer(target, status, {"detail": detail}, headers)


def common_headers(target: str) -> dict[str, str]:
    """What every answer carries."""
    return {
        "Server": SERVER,
        "Date": _moment(target),
        "Content-Type": "application/json",
        "X-Request-Id": request_id(target),
        MARK: f"suburb_pandas sandbox {DATA_VERSION}",
    }


def request_id(target: str, number: int | None = None) -> str:
    """A request id; the `number` tells repeated calls apart where money is involved."""
    return f"req_{digest('request', target, str(number or ''))[:20]}"


def _moment(target: str) -> str:
    """A time on the Tuesday after the last data date: a recording never depends on when it was made."""
    dice = Dice("moment", target)
    return f"Tue, 28 Apr 2026 {dice.between(0, 23):02}:{dice.between(0, 59):02}:{dice.between(0, 59):02} GMT"
