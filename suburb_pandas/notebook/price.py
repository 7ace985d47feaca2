"""Writes the labels, the limits and the earlier charges that are shown before a press.

Working out the price is left to purchasing.quote, selling at it to priced_button, and showing it to controls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from suburb_pandas.client.client import Client
from suburb_pandas.errors import InvalidName
from suburb_pandas.loaders import ledger
from suburb_pandas.messages import counted, joined
from suburb_pandas.notebook import advice
from suburb_pandas.notebook.advice import Note
from suburb_pandas.notebook.html import quoted
from suburb_pandas.notebook.priced_button import Offer
from suburb_pandas.purchasing.quote import Limits, Quote

_LOOK_UP: Final = "geocode"


class Terms(NamedTuple):
    """The label of a button, its offer (None if it cannot be pressed), and the notes beside the price."""

    label: str
    offer: Offer | None = None
    notes: tuple[Note, ...] = ()


def to_load(endpoint: str, names: Sequence[str], client: Client | None) -> Terms:
    """Return the terms of loading suburbs."""
    if not names:
        return Terms("Load")
    quote = _quote((endpoint, *names), client)
    why_not = advice.why_not(names, client=client)
    if not quote.calls and not quote.stored:
        return Terms("Load", notes=tuple(why_not))
    charges = [_may_have_been_charged(quote)] if quote.unknown else []
    return _terms(f"Load: {_calls_and_price(quote)}", (endpoint, *names), quote, [*why_not, *charges])


def to_look_up(text: str, client: Client | None) -> Terms:
    """Return the terms of looking up a text."""
    try:
        quote = _quote((_LOOK_UP, text), client)
    except InvalidName:  # a text that cannot be looked up, such as an empty one
        return Terms("Look up")
    charges = [
        Note(f"An earlier look-up of {quoted(text)} may have cost {counted(cents, 'cent')}: its outcome is not known.")
        for cents in quote.uncertain.values()
    ]
    return _terms(f"Look up {quoted(text)} ({_price(quote)})", (_LOOK_UP, text), quote, charges)


def not_known(verb: str) -> Terms:
    """Return the terms where the price could not be worked out: nothing can be bought."""
    note = Note("The price is not known, so nothing can be bought.", kind="unpriced")
    return Terms(f"{verb}: price not known", notes=(note,))


def is_valid(offer: Offer, client: Client | None) -> bool:
    """Return True if a request costs no more than its offer, no limit forbids it, and no uncertain charge is new."""
    quote = _quote(offer.subject, client)
    is_allowed = not quote.cents or quote.limits.allow
    return is_allowed and quote.cents <= offer.cents and set(quote.unknown) <= set(offer.unknown)


def _quote(subject: tuple[str, ...], client: Client | None) -> Quote:
    endpoint, *suburbs = subject
    return ledger.quote(suburbs, endpoint, client=client)


def _terms(label: str, subject: tuple[str, ...], quote: Quote, notes: Sequence[Note]) -> Terms:
    """Return the terms of a request. If a limit forbids it, they have no offer."""
    if not quote.cents:
        return Terms(label, Offer(subject, 0, quote.unknown), tuple(notes))
    limits = quote.limits
    if limits.allow:
        text = f"Limits: {limits.cap} cents a request; {limits.budget} a month, of which {limits.used}."
        return Terms(label, Offer(subject, quote.cents, quote.unknown), (*notes, Note(text, kind="limits")))
    return Terms(label, None, (*notes, _over(limits)))


def _over(limits: Limits) -> Note:
    """Return the sentence that names each limit that forbids a request, with the line that raises it."""
    reasons = [f"This costs {counted(limits.cents, 'cent')}"]
    if limits.is_over_cap:
        reasons.append(f"a request may cost at most {limits.cap} (the cap)")
    if limits.is_over_budget:
        reasons.append(f"a month may cost at most {limits.budget} (the budget), of which {limits.used}")
    if limits.is_unattended:
        reasons = ["The environment variable CI is set, so nothing can be bought until you set a limit"]
    return Note(f"{', and '.join(reasons)}. To allow it, run this line in a cell:", limits.line, "over")


def _may_have_been_charged(quote: Quote) -> Note:
    """Return the warning that the outcome of earlier calls for these suburbs is not known."""
    charges = {*quote.uncertain.values()}
    each = "" if len(quote.unknown) == 1 else " each" if len(charges) == 1 else " in all"
    cents = counted(sum(quote.uncertain.values()) if each == " in all" else max(charges), "cent")
    earlier, its = ("An earlier call", "its outcome is") if not each else ("Earlier calls", "their outcomes are")
    return Note(
        f"{earlier} for {joined(quote.unknown)} may have cost {cents}{each}: {its} not known. Loading may charge a "
        "second time."
    )


def _price(quote: Quote) -> str:
    """Return the price of a request, such as ``60 cents``, or say that it is free."""
    if quote.cents:
        return counted(quote.cents, "cent")
    return "free" if quote.calls else "stored, free"


def _calls_and_price(quote: Quote) -> str:
    """Return the number of calls of a request, if it makes any, and its price."""
    return f"{counted(quote.calls, 'call')}, {_price(quote)}" if quote.calls else _price(quote)
