"""Lists the made-up suburbs with odd data, so that tests and demonstrations can ask for them by name.

Applying the exceptions is left to `series` and `premiums`, which make the data, and to `service`, which answers for
suburbs without data.
"""

NO_DATA = {
    "Thorny Devil": "insufficient_listings",
    "Bore No 12": "insufficient_listings",
    "Nyarra - Willara": "not_covered",
}
"""Suburbs without any data, with the reason that all data endpoints return."""

NO_RENT = {"Rabbit-Proof Gate": "insufficient_listings"}
"""Suburbs that have drivers but no rents, with the reason."""

NO_IMPACTS = {"Perentie": "insufficient_sales"}
"""Suburbs that have rents but no impacts, with the reason. (`NO_DRIVERS` has impacts, with an empty list.)"""

MESSAGES = {
    "insufficient_listings": "Too few advertised rentals in this made-up suburb to publish a median.",
    "insufficient_sales": "Too few sales in this made-up suburb to analyse.",
    "not_covered": "This made-up suburb is outside the coverage of the data.",
}
"""The message that explains each reason to people."""

NO_UNIT = frozenset({"Drover's Bend", "Kestrel Hill Lower", "Woylie", "Yam Daisy"})
"""Suburbs whose rents have null for ``unit``."""

NO_HOUSE = frozenset({"Gannet Steps", "Jabiru Quays", "Wombat Rise (ACT)"})
"""Suburbs whose rents have null for ``house``."""

UNIT_ABSENT = frozenset({"Galah Siding", "Mulga Dale (NT)"})
"""Suburbs whose rents have no field ``unit``."""

UNIT_EMPTY = frozenset({"Button Grass", "Tam O'Lantern"})
"""Suburbs whose rents have an empty list for ``unit``."""

ENDED: dict[str, tuple[str, ...]] = {
    "Coolibah Track": ("unit",),
    "Nulla Brolga": ("house", "unit"),
    "Port-le-Gannet": ("house", "unit"),
}
"""Suburbs whose rents ended more than a year before the others', and the property types whose series ended."""

GAPS = {
    "Mount Currawong": [("2015-10-01", "2016-06-30"), ("2021-04-01", "2022-01-31")],
    "Myrtle Stair": [("2019-07-01", "2020-04-30"), ("2024-06-01", "2024-09-07")],
    "Pademelon Point (Tas.)": [("2021-04-01", "2022-04-30"), ("2025-08-01", "2025-10-31")],
}
"""Suburbs of one council whose series, house and unit, have gaps of months or weeks: the first and last day of each.

They have too few listings at times, as small suburbs do.
"""

MISSING_WEEK = {"Cider Gum": [("2024-10-13", "2024-10-13")]}
"""The one suburb whose series, house and unit, both lack the same week, in the form of `GAPS`."""

DOUBLED_LAST_DATE = "Swanmere Quay"
"""The one suburb whose series, house and unit, both have their last date twice."""

NO_DRIVERS = "Sleepy Lizard"
"""The one suburb that has sales but an empty list of drivers."""

FEW_SALES = {"Emu Parade": 1, "Frilled Lizard": 4, "Magpie Flat (WA)": 7, "Mount Yabby": 9, "Wodjil Soak": 2}
"""Suburbs with fewer than ten sales, and the number of their sales."""

FULL_COVERAGE = "Black Swan Rise"
"""A suburb in which no sale has the amenity of the first driver nearby: its ``coverage_pct`` is 100."""

NO_COVERAGE = "Copper Lantern"
"""A suburb in which all sales have the amenity of one driver nearby: its ``coverage_pct`` and premium are 0."""


def reason_for_none(endpoint: str, name: str) -> str | None:
    """Return the reason why an endpoint has no data for a suburb, or None if it has data."""
    return {**NO_DATA, **{"rent": NO_RENT, "impacts": NO_IMPACTS}.get(endpoint, {})}.get(name)
