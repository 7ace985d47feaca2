"""The budget of a store from which many processes spend at the same time."""

from itertools import chain

import pytest

import suburb_pandas as sp
from tests.support.processes import NAMES, ask, books, paying, race, sandbox

TEN_CALLS = 300


def lookups_of(process):
    """Return a batch, a single suburb and a batch at the lower price, in an order that depends on the process."""
    *many, one = NAMES[process * 13 : process * 13 + 13]
    lookups = [("rent", many[: (1, 2, 3, 4, 5, 6, 11, 12)[process]]), ("rent", [one]), ("impacts", many)]
    return lookups[process % 3 :] + lookups[: process % 3]


@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.long)])
def test_a_request_is_within_the_budget_as_a_whole_or_sends_nothing(tmp_path, times, trial):
    """Eight processes never spend more than the budget of ten calls. What still fits may be spent."""
    for number in range(times):
        with sandbox(latency_ms=5) as service:
            settings = paying(service, tmp_path / f"{number}", budget_cents=TEN_CALLS)
            jobs = [lookups_of(process) for process in range(8)]
            results = race([(ask, settings, *mine) for mine in jobs])
            served, cents = service.served(), service.tally()["cents"]
            assert service.tally()["calls"] == served.total()
        for (endpoint, names), result in zip(chain(*jobs), chain(*results), strict=True):
            is_over = type(result) is sp.errors.BudgetExceeded
            assert is_over or not isinstance(result, sp.SuburbError)
            assert sum(served[endpoint, name] for name in names) == (0 if is_over else len(names))
            assert not is_over or result.quote.cents > TEN_CALLS - cents
        assert books(settings)["cents"].sum() == cents <= TEN_CALLS
    tried = "8 processes make requests of 1 to 12 calls, at two prices, under a budget of 10 calls"
    held = "each is sent whole or not at all; the bill stays within the budget"
    trial(tried, held, races=times)
