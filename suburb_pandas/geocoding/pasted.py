"""Turns a text that somebody typed or pasted, such as a column of a sheet, into suburb names. No call is made.

Owns the separators between the names and the reasons why a text is not resolved. Deciding which name a text means is
left to names.matching, as in resolve. No name is chosen for its similarity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.did_you_mean import suggested
from suburb_pandas.client.session import request_context
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.matching import AMBIGUOUS, ELSEWHERE, SEVERAL, UNKNOWN, Verdict, verdict
from suburb_pandas.names.written import Query, is_no_name, location

MOST_NAMES: Final = 1_000
"""The most names of one text. A whole sheet that is pasted by accident has more."""

_MOST_LETTERS: Final = 100_000
_MOST_CANDIDATES: Final = 5
_MOST_SUGGESTED_FOR: Final = 50  # texts; each search can take some milliseconds
_BEGINNING: Final = 40  # letters

_SEPARATORS: Final = re.compile(r"[,;\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_AROUND: Final = (
    "[]\"'`\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb \xa0"  # no suburb name begins or ends with one of these
)
_BULLET: Final = re.compile(r"^\s*(?:[-*\u2022\u00b7\u2013]|\d{1,3}[.)])\s+")  # of a list, as in "2. Quokka Bay"


class TooManyNamesError(ValueError):
    """A text has more names than are taken from one text."""


class Unsettled(NamedTuple):
    """A text that is not yet a name.

    ``candidates`` are a few names that it may mean, the likely ones first. ``why`` is the reason as part of a sentence.
    ``can_be_taken`` is True if the text can be a suburb's exact name, as far as this machine knows.
    """

    text: str
    candidates: tuple[str, ...]
    why: str
    can_be_taken: bool


class Pasted(NamedTuple):
    """The names of a text in its order, each once, and the parts of the text that are not yet names."""

    names: tuple[str, ...] = ()
    unsettled: tuple[Unsettled, ...] = ()


def split(text: str) -> list[str]:
    """Split a text into the texts for one suburb each, in its order, each once.

    Commas, semicolons, tabs and line ends separate the names. A state, a postcode or both stay with the suburb before
    them. Quotes and square brackets around a part are dropped, so that a Python list works. Bullets and numbers such as
    ``2.`` in front are dropped too.

    Raises
    ------
    TooManyNamesError
        The text has more than `MOST_NAMES` names, or is too long for so many.

    >>> split("['Quokka Bay', 'Woylie']; O'Connor (WA), Lantern Bay, Tas.")
    ['Quokka Bay', 'Woylie', "O'Connor (WA)", 'Lantern Bay, Tas.']
    >>> split("1. Quokka Bay; 2. Woylie")
    ['Quokka Bay', 'Woylie']
    """
    if len(text) > _MOST_LETTERS:
        raise TooManyNamesError
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):  # a tuple in Python
        text = text[1:-1]
    found = dict.fromkeys(_with_locations_joined(_parts(text)))
    if len(found) > MOST_NAMES:
        raise TooManyNamesError
    return list(found)


def _parts(text: str) -> Iterator[str]:
    for part in _SEPARATORS.split(text):
        bare = " ".join(_BULLET.sub("", part).strip(_AROUND).split())
        if bare:
            yield bare


def _with_locations_joined(parts: Iterable[str]) -> Iterator[str]:
    """Yield the parts, each joined with the states and postcodes that follow it."""
    whole = ""
    for part in parts:
        if whole and location(part) is not None:
            whole += f", {part}"
        else:
            yield from filter(None, [whole])
            whole = part
    yield from filter(None, [whole])


def settle(text: str, *, client: Client | None = None) -> Pasted:
    """Return the names that the parts of a text mean, and the parts that do not resolve to a name.

    A part means the name that ``sp.resolve`` returns for it without a look-up. While a cassette records, the names are
    recorded on it, as `resolve` does.
    """
    try:
        texts = split(text)
    except TooManyNamesError:
        why = f"too long: paste at most {MOST_NAMES:,} names at once"
        return Pasted((), (Unsettled(f"{' '.join(text[:_BEGINNING].split())}\u2026", (), why, can_be_taken=False),))
    context = request_context(client)
    gazetteer = known_names.gazetteer_of(context)
    queries = [Query(one) for one in texts if one in gazetteer or not is_no_name(one)]
    verdicts = {query: verdict(gazetteer, query) for query in queries if sal.is_name(query.text)}
    known_names.record_verdicts(context, gazetteer, verdicts)
    names = tuple(dict.fromkeys(found.area_name for found in verdicts.values() if found.area_name is not None))
    return Pasted(names, tuple(_unsettled(gazetteer, queries, verdicts)))


def _unsettled(gazetteer: Gazetteer, queries: list[Query], verdicts: Mapping[Query, Verdict]) -> Iterator[Unsettled]:
    """Yield the queries that have no name. Similar names are searched for the first of them only."""
    n_searched = 0
    for query in queries:
        found = verdicts.get(query)
        if found is None:
            yield Unsettled(query.text, (), "cannot be the name of a suburb", can_be_taken=False)
        elif found.area_name is None:
            names = tuple(place.area_name for place in found.candidates[:_MOST_CANDIDATES])
            if found.problem == UNKNOWN and n_searched < _MOST_SUGGESTED_FOR:
                n_searched += 1
                names = suggested(gazetteer, query.text)
            why = _why(found, is_known=gazetteer.knows_all_about(query.text))
            yield Unsettled(query.text, names, why, can_be_taken=_can_be_taken(gazetteer, query.text))


def _why(found: Verdict, *, is_known: bool) -> str:
    """Return why a text is not settled, as part of a sentence."""
    if found.problem == UNKNOWN:
        return "no suburb is called that" if is_known else "not among the names known here"
    only_one = ", of which only one is known here" if len(found.candidates) == 1 else ""
    whys = {
        AMBIGUOUS: f"can mean several suburbs{only_one}",
        SEVERAL: "names several suburbs",
        ELSEWHERE: "there is no such suburb in that place",
    }
    return whys[found.problem]


def _can_be_taken(gazetteer: Gazetteer, text: str) -> bool:
    """Return True if a valid name, exactly as it is written, can be the name of a suburb.

    No name has a comma. By the ABS's rule a name has no state only if no other suburb has its base.
    """
    base = sal.base_of(text)
    is_bare = not text.endswith(")")
    return "," not in text and not gazetteer.knows_all(base) and not (is_bare and gazetteer.with_base(base))
