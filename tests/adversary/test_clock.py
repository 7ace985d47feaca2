"""Clocks that are wrong: set back, set forward, or different in each process that shares a store."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.service import calls
from tests.support.common import wait_for
from tests.support.processes import NAMES, Worker, arrived, ask, paying

NOON = datetime(2026, 5, 1, 0, 30, tzinfo=UTC)
BACK = [timedelta(microseconds=0.8), timedelta(days=1), timedelta(days=400)]

pytestmark = pytest.mark.filterwarnings(
    "ignore:The service sent rents that cannot be true", "ignore::suburb_pandas.errors.StaleDataWarning"
)


@pytest.fixture
def set_clock(monkeypatch):
    """Return a function that sets the package's clock in this process."""
    return lambda now: monkeypatch.setattr(calls, "clock", lambda: now)


@pytest.mark.parametrize("back", BACK, ids=str)
def test_what_was_bought_in_the_future_is_used_and_counts(service, tmp_path, set_clock, back):
    """A response dated in the future is used and counts against the budget of each month before; a refresh is newer.

    If it is dated more than a day ahead, nobody knows its age: `max_age` buys it again, a warning and the error say so.
    """
    is_of_unknown_age = back > timedelta(days=1)
    set_clock(NOON)
    with sp.Client(**paying(service, tmp_path / "store", budget_cents=120)) as client:
        frame = sp.rent(NAMES[:3], client=client)
        set_clock(NOON - back)
        with pytest.warns(sp.errors.StaleDataWarning) if is_of_unknown_age else nullcontext():
            pd.testing.assert_frame_equal(sp.rent(NAMES[:3], client=client), frame)
        assert sp.quote(NAMES[:3], max_age="3650D", client=client).calls == 3 * is_of_unknown_age
        sp.rent(NAMES[0], client=client, refresh=True)
        retrieved = sp.rent(NAMES[0], client=client).attrs["suburb_pandas"]["retrieved_at"]
        with pytest.raises(sp.errors.BudgetExceeded) as over:
            sp.rent(NAMES[3], client=client)
        assert ("dated in the future, up to 2026-05-01" in str(over.value)) is is_of_unknown_age
        set_clock(NOON + timedelta(days=31))
        sp.rent(NAMES[3], client=client)
    assert datetime.fromisoformat(retrieved) == NOON - back
    assert service.served().total() == 5


def test_a_lease_does_not_depend_on_a_clock_that_can_be_set(service, tmp_path, set_clock, caplog):
    """A process whose clock is a day ahead of the others' waits for their calls, and does not take them for dead."""
    caplog.set_level("INFO", "suburb_pandas")
    service.fail("latency", times=1, seconds=60)
    settings = paying(service, tmp_path / "store", timeout=60)
    holder = Worker(ask, settings, ("rent", NAMES[0])).go()
    service.wait_until_called()
    set_clock(datetime.now(UTC) + timedelta(days=1))
    with ThreadPoolExecutor(1) as pool:
        waiter = pool.submit(ask, settings, ("rent", NAMES[0]))
        wait_for(lambda: "Waiting for" in caplog.text)
        service.release()
        pd.testing.assert_frame_equal(arrived(*waiter.result()), arrived(*holder.result()))
    assert service.served().total() == 1
