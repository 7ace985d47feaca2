"""Decides which suburbs are chosen in the picker after an action of the user, and says so; describes suggestions.

No call is made, and no name is guessed: deciding which suburb a text means is left to geocoding.pasted, and finding
suggestions to geocoding.find.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.geocoding import pasted
from suburb_pandas.messages import counted
from suburb_pandas.notebook.offers import Note, quoted


class Choice(NamedTuple):
    """The suburbs that are chosen, and the texts that are not yet names, as `pasted.Unsettled` has them."""

    names: tuple[str, ...] = ()
    unsettled: tuple[dict[str, Any], ...] = ()


class Change(NamedTuple):
    """The choice after an action. ``is_taken`` is False if a typed text stays in its box."""

    choice: Choice
    said: str
    is_taken: bool = True


def after(choice: Choice, message: Any, *, multiple: bool, client: Client | None) -> Change:
    """Return the choice after an action of the user, which a message of the page describes."""
    match message:
        case {"pick": str(name)}:
            change = _with_names(choice, (name,), multiple=multiple)
        case {"take": str(text)}:
            change = _typed(choice, pasted.settle(text, client=client), multiple=multiple)
        case {"paste": str(text)}:
            change = _added(choice, pasted.settle(text, client=client), multiple=multiple)
        case {"settle": str(text), "name": str(name)}:
            change = _with_names(_dismissed(choice, text).choice, (name,), multiple=multiple)
        case {"dismiss": str(text)}:
            change = _dismissed(choice, text)
        case {"dismiss_all": True}:
            dismissed = f"{counted(len(choice.unsettled), 'name')} dismissed"
            change = Change(choice._replace(unsettled=()), dismissed)
        case {"remove": str(name)}:
            left = tuple(chosen for chosen in choice.names if chosen != name)
            change = Change(choice._replace(names=left), f"{name} removed")
        case {"remove_all": True}:
            change = Change(choice._replace(names=()), f"{counted(len(choice.names), 'suburb')} removed")
        case _:
            change = Change(choice, "")
    return change


def _with_names(choice: Choice, names: tuple[str, ...], *, multiple: bool) -> Change:
    """Add suburbs to those that are chosen; in a picker for one suburb, choose the only one given instead."""
    if len(names) > 1 and not multiple:
        return Change(choice, f"This picker is for one suburb, and {len(names)} were given, so none was chosen")
    chosen = tuple(dict.fromkeys((*choice.names, *names))) if multiple else names
    said = f"{names[0]} chosen" if len(names) == 1 else f"{len(names)} suburbs added"
    return Change(choice._replace(names=chosen), said)


def _dismissed(choice: Choice, text: str) -> Change:
    left = tuple(one for one in choice.unsettled if one["text"] != text)
    return Change(choice._replace(unsettled=left), "1 name dismissed")


def _typed(choice: Choice, found: pasted.Pasted, *, multiple: bool) -> Change:
    """Take a typed text. A text that cannot be a name stays in its box, and the suggestions stay open."""
    if found.names or len(found.unsettled) != 1 or found.unsettled[0].can_be_taken:
        return _added(choice, found, multiple=multiple)
    (one,) = found.unsettled
    then = "; choose one of the suggestions" if one.candidates else ""
    return Change(choice, f"{quoted(one.text)}: {one.why}{then}", is_taken=False)


def _added(choice: Choice, found: pasted.Pasted, *, multiple: bool) -> Change:
    """Add the names that are settled, and list the others until they are settled or dismissed."""
    said = []
    if found.left_out:
        said.append(f"The first row was left out ({found.left_out})")
    if found.names:
        choice, added, _ = _with_names(choice, found.names, multiple=multiple)
        said.append(added)
    if found.unsettled:
        waiting = {one["text"]: one for one in choice.unsettled} | {one.text: one._asdict() for one in found.unsettled}
        choice = choice._replace(unsettled=tuple(waiting.values()))
        need = "needs" if len(found.unsettled) == 1 else "need"
        said.append(f"{counted(len(found.unsettled), 'name')} {need} checking")
    return Change(choice, "; ".join(said))


def suggestions(text: str, found: pd.DataFrame, total: int) -> dict[str, Any]:
    """Return candidates for a text as the page shows them, and a sentence with their number and the number of all."""
    rows = found[["area_name", "state", "lga"]].itertuples(index=False)
    hits = [
        {"name": name, "where": ", ".join(part for part in where if isinstance(part, str))} for name, *where in rows
    ]
    of = f"{len(hits)} of " if total > len(hits) else ""
    number = f"{of}{counted(total, 'suggestion')}" if total else "No suggestions"
    return {"text": text, "hits": hits, "total": total, "said": f"{number} for “{text}”" if text.strip() else ""}


def why_nothing(client: Client | None) -> Note:
    """Return the advice for a text without suggestions: the names that are known here, and the line that loads more."""
    context = request_context(client)
    if context.replayed:
        return Note("A cassette is being replayed, so only the names on it are known.")
    if context.source == known_names.EMBEDDED:
        line = f'{"sp.connect" if context.is_default else "client = sp.Client"}(api_key="test")'
        return Note("Only made-up suburbs are known here, and none is called that. Nine real suburbs are free:", line)
    if known_names.gazetteer_of(context).complete:
        return Note("The list of names that is loaded has no suburb like that. Check the spelling.")
    line = known_names.line_that_loads(context)
    return Note("Few suburbs are known here. Load the ABS's list of names, free at abs.gov.au:", line)
