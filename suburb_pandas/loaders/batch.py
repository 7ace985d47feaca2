"""Runs a request for one or many suburbs, from names to decoded responses.

Buying responses is left to purchasing, collecting the decoded ones to answers, reporting failures to outcome, and
building frames to loaders.frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Final

from suburb_pandas.client import did_you_mean, known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import StaleDataWarning, UnknownSuburb
from suburb_pandas.frames.suburbs import SuburbSelection, select_suburbs
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.loaders.options import Options, bar
from suburb_pandas.loaders.outcome import BatchResult
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.purchasing import purchase
from suburb_pandas.purchasing.decisions import PurchaseResult
from suburb_pandas.purchasing.explanations import not_stored
from suburb_pandas.purchasing.quote import Quote, make_quote, price
from suburb_pandas.purchasing.replay import replay
from suburb_pandas.redaction import redacted
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Item, age_seconds

_DAY: Final = 86_400  # seconds
_STALE: Final = 30 * _DAY
_LONGEST_MESSAGE: Final = 800


def load(lookup: str, suburbs: object, options: Options, function: str | None = None) -> BatchResult:
    """Run a request as `gather` does. If it is for a single suburb that failed or has no data, raise its error."""
    batch = gather(lookup, suburbs, options, function)
    batch.raise_for_one()
    return batch


def gather(lookup: str, suburbs: object, options: Options, function: str | None = None) -> BatchResult:
    """Run a request for suburbs: use stored responses, buy the others, and decode all of them.

    ``lookup`` is an endpoint, or a composite such as ``scorecard``; ``function`` is the public function that was
    called, if it has another name.
    """
    known = partial(known_names.of_client, options.client)
    selection = select_suburbs(suburbs, f"sp.{function or lookup}({{}})", known=known)
    context = request_context(options.client)
    items = [Item(endpoint, name) for name in selection.names for endpoint in endpoints_of(lookup)]
    return gather_items(lookup, items, selection, context, options)


def gather_items(
    lookup: str, items: Sequence[Item], selection: SuburbSelection, context: RequestContext, options: Options
) -> BatchResult:
    """Run a request for these items: use stored responses, buy the others, and decode all of them."""
    context.warn_if_made_up()
    quote = make_quote(context, items, options.reuse, check_names=options.check_names, packed=True)
    known_names.carry(context, quote.absent)  # so that a replay knows that no suburb is called that
    answers = Answers()
    answers.take_stored(context, quote.reused)
    result = _buy(lookup, context, quote, answers, options)
    answers.keep_packed(context)
    batch = BatchResult(lookup, selection, context, options.errors, items, quote, answers, result)
    _explain_failures(batch)
    return batch


def _buy(lookup: str, context: RequestContext, quote: Quote, answers: Answers, options: Options) -> PurchaseResult:
    """Buy the responses that are not stored. If the request may not buy, the result has the error that says why."""
    by = options.reuse.by
    earlier = f" retrieved by {by[:16].replace('T', ' ')} UTC" if by else ""
    if context.replayed:
        return replay(context.replayed, quote, earlier)
    if options.ages_matter:
        _warn_if_stale(context, quote)
    if not quote.to_buy:
        return PurchaseResult()
    if by:
        return PurchaseResult(error=not_stored(quote, "retrieved_by", earlier))
    if options.offline:
        too_old = " as recent as max_age requires" if options.reuse.max_age is not None else ""
        return PurchaseResult(error=not_stored(quote, "offline=True", too_old))
    watch = bar(lookup, show=options.progress)
    return purchase.buy(context, quote, answers.take, max_cents=options.max_cents, watch=watch)


def _explain_failures(batch: BatchResult) -> None:
    """Add the errors of stored refusals, broken responses and names that do not exist, and suggest similar names."""
    failures, context = batch.result.failures, batch.context
    for item, reading in batch.answers.readings.items():
        if reading.problem is not None:
            failures[item] = problem = reading.problem
            problem.args = (redacted(str(problem), context.secret, _LONGEST_MESSAGE),)  # it may quote the response
            problem.cents = batch.result.cents.get(item, 0)
    for item, error in failures.items():
        if isinstance(error, UnknownSuburb) and not ENDPOINTS[item.endpoint].takes_a_query:
            did_you_mean.add_to(context, error, item.area_name)
    if batch.quote.absent:
        absent = did_you_mean.no_such(context, batch.quote.absent)
        failures |= {item: absent[item.area_name] for item in batch.items if item.area_name in absent}
    for item, failure in failures.items():
        failure.area_name = item.area_name


def _warn_if_stale(context: RequestContext, quote: Quote) -> None:
    """Warn of stored responses that are older than 30 days. Made-up data are exempt: they do not age."""
    reused = {} if context.source == "embedded" else quote.reused
    stale = {item: stored.at[:10] for item, stored in reused.items() if age_seconds(stored.at) > _STALE}
    if not stale:
        return
    dates = " to ".join(sorted({min(stale.values()), max(stale.values())}))
    calls = Counter(item.endpoint for item in stale)
    cents = sum(number * price(context, endpoint) for endpoint, number in calls.items())
    warn(
        f"{counted(len(stale), 'stored response')} used here {'is' if len(stale) == 1 else 'are'} more than "
        f"{_STALE // _DAY} days old, or of unknown age (dated {dates}), for "
        f"{listed(dict.fromkeys(item.area_name for item in stale))}. "
        f'To buy newer data, for {counted(cents, "cent")}, load them with max_age="{_STALE // _DAY}D"',
        StaleDataWarning,
    )
