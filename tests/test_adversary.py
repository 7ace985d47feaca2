"""A bad day: many suburbs from a service that goes wrong in every way it knows, until all of them have arrived."""

import warnings

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.sandbox import serve
from suburb_pandas.sandbox.faults import Fault
from tests.conftest import LIVE_KEY, RENTED

NAMES = RENTED[:40]


def load_all(client):
    """Ask again and again, as a user would, and buy anew what came broken; give the frame and the tries it took."""
    for tries in range(1, 40):
        try:
            return sp.rent(NAMES, client=client, max_cents=10**6), tries
        except sp.BatchIncomplete as error:
            broken = [name for name, one in error.failures.items() if isinstance(one, sp.ContractViolation)]
            if broken:
                sp.rent(broken, client=client, refresh=True, errors="warn", max_cents=10**6)
    raise AssertionError("it never ended")


def bad_day(seed, store):
    """Have one bad day, check the books, and give what was tried."""
    with serve(error_rate=0.3, faults=tuple(Fault), seed=seed, wallet_cents=10**6, slow_seconds=0.1) as service:
        options = {"api_key": LIVE_KEY, "base_url": service.url, "budget_cents": 10**6, "timeout": 10}
        with warnings.catch_warnings(), sp.Client(store=store, **options) as client:
            warnings.simplefilter("ignore", sp.SuburbWarning)
            frame, tries = load_all(client)
            ledger = sp.ledger(client=client)
        calls, billed = len(service.requests), service.total_cents
        service.clear()
    # A connection that the service has just closed may take a call that it never saw, which is then unknown.
    assert 0 <= len(ledger) - calls <= (ledger["outcome"] == "unknown").sum()
    assert "sent" not in set(ledger["outcome"])
    cents = ledger.groupby("outcome")["cents"].sum()
    assert cents["billed"] <= billed <= cents["billed"] + cents.get("unknown", 0)
    return frame, tries, calls


@pytest.fixture(scope="module")
def expected():
    """Give the rents as they come on a good day."""
    with serve() as service, sp.Client(api_key="embedded", base_url=service.url) as client:
        return sp.rent(NAMES, client=client)


@pytest.mark.parametrize("days", [3, pytest.param(60, marks=pytest.mark.long)])
def test_after_a_bad_day_all_is_there_and_the_books_are_right(days, expected, tmp_path, record_property):
    """Every call is in the ledger, what was billed lies within what it has, and the frames are those of a good day."""
    tried = 0
    for seed in range(days):
        frame, _, calls = bad_day(seed, tmp_path / f"{seed}")
        tried += calls
        pd.testing.assert_frame_equal(frame, expected)
    record_property("calls", tried)
    print(f"{days} days, {tried} calls")  # noqa: T201 - the figure that a long run is made for
