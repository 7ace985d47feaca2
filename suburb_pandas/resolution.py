"""The rule by which a query is resolved: if exactly one suburb name can be meant, and never because one is similar.

A query means a name if it is that name, or its base, and a state or a postcode that comes with it is known to be the
suburb's. By the ABS's rule a bare name is the only one of its base in the country, and one with a state and no council
the only one of its base in that state; so a name can prove to be the only one even where not all names are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from . import names
from .gazetteer import Gazetteer, Place, fit
from .names import Reading


class Query(NamedTuple):
    """What somebody wrote for a suburb, and the state and the postcode that they wrote beside it, as we have them."""

    text: str
    state: str | None = None
    postcode: str | None = None


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


def verdict(gazetteer: Gazetteer, query: Query) -> Verdict:
    """Say which name a query means, or can mean, as far as the gazetteer goes."""
    exact = gazetteer.named(query.text)
    if exact and fit(exact, Reading("", None, query.state, query.postcode)):
        return Verdict(exact.area_name)
    readings = list(_readings(query))
    sure: dict[str, tuple[Place, bool]] = {}
    unsure: dict[str, Place] = {}
    for reading in readings:
        for place in gazetteer.with_base(reading.base):
            fits = fit(place, reading)
            if fits:
                sure[place.area_name] = place, _is_only_one(place, reading)
            elif fits is None:
                unsure[place.area_name] = place
    ((only, is_proved),) = sure.values() if len(sure) == 1 else ((None, False),)
    if only and is_proved and not unsure.keys() - sure.keys():
        return Verdict(only.area_name)
    can_be = unsure | {name: place for name, (place, _) in sure.items()}
    candidates = tuple(can_be[name] for name in sorted(can_be))
    return Verdict(None, candidates, unconfirmed=not sure and len(unsure) == 1)


def _readings(query: Query) -> Iterator[Reading]:
    """Give the readings of a query's text that agree with the state and the postcode beside it."""
    for reading in names.readings(query.text):
        if (reading.state or query.state) != (query.state or reading.state):
            continue
        if (reading.postcode or query.postcode) != (query.postcode or reading.postcode):
            continue
        yield reading._replace(state=reading.state or query.state, postcode=reading.postcode or query.postcode)


def _is_only_one(place: Place, reading: Reading) -> bool:
    """Whether no other suburb can be meant by the reading, by the ABS's rule for names."""
    _, council, state = names.parse(place.area_name)
    if state is None or reading.postcode or reading.council is not None:
        return True
    return bool(reading.state) and council is None
