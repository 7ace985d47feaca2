"""Defines the types that describe a call: its item, its HTTP exchange, its ledger row, and its response.

It also names the service, the suburbs that the key ``test`` covers, and the signs of made-up data, and owns the clock.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, NamedTuple

from msgspec import Meta, Struct

from suburb_pandas.settings import Key

SERVICE: Final = "the Microburbs Property Data API v1"
"""The service's own name, for citations."""

MADE_UP_HEADER: Final = "x-made-up-data"
"""The header that the embedded sandbox puts on each of its responses."""

MADE_UP_URL: Final = "http://embedded.invalid"
"""The address under which made-up responses are stored and recorded; no such host can exist."""

SANDBOX_SUBURBS: Final = {
    "Belmont North": "NSW",
    "Bondi": "NSW",
    "St Kilda (Vic.)": "VIC",
    "Fortitude Valley": "QLD",
    "Subiaco": "WA",
    "Unley": "SA",
    "Sandy Bay": "TAS",
    "Kambah": "ACT",
    "Nightcliff": "NT",
}
"""The suburbs that the key ``test`` covers at the live service, with their states."""

BODY_LIMIT: Final = 16 * 2**20
"""The largest body that is read, in bytes. A rent history has about 25,000."""

BODIES_AT_ONCE: Final = 500
"""The number of stored bodies that are read in one batch, so that few of them are in memory at once."""

Cents = Annotated[int, Meta(ge=0)]
"""An amount of money in cents. The store checks it when a row is read."""

Outcome = Literal["sent", "billed", "not_billed", "unknown"]
"""The outcome of a call: whether it was charged. ``sent`` and ``unknown`` calls count at their full price."""

_CLOCK_SLACK: Final = 86_400  # seconds; clocks that were set wrong by less than a day are usual


def clock() -> datetime:
    """Return the time of this computer's clock, in UTC.

    All ages and the times that are stored are taken from it. A made-up response keeps the date of the sandbox.
    """
    return datetime.now(UTC)


def utc_now() -> str:
    """Return the time as the store writes it: ISO 8601, UTC, to the microsecond."""
    return clock().isoformat(timespec="microseconds")


def age_seconds(at: str) -> float:
    """Return the age of a time in seconds; 0 up to a day in the future, and infinity beyond that.

    A time far in the future was written while the clock was wrong, so nobody knows how old it is.
    """
    age = (clock() - datetime.fromisoformat(at)).total_seconds()
    return math.inf if age < -_CLOCK_SLACK else max(0.0, age)


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
    """The end of one HTTP exchange: the answer, or why no complete answer arrived.

    Attributes
    ----------
    status, headers, body
        The status, the headers (names in lower case) and the bytes of the body. If the answer broke off, ``headers``
        are those that had arrived.
    why
        Why no complete answer arrived, in a few words; empty if one did.
    sent
        False only if it is certain that the service never saw the call.
    lasting
        True if the next call would fail for the same reason, such as a certificate that is not trusted.
    wrong_settings
        True if no call can be made with these settings.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    why: str = ""
    sent: bool = True
    lasting: bool = False
    wrong_settings: bool = False


class Namespace(NamedTuple):
    """The part of a store that a client uses. Responses of different sources or base URLs never mix."""

    source: str
    base_url: str


class Terms(NamedTuple):
    """The terms on which a request makes its calls.

    ``prices`` are in cents, by endpoint, ``budget`` in cents a month. ``lease`` is the seconds that its reservation may
    be silent, and ``retry_wait`` the average seconds before the first retry. ``secret`` is the API key if it has to be
    kept secret.
    """

    namespace: Namespace
    prices: Mapping[str, int]
    budget: int
    lease: float
    retry_wait: float = 0.0
    secret: Key | None = None


class Call(Struct, frozen=True, array_like=True, gc=False):
    """One row of the ledger: a call, its outcome and its cents.

    If ``outcome`` is ``sent`` or ``unknown``, ``cents`` is the full price, because it may have been charged. ``number``
    is that of its row. ``price_header`` is the service's ``X-Cost-Cents`` if that cannot be read or believed, otherwise
    None.
    """

    number: int
    item: Item
    at: str
    outcome: Outcome
    cents: Cents
    http_status: int | None = None
    request_id: str | None = None
    source: str = ""
    price_header: str | None = None


class PackedPayload(Struct, frozen=True, gc=False):
    """A decoded payload of two series, packed into bytes.

    The store keeps it beside the response, so that the response need not be decoded again. The meaning of the fields is
    left to series. ``format`` changes whenever the meaning of ``records`` changes. ``mended`` is True if points came
    out of order or twice. ``area_name`` and ``unreadable``, a phrase for each point that was left out, are not stored.
    """

    records: bytes = b""
    small: bool = True
    mended: bool = False
    made_up: bool = False
    format: int = 0
    area_name: str = ""
    unreadable: tuple[str, ...] = ()


class Response(Struct, frozen=True, array_like=True, gc=False, eq=False):
    """A response that is kept. Two are equal if the facts about them are, whether or not their bodies were read.

    If the body held the API key, the key was cut out, the SHA-256 is that of the rest, and `REDACTED` is among the
    headers.

    Attributes
    ----------
    retrieved_at, sha256, cents, source, url, status, request_id
        When it arrived (by the ``Date`` header, if its data are made up), the digest of its body, its price, the source
        and the address of the service that sent it, the HTTP status (not 200 for a refusal), and the service's
        ``X-Request-Id``.
    call, at
        The number of its call in the store, 0 if no store has it, and the time when that call was sent.
    headers, body
        The headers that are kept, and the body, unchanged. ``body`` is None until it is read.
    packed
        Its packed payload, if the store has one.
    """

    retrieved_at: str = ""
    sha256: str = ""
    cents: Cents = 0
    source: str = ""
    url: str = ""
    status: int = 200
    request_id: str | None = None
    call: int = 0
    at: str = ""
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    packed: PackedPayload | None = None

    def __repr__(self) -> str:
        return f"<Response of {self.retrieved_at}, {self.source}, {self.cents} cents, {self.sha256[:12]}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Response) and self._facts == other._facts

    def __hash__(self) -> int:
        return hash(self.sha256)

    @property
    def _facts(self) -> tuple[Any, ...]:
        return self.retrieved_at, self.sha256, self.cents, self.source, self.status, self.request_id, self.made_up

    @classmethod
    def of(
        cls, body: bytes, headers: Mapping[str, str], retrieved_at: str, cents: int, source: str, **more: Any
    ) -> Response:
        """Return the response with this body, with its SHA-256 and its request id."""
        digest, request_id = hashlib.sha256(body).hexdigest(), headers.get("x-request-id")
        return cls(retrieved_at, digest, cents, source, request_id=request_id, headers=headers, body=body, **more)

    @property
    def content(self) -> bytes:
        """The body; empty if it was not read."""
        return self.body or b""

    @property
    def made_up(self) -> bool:
        """True if its data are made up."""
        if self.packed is not None:
            return self.packed.made_up
        return MADE_UP_HEADER in self.headers or self.source == "embedded"

    @property
    def is_refusal(self) -> bool:
        """True if the service refused the call."""
        return self.status != HTTPStatus.OK

    @property
    def is_whole(self) -> bool:
        """True if the body still has the SHA-256 that it was stored with."""
        return hashlib.sha256(self.content).hexdigest() == self.sha256


class RecordedInteraction(NamedTuple):
    """A call on a cassette: the item that it asked for, and the response."""

    item: Item
    response: Response
