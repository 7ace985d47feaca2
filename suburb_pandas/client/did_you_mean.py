"""Suggests suburbs in the error for a name that does not exist. Suggestions are only shown: no code uses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

from suburb_pandas.client import known_names, names_on_cassette
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import SuburbError, UnknownSuburb
from suburb_pandas.messages import listed
from suburb_pandas.names import matching, search
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.readings import Query
from suburb_pandas.service.statuses import GET_A_KEY, MADE_UP_ONLY

MOST_SUGGESTED_FOR = 500
"""The most names of a request for which suggestions are searched, because each search takes time."""

_LINE = 'df["area_name"] = df.suburb.resolve()'  # for users to paste
_RESOLVE_FIRST = f"If your names are not exact, resolve them first: {_LINE}"
_RESOLVE_NEAR = f"If your names are not exact, resolve them first (did you mean {{}}?): {_LINE}"
_LISTED = 5
_SHOWN = 3
_DEFAULT_LIMIT = 10  # of sp.suggest


def no_such(context: RequestContext, absent: Sequence[str]) -> dict[str, UnknownSuburb]:
    """Return the error of each name that a complete gazetteer does not have."""
    gazetteer = known_names.gazetteer_after(context)
    near = {name: suggested(gazetteer, name) for name in absent[:MOST_SUGGESTED_FOR]}
    names_on_cassette.carry_after(context, [*absent, *(name for names in near.values() for name in names)])
    return {name: _no_such(context, gazetteer, name, near.get(name, ())) for name in absent}


def _no_such(context: RequestContext, gazetteer: Gazetteer, name: str, near: tuple[str, ...]) -> UnknownSuburb:
    hint = f"; did you mean {one_of(gazetteer, name, near)}?" if near else "."
    if context.source == "embedded":
        message = (
            f"The embedded sandbox has made-up suburbs only, and none is called exactly {name!r}, so nothing was "
            f"sent{hint} {GET_A_KEY}. {_RESOLVE_FIRST}"
        )
    else:
        message = (
            f"No suburb is called exactly {name!r}, according to {gazetteer.said_by}, so nothing was sent{hint} "
            f"If that list is out of date, check_names=False asks the service anyway. {_RESOLVE_FIRST}"
        )
    why = MADE_UP_ONLY if context.source == "embedded" else ""
    return UnknownSuburb(message, suggestions=near, why=why)


def none_exists(context: RequestContext, errors: Mapping[str, SuburbError]) -> SuburbError:
    """Return the error of a request in which no name is a suburb's. ``errors`` has the error of each name."""
    if len(errors) == 1:
        return copy(next(iter(errors.values())))
    gazetteer = known_names.gazetteer_after(context)
    names_on_cassette.carry_after(context, errors)
    suggestions = dict.fromkeys(name for error in errors.values() for name in getattr(error, "suggestions", ()))
    real = f"{GET_A_KEY}. " if context.source == "embedded" else ""
    return UnknownSuburb(
        f"According to {gazetteer.said_by}, none of these {len(errors)} names is the exact name of a suburb, so "
        f"nothing was sent: {listed(errors)}. {real}{_RESOLVE_FIRST}",
        suggestions=tuple(suggestions),
    )


def add_to(context: RequestContext, error: UnknownSuburb, name: str) -> None:
    """Add suggestions to the error for a name that the service does not know."""
    gazetteer = known_names.gazetteer_after(context)
    error.suggestions = suggested(gazetteer, name)
    names_on_cassette.carry_after(context, [name, *error.suggestions])
    if error.suggestions:
        hint = _RESOLVE_NEAR.format(one_of(gazetteer, name, error.suggestions))
    else:
        unknown = known_names.what_is_known(context)
        hint = (
            f"{unknown}; load the ABS's list with sp.load_gazetteer('SAL_2021_AUST.xlsx'), and resolve names that are "
            f"not exact: {_LINE}"
            if unknown
            else _RESOLVE_FIRST
        )
    error.args = (f"{error} {hint}",)


def suggested(gazetteer: Gazetteer, text: str, state: str | None = None) -> tuple[str, ...]:
    """Return a few names, other than the text itself, that are similar to a text, or to the part before its comma.

    Suburbs that are known to be in another state than ``state`` are left out.
    """
    found = search.suggest(gazetteer, text, state, limit=_LISTED + 1)
    if not found and "," in text:
        found = search.suggest(gazetteer, text.partition(",")[0], state, limit=_LISTED + 1)
    return tuple(place.area_name for place in found if place.area_name != text)[:_LISTED]


def one_of(gazetteer: Gazetteer, text: str, near: Sequence[str], state: str | None = None) -> str:
    """Return the suburb that a text resolves to, otherwise the first few suggestions in words: ``A, B or C``."""
    only = matching.verdict(gazetteer, Query(text, state)).area_name
    if only not in {None, text}:
        return only
    more = _how_many_more(gazetteer, text, near, state)
    *others, last = [*near[:_SHOWN], *([more] if more else [])]
    return f"{', '.join(others)} or {last}" if others else last


def _how_many_more(gazetteer: Gazetteer, text: str, near: Sequence[str], state: str | None) -> str:
    """Return the number of suggestions that are not shown, and the line that lists all; empty if all are shown."""
    if len(near) <= _SHOWN:
        return ""
    if search.count(gazetteer, text, state) < len(near):  # they are similar to the part before the comma
        text = text.partition(",")[0]
    number = search.count(gazetteer, text, state)
    more = number - _SHOWN - (text in gazetteer)  # the text itself is never suggested
    return f"{'one' if more == 1 else f'one of {more}'} more in {line_that_suggests(text, number, state)}"


def line_that_suggests(text: str, number: int, state: str | None = None) -> str:
    """Return the line of code that lists that many suggestions for a text, in a state if its code is given."""
    limit = f", limit={number}" if number > _DEFAULT_LIMIT else ""
    return f"sp.suggest({text!r}{f', {state!r}' if state else ''}{limit})"
