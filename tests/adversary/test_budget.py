"""The budget of a store, with many processes that spend from it at once."""

from collections import Counter

import pytest

import suburb_pandas as sp
from tests.support.processes import NAMES, ask, books, paying, race, sandbox

TEN_CALLS = 300
TIMES = pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.long)])


def share(number, count):
    """Give the suburbs that one process wants, and no other does."""
    return NAMES[number * count : (number + 1) * count]


def race_for(settings, lookups):
    """Let eight processes make requests of their own, and give all requests with how each ended."""
    answers = race([(ask, settings, *mine) for mine in lookups])
    return [pair for mine, given in zip(lookups, answers, strict=True) for pair in zip(mine, given, strict=True)]


def suburbs_of(lookup):
    """Give the suburbs of a request, which may be one or many."""
    suburbs = lookup[1]
    return [suburbs] if isinstance(suburbs, str) else suburbs


def check_spending(service, settings, ended):
    """Whoever did not get it all was over the budget and sent nothing; give how many calls were served."""
    served = service.served()
    for lookup, answer in ended:
        calls = sum(served[lookup[0], name] for name in suburbs_of(lookup))
        if isinstance(answer, sp.SuburbError):
            assert type(answer) is sp.BudgetExceeded, answer
            assert calls == 0
        else:
            assert calls == len(suburbs_of(lookup))
    ledger = books(settings)
    assert Counter(ledger["outcome"]) == {"billed": served.total()}
    assert ledger["cents"].sum() == service.tally()["cents"] <= TEN_CALLS
    assert len(service.tally()["requests"]) == served.total()
    return served.total()


@TIMES
def test_requests_of_one_suburb_never_send_an_eleventh_call(tmp_path, times):
    """Eight processes ask in a loop: ten calls are sent, and all who come later are told that the budget is over."""
    for number in range(times):
        with sandbox(latency_ms=5) as service:
            settings = paying(service, tmp_path / f"{number}", budget_cents=TEN_CALLS)
            ended = race_for(settings, [[("rent", name) for name in share(process, 6)] for process in range(8)])
            assert check_spending(service, settings, ended) == 10
    print(f"{times} times 8 processes, budget of 10 calls, 48 requests: 10 calls sent each time")  # noqa: T201 - figure


@TIMES
def test_batches_are_within_the_budget_as_a_whole_or_send_nothing(tmp_path, times):
    """Of eight batches of four calls two fit into a budget of ten; no third one begins."""
    for number in range(times):
        with sandbox(latency_ms=5) as service:
            settings = paying(service, tmp_path / f"{number}", budget_cents=TEN_CALLS, max_workers=2)
            ended = race_for(settings, [[("rent", share(process, 4))] for process in range(8)])
            assert check_spending(service, settings, ended) == 8


def wants_of_all_kinds(process, size):
    """Give a batch, a single suburb and a batch at the lower price, in an order of the process's own."""
    *many, one = share(process, 13)
    wants = [("rent", many[:size]), ("rent", one), ("impacts", many)]
    return wants[process % 3 :] + wants[: process % 3]


@TIMES
def test_batches_of_all_sizes_and_both_prices_stay_within_the_budget(tmp_path, times):
    """What does not fit leaves room for what does; impacts at 10 cents fill what rents at 30 leave over."""
    for number in range(times):
        with sandbox(latency_ms=3) as service:
            settings = paying(service, tmp_path / f"{number}", budget_cents=TEN_CALLS)
            lookups = [wants_of_all_kinds(process, size) for process, size in enumerate((1, 2, 3, 4, 5, 6, 11, 12))]
            check_spending(service, settings, race_for(settings, lookups))


def test_who_finds_the_budget_held_by_a_live_plan_for_the_same_suburbs_pays_nothing(tmp_path):
    """Eight processes want the same ten suburbs under a budget of ten calls: held once, bought once, got by all."""
    with sandbox(latency_ms=20) as service:
        settings = paying(service, tmp_path / "store", budget_cents=TEN_CALLS, max_workers=2)
        for (answer,) in race([(ask, settings, ("rent", NAMES[:10]))] * 8):
            assert answer["area_name"].nunique() == 10
        assert service.served() == Counter(("rent", name) for name in NAMES[:10])


def test_a_call_whose_outcome_is_unknown_counts_in_full_for_all(tmp_path):
    """Half of ten calls are lost after they were sent: their price is spent, and the budget with it."""
    with sandbox(latency_ms=5) as service:
        for name in NAMES[:10:2]:
            service.fail("dropped_before", name=name)
        settings = paying(service, tmp_path / "store", budget_cents=TEN_CALLS)
        race([(ask, settings, ("rent", name)) for name in NAMES[:10]])
        assert Counter(books(settings)["outcome"]) == {"billed": 5, "unknown": 5}
        for (answer,) in race([(ask, settings, ("impacts", name)) for name in NAMES[:8]]):
            assert type(answer) is sp.BudgetExceeded
        assert len(service.tally()["requests"]) == 10
