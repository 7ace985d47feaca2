"""Makes up the number of dwellings and persons of each suburb, which no response of the service has.

These numbers replace the counts of the ABS's files, so that weights and places can be tried without a file.
"""

from typing import NamedTuple

from suburb_pandas.sandbox.dice import Dice

_FEWEST, _MOST = 180, 5200  # dwellings of a suburb
_PERSONS_IN_TEN = 18, 29  # the fewest and the most persons in ten dwellings


class Census(NamedTuple):
    """The made-up dwellings and persons of a suburb."""

    dwellings: int
    persons: int


def census(name: str) -> Census:
    """Return the made-up counts of a suburb. They depend on its name alone."""
    dice = Dice("census", name)
    dwellings = dice.between(_FEWEST, _MOST)
    return Census(dwellings, dwellings * dice.between(*_PERSONS_IN_TEN) // 10)
