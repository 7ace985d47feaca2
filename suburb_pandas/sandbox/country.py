"""Owns the made-up country: its suburbs and their areas, read from suburbs.csv, and their made-up counts of the census.

The states are real. The suburbs, councils and statistical areas do not exist, so that nobody mistakes a made-up rent
for that of a real place. Names follow the ABS's SAL rules, which the tests check. Rents are left to `series`, drivers
to `premiums`, suburbs with odd data to `oddities`.
"""

import csv
from datetime import date
from pathlib import Path
from typing import NamedTuple

from suburb_pandas.sandbox.dice import Dice

DATA_VERSION = "2026.04.3"
"""The version of all made-up data. Any change to a place or to a number needs a new version."""

ANSWER_DATE = date(2026, 4, 28)
"""The day on which every response is dated: two days after the last data date."""

STATES = {
    "NSW": "New South Wales",
    "VIC": "Victoria",
    "QLD": "Queensland",
    "SA": "South Australia",
    "WA": "Western Australia",
    "TAS": "Tasmania",
    "ACT": "Australian Capital Territory",
    "NT": "Northern Territory",
}
"""Each state's abbreviation, as in a geocode query, and its name, as in a geocode response."""

_FEWEST, _MOST = 180, 5200  # dwellings of a suburb
_PERSONS_IN_TEN = 18, 29  # the fewest and the most persons in ten dwellings


class Suburb(NamedTuple):
    """A made-up suburb, its areas and its postcode.

    Parameters
    ----------
    name
        The exact name, with the suffix that the SAL rules require, such as ``"Lantern Bay (NSW)"``.
    state
        The abbreviation, as in a geocode query: ``"NSW"``, ``"VIC"``.
    council, sa2, sa3, sa4
        The made-up council and statistical areas.
    postcode
        Four digits, as text.
    """

    name: str
    state: str
    council: str
    postcode: str
    sa2: str
    sa3: str
    sa4: str

    @property
    def base(self) -> str:
        """The name without the suffix, such as ``"Lantern Bay"``."""
        return self.name.partition(" (")[0]


with Path(__file__).with_name("suburbs.csv").open(encoding="utf-8") as _file:
    SUBURBS = tuple(Suburb(**row) for row in csv.DictReader(_file))
"""Every made-up suburb, sorted by name."""

BY_NAME = {suburb.name: suburb for suburb in SUBURBS}
"""The made-up suburbs by their exact names."""

SANDBOX_NAMES = (
    "Lantern Bay (NSW)",
    "Bilby Heights",
    "Kestrel Hill (Vic.)",
    "Mangrove Steps",
    "Saltbush Park",
    "Quokka Bay",
    "Leatherwood Bend",
    "Bogong Rise",
    "Spinifex Landing",
)
"""The nine suburbs that the key ``test`` may read."""


class Census(NamedTuple):
    """The made-up dwellings and persons of a suburb.

    No response of the service has them. They replace the counts of the ABS's files, so that weights and places can be
    tried without a file.
    """

    dwellings: int
    persons: int


def census(name: str) -> Census:
    """Return the made-up counts of a suburb. They depend on its name alone."""
    dice = Dice("census", name)
    dwellings = dice.between(_FEWEST, _MOST)
    return Census(dwellings, dwellings * dice.between(*_PERSONS_IN_TEN) // 10)
