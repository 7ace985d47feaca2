"""The rule by which a query is resolved: if exactly one suburb name can be meant, and never because one is similar.

A query means a name if it is that name, or its base, and a state or a postcode that comes with it is known to be the
suburb's. By the ABS's rule a bare name is the only one of its base in the country, and one with a state and no council
the only one of its base in that state; so a name can prove to be the only one even where not all names are known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer, Place, fit
from suburb_pandas.names.sal import Query, Reading


@dataclass(frozen=True, slots=True)
class Verdict:
    """The name that is meant, else those that can be. ``unconfirmed``: one, if it is where it is said to be."""

    area_name: str | None = None
    candidates: tuple[Place, ...] = ()
    unconfirmed: bool = False

    @property
    def is_ambiguous(self) -> bool:
        """Whether more than one name can be meant."""
        return self.area_name is None and bool(self.candidates) and not self.unconfirmed


def can_be_meant(query: Query) -> bool:
    """Whether a query can mean any suburb at all: what stands beside its text can be read, and agrees with it."""
    if query.state not in {None, *sal.STATES} or query.postcode != sal.postcode(query.postcode):
        return False
    return len(sal.readings(query.text)) == len(list(_readings(query))) or sal.may_end_in_a_state(query.text)


def verdict(gazetteer: Gazetteer, query: Query, *, found: Collection[str] | None = None) -> Verdict:
    """Say which name a query means, or can mean, as far as the gazetteer goes.

    ``found`` are the names that the service gave when it was asked for what the query may mean, if it was: that goes
    far enough to know where a base of theirs is at all.
    """
    exact = gazetteer.named(query.text)
    if exact and fit(exact, Reading("", None, query.state, query.postcode)):
        return Verdict(exact.area_name)
    if not gazetteer.complete and found is None and sal.may_end_in_a_state(query.text):
        return Verdict()
    sure: dict[Place, bool] = {}
    unsure: dict[Place, bool] = {}
    for reading in _readings(query):
        for place in gazetteer.with_base(reading.base):
            fits = fit(place, reading)
            if fits is not False:
                knows_all = gazetteer.complete or (found is not None and place.area_name in found)
                (sure if fits else unsure)[place] = _is_only_one(place, reading, knows_all=knows_all)
    if len(sure) == 1 and not unsure and all(sure.values()):
        return Verdict(next(iter(sure)).area_name)
    return Verdict(None, tuple(sorted({**sure, **unsure})), unconfirmed=not sure and [*unsure.values()] == [True])


def _readings(query: Query) -> Iterator[Reading]:
    """Give the readings of a query's text that agree with the state and the postcode beside it."""
    for reading in sal.readings(query.text):
        state, postcode = reading.state or query.state, reading.postcode or query.postcode
        if query.state in {None, state} and query.postcode in {None, postcode}:
            yield reading._replace(state=state, postcode=postcode)


def _is_only_one(place: Place, reading: Reading, *, knows_all: bool) -> bool:
    """Whether no other suburb can be meant by the reading, by the ABS's rule for names."""
    _, council, state = sal.parse(place.area_name)
    if state is None or reading.council is not None:
        return True
    return (bool(reading.state) and council is None) or (bool(reading.postcode) and knows_all)
