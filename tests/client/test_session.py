"""The default client: its limits change alone, and its key is not dropped in silence."""

import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.client import session
from tests.support.common import LIVE_KEY, RENTED, wait_for

limit = st.none() | st.integers(0, 10**6)


@given(steps=st.lists(st.tuples(limit, limit).filter(any), max_size=5))
def test_a_limit_that_is_not_given_stays(steps):
    """After any number of changes, each limit is the last one that was given."""
    with sp.connect(api_key="test", store=":memory:", max_cents=7, budget_cents=8) as client:
        expected = [7, 8]
        for cap, budget in steps:
            sp.set_limits(max_cents=cap, budget_cents=budget)
            expected = [old if new is None else new for new, old in zip((cap, budget), expected, strict=True)]
        assert [client.settings.max_cents, client.settings.budget_cents] == expected


def test_threads_that_change_different_limits_do_not_undo_each_other(live):
    """A cap that one thread sets stays, while another thread changes the budget again and again."""
    changes, wrong, is_over = [0], [], threading.Event()

    def change_the_budget():
        while not is_over.is_set():
            sp.set_limits(budget_cents=changes[0])
            changes[0] += 1

    before, other = sys.getswitchinterval(), threading.Thread(target=change_the_budget)
    sys.setswitchinterval(1e-6)
    other.start()
    try:
        for cents in range(60):
            sp.set_limits(max_cents=cents)
            seen = changes[0]
            wait_for(lambda seen=seen: changes[0] > seen + 1)
            wrong += [] if live.settings.max_cents == cents else [cents]
    finally:
        is_over.set()
        other.join()
        sys.setswitchinterval(before)
    assert wrong == []


def test_a_request_under_way_keeps_its_limits(live, service):
    """A lower limit does not stop a request that has begun, even if it buys in several rounds."""
    service.fail("latency", times=None, seconds=60)
    request = threading.Thread(target=sp.rent, args=(RENTED[:12],))
    request.start()
    wait_for(lambda: service.most_at_once)
    sp.set_limits(max_cents=0, budget_cents=0)
    service.release()
    request.join(20)
    assert len(service.requests) == 12
    with pytest.raises(sp.errors.CapExceeded):
        sp.rent(RENTED[12])


# A connect that drops a key


def test_where_warnings_are_errors_the_key_is_not_dropped(live, service):
    """With warnings as errors, the default client stays, and it still has its key."""
    with pytest.raises(sp.SuburbWarning, match="takes over no setting"):
        sp.connect(max_cents=30, budget_cents=9000)
    assert session.request_context().client is live
    assert len(sp.rent("Quokka Bay"))
    with pytest.warns(sp.SuburbWarning) as caught:
        sp.connect()
    assert caught[0].filename == __file__


def test_no_warning_where_no_key_given_in_code_is_lost(live, connect, monkeypatch):
    """A key in the new call is a decision, and so is that for the made-up suburbs.

    The same key from the environment, a key that came from there, and a client that was closed are no loss.
    """
    sp.connect(api_key="embedded")
    connect()
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    sp.connect(budget_cents=9000)
    monkeypatch.delenv("SUBURB_API_KEY")
    sp.connect(budget_cents=9000)
    with sp.connect(api_key=LIVE_KEY, store=":memory:"):
        pass
    sp.connect(budget_cents=9000)
