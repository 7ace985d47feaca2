"""Says in which states a postcode can lie: Australia Post's ranges, and the postcodes that cross a border.

Sources: the ranges are those that Australia Post publishes for each state, with large-volume receivers and post office
boxes (also in Wikipedia, "Postcodes in Australia"). The postcodes with addresses in several states are those of G-NAF
(Geoscape), as the R package healthyAddress lists them; 3500, 3585, 3586 and 4827 are listed elsewhere only. Australia
Post gives Norfolk Island 2899 and the Indian Ocean territories 6798 and 6799, which the ABS counts as Other
Territories, as it does Jervis Bay (2540).
"""

from __future__ import annotations

from typing import Final

from suburb_pandas.names.sal import STATES

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
"""The postcodes that lie in several states, or in another state than their range."""

_ANYWHERE: Final = frozenset(STATES)
_EDGES: Final = frozenset(edge for first, last, _ in RANGES for edge in (first, last))


def states_at(postcode: str) -> frozenset[str]:
    """Return the states in which a postcode can lie, as codes of ``STATES``.

    For a postcode in no range, and for the first and the last postcode of a range, all states are returned: these
    postcodes tell nothing.

    >>> sorted(states_at("3182")), sorted(states_at("0872")), states_at("3999") == set(STATES)
    (['VIC'], ['NT', 'SA', 'WA'], True)
    """
    if postcode in BORDERS:
        return BORDERS[postcode]
    number = int(postcode)
    if number in _EDGES:
        return _ANYWHERE
    found = (state for first, last, state in RANGES if first <= number <= last)
    return next((frozenset({state}) for state in found), _ANYWHERE)
