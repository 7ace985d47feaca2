"""The scorecard: what it costs, a call that fails, and the growth of its rents."""

from datetime import date

import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"


def test_one_cap_applies_to_both_endpoints(live, service):
    """A scorecard of one suburb costs 40 cents, less what is stored. One cap applies to both endpoints together."""
    sp.rent(BAY)
    with pytest.raises(sp.errors.CapExceeded, match="50 cents") as caught:
        sp.scorecard([BAY, HEIGHTS], max_cents=49)
    assert caught.value.frame["status"].to_list() == ["CapExceeded"] * 2
    assert caught.value.frame["house_rent"].notna().to_list() == [True, False]
    assert service.total_cents == 30
    assert sp.scorecard([BAY, HEIGHTS], max_cents=50)["status"].to_list() == ["ok"] * 2
    assert service.total_cents == 80


def test_one_answer_that_fails_is_its_suburbs_status(live, service):
    """If one call of a suburb fails, its error is the status, beside the other endpoint's numbers.

    The next request buys only the missing response.
    """
    service.fail("server_error", endpoint="impacts", name=BAY)
    message = (
        r"1 of 2 suburbs failed \('Quokka Bay': ServiceError\); 3 of 4 responses arrived \(in the frame, and stored\); "
        "the responses cost 70 cents; the calls that failed cost up to 10 cents"
    )
    with pytest.warns(sp.SuburbWarning, match=message):
        card = sp.scorecard([BAY, HEIGHTS])
    assert card["status"].to_list() == ["ServiceError", "ok"]
    assert card["house_rent"].notna().all()
    assert sp.scorecard([BAY, HEIGHTS])["status"].to_list() == ["ok", "ok"]
    assert service.served[("rent", BAY)] == 1


@pytest.mark.usefixtures("embedded")
@law(
    some=20,
    name=st.sampled_from([BAY, "Coolibah Track", "Nulla Brolga", "Woylie"]),
    at=st.dates(date(2018, 6, 1), date(2026, 5, 10)),
    days=st.none() | st.integers(1, 200),
)
def test_growth_is_that_of_the_rents_until_then(name, at, days):
    """Growth is that of `growth` at the date of the rent, and so is its base. No point after that date is used.

    With `smooth`, it is from the mean up to the day a year earlier to the mean up to the date of the rent.
    """
    smooth = days and f"{days}D"
    card = sp.scorecard(name, at=at, max_lag="62D", smooth=smooth).loc[name]
    grown = sp.growth(sp.rent(name, end=at), smooth=smooth, detail=True)
    for kind in ("house", "unit"):
        expected = grown.reindex([card[f"{kind}_rent_date"]]).iloc[0]
        assert card[f"{kind}_growth_1y_pct"] == pytest.approx(100 * expected[kind], nan_ok=True)
        assert str(card[f"{kind}_growth_1y_base_date"]) == str(expected[f"{kind}_base_date"])
