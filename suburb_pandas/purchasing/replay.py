"""Finds the refusals of a request on a replayed cassette, and explains how to record the responses that it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from suburb_pandas import errors
from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.messages import listed
from suburb_pandas.purchasing.loop import PurchaseResult
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item
from suburb_pandas.service.reading import refusal
from suburb_pandas.settings import RERUN, is_rerun


def replay(cassette: Cassette, quote: Quote, by: str | None = None) -> PurchaseResult:
    """Return the recorded refusals of a quote's calls, and an error if the cassette lacks others. Nothing is sent."""
    result = PurchaseResult()
    refusals = {item: found for item in quote.to_buy if (found := cassette.refusal(item))}
    result.failures |= {item: refusal(item, found) for item, found in refusals.items()}
    missing = [item for item in quote.to_buy if item not in refusals]
    if missing:
        result.stopped = _not_recorded(cassette, quote, missing, by)
    return result


def _not_recorded(cassette: Cassette, quote: Quote, missing: Sequence[Item], by: str | None) -> errors.NotStored:
    names: dict[str, list[str]] = {}
    for item in missing:
        names.setdefault(item.endpoint, []).append(item.area_name)
    what = " and ".join(f"{ENDPOINTS[endpoint].noun} of {listed(asked)}" for endpoint, asked in names.items())
    if by is not None:
        when = by[:16].replace("T", " ")
        return errors.NotStored(
            f"The cassette {cassette.path} is replayed, and has no {what} retrieved by {when} UTC. Nothing was sent; "
            "to use the responses that it has, leave out retrieved_by.",
            quote=quote,
        )
    how = f"without {RERUN} and with record='new_episodes'" if is_rerun() else "with record='new_episodes'"
    return errors.NotStored(
        f"The cassette {cassette.path} is replayed, and has no {what}; {_contents(cassette, names)}. Nothing was sent. "
        f"To record what is missing, run the same code {how}: stored responses are free, and the others cost "
        f"{quote.cost}.",
        quote=quote,
    )


def _contents(cassette: Cassette, endpoints: Iterable[str]) -> str:
    """Return a clause that lists the names on a cassette for these endpoints."""
    contents = []
    for endpoint in endpoints:
        found, noun = sorted(cassette.asked(endpoint)), ENDPOINTS[endpoint].noun
        contents.append(f"{noun} of {listed(found)}" if found else f"no {noun}")
    return f"it holds {' and '.join(contents)}"
