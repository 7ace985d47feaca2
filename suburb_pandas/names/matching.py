"""Decides which suburb name a query means. A name is chosen only if no other name fits, and never for its similarity.

A query means a name if its text is that name or the name's base, and its state and its postcode, if it has them, are
known to be the suburb's. By the ABS's rule a bare name is the only one of its base in the country, and a name with a
state but no council is the only one of its base in that state. A name can thus be proved unique even where not all
names are known. Finding similar names is left to names.search; the errors for unresolved queries are left to
geocoding.problems.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer, Place, fit
from suburb_pandas.names.sal import Query, Reading


@dataclass(frozen=True, slots=True)
class Verdict:
    """The name that a query means, or else the places that it can mean.

    ``unconfirmed`` is True if one place would be the match, but its state or postcode is not known.
    """

    area_name: str | None = None
    candidates: tuple[Place, ...] = ()
    unconfirmed: bool = False

    @property
    def is_ambiguous(self) -> bool:
        """True if the query can mean more than one name, even if only one of them is known."""
        return self.area_name is None and bool(self.candidates) and not self.unconfirmed


def can_be_meant(query: Query) -> bool:
    """Return True if a query can mean a suburb: its state and postcode are valid and agree with its text."""
    if query.state not in {None, *sal.STATES} or query.postcode != sal.postcode(query.postcode):
        return False
    return len(sal.readings(query.text)) == len(list(_readings(query))) or sal.may_end_in_a_state(query.text)


def verdict(gazetteer: Gazetteer, query: Query, *, found: Collection[str] | None = None) -> Verdict:
    """Match a query to the names of a gazetteer.

    ``found`` holds the names in the response to a look-up of the query, or is None if there was no look-up. A response
    with a name is assumed to hold every name of the same base.
    """
    exact = gazetteer.named(query.text)
    if exact and fit(exact, Reading("", None, query.state, query.postcode)):
        return Verdict(exact.area_name)
    if found is None and sal.may_end_in_a_state(query.text) and not gazetteer.knows_all_about(query.text):
        return Verdict()
    # The places whose location agrees, and those whose location is not known; True if the name must be the only one.
    sure: dict[Place, bool] = {}
    unsure: dict[Place, bool] = {}
    for reading in _readings(query):
        for place in gazetteer.with_base(reading.base):
            fits = fit(place, reading)
            if fits is not False:
                knows_all = gazetteer.knows_all(reading.base) or (found is not None and place.area_name in found)
                (sure if fits else unsure)[place] = _is_only_one(place, reading, knows_all=knows_all)
    if len(sure) == 1 and not unsure and all(sure.values()):
        return Verdict(next(iter(sure)).area_name)
    return Verdict(None, tuple(sorted({**sure, **unsure})), unconfirmed=not sure and [*unsure.values()] == [True])


def _readings(query: Query) -> Iterator[Reading]:
    """Yield the readings that agree with the query's own state and postcode, completed with both."""
    for reading in sal.readings(query.text):
        state, postcode = reading.state or query.state, reading.postcode or query.postcode
        if query.state in {None, state} and query.postcode in {None, postcode}:
            yield reading._replace(state=state, postcode=postcode)


def _is_only_one(place: Place, reading: Reading, *, knows_all: bool) -> bool:
    """Return True if the reading cannot mean another suburb.

    The ABS's rule proves that for a name, alone or with its state. A postcode proves it only if ``knows_all`` is True:
    all names of the base are known.
    """
    _, council, state = sal.parse(place.area_name)
    if state is None or reading.council is not None:
        return True
    return (bool(reading.state) and council is None) or (bool(reading.postcode) and knows_all)
