"""What is known of suburbs on this machine: the gazetteer of a client's source, filled from what its store holds.

It owns what counts as known. The embedded sandbox brings its own list; the live service and its sandbox go by the lists
that were loaded; and to each is added what its own answers say. Nothing here makes a call, and nothing is written: what
is known follows from the responses, which are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from suburb_pandas.client.client import Client
from suburb_pandas.errors import ContractViolation, SuburbError
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer, NameList, Place
from suburb_pandas.service import endpoints as wire
from suburb_pandas.service.calls import GEOCODE, Item, StoredResponse

_RESPONSE: Final = "response"
EMBEDDED: Final = "embedded"
"""The source of made-up suburbs, and the origin of what is known of them."""

_LIST: Final = "list"
_AT_ONCE = 500
_BEGINNING = 300
_SUBJECT: Final = re.compile(rb'\s*\{\s*"data"\s*:\s*\{\s*"area_name"\s*:\s*("[^"\\]*")')

Asked = tuple[sal.Reading, str | None]


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known to a client, and how far its store has been read for it.

    ``look_ups`` are those that were answered, by what they ask. Up to ``settled`` all calls have ended and were read;
    of later ones those in ``read``.
    """

    gazetteer: Gazetteer
    lists: list[NameList]
    look_ups: Mapping[Asked, Item] = field(default_factory=dict)
    settled: int = 0
    read: frozenset[int] = frozenset()


_known: WeakKeyDictionary[Client, _Known] = WeakKeyDictionary()


def of(client: Client) -> Gazetteer:
    """Give what is known to a client of the suburbs of its source, read up to the newest response."""
    return _up_to_date(client).gazetteer


def after(client: Client) -> Gazetteer:
    """Give what is known after a request: where the store cannot be asked any more, what was known before.

    What somebody has paid for is never withheld for the want of a hint.
    """
    try:
        return of(client)
    except SuburbError:
        return _known[client].gazetteer if client in _known else Gazetteer()


def put_on_cassette(client: Client, suburbs: Iterable[str]) -> None:
    """Have a cassette that records keep by which responses suburbs are known, for who replays what followed from it.

    They are the look-ups that name a suburb, else what was answered about it. What lists say is in no response.
    """
    wanted = set(suburbs)
    if not wanted or client.cassette is None or client.replayed:
        return
    responses, _ = client.kept.responses_since(client.namespace, 0)
    look_ups = {call: item for call, item in responses.items() if item.endpoint == GEOCODE}
    behind: dict[Item, int] = {}
    for call, body in client.kept.bodies(look_ups).items():
        named = {place.area_name for place in _said(responses[call], body)} & wanted
        behind |= {responses[call]: call} if named else {}
        wanted -= named
    behind |= {item: call for call, item in responses.items() if item.area_name in wanted and item.endpoint != GEOCODE}
    client.kept.read({item: StoredResponse(call, "", "") for item, call in behind.items() if call > 0})


def look_up(client: Client, text: object, state: str | None = None) -> Item:
    """Give the look-up of a text, in a state if there is one: one that was answered, if it asks the same."""
    query = sal.check(" ".join(text.split()) if isinstance(text, str) else text)
    return _up_to_date(client).look_ups.get(asks(query, state)) or Item.look_up(query, state)


def asks(query: str, state: str | None) -> Asked:
    """Give what a look-up asks, the same for all ways to write it: what is overlooked in names, and how it is read."""
    if sal.may_end_in_a_state(query):
        return sal.Reading(sal.fold(query)), state
    *_, reading = sal.readings(query)
    return (reading if reading.base else reading._replace(base=query)), state


def _up_to_date(client: Client) -> _Known:
    lists = [] if client.source == EMBEDDED else client.kept.name_lists()
    known = _known.get(client)
    if known is None or lists != known.lists:
        known = _Known(_begun(client, lists), lists)
    responses, settled = client.kept.responses_since(client.namespace, known.settled)
    news = {call: item for call, item in responses.items() if call not in known.read}
    if news:
        gazetteer = known.gazetteer.and_also(_learnt(client, known.gazetteer, news))
        asked = {asks(item.subject, item.state): item for item in news.values() if item.endpoint == GEOCODE}
        known = _Known(gazetteer, lists, {**known.look_ups, **asked}, settled, frozenset(responses))
    _known[client] = known
    return known


