"""Which made-up suburbs are awkward on purpose, so that tests and demonstrations can ask for them by name.

Owns the list of exceptions and nothing else: `series` and `premiums` read it when they make the data, `app` when
it answers that there are none.
"""

NO_DATA = {
    "Thorny Devil": "insufficient_listings",
    "Bore No 12": "insufficient_listings",
    "Nyarra - Willara": "not_covered",
}
"""Suburbs without any data, and the reason that both data endpoints give."""

NO_RENT = {"Rabbit-Proof Gate": "insufficient_listings"}
"""Suburbs without rents that do have drivers."""

NO_IMPACTS = {"Perentie": "insufficient_sales"}
"""Suburbs without drivers' data that do have rents. (`NO_DRIVERS` has the data: an empty list.)"""

MESSAGES = {
    "insufficient_listings": "Too few advertised rentals in this made-up suburb to publish a median.",
    "insufficient_sales": "Too few sales in this made-up suburb to analyse.",
    "not_covered": "This made-up suburb is outside the coverage of the data.",
}
"""The human message for each reason."""

NO_UNIT = frozenset({"Drover's Bend", "Kestrel Hill Lower", "Woylie", "Yam Daisy"})
"""Rent series whose ``unit`` is null."""

NO_HOUSE = frozenset({"Gannet Steps", "Jabiru Quays", "Wombat Rise (ACT)"})
"""Rent series whose ``house`` is null."""

UNIT_ABSENT = frozenset({"Galah Siding", "Mulga Dale (NT)"})
"""Rent series without a field ``unit``."""

UNIT_EMPTY = frozenset({"Button Grass", "Tam O'Lantern"})
"""Rent series whose ``unit`` is an empty list."""

MISSING_WEEK = "Cider Gum"
"""The one suburb with a week missing, from both of its series."""

DOUBLED_LAST_DATE = "Swanmere Quay"
"""The one suburb whose last date comes twice, in both of its series."""

NO_DRIVERS = "Sleepy Lizard"
"""The one suburb whose list of drivers is empty although it has sales."""

FEW_SALES = {"Emu Parade": 1, "Frilled Lizard": 4, "Magpie Flat (WA)": 7, "Mount Yabby": 9, "Wodjil Soak": 2}
"""Suburbs with fewer than ten sales, and how many."""

FULL_COVERAGE = "Black Swan Rise"
"""A suburb whose first driver holds for every sale: ``coverage_pct`` is 100."""

NO_COVERAGE = "Copper Lantern"
"""A suburb whose last driver holds for no sale: ``coverage_pct`` and the premium are 0."""


def reason_for_none(endpoint: str, name: str) -> str | None:
    """Why an endpoint has no data for a suburb; None if it has."""
    return {**NO_DATA, **(NO_RENT if endpoint == "rent" else NO_IMPACTS)}.get(name)
