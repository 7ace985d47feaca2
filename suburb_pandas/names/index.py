"""Builds the search index of a list of suburb names, which can be packed into bytes and kept.

The keys are names and bases, folded. Building takes time for the whole country, so the store keeps the index of the
loaded lists. Ranking the names that are found is left to names.search.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from suburb_pandas.names.sal import ABBREVIATED, base_of, fold

_UNFOLDED: Final = {folded: written for written, folded in ABBREVIATED.items()}
_AFTER_ALL_LETTERS: Final = "\U0010ffff"
_NUMBER: Final = np.dtype("<i4")
_LETTER_ROWS: Final = 32  # the ASCII code of a letter, modulo this, is its position in the alphabet

Match: TypeAlias = tuple[str, int]
"""A key and the number of its name."""


class Keys(msgspec.Struct, array_like=True, dict=True, frozen=True):
    """Sorted keys, each with the number of a name that has it, as 32-bit integers. A key with two names comes twice."""

    keys: list[str]
    packed_numbers: bytes

    def equal(self, text: str) -> Iterator[Match]:
        """Return the names whose key is the text."""
        return self._between(bisect_left(self.keys, text), bisect_right(self.keys, text))

    def beginning(self, text: str) -> Iterator[Match]:
        """Return the names whose key begins with the text."""
        return self._between(bisect_left(self.keys, text), bisect_left(self.keys, text + _AFTER_ALL_LETTERS))

    def at(self, position: int) -> Match:
        """Return the key at a position, and the name that has it."""
        return self.keys[position], self._numbers[position]

    def _between(self, start: int, end: int) -> Iterator[Match]:
        return zip(self.keys[start:end], self._numbers[start:end], strict=True)

    @cached_property
    def _numbers(self) -> list[int]:
        numbers: list[int] = np.frombuffer(self.packed_numbers, _NUMBER).tolist()
        return numbers

    @cached_property
    def letters(self) -> npt.NDArray[np.int8]:
        """The number of each letter in each key, as `count_letters` returns it."""
        return count_letters(self.keys)


class SearchIndex(msgspec.Struct, array_like=True, frozen=True):
    """The keys of a list of names: from their first word, from each later word, and without spaces."""

    whole: Keys
    later: Keys
    unspaced: Keys


def build(names: Sequence[str]) -> SearchIndex:
    """Build the index of some names. It refers to each name by its number."""
    whole: set[Match] = set()
    later: set[Match] = set()
    for number, name in enumerate(names):
        for text in _texts_of(name):
            whole.add((text, number))
            at = text.find(" ")
            while at > 0:
                later.add((text[at + 1 :], number))
                at = text.find(" ", at + 1)
    return SearchIndex(_sorted(whole), _sorted(later), _sorted({(text.replace(" ", ""), at) for text, at in whole}))


def _texts_of(name: str) -> Iterator[str]:
    """Yield the folded texts by which a name is found: its base and the whole name, both with Mt and Saint too."""
    for text in {base_of(name), fold(unbracketed(name))}:
        yield text
        words = text.split(" ")
        if not _UNFOLDED.keys().isdisjoint(words):
            yield " ".join(_UNFOLDED.get(word, word) for word in words)


def _sorted(matches: Iterable[Match]) -> Keys:
    ordered = sorted(matches)
    return Keys([key for key, _ in ordered], np.array([number for _, number in ordered], _NUMBER).tobytes())


def unbracketed(text: str) -> str:
    """Replace brackets in a text by spaces."""
    return text.replace("(", " ").replace(")", " ")


def count_letters(texts: Sequence[str]) -> npt.NDArray[np.int8]:
    """Count each letter in each text: a row for each letter, a column for each text.

    Other characters are counted in these rows too, which is accurate enough for a first filter.
    """
    codes = np.frombuffer("".join(texts).encode("ascii", "replace"), np.uint8) % _LETTER_ROWS
    columns = np.repeat(np.arange(len(texts)), np.fromiter(map(len, texts), "int64"))
    counts = np.bincount(codes.astype("int64") * len(texts) + columns, minlength=len(texts) * _LETTER_ROWS)
    return counts.reshape(_LETTER_ROWS, -1).astype(np.int8)
