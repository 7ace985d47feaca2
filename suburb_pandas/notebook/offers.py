"""Works out what the two buttons of the suburb picker offer, and the notes on prices that stand above them.

The price itself is left to purchasing.quote, and the press of a button to picker.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from suburb_pandas.client.client import Client
from suburb_pandas.errors import InvalidName
from suburb_pandas.loaders import ledger
from suburb_pandas.messages import counted, joined
from suburb_pandas.purchasing.quote import Limits, Quote
from suburb_pandas.service.geocode import GEOCODE

COPY: Final = '<button type="button" class="suburb-copy">Copy</button>'
"""A button that copies the text of the element before it."""

_CHECK: Final = '<button type="button" class="suburb-check">Check the price again</button>'
_LONGEST: Final = 40  # letters


class Note(NamedTuple):
    """A text for the page, and the line of code after it, if any.

    ``kind`` is ``limits`` for the limits in force, ``over`` for a limit that would be exceeded, ``unpriced`` for an
    unknown price, otherwise ``warning``.
    """

    text: str
    code: str = ""
    kind: str = "warning"

    @property
    def html(self) -> str:
        """The note as HTML, with buttons that copy its line and, if ``over`` or ``unpriced``, check the price again."""
        code = f" <code>{escape(self.code)}</code> {COPY}" if self.code else ""
        check = f" {_CHECK}" if self.kind in {"over", "unpriced"} else ""
        return f'<p class="suburb-note suburb-{self.kind}">{escape(self.text)}{code}{check}</p>'


class Offer(NamedTuple):
    """A request that costs at most ``cents``: an endpoint, and the suburbs or the text that it is asked for.

    ``unknown`` are the names for which a note warns that an earlier call may have been charged. Without an endpoint,
    the button cannot be pressed.
    """

    label: str
    endpoint: str = ""
    subject: tuple[str, ...] = ()
    cents: int = 0
    unknown: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    def still_stands(self, client: Client | None) -> bool:
        """Return True if the request costs no more than this now, within the limits, and no uncertain charge is new."""
        quote = _quote(self.endpoint, self.subject, client)
        return quote.limits.allow and quote.cents <= self.cents and set(quote.unknown) <= set(self.unknown)


NOT_KNOWN: Final = Offer(
    "Price not known", notes=(Note("The price is not known, so nothing can be bought.", kind="unpriced"),)
)
"""The offer if the price cannot be worked out, for example because the store cannot be read. Nothing can be bought."""


def to_load(endpoint: str, names: tuple[str, ...], client: Client | None) -> Offer:
    """Return the offer to load suburbs."""
    if not names:
        return Offer("Load")
    quote = _quote(endpoint, names, client)
    calls = f"{counted(quote.calls, 'call')}, " if quote.calls else ""
    return _offer(f"Load: {calls}{_price(quote)}", endpoint, names, quote, _earlier_calls(quote))


def to_look_up(text: str, client: Client | None) -> Offer:
    """Return the offer to look up a text."""
    try:
        quote = _quote(GEOCODE, (text,), client)
    except InvalidName:  # a text that cannot be looked up, such as an empty one
        return Offer("Look up")
    shown = quoted(text)
    may_have_cost = [
        Note(f"An earlier look-up of {shown} may have cost {counted(cents, 'cent')}: its outcome is not known.")
        for cents in quote.uncertain.values()
    ]
    return _offer(f"Look up {shown} ({_price(quote)})", GEOCODE, (text,), quote, may_have_cost)


def quoted(text: str) -> str:
    """Return a text in quotation marks, shortened. Unprintable characters are left out: some reverse what follows."""
    shown = "".join(letter for letter in text if letter.isprintable())
    return f"“{shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + '…'}”"


def _quote(endpoint: str, subject: Sequence[str], client: Client | None) -> Quote:
    return ledger.quote(subject, endpoint, client=client)


def _offer(label: str, endpoint: str, subject: tuple[str, ...], quote: Quote, notes: Sequence[Note]) -> Offer:
    """Return the offer of a request. If a limit forbids it, it cannot be taken, and a note names the limit."""
    limits = quote.limits
    if not limits.allow:
        return Offer(label, notes=(*notes, _over(limits)))
    if quote.cents:
        text = f"Limits: {limits.cap} cents a request; {limits.budget} a month, of which {limits.used}."
        notes = [*notes, Note(text, kind="limits")]
    return Offer(label, endpoint, subject, quote.cents, quote.unknown, tuple(notes))


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


def _earlier_calls(quote: Quote) -> list[Note]:
    """Return the warning that the outcome of earlier calls for these suburbs is not known, if there were any."""
    if not quote.unknown:
        return []
    calls, theirs = (
        ("An earlier call", "its outcome is") if len(quote.unknown) == 1 else ("Earlier calls", "their outcomes are")
    )
    cents = counted(sum(quote.uncertain.values()), "cent")
    return [
        Note(
            f"{calls} for {joined(quote.unknown)} may have cost {cents}: {theirs} not known. Loading may charge a "
            "second time."
        )
    ]


def _price(quote: Quote) -> str:
    """Return the price of a request, such as ``60 cents``, or say that it is free."""
    if quote.cents:
        return counted(quote.cents, "cent")
    return "stored, free" if quote.stored and not quote.calls else "free"
