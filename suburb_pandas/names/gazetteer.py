"""Holds the suburb names of one source that are known on this machine, and where each suburb is, if that is known.

A gazetteer is a mapping of names to places. If it is complete, a name that it lacks is not a suburb's; otherwise a name
that it lacks may still be one. Reading a gazetteer from a store is left to client.known_names.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import msgspec

from suburb_pandas.names.index import SearchIndex, build
from suburb_pandas.names.sal import base_of, parse
from suburb_pandas.names.written import BETWEEN, expansions, fold_region, is_capital, readings


class Place(NamedTuple):
    """A suburb and its location, as far as it is known: ``state`` as a code of ``STATES``, ``postcode`` of four digits.

    ``lga``, ``postcode`` and the ABS areas are those with the largest part of the suburb, and each share is the size of
    that part, from 0 to 1. ``partly`` has the other areas and postcodes in which the suburb lies. ``sal_code`` is the
    ABS's code, such as ``SAL10490``.

    ``origin`` is how the suburb became known: ``response`` (a response about the suburb), ``list`` (a loaded list),
    ``geocode`` (a candidate of a look-up), ``sandbox`` (one that the key ``test`` may ask for) or ``embedded`` (the
    embedded sandbox). ``edition`` is that of the list.
    """

    area_name: str
    state: str | None = None
    lga: str | None = None
    postcode: str | None = None
    sa2: str | None = None
    sa3: str | None = None
    sa4: str | None = None
    origin: str | None = None
    edition: str | None = None
    lga_share: float | None = None
    postcode_share: float | None = None
    sa2_share: float | None = None
    sa3_share: float | None = None
    sa4_share: float | None = None
    dwellings: int | None = None
    persons: int | None = None
    sal_code: str | None = None
    partly: tuple[str, ...] = ()

    @property
    def council(self) -> str | None:
        """The council in the name, which the ABS writes if the state has several suburbs of that base."""
        return parse(self.area_name).council if self.area_name.endswith(")") else None

    def over(self, other: Place) -> Place:
        """Return this place with its missing fields taken from ``other``, an entry for the same suburb.

        A share is kept only with its own area. An area of ``other`` that this place replaces is added to ``partly``.
        """
        theirs = other._asdict()
        own = {field: value for field, value in self._asdict().items() if value is not None}
        replaced = {kind: theirs[kind] for kind in AREAS if theirs[kind] not in (None, own.get(kind, theirs[kind]))}
        own["partly"] = tuple(dict.fromkeys([*self.partly, *other.partly, *replaced.values()]))
        return Place(**theirs | {f"{kind}_share": None for kind in replaced} | own)


LIST: Final = "list"
"""The origin of a place from a loaded list."""

PART: Final = "part"
"""The kind of an area in which only a part of a suburb lies. Whether it is a council or an ABS area is not known."""

Area: TypeAlias = tuple[str, str]
"""The kind of an area, ``PART`` or one of ``AREAS``, and its folded name."""

AREAS: Final = ("lga", "postcode", "sa2", "sa3", "sa4")
"""The kinds of areas in which a suburb lies, with a share of each."""

FORMAT: Final = 4
"""The number of the layout of a packed gazetteer. One that was packed in another layout is built again."""


@dataclass(eq=False, repr=False)
class Gazetteer(Mapping[str, Place]):
    """Places by name and by base. A gazetteer is not changed: adding places makes a new one.

    Parameters
    ----------
    places
        The places. Of several entries for one suburb, the fields of the later entry win.
    complete
        True if no suburb is missing.
    complete_for
        If the gazetteer is not complete: the bases of which no suburb is missing.
    said_by
        The source of the names, as a noun phrase for messages.
    built
        A search index that was built before. It is used unless names were added since.
    """

    places: InitVar[Iterable[Place]] = ()
    _: KW_ONLY
    complete: bool = False
    complete_for: Collection[str] = ()
    said_by: str = ""
    built: SearchIndex | None = None

    def __post_init__(self, places: Iterable[Place]) -> None:
        self._places: dict[str, Place] = {}
        for place in places:
            known = self._places.setdefault(place.area_name, place)
            if known is not place:
                self._places[place.area_name] = place.over(known)

    def __getitem__(self, name: str) -> Place:
        return self._places[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def and_also(self, places: Iterable[Place]) -> Gazetteer:
        """Return a gazetteer with these places added, or this same object if they add nothing."""
        merged = replace(self, places=[*self.values(), *places])
        return self if merged == self else merged

    def knows_all(self, base: str) -> bool:
        """Return True if no suburb of a base is missing. The base must be folded."""
        return self.complete or base in self.complete_for

    def knows_all_about(self, text: str) -> bool:
        """Return True if every suburb that a text can mean is known."""
        return self.complete or all(map(self.knows_all, bases_of(text)))

    def with_base(self, base: str) -> Sequence[Place]:
        """Return the places with this base, which must be folded."""
        return self._by_base.get(base, ())

    def with_longer_base(self, base: str) -> list[Place]:
        """Return the places whose base begins with this folded base and has further words, sorted by name."""
        start = f"{base} "
        found = {self.index.names[number] for _, number in self.index.whole.beginning(start)}
        # The index has whole names, too: Quoll (Bay - NSW) is "quoll bay nsw" there, although its base is "quoll".
        return [self[name] for name in sorted(found) if base_of(name).startswith(start)]

    @cached_property
    def index(self) -> SearchIndex:
        """The search index of all names."""
        return self.built if self.built and len(self.built.names) == len(self) else build(self)

    def is_region(self, region: str) -> bool:
        """Return True if a folded text is the name of a council or area of a place, or a capital or state."""
        return is_capital(region) or bool(self.kinds_of_region(region))

    def kinds_of_region(self, region: str) -> set[str]:
        """Return the kinds of area that have this folded name, such as ``lga``; none for an unknown region."""
        return {kind for kind in AREAS if (kind, region) in self.suburb_in}

    def is_for_no_suburb(self, postcode: str) -> bool:
        """Return True if no suburb has this postcode, as far as a complete list or a table of postcodes tells.

        Without either, return False: a suburb that has the postcode may not be known yet.
        """
        return self._knows_postcodes and ("postcode", postcode) not in self.suburb_in

    @cached_property
    def _knows_postcodes(self) -> bool:
        listed = (place.postcode for place in self.values() if place.origin == LIST)
        return self.complete or bool(self.complete_for) or any(listed)

    @cached_property
    def suburb_in(self) -> dict[Area, str]:
        """The name of one suburb in each area."""
        found: dict[Area, str] = {}
        for name, place in self.items():
            for area in areas_of(place):
                found.setdefault(area, name)
        return found

    @cached_property
    def _by_base(self) -> dict[str, list[Place]]:
        by_base = defaultdict[str, list[Place]](list)
        for base, place in zip(self.index.bases, self.values(), strict=True):
            by_base[base].append(place)
        return by_base


def areas_of(place: Place) -> Iterator[Area]:
    """Yield each area in which a place is known to lie. The council in its name is its LGA."""
    council = place.council
    if council is not None:
        yield "lga", fold_region(council)
    for kind in AREAS:
        area = getattr(place, kind)
        if area is not None:
            yield kind, fold_region(area)
    for area in place.partly:
        yield "postcode" if area.isdigit() else PART, fold_region(area)


def bases_of(text: str) -> set[str]:
    """Return the folded bases of all names that a text can be or mean, taking any part for a name or a region."""
    every = (reading for part in (text, *BETWEEN.split(text)) for reading in readings(part, is_region=bool))
    bases = {base_of(text), *(reading.base for reading in every)}
    return bases.union(*map(expansions, bases))


@dataclass(frozen=True, slots=True)
class NameList:
    """A loaded list of names: its file and digest, its edition if the file gives one, and the number of names.

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
    """The places of some folded bases in the loaded lists.

    ``source`` is that of the client whose store has the lists.
    """

    source: str
    lists: tuple[NameList, ...]
    by_base: Mapping[str, Sequence[Place]]


def pack(gazetteer: Gazetteer) -> bytes:
    """Encode the places and the index of a gazetteer, so that a store can keep them: building them takes long."""
    # zlib adds a checksum. Rejected: compressing at a level above 0, after which unpacking takes longer.
    return zlib.compress(msgspec.msgpack.encode(([*gazetteer.values()], gazetteer.index)), level=0)


def unpack(packed: bytes, *, complete: bool, said_by: str) -> Gazetteer | None:
    """Return the gazetteer that was packed; None if the bytes are damaged."""
    try:
        decoded = zlib.decompress(packed)
    except zlib.error:
        return None
    places, index = msgspec.msgpack.decode(decoded, type=tuple[list[Place], SearchIndex])
    return Gazetteer(places, complete=complete, said_by=said_by, built=index)
