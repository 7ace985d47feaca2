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


def test_set_limits_changes_the_limits_and_nothing_else(live, service):
    """The client, its open store, its key and what it has spent stay. What `connect` returned has the new limits."""
    sp.rent("Quokka Bay")
    store, before = live.store, live.settings
    assert sp.set_limits(max_cents=300, budget_cents=700) is None
    assert live.store is store
    assert "at most 300 cents a request, 700 a month" in repr(live)
    assert "spent 30 cents this session, 30 this month" in repr(live)
    kept = [name for name in type(before).__slots__ if name not in {"max_cents", "budget_cents", "origins"}]
    assert [getattr(live.settings, name) for name in kept] == [getattr(before, name) for name in kept]
    changed = {name for name, origin in live.settings.origins.items() if origin != before.origins[name]}
    assert changed == {"max_cents", "budget_cents"}
    assert live.settings.origins["max_cents"] == "set_limits"
    assert len(sp.rent("Quokka Bay"))
    assert len(service.requests) == 1


@given(steps=st.lists(st.tuples(limit, limit).filter(any), max_size=5))
def test_a_limit_that_is_not_given_stays(steps):
    """After any number of changes, each limit is the last one that was given."""
    with sp.connect(api_key="test", store=":memory:", max_cents=7, budget_cents=8) as client:
        expected = [7, 8]
        for cap, budget in steps:
            sp.set_limits(max_cents=cap, budget_cents=budget)
            expected = [old if new is None else new for new, old in zip((cap, budget), expected, strict=True)]
        assert [client.settings.max_cents, client.settings.budget_cents] == expected


@pytest.mark.parametrize("close_one", [True, False])
def test_set_limits_makes_the_default_client_if_there_is_none(monkeypatch, tmp_path, close_one):
    """Without a default client, or after it was closed, one is made from the environment, with the new limit."""
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    if close_one:
        sp.connect(api_key="embedded").close()
    sp.set_limits(budget_cents=1)
    client = session.request_context().client
    assert (client.source, client.settings.max_cents, client.settings.budget_cents) == ("live", 2000, 1)
    assert not (tmp_path / "data").exists()


def test_without_a_limit_the_error_has_the_line(live):
    """A call without a limit changes nothing and shows how to write it."""
    with pytest.raises(sp.errors.SettingsError, match=r"as in max_cents=2000, budget_cents=5000$"):
        sp.set_limits()
    assert live.settings.origins["max_cents"] == "default"


@pytest.mark.parametrize("bad", [-1, float("nan")])
@pytest.mark.parametrize("name", ["max_cents", "budget_cents"])
def test_a_limit_that_cannot_be_used_changes_nothing(live, name, bad):
    """As in connect, a limit is a whole number of at least 0. A good one beside a bad one is not set either."""
    good = {"max_cents": 1, "budget_cents": 2}
    with pytest.raises(sp.errors.SettingsError, match=f"^{name} must be a whole number of at least 0"):
        sp.set_limits(**good | {name: bad})
    assert (live.settings.max_cents, live.settings.budget_cents) == (2000, 5000)


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


def test_a_connect_that_drops_a_key_says_so(live, service, tmp_path):
    """The warning says where the data come from now, and has the line for limits alone."""
    with pytest.warns(sp.SuburbWarning) as caught:
        client = sp.connect(budget_cents=9000)
    (warning,) = caught
    assert str(warning.message) == (
        "This sp.connect() has no api_key=, and takes over no setting that was given in code before: all suburbs are "
        'made up from now on. Nothing was sent; sp.connect(api_key="embedded"), or a key of your own, causes no such '
        "warning. To change only the limits, run the earlier sp.connect(...) again and then "
        "sp.set_limits(budget_cents=9000)"
    )
    assert warning.filename == __file__
    assert client.source == "embedded"


def test_where_warnings_are_errors_the_key_is_not_dropped(live, service):
    """With warnings as errors, the default client stays, and it still has its key."""
    with pytest.raises(sp.SuburbWarning, match="takes over no setting"):
        sp.connect(max_cents=30, budget_cents=9000)
    assert session.request_context().client is live
    assert len(sp.rent("Quokka Bay"))


def test_a_key_of_the_environment_in_place_of_the_one_in_code_is_named(live, monkeypatch):
    """If the environment has another key, the warning says that it is used, and shows neither key."""
    monkeypatch.setenv("SUBURB_API_KEY", "mib_live_of_the_environment")
    sp.set_limits(max_cents=70)
    with pytest.warns(sp.SuburbWarning, match="the key now comes from the environment, SUBURB_API_KEY") as caught:
        sp.connect()
    assert str(caught[0].message).endswith("sp.set_limits(max_cents=..., budget_cents=...)")
    assert "mib_live" not in str(caught[0].message)


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
