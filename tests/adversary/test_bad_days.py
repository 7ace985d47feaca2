"""Bad days: many suburbs from a service that goes wrong in every way it knows, until all of them have arrived."""

import warnings
from collections import Counter

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.sandbox.adversary.faults import Fault
from tests.support.common import plain_sqlite
from tests.support.processes import NAMES, arrived, ask, books, paying, race, sandbox

FORTY = NAMES[:40]
BROKEN = {Fault.TRUNCATED_JSON, Fault.MALFORMED_JSON, Fault.WRONG_NAME, Fault.WRONG_TYPE, Fault.MISSING_FIELD}
"""Faults whose answers are paid for, kept, and of no use."""


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Give the rents as they come on a good day."""
    with sandbox() as service:
        ((answer,),) = race([(ask, paying(service, tmp_path_factory.mktemp("good") / "store"), ("rent", FORTY))])
        return arrived(answer)


def bad_service(seed, faults=tuple(Fault)):
    """Run a service that meets a fault in three calls of ten."""
    return sandbox(error_rate=0.3, faults=faults, seed=seed, slow_seconds=0.1)


def load_all(settings):
    """Ask again and again, as a user would, and buy anew what came broken; give the frame and how often that was."""
    anew = Counter()
    with warnings.catch_warnings(), sp.Client(**settings) as client:
        warnings.simplefilter("ignore", sp.SuburbWarning)
        for _ in range(40):
            try:
                return sp.rent(FORTY, client=client), anew
            except sp.BatchIncomplete as error:
                broken = [name for name, one in error.failures.items() if isinstance(one, sp.ContractViolation)]
                anew.update(broken)
                if broken:
                    sp.rent(broken, client=client, refresh=True, errors="warn")
    raise AssertionError("it never ended")


def check_books(service, settings, anew):
    """Every call is in the ledger, none was made for what was stored, and no response that was paid for is lost."""
    tally, ledger = service.tally(), books(settings)
    rows = Counter(ledger["outcome"])
    assert "sent" not in rows
    # A connection that the service has just closed may take a call that it never saw, which is then unknown.
    assert 0 <= len(ledger) - len(tally["requests"]) <= rows["unknown"]
    cents = ledger.groupby("outcome")["cents"].sum()
    assert cents["billed"] <= tally["cents"] <= cents["billed"] + cents.get("unknown", 0)
    with plain_sqlite(settings["store"]) as plain:
        assert plain.execute("select count(*) from response").fetchone() == (rows["billed"],)
    for name, outcomes in ledger.groupby("area_name")["outcome"]:
        # Each time it was bought anew brings one response more, unless that try failed.
        assert 1 <= (outcomes == "billed").sum() <= 1 + anew[name]
        assert outcomes.iloc[-1] == "billed" or anew[name]
    return len(tally["requests"]), rows


@pytest.mark.parametrize("days", [3, pytest.param(60, marks=pytest.mark.long)])
def test_after_a_bad_day_all_is_there_and_the_books_are_right(days, expected, tmp_path):
    """Every call is in the ledger, what was billed lies within what it has, and the frames are those of a good day."""
    calls, rows = 0, Counter()
    for seed in range(days):
        with bad_service(seed) as service:
            settings = paying(service, tmp_path / f"{seed}", timeout=10)
            frame, anew = load_all(settings)
            made, outcomes = check_books(service, settings, anew)
            again, _ = load_all(settings)
            assert len(service.tally()["requests"]) == made
        pd.testing.assert_frame_equal(frame, expected)
        pd.testing.assert_frame_equal(again, expected)
        calls, rows = calls + made, rows + outcomes
    print(f"{days} bad days, {calls} calls ({dict(rows)}): none lost, none bought twice")  # noqa: T201 - the figure


@pytest.mark.parametrize("days", [1, pytest.param(20, marks=pytest.mark.long)])
def test_on_a_bad_day_many_processes_buy_each_response_once(days, expected, tmp_path):
    """Four processes at once until each has all: what failed is tried again by one of them, what came is for all."""
    calls, rows = 0, Counter()
    for seed in range(days):
        with bad_service(seed, tuple(set(Fault) - BROKEN)) as service:
            settings = paying(service, tmp_path / f"{seed}", timeout=10)
            for frame, anew in race([(load_all, settings)] * 4, seconds=120):
                pd.testing.assert_frame_equal(frame, expected)
                assert not anew
            made, outcomes = check_books(service, settings, Counter())
            assert outcomes["billed"] == len(FORTY)
        calls, rows = calls + made, rows + outcomes
    print(f"{days} bad days of 4 processes, {calls} calls ({dict(rows)}): none bought twice")  # noqa: T201 - the figure
