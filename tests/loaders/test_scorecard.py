"""The scorecard: one row for each suburb, even if its calls failed, with the same numbers as the frames behind it."""

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call
from tests.support.drivers import impacts_body

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"

RENT_COLUMNS = ["rent", "rent_date", "unchanged_days", "growth_1y_pct", "growth_1y_base_date"]
COLUMNS = [
    "state",
    *(f"house_{column}" for column in RENT_COLUMNS),
    *(f"unit_{column}" for column in RENT_COLUMNS),
    "median_price_all_sales",
    "n_sales",
    "sales_flag",
    "house_rent_to_all_sales_price_pct",
    "unit_rent_to_all_sales_price_pct",
    "total_premium",
    "total_premium_pct",
    "top_driver",
    "retrieved_at",
    "source",
    "status",
]


@pytest.fixture
def every_kind(embedded):
    """Return a scorecard and its warnings for suburbs with complete, partial and no data, and for an unknown one."""
    names = ["Thorny Devil", BAY, "Perentie", "Nowhere at All", "Rabbit-Proof Gate", WOYLIE, BAY]
    with pytest.warns(sp.SuburbWarning) as caught:
        card = sp.scorecard(names)
    return card, of_this_call(caught)


def test_every_suburb_has_a_row_with_its_status(every_kind):
    """Suburbs come in the given order, each once. A failure is a status and raises no error."""
    card, _ = every_kind
    assert list(card.columns) == COLUMNS
    assert card.index.name == "area_name"
    assert card["status"].to_dict() == {
        "Thorny Devil": "no data",
        BAY: "ok",
        "Perentie": "no data",
        "Nowhere at All": "UnknownSuburb",
        "Rabbit-Proof Gate": "no data",
        WOYLIE: "ok",
    }


def test_what_one_endpoint_lacks_the_other_may_have(every_kind):
    """A suburb without rents keeps its sales, one without sales its rents, and one without units its houses."""
    card, _ = every_kind
    present = card[["house_rent", "unit_rent", "median_price_all_sales", "retrieved_at"]].notna()
    assert present.loc["Perentie"].to_list() == [True, True, False, True]
    assert present.loc["Rabbit-Proof Gate"].to_list() == [False, False, True, True]
    assert present.loc[WOYLIE].to_list() == [True, False, True, True]
    assert present.loc["Nowhere at All"].to_list() == [False] * 4


def test_what_is_missing_is_warned_of(every_kind):
    """Each endpoint warns of the suburbs without data. One more warning names the suburbs that failed."""
    _, caught = every_kind
    texts = [str(warning.message) for warning in caught]
    assert [warning.category for warning in caught] == [
        sp.errors.NoDataWarning,
        sp.errors.NoDataWarning,
        sp.SuburbWarning,
    ]
    assert "rent data for 'Thorny Devil', 'Rabbit-Proof Gate'" in texts[0]
    assert "impacts data for 'Thorny Devil', 'Perentie'" in texts[1]
    assert "1 of 6 suburbs failed ('Nowhere at All': UnknownSuburb)" in texts[2]
    assert {warning.filename for warning in caught} == {__file__}


