"""Builds the gazetteer of a client: the suburbs that are known without a call, from its store or cassette.

The embedded sandbox has a list of its own. The live service and its sandbox use the lists that were loaded. The names
in stored responses are added. Also plans the look-ups of the queries that these names leave open. Deciding what a query
means is left to names.matching, and making the look-ups to loaders.

While a cassette records, the names that decided the queries of a study are recorded too, so that a replay decides the
same: those of loaded lists in a key of the cassette, and those known from stored responses by recording the responses.
The suggestions in errors are not recorded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import Final
from weakref import WeakKeyDictionary

from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.client.client import Client
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import ContractViolation, SuburbError, SuburbWarning
from suburb_pandas.messages import warn
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import (
    AREAS,
    FORMAT,
    LIST,
    Gazetteer,
    ListedNames,
    NameList,
    Place,
    bases_of,
    pack,
    unpack,
)
from suburb_pandas.names.matching import SEVERAL, Verdict, can_be_meant, given_beside
from suburb_pandas.names.written import Query, Question, asked, question, readings
from suburb_pandas.sandbox import SUBURBS, census
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import SANDBOX_SUBURBS, Item
from suburb_pandas.service.geocode import GEOCODE, decode_geocode, places_of
from suburb_pandas.store import names_table

EMBEDDED: Final = "embedded"
"""The source of made-up suburbs, and the origin of the places of these suburbs."""

_MADE_UP: Final = "made up"  # the edition of the embedded sandbox's own list
_RESPONSE: Final = "response"  # the origin of a place that a response proved
_SANDBOX: Final = "sandbox"  # the source of the key test, and the origin of the places that it may ask for
_BEGINNING = 300  # bytes
_DOWNLOAD: Final = "download the ABS's free list from abs.gov.au (ASGS Edition 3), and run"
_SUBJECT: Final = re.compile(rb'"area_name"\s*:\s*"([^"]*)"')

_FILES: Final = {
    "lga": "LGA_2021_AUST.xlsx",
    "postcode": "POA_2021_AUST.xlsx",
    **dict.fromkeys(("sa2", "sa3", "sa4"), "MB_2021_AUST.xlsx"),
    **dict.fromkeys(("dwellings", "persons"), "Mesh Block Counts, 2021.xlsx"),
}
"""The ABS's file that adds each kind of area or count to the ABS's list of names. The list itself has the states."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The suburbs known to a client, and the calls whose responses were read to learn them.

    ``listed`` has the suburbs that were known before any response was read. ``look_ups`` are the answered look-ups by
    their question, and ``proofs`` has for each suburb the item whose response names it. The responses of all calls up
    to ``settled`` were read; of later calls, those in ``read``.
    """

    gazetteer: Gazetteer
    lists: list[NameList]
    listed: Gazetteer
    look_ups: dict[Question, Item] = field(default_factory=dict)
    proofs: dict[str, Item] = field(default_factory=dict)
    settled: int = 0
    read: frozenset[int] = frozenset()


_known: WeakKeyDictionary[Client | Cassette, WeakKeyDictionary[Client, _Known]] = WeakKeyDictionary()
"""The suburbs known to each client. Those known while a cassette is in use are kept apart, under that cassette."""


def gazetteer_of(context: RequestContext) -> Gazetteer:
    """Return the suburbs known to a client, including those from its newest responses."""
    return _up_to_date(context).gazetteer


def of_client(client: Client | None) -> Gazetteer:
    """Return the suburbs known to a client, or to the default client."""
    return gazetteer_of(request_context(client))


def gazetteer_after(context: RequestContext) -> Gazetteer:
    """Return the suburbs known after a request; none if the store can no longer be read.

    Rejected: raising. A request that was paid for must not fail because of a suggestion.
    """
    with suppress(SuburbError):
        return gazetteer_of(context)
    return Gazetteer()


def look_up(context: RequestContext, text: object, state: str | None = None) -> Item:
    """Return the item that looks up a text. If an answered look-up asked the same question, return its item."""
    return _item(_up_to_date(context).look_ups.copy(), text, state)


def _item(known: dict[Question, Item], text: object, state: str | None) -> Item:
    """Return the item of a look-up, and add it to those that are known if none of these asks the same question."""
    query = sal.check(" ".join(text.split()) if isinstance(text, str) else text)
    return known.setdefault(question(query, state), Item(GEOCODE, query, state))


def look_ups(context: RequestContext, gazetteer: Gazetteer, verdicts: Mapping[Query, Verdict]) -> dict[Query, Item]:
    """Return the look-up of each query that the known names leave open and that a look-up can settle.

    Different spellings of a query share a look-up. A text about several suburbs has none. ``verdicts`` are those by the
    names of the gazetteer.
    """
    known, items = _up_to_date(context).look_ups.copy(), {}
    for query, found in verdicts.items():
        is_open = found.area_name is None and found.problem != SEVERAL and not gazetteer.knows_all_about(query.text)
        if is_open and can_be_meant(query):
            items[query] = _item(known, *asked(query))
    return items


def _up_to_date(context: RequestContext) -> _Known:
    """Return the suburbs known to a client, after reading the responses that arrived since the last time."""
    known_by_client = _known.setdefault(context.cassette or context.client, WeakKeyDictionary())
    lists = [] if context.source == EMBEDDED else context.name_lists()
    known = known_by_client.get(context.client)
    if known is None or lists != known.lists:
        listed = _first_gazetteer(context, lists)
        known = _Known(listed, lists, listed)
    known_by_client[context.client] = known = _with_new_responses(context, known)
    return known


def _with_new_responses(context: RequestContext, known: _Known) -> _Known:
    """Add the names in the responses that arrived since the last time."""
    items, settled = context.responses_since(known.settled)
    new = {call: item for call, item in items.items() if call not in known.read}
    if not new:
        return known
    learnt = list(_places_learnt(context, known.gazetteer, new))
    gazetteer = known.gazetteer.and_also(place for place, _ in learnt)
    asked_now = {question(item.area_name, item.state): item for item in new.values() if item.endpoint == GEOCODE}
    look_ups = known.look_ups | asked_now
    proofs = known.proofs | {place.area_name: item for place, item in learnt}
    return replace(known, gazetteer=gazetteer, look_ups=look_ups, proofs=proofs, settled=settled, read=frozenset(items))


def places(gazetteer: Gazetteer, suburbs: Iterable[str]) -> list[Place]:
    """Return the known place of each suburb; for an unknown suburb, one with the state in the suffix of its name."""
    return [gazetteer.get(name) or Place(name, _suffix(name)) for name in suburbs]


def absent(context: RequestContext, items: Iterable[Item]) -> tuple[str, ...]:
    """Return the suburb names of items that a complete gazetteer does not have; nothing if no list is complete."""
    names = dict.fromkeys(item.area_name for item in items if item.endpoint != GEOCODE)
    gazetteer = gazetteer_of(context) if names else Gazetteer()
    return tuple(name for name in names if name not in gazetteer and gazetteer.knows_all(sal.base_of(name)))


def _first_gazetteer(context: RequestContext, lists: list[NameList]) -> Gazetteer:
    """Return the gazetteer of a source before any response is read."""
    if context.source == EMBEDDED:
        return Gazetteer(_made_up(), complete=True, said_by="the embedded sandbox, whose suburbs are made up")
    listed = _listed_gazetteer(context, lists) if lists else Gazetteer()
    if context.source != _SANDBOX:
        return listed
    of_the_key = (Place(name, state, origin=_SANDBOX) for name, state in SANDBOX_SUBURBS.items())
    return listed.and_also(listed.get(place.area_name, place).over(place) for place in of_the_key)


def _listed_gazetteer(context: RequestContext, lists: list[NameList]) -> Gazetteer:
    """Return the suburbs of the loaded lists, from a cassette or from the store, which keeps the packed gazetteer."""
    complete = next((loaded for loaded in lists if loaded.complete), None)
    said_by = _described(complete) if complete else ""
    if context.carried is not None:
        by_base = context.carried.by_base
        return Gazetteer(chain(*by_base.values()), complete_for=by_base if complete else (), said_by=said_by)
    packed = context.store.read(names_table.packed, FORMAT)
    known = unpack(packed, complete=complete is not None, said_by=said_by) if packed else None
    if known is not None:
        return known
    places = context.store.read(names_table.places)
    if complete:
        places += [Place(name, _suffix(name), origin=LIST, edition=complete.edition) for name in sal.SPECIAL]
    built = Gazetteer(places, complete=complete is not None, said_by=said_by)
    context.store.try_to_write(names_table.keep_packed, lists, FORMAT, pack(built))
    return built


def how_to_know_more(context: RequestContext) -> str:
    """Return the advice to load a list of names; an empty text if one is loaded, or would not help."""
    line = "" if context.name_lists() else line_that_loads(context)
    return line and f"No list of suburb names is loaded, so few names are known here; {_DOWNLOAD} {line}"


def how_to_confirm(context: RequestContext) -> str:
    """Return, as part of a sentence, why an unknown name cannot be checked, and how to load a complete list."""
    line = line_that_loads(context)
    where = f"here without a complete list of names; {_DOWNLOAD} {line}" if line else "in a replay"
    return f"cannot be checked {where}"


def line_that_loads(context: RequestContext, kinds: Collection[str] = ()) -> str:
    """Return the code that loads the ABS's list of names with these kinds of information; empty if it is of no use.

    The list replaces the loaded ones, so the line loads again what they have. It is of no use in replay, for the
    embedded sandbox, or if the loaded lists have all these kinds: a gap for one suburb would stay.
    """
    loaded = kinds_listed(context)
    if context.replayed or context.source == EMBEDDED or (kinds and loaded.issuperset(kinds)):
        return ""
    files = sorted({_FILES[kind] for kind in {*kinds, *loaded} if kind in _FILES})
    with_ = f", with_={(files[0] if len(files) == 1 else files)!r}" if files else ""
    return f"sp.load_gazetteer('SAL_2021_AUST.xlsx'{with_}{'' if context.is_default else ', client=client'})"


def kinds_listed(context: RequestContext) -> set[str]:
    """Return the kinds of information in the loaded lists: ``state`` (beyond suffixes), kinds of areas, and counts."""
    places = [place for place in _up_to_date(context).listed.values() if place.origin in {LIST, EMBEDDED}]
    kinds = {kind for kind in _FILES if any(getattr(place, kind) is not None for place in places)}
    has_states = any(place.state is not None and not place.area_name.endswith(")") for place in places)
    return kinds | ({"state"} if has_states else set())


def warn_if_nothing_is_known(context: RequestContext) -> None:
    """Warn that no list is loaded, as the reason why nothing was found."""
    advice = how_to_know_more(context)
    if advice:
        warn(advice, SuburbWarning)


def _described(loaded: NameList) -> str:
    edition = f" ({loaded.edition})" if loaded.edition else ""
    return f"the list of {loaded.names:,} names{edition} that was loaded on {loaded.loaded_at[:10]}"


def _made_up() -> Iterator[Place]:
    for suburb in SUBURBS:
        codes = (suburb.sa2, suburb.sa3, suburb.sa4)
        place = Place(suburb.name, suburb.state, suburb.council, suburb.postcode, *codes, EMBEDDED, _MADE_UP)
        yield place._replace(**census(suburb.name)._asdict())


def _places_learnt(
    context: RequestContext, gazetteer: Gazetteer, new: Mapping[int, Item]
) -> Iterator[tuple[Place, Item]]:
    """Yield the places in new responses, each with the item of its response. Places from look-ups come last.

    Of a stored response about a suburb, only the beginning is read, because there can be one for each suburb of the
    country.
    """
    about = [call for call, item in new.items() if item.endpoint != GEOCODE and item.area_name not in gazetteer]
    for call, beginning in context.bodies(about, _BEGINNING).items():
        name, named = new[call].area_name, _SUBJECT.search(beginning)
        if named and named[1] == name.encode():
            yield Place(name, _suffix(name), origin=_RESPONSE), new[call]
    look_ups = [call for call, item in new.items() if item.endpoint == GEOCODE]
    for call, body in context.bodies(look_ups).items():
        with suppress(ContractViolation):
            candidates = decode_geocode(body, new[call].area_name)
            yield from ((place, new[call]) for place in places_of(candidates))


def _suffix(name: str) -> str | None:
    """Return the state in the suffix of a name; None if it has no such suffix."""
    return sal.parse(name).state


def carry(context: RequestContext, texts: Iterable[str]) -> None:
    """Record the names in loaded lists that these texts can mean, so that a replay knows these names and no others."""
    cassette = context.recording
    if cassette is None or context.carried is not None:
        return
    known = _up_to_date(context)
    if known.lists:
        bases = {base for text in texts for base in bases_of(text)}
        if cassette.names:  # all names on a cassette are those of the same lists
            bases |= cassette.names.by_base.keys()
        by_base = {base: known.listed.with_base(base) for base in bases}
        names = ListedNames(context.source, tuple(known.lists), by_base)
        cassette.carry(names, context.secret)


def record_verdicts(context: RequestContext, gazetteer: Gazetteer, verdicts: Mapping[Query, Verdict]) -> None:
    """Record the names that decided these queries, so that a replay decides the same.

    These are all names that a query can mean, even those that its state, postcode or region contradicts, and one suburb
    in each postcode and region that was given. Without that suburb, the postcode or region would contradict nothing.
    """
    if context.recording is None:
        return
    deciding = {place.area_name for found in verdicts.values() for place in found.candidates}
    compared = set()
    for query in verdicts:
        compared |= {place.area_name for base in bases_of(query.text) for place in gazetteer.with_base(base)}
        for one in (given_beside(query), *readings(query.text, gazetteer.is_region)):
            areas = [("postcode", one.postcode or ""), *product(AREAS, one.regions)]
            deciding |= {gazetteer.suburb_in[area] for area in areas if area in gazetteer.suburb_in}
    carry(context, [*(query.text for query in verdicts), *deciding])
    _record_proofs(context, {found.area_name for found in verdicts.values() if found.area_name}, compared | deciding)


def located(context: RequestContext, gazetteer: Gazetteer, suburbs: Iterable[str]) -> list[Place]:
    """Return the known place of each suburb, and record the names and responses from which it is known."""
    found = places(gazetteer, suburbs)
    names = {place.area_name for place in found}
    carry(context, names)
    _record_proofs(context, names)
    return found


def _record_proofs(context: RequestContext, settled: Collection[str], compared: Collection[str] = ()) -> None:
    """Record the stored responses from which suburbs are known: for ``compared`` suburbs, only those of look-ups."""
    cassette = context.recording
    if cassette is None:
        return
    proofs = _up_to_date(context).proofs
    on_cassette = {name for endpoint in ENDPOINTS for name in cassette.asked(endpoint)}
    about = {proofs[name] for name in settled if name in proofs and name not in on_cassette}
    look_ups = {proof for name in {*settled, *compared} if (proof := proofs.get(name)) and proof.endpoint == GEOCODE}
    # Reading a stored response while a cassette records adds the response to the cassette.
    context.read(context.newest(sorted(about | look_ups, key=str)))
