"""Records on a cassette the suburb names that are known without a call, so that a replay knows the same.

Names of loaded lists go into the cassette's own key. Names known from stored responses come with these responses. If
a replay will not know a name, a warning says so while the cassette records. Building a gazetteer is left to
known_names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import SuburbError, SuburbWarning
from suburb_pandas.messages import listed, warn
from suburb_pandas.names.evidence import Says
from suburb_pandas.names.gazetteer import Gazetteer, ListedNames, Place, bases_of
from suburb_pandas.names.matching import Verdict, given_beside, verdict
from suburb_pandas.names.readings import Query, readings
from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.geocode import GEOCODE


def carry(context: RequestContext, texts: Iterable[str]) -> None:
    """Record the names in loaded lists that these texts can mean, so that a replay knows these and no others.

    Every function that matches a user's text to the known names, or shows some of them, calls this first.
    """
    if context.cassette is None or not records_names(context) or context.carried is not None:
        return
    lists, gazetteer = known_names.listed_names(context)
    if not lists:
        return

    bases = {base for text in texts for base in bases_of(text)}
    names = ListedNames(context.source, tuple(lists), {base: gazetteer.with_base(base) for base in bases})
    context.cassette.carry(names, gazetteer.with_base, context.secret)


def record_verdicts(context: RequestContext, gazetteer: Gazetteer, verdicts: Mapping[Query, Verdict]) -> None:
    """Record what decided these queries, so that a replay decides the same.

    That is the names that a query can mean and, unless its postcode confirms one of them, a suburb at that postcode: a
    postcode that no suburb has would not contradict.
    """
    if context.cassette is None:
        return
    deciding = {place.area_name for found in verdicts.values() for place in found.candidates}
    for query, found in verdicts.items():
        if found.fit is None or found.fit.evidence.postcode is not Says.CONFIRMS:
            postcodes = {one.postcode for one in (given_beside(query), *readings(query.text)) if one.postcode}
            deciding |= {name for postcode in postcodes if (name := gazetteer.at_postcode(postcode))}
    carry(context, [*(query.text for query in verdicts), *deciding])
    record_evidence(context, [found.area_name for found in verdicts.values() if found.area_name is not None])
    record_evidence(context, deciding, of_look_ups_alone=True)


def warn_of_lost_verdicts(
    context: RequestContext, verdicts: Mapping[Query, Verdict], looked_up: Mapping[Query, set[str]]
) -> None:
    """Warn of queries that will resolve differently when the cassette that is being recorded is replayed.

    ``looked_up`` has the names in the response to the look-up of each query that was looked up.
    """
    if not records_names(context):
        return
    replayed = known_names.gazetteer_in_replay(context)
    now = {query: verdict(replayed, query, found=looked_up.get(query)) for query in verdicts}
    warn_of_lost(context, [query.text for query, final in verdicts.items() if now[query].area_name != final.area_name])


def carry_after(context: RequestContext, texts: Iterable[str]) -> None:
    """Do as `carry` does, but turn a problem into a warning, because the request may have been paid for."""
    with _problems_as_warnings():
        carry(context, texts)


@contextmanager
def _problems_as_warnings() -> Iterator[None]:
    try:
        yield
    except SuburbError as problem:
        warn(str(problem), SuburbWarning)


def records_names(context: RequestContext) -> bool:
    """Return True if a cassette records, and a replay would not know every name without it."""
    return context.cassette is not None and not context.replayed and context.source != known_names.EMBEDDED


def record_evidence(context: RequestContext, suburbs: Iterable[str], *, of_look_ups_alone: bool = False) -> None:
    """Record the stored responses from which suburbs are known, so that a replay knows these suburbs, too.

    They are the look-ups that name a suburb. If there is none, they are the responses about the suburb, unless
    ``of_look_ups_alone`` is True. A name from a loaded list has no such responses.
    """
    unproven = set(suburbs)
    if not unproven or not records_names(context):
        return
    items, _ = context.responses.responses_since(context.namespace, 0)
    look_ups = {call: item for call, item in items.items() if item.endpoint == GEOCODE}
    evidence: dict[Item, int] = {}
    for call, body in context.responses.bodies(look_ups).items():
        named = {place.area_name for place in known_names.places_in(items[call], body)} & unproven
        evidence |= {items[call]: call} if named else {}
        unproven -= named
    if not of_look_ups_alone:
        about = {item: call for call, item in items.items() if item.area_name in unproven}
        evidence |= {item: call for item, call in about.items() if item.endpoint != GEOCODE}
    # Reading a stored response while a cassette records adds the response to the cassette.
    context.responses.read({item: Response(call=call) for item, call in evidence.items() if call > 0})


def located(
    context: RequestContext, gazetteer: Gazetteer, suburbs: Iterable[str], fields: Sequence[str] = Place._fields
) -> list[Place]:
    """Return the known place of each suburb, and record the responses behind the fields that are shown."""
    found = known_names.places(gazetteer, suburbs)
    record_shown(context, found, fields)
    return found


def record_shown(context: RequestContext, shown: Iterable[Place], fields: Sequence[str] = Place._fields) -> None:
    """Record the responses behind these places. Warn of places that a replay will show differently."""
    if not records_names(context):
        return
    names = {place.area_name: place for place in shown}
    with _problems_as_warnings():
        carry(context, names)
        record_evidence(context, names, of_look_ups_alone=True)
        replayed = known_names.places(known_names.gazetteer_in_replay(context), names)
        pairs = zip(names.values(), replayed, strict=True)
        warn_of_lost(context, [now.area_name for now, then in pairs if _values(now, fields) != _values(then, fields)])


def _values(place: Place, fields: Sequence[str]) -> list[str | None]:
    return [getattr(place, field) for field in fields]


def warn_of_lost(context: RequestContext, names: Sequence[str]) -> None:
    """Warn that a replay of the cassette in use will know less of these names."""
    if names and context.cassette is not None:
        warn(
            f"A replay of the cassette {context.cassette.path} will know less about {listed(names)} than is known "
            "here, because some responses are not on it. In the same block, load these suburbs, or look each of these "
            f"names up, as in sp.find({names[0]!r})",
            SuburbWarning,
        )
