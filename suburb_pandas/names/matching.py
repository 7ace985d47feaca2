"""Decides which suburb name a query means. A name is chosen only if no other name fits, and never for its similarity.

A query is a text and the state, postcode and region that were given with it, in the text or beside it. A suburb fits if
the text is its name or the name's base, and nothing that was given contradicts it. A part that cannot be checked does
not count: it neither proves a match nor prevents one.

=========  ======================================  =====================================================================
Given      What is known of a suburb               What follows
=========  ======================================  =====================================================================
state      its state                               the same state confirms, another contradicts
state      its postcode only                       contradicts if the postcode cannot lie in the state
state      neither                                 nothing
postcode   its postcodes                           one of them confirms, that of another suburb contradicts; one that no
                                                   suburb has, as for post boxes, is only compared with the state
postcode   its state only                          unlikely if the postcode cannot lie in the state, else nothing
postcode   neither                                 nothing
region     its council and its areas               one of them confirms; another region of the same kind contradicts
region     no area of the region's kind            nothing
region     its state, if the region is a capital   the same as for the capital's state, since people write a capital for
                                                   the whole city; another council in the suburb's name contradicts
region     anything, if it stands after a comma    counts only if it confirms, because it may be a second suburb
invalid    anything                                an invalid state or postcode contradicts
=========  ======================================  =====================================================================

===============================================================  =======================================================
Suburbs that fit                                                 The query
===============================================================  =======================================================
none, since what was given contradicts those of that name        is ``elsewhere``: these are its candidates
none, and every part of the text is a name                       is about ``several`` suburbs, its candidates
none                                                             is ``unknown``; names with its compass word at the
                                                                 other end, and the name before CBD, are candidates
one, and the postcode makes it unlikely                          is ``elsewhere``: the range of the postcode blocks it
one, neither its state nor its postcode is known, nothing        is ``ambiguous``, with these among its candidates:
confirms it, and longer names that begin with its words are      Avalon in NSW can mean Avalon Beach
known to lie where the query says
one, all names of its base are known                             means that suburb
one, and its name is bare                                        means that suburb: by the ABS's rule no other has its
                                                                 base
one, its name has a state without a council, and the query has   means that suburb: by the ABS's rule no other in that
that state                                                       state has its base
one, its name has a state and a council, and the query has both  means that suburb, for it is the whole name
one, a look-up returned it, and its postcode or its region is    means that suburb: the response has all suburbs of that
confirmed                                                        base
one, anything else                                               is ambiguous: there may be others
several                                                          is ambiguous. Confirmed suburbs come first and unlikely
                                                                 ones last: the range of a postcode only orders them
===============================================================  =======================================================

An exact name means itself, unless a value given beside it contradicts it or makes it unlikely. If no name is written
like the text, the names of which it is an abbreviation fit, provided that no such name can be missing here. The ranges
of postcodes are left to names.evidence, similar names to names.search, and the errors for unresolved queries to
geocoding.outcomes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from suburb_pandas.names import sal
from suburb_pandas.names.evidence import Evidence, Says, compare
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.written import (
    BETWEEN,
    Query,
    Reading,
    expansions,
    fold_region,
    holds_an_address,
    is_unbounded_address,
    is_whole_region,
    may_hold_a_state,
    plainest,
    readings,
    turned,
)

AMBIGUOUS: Final = "ambiguous"
SEVERAL: Final = "several"
ELSEWHERE: Final = "elsewhere"
UNKNOWN: Final = "unknown"

_SIGNS: Final = frozenset(",;/|&+")  # no name has one of these


class Fit(NamedTuple):
    """A place that was compared with a query: the reading of the text, the values given beside it, and the evidence.

    ``is_shortened`` is True if the text has the name with abbreviations.
    """

    place: Place
    reading: Reading
    beside: Reading
    evidence: Evidence
    is_shortened: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The name that a query means, and how that suburb fits; or else why it means none, and candidates for a person.

    The likely candidates come first.
    """

    area_name: str | None = None
    problem: str = UNKNOWN
    candidates: tuple[Place, ...] = ()
    fit: Fit | None = None


def can_be_meant(query: Query) -> bool:
    """Return True if a look-up can settle a query: its state and postcode are valid and agree with its text.

    A look-up never settles an address without a comma, because the address may end in a suburb that the response lacks.
    Nor does it settle an address without a name, a total, or a text with a sign that no name has.
    """
    if query.state not in {None, *sal.STATES} or query.postcode != sal.postcode(query.postcode):
        return False
    name, _, state, postcode = plainest(query.text)
    is_address = is_unbounded_address(query.text) or holds_an_address(name)
    if is_address or is_whole_region(query.text) or not _SIGNS.isdisjoint(name):
        return False
    both = (state, query.state), (postcode, query.postcode)
    return may_hold_a_state(query.text) or all(None in pair or len({*pair}) == 1 for pair in both)


