"""Compares a request with the cap of a request and the budget of a month, and says in words which limit is in the way.

It only reads. Refusing a request is left to purchase, and changing the limits to the client.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from suburb_pandas.client.context import RequestContext
from suburb_pandas.service.calls import age_seconds
from suburb_pandas.settings import in_ci


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a client at the time of a quote, and the cost of the request, in cents.

    Attributes
    ----------
    cap, budget : int
        The most that a request, and a UTC calendar month, may cost.
    spent, held : int
        The cents that this month's calls have spent, and the cents that requests under way hold for their calls.
    cents, claim : int
        The cost of the request, and the part of it that counts against the budget.
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
    claim: int
    is_default_client: bool
    is_unattended: bool
    is_replayed: bool
    dated: str = ""

    @property
    def allow(self) -> bool:
        """True if no limit is in the way of the request."""
        return self.is_replayed or not (self.is_over_cap or self.is_over_budget or self.is_unattended)

    @property
    def line(self) -> str:
        """The line of code that allows the request. It lowers no limit, so that pasting it never forbids another."""
        return (
            f"{'sp' if self.is_default_client else 'client'}.set_limits(max_cents={max(self.cap, self.cents)}, "
            f"budget_cents={max(self.budget, self._needed)})"
        )

    @property
    def in_words(self) -> str:
        """The limits in the way with their values; if they are high enough, the reason why nothing may be bought."""
        cap = f"{self.cap} cents a request" if self.is_over_cap or self.is_unattended else ""
        is_shown = self.is_over_budget or self.is_unattended
        budget = f"{self.budget} cents a month, of which {self.used}" if is_shown else ""
        reason = "CI is set, so nothing is bought until you set a limit" if self.is_unattended else ""
        return f"at most {'; '.join(filter(None, [cap, budget, reason]))}"

    @property
    def used(self) -> str:
        """The part of the budget that is spent or held, as part of a sentence."""
        held = f" and {self.held} {_is(self.held)} held by requests under way" if self.held else ""
        is_wrong = self.dated and age_seconds(self.dated) == inf
        future = f" (also by calls dated in the future, up to {self.dated[:10]})" if is_wrong else ""
        return f"{self.spent} {_is(self.spent)} spent{future}{held}"

    @property
    def advice(self) -> str:
        """The line to run, as the end of a sentence: nothing follows the line, so that it can be copied."""
        return f"run {'' if self.is_default_client else 'this on the client that you passed: '}{self.line}"

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
        return self.spent + self.held + self.claim


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def limits_of(context: RequestContext, cents: int) -> Limits:
    """Return the limits at the time of a request that costs ``cents``.

    The store is asked only if the request costs something, and never in replay, where nothing is bought.
    """
    settings = context.settings
    spent, dated, held = context.store.committed() if cents and not context.replayed else (0, "", 0)
    was_given = settings.was_given("max_cents") or settings.was_given("budget_cents")
    return Limits(
        cap=settings.max_cents,
        budget=settings.budget_cents,
        spent=spent,
        held=held,
        cents=cents,
        claim=cents,
        is_default_client=context.is_default,
        is_unattended=in_ci() and not was_given,
        is_replayed=context.replayed is not None,
        dated=dated,
    )
