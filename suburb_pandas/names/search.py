"""Suggests suburbs for a text that somebody is typing, best first.

Only people act on suggestions: no code chooses one.

Names equal to the text come first, then names that begin with it, then names with a later word that begins with it,
then, if the text is a council or a postcode, the suburbs in it. A name in which the text ends with a complete word
comes before a name in which that word is longer. Names that differ by typing slips come last: a missing or superfluous
space, then misspelt letters (rapidfuzz). Within each group, names that match the text as typed come before those that
match it with abbreviations written out or a compass word turned (names.written). Of names that match equally well,
those whose state, postcode and region fit come first. Deciding which name a query means is left to names.matching.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from heapq import heapify, heappop
from typing import Final

import numpy as np

from suburb_pandas.names import sal
from suburb_pandas.names.evidence import Says, compare
from suburb_pandas.names.gazetteer import PART, Gazetteer, Place, areas_of
from suburb_pandas.names.index import Keys, count_letters
from suburb_pandas.names.written import Reading, expansions, fold_region, readings, turned

_LONGEST = 100  # letters
_LETTERS_PER_SLIP: Final = 7  # each text may have one slip, and one more for every so many letters
_MOST_SLIPS: Final = 3
_MOST_MISSPELT: Final = 50

_Found = Iterator[tuple[int, float, str, int]]
"""The rank of each key, its slips, the key, and the number of its name."""


def suggest(gazetteer: Gazetteer, text: str, state: str | None = None, limit: int = 10) -> list[Place]:
    """Return the places that a text may mean, best first, without those known to be in another state than ``state``."""
    meant, index = _meant(gazetteer, text, state), gazetteer.index
    groups = (
        (_beginning, index.whole, " "),
        (_beginning, index.later, " "),
        (partial(_inside, gazetteer, sal.postcode(text) or fold_region(text)), index.whole, ""),
        (_beginning, index.unspaced, ""),
        (_misspelt, index.unspaced, ""),
    )
    ranked: dict[str, Place] = {}
    for find, keys, space in groups:
        heap = []
        for reading, is_rewritten in meant.items():
            has_location = any(reading[1:])
            for rank, slips, key, number in find(keys, reading.base.replace(" ", space)):
                place = gazetteer[name := index.names[number]]
                worst = max(Says.CONFIRMS, *compare(gazetteer, place, reading)) if has_location else Says.CONFIRMS
                if state is None or place.state in {None, state}:
                    heap.append((is_rewritten, rank, worst, slips, len(key), name, place))
        heapify(heap)  # not sorted: thousands of names can match one letter, and only the first few are needed
        while heap and len(ranked) < limit:
            *_, place = heappop(heap)
            ranked[place.area_name] = place
        if len(ranked) >= limit:
            break
    return list(ranked.values())


def _meant(gazetteer: Gazetteer, text: str, state: str | None) -> dict[Reading, bool]:
    """Return the readings of a text to search for, each with True if it is not the text as typed."""
    if len(text) > _LONGEST:
        return {}
    typed = [reading._replace(state=reading.state or state) for reading in readings(text)]
    meant = [one for one in typed if one.base and all(map(gazetteer.is_region, one.regions))]
    others = [one._replace(base=base) for one in meant for base in (*expansions(one.base), *turned(one.base))]
    return dict.fromkeys(others, True) | dict.fromkeys(meant, False)


def _beginning(keys: Keys, text: str) -> _Found:
    """Find the keys that begin with a text: first those equal to it, then those with a further word, then others."""
    for key, number in keys.beginning(text):
        yield 0 if key == text else 1 if key.startswith(f"{text} ") else 2, 0, key, number


def _inside(gazetteer: Gazetteer, area: str, _keys: Keys, _text: str) -> _Found:
    """Find the suburbs with this postcode, or in the council of this folded name, at least in part."""
    areas = {("postcode", area), ("lga", area), (PART, area)}
    if not areas.isdisjoint(gazetteer.suburb_in):
        for number, name in enumerate(gazetteer.index.names):
            if not areas.isdisjoint(areas_of(gazetteer[name])):
                yield 0, 0, name, number


def _misspelt(keys: Keys, text: str) -> _Found:
    """Find the keys with a few slips: letters added, dropped, changed or swapped."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - keeps `import suburb_pandas` fast
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - as above

    allowed = min(1 + len(text) // _LETTERS_PER_SLIP, _MOST_SLIPS)
    # A slip changes the counts of at most two letters. Counts are fast to compare and leave few keys to the scorer.
    differences = np.abs(keys.letters - count_letters([text])).sum(axis=0, dtype="int16")
    near = {int(at): keys.keys[at] for at in np.flatnonzero(differences <= 2 * allowed)}
    found = process.extract(text, near, scorer=OSA.distance, score_cutoff=allowed, limit=_MOST_MISSPELT)
    for key, slips, at in found:
        yield 0, slips - fuzz.ratio(text, key) / 100, key, keys.numbers[at]
