"""Clocks that are wrong: set back, set forward, or different in each process that shares a store."""

import signal
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.service import calls
from tests.support.processes import NAMES, Worker, arrived, ask, ask_hastily, paying, sandbox

NOON = datetime(2026, 5, 1, 0, 30, tzinfo=UTC)
BACK = [timedelta(microseconds=0.8), timedelta(hours=1), timedelta(days=1), timedelta(days=400)]


@pytest.fixture
def service():
    """Run a sandbox in another process."""
    with sandbox() as running:
        yield running


@pytest.fixture
def set_clock(monkeypatch):
    """Return a function that sets the package's clock in this process."""
    return lambda now: monkeypatch.setattr(calls, "clock", lambda: now)


@pytest.mark.filterwarnings("ignore:The service sent rents that cannot be true")
@pytest.mark.parametrize("back", BACK, ids=str)
def test_what_was_bought_in_the_future_is_not_bought_again(service, tmp_path, set_clock, back):
    """A stored response is used even if its date is in the future; the newest is the one bought last."""
    set_clock(NOON)
    with sp.Client(**paying(service, tmp_path / "store")) as client:
        frame = sp.rent(NAMES[:3], client=client)
        set_clock(NOON - back)
        pd.testing.assert_frame_equal(sp.rent(NAMES[:3], client=client), frame)
        assert len(sp.rent(NAMES[3], client=client)) > 100
        sp.rent(NAMES[0], client=client, refresh=True)
        assert service.served()["rent", NAMES[0]] == 2
        retrieved = sp.rent(NAMES[0], client=client).attrs["suburb_pandas"]["retrieved_at"]
    assert datetime.fromisoformat(retrieved) == NOON - back
    assert service.served().total() == 5


@pytest.mark.filterwarnings("ignore:The service sent rents that cannot be true")
@pytest.mark.parametrize("back", BACK, ids=str)
def test_a_clock_set_back_opens_no_second_budget(service, tmp_path, set_clock, back):
    """Money spent in a future month also counts against the budgets of the months before it."""
    set_clock(NOON)
    with sp.Client(**paying(service, tmp_path / "store", budget_cents=90)) as client:
        sp.rent(NAMES[:2], client=client)
        set_clock(NOON - back)
        with pytest.raises(sp.errors.BudgetExceeded):
            sp.rent(NAMES[2:4], client=client)
        assert len(sp.rent(NAMES[2], client=client)) > 100
        with pytest.raises(sp.errors.BudgetExceeded):
            sp.rent(NAMES[3], client=client)
        set_clock(NOON + timedelta(days=31))
        assert len(sp.rent(NAMES[3], client=client)) > 100
    assert service.served() == Counter(("rent", name) for name in NAMES[:4])


@pytest.mark.parametrize("ahead", [
    pytest.param(timedelta(days=-1), marks=pytest.mark.long, id="behind"),
    pytest.param(timedelta(days=1), id="ahead"),
])  # fmt: skip
def test_a_slow_holder_is_not_overtaken_by_who_has_another_time(service, tmp_path, set_clock, ahead):
    """A lease does not depend on a clock that can be set: a second process waits for the call, and pays nothing."""
    service.fail("latency", times=1, seconds=0.8)
    settings = paying(service, tmp_path / "store", timeout=10)
    holder = Worker(ask, settings, ("rent", NAMES[0])).go()
    service.wait_until_called()
    set_clock(datetime.now(UTC) + ahead)
    with sp.Client(**settings) as client:
        frame = sp.rent(NAMES[0], client=client)
    pd.testing.assert_frame_equal(arrived(holder.result()[0]), frame)
    assert service.served() == {("rent", NAMES[0]): 1}


@pytest.mark.parametrize("end", [signal.SIGSTOP, signal.SIGKILL])
def test_who_does_not_come_back_holds_nobody_up_whose_clock_was_set_back(service, tmp_path, set_clock, end):
    """After the clock is set back a day, a process that is killed or suspended still blocks the others only briefly."""
    service.fail("latency", times=1, seconds=60)
    settings = paying(service, tmp_path / "store", timeout=0.5)
    holder = Worker(ask_hastily, settings, ("rent", NAMES[0])).go()
    service.wait_until_called()
    holder.signal(end)
    set_clock(datetime.now(UTC) - timedelta(days=1))
    start = time.monotonic()
    with sp.Client(**settings) as client:
        assert len(sp.rent(NAMES[0], client=client)) > 100
    assert time.monotonic() - start < 25
    holder.end()
