"""Compares the state, the postcode and the region in a query with the known location of a suburb.

Owns the ranges of Australia Post's postcodes. Deciding which suburb a query means is left to names.matching.

Sources: the ranges are those that Australia Post publishes for each state, with large-volume receivers and post office
boxes (also in Wikipedia, "Postcodes in Australia"). The postcodes with addresses in several states are those of G-NAF
(Geoscape), as the R package healthyAddress lists them; 3500, 3585, 3586 and 4827 are listed elsewhere only. Around
Canberra it lists 2611, 2618 and 2620; here all from 2611 to 2620 count as crossing the border. Australia Post gives
Norfolk Island 2899 and the Indian Ocean territories 6798 and 6799. The ABS counts these, and Jervis Bay (2540), as
Other Territories.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import Final, NamedTuple

from suburb_pandas.names.gazetteer import Gazetteer, Place, areas_of
from suburb_pandas.names.sal import STATES
from suburb_pandas.names.sal import postcode as postcode_of
from suburb_pandas.names.written import Reading, state_of_capital

RANGES: Final = (
    (200, 299, "ACT"),
    (800, 999, "NT"),
    (1000, 2599, "NSW"),
    (2600, 2618, "ACT"),
    (2619, 2899, "NSW"),
    (2900, 2920, "ACT"),
    (2921, 2999, "NSW"),
    (3000, 3999, "VIC"),
    (4000, 4999, "QLD"),
    (5000, 5999, "SA"),
    (6000, 6797, "WA"),
    (6800, 6999, "WA"),
    (7000, 7999, "TAS"),
    (8000, 8999, "VIC"),
    (9000, 9999, "QLD"),
)
"""The first and the last postcode of each range, and its state."""

BORDERS: Final = {
    "0872": frozenset({"NT", "SA", "WA"}),
    "2406": frozenset({"NSW", "QLD"}),
    "2540": frozenset({"NSW", "ACT", "OT"}),
    **dict.fromkeys(map(str, range(2611, 2621)), frozenset({"ACT", "NSW"})),
    "2899": frozenset({"NSW", "OT"}),
    **dict.fromkeys(("3500", "3585", "3586", "3644", "3691", "3707"), frozenset({"VIC", "NSW"})),
    **dict.fromkeys(("4375", "4377", "4380", "4383", "4385"), frozenset({"QLD", "NSW"})),
    **dict.fromkeys(("4825", "4827"), frozenset({"QLD", "NT"})),
    **dict.fromkeys(("6798", "6799"), frozenset({"WA", "OT"})),
}
"""The postcodes that can lie in several states."""


class Says(IntEnum):
    """The result of comparing one part of a query with a suburb. Of several results for a part, the highest counts.

    ``UNLIKELY`` is for a postcode that can only be checked by its range, if that lies in other states than the suburb.
    """

    NOT_GIVEN = 0
    CONFIRMS = 1
    NOTHING = 2
    UNLIKELY = 3
    CONTRADICTS = 4


class Evidence(NamedTuple):
    """The results for the state, the postcode and the region of a query."""

    state: Says
    postcode: Says
    region: Says

    @property
    def contradicts(self) -> bool:
        """True if the query cannot mean the suburb."""
        return Says.CONTRADICTS in self

    @property
    def against(self) -> int:
        """The number of parts that speak against the suburb."""
        return sum(says >= Says.UNLIKELY for says in self)


def compare(gazetteer: Gazetteer, place: Place, *given: Reading) -> Evidence:
    """Compare a place with the readings of a query: a reading of its text, and the values given beside the text.

    If a state, postcode or region is in several readings, the one that counts most against the place decides. The
    gazetteer tells which postcodes and regions exist.
    """
    regions = (_of_region(gazetteer, place, region) for reading in given for region in reading.regions)
    return Evidence(
        max(_of_state(place, reading.state) for reading in given),
        max(_of_postcode(gazetteer, place, reading.postcode) for reading in given),
        max(regions, default=Says.NOT_GIVEN),
    )


def _of_state(place: Place, state: str | None) -> Says:
    if state is None:
        return Says.NOT_GIVEN
    if state not in _possible_states(place):
        return Says.CONTRADICTS
    return Says.NOTHING if place.state is None else Says.CONFIRMS


def _of_postcode(gazetteer: Gazetteer, place: Place, postcode: str | None) -> Says:
    """Compare a postcode with a place.

    Only its range can be compared if no suburb has it, as for post office boxes, or if the place's own is not known.
    """
    if postcode is None:
        return Says.NOT_GIVEN
    if postcode in (place.postcode, *place.partly):
        return Says.CONFIRMS
    is_elsewhere = place.postcode is not None and not gazetteer.is_for_no_suburb(postcode)
    if is_elsewhere or postcode_of(postcode) != postcode:
        return Says.CONTRADICTS
    return Says.UNLIKELY if states_at(postcode).isdisjoint(_possible_states(place)) else Says.NOTHING


def _possible_states(place: Place) -> Collection[str]:
    """Return the states in which a place can lie: its own, or else those of its postcodes, or else all."""
    if place.state is not None:
        return {place.state}
    if place.postcode is None:
        return STATES
    return frozenset().union(*map(states_at, (place.postcode, *filter(str.isdigit, place.partly))))


def _of_region(gazetteer: Gazetteer, place: Place, region: str) -> Says:
    """Compare a folded region with a place. It contradicts if the place is known to lie in another region of its kind.

    People write the name of a capital for the whole city around it. A capital therefore counts as its state. It
    contradicts a suburb whose name has another council.
    """
    own = [*areas_of(place)]
    if any(name == region for _, name in own):
        return Says.CONFIRMS
    state = state_of_capital(region)
    if state is not None:
        return _of_state(place, state) if place.council is None else Says.CONTRADICTS
    kinds = gazetteer.kinds_of_region(region)
    return Says.CONTRADICTS if kinds and kinds <= {kind for kind, _ in own} else Says.NOTHING


def states_at(postcode: str) -> frozenset[str]:
    """Return the states in which a postcode can lie, as codes of ``STATES``.

    For a postcode in no range, all states are returned.

    >>> sorted(states_at("3182")), sorted(states_at("0872")), states_at("0500") == set(STATES)
    (['VIC'], ['NT', 'SA', 'WA'], True)
    """
    in_range = frozenset(state for first, last, state in RANGES if first <= int(postcode) <= last)
    return BORDERS.get(postcode) or in_range or frozenset(STATES)
