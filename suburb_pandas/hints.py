"""Hints: what somebody may have meant by a name that there is not. They are shown, and never acted upon."""

from __future__ import annotations

from collections.abc import Sequence

from . import knowledge, resolution, suggestions
from .client import Client
from .errors import UnknownSuburb
from .gazetteer import Gazetteer
from .resolution import Query
from .statuses import GET_A_KEY

_LISTED = 5
_SHOWN = 3


def no_such(client: Client, name: str) -> UnknownSuburb:
    """Give the error for a name that a complete gazetteer does not have."""
    gazetteer = knowledge.of(client)
    near = suggested(gazetteer, name)
    hint = f"; did you mean {one_of(gazetteer, name, near)}?" if near else "."
    if client.source == "embedded":
        return UnknownSuburb(
            f"The embedded sandbox has made-up suburbs only, such as 'Quokka Bay', and none called exactly {name!r}. "
            f"Nothing was sent{hint} For real suburbs, {GET_A_KEY}.",
            suggestions=near,
        )
    return UnknownSuburb(
        f"No suburb is called exactly {name!r}, by {gazetteer.said_by}. Nothing was sent{hint} Where the service may "
        "know better than that list, check_names=False asks it all the same.",
        suggestions=near,
    )


def add_to(client: Client, error: UnknownSuburb, name: str) -> None:
    """Add to the error for a name that the service does not know what may have been meant."""
    gazetteer = knowledge.of(client)
    error.suggestions = suggested(gazetteer, name)
    if error.suggestions:
        error.args = (f"{error} Did you mean {one_of(gazetteer, name, error.suggestions)}?",)


def suggested(gazetteer: Gazetteer, text: str) -> tuple[str, ...]:
    """Give a few names that may have been meant, but for the very one."""
    found = suggestions.suggest(gazetteer, text, limit=_LISTED + 1)
    return tuple(place.area_name for place in found if place.area_name != text)[:_LISTED]


def one_of(gazetteer: Gazetteer, text: str, near: Sequence[str]) -> str:
    """Name the suburb that a text resolves to; else the first few of those that are near, as in ``A, B or C``."""
    only = resolution.verdict(gazetteer, Query(text)).area_name
    *others, last = [only] if only else near[:_SHOWN]
    return f"{', '.join(others)} or {last}" if others else last
