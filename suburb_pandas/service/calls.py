"""The words for a call: what is asked, what comes back, how it ended, and what is kept of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from suburb_pandas.service.rent_columns import History

GEOCODE: Final = "geocode"
"""The endpoint of look-ups, whose answers are about a query and not about a suburb."""

NEEDS: Final = {
    "rent": ("rent",),
    "impacts": ("impacts",),
    "impact_summary": ("impacts",),
    "scorecard": ("rent", "impacts"),
    GEOCODE: (GEOCODE,),
}
"""The endpoints behind each lookup."""

BODY_LIMIT: Final = 16 * 2**20
"""Bytes a body may have; a rent history has some 25 thousand."""

Outcome = Literal["billed", "not_billed", "unknown"]
"""How a call ended, for money; ``unknown`` counts in full."""


def _clock() -> datetime:
    return datetime.now(UTC)


def utc_now() -> str:
    """The time now as the store writes it: ISO 8601, UTC, to the microsecond."""
    return _clock().isoformat(timespec="microseconds")


def age_seconds(at: str) -> float:
    """Give how long ago that was: 0 for what a clock that was set back has in the future."""
    return max(0.0, (_clock() - datetime.fromisoformat(at)).total_seconds())


class Item(NamedTuple):
    """One thing that a request asks for: what an endpoint says of a suburb, or which suburbs a query may mean.

    A look-up has its query for ``area_name``; where it is restricted to a state, that follows after a tab, which
    neither can hold.
    """

    endpoint: str
    area_name: str

    @classmethod
    def look_up(cls, query: str, state: str | None = None) -> Item:
        """Make a look-up."""
        return cls(GEOCODE, f"{query}\t{state}" if state else query)

    @classmethod
    def of(cls, endpoint: str, subject: str, state: str | None) -> Item:
        """Make one of whichever endpoint; only a look-up can have a state."""
        return cls.look_up(subject, state) if endpoint == GEOCODE else cls(endpoint, subject)

    @property
    def subject(self) -> str:
        """The name or the query alone."""
        return subject_of(self.area_name)

    @property
    def state(self) -> str | None:
        """The state that a look-up is restricted to."""
        return self.area_name.partition("\t")[2] or None


def subject_of(area_name: str) -> str:
    """Give the name or the query alone, of what the store has for one."""
    return area_name.partition("\t")[0]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came back: the body's bytes as they came, and the headers by their names in lower case."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class NoAnswerError(Exception):
    """No whole answer came. ``sent`` is False only where it is certain that the service never saw the call.

    ``lasting`` says that it will be the same next time, as with a certificate that is not to be trusted.
    """

    def __init__(self, why: str, *, sent: bool, lasting: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.sent = sent
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class Namespace:
    """Where responses are filed: those of different sources or base URLs never mix."""

    source: str
    base_url: str


class StoredResponse(Struct, frozen=True, gc=False):
    """A stored response without its body: the number of its call, when that left, when it came, and what it is.

    Rents that are kept in columns can be at hand. One of a cassette has its response at hand, and where the store has
    one as well, that is ``behind`` it and the number is that one's; else it is 0.
    """

    call: int
    at: str
    retrieved_at: str
    cents: int = 0
    sha256: str = ""
    request_id: str | None = None
    history: History | None = None
    response: Response | None = None
    behind: StoredResponse | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it came, when, from where, and what it cost. ``sha256`` is the body's.

    ``call`` is the number of its call in the store, 0 where it is in none.
    """

    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    retrieved_at: str
    sha256: str
    cents: int
    source: str
    call: int = field(default=0, repr=False, compare=False)

    @classmethod
    def of(cls, body: bytes, headers: Mapping[str, str], retrieved_at: str, cents: int, source: str) -> Response:
        """Make one from what a call brought."""
        return cls(body, headers, retrieved_at, hashlib.sha256(body).hexdigest(), cents, source)

    @property
    def is_whole(self) -> bool:
        """Whether the body is the one that came."""
        return hashlib.sha256(self.body).hexdigest() == self.sha256

    @property
    def request_id(self) -> str | None:
        """The service's ``X-Request-Id``."""
        return self.headers.get("x-request-id")


class RecordedInteraction(NamedTuple):
    """A call of a cassette: what it asked, the status of the answer, and what came."""

    item: Item
    status: int
    response: Response


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call ended, as the ledger has it."""

    outcome: Outcome
    cents: int
    http_status: int | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call: what was asked, how it ended, and what it cost (for ``unknown``, may have cost)."""

    at: str
    endpoint: str
    area_name: str
    outcome: str
    cents: int
    http_status: int | None
    request_id: str | None
    source: str
