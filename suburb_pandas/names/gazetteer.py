"""The gazetteer: the suburb names of one source that are known on this machine, and where each is said to be.

A plain collection, which knows neither a store nor a service. Whether it is complete decides what a missing name means:
in a complete one that there is no such suburb, in any other nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from suburb_pandas.names.sal import Reading, fold, parse


class Place(NamedTuple):
    """A suburb, and what is known of where it is: the state as in our own columns, the postcode as four digits.

    ``origin`` says who knows: ``response`` (an answer about it), ``list`` (one that was loaded), ``geocode`` (a
    candidate of a look-up) or ``embedded`` (the embedded sandbox).
    """

    area_name: str
    state: str | None = None
    lga: str | None = None
    postcode: str | None = None
    sa2: str | None = None
    sa3: str | None = None
    sa4: str | None = None
    origin: str | None = None

    def over(self, other: Place) -> Place:
        """Give what this one says of the same suburb, and where it says nothing, what the other one does."""
        said = {field: value for field, value in self._asdict().items() if value is not None}
        return other._replace(**said)


class Gazetteer:
    """Places by name and by base. It never changes: what is learnt makes another one.

    Parameters
    ----------
    places
        Of the same suburb, what comes later wins.
    complete
        Whether no suburb is missing.
    said_by
        Who says so, for messages: half a sentence.
    """

    def __init__(self, places: Iterable[Place] = (), *, complete: bool = False, said_by: str = "") -> None:
        self.complete = complete
        self.said_by = said_by
        self._by_name: dict[str, Place] = {}
        for place in places:
            known = self._by_name.setdefault(place.area_name, place)
            if known is not place:
                self._by_name[place.area_name] = place.over(known)

    def __iter__(self) -> Iterator[Place]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def and_also(self, places: Iterable[Place]) -> Gazetteer:
        """Give a gazetteer that knows these places too: this very one, if it does."""
        new = [place for place in places if self._is_news(place)]
        return Gazetteer([*self, *new], complete=self.complete, said_by=self.said_by) if new else self

    def _is_news(self, place: Place) -> bool:
        known = self._by_name.get(place.area_name)
        return known is None or place.over(known) != known

    def named(self, name: str) -> Place | None:
        """Give the place of exactly that name."""
        return self._by_name.get(name)

    def with_base(self, base: str) -> Sequence[Place]:
        """Give the places of that base, which is folded."""
        return self._by_base.get(base, ())

    def bases(self) -> Iterable[tuple[str, list[Place]]]:
        """Give each base, folded, with its places."""
        return self._by_base.items()

    @cached_property
    def _by_base(self) -> dict[str, list[Place]]:
        found: dict[str, list[Place]] = {}
        for place in self:
            name = place.area_name
            base = parse(name).base if name.endswith(")") else name
            found.setdefault(fold(base), []).append(place)
        return found


def fit(place: Place, reading: Reading) -> bool | None:
    """Whether a place of the base that was read is where the reading has it; None where that is not known."""
    if reading.council is not None and reading.council != _council(place):
        return False
    asked = ((reading.state, place.state), (reading.postcode, place.postcode))
    if any(wanted and known and wanted != known for wanted, known in asked):
        return False
    return None if any(wanted and not known for wanted, known in asked) else True


def _council(place: Place) -> str | None:
    council = parse(place.area_name).council
    return None if council is None else fold(council)


Row = tuple[str, str | None]
"""A suburb name, and its state where the list says it."""


@dataclass(frozen=True, slots=True)
class NameList:
    """A list that was loaded: its file, the edition if the file says one, and whether no suburb is missing in it."""

    file: str
    sha256: str
    edition: str | None
    complete: bool
    names: int
    loaded_at: str = ""
