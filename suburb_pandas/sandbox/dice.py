"""Draws the numbers behind all made-up data, the same on every machine and under every Python version.

A number depends on a few words only, through SHA-256 and ``random.Random.random``, whose sequence Python guarantees.
Logarithms and powers are avoided, because their last bit differs between C libraries. The seed does not change with
`DATA_VERSION`, so that a new version changes only the numbers that it is about.
The meaning of the numbers is left to the modules that draw them.
"""

import hashlib
import random

_SEED = "2026.04.1"  # the first data version


def digest(*parts: str) -> str:
    """Return the SHA-256 of the seed and the parts, in hexadecimal."""
    return hashlib.sha256("\n".join((_SEED, *parts)).encode()).hexdigest()


class Dice:
    """A sequence of whole numbers, seeded by some words.

    Parameters
    ----------
    parts
        The words of the seed, as in ``Dice("rent", "Bilby Heights")``.
    """

    def __init__(self, *parts: str) -> None:
        self._random = random.Random(int(digest(*parts), 16))  # noqa: S311 - made-up rents, not secrets

    def between(self, low: int, high: int) -> int:
        """Draw a whole number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def one_in(self, n: int) -> bool:
        """Return True with a chance of 1 in `n`."""
        return self.between(1, n) == 1
