"""Finds the suburbs that a free text may mean, best match first.

Owns the comparison and ranking of texts. The exact names that the data endpoints need are left to `country`.
"""

from functools import cache
from typing import Any

from suburb_pandas.sandbox.country import STATES, SUBURBS, Suburb

MOST_CANDIDATES = 20

_ABBREVIATIONS = {"mt": "mount", "saint": "st"}

_NO_MATCH = 100  # a rank; those of matches are less than ten


def candidates(query: str, state: str = "") -> list[dict[str, Any]]:
    """Find the suburbs that `query` may mean, best first, in the form of the service's ``data``.

    Parameters
    ----------
    query
        Free text: a name or part of one, in upper or lower case, perhaps slightly misspelt or followed by a state.
    state
        The abbreviation of the state to search, such as ``"NSW"`` or ``"vic"``. Empty: all states.
    """
    words, wanted = _plain(query), state.upper()
    ranks = {suburb: _rank(words, suburb) for suburb in SUBURBS if wanted in ("", suburb.state)}
    found = sorted((suburb for suburb in ranks if ranks[suburb] < _NO_MATCH), key=lambda one: (ranks[one], one.name))
    return [_candidate(suburb) for suburb in found[:MOST_CANDIDATES]]


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


def _plain(text: str) -> str:
    """Normalise text for comparison: lower case, no punctuation, and abbreviations as in the names."""
    kept = text.casefold().replace("'", "").replace(".", "")
    words = "".join(letter if letter.isalnum() else " " for letter in kept).split()
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words)


@cache
def _base_and_places(suburb: Suburb) -> tuple[str, list[str]]:
    """Return the normalised base, and the places that may follow it in a text: suffix, state, council and postcode."""
    suffix = suburb.name.removeprefix(suburb.base)
    places = (suffix, suburb.state, STATES[suburb.state], suburb.council, suburb.postcode)
    return _plain(suburb.base), [_plain(place) for place in places]


def _rank(words: str, suburb: Suburb) -> int:
    """Return the best rank of `words`, with or without a place at their end."""
    base, places = _base_and_places(suburb)
    texts = {words, *(words.removesuffix(f" {place}") for place in places)}
    return min(_rank_in(text, base) for text in texts)


def _rank_in(words: str, base: str) -> int:
    """Return the rank of `words`, from 0 for the best.

    The base is 0, its beginning 1, the beginning of a word in it 2, and another part of it 3. A misspelling is 4 and
    the number of its slips.

    A misspelt text is compared with the base, and with as many of its first words as the text has. A slip is a letter
    added, dropped, changed or swapped with its neighbour. One is allowed for every five letters, and at most two.
    """
    if not words:
        return _NO_MATCH
    fits = words == base, base.startswith(words), f" {words}" in base, len(words) > 1 and words in base
    if any(fits):
        return fits.index(True)
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - only look-ups need it, and it is slow to load

    beginning = " ".join(base.split()[: len(words.split())])
    slips = min(OSA.distance(words, text) for text in (base, beginning))
    return len(fits) + slips if slips <= min(len(words) // 5, 2) else _NO_MATCH
