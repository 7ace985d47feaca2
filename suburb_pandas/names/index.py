"""Builds the search index of a list of suburb names, which can be encoded and kept.

The keys are names and bases, folded. Building the index of the whole country takes time, so the store keeps the index
of the loaded lists. Ranking the names that are found is left to names.search.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from suburb_pandas.names.sal import base_of
from suburb_pandas.names.written import fold_name

_AFTER_ALL_LETTERS: Final = "\U0010ffff"
_LETTER_ROWS: Final = 32  # the ASCII code of a letter, modulo this, is its position in the alphabet

Match: TypeAlias = tuple[str, int]
"""A key and the number of its name."""


class Keys(msgspec.Struct, array_like=True, dict=True, frozen=True):
    """Sorted keys, each with the number of a name that has it. A key with two names comes twice."""

    keys: list[str]
    numbers: list[int]

    def beginning(self, text: str) -> Iterator[Match]:
        """Return the keys that begin with a text, each with the number of its name."""
        found = slice(bisect_left(self.keys, text), bisect_left(self.keys, text + _AFTER_ALL_LETTERS))
        return zip(self.keys[found], self.numbers[found], strict=True)

    @cached_property
    def letters(self) -> npt.NDArray[np.int8]:
        """The number of each letter in each key, as `count_letters` returns it."""
        return count_letters(self.keys)


class SearchIndex(msgspec.Struct, array_like=True, frozen=True):
    """Names with their folded bases, and keys that begin at the first word, at each later word, or have no spaces."""

    names: list[str]
    bases: list[str]
    whole: Keys
    later: Keys
    unspaced: Keys


def build(names: Iterable[str]) -> SearchIndex:
    """Build the index of some names."""
    listed = list(names)
    bases = list(map(base_of, listed))
    texts = list(map(fold_name, listed))
    whole = {(text, number) for keys in (bases, texts) for number, text in enumerate(keys)}
    later = {(text[at + 1 :], number) for text, number in whole for at, letter in enumerate(text) if letter == " "}
    unspaced = {(text.replace(" ", ""), number) for text, number in whole}
    return SearchIndex(listed, bases, _sorted(whole), _sorted(later), _sorted(unspaced))


def _sorted(matches: Iterable[Match]) -> Keys:
    ordered = sorted(matches)
    return Keys([key for key, _ in ordered], [number for _, number in ordered])


def count_letters(texts: Sequence[str]) -> npt.NDArray[np.int8]:
    """Count each letter in each text: a row for each letter, a column for each text.

    Other characters are counted in the same rows, which is accurate enough for a first filter.
    """
    codes = np.frombuffer("".join(texts).encode("ascii", "replace"), np.uint8) % _LETTER_ROWS
    columns = np.repeat(np.arange(len(texts)), np.fromiter(map(len, texts), "int64"))
    counts = np.bincount(codes.astype("int64") * len(texts) + columns, minlength=len(texts) * _LETTER_ROWS)
    return counts.reshape(_LETTER_ROWS, -1).astype(np.int8)
