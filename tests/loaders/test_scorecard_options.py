"""The options of a scorecard: how old rents may be, growth of means, and the user's own prices."""

from contextlib import nullcontext
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.common import of_this_call
from tests.support.laws import law
from tests.support.odd_responses import points, series_body

BAY, HEIGHTS, WOYLIE, TRACK, BROLGA = "Quokka Bay", "Bilby Heights", "Woylie", "Coolibah Track", "Nulla Brolga"
NAMES = [BAY, TRACK, BROLGA]
KINDS = ("house", "unit")
PRICES = pd.DataFrame({"house_price": [2_080_000, 1_040_000], "unit_price": [1_040_000, None]}, [HEIGHTS, BAY])


# Stale rents


def test_a_suburb_with_a_stale_rent_says_so(live, service):
    """Its status is `stale` if its houses, its units or both ended early, and one warning names them with the dates.

    Only `ok` becomes `stale`: an error still is the status.
    """
    service.fail("server_error", endpoint="impacts", name=TRACK)
    with pytest.warns(sp.SuburbWarning) as caught:
        card = sp.scorecard(NAMES)
    assert card["status"].to_list() == ["ok", "ServiceError", "stale"]
    assert card["house_rent"].notna().all()
    _, warning = of_this_call(caught)
    assert str(warning.message) == (
        "Some rents are stale, more than 62 days older than the newest rent of the request (2026-04-26): house of "
        "'Nulla Brolga' on 2025-03-30, unit of 'Coolibah Track' on 2025-03-30, unit of 'Nulla Brolga' on 2025-03-30. "
        'They are used as they are; to leave such rents out, pass max_lag="62D"'
    )


def test_fresh_is_meant_beside_the_other_rents_of_the_request(embedded):
    """Alone, or beside rents of its own time, a rent is not stale."""
    assert sp.scorecard(BROLGA)["status"].to_list() == ["ok"]
    assert sp.scorecard(NAMES, at="2025-04-10")["status"].to_list() == ["ok"] * 3


def test_max_lag_leaves_stale_rents_out(embedded):
    """With `max_lag`, rents older than that have no value, date, growth or yield, and the suburb is not stale."""
    prices = pd.DataFrame({"house_price": 1_000_000, "unit_price": 900_000}, NAMES)
    card = sp.scorecard(NAMES, max_lag="62D", prices=prices)
    assert card["status"].to_list() == ["ok"] * 3
    for kind, kept in {"house": [True, True, False], "unit": [True, False, False]}.items():
        about = card.filter(regex=f"^{kind}_").notna()
        assert about.all(axis=1).to_list() == about.any(axis=1).to_list() == kept
    pd.testing.assert_frame_equal(card[:1], sp.scorecard(BAY, prices=prices))


@pytest.mark.parametrize(
    ("options", "has_rent"),
    [
        ({"at": "2025-04-30"}, True),
        ({"at": "2025-05-01"}, False),
        ({"at": "2025-05-01", "max_lag": "32D"}, True),
        ({"at": "2025-04-07", "max_lag": "1W"}, False),
        ({"max_lag": "392D"}, True),
        ({"max_lag": "391D"}, False),
    ],
)
@pytest.mark.filterwarnings("ignore:.* stale")
def test_max_lag_counts_back_from_at_or_from_the_newest_rent(embedded, options, has_rent):
    """With `at`, rents are at most 31 days old unless `max_lag` says otherwise. Without, they may be of any age."""
    card = sp.scorecard(NAMES, **options)
    assert card["house_rent"].notna()[BROLGA] == has_rent


@pytest.mark.parametrize(("last", "is_stale"), [("2026-02-22", True), ("2026-02-23", False)])
def test_a_rent_is_stale_after_sixty_two_days(live, service, last, is_stale):
    """A rent 63 days older than the newest one of either property type is stale, one of 62 days is not."""
    body = series_body(BAY, house=points([500], [last]), unit=points([500], ["2026-04-26"]))
    service.answer(BAY, "rent", body=body)
    with pytest.warns(sp.errors.DataWarning, match="stale") if is_stale else nullcontext():
        card = sp.scorecard(BAY)
    assert card["status"].to_list() == ["stale" if is_stale else "ok"]


# Growth


