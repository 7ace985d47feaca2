"""Defines the types that describe a call: its item, its HTTP exchange, its outcome, and the stored response."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final, Literal, NamedTuple

from msgspec import Struct

BODY_LIMIT: Final = 16 * 2**20
"""The largest body that is read, in bytes. A rent history has about 25,000."""

BODIES_AT_ONCE: Final = 500
"""The number of stored bodies that are read in one batch, so that few of them are in memory at once."""

Outcome = Literal["billed", "not_billed", "unknown"]
"""The outcome of a call: whether it was charged. An ``unknown`` call counts at its full price."""


def clock() -> datetime:
    """Return the time of this computer's clock, in UTC. All stored times and all ages are taken from it."""
    return datetime.now(UTC)


def utc_now() -> str:
    """Return the time as the store writes it: ISO 8601, UTC, to the microsecond."""
    return clock().isoformat(timespec="microseconds")


def age_seconds(at: str) -> float:
    """Return the age of a time in seconds; 0 for a time in the future, written before the clock was set back."""
    return max(0.0, (clock() - datetime.fromisoformat(at)).total_seconds())


REDACTED: Final = "redacted"
"""The mark of a response from which the API key was cut out. The service's own headers never have this name, because
only those of `statuses.KEPT_HEADERS` are stored."""


class Item(NamedTuple):
    """One thing that a request asks for: an endpoint's data about a suburb, or the suburbs that a query may mean.

    A look-up has its query in ``area_name``, and in ``state`` the state that it is restricted to, if any.
    """

    endpoint: str
    area_name: str
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """The answer to one HTTP call: its status, its headers (names in lower case), and the bytes of its body."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class NoAnswerError(Exception):
    """No complete response arrived.

    ``sent`` is False only if it is certain that the service never saw the call. ``lasting`` is True if the next call
    would fail for the same reason, such as a certificate that is not trusted. ``wrong_settings`` is True if no call can
    be made with these settings. ``price`` is the ``X-Cost-Cents`` that arrived before the response broke off, if there
    was one.
    """

    def __init__(
        self, why: str, *, sent: bool, lasting: bool = False, wrong_settings: bool = False, price: str | None = None
    ) -> None:
        super().__init__(why)
        self.why = why
        self.sent = sent
        self.lasting = lasting
        self.wrong_settings = wrong_settings
        self.price = price


@dataclass(frozen=True, slots=True)
class Namespace:
    """The part of a store that a client uses. Responses of different sources or base URLs never mix."""

    source: str
    base_url: str


class PackedPayload(Struct, frozen=True, gc=False):
    """A decoded payload, packed into bytes by its endpoint.

    The store keeps it beside the response, so that the response need not be decoded again. The meaning of the fields is
    left to series_columns. ``format`` changes whenever the meaning of ``records`` changes.
    """

    records: bytes = b""
    small: bool = True
    mended: bool = False
    made_up: bool = False
    format: int = 0

    def __repr__(self) -> str:
        return f"<PackedPayload of {len(self.records)} bytes>"


class StoredResponse(Struct, frozen=True, gc=False):
    """A reference to a stored response, without its body.

    ``call`` is the number of its call in the store, and ``at`` is the time when that call was sent. ``packed`` is its
    packed payload, if the store has one. A response on a cassette is included, in ``response``. If the store too has a
    response for the same item, ``behind`` refers to that one, and ``call`` is the number of its call in the store;
    otherwise ``call`` is 0. ``status`` is as in `Response`.
    """

    call: int
    at: str
    retrieved_at: str
    cents: int = 0
    sha256: str = ""
    request_id: str | None = None
    packed: PackedPayload | None = None
    response: Response | None = None
    behind: StoredResponse | None = None
    status: int = 200

    @property
    def is_refusal(self) -> bool:
        """True if the service refused the call."""
        return self.status != HTTPStatus.OK


@dataclass(frozen=True, slots=True)
class Response:
    """The bytes that a call returned, unchanged, with their source, retrieval time, price and SHA-256.

    If the bytes held the API key, the key was cut out, the SHA-256 is that of the rest, and `is_redacted` is True.
    ``call`` is the number of the call in the store, or 0 if the response is in no store. ``url`` is that of the service
    that sent the response. ``status`` is the HTTP status, which is not 200 for a refusal.
    """

    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    retrieved_at: str
    sha256: str
    cents: int
    source: str
    call: int = field(default=0, repr=False, compare=False)
    url: str = field(default="", repr=False, compare=False)
    status: int = 200

    @classmethod
    def of(
        cls,
        body: bytes,
        headers: Mapping[str, str],
        retrieved_at: str,
        cents: int,
        source: str,
        *,
        call: int = 0,
        url: str = "",
        status: int = 200,
    ) -> Response:
        """Return the response of a call, with the SHA-256 of its body."""
        return cls(body, headers, retrieved_at, hashlib.sha256(body).hexdigest(), cents, source, call, url, status)

    @property
    def is_refusal(self) -> bool:
        """True if the service refused the call."""
        return self.status != HTTPStatus.OK

    @property
    def is_whole(self) -> bool:
        """True if the body still has the SHA-256 that it was stored with."""
        return hashlib.sha256(self.body).hexdigest() == self.sha256

    @property
    def is_redacted(self) -> bool:
        """True if the API key was cut out of the body."""
        return REDACTED in self.headers

    @property
    def request_id(self) -> str | None:
        """The service's ``X-Request-Id``."""
        return self.headers.get("x-request-id")


class RecordedInteraction(NamedTuple):
    """A call on a cassette: the item that it asked for, and the response."""

    item: Item
    response: Response


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The end of a call, as the ledger records it.

    ``price_header`` is the service's ``X-Cost-Cents`` if that could not be read as a price, otherwise None.
    """

    outcome: Outcome
    cents: int
    http_status: int | None = None
    request_id: str | None = None
    price_header: str | None = None


@dataclass(frozen=True, slots=True)
class CallRow:
    """One row of the ledger. If ``outcome`` is ``unknown``, ``cents`` is the most that the call may have cost.

    ``price_header`` is as in `CallOutcome`.
    """

    at: str
    endpoint: str
    area_name: str
    outcome: str
    cents: int
    http_status: int | None
    request_id: str | None
    source: str
    price_header: str | None = None
