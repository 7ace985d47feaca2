"""Plans a request: the stored responses that it uses, the calls that it would make, their cost, and the limits.

It makes no call. Buying exactly the calls of a quote is left to purchase.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext, Reuse
from suburb_pandas.messages import counted, html_card, joined, listed, text_card
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Call, Item, Response, age_seconds
from suburb_pandas.settings import in_ci
from suburb_pandas.store import ledger

_SOURCES = {
    "embedded": "the embedded sandbox: made-up suburbs, free",
    "sandbox": "the live service under the key test: nine real suburbs, free",
    "live": "the live service",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a client at the time of a quote, and the cost of the request, in cents.

    Attributes
    ----------
    cap, budget : int
        The most that a request, and a UTC calendar month, may cost.
    spent, held : int
        The cents that this month's calls have spent, and the cents that requests under way hold for their calls. Both
        are 0 if the request costs nothing or is replayed, because the ledger is not asked then.
    cents : int
        The cost of the calls of the request, or of those that are left.
    is_default_client : bool
        True if the client is the default one, which ``sp.set_limits`` changes.
    is_unattended : bool
        True if ``CI`` is set and no limit was given, so that nothing may be spent.
    is_replayed : bool
        True if a cassette is replayed, so that nothing is bought, whatever the limits are.
    dated : str
        The latest time of the calls that are counted as spent.
    """

    cap: int
    budget: int
    spent: int
    held: int
    cents: int
    is_default_client: bool
    is_unattended: bool
    is_replayed: bool
    dated: str

    @property
    def allow(self) -> bool:
        """True if no limit is in the way of the request."""
        return not self.cents or self.is_replayed or not (self.is_over_cap or self.is_over_budget or self.is_unattended)

    @property
    def line(self) -> str:
        """The line of code that allows the request. It lowers no limit, so that pasting it never forbids another."""
        return (
            f"{'sp' if self.is_default_client else 'client'}.set_limits(max_cents={max(self.cap, self.cents)}, "
            f"budget_cents={max(self.budget, self._needed)})"
        )

    @property
    def in_words(self) -> str:
        """The limits with their values."""
        reason = "; CI is set, so nothing is bought until you set a limit" if self.is_unattended else ""
        return f"at most {self.cap} cents a request; {self.budget} cents a month, of which {self.used}{reason}"

    @property
    def used(self) -> str:
        """The part of the budget that is spent or held, as part of a sentence."""
        held = f" and {self.held} {_is(self.held)} held by requests under way" if self.held else ""
        is_wrong = self.dated and age_seconds(self.dated) == inf
        future = f" (also by calls dated in the future, up to {self.dated[:10]})" if is_wrong else ""
        return f"{self.spent} {_is(self.spent)} spent{future}{held}"

    @property
    def is_over_cap(self) -> bool:
        """True if the request costs more than the cap."""
        return self.cents > self.cap

    @property
    def is_over_budget(self) -> bool:
        """True if the month would cost more than the budget."""
        return self._needed > self.budget

    @property
    def _needed(self) -> int:
        """A budget that would be enough."""
        return self.spent + self.held + self.cents


