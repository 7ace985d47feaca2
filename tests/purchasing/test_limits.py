"""The two limits on spending: each quote and error has the one line that allows its request."""

import re

import numpy as np
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


@pytest.mark.parametrize(("cap", "budget", "is_over"), [(29, 90, 1), (30, 89, 1), (30, 90, 0)])
def test_a_quote_shows_the_limits_if_one_is_in_the_way(live, cap, budget, is_over):
    """The repr has the limits with their present values and the line if the request is over one, and otherwise not."""
    sp.rent(NAMES[:2])
    sp.set_limits(max_cents=cap, budget_cents=budget)
    quote, line = sp.quote(NAMES), "sp.set_limits(max_cents=30, budget_cents=90)"
    limits = [f"  limits      at most {cap} cents a request; {budget} cents a month, of which 60 are spent"]
    how = line if is_over else "nothing is in the way"
    assert repr(quote).splitlines()[6:] == [*limits * is_over, f"  to go on    {how}"]
    assert f">{how}</td>" in quote._repr_html_()


def test_the_messages_name_the_cost_and_both_limits(live):
    """Each message says what the request costs, both limits with their values, and the line."""
    sp.rent("Woylie")
    sp.set_limits(max_cents=60)
    with pytest.raises(sp.errors.CapExceeded) as caught:
        sp.rent(NAMES[0:1] * 2 + NAMES[1:])
    assert str(caught.value) == (
        "This request would cost 90 cents (3 calls of rent at 30; 0 stored), more than its cap of 60 cents; the "
        "month's budget is 5000 cents, of which 30 are spent. Nothing was sent; to go on, run "
        "sp.set_limits(max_cents=90, budget_cents=5000)"
    )
    sp.set_limits(max_cents=200, budget_cents=100)
    with pytest.raises(sp.errors.BudgetExceeded) as caught:
        sp.rent(NAMES)
    assert str(caught.value) == (
        "This request costs 90 cents (3 calls of rent at 30; 0 stored), and the month's budget is 100 cents, of which "
        "30 are spent; the cap of a request is 200 cents. Nothing was sent; to go on, run "
        "sp.set_limits(max_cents=200, budget_cents=120)"
    )


def test_a_cap_in_the_call_is_raised_in_the_call(live, service):
    """If max_cents= of the call is what stops the request, the error says so; set_limits alone would not help.

    The error's frame holds the suburbs that are stored.
    """
    sp.rent("Woylie")
    with pytest.raises(sp.errors.CapExceeded, match="the 59 cents that max_cents= allows in this call; ") as caught:
        sp.rent([*NAMES, "Woylie"], max_cents=59)
    assert str(caught.value).endswith("to go on, pass max_cents=90")
    assert "set_limits" not in str(caught.value)
    assert set(caught.value.frame["area_name"]) == {"Woylie"}
    with pytest.raises(sp.errors.CapExceeded):
        sp.resolve("lantern bay", max_cents=0)
    sp.set_limits(budget_cents=110)
    with pytest.raises(sp.errors.BudgetExceeded) as caught:
        sp.rent(NAMES, max_cents=90)
    assert len(service.requests) == 1
    paste(line_in(caught.value))
    assert len(sp.rent(NAMES, max_cents=90))


def test_the_line_for_a_client_of_ones_own_changes_that_client(live, client_with, tmp_path):
    """With ``client=``, the line changes the client that was passed, and not the default one."""
    client = client_with(store=tmp_path / "mine", max_cents=0)
    with pytest.raises(sp.errors.CapExceeded) as caught:
        sp.rent(NAMES, client=client)
    line = line_in(caught.value)
    assert line == sp.quote(NAMES, client=client).line == "client.set_limits(max_cents=90, budget_cents=5000)"
    paste(line, client=client)
    assert len(sp.rent(NAMES, client=client))
    assert live.settings.max_cents == 2000
    assert sp.quote("Woylie", client=live).line.startswith("sp.set_limits(")


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


def test_a_cap_that_is_no_number_is_refused_before_anything_is_sent(live, service):
    """A cap must be a whole number, such as one of numpy. A NaN from a frame must not mean that there is no cap."""
    with pytest.raises(sp.errors.SettingsError, match="max_cents must be a whole number"):
        sp.rent(NAMES[0], max_cents=float("nan"))
    assert service.requests == ()
    assert len(sp.rent(NAMES[0], max_cents=np.int64(30)))


def test_an_automatic_run_spends_only_what_somebody_allowed(live, service, client_with, monkeypatch):
    """With CI set, a paid request needs an explicit cap or budget.

    Stored responses need neither. A free key meets no limit, whatever they are.
    """
    monkeypatch.setenv("CI", "true")
    *_, limits, line = repr(sp.quote(NAMES)).splitlines()
    assert limits.endswith("of which 0 are spent; CI is set, so nothing is bought until you set a limit")
    assert line == "  to go on    sp.set_limits(max_cents=2000, budget_cents=5000)"
    with pytest.raises(sp.errors.SettingsError, match=r"CI is set.*Nothing was sent; to allow it, run") as caught:
        sp.rent(NAMES)
    assert (caught.value.quote.cents, len(service.requests)) == (90, 0)
    for _ in range(2):
        assert len(sp.rent(NAMES[0], max_cents=30))
    for none in ({}, {"max_cents": 0, "budget_cents": 0}):
        assert len(sp.rent(NAMES[0], client=client_with(api_key="test", **none), refresh=True))
    for limit in ("max_cents", "budget_cents"):
        assert sp.quote(NAMES, client=client_with(**{limit: 90})).limits.allow
    paste(line_in(caught.value))
    assert len(sp.rent(NAMES))
