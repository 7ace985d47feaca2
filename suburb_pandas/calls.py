"""The words for a call: what comes back, how it ended, and what is kept of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Outcome = Literal["billed", "not_billed", "unknown"]
"""How a call ended, for money; ``unknown`` counts in full."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came back: the body's bytes as they came, and the headers by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class NoAnswerError(Exception):
    """No whole answer came. ``sent`` is False only where it is certain that the service never saw the call."""

    def __init__(self, why: str, *, sent: bool) -> None:
        super().__init__(why)
        self.why = why
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where responses are filed: those of different sources or base URLs never mix."""

    source: str
    base_url: str


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it came, and when. ``sha256`` is the body's."""

    body: bytes = field(repr=False)
    headers: Mapping[str, str]
    retrieved_at: str
    sha256: str

    @classmethod
    def of(cls, body: bytes, headers: Mapping[str, str], retrieved_at: str) -> Response:
        """Make one from what a call brought."""
        return cls(body, headers, retrieved_at, hashlib.sha256(body).hexdigest())


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One call: what was asked, how it ended, and what it cost (for ``unknown``, may have cost)."""

    at: str
    endpoint: str
    area_name: str
    outcome: str
    cents: int
    http_status: int | None
    request_id: str | None
    source: str
