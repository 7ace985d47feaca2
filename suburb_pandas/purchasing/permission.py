"""Decides whether a request may make its calls, and says why not: in replay, nothing is sent. It makes none itself.

Making the calls is left to purchase.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from suburb_pandas import errors
from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.client.context import RequestContext
from suburb_pandas.messages import counted, listed
from suburb_pandas.purchasing.loop import PurchaseResult
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service import ENDPOINTS, reading
from suburb_pandas.service.calls import Item
from suburb_pandas.settings import RERUN, is_rerun


def not_stored(quote: Quote, option: str, retrieved: str = "") -> errors.NotStored | None:
    """Return the error of a request that may not buy, if a response is not stored; otherwise None.

    ``option`` is the option that forbids buying, and ``retrieved`` says when a response must have been retrieved.
    """
    if not quote.to_buy:
        return None
    return errors.NotStored(
        f"The store has no response{retrieved} for {_missing(quote)}, and {option} buys nothing. Nothing was sent; "
        f"without {option}, the missing responses cost {quote.cost}.",
        quote=quote,
    )


def refusal(context: RequestContext, quote: Quote, max_cents: int | None) -> errors.SuburbError | None:
    """Return the error if nothing may be sent, otherwise None. The budget is checked later, by the store."""
    if not quote.to_buy:
        return None
    if is_rerun() and context.settings.base_url is not None:
        return errors.NotStored(
            f"The store has no response for {_missing(quote)}, and {RERUN} is set, so nothing is asked of the service. "
            "Nothing was sent. To load what is missing, put the code into the block of a cassette that holds it, or "
            f"run it without {RERUN}, which costs {quote.cost}.",
            quote=quote,
        )
    if (printed := _would_print_key(context)) is not None:
        return printed
    if context.would_mix:
        names = listed(item.area_name for item in quote.to_buy)
        return errors.SettingsError(
            f"The cassette holds responses of the real service, but none about {names}, and without an API key only "
            "the sandbox of made-up suburbs could answer. Nothing was sent; connect with a key: "
            "sp.connect(api_key=...)",
            why="the cassette holds responses of the real service, and there is no key to ask it for others",
        )
    return _over_a_limit(quote, max_cents) if quote.cents else None


def _over_a_limit(quote: Quote, max_cents: int | None) -> errors.SuburbError | None:
    """Return the error if a request costs more than its cap, or may cost nothing before a limit is set."""
    limits, cost = quote.limits, f"This request would cost {counted(quote.cents, 'cent')} ({quote.summary})"
    cap = limits.cap if max_cents is None else max_cents
    if quote.cents > cap:
        which = (
            f"its cap of {counted(cap, 'cent')}"
            if max_cents is None
            else f"the {counted(cap, 'cent')} that max_cents= allows in this call"
        )
        return errors.CapExceeded(
            f"{cost}, more than {which}; the month's budget is {counted(limits.budget, 'cent')}, of which "
            f"{limits.used}. Nothing was sent; to go on, {_beyond_the_cap(quote, max_cents)}",
            quote=quote,
        )
    if limits.is_unattended and max_cents is None:
        return errors.SettingsError(
            f"{cost}, and where the environment variable CI is set, nothing is bought until you set a limit. Nothing "
            f"was sent; to allow it, {limits.advice}",
            quote=quote,
        )
    return None


def _beyond_the_cap(quote: Quote, max_cents: int | None) -> str:
    """Say how to go on after the cap has stopped a request: the client's cap, or ``max_cents`` given in the call."""
    if max_cents is None:
        return quote.limits.advice
    own = f"pass {quote.argument}"
    return own if quote.limits.allow else f"leave max_cents= out of the call, and {quote.limits.advice}"


def _missing(quote: Quote) -> str:
    """Return the number and the names of the suburbs or look-ups of a quote's calls, as part of a sentence."""
    names = dict.fromkeys(item.area_name for item in quote.to_buy)
    what = "look-up" if all(ENDPOINTS[item.endpoint].takes_a_query for item in quote.to_buy) else "suburb"
    return f"{counted(len(names), what)} of this request ({listed(names)})"


def _would_print_key(context: RequestContext) -> errors.SettingsError | None:
    """Return the error if Python would print the API key with the headers of a call, otherwise None."""
    if context.secret is None:
        return None
    from suburb_pandas.http.wire import level_that_prints_headers  # noqa: PLC0415 - needed by calls only

    level = level_that_prints_headers()
    if level is None:
        return None
    return errors.SettingsError(
        f"Nothing was sent, because {level} is set and would print the API key: set it to 0, and run the same line "
        "again.",
        why=f"{level} would print the API key",
    )


def replay(cassette: Cassette, quote: Quote, by: str | None = None) -> PurchaseResult:
    """Return the recorded refusals of a quote's calls, and an error if the cassette lacks others. Nothing is sent."""
    refusals = {item: found for item in quote.to_buy if (found := cassette.refusal(item))}
    result = PurchaseResult(failures={item: reading.refusal(item, found) for item, found in refusals.items()})
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
