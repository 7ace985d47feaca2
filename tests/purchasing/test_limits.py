"""The two limits on spending: each quote and error has the one line that allows its request."""

import re
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, RENTED, wait_for
from tests.support.processes import Worker

NAMES = ["Quokka Bay", "Bilby Heights", "Mangrove Steps"]
FRAME = pd.DataFrame({"suburb": NAMES})

BOUGHT = {
    "rent": (lambda **more: sp.rent(NAMES, **more), lambda **more: sp.quote(NAMES, **more)),
    "accessor": (FRAME.suburb.rent, FRAME.suburb.quote),
    "scorecard": (lambda **more: sp.scorecard(NAMES, **more), lambda **more: sp.quote(NAMES, "scorecard", **more)),
    "find": (lambda **more: sp.find("quoll", **more), lambda **more: sp.quote("quoll", "geocode", **more)),
    "resolve": (
        lambda **more: sp.resolve(["lantern bay nsw", "woylie"], **more),
        lambda **more: sp.quote(["lantern bay nsw", "woylie"], "geocode", **more),
    ),
}
"""Requests that cost something, each with its quote."""


def line_in(error, function="sp.set_limits"):
    """Return the one line of code in a message."""
    (line,) = re.findall(rf"(?:run|passed:) ({re.escape(function)}\(max_cents=\d+, budget_cents=\d+\))", str(error))
    return line


def paste(line, **names):
    """Run a line of code as a user does who pastes it."""
    exec(line, {"sp": sp, **names})  # noqa: S102 - the line that the package printed


@pytest.mark.parametrize("kind", BOUGHT)
def test_the_line_of_the_first_error_lets_the_request_through(live, service, kind):
    """If both limits stop a request, its error has one line. After it, the same request goes through."""
    buy, quote = BOUGHT[kind]
    sp.impacts("Bogong Rise")
    sp.set_limits(max_cents=0, budget_cents=0)
    with pytest.raises((sp.errors.CapExceeded, sp.errors.BudgetExceeded)) as caught:
        buy()
    assert len(service.requests) == 1
    line = line_in(caught.value)
    assert line == caught.value.quote.line == quote().line
    paste(line)
    assert len(buy())
    assert live.settings.max_cents == quote(refresh=True).cents
    assert live.settings.budget_cents == service.total_cents


@settings(max_examples=12, deadline=None)
@given(cap=st.integers(0, 150), budget=st.integers(0, 200), already=st.integers(0, 2), wanted=st.integers(1, 4))
def test_the_line_of_a_quote_allows_its_request_and_lowers_no_limit(cap, budget, already, wanted):
    """Whatever the limits are and was spent: before the line is run, `allow` tells whether the request goes through."""
    with sp.sandbox.serve() as service, sp.connect(api_key=LIVE_KEY, base_url=service.url, store=":memory:") as client:
        sp.impacts(RENTED[:already])
        sp.set_limits(max_cents=cap, budget_cents=budget)
        quote = sp.quote(NAMES + RENTED[5 : 5 + wanted])
        assert quote.limits.allow is ("sp.set_limits" not in repr(quote))
        if not quote.limits.allow:
            with pytest.raises((sp.errors.CapExceeded, sp.errors.BudgetExceeded)) as caught:
                sp.rent(NAMES + RENTED[5 : 5 + wanted])
            assert caught.value.quote.line == quote.line
            paste(quote.line)
        assert client.settings.max_cents >= cap
        assert client.settings.budget_cents >= budget
        assert len(sp.rent(NAMES + RENTED[5 : 5 + wanted]))


def test_a_quote_shows_the_limits_if_one_is_in_the_way(live):
    """The repr has the limits with their present values and the line if the request is over one, and otherwise not."""
    sp.rent(NAMES[:2])
    sp.set_limits(max_cents=20, budget_cents=70)
    assert repr(sp.quote(NAMES)).splitlines()[-2:] == [
        "  limits      at most 20 cents a request; 70 cents a month, of which 60 are spent",
        "  to go on    sp.set_limits(max_cents=30, budget_cents=90)",
    ]
    assert ">sp.set_limits(max_cents=30, budget_cents=90)</td>" in sp.quote(NAMES)._repr_html_()
    sp.set_limits(budget_cents=90)
    assert "  limits      at most 20 cents a request; 90 cents a month, of which 60 are spent\n" in repr(
        sp.quote(NAMES)
    )
    sp.set_limits(max_cents=30, budget_cents=89)
    assert "  limits      at most 30 cents a request; 89 cents a month, of which 60 are spent\n" in repr(
        sp.quote(NAMES)
    )
    sp.set_limits(budget_cents=90)
    for shown in (repr(sp.quote(NAMES)), sp.quote(NAMES)._repr_html_()):
        assert "nothing is in the way" in shown
        assert not re.search(r"limit|budget|\bcap\b|90|month", shown)


def test_the_messages_name_the_cost_and_both_limits(live):
    """Each message says what the request costs, both limits with their values, and the line."""
    sp.rent("Woylie")
    sp.set_limits(max_cents=60)
    with pytest.raises(sp.errors.CapExceeded) as caught:
        sp.rent(NAMES[0:1] * 2 + NAMES[1:])
    assert str(caught.value).startswith(
        "This request would cost 90 cents (3 calls of rent at 30; 0 stored), more than its cap of 60 cents; the "
        "month's budget is 5000 cents, of which 30 are spent. Nothing was sent; to go on, run "
        "sp.set_limits(max_cents=90, budget_cents=5000)"
    )
    sp.set_limits(max_cents=200, budget_cents=100)
    with pytest.raises(sp.errors.BudgetExceeded) as caught:
        sp.rent(NAMES)
    assert str(caught.value).startswith(
        "This request costs 90 cents (3 calls of rent at 30; 0 stored), and the month's budget is 100 cents, of which "
        "30 are spent; the cap of a request is 200 cents. Nothing was sent; to go on, run "
        "sp.set_limits(max_cents=200, budget_cents=120)"
    )