def places(gazetteer: Gazetteer, suburbs: Iterable[str]) -> list[Place]:
    """Give what is known of suburbs: at the least what their names say."""
    return [gazetteer.named(name) or Place(name, _suffix(name)) for name in suburbs]


def absent(client: Client, items: Iterable[Item]) -> tuple[str, ...]:
    """Give the names of suburbs, among what is asked for, that there certainly are not, as far as is known here."""
    asked = dict.fromkeys(item.area_name for item in items if item.endpoint != GEOCODE)
    if not asked or not (client.source == EMBEDDED or any(one.complete for one in client.kept.name_lists())):
        return ()
    gazetteer = of(client)
    return tuple(name for name in asked if name not in gazetteer)


def places_of(candidates: Iterable[wire.Candidate]) -> Iterator[Place]:
    """Give the suburbs among the candidates of a look-up, in the words of our own columns."""
    for candidate in candidates:
        if candidate.area_level in {None, "suburb"} and sal.is_name(candidate.area_name):
            yield place_of(candidate)


def place_of(candidate: wire.Candidate) -> Place:
    """Give one candidate in the words of our own columns. Its name's suffix says the state if there is one."""
    where, name = candidate.information or wire.Information(), candidate.area_name or ""
    state = (_suffix(name) if sal.is_name(name) else None) or sal.state_code(where.state)
    return Place(name, state, where.lga, sal.postcode(where.poa), where.sa2, where.sa3, where.sa4, GEOCODE)


def _begun(client: Client, lists: list[NameList]) -> Gazetteer:
    """Begin a gazetteer with what does not depend on any answer."""
    if client.source == EMBEDDED:
        return Gazetteer(_made_up(), complete=True, said_by="the embedded sandbox, whose suburbs are made up")
    complete = [one for one in lists if one.complete]
    rows = client.kept.listed_names() if lists else []
    if complete:
        rows += [(name, _suffix(name)) for name in sal.SPECIAL]
    places = (Place(name, state, origin=_LIST) for name, state in rows)
    return Gazetteer(places, complete=bool(complete), said_by=_described(complete[-1]) if complete else "")


def _described(one: NameList) -> str:
    edition = f" ({one.edition})" if one.edition else ""
    number = f"{one.names:,} names" if one.names > 1 else "one name"
    return f"the list of {number}{edition} that was loaded on {one.loaded_at[:10]}"


def _made_up() -> Iterator[Place]:
    from suburb_pandas.sandbox import SUBURBS  # noqa: PLC0415 - only who has no key needs it

    for one in SUBURBS:
        yield Place(one.name, one.state, one.council, one.postcode, one.sa2, one.sa3, one.sa4, EMBEDDED)


def _learnt(client: Client, gazetteer: Gazetteer, news: Mapping[int, Item]) -> Iterator[Place]:
    """Give what responses say: that suburbs exist which were not known, then what look-ups say, which is more."""
    data = {call: item for call, item in news.items() if item.endpoint != GEOCODE and item.area_name not in gazetteer}
    quick = {
        call for call, start in client.kept.beginnings(data, _BEGINNING).items() if _begins_with(start, data[call])
    }
    for call in quick:
        yield Place(data[call].area_name, _suffix(data[call].area_name), origin=_RESPONSE)
    slow = [*(data.keys() - quick), *(call for call, item in news.items() if item.endpoint == GEOCODE)]
    for start in range(0, len(slow), _AT_ONCE):
        for call, body in client.kept.bodies(slow[start : start + _AT_ONCE]).items():
            yield from _said(news[call], body)


def _begins_with(beginning: bytes, item: Item) -> bool:
    """Whether an answer has data of a suburb, as its first bytes mostly tell: a nation's are not read to their ends."""
    found = _SUBJECT.match(beginning)
    return found is not None and found[1] == msgspec.json.encode(item.area_name)


def _said(item: Item, body: bytes) -> Iterator[Place]:
    """Give the suburbs that an answer speaks of. One that breaks the specification says nothing here.

    Nor does one without data: it does not prove that there is such a suburb.
    """
    with suppress(ContractViolation):
        if item.endpoint == GEOCODE:
            yield from places_of(wire.decode_geocode(body, item.subject))
        elif not isinstance(wire.DECODERS[item.endpoint](body, item.area_name), wire.Missing):
            yield Place(item.area_name, _suffix(item.area_name), origin=_RESPONSE)


def _suffix(name: str) -> str | None:
    return sal.parse(name).state
