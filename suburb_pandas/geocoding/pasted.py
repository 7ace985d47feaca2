"""Turns a text that somebody typed or pasted, such as a column of a sheet, into suburb names. No call is made.

Owns the separators between the names. Deciding which name a text means is left to names.matching, as in resolve, and
the reasons why a text means none to outcomes. No name is chosen for its similarity.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.did_you_mean import suggested
from suburb_pandas.client.session import request_context
from suburb_pandas.frames.column import SPELLINGS
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.geocoding.outcomes import explained
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.matching import AMBIGUOUS, Verdict, verdict
from suburb_pandas.names.written import Query, is_no_name, location

MOST_NAMES: Final = 1_000
"""The most names of one text. A whole sheet that is pasted by accident has more."""

_MOST_LETTERS: Final = 100_000
_MOST_CANDIDATES: Final = 5
_BEGINNING: Final = 40  # letters

_SEPARATORS: Final = re.compile(r"[,;\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_AROUND: Final = (
    "[]\"'`\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb \xa0"  # no suburb name begins or ends with one of these
)
_BULLET: Final = re.compile(r"^\s*(?:[-*\u2022\u00b7\u2013]|\d{1,3}[.)])\s+")  # of a list, as in "2. Quokka Bay"

_COLUMNS: Final = frozenset({*SPELLINGS, AREA_NAME, "name", "state", "postcode", "lga", "council", "region"})
"""The names of the columns of a table of suburbs."""


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
    """The names of a text in its order, each once, and the parts of the text that are not yet names.

    ``left_out`` is the first row of a table, if it has the names of columns.
    """

    names: tuple[str, ...] = ()
    unsettled: tuple[Unsettled, ...] = ()
    left_out: str = ""


def split(text: str) -> list[str]:
    """Split a text into the texts for one suburb each, in its order, each once.

    Commas, semicolons, tabs and line ends separate the names. A state, a postcode or both stay with the suburb before
    them. Quotes and square brackets around a part are dropped, so that a Python list works. Bullets and numbers such as
    ``2.`` in front are dropped too.

    >>> split("['Quokka Bay', 'Woylie']; O'Connor (WA), Lantern Bay, Tas.")
    ['Quokka Bay', 'Woylie', "O'Connor (WA)", 'Lantern Bay, Tas.']
    >>> split("1. Quokka Bay; 2. Woylie")
    ['Quokka Bay', 'Woylie']
    """
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):  # a tuple in Python
        text = text[1:-1]
    found: list[str] = []
    for part in _SEPARATORS.split(text):
        bare = " ".join(_BULLET.sub("", part).strip(_AROUND).split())
        if found and bare and location(bare) is not None:
            found[-1] += f", {bare}"
        elif bare:
            found.append(bare)
    return list(dict.fromkeys(found))


def settle(text: str, *, client: Client | None = None) -> Pasted:
    """Return the names that the parts of a text mean, and the parts that do not resolve to a name.

    A part means the name that ``sp.resolve`` returns for it without a look-up. While a cassette records, the names are
    recorded on it, as by `resolve`.
    """
    head, _, rows = text.lstrip().partition("\n")
    if rows and all(sal.fold(cell).replace(" ", "_") in _COLUMNS for cell in _SEPARATORS.split(head.strip())):
        return settle(rows, client=client)._replace(left_out=", ".join(split(head)))
    texts = split(text[: _MOST_LETTERS + 1])
    if len(text) > _MOST_LETTERS or len(texts) > MOST_NAMES:
        why = f"too long: paste at most {MOST_NAMES:,} names at once"
        return Pasted((), (Unsettled(f"{text[:_BEGINNING]}\u2026", (), why, can_be_taken=False),))
    context = request_context(client)
    gazetteer = known_names.gazetteer_of(context)
    queries = [Query(one) for one in texts if one in gazetteer or not is_no_name(one)]
    verdicts = {query: verdict(gazetteer, query) for query in queries if sal.is_name(query.text)}
    known_names.record_verdicts(context, gazetteer, verdicts)
    settled = {query: found.area_name for query, found in verdicts.items() if found.area_name is not None}
    unsettled = [_unsettled(gazetteer, query.text, verdicts.get(query)) for query in queries if query not in settled]
    return Pasted(tuple(dict.fromkeys(settled.values())), tuple(unsettled))


def _unsettled(gazetteer: Gazetteer, text: str, found: Verdict | None) -> Unsettled:
    """Return a text that is not settled, with the reason and the names that it may mean. An invalid name has none."""
    if found is None:
        return Unsettled(text, (), "cannot be the name of a suburb", can_be_taken=False)
    candidates = tuple(place.area_name for place in found.candidates) or suggested(gazetteer, text)
    why, _ = explained(gazetteer, text, found, candidates)
    # No name has a comma. By the ABS's rule, no name is also the base of several names.
    can_be = found.problem != AMBIGUOUS and "," not in text and not gazetteer.knows_all(sal.base_of(text))
    return Unsettled(text, candidates[:_MOST_CANDIDATES], why, can_be_taken=can_be)