def test_its_numbers_are_those_of_the_frames_behind_it(embedded):
    """Rents, growth, unchanged days, sales and premiums equal those of rent, growth, quality and impact_summary."""
    names = [BAY, HEIGHTS, "Lantern Bay (NSW)"]
    card, rents, summary = sp.scorecard(names), sp.rent(names), sp.impact_summary(names)
    last = rents.groupby("area_name", observed=True).tail(1).set_index("area_name")
    growth = sp.growth(rents, detail=True).groupby("area_name", observed=True).tail(1).set_index("area_name")
    quality = sp.quality(rents, asof="2026-04-30").set_index(["property_type", "area_name"])
    for kind in ("house", "unit"):
        assert card[f"{kind}_rent"].to_list() == last[kind].to_list()
        assert card[f"{kind}_growth_1y_pct"].to_list() == pytest.approx((100 * growth[kind]).to_list())
        assert card[f"{kind}_growth_1y_base_date"].to_list() == growth[f"{kind}_base_date"].to_list()
        assert card[f"{kind}_unchanged_days"].to_list() == quality.loc[kind, "unchanged_days"].to_list()
        assert card[f"{kind}_rent_date"].to_list() == quality.loc[kind, "last"].to_list()
        ratio = 5200 * card[f"{kind}_rent"] / summary["median_price"]
        assert card[f"{kind}_rent_to_all_sales_price_pct"].to_list() == pytest.approx(ratio.to_list())
    assert card["n_sales"].equals(summary["n_sales"])
    assert card["n_sales"].dtype == "Int64"
    assert card["total_premium_pct"].to_list() == pytest.approx(
        (100 * summary["total_premium"] / summary["median_price"]).to_list()
    )
    assert card["top_driver"].to_list() == [sp.impacts(name)["label"].iloc[0] for name in names]
    assert card["state"].to_list() == ["WA", "NSW", "NSW"]


def test_at_puts_all_rents_on_one_date(embedded):
    """With `at`, rents are the last points at or before a date. Growth is that of the same point."""
    card = sp.scorecard([BAY, HEIGHTS], at="2021-02-15")
    assert set(card["house_rent_date"]) == {pd.Timestamp("2021-01-31")}
    rents = sp.rent(BAY)
    assert card.loc[BAY, "house_rent"] == rents.loc["2021-01-31", "house"]
    assert card.loc[BAY, "house_growth_1y_pct"] == pytest.approx(100 * sp.growth(rents).loc["2021-01-31", "house"])


@pytest.mark.parametrize(("n_sales", "flag"), [(10, "thin"), (11, "caution"), (30, "caution"), (31, "ok")])
def test_few_sales_are_flagged(live, service, n_sales, flag):
    """A median of up to 10 sales is flagged as thin, and one of up to 30 as caution."""
    service.answer(BAY, "impacts", body=impacts_body(BAY, n_sales=n_sales))
    assert sp.scorecard(BAY)["sales_flag"].to_list() == [flag]


@pytest.mark.parametrize("median", [0, -1])
def test_nothing_is_in_per_cent_of_no_price(live, service, median):
    """A median price of zero or less is valid, but no percentage is computed from it."""
    service.answer(BAY, "impacts", body=impacts_body(BAY, median_price=median))
    card = sp.scorecard(BAY)
    assert card["median_price_all_sales"].to_list() == [median]
    assert card.filter(like="_pct").filter(regex="price|premium").isna().all(axis=None)
    assert card["top_driver"].isna().all()


@pytest.mark.parametrize(
    ("option", "value", "what"),
    [
        ("at", "05/12/2025", "an ISO 8601 date"),
        ("max_lag", "2M", "a number of days or weeks"),
        ("smooth", "3M", "a number of days or weeks"),
        ("smooth", "0D", "at least one day"),
    ],
)
def test_an_option_that_cannot_be_read_is_refused_before_any_call(live, service, option, value, what):
    """An ambiguous date, and a length that is not a number of days or weeks, are refused before anything is sent."""
    with pytest.raises(ValueError, match=f"{option} must be {what}"):
        sp.scorecard(BAY, **{option: value})
    assert not service.requests


def test_one_name_gives_one_row_and_none_gives_none(embedded):
    """A single name gives one row. An empty list gives no rows, with the same columns and dtypes."""
    one, none = sp.scorecard(BAY), sp.scorecard([])
    assert one.index.to_list() == [BAY]
    assert len(none) == 0
    assert none.dtypes.equals(one.dtypes)


