"""The scorecard: one row for each suburb, even if its calls failed, with the same numbers as the frames behind it."""

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call
from tests.support.drivers import impacts_body

BAY, HEIGHTS, WOYLIE, LANTERN = "Quokka Bay", "Bilby Heights", "Woylie", "Lantern Bay (NSW)"


def test_every_suburb_has_a_row_with_its_status(embedded):
    """Suburbs come in the given order, each once. A failure is a status and raises no error.

    What one endpoint lacks, the other may have. Each endpoint warns of the suburbs without data, and one more warning
    names the suburbs that failed.
    """
    with pytest.warns(sp.SuburbWarning) as caught:
        card = sp.scorecard(["Thorny Devil", BAY, "Perentie", "Nowhere at All", "Rabbit-Proof Gate", WOYLIE, BAY])
    assert card["status"].to_dict() == {
        "Thorny Devil": "no data",
        BAY: "ok",
        "Perentie": "no data",
        "Nowhere at All": "UnknownSuburb",
        "Rabbit-Proof Gate": "no data",
        WOYLIE: "ok",
    }
    present = card[["house_rent", "unit_rent", "median_price_all_sales", "retrieved_at"]].notna()
    assert present.to_numpy().tolist() == [
        [False, False, False, True],
        [True, True, True, True],
        [True, True, False, True],
        [False, False, False, False],
        [False, False, True, True],
        [True, False, True, True],
    ]
    rents, impacts, failed = (str(warning.message) for warning in of_this_call(caught))
    assert "rent data for 'Thorny Devil', 'Rabbit-Proof Gate'" in rents
    assert "impacts data for 'Thorny Devil', 'Perentie'" in impacts
    assert "1 of 6 suburbs failed ('Nowhere at All': UnknownSuburb)" in failed
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("at", [None, "2021-02-15"])
def test_its_numbers_are_those_of_the_frames_behind_it(embedded, at):
    """Rents, growth, unchanged days, sales and premiums equal those of rent, growth, quality and impact_summary.

    With `at`, rents are the last points at or before a date. Growth is that of the same point.
    """
    names = [BAY, "Emu Parade", LANTERN]
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


@pytest.mark.parametrize("median", [0, -1])
def test_nothing_is_in_per_cent_of_no_price(live, service, median):
    """A median price of zero or less is valid, but no percentage is computed from it."""
    service.answer(BAY, "impacts", body=impacts_body(BAY, median_price=median))
    card = sp.scorecard(BAY)
    assert card["median_price_all_sales"].to_list() == [median]
    assert card.filter(regex="(price|premium)_pct|top_driver").isna().all(axis=None)


def test_an_option_that_cannot_be_read_is_refused_before_any_call(live, service):
    """An ambiguous date, and a length that is not a number of days or weeks, are refused before anything is sent."""
    for option, value in {"at": "05/12/2025", "max_lag": "2M", "smooth": "0D"}.items():
        with pytest.raises(ValueError, match=f"^{option} must be"):
            sp.scorecard(BAY, **{option: value})
    assert not service.requests


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


def test_it_says_what_it_is(live):
    """Attrs and a column name the source. `retrieved_at` is the time of the older of the two responses.

    The provenance has two responses for each suburb.
    """
    sp.rent(BAY)
    sp.impacts([BAY, HEIGHTS])
    card = sp.scorecard([BAY, HEIGHTS])
    found = sp.provenance(card)
    assert found.index.to_list() == [BAY, BAY, HEIGHTS, HEIGHTS]
    assert found["endpoint"].to_list() == ["rent", "impacts"] * 2
    assert card["retrieved_at"].to_list() == found["retrieved_at"].groupby(level=0, sort=False).min().to_list()
    marks = card.attrs["suburb_pandas"]
    of_kind = {"rent": "AUD per week", "unchanged_days": "days"}
    of_kind |= dict.fromkeys(["growth_1y_pct", "rent_to_all_sales_price_pct"], "per cent")
    assert marks.pop("unit") == {
        **{f"{kind}_{column}": unit for kind in ("house", "unit") for column, unit in of_kind.items()},
        "median_price_all_sales": "AUD",
        "n_sales": "sales",
        "total_premium": "AUD",
        "total_premium_pct": "per cent",
    }
    assert marks == {"endpoint": "scorecard", "source": "live", "made_up": True}
    assert set(card["source"]) == {"live"}
