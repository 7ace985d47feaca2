"""The seeded numbers that everything made up is made from.

Owns how a number follows from a name: the same on every machine and Python, because it takes nothing but SHA-256
and the generator whose ``random()`` Python promises to keep. No logarithm or power comes near it, for those
differ between C libraries in the last bit.
"""

import hashlib
import random

from suburb_pandas.sandbox.country import DATA_VERSION


def digest(*parts: str) -> str:
    """SHA-256 of the data version and the parts, in hexadecimal."""
    return hashlib.sha256("\n".join((DATA_VERSION, *parts)).encode()).hexdigest()


class Dice:
    """Whole numbers that follow from the data version and some words.

    Parameters
    ----------
    parts
        What the numbers are for: ``Dice("rent", "Bilby Heights")``.
    """

    def __init__(self, *parts: str) -> None:
        self._random = random.Random(int(digest(*parts), 16))  # noqa: S311 - made-up rents, not secrets

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def one_in(self, n: int) -> bool:
        """True once in `n` times."""
        return self.between(1, n) == 1
