"""Builds the search index of a list of suburb names, which can be packed into bytes and kept.

The keys are names and bases, folded. Building takes a tenth of a second for the whole country, so the store keeps the
index of the loaded lists. Ranking what is found is left to names.search.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from suburb_pandas.names.sal import ABBREVIATED, base_of, fold

_UNFOLDED: Final = {folded: written for written, folded in ABBREVIATED.items()}
_AFTER_ALL_LETTERS: Final = "\U0010ffff"
_LETTER_ROWS: Final = 32  # the ASCII code of a letter, modulo this, is its position in the alphabet

Match: TypeAlias = tuple[str, int]
"""A key, and the number of a name that has it."""


class Keys(msgspec.Struct, array_like=True, dict=True, frozen=True):
    """Sorted keys, and for each key the numbers of the names that have it."""

    keys: list[str]
    names: list[list[int]]

    def equal(self, text: str) -> list[Match]:
        """Return the names whose key is the text."""
        at = bisect_left(self.keys, text)
        return self.at(at) if at < len(self.keys) and self.keys[at] == text else []

    def beginning(self, text: str) -> list[Match]:
        """Return the names whose key begins with the text."""
        start, end = bisect_left(self.keys, text), bisect_left(self.keys, text + _AFTER_ALL_LETTERS)
        pairs = zip(self.keys[start:end], self.names[start:end], strict=True)
        return [(key, name) for key, names in pairs for name in names]

    def at(self, position: int) -> list[Match]:
        """Return the names of the key at a position."""
        key = self.keys[position]
        return [(key, name) for name in self.names[position]]

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
    """Build the index of some names, which are known by their number from here on."""
    whole: dict[str, list[int]] = {}
    later: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        for text in _texts_of(name):
            whole.setdefault(text, []).append(number)
            at = text.find(" ")
            while at > 0:
                later.setdefault(text[at + 1 :], []).append(number)
                at = text.find(" ", at + 1)
    unspaced: dict[str, list[int]] = {}
    for text, numbers in whole.items():
        unspaced.setdefault(text.replace(" ", ""), []).extend(numbers)
    return SearchIndex(_sorted(whole), _sorted(later), _sorted(unspaced))


def _texts_of(name: str) -> Iterator[str]:
    """Yield the folded texts by which a name is found: its base and the whole name, both with Mt and Saint too."""
    for text in {base_of(name), fold(unbracketed(name))}:
        yield text
        words = text.split(" ")
        if not _UNFOLDED.keys().isdisjoint(words):
            yield " ".join(_UNFOLDED.get(word, word) for word in words)


def _sorted(numbers: dict[str, list[int]]) -> Keys:
    keys = sorted(numbers)
    return Keys(keys, [numbers[key] for key in keys])


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
