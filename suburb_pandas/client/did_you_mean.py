"""Suggests suburbs in the error for a name that does not exist. Suggestions are only shown: no code resolves by them.

Searching similar names is left to names.search, and names in other words to names.matching.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import SuburbError, UnknownSuburb
from suburb_pandas.messages import joined, listed
from suburb_pandas.names import matching, search
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.written import Query, is_whole_region
from suburb_pandas.service.statuses import GET_A_KEY

MOST_SUGGESTED_FOR = 500
"""The number of names in a request for which suggestions are searched. Each search takes time."""

_LINE = 'df["area_name"] = df.suburb.resolve()'  # for users to paste
_RESOLVE_FIRST = f"If your names are not exact, resolve them first: {_LINE}"
_LISTED = 5
_SHOWN = 3


def no_such(context: RequestContext, absent: Sequence[str]) -> dict[str, UnknownSuburb]:
    """Return the error of each name that a complete gazetteer does not have."""
    gazetteer = known_names.gazetteer_after(context)
    near = {name: suggested(gazetteer, name) for name in absent[:MOST_SUGGESTED_FOR]}
    return {name: _no_such(context, gazetteer, [name], near.get(name, ())) for name in absent}


def none_exists(context: RequestContext, errors: Mapping[str, SuburbError]) -> SuburbError:
    """Return the error of a request in which no name is a suburb's. ``errors`` has the error of each name."""
    if len(errors) == 1:
        return copy(next(iter(errors.values())))
    near = dict.fromkeys(name for error in errors.values() for name in getattr(error, "suggestions", ()))
    return _no_such(context, known_names.gazetteer_after(context), [*errors], tuple(near))


def _no_such(
    context: RequestContext, gazetteer: Gazetteer, names: Sequence[str], near: tuple[str, ...]
) -> UnknownSuburb:
    """Return one error for names that a complete gazetteer does not have."""
    hint = f"; did you mean {one_of(gazetteer, names[0], near)}?" if near and len(names) == 1 else "."
    if context.source == known_names.EMBEDDED:
        what = f"The embedded sandbox has made-up suburbs only, and none is called exactly {listed(names)}"
        way = f"{GET_A_KEY}."
    else:
        what = f"No suburb is called exactly {listed(names)}, according to {gazetteer.said_by}"
        way = "If that list is out of date, check_names=False asks the service anyway."
    message = f"{what}, so nothing was sent{hint} {way} {_RESOLVE_FIRST}"
    return UnknownSuburb(message, suggestions=near)


def add_to(context: RequestContext, error: UnknownSuburb, name: str) -> None:
    """Add suggestions to the error for a name that the service does not know."""
    gazetteer = known_names.gazetteer_after(context)
    error.suggestions = suggested(gazetteer, name)
    start, near = "If", ""
    if error.suggestions:
        near = f" (did you mean {one_of(gazetteer, name, error.suggestions)}?)"
    elif load := known_names.how_to_know_more(context):
        start = f"{load}; if"
    error.args = (f"{error} {start} your names are not exact, resolve them first{near}: {_LINE}",)


def suggested(gazetteer: Gazetteer, text: str, state: str | None = None) -> tuple[str, ...]:
    """Return a few names, other than the text itself, that are similar to a text, or to the part before its comma.

    If the text names several suburbs, or a suburb in other words, such as with a compass word at the other end, only
    these are returned. Suburbs that are known to be in another state than ``state`` are left out. A total or a large
    region has none.
    """
    if is_whole_region(text):
        return ()
    found = matching.verdict(gazetteer, Query(text, state))
    if found.candidates and found.problem in {matching.SEVERAL, matching.UNKNOWN}:
        return tuple(place.area_name for place in found.candidates)[:_LISTED]
    near = search.suggest(gazetteer, text, state, limit=_LISTED + 1)
    if not near and "," in text:
        near = search.suggest(gazetteer, text.partition(",")[0], state, limit=_LISTED + 1)
    return tuple(place.area_name for place in near if place.area_name != text)[:_LISTED]


def one_of(gazetteer: Gazetteer, text: str, near: Sequence[str]) -> str:
    """Return another name to which a text resolves, otherwise the first few suggestions in words: ``A, B or C``."""
    only = matching.verdict(gazetteer, Query(text)).area_name
    return only if only not in {None, text} else joined(near, "or", most=_SHOWN)
