"""The user's own prices of a scorecard: how they are read, what is refused, and which warnings they cause."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"


OWN_PRICES = pd.DataFrame({"house_price": [2_080_000, 1_040_000], "unit_price": [1_040_000, None]}, [HEIGHTS, BAY])
MORE_PRICES = pd.DataFrame({"house_price": [0, -1, 5, 6], "unit_price": None}, [WOYLIE, "Elsewhere", None, None])


@pytest.mark.filterwarnings("ignore:.* no row in prices", "ignore:.* cannot be true")
@pytest.mark.parametrize(
    "prices",
    [
        OWN_PRICES,
        OWN_PRICES.rename_axis("place"),
        OWN_PRICES.set_axis(pd.CategoricalIndex(OWN_PRICES.index), axis=0),
        OWN_PRICES.reset_index(names="Suburb").assign(note="mine"),
        pd.concat([OWN_PRICES.astype("object"), MORE_PRICES.astype("object")]),
    ],
)
def test_with_prices_there_are_gross_yields(embedded, prices):
    """The gross yield is 52 weeks of rent over the price of that type, matched by name. Without a price it is NaN."""
    card = sp.scorecard([BAY, HEIGHTS, WOYLIE], prices=prices)
    assert card.loc[BAY, "house_gross_yield_pct"] == pytest.approx(card.loc[BAY, "house_rent"] / 200)
    assert card.loc[HEIGHTS, "unit_gross_yield_pct"] == pytest.approx(card.loc[HEIGHTS, "unit_rent"] / 200)
    assert np.isnan(card.loc[BAY, "unit_gross_yield_pct"])
    assert card.loc[WOYLIE].filter(like="yield").isna().all()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["bilby heights", WOYLIE], r"no row in prices, .* for 2 of 3 suburbs: 'Quokka Bay', 'Bilby Heights'\. Rows"),
        ([BAY, HEIGHTS, WOYLIE, "Nope", None], None),
    ],
)
def test_a_suburb_without_a_row_in_prices_is_warned_of_once(embedded, rows, message):
    """The warning counts and names the suburbs whose yield is NaN."""
    warned = pytest.warns(sp.errors.DataWarning, match=message) if message else nullcontext([])
    with warned as caught:
        sp.scorecard([BAY, HEIGHTS, WOYLIE], prices=pd.DataFrame({"house_price": 1_000_000}, rows))
    assert len(caught) == (message is not None)


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
            pd.DataFrame([[1, 2]], [BAY], ["house_price"] * 2),
            ValueError,
            "'house_price' is not one column of numbers, but 2",
        ),
        (pd.DataFrame({"unit_price": [True]}, [BAY]), ValueError, "'unit_price' is .* it holds True"),
        (pd.DataFrame({"house_price": [1]}), sp.errors.NoSuburbColumn, "Name the one that holds the suburbs"),
    ],
)
def test_prices_that_cannot_be_used_are_refused_before_any_call(live, service, prices, kind, message):
    """Prices that cannot be used raise an error before anything is sent, so the mistake costs nothing."""
    with pytest.raises(kind, match=message):
        sp.scorecard(BAY, prices=prices)
    assert not service.requests


@pytest.mark.parametrize("endless", [np.inf, -np.inf])
def test_an_infinite_price_is_refused_before_any_call(live, service, endless):
    """An infinite price would give a yield of zero. The message names the suburb."""
    prices = pd.DataFrame({"suburb": [BAY, HEIGHTS], "unit_price": [900_000, endless]})
    with pytest.raises(ValueError, match=r"infinite prices for 'Bilby Heights'\. Nothing was sent"):
        sp.scorecard([BAY, HEIGHTS], prices=prices)
    assert not service.requests


def test_prices_that_cannot_be_true_are_warned_of(embedded):
    """A yield above 30 per cent cannot be true, and a price of zero or less has no yield. One warning lists both."""
    prices = pd.DataFrame({"suburb": [BAY, WOYLIE], "house_price": [1460, 0], "unit_price": [-5.5, 700_000]})
    with pytest.warns(sp.errors.DataWarning) as caught:
        card = sp.scorecard([BAY, WOYLIE], prices=prices)
    (text,) = [str(warning.message) for warning in caught]
    assert text == (
        "Some prices cannot be true, because they are not above zero or make a gross yield of more than 30 per cent: "
        "'Quokka Bay' (house: 1,460), 'Woylie' (house: 0), 'Quokka Bay' (unit: -5.5). If prices are in thousands, "
        "multiply them by 1000; if they are not known, make them NaN."
    )
    assert card["house_gross_yield_pct"][BAY] == pytest.approx(5200 * card["house_rent"][BAY] / 1460)
    assert card["house_gross_yield_pct"].notna().to_list() == [True, False]
