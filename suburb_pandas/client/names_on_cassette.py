"""Records on a cassette what settled the names of a study, so that a replay settles the same.

Names of loaded lists go into the cassette's own key. Names known from stored responses come with these responses.
Suggestions are not recorded. Building a gazetteer is left to known_names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.names.gazetteer import Gazetteer, ListedNames, Place, bases_of
from suburb_pandas.names.matching import Verdict, given_beside
from suburb_pandas.names.readings import Query, readings
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.geocode import GEOCODE


def _cassette(context: RequestContext) -> Cassette | None:
    """Return the cassette that records, unless a replay knows every name without it; otherwise None."""
    return context.recording if context.source != known_names.EMBEDDED else None


def carry(context: RequestContext, texts: Iterable[str]) -> None:
    """Record the names in loaded lists that these texts can mean, so that a replay knows these and no others."""
    cassette = _cassette(context)
    if cassette is None or context.carried is not None:
        return
    lists, listed = known_names.listed_names(context)
    if lists:
        bases = {base for text in texts for base in bases_of(text)}
        names = ListedNames(context.source, tuple(lists), {base: listed.with_base(base) for base in bases})
        cassette.carry(names, listed.with_base, context.secret)


def record_verdicts(context: RequestContext, gazetteer: Gazetteer, verdicts: Mapping[Query, Verdict]) -> None:
    """Record what decided these queries, so that a replay decides the same.

    That is every name that a query can mean, those included that its state, postcode or region contradicts. It is also
    a suburb at each postcode that was given: a postcode that no suburb has would not contradict.
    """
    if _cassette(context) is None:
        return
    deciding = {place.area_name for found in verdicts.values() for place in found.candidates}
    compared = set()
    for query in verdicts:
        compared |= {place.area_name for base in bases_of(query.text) for place in gazetteer.with_base(base)}
        postcodes = {one.postcode for one in (given_beside(query), *readings(query.text)) if one.postcode}
        deciding |= {name for postcode in postcodes if (name := gazetteer.at_postcode(postcode))}
    carry(context, [*(query.text for query in verdicts), *deciding])
    _record_proofs(context, {found.area_name for found in verdicts.values() if found.area_name}, compared | deciding)


def located(context: RequestContext, gazetteer: Gazetteer, suburbs: Iterable[str]) -> list[Place]:
    """Return the known place of each suburb, and record from what it is known."""
    found = known_names.places(gazetteer, suburbs)
    names = {place.area_name for place in found}
    carry(context, names)
    _record_proofs(context, names)
    return found


def _record_proofs(context: RequestContext, settled: Collection[str], compared: Collection[str] = ()) -> None:
    """Record the stored responses from which suburbs are known; of those that were only compared, only look-ups."""
    cassette = _cassette(context)
    if cassette is None:
        return
    proofs = known_names.proofs(context)
    on_cassette = {name for endpoint in ENDPOINTS for name in cassette.asked(endpoint)}
    about = {proofs[name] for name in settled if name in proofs and name not in on_cassette}
    look_ups = {proof for name in {*settled, *compared} if (proof := proofs.get(name)) and proof.endpoint == GEOCODE}
    # Reading a stored response while a cassette records adds the response to the cassette.
    context.read(context.newest(sorted(about | look_ups, key=str)))
