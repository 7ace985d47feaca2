"""The two limits on spending: each quote and error has the one line that allows its request."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, RENTED, wait_for

NAMES = ["Quokka Bay", "Bilby Heights", "Mangrove Steps"]


def line_in(error):
    """Return the line of code at the end of a message."""
    return re.search(r"; to (?:go on|allow it), run (\S+\(max_cents=\d+, budget_cents=\d+\))$", str(error))[1]


def paste(line, **names):
    """Run a line of code as a user does who pastes it."""
    exec(line, {"sp": sp, **names})  # noqa: S102 - the line that the package printed


@settings(max_examples=12, deadline=None)
@given(cap=st.integers(0, 150), budget=st.integers(0, 200), already=st.integers(0, 2), wanted=st.integers(1, 4))
def test_the_line_of_a_quote_allows_its_request_and_lowers_no_limit(cap, budget, already, wanted):
    """Whatever the limits are and was spent: before the line is run, `allow` tells whether the request goes through.

    The line raises each limit that is in the way, and no further than the request needs.
    """
    names = NAMES + RENTED[5 : 5 + wanted]
    with sp.sandbox.serve() as service, sp.connect(api_key=LIVE_KEY, base_url=service.url, store=":memory:") as client:
        sp.impacts(RENTED[:already])
        sp.set_limits(max_cents=cap, budget_cents=budget)
        quote = sp.quote(names)
        assert quote.limits.allow is ("sp.set_limits" not in repr(quote))
        if not quote.limits.allow:
            with pytest.raises((sp.errors.CapExceeded, sp.errors.BudgetExceeded)) as caught:
                sp.rent(names)
            assert line_in(caught.value) == caught.value.quote.line == quote.line
        paste(quote.line)
        needed = max(cap, quote.cents), max(budget, 10 * already + quote.cents)
        assert (client.settings.max_cents, client.settings.budget_cents) == needed
        assert len(sp.rent(names))


def test_what_other_requests_hold_counts(live, service, client_with, begin):
    """The budget in the line has room for the calls that another request holds."""
    service.fail("latency", times=None, seconds=60)
    other = begin(RENTED[-6:], client=client_with(max_workers=1))
    wait_for(lambda: service.most_at_once)
    sp.set_limits(budget_cents=200)
    quote = sp.quote(NAMES)
    assert (quote.limits.spent, quote.limits.held) == (30, 150)
    assert "of which 30 are spent and 150 are held by requests under way" in repr(quote)
    with pytest.raises(sp.errors.BudgetExceeded, match="30 are spent and 150 are held") as caught:
        sp.rent(NAMES)
    assert line_in(caught.value) == quote.line == "sp.set_limits(max_cents=2000, budget_cents=270)"
    paste(quote.line)
    request = begin(NAMES)
    wait_for(lambda: service.most_at_once > 1)
    service.release()
    assert len(request.result(30)) < len(other.result(30))
    assert service.total_cents == 270


def test_an_automatic_run_spends_only_what_somebody_allowed(live, service, client_with, monkeypatch):
    """With CI set, a paid request needs an explicit cap or budget.

    Stored responses need neither. A free key meets no limit, whatever they are.
    """
    monkeypatch.setenv("CI", "true")
    with pytest.raises(sp.errors.SettingsError, match="CI is set") as caught:
        sp.rent(NAMES)
    assert service.requests == ()
    for _ in range(2):
        assert len(sp.rent(NAMES[0], max_cents=30))
    for none in ({}, {"max_cents": 0, "budget_cents": 0}):
        assert len(sp.rent(NAMES[0], client=client_with(api_key="test", **none), refresh=True))
    for limit in ("max_cents", "budget_cents"):
        assert sp.quote(NAMES, client=client_with(**{limit: 90})).limits.allow
    paste(line_in(caught.value))
    assert len(sp.rent(NAMES))
