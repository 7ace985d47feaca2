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
        failures = caught.value.failures.items()
        assert {name: (error.cents, error.retryable) for name, error in failures} == dict.fromkeys(
            broken, (cents, False)
        )
        assert set(caught.value.frame["area_name"]) == {"Quokka Bay"}
    for name in broken:
        with pytest.raises(sp.errors.ContractViolation, match="bought for 30 cents and is stored") as one:
            sp.rent(name)
        assert str(one.value).endswith(f"to buy the data again, run sp.rent({name!r}, refresh=True)")
        assert one.value.path.startswith("$")
        assert one.value.request_id
    assert len(service.requests) == 3
    sp.rent(list(broken), refresh=True)
    assert sp.rent(names)["area_name"].nunique() == 3


def test_a_broken_look_up_says_how_to_make_it_again(live, service):
    """The line for a look-up has its query and its state. The stored body of one without a state can be shown."""
    service.answer("quokka", "geocode", body=b"{}")
    with pytest.raises(sp.errors.ContractViolation, match=r"sp\.find\('quokka', state='WA', refresh=True\)"):
        sp.find("quokka", state="WA")
    with pytest.raises(sp.errors.ContractViolation, match=r"run sp\.vintages\('quokka', 'geocode', bodies=True\); to"):
        sp.find("quokka")
    assert sp.vintages("quokka", "geocode", bodies=True)["body"].to_list() == ["{}"]
