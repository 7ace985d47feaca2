"""Answers a request from a replayed cassette: with the refusals that it holds, or an error if it lacks a response.

Nothing is sent. The responses that the cassette has are among the reused ones of the quote already.
"""

from __future__ import annotations

from dataclasses import replace

from suburb_pandas import errors
from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.purchasing.decisions import PurchaseResult
from suburb_pandas.purchasing.explanations import missing
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.service import statuses
from suburb_pandas.settings import RERUN, is_rerun


def replay(cassette: Cassette, quote: Quote, retrieved: str) -> PurchaseResult:
    """Return the recorded refusals of a quote's calls, and an error if the cassette lacks others. Nothing is sent.

    ``retrieved`` says when a response must have been retrieved, as for `explanations.not_stored`.
    """
    refusals = {item: statuses.error(item, found) for item in quote.to_buy if (found := cassette.refusal(item))}
    lacking = replace(quote, to_buy=tuple(item for item in quote.to_buy if item not in refusals))
    return PurchaseResult(failures=refusals, error=_not_recorded(cassette, lacking, retrieved))


def _not_recorded(cassette: Cassette, quote: Quote, retrieved: str) -> errors.NotStored | None:
    """Return the error if a cassette lacks the response of a call, otherwise None."""
    if not quote.to_buy:
        return None
    mode = f"without {RERUN} and with record='new_episodes'" if is_rerun() else "with record='new_episodes'"
    how = (
        "to use the responses that it has, leave out retrieved_by"
        if retrieved
        else f"to record what is missing, run the same code {mode}: stored responses are free, and the others cost "
        f"{quote.cost}"
    )
    return errors.NotStored(
        f"The cassette {cassette.path} is replayed, and has no {missing(quote)}{retrieved}. Nothing was sent; {how}.",
        quote=quote,
    )
