"""Decides whether a request may make its calls, and says why not. It makes none itself.

Making the calls is left to purchase, and replaying a cassette to replay.
"""

from __future__ import annotations

from suburb_pandas import errors
from suburb_pandas.client.context import RequestContext
from suburb_pandas.messages import counted, listed
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service import ENDPOINTS
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
