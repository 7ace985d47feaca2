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
                                                   the whole city; a council in the suburb's name contradicts
region     anything, if it stands after a comma    counts only if it confirms, because it may be a second suburb
invalid    anything                                an invalid state or postcode contradicts
=========  ======================================  =====================================================================

===============================================================  =======================================================
Suburbs that fit                                                 The query
===============================================================  =======================================================
none                                                             means no suburb
one, and the postcode makes it unlikely                          means no suburb: the range of the postcode blocks it
one, neither its state nor its postcode is known, nothing        is ambiguous, with these names among its candidates:
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

An exact name means itself, unless what was given beside it contradicts it. The ranges of postcodes are left to
names.postcodes, similar names to names.search, and the errors for unresolved queries to geocoding.problems.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from suburb_pandas.names import sal
from suburb_pandas.names.evidence import Evidence, Says, compare
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.postcodes import states_at
from suburb_pandas.names.readings import Query, Reading, fold_region, is_unbounded_address, may_hold_a_state, readings

EXACT: Final = "exact"
"""The rule for a query that is a name."""


class Fit(NamedTuple):
    """A place that fits a query, with the reading of the text, the values given beside it, and their evidence."""

    place: Place
    reading: Reading
    beside: Reading
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Verdict:
    """The name that a query means, and how that suburb fits; or else the places that it can mean, likely ones first.

    A query that stays open because too little is known of the only suburb that fits has the fit of that suburb, too.
    """

    area_name: str | None = None
    candidates: tuple[Place, ...] = ()
    fit: Fit | None = None

    @property
    def is_ambiguous(self) -> bool:
        """True if the query can mean more than one name, even if only one of them is known."""
        return self.area_name is None and bool(self.candidates)


def can_be_meant(query: Query) -> bool:
    """Return True if a look-up can settle a query: its state and postcode are valid and agree with its text.

    A look-up never settles an address without a comma: the address may end in a suburb that the response lacks.
    """
    if is_unbounded_address(query.text):
        return False
    if query.state not in {None, *sal.STATES} or query.postcode != sal.postcode(query.postcode):
        return False
    given = readings(query.text)
    states = {query.state, *(reading.state for reading in given)} - {None}
    postcodes = {query.postcode, *(reading.postcode for reading in given)} - {None}
    return (len(states) <= 1 and len(postcodes) <= 1) or may_hold_a_state(query.text)


def verdict(gazetteer: Gazetteer, query: Query, *, found: Collection[str] | None = None) -> Verdict:
    """Match a query to the names of a gazetteer.

    ``found`` holds the names in the response to a look-up of the query; None means no look-up. A response with a name
    is assumed to hold every name of the same base.
    """
    exact = gazetteer.named(query.text)
    if exact is not None:
        fit = _fit(gazetteer, exact, Reading(""), given_beside(query))
        if not fit.evidence.contradicts and not fit.evidence.is_unlikely:
            return _settled(gazetteer, fit)
    if _may_be_read_wrong(query.text, looked_up=found is not None) and not gazetteer.knows_all_about(query.text):
        return Verdict()
    fits = _fits(gazetteer, query)
    if not fits or all(fit.evidence.is_unlikely for fit in fits):
        return Verdict()
    if len(fits) == 1:
        (only,) = fits
        is_narrowed = Says.CONFIRMS in {only.evidence.postcode, only.evidence.region}
        is_found = found is not None and only.place.area_name in found
        if gazetteer.knows_all(only.reading.base) or _is_proven(only) or (is_narrowed and is_found):
            return _settled(gazetteer, only)
    return _open(fits)


def _settled(gazetteer: Gazetteer, fit: Fit) -> Verdict:
    """Return the verdict on a query that one suburb fits, unless a longer name may be meant."""
    place = fit.place
    is_unchecked = Says.NOTHING in fit.evidence and Says.CONFIRMS not in fit.evidence
    if is_unchecked and place.state is None and place.postcode is None:
        longer = list(_longer(gazetteer, sal.base_of(place.area_name), fit.reading, fit.beside))
        if longer:
            return replace(_open([fit, *longer]), fit=fit)
    return Verdict(place.area_name, (), fit)


def _open(fits: Iterable[Fit]) -> Verdict:
    ordered = sorted(fits, key=lambda fit: (*fit.evidence.order, fit.place.area_name))
    return Verdict(None, tuple(fit.place for fit in ordered))