def verdict(gazetteer: Gazetteer, query: Query, *, found: Collection[str] | None = None) -> Verdict:
    """Match a query to the names of a gazetteer.

    ``found`` holds the names in the response to a look-up of the query; None means no look-up. A response with a name
    is assumed to hold every name of the same base.
    """
    matched = _match(gazetteer, query, found)
    text = sal.one_form(query.text)
    if matched.problem != UNKNOWN or matched.candidates or not BETWEEN.search(text):
        return matched
    is_one = any(one.regions for one in readings(text, gazetteer.is_region))
    named = () if is_one else _several(gazetteer, text, query.state or plainest(text).state)
    return Verdict(None, SEVERAL, named) if len(named) > 1 else matched


def _match(gazetteer: Gazetteer, query: Query, found: Collection[str] | None = None) -> Verdict:
    """Match a query that is about one suburb."""
    beside, exact = given_beside(query), gazetteer.get(query.text)
    if exact is not None:
        fit = _fit(gazetteer, exact, Reading(""), beside)
        if not fit.evidence.against:
            return _settled(gazetteer, fit)
    if not gazetteer.knows_all_about(query.text) and _may_be_read_wrong(query.text, looked_up=found is not None):
        return Verdict()
    every = readings(query.text, gazetteer.is_region)
    compared = _compared(gazetteer, query.text, every, beside)
    fits = {fit.place: fit for fit in reversed(_not_contradicted(compared))}
    has_doubt = not compared or holds_an_address(query.text)
    # A compass word after a street may be a part of the name: East Quoll is how people write Quoll East.
    unread = [one for one in every if not gazetteer.with_base(one.base)] if has_doubt else []
    turned_ones = (one._replace(base=base) for one in unread for base in turned(one.base))
    hints = _not_contradicted(_fits(gazetteer, turned_ones, beside))
    if all(fit.evidence.against for fit in fits.values()):
        in_place = _in_place(gazetteer, [*compared, *hints])
        return Verdict(None, ELSEWHERE, in_place) if compared else Verdict(candidates=_places(hints))
    only, *others = fits.values()
    longer = [fit for fit in compared if fit.reading.base.endswith(f" {only.reading.base}")]
    others += [fit for fit in (*longer, *hints) if fit.place != only.place]
    is_narrowed = Says.CONFIRMS in {only.evidence.postcode, only.evidence.region}
    is_found = found is not None and only.place.area_name in found
    is_sure = gazetteer.knows_all(only.reading.base) or _is_proven(only) or (is_narrowed and is_found)
    return _ambiguous([only, *others]) if others or not is_sure else _settled(gazetteer, only)


def _settled(gazetteer: Gazetteer, fit: Fit) -> Verdict:
    """Return the verdict on a query that one suburb fits: that suburb, unless a longer name may be meant."""
    place = fit.place
    is_unchecked = Says.NOTHING in fit.evidence and Says.CONFIRMS not in fit.evidence
    if is_unchecked and place.state is None and place.postcode is None:
        longer = _longer(gazetteer, sal.base_of(place.area_name), fit)
        if longer:
            return _ambiguous([fit, *longer])
    return Verdict(place.area_name, "", (), fit)


def _ambiguous(fits: Iterable[Fit]) -> Verdict:
    ordered = sorted(
        fits, key=lambda fit: (fit.evidence.against, -fit.evidence.count(Says.CONFIRMS), fit.place.area_name)
    )
    return Verdict(None, AMBIGUOUS, _places(ordered))


def _not_contradicted(fits: Iterable[Fit]) -> list[Fit]:
    return [fit for fit in fits if not fit.evidence.contradicts]


def _places(fits: Iterable[Fit]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(fit.place for fit in fits))


def _in_place(gazetteer: Gazetteer, compared: Sequence[Fit]) -> tuple[Place, ...]:
    """Return the longer names that lie where a query says, then the places compared, those with least against first."""
    longer = [one for fit in compared for one in _longer(gazetteer, fit.reading.base, fit)]
    return _places([*longer, *sorted(compared, key=lambda fit: (fit.evidence.against, fit.place.area_name))])


def _longer(gazetteer: Gazetteer, base: str, given: Fit) -> list[Fit]:
    """Return the places whose base has further words after ``base``, if they are known to lie where the query says."""
    fits = [_fit(gazetteer, place, given.reading, given.beside) for place in gazetteer.with_longer_base(base)]
    possible = [fit for fit in fits if not fit.evidence.against]
    in_range = [fit for fit in possible if fit.place.state and fit.evidence.postcode is Says.NOTHING]
    return [fit for fit in possible if fit in in_range or Says.CONFIRMS in fit.evidence]


