"""Says why a request sends nothing, or why its rest was not asked for, and how to go on.

Making the calls is left to loop, what follows from a single call to decisions, and how much of a request arrived and
what it cost in all to loaders.outcome.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from suburb_pandas import errors
from suburb_pandas.client.context import RequestContext
from suburb_pandas.messages import counted, joined, listed
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Call, Item
from suburb_pandas.settings import RERUN, is_rerun
from suburb_pandas.store.reservations import OverBudgetError


def not_stored(quote: Quote, option: str, retrieved: str) -> errors.NotStored:
    """Return the error of a request that may not buy, although responses are not stored.

    ``option`` is the option that forbids buying, and ``retrieved`` says when a response must have been retrieved.
    """
    return errors.NotStored(
        f"The store has no {missing(quote)}{retrieved}, and {option} buys nothing. Nothing was sent; "
        f"without {option}, the missing responses cost {quote.cost}.",
        quote=quote,
    )


def why_nothing_is_sent(context: RequestContext, quote: Quote) -> errors.SuburbError | None:
    """Return the error if nothing may be sent, whatever it costs; otherwise None."""
    if is_rerun() and context.settings.base_url is not None:
        return errors.NotStored(
            f"The store has no {missing(quote)}, and {RERUN} is set, so nothing is asked of the service. "
            "Nothing was sent. To load what is missing, put the code into the block of a cassette that holds it, or "
            f"run it without {RERUN}, which costs {quote.cost}.",
            quote=quote,
        )
    if context.would_mix:
        return errors.SettingsError(
            f"The cassette holds responses of the real service, but no {missing(quote)}, and without an API key only "
            "the sandbox of made-up suburbs could answer. Nothing was sent; connect with a key: "
            "sp.connect(api_key=...)",
        )
    return _would_print_key(context)


def _would_print_key(context: RequestContext) -> errors.SettingsError | None:
    """Return the error if Python would print the API key with the headers of a call, otherwise None."""
    if context.secret is None:
        return None
    from suburb_pandas.http.wire import level_that_prints_headers  # noqa: PLC0415 - needed by calls only

    level = level_that_prints_headers()
    if level is None:
        return None
    return errors.SettingsError(
        f"Nothing was sent, because {level} is set and would print the API key: set it to 0, and try again.",
    )


def over_cap(quote: Quote, max_cents: int | None) -> errors.SuburbError | None:
    """Return the error if a request costs more than its cap, or if no limit is set and ``CI`` is; otherwise None.

    The cap is ``max_cents``; if that is None, it is the client's own.
    """
    limits, cost = quote.limits, f"This request would cost {counted(quote.cents, 'cent')} ({quote.summary})"
    what, how = f"its cap of {counted(limits.cap, 'cent')}", f"run {limits.line}"
    if max_cents is not None:
        limits = replace(limits, cap=max_cents, is_unattended=False)
        what = f"the {counted(max_cents, 'cent')} that max_cents= allows in this call"
        how = f"pass {quote.argument}"
    if limits.is_over_cap:
        return errors.CapExceeded(
            f"{cost}, more than {what}; the month's budget is {counted(limits.budget, 'cent')}, of which "
            f"{limits.used}. Nothing was sent; to go on, {how}",
            quote=quote,
        )
    if limits.is_unattended and quote.cents:
        return errors.SettingsError(
            f"{cost}, and where the environment variable CI is set, nothing is bought until you set a limit. Nothing "
            f"was sent; to allow it, run {limits.line}",
            quote=quote,
        )
    return None


def over_budget(quote: Quote, excess: OverBudgetError) -> errors.BudgetExceeded:
    """Return the error for claims that exceed the budget. Part of the request may be stored by now."""
    limits = replace(quote.limits, spent=excess.spent, held=excess.held, cents=excess.cents, dated=excess.last)
    cost = counted(excess.cents, "cent")
    is_all = excess.cents == quote.cents
    what = f"This request costs {cost} ({quote.summary})" if is_all else f"The rest of this request costs {cost}"
    return errors.BudgetExceeded(
        f"{what}, and the month's budget is {counted(limits.budget, 'cent')}, of which {limits.used}; the cap of a "
        f"request is {counted(limits.cap, 'cent')}. Nothing was sent; to go on, run {limits.line}",
        quote=replace(quote, limits=limits),
    )


def lost(item: Item) -> errors.Unreachable:
    """Return the error for an item whose call another request has sent, without a response so far."""
    return errors.Unreachable(
        f"Another request asked for {item.area_name!r}, and no response has arrived. The ledger shows what that call "
        "cost, or may have cost. Try again, which may charge a second time.",
    )


def not_asked(item: Item, reason: str) -> errors.Unreachable:
    """Return the error for an item that was not asked for."""
    return errors.Unreachable(
        f"{item.area_name!r} was not asked for, because {reason}. This suburb cost nothing. Try again later, "
        "for the rest.",
    )


def unwritten(context: RequestContext, calls: Sequence[Call], problem: errors.StoreError) -> errors.StoreError:
    """Return the error for calls whose ends could not be written."""
    cents = sum(call.cents for call in calls)
    what = f"The calls for {listed(call.item.area_name for call in calls)} had ended ({counted(cents, 'cent')})"
    if context.client.closed and not context.store.path.exists():
        return errors.StoreError(
            f"The client was closed, and its store cannot be found. {what}, and could not be written; what arrived is "
            "in .frame. Connect and try again, which may charge a second time.",
            cents=cents,
        )
    return errors.StoreError(
        f"{what}, and could not be written: {problem.__cause__ or problem}. What arrived is in .frame, and "
        f"this Python session records it in {context.store.path} as soon as it can. Repair the store where it is, and "
        "try again in this session: what is recorded is not bought twice.",
        cents=cents,
    )


def price_of(quote: Quote, call: Call) -> str:
    """Say what was wrong with the price of a call."""
    cost, name = counted(call.cents, "cent"), call.item.area_name
    if call.price_header is not None:
        return (
            f"The service sent a price for {name!r} that cannot be read or believed (X-Cost-Cents: "
            f"{call.price_header!r}); the ledger lists the call as unknown, at {cost}, although it may have cost more."
        )
    verb = "charged" if call.outcome == "billed" else "may have charged"
    quoted = quote.prices[call.item.endpoint]
    return f"The service {verb} {cost} for {name!r}, although {counted(quoted, 'cent')} had been quoted."


def mispriced(quote: Quote, call: Call, calls: Sequence[Call], not_ended: Collection[Item]) -> errors.SuburbError:
    """Return the error for a request that was stopped because of the price of a call."""
    message = f"{price_of(quote, call)} The request was stopped."
    cents = sum(each.cents for each in calls)
    if call.price_header is not None:
        message += " Compare this with your account with the service, and try again to go on."
        return errors.ContractViolation(message, path="X-Cost-Cents", quote=quote, cents=cents)
    prices = {**quote.prices, call.item.endpoint: call.cents}
    rest = sum(prices[item.endpoint] for item in not_ended)
    limits = replace(quote.limits, spent=quote.limits.spent + cents, cents=rest)
    how = "to go on, try again." if limits.allow else f"before you try again, run {limits.line}"
    message += (
        f" At the price charged for {call.item.area_name!r}, the {counted(len(not_ended), 'call')} left would cost "
        f"{rest} cents; {how}"
    )
    return errors.CapExceeded(message, quote=quote, cents=cents)


def after_calls(error: errors.SuburbError) -> None:
    """Say that nothing more was sent, in an error of a request that has sent something.

    The store and the client, which raise such errors, do not know what the request has sent.
    """
    error.args = (str(error).replace("Nothing was sent", "Nothing more was sent"),)


def missing(quote: Quote) -> str:
    """Return the responses that a quote would buy, as part of a sentence, such as ``rents of 'Quokka Bay'``."""
    names: dict[str, list[str]] = {}
    for item in quote.to_buy:
        names.setdefault(item.endpoint, []).append(item.area_name)
    return joined(f"{ENDPOINTS[endpoint].noun} of {listed(asked)}" for endpoint, asked in names.items())