@dataclass(frozen=True, repr=False, eq=False)
class Quote:
    """The cost of a request, worked out without a call.

    A purchase is planned in the same way.

    Attributes
    ----------
    calls : int
        The number of calls.
    cents : int
        The cost of the calls, in cents.
    stored : int
        The number of responses that are stored and cost nothing.
    duplicates : tuple of str
        Names given more than once, which are bought once.
    unknown : tuple of str
        Names to be bought that were asked for before, in a call whose outcome is unknown.
    uncertain : dict of str to int
        The names in ``unknown``, each with the most that its earlier calls may have cost, in cents.
    absent : tuple of str
        Names that a complete gazetteer does not have. No call would be made for them.
    unresolved : tuple of str
        Names that the gazetteer cannot confirm, including the absent ones.
    how_to_confirm : str
        How to load a list that can confirm the names; empty if a complete list is loaded.
    refused : dict of str to int
        Names whose stored response is a refusal (403, 404 or 422), each with the cents that it cost. They fail at no
        new cost; ``refresh=True`` asks again.
    argument : str
        The argument that allows the request to cost this much, such as ``max_cents=90``. The budget still applies.
    line : str
        The line of code that raises cap and budget enough for the request, such as
        ``sp.set_limits(max_cents=2000, budget_cents=5090)``. It lowers no limit. For a client that was passed as
        ``client=``, it begins with ``client.set_limits``.
    source : str
        ``embedded``, ``sandbox`` or ``live``: the source with these prices.
    to_buy : tuple
        The calls, each an ``endpoint``, an ``area_name`` and for a look-up a ``state``.
    prices : dict
        The price of a call by endpoint, in cents.
    reused : dict
        The stored responses that are used, by item.
    before : dict
        For each item to buy, the number of the call that brought the newest stored response; 0 if none is stored.
    limits : Limits
        The limits at the time of the quote, in cents: ``cap`` and ``budget``, with the part of the budget that is
        ``spent`` and the part that is ``held``. Both parts are 0 if no call costs anything.

    See Also
    --------
    quote : The cost of a request, worked out without a call.
    set_limits : Change the cap and the budget of the default client.
    ledger : Every call and what it cost.
    """

    source: str
    to_buy: tuple[Item, ...]
    prices: Mapping[str, int]
    reused: Mapping[Item, Response]
    before: Mapping[Item, int]
    limits: Limits
    without_response: tuple[Call, ...]
    absent: tuple[str, ...]
    duplicates: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    how_to_confirm: str = ""

    @property
    def calls(self) -> int:
        """The number of calls."""
        return len(self.to_buy)

    @property
    def cents(self) -> int:
        """The cost of the calls, in cents."""
        return sum(self.prices[item.endpoint] for item in self.to_buy)

    @property
    def stored(self) -> int:
        """The number of responses that are stored and cost nothing."""
        return len(self.reused)

    @property
    def uncertain(self) -> dict[str, int]:
        """The names in ``unknown``, each with the most that its earlier calls may have cost, in cents."""
        return _by_name((call.item, call.cents) for call in self.unknown_calls)

    @property
    def unknown_calls(self) -> tuple[Call, ...]:
        """The earlier calls for the items to buy whose outcome is unknown."""
        return tuple(call for call in self.without_response if call.outcome != "billed")

    @property
    def unknown(self) -> tuple[str, ...]:
        """The names to be bought that were asked for before, in a call whose outcome is unknown."""
        return tuple(self.uncertain)

    @property
    def refused(self) -> dict[str, int]:
        """The names whose stored response is a refusal, each with the cents that it cost."""
        return _by_name((item, stored.cents) for item, stored in self.reused.items() if stored.is_refusal)

    @property
    def argument(self) -> str:
        """The argument that allows the request to cost this much."""
        return f"max_cents={self.cents}"

    @property
    def line(self) -> str:
        """The line of code that raises cap and budget enough for the request."""
        return self.limits.line

    @property
    def summary(self) -> str:
        """The quote as part of a sentence: its calls with their prices, and the number of stored responses."""
        return f"{self._split()}; {self.stored} stored"

    @property
    def cost(self) -> str:
        """The most that the calls cost, as part of a sentence."""
        return f"at most {counted(self.cents, 'cent')} ({self.summary})" if self.cents else "nothing"

    def _split(self) -> str:
        counts = Counter(item.endpoint for item in self.to_buy)
        return joined(f"{counted(count, 'call')} of {name} at {self.prices[name]}" for name, count in counts.items())

    def __repr__(self) -> str:
        return text_card("Quote", self._lines())

    def _repr_html_(self) -> str:
        return html_card("Quote", self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        """Return the label and value of each line of the repr."""
        absent = set(self.absent)
        unsure = [name for name in self.unresolved if name not in absent]
        why_unsure = self.how_to_confirm or "not known here; check the spelling"
        refused = self.refused
        every = [
            ("source", _SOURCES[self.source]),
            ("calls", str(self.calls)),
            ("cents", f"{self.cents}{f' ({self._split()})' if self.cents else ''}"),
            ("stored", f"{self.stored}, free"),
            ("duplicates", f"{listed(self.duplicates)}: given more than once, bought once" if self.duplicates else ""),
            ("unknown", f"{listed(self.unknown)}: sent before, outcome unknown" if self.unknown else ""),
            ("absent", f"{listed(self.absent)}: no suburbs of that name, so no call is made" if self.absent else ""),
            (
                "refused",
                f"{listed(refused)}: bought for {counted(sum(refused.values()), 'cent')} and stored; refresh=True asks "
                "again"
                if refused
                else "",
            ),
            ("unresolved", f"{listed(unsure)}: {why_unsure}" if unsure else ""),
            ("limits", "" if self.limits.allow else self.limits.in_words),
            ("to go on", self._how_to_go_on()),
        ]
        return [(label, value) for label, value in every if value]

    def _how_to_go_on(self) -> str:
        """Return the line that allows the request, or say why none is needed."""
        if self.cents and self.limits.is_replayed:
            return "nothing is bought while a cassette is replayed"
        return "nothing is in the way" if self.limits.allow else self.line


def _by_name(charges: Iterable[tuple[Item, int]]) -> dict[str, int]:
    """Return the cents of items, added up by their names."""
    cents: Counter[str] = Counter()
    for item, charge in charges:
        cents[item.area_name] += charge
    return dict(cents)


def make_quote(
    context: RequestContext, items: Iterable[Item], reuse: Reuse, *, check_names: bool, packed: bool = False
) -> Quote:
    """Quote a request: the stored responses that it uses, the calls that it makes, and their prices. No call is made.

    With ``check_names``, nothing is bought for a name that a complete gazetteer does not have. With ``packed``, the
    quote's stored responses include the packed payloads that are stored.
    """
    wanted = list(dict.fromkeys(items))
    reuse = Reuse(by=reuse.by) if context.replayed else reuse
    newest = context.newest(wanted, reuse, packed=packed)
    reused = {item: newest[item] for item in wanted if item in newest and reuse.takes(newest[item])}
    missing = [item for item in wanted if item not in reused]
    absent = known_names.absent(context, missing) if check_names and _skips_absent_names(context) else ()
    skipped = set(absent)
    to_buy = tuple(item for item in missing if item.area_name not in skipped or ENDPOINTS[item.endpoint].takes_a_query)
    before = {item: newest[item].call if item in newest else 0 for item in to_buy}
    asks_ledger = before and not context.replayed
    earlier = context.store.read(ledger.without_response, context.namespace, before) if asks_ledger else []
    prices = {endpoint: price(context, endpoint) for endpoint in dict.fromkeys(item.endpoint for item in to_buy)}
    limits = limits_of(context, sum(prices[item.endpoint] for item in to_buy))
    return Quote(context.source, to_buy, prices, reused, before, limits, tuple(earlier), absent)


def _skips_absent_names(context: RequestContext) -> bool:
    """Return True if no call is made for a name that does not exist.

    While a cassette records and calls are free, the call is still made, so that a replay has the refusal. Where calls
    cost money, a replay knows from the names on the cassette that a name does not exist.
    """
    return context.cassette is None or context.source == "live"


def with_unresolved(context: RequestContext, quote: Quote) -> Quote:
    """Return a quote with its unresolved names: those that neither a list nor a stored response confirms."""
    asked = dict.fromkeys(item.area_name for item in quote.to_buy if not ENDPOINTS[item.endpoint].takes_a_query)
    if not asked:
        return replace(quote, unresolved=quote.absent)
    known = known_names.gazetteer_of(context)
    unknown = [name for name in asked if name not in known]
    how = known_names.how_to_confirm(context) if any(not known.knows_all_about(name) for name in unknown) else ""
    return replace(quote, unresolved=(*unknown, *quote.absent), how_to_confirm=how)


def price(context: RequestContext, endpoint: str) -> int:
    """Return the price of a call: that of the rate card, or that of the last call if it was higher and is believed.

    After a rise in prices, only the first quote is therefore too low. A store of an older version may hold any price.
    In replay, it is that of the rate card.
    """
    if not (context.source == "live" or context.settings.source == "live"):
        return 0
    card = ENDPOINTS[endpoint]
    last = 0 if context.replayed else context.store.read(ledger.last_price, context.namespace, endpoint)
    return max(card.cents, last if last <= card.most_cents else 0)


def limits_of(context: RequestContext, cents: int) -> Limits:
    """Return the limits at the time of a request that costs ``cents``.

    The store is asked only if the request costs something, and never in replay, where nothing is bought.
    """
    settings = context.settings
    spent, dated, held = context.store.read(ledger.committed) if cents and not context.replayed else (0, "", 0)
    was_given = settings.was_given("max_cents") or settings.was_given("budget_cents")
    return Limits(
        cap=settings.max_cents,
        budget=settings.budget_cents,
        spent=spent,
        held=held,
        cents=cents,
        is_default_client=context.is_default,
        is_unattended=in_ci() and not was_given,
        is_replayed=context.replayed is not None,
        dated=dated,
    )


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
