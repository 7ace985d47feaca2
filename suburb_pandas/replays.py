"""A request while a cassette is replayed: what that holds, and for the rest an error that says how to record it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from . import errors, hints, statuses
from .calls import GEOCODE, Item
from .cassette_yaml import Recorded
from .cassettes import Cassette
from .client import Client
from .gazetteer import Gazetteer, Place
from .messages import counted, listed
from .purchase import Haul
from .quotes import Quote

_NEAREST = 3


def replayed(client: Client, cassette: Cassette, quote: Quote) -> Haul:
    """Give what a cassette holds of a request, and an error for what it does not. Nothing is sent."""
    haul = Haul(client.kept.read(quote.kept))
    refusals = {item: found for item in quote.to_buy if (found := cassette.refusal(item))}
    haul.failures |= {item: _refused(found) for item, found in refusals.items()}
    missing = [item for item in quote.to_buy if item not in refusals]
    if missing:
        haul.stopped = _not_there(cassette, quote, missing)
    return haul


def _refused(call: Recorded) -> errors.SuburbError:
    """Give the error for what was answered when it was recorded. This time it cost nothing."""
    response = call.response
    return statuses.error(
        call.status,
        response.headers,
        name=call.item.subject,
        key_is_test=response.source == "sandbox",
        outcome="not_billed",
        cents=0,
        said=statuses.excerpt(response.body),
    )


def _not_there(cassette: Cassette, quote: Quote, missing: Sequence[Item]) -> errors.NotStored:
    asked = Counter(item.endpoint for item in missing)
    what = " and ".join(
        f"{_OF[endpoint]} of {listed(dict.fromkeys(item.subject for item in missing if item.endpoint == endpoint))}"
        for endpoint in asked
    )
    cost = f"at most {counted(quote.cents, 'cent')} ({quote.summary})" if quote.cents else "nothing"
    return errors.NotStored(
        f"The cassette {cassette.path} is replayed, and has no {what}. {_held(cassette, missing)} Nothing was sent. To "
        f"record it, run the same with record='new_episodes': what is stored is free, and the rest costs {cost}.",
        quote=quote,
    )


_OF = {"rent": "rents", "impacts": "impacts", GEOCODE: "look-up"}


def _held(cassette: Cassette, missing: Sequence[Item]) -> str:
    """Say what a cassette holds of the same kind, what is nearest first."""
    held = {endpoint: cassette.names(endpoint) for endpoint in dict.fromkeys(item.endpoint for item in missing)}
    said = []
    for endpoint, found in held.items():
        places = Gazetteer(Place(name) for name in found)
        near = [name for item in missing if item.endpoint == endpoint for name in hints.suggested(places, item.subject)]
        said.append(f"{_OF[endpoint]} of {listed(dict.fromkeys([*near, *found]))}" if found else f"no {_OF[endpoint]}")
    return f"It holds {' and '.join(said)}."