def test_it_costs_what_its_quote_says_under_one_cap(live, service):
    """A scorecard of one suburb costs 40 cents, less what is stored. One cap applies to both endpoints together."""
    sp.rent(BAY)
    assert sp.quote([BAY, HEIGHTS], "scorecard").cents == 50
    with pytest.raises(sp.errors.CapExceeded, match="50 cents") as caught:
        sp.scorecard([BAY, HEIGHTS], max_cents=49)
    assert caught.value.frame["status"].to_list() == ["CapExceeded"] * 2
    assert caught.value.frame["house_rent"].notna().to_list() == [True, False]
    assert service.total_cents == 30
    assert sp.scorecard([BAY, HEIGHTS], max_cents=50)["status"].to_list() == ["ok"] * 2
    assert service.total_cents == 80
    assert set(service.served.values()) == {1}
    assert sp.scorecard([BAY, HEIGHTS], offline=True)["status"].to_list() == ["ok"] * 2


def test_what_is_not_stored_can_be_a_warning(live, service):
    """Offline with ``errors="warn"``, a missing response is the status of its row instead of an error."""
    sp.rent([BAY, HEIGHTS])
    sp.impacts(HEIGHTS)
    with pytest.raises(sp.errors.NotStored):
        sp.scorecard([BAY, HEIGHTS], offline=True)
    with pytest.warns(sp.SuburbWarning, match="has no .*impacts of 'Quokka Bay', and offline=True buys nothing"):
        card = sp.scorecard([BAY, HEIGHTS], offline=True, errors="warn")
    assert card["status"].to_list() == ["NotStored", "ok"]
    assert card["house_rent"].notna().all()


def test_one_answer_that_fails_is_its_suburbs_status(live, service):
    """If one call of a suburb fails, its error is the status, beside the other endpoint's numbers.

    The next request buys only the missing response.
    """
    service.fail("server_error", endpoint="impacts", name=BAY)
    with pytest.warns(sp.SuburbWarning, match=r"1 of 2 suburbs failed \('Quokka Bay': ServiceError\).*up to 10 cents"):
        card = sp.scorecard([BAY, HEIGHTS])
    assert card["status"].to_list() == ["ServiceError", "ok"]
    assert card["house_rent"].notna().all()
    assert sp.scorecard([BAY, HEIGHTS])["status"].to_list() == ["ok", "ok"]
    assert service.served[("rent", BAY)] == 1


@pytest.mark.usefixtures("hasty")
def test_what_arrived_in_part_is_told_of_as_such(live, service):
    """The warning of a failed scorecard counts the responses that arrived, and the suburbs not asked for in full."""
    service.fail("server_error", endpoint="impacts", times=None)
    with pytest.warns(sp.SuburbWarning, match=r"3 of 6 responses arrived \(in the frame, and stored\); .* 90 cents"):
        card = sp.scorecard([BAY, HEIGHTS, WOYLIE])
    assert card["house_rent"].notna().all()
    service.clear()
    service.fail("dropped_before", times=None)
    others = ["Mangrove Steps", "Saltbush Park", "Bogong Rise", "Emu Parade", "Perentie", "Cider Gum"]
    with pytest.warns(sp.SuburbWarning, match=r"6 of 6 suburbs failed .* of which \d were not asked for in full"):
        card = sp.scorecard(others)
    assert set(card["status"]) == {"Unreachable"}


def test_retrieved_at_is_the_older_of_the_two(live):
    """`retrieved_at` is the time of the older of the two responses."""
    sp.rent(BAY)
    sp.impacts([BAY, HEIGHTS])
    card = sp.scorecard([BAY, HEIGHTS])
    for name in (BAY, HEIGHTS):
        times = [sp.vintages(name, endpoint)["retrieved_at"].iloc[-1] for endpoint in ("rent", "impacts")]
        assert card.loc[name, "retrieved_at"] == min(times)


def test_it_says_what_it_is(live):
    """Attrs and a column name the source. Its provenance has two responses for each suburb."""
    card = sp.scorecard([BAY, HEIGHTS])
    marks = card.attrs["suburb_pandas"]
    assert set(marks.pop("unit")) == set(card.select_dtypes("number").columns)
    assert marks == {"endpoint": "scorecard", "source": "live", "made_up": True}
    assert set(card["source"]) == {"live"}
    found = sp.provenance(card)
    assert found.index.to_list() == [BAY, BAY, HEIGHTS, HEIGHTS]
    assert found["endpoint"].to_list() == ["rent", "impacts"] * 2
