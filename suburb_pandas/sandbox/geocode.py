"""Finds the suburbs that a free text may mean, best match first.

Owns the comparison and ranking of texts. The exact names that the data endpoints need are left to `country`.
"""

from functools import cache, lru_cache
from typing import Any

from suburb_pandas.sandbox.country import STATES, SUBURBS, Suburb

MOST_CANDIDATES = 20

_ABBREVIATIONS = {"mt": "mount", "saint": "st"}

# Ranks, best first. The rank of a misspelling is _MISSPELT plus its distance.
_EXACT, _BEGINS, _BEGINS_A_WORD, _CONTAINS, _MISSPELT = range(5)


def candidates(query: str, state: str | None = None) -> list[dict[str, Any]]:
    """Find the suburbs that `query` may mean, best first, in the form of the service's ``data``.

    Parameters
    ----------
    query
        Free text: a name or part of one, in upper or lower case, perhaps slightly misspelt or followed by a state.
    state
        The abbreviation of the state to search, such as ``"NSW"`` or ``"vic"``. None or empty: all states.
    """
    words = _plain(query)
    wanted = (state or "").upper()
    ranked = [
        (rank, suburb.name, suburb)
        for suburb in SUBURBS
        if wanted in ("", suburb.state) and (rank := _rank(words, suburb)) is not None
    ]
    return [_candidate(suburb) for _, _, suburb in sorted(ranked, key=lambda row: row[:2])[:MOST_CANDIDATES]]


def _candidate(suburb: Suburb) -> dict[str, Any]:
    return {
        "area_name": suburb.name,
        "area_level": "suburb",
        "information": {
            "poa": suburb.postcode,
            "sa2": suburb.sa2,
            "sa3": suburb.sa3,
            "sa4": suburb.sa4,
            "lga": suburb.council,
            "state": STATES[suburb.state],
        },
        "made_up": True,
    }


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    """Normalise text for comparison: lower case, no punctuation, and abbreviations as in the names."""
    kept = text.casefold().replace("'", "").replace(".", "")
    words = "".join(letter if letter.isalnum() else " " for letter in kept).split()
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words)


@cache
def _places(suburb: Suburb) -> tuple[str, ...]:
    """Return the normalised words that people may write after a base: suffix, state, council or postcode."""
    suffix = suburb.name.removeprefix(suburb.base)
    return tuple(map(_plain, (suffix, suburb.state, STATES[suburb.state], suburb.council, suburb.postcode)))


def _rank(words: str, suburb: Suburb) -> int | None:
    """Return the best rank of `words`, with or without a place at their end, or None if they do not match."""
    base = _plain(suburb.base)
    without = (words.removesuffix(f" {place}") for place in _places(suburb))
    ranks = (_rank_in(text, base) for text in {words, *without} if text)
    return min((rank for rank in ranks if rank is not None), default=None)


def _rank_in(words: str, base: str) -> int | None:
    if words == base:
        return _EXACT
    if base.startswith(words):
        return _BEGINS
    if f" {words}" in base:
        return _BEGINS_A_WORD
    if words in base and len(words) > 1:
        return _CONTAINS
    return _misspelt(words, base)


def _misspelt(words: str, base: str) -> int | None:
    """Return a rank if `words` is one or two slips away from the base or from its beginning; otherwise None.

    The beginning has as many words as `words`. A slip is allowed for every five letters, and at most two.
    """
    allowed = min(len(words) // 5, 2)
    if allowed == 0:
        return None
    beginning = " ".join(base.split()[: len(words.split())])
    near = (text for text in {base, beginning} if _may_be_near(words, text, allowed))
    slips = min((_slips(words, text) for text in near), default=allowed + 1)
    return _MISSPELT + slips if slips <= allowed else None


def _may_be_near(one: str, other: str, slips: int) -> bool:
    """Return False if the texts certainly differ by more than `slips`. This is faster than counting the slips.

    A slip changes the length by at most one. It adds at most one letter to the set of letters and removes at most one.
    """
    return abs(len(one) - len(other)) <= slips and len(set(one) ^ set(other)) <= 2 * slips


def _slips(one: str, other: str) -> int:
    """Count the letters that are added, dropped, changed or swapped with a neighbour between two texts."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        following = [i]
        for j, target in enumerate(other, start=1):
            slips = min(row[j] + 1, following[-1] + 1, row[j - 1] + (letter != target))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == target:
                slips = min(slips, before[j - 2] + 1)
            following.append(slips)
        before, row = row, following
    return row[-1]
