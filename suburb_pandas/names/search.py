"""Suggests suburbs for a text that somebody is typing, best first. Only people act on suggestions: no code chooses one.

Names equal to the text come first. Names that begin with it follow, then names with a later word that begins with it,
then misspelt names (rapidfuzz). Within each group, names whose state and postcode fit come first. Deciding which name
a query means is left to names.matching.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer, Place, fit
from suburb_pandas.names.sal import Reading

_LONGEST = 100  # letters
_LETTERS_PER_SLIP: Final = 5  # each text may have one slip, and one more for every so many letters
_MOST_SLIPS: Final = 3
_MOST_MISSPELT: Final = 50
_LETTER_ROWS: Final = 32  # the ASCII code of a letter, modulo this, is its position in the alphabet
_FITS, _UNCERTAIN, _ELSEWHERE = range(3)

_UNFOLDED: Final = {folded: written for written, folded in sal.ABBREVIATED.items()}
_ANYWHERE: Final = (None, None, None)

_AFTER_ALL_LETTERS = "\U0010ffff"

Match = tuple[float, str, Place]
"""The distance from the text to the key that matched, that key, and a place of that key."""

_Places = dict[str, list[Place]]


def suggest(gazetteer: Gazetteer, text: str, state: str | None = None, limit: int = 10) -> list[Place]:
    """Return the places that a text may mean, best first. ``state`` leaves out places known to be in another state."""
    if len(text) > _LONGEST or not text.strip():
        return []
    index = _indexes.get(gazetteer) or _indexes.setdefault(gazetteer, _Index(gazetteer))
    readings = [
        reading._replace(state=reading.state or state) for reading in sal.readings(text) if _unspaced(reading.base)
    ]
    ranked: dict[str, Place] = {}
    for matches in (index.equal, index.equal_unspaced, index.starting, index.with_word_starting, index.misspelt):
        heap = []
        for reading in readings:
            anywhere = reading[1:] == _ANYWHERE
            heap += [
                (_FITS if anywhere else _location_rank(place, reading), distance, len(key), place.area_name, place)
                for distance, key, place in matches(reading.base)
                if state is None or place.state in {None, state}
            ]
        heapify(heap)  # not sorted: thousands of names can match one letter, and only the first few are needed
        while heap and len(ranked) < limit:
            *_, place = heappop(heap)
            ranked.setdefault(place.area_name, place)
        if len(ranked) >= limit:
            break
    return list(ranked.values())


def _location_rank(place: Place, reading: Reading) -> int:
    """Rank a place by whether its location agrees with the state and postcode of a reading."""
    fits = fit(place, reading)
    return _UNCERTAIN if fits is None else _FITS if fits else _ELSEWHERE


class _Index:
    """The search index of a gazetteer, built once. Its keys are folded bases and names without spaces."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        self._whole: _Places = {}
        self._from_a_word: _Places = {}
        for base, places in gazetteer.bases():
            self._add(base, places)
            for place in places:
                if place.area_name.endswith(")"):
                    self._add(sal.fold(_unbracketed(place.area_name)), [place])
        self._begins = sorted(self._whole)
        self._words = sorted(self._from_a_word)
        self._letters = _letters(self._begins)

    def _add(self, text: str, places: Sequence[Place]) -> None:
        """Add a folded text as a key for places, with ``mount`` and ``st`` also as ``mt`` and ``saint``.

        ``fold`` replaces whole words only, so it cannot unify ``mtwonga`` and ``mountwonga``.
        """
        words = text.split(" ")
        self._add_words(words, places)
        if not _UNFOLDED.keys().isdisjoint(words):
            self._add_words([_UNFOLDED.get(word, word) for word in words], places)

    def _add_words(self, words: Sequence[str], places: Sequence[Place]) -> None:
        joined = "".join(words)
        self._whole.setdefault(joined, []).extend(places)
        start = 0
        for word in words[:-1]:
            start += len(word)
            self._from_a_word.setdefault(joined[start:], []).extend(places)

    def equal(self, text: str) -> Iterator[Match]:
        """Find the places whose base is the text."""
        return ((0, text, place) for place in self._gazetteer.with_base(text))

    def equal_unspaced(self, text: str) -> Iterator[Match]:
        """Find the places whose base or name is the text, ignoring spaces."""
        key = _unspaced(text)
        return ((0, key, place) for place in self._whole.get(key, ()))

    def starting(self, text: str) -> Iterator[Match]:
        """Find the places whose name begins with the text, ignoring spaces."""
        return _beginning(self._begins, self._whole, _unspaced(text))

    def with_word_starting(self, text: str) -> Iterator[Match]:
        """Find the places whose name contains the text from the start of a later word, ignoring spaces."""
        return _beginning(self._words, self._from_a_word, _unspaced(text))

    def misspelt(self, text: str) -> Iterator[Match]:
        """Find the places whose base or name differs by a few slips: letters added, dropped, changed or swapped."""
        from rapidfuzz import fuzz, process  # noqa: PLC0415 - keeps `import suburb_pandas` fast
        from rapidfuzz.distance import OSA  # noqa: PLC0415 - as above

        text = _unspaced(text)
        allowed = min(1 + len(text) // _LETTERS_PER_SLIP, _MOST_SLIPS)
        # A slip changes the counts of at most two letters. Counts are fast to compare and leave few keys to the scorer.
        differences = np.abs(self._letters - _letters([text])).sum(axis=0, dtype="int16")
        keys = [self._begins[number] for number in np.flatnonzero(differences <= 2 * allowed)]
        near = process.extract(text, keys, scorer=OSA.distance, score_cutoff=allowed, limit=_MOST_MISSPELT)
        for key, slips, _ in near:
            distance = slips - fuzz.ratio(text, key) / 100
            yield from ((distance, key, place) for place in self._whole[key])


_indexes: WeakKeyDictionary[Gazetteer, _Index] = WeakKeyDictionary()


def _beginning(keys: list[str], places: _Places, text: str) -> Iterator[Match]:
    """Find the places whose key, among sorted keys, begins with the text."""
    start, end = bisect_left(keys, text), bisect_left(keys, text + _AFTER_ALL_LETTERS)
    return ((0, key, place) for key in keys[start:end] for place in places[key])


def _letters(texts: Sequence[str]) -> npt.NDArray[np.int8]:
    """Count each letter in each text: a row for each letter, a column for each text.

    Other characters are counted in these rows too, which is accurate enough for a first filter.
    """
    codes = np.frombuffer("".join(texts).encode("ascii", "replace"), np.uint8) % _LETTER_ROWS
    columns = np.repeat(np.arange(len(texts)), np.fromiter(map(len, texts), "int64"))
    counts = np.bincount(codes.astype("int64") * len(texts) + columns, minlength=len(texts) * _LETTER_ROWS)
    return counts.reshape(_LETTER_ROWS, -1).astype(np.int8)


def _unbracketed(text: str) -> str:
    return text.replace("(", " ").replace(")", " ")


def _unspaced(text: str) -> str:
    return _unbracketed(text).replace(" ", "")
