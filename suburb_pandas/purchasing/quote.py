"""The quote: what a request would cost, worked out from the store alone. A purchase runs the very plan it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.messages import counted, html_card, listed, text_card
from suburb_pandas.service import endpoints as wire
from suburb_pandas.service.calls import GEOCODE, Item, StoredResponse, age_seconds

_SOURCES = {
    "embedded": "the embedded sandbox: made-up suburbs, free",
    "sandbox": "the live service under the key test: nine suburbs, free",
    "live": "the live service",
}


@dataclass(frozen=True, slots=True)
class Reuse:
    """What of the stored will do: nothing, what is younger than ``max_age`` seconds, or what came ``by`` a time."""

    refresh: bool = False
    max_age: float | None = None
    by: str | None = None

    def takes(self, stored: StoredResponse) -> bool:
        """Whether a stored response will do."""
        return not self.refresh and (self.max_age is None or age_seconds(stored.at) <= self.max_age)

    def of(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, StoredResponse]:
        """Give of each stored response that one, or the one behind it, that will do."""
        if not self.refresh and self.max_age is None:
            return dict(stored)
        every = {item: (one, one.behind) for item, one in stored.items()}
        found = {item: next(filter(self.takes, filter(None, both)), None) for item, both in every.items()}
        return {item: one for item, one in found.items() if one is not None}


@dataclass(frozen=True, repr=False, eq=False)
class Quote:
    """What a request would cost. Made without a call; the purchase of the same request runs this very plan.

    Attributes
    ----------
    calls : int
        How many calls would be made.
    cents : int
        What they would cost, in cents.
    stored : int
        How many responses are stored, and cost nothing.
    duplicates : tuple of str
        Names given more than once, which are bought once.
    unknown : tuple of str
        Names to be bought of which an earlier call was sent and its outcome never learnt.
    absent : tuple of str
        Names that there are not, by a complete gazetteer: their data would not be asked for.
    unresolved : tuple of str
        Names that the gazetteer cannot confirm, those included.
    argument : str
        What to pass so that the request is not stopped, as in ``max_cents=90``.
    source : str
        ``embedded``, ``sandbox`` or ``live``: whose prices these are.
    to_buy : tuple
        The calls that would be made, each an ``endpoint`` and an ``area_name``.
    prices : dict
        Cents a call, by endpoint of what is to be bought.
    kept, before : dict
        The stored responses that will do, and of what is to be bought the newest that will not.
    budget : int or None
        In a `BudgetExceeded`: the month's budget that would be enough.
    """

    source: str
    to_buy: tuple[Item, ...]
    prices: Mapping[str, int]
    reused: Mapping[Item, StoredResponse]
    before: Mapping[Item, int]
    unknown: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    budget: int | None = None

    @property
    def calls(self) -> int:
        """How many calls would be made."""
        return len(self.to_buy)

    @property
    def cents(self) -> int:
        """What they would cost, in cents."""
        return sum(self.prices[item.endpoint] for item in self.to_buy)

    @property
    def stored(self) -> int:
        """How many responses are stored, and cost nothing."""
        return len(self.reused)

    @property
    def argument(self) -> str:
        """What to pass so that the request is not stopped."""
        return f"max_cents={self.cents}" if self.budget is None else f"budget_cents={self.budget}"

    @property
    def summary(self) -> str:
        """The quote in half a sentence."""
        return f"{self._split()}; {self.stored} stored"

    def _split(self) -> str:
        counts = Counter(item.endpoint for item in self.to_buy)
        return " and ".join(
            f"{counted(count, 'call')} of {name} at {self.prices[name]}" for name, count in counts.items()
        )

    def __repr__(self) -> str:
        return text_card("Quote", self._lines())

    def _repr_html_(self) -> str:
        return html_card("Quote", self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        """Label and value of each line that there is something to say in."""
        absent = set(self.absent)
        unsure = [name for name in self.unresolved if name not in absent]
        every = [
            ("source", _SOURCES[self.source]),
            ("calls", str(self.calls)),
            ("cents", f"{self.cents}{f' ({self._split()})' if self.cents else ''}"),
            ("stored", f"{self.stored}, free"),
            ("duplicates", f"{listed(self.duplicates)}: given more than once, bought once" if self.duplicates else ""),
            ("unknown", f"{listed(self.unknown)}: sent before, outcome never learnt" if self.unknown else ""),
            (
                "absent",
                f"{listed(self.absent)}: no such suburbs, so their data are not asked for" if self.absent else "",
            ),
            ("unresolved", f"{listed(unsure)}: not known here, so mind the spelling" if unsure else ""),
            ("to go on", self.argument if self.cents else "nothing to allow"),
        ]
        return [(label, value) for label, value in every if value]


def plan(
    client: Client, items: Iterable[Item], reuse: Reuse, *, check_names: bool = True, histories: bool = False
) -> Quote:
    """Plan a request: what is stored and will do, and what is to be bought, at which prices. No call is made.

    With ``check_names`` nothing is bought for a name that a complete gazetteer does not have; with ``histories``, rents
    that are stored and kept in columns are at hand.
    """
    wanted = list(dict.fromkeys(items))
    newest = client.kept.newest(client.namespace, wanted, by=reuse.by, histories=histories)
    reuse = Reuse(by=reuse.by) if client.replayed else reuse
    reused = reuse.of({item: newest[item] for item in wanted if item in newest})
    missing = [item for item in wanted if item not in reused]
    absent = known_names.absent(client, missing) if check_names and _may_be_left_out(client) else ()
    gone = set(absent)
    to_buy = tuple(item for item in missing if item.area_name not in gone or item.endpoint == GEOCODE)
    before = {item: newest[item].call if item in newest else 0 for item in to_buy}
    lost = client.kept.last_unknown(client.namespace, to_buy) if to_buy else {}
    unknown = dict.fromkeys(item.subject for item in to_buy if lost.get(item, 0) > before[item])
    prices = {endpoint: price(client, endpoint) for endpoint in dict.fromkeys(item.endpoint for item in to_buy)}
    return Quote(client.source, to_buy, prices, reused, before, tuple(unknown), absent)


def _may_be_left_out(client: Client) -> bool:
    """Whether nothing is asked for a name that there is not.

    Under a cassette it is asked for where that is free, so that the answer is there for who replays it.
    """
    return client.cassette is None or (client.pays and not client.replayed)


def confirm(client: Client, quote: Quote) -> Quote:
    """Say in a quote which of its names nothing on this machine confirms."""
    asked = dict.fromkeys(item.area_name for item in quote.to_buy if item.endpoint != GEOCODE)
    known = known_names.of(client) if asked else ()
    unknown = [name for name in asked if name not in known]
    return replace(quote, unresolved=(*unknown, *quote.absent))


def price(client: Client, endpoint: str) -> int:
    """Give what a call costs: by the rate card, or what the last one was charged if that was more.

    So no quote is too low twice.
    """
    return max(wire.PRICES[endpoint], client.kept.last_price(client.namespace, endpoint)) if client.pays else 0
