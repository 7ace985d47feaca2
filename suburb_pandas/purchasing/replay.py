"""A request while a cassette is replayed: for what that does not hold, an error that says how to record it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from suburb_pandas import errors
from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.client import did_you_mean
from suburb_pandas.messages import counted, listed
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.purchasing.purchase import PurchaseResult
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.redaction import line
from suburb_pandas.service import statuses
from suburb_pandas.service.calls import GEOCODE, Item, RecordedInteraction

_WORDS: Final = {"rent": "rents", "impacts": "impacts", GEOCODE: "look-ups"}


def replayed(cassette: Cassette, quote: Quote, by: str | None = None) -> PurchaseResult:
    """Give the refusals that a cassette holds, and an error for what it does not hold. Nothing is sent."""
    result = PurchaseResult()
    refusals = {item: found for item in quote.to_buy if (found := cassette.refusal(item))}
    result.failures |= {item: _refused(found) for item, found in refusals.items()}
    missing = [item for item in quote.to_buy if item not in refusals]
    if missing:
        result.stopped = _not_there(cassette, quote, missing, by)
    return result


def _refused(call: RecordedInteraction) -> errors.SuburbError:
    """Give the error for what was answered when it was recorded. This time it cost nothing."""
    response = call.response
    return statuses.error(
        call.status,
        response.headers,
        name=call.item.subject,
        key_is_test=response.source == "sandbox",
        outcome="not_billed",
        cents=0,
        said=line(response.body.decode("utf-8", "replace"), None),
    )


def _not_there(cassette: Cassette, quote: Quote, missing: Sequence[Item], by: str | None) -> errors.NotStored:
    subjects: dict[str, list[str]] = {}
    for item in missing:
        subjects.setdefault(item.endpoint, []).append(item.subject)
    what = " and ".join(f"{_WORDS[endpoint]} of {listed(asked)}" for endpoint, asked in subjects.items())
    if by is not None:
        when = by[:16].replace("T", " ")
        return errors.NotStored(
            f"The cassette {cassette.path} is replayed, and has no {what} that had come by {when} UTC. Nothing was "
            "sent; without retrieved_by it gives what it has.",
            quote=quote,
        )
    cost = f"at most {counted(quote.cents, 'cent')} ({quote.summary})" if quote.cents else "nothing"
    return errors.NotStored(
        f"The cassette {cassette.path} is replayed, and has no {what}. {_held(cassette, subjects)} Nothing was sent. "
        f"To record it, run the same with record='new_episodes': what is stored is free, and the rest costs {cost}.",
        quote=quote,
    )


def _held(cassette: Cassette, subjects: Mapping[str, Sequence[str]]) -> str:
    """Say what a cassette holds of the same kinds, what is nearest to what was asked first."""
    said = []
    for endpoint, asked in subjects.items():
        found = cassette.names(endpoint)
        gazetteer = Gazetteer(map(Place, found))
        near = [
            name for one in asked[: did_you_mean.MOST_SUGGESTED_FOR] for name in did_you_mean.suggested(gazetteer, one)
        ]
        held = listed(dict.fromkeys([*near, *found]))
        said.append(f"{_WORDS[endpoint]} of {held}" if found else f"no {_WORDS[endpoint]}")
    return f"It holds {' and '.join(said)}."
