"""Says why the rest of a request was not asked for, what its calls cost, and how to go on.

What follows from a single call is left to decisions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from suburb_pandas import errors
from suburb_pandas.client.context import RequestContext
from suburb_pandas.messages import counted, listed, sentences
from suburb_pandas.purchasing.decisions import Ended
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service.calls import Call, Item
from suburb_pandas.store.reservations import OverBudgetError

LOST = "another request was buying it, and lost the response"
"""Why an item has no response, if another request made its call and the outcome is unknown."""


def spent(calls: Sequence[Call]) -> str:
    """Say how many calls of a request were billed, and what they cost, as part of a sentence."""
    parts = []
    for outcome, how in (("billed", "billed, for"), ("unknown", "of unknown outcome, listed in the ledger at")):
        charges = [call.cents for call in calls if call.outcome == outcome and call.cents]
        if charges:
            were = "was" if len(charges) == 1 else "were"
            parts.append(f"{counted(len(charges), 'call')} {were} {how} {counted(sum(charges), 'cent')}")
    return ", and ".join(parts) or "nothing was billed"


def over_budget(quote: Quote, over: OverBudgetError, calls: Sequence[Call]) -> errors.BudgetExceeded:
    """Return the error for claims that exceed the budget. Part of the request may be stored by now."""
    limits = replace(quote.limits, spent=over.spent, held=over.held, cents=over.cents, dated=over.last)
    sent = "Nothing more was sent" if calls else "Nothing was sent"
    return errors.BudgetExceeded(
        f"This request costs {counted(over.cents, 'cent')} ({quote.summary}), and the month's budget is "
        f"{counted(limits.budget, 'cent')}, of which {limits.used}; the cap of a request is "
        f"{counted(limits.cap, 'cent')}. {sent}; to go on, {limits.advice}",
        quote=replace(quote, limits=limits),
    )


def lost(item: Item) -> errors.Unreachable:
    """Return the error for an item that another request was buying."""
    return errors.Unreachable(
        f"Another request was buying {item.area_name!r}, and its response was lost. That call was sent, and its "
        "outcome is unknown; the ledger shows what it may have cost. Run the same line again to try once more, which "
        "may charge a second time.",
        why=LOST,
    )


def not_asked(item: Item, reason: str, calls: Sequence[Call]) -> errors.Unreachable:
    """Return the error for an item that was not asked for."""
    because = f"{reason}; {spent(calls)}"
    return errors.Unreachable(
        f"{item.area_name!r} was not asked for, because {because}. This suburb cost nothing. Run the same line again "
        "later; it goes on with the rest.",
        why=f"not asked for, because {reason}" if reason else "not asked for",
    )


def unwritten(context: RequestContext, ended: Sequence[Ended], problem: errors.StoreError) -> errors.SuburbError:
    """Return the error for calls whose ends could not be written."""
    cents = sum(each.call.cents for each in ended)
    calls = f"The calls for {listed(each.call.item.area_name for each in ended)} had ended ({counted(cents, 'cent')})"
    if context.client.closed:
        return errors.SettingsError(
            f"The client was closed, and its store with it. {calls}; what arrived is only in the frame of this error "
            "(.frame), and the ledger lists them as unknown. Connect again, and run the same line again, which may "
            "charge a second time.",
            cents=cents,
            why="the client was closed",
        )
    return errors.StoreError(
        f"{sentences(str(problem))[0]} {calls}, and could not be written; what arrived is in .frame, and this Python "
        "session records it in the store as soon as it can. Repair the store where it is, and run the same line again "
        "in this session: what arrived is not bought twice.",
        cents=cents,
        why=problem.why,
    )


def price_of(quote: Quote, ended: Ended) -> str:
    """Say what was wrong with the price of a call."""
    call = ended.call
    cost, name = counted(call.cents, "cent"), call.item.area_name
    if call.price_header is not None:
        return (
            f"The service sent a price for {name!r} that cannot be read or believed (X-Cost-Cents: "
            f"{call.price_header!r}); the ledger lists the call as unknown, at {cost}, although it may have cost more."
        )
    verb = "charged" if call.outcome == "billed" else "may have charged"
    quoted = quote.prices[call.item.endpoint]
    return f"The service {verb} {cost} for {name!r}, although {counted(quoted, 'cent')} had been quoted."


def mispriced(quote: Quote, ended: Ended, calls: Sequence[Call], left: Collection[Item]) -> errors.SuburbError:
    """Return the error for a request that was stopped because of the price of a call."""
    message = f"{price_of(quote, ended)} The request was stopped; {spent(calls)}."
    cents = sum(call.cents for call in calls)
    if ended.call.price_header is not None:
        message += " Compare this with your account with the service, and run the same line again to go on."
        return errors.ContractViolation(message, path="X-Cost-Cents", quote=quote, cents=cents)
    prices = {**quote.prices, ended.call.item.endpoint: ended.call.cents}
    rest = sum(prices[item.endpoint] for item in left)
    limits = replace(quote.limits, spent=quote.limits.spent + cents, cents=rest)
    again = "run the same line again"
    how = f"to go on, {again}." if limits.allow else f"before you {again}, {limits.advice}"
    message += (
        f" At the price charged for {ended.call.item.area_name!r}, the {counted(len(left), 'call')} left would cost "
        f"{rest} cents; {how}"
    )
    return errors.CapExceeded(message, quote=quote, cents=cents)
