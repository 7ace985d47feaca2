"""Answers that cannot be read or believed: what they may cost, what is kept of them, and what a later request does."""

from collections import Counter
from dataclasses import replace

import pytest

import suburb_pandas as sp
from suburb_pandas.errors import ContractViolation
from suburb_pandas.service import ENDPOINTS
from tests.support.common import RENTED

SIXTY_SIX = RENTED[:66]


@pytest.mark.parametrize("fault", ["truncated_json", "wrong_type"])
def test_a_service_that_answers_nothing_readable_costs_three_calls(live, service, fault):
    """Of sixty-six suburbs three are billed. The error says so, and what they cost; the next run costs three more."""
    service.fail(fault, times=None)
    for run in (1, 2):
        with pytest.raises(sp.errors.BatchIncomplete, match=r"the calls that failed cost up to 90 cents") as caught:
            sp.rent(SIXTY_SIX)
        assert "of which 63 were not asked for" in str(caught.value) or run == 2
        assert len(service.requests) == 3 * run
        assert service.total_cents == sp.ledger()["cents"].sum() == 90 * run
        assert Counter(type(error).__name__ for error in caught.value.failures.values()) == {
            "ContractViolation": 3 * run,
            "Unreachable": 66 - 3 * run,
        }


def test_unreadable_answers_are_kept_and_fail_at_no_new_cost(live, service):
    """A later request fails for free, and the line in the error of each buys it."""
    broken = RENTED[1], RENTED[3]
    for name in broken:
        service.fail("wrong_type", name=name)
    for cents in (30, 0):
        with pytest.raises(sp.errors.BatchIncomplete) as caught:
            sp.rent(RENTED[:6])
        assert {name: error.cents for name, error in caught.value.failures.items()} == dict.fromkeys(broken, cents)
    assert str(caught.value).endswith(str(caught.value.failures[broken[0]]))
    with pytest.raises(sp.errors.ContractViolation, match="bought for 30 cents and is stored") as one:
        sp.rent(broken[0])
    assert str(one.value).endswith(f"to buy the data again, run sp.rent({broken[0]!r}, refresh=True)")
    assert (sp.quote(RENTED[:6]).calls, len(service.requests)) == (0, 6)
    sp.rent(broken, refresh=True)
    assert sp.rent(RENTED[:6])["area_name"].nunique() == 6


def test_a_broken_look_up_says_how_to_make_it_again(live, service):
    """The line for a look-up has its query and its state. The stored body of one without a state can be shown."""
    service.answer("quokka", "geocode", body=b"{}")
    with pytest.raises(sp.errors.ContractViolation) as caught:
        sp.find("quokka", state="WA")
    assert "sp.find('quokka', state='WA', refresh=True)" in str(caught.value)
    with pytest.raises(sp.errors.ContractViolation, match=r"run sp\.vintages\('quokka', 'geocode', bodies=True\); to"):
        sp.find("quokka")
    assert sp.vintages("quokka", "geocode", bodies=True)["body"].to_list() == ["{}"]


def test_a_newer_version_that_can_read_an_answer_uses_it(live, service, monkeypatch):
    """An answer that could not be read is decoded again by each later request, so that an upgrade makes use of it."""

    def refuse(*_):
        raise ContractViolation("unreadable", status_code=200)

    with monkeypatch.context() as older:
        older.setitem(ENDPOINTS, "rent", replace(ENDPOINTS["rent"], decode=refuse))
        with pytest.raises(sp.errors.ContractViolation):
            sp.rent(RENTED[0])
    assert len(sp.rent(RENTED[0])) > 100
    assert len(service.requests) == 1
