"""Explains why the suburb picker finds no suburb, or no data for one, and gives the next step for each source.

The sentences are for the reader of the page. The errors of requests are left to sentences, and the names that are known
on this machine to client.known_names. Nothing here is recorded on a cassette.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.did_you_mean import suggested
from suburb_pandas.client.known_names import EMBEDDED
from suburb_pandas.client.session import request_context
from suburb_pandas.messages import counted, joined
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.notebook.html import quoted
from suburb_pandas.purchasing.quote import price
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.geocode import GEOCODE
from suburb_pandas.service.sources import EMBEDDED_TEST_SUBURBS, SANDBOX_SUBURBS

_SANDBOX: Final = "sandbox"
_MOST_NAMED: Final = 3
_NINE: Final = joined(SANDBOX_SUBURBS)
_ELSEWHERE: Final = "To use other suburbs, run the picker outside the `with sp.cassette(...)` block."


class Note(NamedTuple):
    """One sentence for the page, and the line of code after it, if any.

    ``kind`` is ``limits`` for the limits in force, ``over`` for a limit that would be exceeded, ``unpriced`` for an
    unknown price, otherwise ``warning``.
    """

    text: str
    code: str = ""
    kind: str = "warning"


_OWN_KEY: Final = Note(
    "With your own key you can load every suburb: set it in the environment as SUBURB_API_KEY, never in a notebook."
)


def why_nothing(text: str, client: Client | None = None) -> list[Note]:
    """Return the reason why no suburb is suggested for a typed text, and the next step; nothing for an empty text."""
    text, context = " ".join(text.split()), request_context(client)
    if not text:
        return []
    if context.replayed:
        return [Note("A cassette is being replayed, so only the names on it are known."), Note(_ELSEWHERE)]
    if context.source == EMBEDDED:
        return [_made_up(context), _nine_are_free(context), _own_key_and_list(context)]
    gazetteer = known_names.gazetteer_of(context)
    unlike = _unlike(context, gazetteer, text)
    if context.source == _SANDBOX:
        nine = Note(f"The key \u201ctest\u201d covers nine suburbs only: {_NINE}.")
        return [*([unlike] if context.name_lists() else []), nine, _own_key_and_list(context)]
    return [unlike, *([] if gazetteer.complete else [_list(context)]), *_look_up(context, text)]


def why_not(names: Sequence[str], client: Client | None = None) -> list[Note]:
    """Return the reason why some chosen suburbs have no data, and the next step; nothing if all can be loaded."""
    context = request_context(client)
    if context.replayed is not None:
        recorded = {name for endpoint in ENDPOINTS for name in context.replayed.asked(endpoint)}
        missing = [name for name in names if name not in recorded]
        return [Note(f"The cassette has no data for {_some(missing)}."), Note(_ELSEWHERE)] if missing else []
    gazetteer = known_names.gazetteer_of(context)
    absent = [name for name in names if name not in gazetteer and gazetteer.knows_all(sal.base_of(name))]
    if context.source == EMBEDDED:
        return [_not_made_up(gazetteer, absent), _nine_are_free(context, absent), _OWN_KEY] if absent else []
    found = [_no_such(gazetteer, absent)] if absent else []
    if context.source == _SANDBOX:
        found += _beyond_the_nine(gazetteer, [name for name in names if name not in absent])
    return found


def _made_up(context: RequestContext) -> Note:
    why = "This is the embedded sandbox" if context.settings.was_given("api_key") else "There is no API key"
    return Note(f"{why}, so only made-up suburbs are known, such as Quokka Bay.")


def _nine_are_free(context: RequestContext, wanted: Sequence[str] = ()) -> Note:
    """Return the advice to use the key ``test``. It names all nine suburbs, or only the wanted ones among them."""
    code = 'sp.connect(api_key="test")' if context.is_default else 'client = sp.Client(api_key="test")'
    free = [name for name in wanted if name in SANDBOX_SUBURBS]
    if free:
        return Note(f"Nine real suburbs, {joined(free)} among them, are free with the key \u201ctest\u201d.", code)
    return Note(f"Nine real suburbs are free with the key \u201ctest\u201d: {_NINE}.", code)


def _own_key_and_list(context: RequestContext) -> Note:
    own_key = "For all suburbs, set your own key in the environment as SUBURB_API_KEY, never in a notebook"
    if context.source != EMBEDDED and context.name_lists():
        return Note(f"{own_key}.")
    return Note(f"{own_key}; then load the ABS's list of names, free at abs.gov.au.", _line_for_the_list(context))


def _list(context: RequestContext) -> Note:
    line = _line_for_the_list(context)
    return Note("Load the ABS's list of names, free at abs.gov.au, so that every suburb is suggested.", line)


def _line_for_the_list(context: RequestContext) -> str:
    return f'sp.load_gazetteer("SAL_2021_AUST.xlsx"{"" if context.is_default else ", client=client"})'


def _look_up(context: RequestContext, text: str) -> list[Note]:
    if not sal.is_name(text):
        return []
    cents = price(context, GEOCODE)
    cost = f" for {counted(cents, 'cent')}" if cents else ", free"
    return [Note(f"The button Look up asks the service about {quoted(text)}{cost}.")]


def _unlike(context: RequestContext, gazetteer: Gazetteer, text: str) -> Note:
    """Return the sentence that says that no known name is like a text, with the number of known names."""
    if gazetteer.complete:
        return Note(f"{_the_list(gazetteer)} has no suburb like {quoted(text)}; check the spelling.")
    number = f"{len(gazetteer):,} {'name' if len(gazetteer) == 1 else 'names'}"
    if context.name_lists():
        known, like = ("is", "it is not") if len(gazetteer) == 1 else ("are", "none is")
        return Note(f"Only {number} {known} known here, and {like} like {quoted(text)}.")
    known = f"only {number} {'is' if len(gazetteer) == 1 else 'are'}" if len(gazetteer) else "no names are"
    return Note(f"No list of suburb names is loaded, so {known} known here.")


def _not_made_up(gazetteer: Gazetteer, absent: Sequence[str]) -> Note:
    verb = "is not one of" if len(absent) == 1 else "are not among"
    end = _did_you_mean(gazetteer, absent) or ", and no others can be loaded here."
    return Note(f"{_some(absent)} {verb} the made-up suburbs{end}")


def _no_such(gazetteer: Gazetteer, absent: Sequence[str]) -> Note:
    end = _did_you_mean(gazetteer, absent) or "; check the spelling."
    return Note(f"{_the_list(gazetteer)} has no suburb called {_some(absent, 'or')}{end}")


def _the_list(gazetteer: Gazetteer) -> str:
    return f"{gazetteer.said_by[0].upper()}{gazetteer.said_by[1:]}"


def _did_you_mean(gazetteer: Gazetteer, absent: Sequence[str]) -> str:
    """Return the end of a sentence that asks whether similar names are meant; empty if there are none."""
    similar = [name for wrong in absent[:_MOST_NAMED] for name in suggested(gazetteer, wrong)]
    shown = list(dict.fromkeys(similar))[:_MOST_NAMED]
    return f"; did you mean {joined(shown, 'or')}?" if shown else ""


def _beyond_the_nine(gazetteer: Gazetteer, names: Sequence[str]) -> list[Note]:
    """Return the note on the suburbs that the key ``test`` does not cover, on the live service or a made-up one."""
    known = {place.area_name for place in map(gazetteer.get, names) if place and place.origin == "response"}
    beyond = [name for name in names if name not in {*SANDBOX_SUBURBS, *EMBEDDED_TEST_SUBURBS, *known}]
    if not beyond:
        return []
    return [
        Note(f"The key \u201ctest\u201d does not cover {_some(beyond, 'or')}; it covers nine suburbs: {_NINE}."),
        _OWN_KEY,
    ]


def _some(names: Sequence[str], conjunction: str = "and") -> str:
    return joined(names, conjunction, most=_MOST_NAMED)