def test_a_cap_in_the_call_is_raised_in_the_call(live, service):
    """If max_cents= of the call is what stops the request, the error says so; set_limits alone would not help.

    The error's frame holds the suburbs that are stored.
    """
    sp.rent("Woylie")
    with pytest.raises(
        sp.errors.CapExceeded, match=r"more than the 59 cents that max_cents= allows in this call; .*"
    ) as caught:
        sp.rent([*NAMES, "Woylie"], max_cents=59)
    assert str(caught.value).endswith("to go on, pass max_cents=90")
    assert "set_limits" not in str(caught.value)
    assert set(caught.value.frame["area_name"]) == {"Woylie"}
    sp.set_limits(budget_cents=110)
    with pytest.raises(sp.errors.BudgetExceeded) as caught:
        sp.rent(NAMES, max_cents=90)
    assert len(service.requests) == 1
    paste(line_in(caught.value))
    assert len(sp.rent(NAMES, max_cents=90))


def test_the_line_for_a_client_of_ones_own_changes_that_client(live, service, tmp_path):
    """With ``client=``, the line changes the client that was passed, and not the default one."""
    mine = sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "mine", max_cents=0)
    with mine as client:
        with pytest.raises((sp.errors.CapExceeded, sp.errors.BudgetExceeded)) as caught:
            sp.rent(NAMES, client=client)
        line = line_in(caught.value, "client.set_limits")
        assert str(caught.value).endswith(f"to go on, run {line}")
        assert line == sp.quote(NAMES, client=client).line
        paste(line, client=client)
        assert len(sp.rent(NAMES, client=client))
    assert live.settings.max_cents == 2000
    assert sp.quote("Woylie", client=live).line.startswith("sp.set_limits(")


def ask_for(names, settings):
    """Buy rents in another process."""
    with sp.Client(**settings) as client:
        return len(sp.rent(names, client=client))


def test_what_other_processes_hold_counts(service, tmp_path):
    """The budget in the line has room for the calls that a request of another process holds."""
    shared = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "s"}
    service.fail("latency", times=None, seconds=60)
    other = Worker(ask_for, [name for name in RENTED if name not in NAMES][:6], shared | {"max_workers": 1}).go()
    wait_for(lambda: service.most_at_once)
    with sp.connect(**shared, budget_cents=200):
        quote = sp.quote(NAMES)
        assert (quote.limits.spent, quote.limits.held) == (30, 150)
        assert "of which 30 are spent and 150 are held by requests under way" in repr(quote)
        with pytest.raises(sp.errors.BudgetExceeded, match="30 are spent and 150 are held") as caught:
            sp.rent(NAMES)
        assert line_in(caught.value) == quote.line == "sp.set_limits(max_cents=2000, budget_cents=270)"
        paste(quote.line)
        request = threading.Thread(target=sp.rent, args=(NAMES,))
        request.start()
        wait_for(lambda: service.most_at_once > 1)
        service.release()
        request.join(20)
        assert other.result() > 0
        assert sp.quote(NAMES).calls == 0
    assert service.total_cents == 270


def test_a_free_quote_asks_for_nothing(service, monkeypatch):
    """A request under a free key meets no limit, whatever they are, even with CI set. Its line changes nothing."""
    monkeypatch.setenv("CI", "true")
    with sp.connect(api_key="test", base_url=service.url, store=":memory:", max_cents=0, budget_cents=0) as client:
        quote = sp.quote(NAMES)
        assert repr(quote).endswith("nothing is in the way")
        assert quote.limits.allow
        paste(quote.line)
        assert (client.settings.max_cents, client.settings.budget_cents) == (0, 0)


@pytest.mark.parametrize("cap", [float("nan"), "many", -1, True, 1.5, [60]])
def test_a_cap_that_is_no_number_is_refused_before_anything_is_sent(live, service, cap):
    """A cap must be a whole number, such as one of numpy. A NaN from a frame must not mean that there is no cap."""
    with pytest.raises(sp.errors.SettingsError, match="max_cents must be a whole number"):
        sp.rent(NAMES[0], max_cents=cap)
    assert service.requests == ()
    assert len(sp.rent(NAMES[0], max_cents=np.int64(30)))


def test_an_automatic_run_spends_only_what_somebody_allowed(live, service, monkeypatch):
    """With CI set, a paid request needs an explicit cap or budget. Stored responses and free keys need neither."""
    monkeypatch.setenv("CI", "true")
    *_, limits, line = repr(sp.quote(NAMES)).splitlines()
    assert limits.endswith("of which 0 are spent; CI is set, so nothing is bought until you set a limit")
    assert line == "  to go on    sp.set_limits(max_cents=2000, budget_cents=5000)"
    with pytest.raises(sp.errors.SettingsError, match=r"CI is set.*Nothing was sent; to allow it, run") as caught:
        sp.rent(NAMES)
    assert (caught.value.quote.cents, len(service.requests)) == (90, 0)
    for _ in range(2):
        assert len(sp.rent(NAMES[0], max_cents=30))
    with sp.Client(api_key="test", base_url=service.url, store=":memory:") as client:
        assert len(sp.rent(NAMES[0], client=client))
    paste(line_in(caught.value))
    assert len(sp.rent(NAMES))
