"""The geocode endpoint: the suburbs that a query may mean, and their places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Place
from suburb_pandas.service.endpoint import Endpoint
from suburb_pandas.service.envelope import Envelope, Missing, decoder_of

GEOCODE: Final = "geocode"
"""The endpoint of look-ups. Its responses are about a query, not about a suburb."""


class Information(msgspec.Struct, frozen=True, gc=False):
    """The place of a candidate. The specification names none of these fields."""

    poa: str | int | None = None
    sa2: str | None = None
    sa3: str | None = None
    sa4: str | None = None
    lga: str | None = None
    state: str | None = None


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A suburb that a query may mean. The specification names ``area_name`` only."""

    area_name: str | None = None
    area_level: str | None = None
    information: Information | None = None


Candidates = tuple[Candidate, ...]

_decode = decoder_of(Envelope[Candidates])


def decode_geocode(body: bytes, query: str) -> Candidates:
    """Decode the response to a look-up of `query`. A response without data has no candidates.

    Raises
    ------
    ContractViolation
        The body breaks the specification.
    """
    found = _decode(body, query)
    return () if isinstance(found, Missing) else found


def places_of(candidates: Iterable[Candidate]) -> list[Place]:
    """Return those candidates of a look-up that are suburbs, as places."""
    places = [place_of(candidate) for candidate in candidates if candidate.area_level in {None, "suburb"}]
    return [place for place in places if sal.is_name(place.area_name)]


def place_of(candidate: Candidate) -> Place:
    """Return a candidate as a place, with our spelling of states and postcodes. A state in its name has precedence."""
    where, name = candidate.information or Information(), candidate.area_name or ""
    suffix = sal.parse(name).state if sal.is_name(name) else None
    state, postcode = suffix or sal.state_code(where.state), sal.postcode(where.poa)
    return Place(name, state, where.lga, postcode, where.sa2, where.sa3, where.sa4, GEOCODE)


ENDPOINT: Final = Endpoint(
    name=GEOCODE,
    path="/v1/geocode/suburb?q={}",
    cents=1,
    decode=decode_geocode,
    shape="candidates",
    columns=dict.fromkeys(("area_name", "state", "lga", "postcode", "sa2", "sa3", "sa4"), "str"),
    unit=None,
    noun="look-ups",
    title="Look-ups",
    citation="look-up of",
    sample=b"""{"data": [{"area_name": "Lantern Bay (NSW)", "area_level": "suburb",
        "information": {"poa": "2799", "state": "New South Wales"}}]}""",
)
