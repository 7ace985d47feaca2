"""Quotes: what a request would cost, worked out before anything is spent."""

import pytest

import suburb_pandas as sp

NAMES = ["Quokka Bay", "Bilby Heights", "Mangrove Steps"]
QUERIES = ["quokka bay", "Quokka  Bay", "lantern bay", "lantern bay", "2 Wader Street, Woylie WA 6421", "zzz vic 2000"]


@pytest.mark.parametrize("state", [None, ["WA", "WA", "NSW", "Tas.", None, None]])
def test_a_quote_of_resolve_is_what_resolve_buys(live, service, state):
    """The quote of ``resolve`` has one look-up for each query that the known names leave open, as ``resolve`` makes."""
    sp.rent("Quokka Bay")
    quote = sp.quote(QUERIES, "resolve", state=state)
    assert (quote.cents, len(service.requests)) == (quote.calls, 1)
    with pytest.warns(sp.SuburbWarning, match="could not be checked|not resolved"):
        sp.resolve(QUERIES, state, errors="warn", max_cents=quote.cents)
    assert len(service.requests) == 1 + quote.calls
    assert sp.quote(QUERIES, "resolve", state=state).calls == 0


def test_a_lost_call_counts_as_unknown_until_a_later_one_is_billed(live, service):
    """A refresh's quote names a suburb as unknown only if its last call was lost, and was not billed since."""
    for _ in range(2):
        service.fail("dropped_after_billing")
        with pytest.raises(sp.errors.Unreachable):
            sp.rent(NAMES[0], refresh=True)
        assert sp.quote(NAMES[0], refresh=True).unknown == (NAMES[0],)
        with pytest.warns(sp.SuburbWarning, match="repeated now"):
            sp.rent(NAMES[0], refresh=True)
        assert sp.quote(NAMES[0], refresh=True).unknown == ()