def rule(gazetteer: Gazetteer, fit: Fit) -> str:
    """Return the rule that resolved a query: how much of the query was needed to leave one suburb.

    It is ``exact``, ``abbreviation``, ``base``, ``base_state``, ``council`` or ``postcode``.
    """
    base = fit.reading.base
    if not base or fit.is_shortened:
        return "abbreviation" if base else "exact"
    for known_by in ("base", "base_state", "council"):
        fits = _fits(gazetteer, [_used_by(known_by, fit.reading)], _used_by(known_by, fit.beside))
        possible = _not_contradicted(fits)
        if len(possible) == 1 and (gazetteer.knows_all(base) or _is_proven(possible[0])):
            return known_by
    return "postcode"


def _used_by(known_by: str, reading: Reading) -> Reading:
    """Return the parts of a reading that a rule uses."""
    regions = reading.regions if known_by == "council" else ()
    return Reading(reading.base, regions, None if known_by == "base" else reading.state)


def _compared(gazetteer: Gazetteer, text: str, every: Iterable[Reading], beside: Reading) -> list[Fit]:
    """Return the places with the bases of the readings of a text, each compared with the query.

    If there are none, return those with a base that the text has abbreviated, if no such place can be missing.
    """
    fits = _fits(gazetteer, every, beside)
    if not fits:
        longer = [one._replace(base=base) for one in every for base in expansions(one.base)]
        if all(gazetteer.knows_all(one.base) for one in longer):
            fits = [fit._replace(is_shortened=True) for fit in _fits(gazetteer, longer, beside)]
    if "," not in text or not any(fit.reading.regions for fit in fits):
        return fits
    # Text after a comma may be a second suburb, unless it is known to be a region of the first.
    certain = {one.regions for one in readings(text)}
    return [fit for fit in fits if fit.reading.regions in certain or fit.evidence.region is Says.CONFIRMS]


def _fits(gazetteer: Gazetteer, every: Iterable[Reading], beside: Reading) -> list[Fit]:
    """Return the places with the bases of some readings, each compared with the query."""
    return [_fit(gazetteer, place, one, beside) for one in every for place in gazetteer.with_base(one.base)]


def _fit(gazetteer: Gazetteer, place: Place, reading: Reading, beside: Reading) -> Fit:
    return Fit(place, reading, beside, compare(gazetteer, place, reading, beside))


def _several(gazetteer: Gazetteer, text: str, state: str | None) -> tuple[Place, ...]:
    """Return the places that a text names one after the other; none if a part of the text is no name.

    Hyphens, slashes, commas, ``&``, ``and`` and the other signs in `BETWEEN` separate the names. The longest name is
    tried first, since a hyphen can be a part of it: Brighton-Le-Sands. A part may be a name with abbreviations, or with
    its compass word at the other end. The state given with the text holds for all parts without one.
    """
    for end, start in [(len(text), len(text)), *(gap.span() for gap in reversed([*BETWEEN.finditer(text)]))]:
        part = text[:end]
        first = _named(gazetteer, Query(part, None if plainest(part).state else state))
        if first:
            rest = _several(gazetteer, text[start:], state)
            return tuple(dict.fromkeys([*first, *rest])) if rest or start == end else ()
    return ()


def _named(gazetteer: Gazetteer, part: Query) -> tuple[Place, ...]:
    """Return the places that a part of a text can mean."""
    found = _match(gazetteer, part)
    if found.area_name is not None:
        return (gazetteer[found.area_name],)
    return () if found.problem == ELSEWHERE else found.candidates


def given_beside(query: Query) -> Reading:
    """Return the values that were given beside the text of a query."""
    return Reading("", (fold_region(query.region),) if query.region else (), query.state, query.postcode)


def _may_be_read_wrong(text: str, *, looked_up: bool) -> bool:
    """Return True if an unknown suburb may have a longer name that includes more of the text.

    A state's full name may be a part of the suburb's name, which a look-up decides. The end of an address without a
    comma may be a part of it, too.
    """
    return (may_hold_a_state(text) and not looked_up) or is_unbounded_address(text)


def _is_proven(fit: Fit) -> bool:
    """Return True if the ABS's rule proves that no other suburb fits."""
    name, regions = sal.parse(fit.place.area_name), (*fit.reading.regions, *fit.beside.regions)
    is_only_one = name.council is None or fold_region(name.council) in regions  # in its state
    return name.state is None or (fit.evidence.state is Says.CONFIRMS and is_only_one)