def _longer(gazetteer: Gazetteer, base: str, reading: Reading, beside: Reading) -> Iterator[Fit]:
    """Yield the places whose base has further words, and which are known to lie where the query says."""
    for place in gazetteer.with_longer_base(base):
        fit = _fit(gazetteer, place, reading, beside)
        is_ruled_out = fit.evidence.contradicts or fit.evidence.is_unlikely
        if not is_ruled_out and (Says.CONFIRMS in fit.evidence or _is_in_range(fit)):
            yield fit


def _is_in_range(fit: Fit) -> bool:
    """Return True if the state of a place is known and is in the range of the postcode, which says nothing else."""
    if fit.place.state is None or fit.evidence.postcode is not Says.NOTHING:
        return False
    return all(len(states_at(one.postcode)) < len(sal.STATES) for one in (fit.reading, fit.beside) if one.postcode)


def longer_names(gazetteer: Gazetteer, query: Query) -> list[Place]:
    """Return the places whose base begins with a reading of a query, and that are known to lie where it says."""
    beside = given_beside(query)
    given = readings(query.text, gazetteer.is_region)
    return list(dict.fromkeys(fit.place for one in given for fit in _longer(gazetteer, one.base, one, beside)))


_RULES: Final[tuple[tuple[str, Callable[[Reading], Reading]], ...]] = (
    ("base", lambda reading: Reading(reading.base)),
    ("base_state", lambda reading: Reading(reading.base, (), reading.state)),
    ("council", lambda reading: Reading(reading.base, reading.regions, reading.state)),
)
"""The rules that use only a part of a query, each with the part of a reading that it uses."""


def rule(gazetteer: Gazetteer, fit: Fit) -> str:
    """Return the rule that resolved a query: how much of the query was needed to leave one suburb.

    It is ``exact``, ``base``, ``base_state``, ``council`` or ``postcode``.
    """
    base = fit.reading.base
    if not base:
        return EXACT
    for known_by, narrowed in _RULES:
        reading, beside = narrowed(fit.reading), narrowed(fit.beside)
        fits = [_fit(gazetteer, place, reading, beside) for place in gazetteer.with_base(base)]
        fits = [one for one in fits if not one.evidence.contradicts]
        if len(fits) == 1 and (gazetteer.knows_all(base) or _is_proven(fits[0])):
            return known_by
    return "postcode"


def contradicted(gazetteer: Gazetteer, query: Query) -> list[Place]:
    """Return the places that fit the text of a query but are contradicted, the least contradicted first."""
    against: dict[Place, int] = {}
    for place, _, _, evidence in _compared(gazetteer, query):
        number = sum(says >= Says.UNLIKELY for says in evidence)
        against[place] = min(number, against.get(place, number))
    return sorted(against, key=lambda place: (against[place], place.area_name))


def _fits(gazetteer: Gazetteer, query: Query) -> list[Fit]:
    """Return the places that fit a query, each once."""
    found: dict[str, Fit] = {}
    for fit in _compared(gazetteer, query):
        if not fit.evidence.contradicts:
            found.setdefault(fit.place.area_name, fit)
    return list(found.values())


def _compared(gazetteer: Gazetteer, query: Query) -> Iterator[Fit]:
    """Yield the places with the bases of a query, each compared with the query."""
    beside, every = given_beside(query), readings(query.text, gazetteer.is_region)
    has_regions = "," in query.text and any(reading.regions for reading in every)
    certain = readings(query.text) if has_regions else every
    for reading in every:
        for place in gazetteer.with_base(reading.base):
            fit = _fit(gazetteer, place, reading, beside)
            # Text after a comma may be a second suburb, unless it is known to be a region of the first.
            if reading in certain or fit.evidence.region is Says.CONFIRMS:
                yield fit


def _fit(gazetteer: Gazetteer, place: Place, reading: Reading, beside: Reading) -> Fit:
    return Fit(place, reading, beside, compare(gazetteer, place, reading, beside))


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
    if not fit.place.area_name.endswith(")"):
        return True
    name = sal.parse(fit.place.area_name)
    if name.state is None:
        return True
    in_state = fit.evidence.state is Says.CONFIRMS
    return in_state and (
        name.council is None or fold_region(name.council) in (*fit.reading.regions, *fit.beside.regions)
    )
