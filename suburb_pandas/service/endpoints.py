"""The service's vocabulary: its paths and prices, and its answers decoded and checked in one pass.

Owns what the specification says. It knows nothing of HTTP, money or pandas: bytes in, structs out, and an answer
that breaks the specification is a ``ContractViolation`` with the path of the offending field.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec
import numpy as np
import numpy.typing as npt

from suburb_pandas.errors import ContractViolation

PRICES: dict[str, int] = {"rent": 30, "impacts": 10, "geocode": 1}
"""Cents a call, from the rate card. What an answer says in ``X-Cost-Cents`` wins."""

SERVICE = "the Microburbs Property Data API v1 (api.microburbs.com.au)"
"""What the service calls itself, for who cites it."""

MADE_UP_HEADER = "x-made-up-data"
"""The embedded sandbox's own header, on each of its answers."""

MADE_UP_URL = "http://embedded.invalid"
"""Where made-up answers are filed and recorded as coming from: there can be no such host."""

KEPT_HEADERS = (
    "content-type",
    "date",
    "x-cost-cents",
    "x-rate-card-version",
    "x-request-id",
    MADE_UP_HEADER,
)
"""What is kept of an answer's headers. Never the wallet's balances or cookies: a store may be handed on."""

SANDBOX_SUBURBS = (
    "Belmont North",
    "Bondi",
    "St Kilda (Vic.)",
    "Fortitude Valley",
    "Subiaco",
    "Unley",
    "Sandy Bay",
    "Kambah",
    "Nightcliff",
)
"""What the live service knows under the key ``test``."""

EMBEDDED_TEST_SUBURBS = (
    "Lantern Bay (NSW)",
    "Bilby Heights",
    "Kestrel Hill (Vic.)",
    "Mangrove Steps",
    "Saltbush Park",
    "Quokka Bay",
    "Leatherwood Bend",
    "Bogong Rise",
    "Spinifex Landing",
)
"""What the embedded sandbox knows under the key ``test``."""

_PATHS = {
    "rent": "/v1/suburbs/{}/market/median-rent-series",
    "impacts": "/v1/suburbs/{}/lifestyle/poi-impacts",
    "geocode": "/v1/geocode/suburb?q={}",
}

_ASKED = {
    endpoint: re.compile(".*" + re.escape(path).replace(r"\{\}", "([^/]+)"))
    for endpoint, path in _PATHS.items()
    if "?" not in path
}

_SHOWN = 200  # letters of what an answer says

# pandas 2 counts nanoseconds in 64 bits and wraps round silently outside these years.
_FIRST_DAY, _LAST_DAY = (int(np.datetime64(day).astype("int64")) for day in ("1678-01-01", "2261-12-31"))
_LOWEST, _HIGHEST = (np.frombuffer(line, "u1") for line in (b"0000-00-00\n", b"9999-99-99\n"))

# The specification's integers, which may be written 64 or 64.0; beyond 2**53 a float is no longer whole.
_Whole = Annotated[float, msgspec.Meta(multiple_of=1, ge=-(2**53), le=2**53)]


class Points(NamedTuple):
    """One property type's points as they came: days since 1970, and the advertised median rent in AUD per week."""

    days: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


class Rent(NamedTuple):
    """MedianRentSeries: ``null``, absent and empty series are the same, without points."""

    area_name: str
    house: Points
    unit: Points


class _Point(msgspec.Struct, frozen=True, gc=False):
    """TimeSeriesPoint. Rejected: a date object for each, which takes longer than all the rest."""

    date: str
    value: float


class _Rent(msgspec.Struct, frozen=True):
    """MedianRentSeries as it is sent."""

    area_name: str
    area_level: Literal["suburb"]
    house: list[_Point] | None = None
    unit: list[_Point] | None = None


class Driver(msgspec.Struct, frozen=True, gc=False):
    """PoiImpactDriver: what the absence of one amenity was worth."""

    label: str
    coverage_pct: float
    premium_dollars: _Whole
    pct_of_median: float
    detail: str


class Impacts(msgspec.Struct, frozen=True):
    """LifestylePoiImpacts: the drivers of one suburb, largest premium first."""

    area_name: str
    area_level: Literal["suburb"]
    n_sales: _Whole
    median_price: _Whole
    total_premium: _Whole
    drivers: tuple[Driver, ...]


class Information(msgspec.Struct, frozen=True, gc=False):
    """Where a candidate is: none of it is promised."""

    poa: str | int | None = None
    sa2: str | None = None
    sa3: str | None = None
    sa4: str | None = None
    lga: str | None = None
    state: str | None = None


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A suburb that a query may mean: none of it is promised."""

    area_name: str | None = None
    area_level: str | None = None
    information: Information | None = None


class Missing(msgspec.Struct, frozen=True):
    """An answer without data, which is not an error: the service's own reason and message."""

    reason: str | None
    message: str | None


Candidates = tuple[Candidate, ...]

Payload = TypeVar("Payload", _Rent, Impacts, Candidates)


class _Envelope(msgspec.Struct, Generic[Payload]):
    data: Payload | None
    reason: str | None = None
    message: str | None = None


_RENT = msgspec.json.Decoder(_Envelope[_Rent])
_IMPACTS = msgspec.json.Decoder(_Envelope[Impacts])
_GEOCODE = msgspec.json.Decoder(_Envelope[Candidates])


def is_made_up(headers: Mapping[str, str], source: str) -> bool:
    """Whether an answer is of made-up data: by the mark that it carries, or by where it came from."""
    return MADE_UP_HEADER in headers or source == "embedded"


