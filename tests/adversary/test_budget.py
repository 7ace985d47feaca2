"""The budget of a store from which many processes spend at the same time."""

from collections import Counter

import pytest

import suburb_pandas as sp
from tests.support.processes import NAMES, ask, books, paying, race, sandbox

TEN_CALLS = 300
TIMES = pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.long)])


def share(number, count):
    """Return the suburbs that only process `number` requests."""
    return NAMES[number * count : (number + 1) * count]


def race_for(settings, lookups):
    """Let each process make its own requests, and return every request with its frame or error."""
    results = race([(ask, settings, *mine) for mine in lookups])
    return [pair for mine, ended in zip(lookups, results, strict=True) for pair in zip(mine, ended, strict=True)]


def suburbs_of(lookup):
    """Return the suburbs of a request as a list."""
    suburbs = lookup[1]
    return [suburbs] if isinstance(suburbs, str) else suburbs


def check_spending(service, settings, ended):
    """Check that a request either got every suburb or was over the budget and sent nothing. Return the calls served."""
    served = service.served()
    for lookup, result in ended:
        calls = sum(served[lookup[0], name] for name in suburbs_of(lookup))
        if isinstance(result, sp.SuburbError):
            assert type(result) is sp.errors.BudgetExceeded, result
            assert calls == 0
        else:
            assert calls == len(suburbs_of(lookup))
    ledger = books(settings)
    assert Counter(ledger["outcome"]) == {"billed": served.total()}
    assert ledger["cents"].sum() == service.tally()["cents"] <= TEN_CALLS
    assert len(service.tally()["requests"]) == served.total()
    return served.total()


@TIMES
def test_requests_of_one_suburb_never_send_an_eleventh_call(tmp_path, times, trial):
    """Eight processes with a budget of ten calls send ten; every later request raises BudgetExceeded."""
    for number in range(times):
        with sandbox(latency_ms=5) as service:
            settings = paying(service, tmp_path / f"{number}", budget_cents=TEN_CALLS)
            ended = race_for(settings, [[("rent", name) for name in share(process, 6)] for process in range(8)])
            assert check_spending(service, settings, ended) == 10
    trial("8 processes make 48 requests under a budget of 10 calls", "10 calls are sent", races=times)


@TIMES
def test_batches_are_within_the_budget_as_a_whole_or_send_nothing(tmp_path, times, trial):
    """A batch that does not fit into the budget sends nothing: a budget of ten calls fits two batches of four."""
    for number in range(times):
        with sandbox(latency_ms=5) as service:
            settings = paying(service, tmp_path / f"{number}", budget_cents=TEN_CALLS, max_workers=2)
            ended = race_for(settings, [[("rent", share(process, 4))] for process in range(8)])
            assert check_spending(service, settings, ended) == 8
    trial("8 batches of 4 calls under a budget of 10 calls", "two batches are sent, whole", races=times)


def mixed_lookups(process, size):
    """Return a batch, a single suburb and a batch at the lower price, in an order that depends on the process."""
    *many, one = share(process, 13)
    lookups = [("rent", many[:size]), ("rent", one), ("impacts", many)]
    return lookups[process % 3 :] + lookups[: process % 3]


@TIMES
def test_batches_of_all_sizes_and_both_prices_stay_within_the_budget(tmp_path, times, trial):
    """A request that does not fit spends nothing, so a smaller or cheaper one may still fit into the budget."""
    for number in range(times):
        with sandbox(latency_ms=3) as service:
            settings = paying(service, tmp_path / f"{number}", budget_cents=TEN_CALLS)
            lookups = [mixed_lookups(process, size) for process, size in enumerate((1, 2, 3, 4, 5, 6, 11, 12))]
            check_spending(service, settings, race_for(settings, lookups))
    held = "each is sent whole or not at all; the bill stays within the budget"
    trial("24 batches of 1 to 12 calls, at two prices, under a budget of 10 calls", held, races=times)


def test_who_finds_the_budget_held_by_a_live_plan_for_the_same_suburbs_pays_nothing(tmp_path):
    """Eight processes that request the same ten suburbs reserve and spend the price of ten calls, and all get them."""
    with sandbox(latency_ms=20) as service:
        settings = paying(service, tmp_path / "store", budget_cents=TEN_CALLS, max_workers=2)
        for (frame,) in race([(ask, settings, ("rent", NAMES[:10]))] * 8):
            assert frame["area_name"].nunique() == 10
        assert service.served() == Counter(("rent", name) for name in NAMES[:10])


def test_a_call_whose_outcome_is_unknown_counts_in_full_for_all(tmp_path):
    """A call that is lost after it was sent counts against the budget at its full price, for every process."""
    with sandbox(latency_ms=5) as service:
        for name in NAMES[:10:2]:
            service.fail("dropped_before", name=name)
        settings = paying(service, tmp_path / "store", budget_cents=TEN_CALLS)
        race([(ask, settings, ("rent", name)) for name in NAMES[:10]])
        assert Counter(books(settings)["outcome"]) == {"billed": 5, "unknown": 5}
        for (error,) in race([(ask, settings, ("impacts", name)) for name in NAMES[:8]]):
            assert type(error) is sp.errors.BudgetExceeded
        assert len(service.tally()["requests"]) == 10
