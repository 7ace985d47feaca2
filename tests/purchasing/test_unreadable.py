"""Answers that cannot be read or believed: what they may cost, what is kept of them, and what a later request does."""

import pytest

import suburb_pandas as sp


def test_unreadable_answers_are_kept_and_fail_at_no_new_cost(live, service):
    """A later request fails for free, and the line in the error of each buys it."""
    broken = dict(zip(("Lantern Bay (NSW)", "Woylie"), ("truncated_json", "wrong_name"), strict=True))
    names = ["Quokka Bay", *broken]
    for name, fault in broken.items():
        service.fail(fault, name=name)
    for cents in (30, 0):
        with pytest.raises(sp.errors.BatchIncomplete) as caught:
            sp.rent(names)
        assert {name: error.cents for name, error in caught.value.failures.items()} == dict.fromkeys(broken, cents)
        assert set(caught.value.frame["area_name"]) == {"Quokka Bay"}
    assert len(service.requests) == 3
    for name, error in caught.value.failures.items():
        exec(str(error).rpartition("run ")[2], {"sp": sp})  # noqa: S102 - the line that the package printed
        assert service.served["rent", name] == 2
    assert sp.rent(names)["area_name"].nunique() == 3