def path(endpoint: str, encoded_name: str, state: str | None = None) -> str:
    """Give the path of an endpoint for a percent-encoded suburb name, or for a query and perhaps its state."""
    return _PATHS[endpoint].format(encoded_name) + (f"&state={state}" if state else "")


def asked(url: str) -> tuple[str, str, str | None] | None:
    """Give the endpoint that a URL asks, what for, and in which state: the way back from :func:`path`, on any host.

    None for what is no call of this service's as it is specified, or no URL.

    >>> asked("https://example.org/v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts")
    ('impacts', 'Quokka Bay', None)
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # such as a bracket in the host
        return None
    for endpoint, pattern in _ASKED.items():
        found = pattern.fullmatch(parts.path)
        if found:
            return (endpoint, unquote(found[1]), None) if not parts.query else None
    query = dict(parse_qsl(parts.query))
    if parts.path.endswith("/v1/geocode/suburb") and "q" in query and query.keys() <= {"q", "state"}:
        return "geocode", query["q"], query.get("state")
    return None


def decode_rent(body: bytes, name: str) -> Rent | Missing:
    """Decode and check the body of a rent answer that was asked for by ``name``.

    Raises
    ------
    ContractViolation
        The body breaks the specification, or is about another suburb.
    """
    found = _decode(_RENT, body, name)
    if isinstance(found, Missing):
        return found
    _check_subject(found, name)
    return _rent(found, name)


def decode_impacts(body: bytes, name: str) -> Impacts | Missing:
    """Decode and check the body of an impacts answer that was asked for by ``name``.

    Raises
    ------
    ContractViolation
        The body breaks the specification, or is about another suburb.
    """
    found = _decode(_IMPACTS, body, name)
    if isinstance(found, Impacts):
        _check_subject(found, name)
    return found


def decode_geocode(body: bytes, query: str) -> Candidates:
    """Decode and check the body of a look-up's answer. Without data there are no candidates.

    Raises
    ------
    ContractViolation
        The body breaks the specification.
    """
    found = _decode(_GEOCODE, body, query)
    return () if isinstance(found, Missing) else found


DECODERS: dict[str, Callable[[bytes, str], Rent | Impacts | Candidates | Missing]] = {
    "rent": decode_rent,
    "impacts": decode_impacts,
    "geocode": decode_geocode,
}
"""How to decode the answers of each endpoint."""


def _decode(decoder: msgspec.json.Decoder[_Envelope[Payload]], body: bytes, name: str) -> Payload | Missing:
    try:
        envelope = decoder.decode(body.removeprefix(BOM_UTF8))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise _violation(name, *_place(str(problem))) from None
    return Missing(envelope.reason, envelope.message) if envelope.data is None else envelope.data


def _check_subject(found: _Rent | Impacts, name: str) -> None:
    if found.area_name != name:
        raise _violation(name, "$.data.area_name", f"it is about {found.area_name[:_SHOWN]!r}")


def _rent(found: _Rent, name: str) -> Rent:
    """Give both series as arrays, from one pass over their points."""
    house, unit = found.house or [], found.unit or []
    points = house + unit
    days = _days([point.date for point in points])
    if days is None:
        raise _no_date(house, unit, name)
    values = np.array([point.value for point in points], dtype="float64")
    first = len(house)
    return Rent(found.area_name, Points(days[:first], values[:first]), Points(days[first:], values[first:]))


def _no_date(house: Sequence[_Point], unit: Sequence[_Point], name: str) -> ContractViolation:
    """Give the error for the first date that is none."""
    texts = [point.date for point in (*house, *unit)]
    first, end = 0, len(texts)
    while end - first > 1:  # it is among these
        middle = (first + end) // 2
        first, end = (first, middle) if _days(texts[first:middle]) is None else (middle, end)
    where = f"house[{first}]" if first < len(house) else f"unit[{first - len(house)}]"
    return _violation(name, f"$.data.{where}.date", f"{texts[first][:_SHOWN]!r} is no date, or out of range")


def _days(texts: Sequence[str]) -> npt.NDArray[np.int64] | None:
    """Read dates as the specification writes them; None where one is something else, or out of range.

    Rejected: having numpy read them from bytes, by which older versions of it crash at a date such as 2026-02-30.
    """
    lines = "\n".join([*texts, ""]).encode("ascii", "replace")
    if len(lines) != len(texts) * len(_LOWEST):
        return None
    letters = np.frombuffer(lines, "u1").reshape(-1, len(_LOWEST))
    if not ((letters >= _LOWEST) & (letters <= _HIGHEST)).all():
        return None
    try:
        days = np.array(texts, dtype="M8[D]").astype("int64")
    except ValueError:
        return None
    return days if not texts or (days.min() >= _FIRST_DAY and days.max() <= _LAST_DAY) else None


def _place(problem: str) -> tuple[str, str]:
    """Split msgspec's message into the path, down to a field that is missing, and what is wrong there."""
    what, _, where = problem.partition(" - at ")
    field = re.fullmatch(r"Object missing required field `(.+)`", what)
    found = where.strip("`") or "$"
    return (f"{found}.{field[1]}" if field else found), what


def _violation(name: str, where: str, what: str) -> ContractViolation:
    return ContractViolation(
        f"The answer for {name!r} breaks the service's specification at {where}: {what[:_SHOWN]}. "
        "It is kept as it came, so asking again costs nothing and says the same; refresh=True buys it anew.",
        path=where,
        status_code=200,
    )
