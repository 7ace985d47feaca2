"""The scorecard: the frames behind its numbers, what it costs, a call that fails, and the growth of its rents."""

from datetime import date

import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"


@pytest.mark.parametrize("at", [None, "2021-02-15"])
def test_its_numbers_are_those_of_the_frames_behind_it(embedded, at):
    """Rents, growth, unchanged days, sales and premiums equal those of rent, growth, quality and impact_summary.

    With `at`, rents are the last points at or before a date. Growth is that of the same point.
    """
    names = [BAY, "Emu Parade", "Lantern Bay (NSW)"]
    card, rents, summary = sp.scorecard(names, at=at), sp.rent(names, end=at), sp.impact_summary(names)
    growth = sp.growth(rents, detail=True).groupby("area_name", observed=True).tail(1).set_index("area_name")
    quality = sp.quality(rents, asof=at or "2026-04-30").set_index(["property_type", "area_name"])
    last = rents.groupby("area_name", observed=True).tail(1).set_index("area_name")
    median, premium = summary["median_price"], summary["total_premium"]
    expected = pd.DataFrame({"state": ["WA", "NSW", "NSW"]}, card.index)
    for kind in ("house", "unit"):
        expected[f"{kind}_rent"] = last[kind]
        expected[f"{kind}_rent_date"] = quality.loc[kind, "last"]
        expected[f"{kind}_unchanged_days"] = quality.loc[kind, "unchanged_days"]
        expected[f"{kind}_growth_1y_pct"] = 100 * growth[kind]
        expected[f"{kind}_growth_1y_base_date"] = growth[f"{kind}_base_date"]
    expected = expected.assign(
        median_price_all_sales=median,
        n_sales=summary["n_sales"],
        sales_flag=["caution", "thin", "ok"],
        house_rent_to_all_sales_price_pct=5200 * last["house"] / median,
        unit_rent_to_all_sales_price_pct=5200 * last["unit"] / median,
        total_premium=premium,
        total_premium_pct=100 * premium / median,
        top_driver=[sp.impacts(name)["label"][0] for name in names],
        retrieved_at=card["retrieved_at"],
        source="embedded",
        status="ok",
    )
    pd.testing.assert_frame_equal(card, expected, check_dtype=False)


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
    with pytest.warns(sp.SuburbWarning, match="repeated now"):
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