@pytest.mark.usefixtures("embedded")
@law(
    some=20,
    name=st.sampled_from([*NAMES, WOYLIE]),
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
    for kind in KINDS:
        expected = grown.reindex([card[f"{kind}_rent_date"]]).iloc[0]
        assert card[f"{kind}_growth_1y_pct"] == pytest.approx(100 * expected[kind], nan_ok=True)
        assert str(card[f"{kind}_growth_1y_base_date"]) == str(expected[f"{kind}_base_date"])


@pytest.mark.parametrize("smooth", ["13W", timedelta(days=91)], ids=repr)
def test_smoothing_changes_growth_alone(embedded, smooth):
    """Rents, sales, premiums and the date of the base are those of a scorecard without `smooth`.

    `smooth` is a number of days or weeks, as in `growth`, which the attrs name in days.
    """
    plain, smoothed = sp.scorecard([BAY, HEIGHTS]), sp.scorecard([BAY, HEIGHTS], smooth=smooth)
    growth = [f"{kind}_growth_1y_pct" for kind in KINDS]
    pd.testing.assert_frame_equal(smoothed.drop(columns=growth), plain.drop(columns=growth))
    assert not np.isclose(smoothed[growth], plain[growth]).any()
    assert smoothed.attrs["suburb_pandas"] == {**plain.attrs["suburb_pandas"], "smooth": "91D"}


# Prices


@pytest.mark.parametrize(
    "prices",
    [
        PRICES.rename_axis("place"),
        PRICES.set_axis(pd.CategoricalIndex(PRICES.index), axis=0),
        PRICES.reset_index(names="Suburb"),
        pd.concat([PRICES, pd.DataFrame({"house_price": 5.0}, ["Elsewhere", None, None])]).astype("object"),
    ],
)
def test_with_prices_there_are_gross_yields(embedded, prices):
    """The gross yield is 52 weeks of rent over the price of that type, matched by name. Without a price it is NaN.

    One warning counts and names the suburbs that have no row in the prices.
    """
    with pytest.warns(sp.errors.DataWarning) as caught:
        card = sp.scorecard([BAY, HEIGHTS, WOYLIE], prices=prices)
    (warning,) = of_this_call(caught)
    assert str(warning.message).startswith(
        "There is no row in prices, and so no gross yield, for 1 of 3 suburbs: 'Woylie'. Rows of prices are found by"
    )
    expected = 5200 * card[["house_rent", "unit_rent"]].to_numpy() / PRICES.reindex(card.index)
    np.testing.assert_allclose(card[["house_gross_yield_pct", "unit_gross_yield_pct"]], expected)


@pytest.mark.parametrize(
    ("prices", "kind", "message"),
    [
        ({"house_price": 1}, TypeError, "a frame with house_price"),
        (pd.DataFrame({"price": [1]}, [BAY]), ValueError, "neither house_price nor unit_price"),
        (pd.DataFrame({"house_price": [1, 2]}, [BAY, BAY]), ValueError, "several rows for 'Quokka Bay'"),
        (
            pd.DataFrame({"house_price": ["1m"], "unit_price": [1]}, [BAY]),
            ValueError,
            "'house_price' is not one column of numbers: it holds '1m' \\(row 'Quokka Bay'\\). Convert it; ",
        ),
        (
            pd.DataFrame({"suburb": [BAY, HEIGHTS], "unit_price": [9e5, -np.inf]}),
            ValueError,
            r"infinite prices for 'Bilby Heights'\. Nothing was sent",
        ),
    ],
)
def test_prices_that_cannot_be_used_are_refused_before_any_call(live, service, prices, kind, message):
    """Prices that cannot be used raise an error before anything is sent, so the mistake costs nothing."""
    with pytest.raises(kind, match=message):
        sp.scorecard(BAY, prices=prices)
    assert not service.requests


def test_prices_that_cannot_be_true_are_warned_of(embedded):
    """A yield above 30 per cent cannot be true, and a price of zero or less has no yield. One warning lists both."""
    prices = pd.DataFrame({"suburb": [BAY, WOYLIE], "house_price": [1460, 0], "unit_price": [-5.5, 700_000]})
    with pytest.warns(sp.errors.DataWarning) as caught:
        card = sp.scorecard([BAY, WOYLIE], prices=prices)
    (warning,) = of_this_call(caught)
    assert str(warning.message) == (
        "Some prices cannot be true, because they are not above zero or make a gross yield of more than 30 per cent: "
        "'Quokka Bay' (house: 1,460), 'Woylie' (house: 0), 'Quokka Bay' (unit: -5.5). If prices are in thousands, "
        "multiply them by 1000; if they are not known, make them NaN."
    )
    assert card["house_gross_yield_pct"].notna().to_list() == [True, False]
