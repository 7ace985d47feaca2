"""Plans the look-ups of free texts: which queries the known names leave open, and what is asked about each.

Nothing here makes a call. Resolving queries is left to geocoding.resolve, and their quote to loaders.ledger.
"""

from __future__ import annotations

from collections.abc import Mapping

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.matching import Verdict, can_be_meant
from suburb_pandas.names.readings import Query, holds_an_address, plainest, without_council_kind
from suburb_pandas.service.calls import Item


def look_ups(context: RequestContext, gazetteer: Gazetteer, verdicts: Mapping[Query, Verdict]) -> dict[Query, Item]:
    """Return the look-up of each query that the known names leave open and that a look-up can settle.

    Different spellings of a query share a look-up. ``verdicts`` are those by the names of the gazetteer.
    """
    item_of: dict[known_names.Question, Item] = {}
    items: dict[Query, Item] = {}
    for query, found in verdicts.items():
        is_open = found.area_name is None and not gazetteer.knows_all_about(query.text)
        if is_open and can_be_meant(query):
            text, state = asked(query)
            item = known_names.look_up(context, text, state)
            items[query] = item_of.setdefault(known_names.question(text, state), item)
    return items


def asked(query: Query) -> tuple[str, str | None]:
    """Return the text and the state to look up: without a postcode, a street address or a region in brackets."""
    text, reading = plainest(query.text)
    if holds_an_address(query.text) or reading.regions:
        return text, query.state or reading.state
    return _without_postcode(without_council_kind(query.text)), query.state


def _without_postcode(text: str) -> str:
    """Drop the postcode at the end of a text, so that the look-up finds every suburb of that name to choose from."""
    rest, _, last = text.rpartition(" ")
    return rest.rstrip(" ,") if rest.strip(" ,") and len(last) == len("2000") and sal.postcode(last) else text
