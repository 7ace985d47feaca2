"""Holds the suburb names of one source that are known on this machine, and where each suburb is, if that is known.

A gazetteer is a plain collection. Reading it from a store is left to client.known_names. If a gazetteer is complete, a
missing name means that there is no such suburb; otherwise a missing name means nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from suburb_pandas.names.sal import Reading, fold, parse, readings


class Place(NamedTuple):
    """A suburb and its location, as far as it is known: ``state`` as a code of ``STATES``, ``postcode`` of four digits.

    ``origin`` is how the suburb became known: ``response`` (a response about the suburb), ``list`` (a loaded list),
    ``geocode`` (a candidate of a look-up) or ``embedded`` (the embedded sandbox).
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
        """Return this place with its missing fields taken from ``other``, an entry for the same suburb."""
        known = {field: value for field, value in self._asdict().items() if value is not None}
        return other._replace(**known)


class Gazetteer:
    """Places indexed by name and by base. A gazetteer is immutable: adding places makes a new one.

    Parameters
    ----------
    places
        The places. Of several entries for one suburb, the fields of the later entry win.
    complete
        True if no suburb is missing.
    complete_for
        The bases of which no suburb is missing, if some may be missing elsewhere.
    said_by
        The source of the names, as a noun phrase for messages.
    """

    def __init__(
        self,
        places: Iterable[Place] = (),
        *,
        complete: bool = False,
        complete_for: Collection[str] = (),
        said_by: str = "",
    ) -> None:
        self.complete = complete
        self.complete_for = complete_for
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
        """Return a gazetteer with these places added, or this same object if they add nothing."""
        new = [place for place in places if self._adds_something(place)]
        if not new:
            return self
        return Gazetteer([*self, *new], complete=self.complete, complete_for=self.complete_for, said_by=self.said_by)

    def _adds_something(self, place: Place) -> bool:
        known = self._by_name.get(place.area_name)
        return known is None or place.over(known) != known

    def named(self, name: str) -> Place | None:
        """Return the place with exactly this name, or None."""
        return self._by_name.get(name)

    def knows_all(self, base: str) -> bool:
        """Return True if no suburb of a base is missing. The base must be folded."""
        return self.complete or base in self.complete_for

    def knows_all_about(self, text: str) -> bool:
        """Return True if no suburb is missing that a text can mean."""
        return self.complete or all(map(self.knows_all, bases_of(text)))

    def with_base(self, base: str) -> Sequence[Place]:
        """Return the places with this base, which must be folded."""
        return self._by_base.get(base, ())

    def bases(self) -> Iterable[tuple[str, list[Place]]]:
        """Return each folded base with its places."""
        return self._by_base.items()

    @cached_property
    def _by_base(self) -> dict[str, list[Place]]:
        by_base: dict[str, list[Place]] = {}
        for place in self:
            by_base.setdefault(base_of(place.area_name), []).append(place)
        return by_base


def base_of(name: str) -> str:
    """Return the folded base of a suburb name."""
    return fold(parse(name).base if name.endswith(")") else name)


def bases_of(text: str) -> set[str]:
    """Return the folded bases of all names that a text can mean, or be."""
    return {base_of(text), *(reading.base for reading in readings(text))}


def fit(place: Place, reading: Reading) -> bool | None:
    """Compare the location of a place with a reading of its base: True if they agree, False if they conflict.

    None if the reading has a state or a postcode and that of the place is not known.
    """
    if reading.council is not None and reading.council != _council(place):
        return False
    pairs = ((reading.state, place.state), (reading.postcode, place.postcode))
    if any(wanted and known and wanted != known for wanted, known in pairs):
        return False
    return None if any(wanted and not known for wanted, known in pairs) else True


def _council(place: Place) -> str | None:
    council = parse(place.area_name).council
    return None if council is None else fold(council)


Row = tuple[str, str | None]
"""A suburb name, and its state if the list gives one."""


@dataclass(frozen=True, slots=True)
class NameList:
    """A loaded list of names: its file, its edition if the file gives one, and the number of names.

    ``complete`` is True if no suburb is missing from the list.
    """

    file: str
    sha256: str
    edition: str | None
    complete: bool
    names: int
    loaded_at: str = ""


@dataclass(frozen=True, slots=True)
class ListedNames:
    """What loaded lists say of some bases: the names of each base with their states, if the lists give them.

    ``source`` is that of the client that had the lists loaded.
    """

    source: str
    lists: tuple[NameList, ...]
    by_base: Mapping[str, Mapping[str, str | None]]

    @property
    def rows(self) -> list[Row]:
        """The names, each once."""
        return list({name: state for names in self.by_base.values() for name, state in names.items()}.items())
