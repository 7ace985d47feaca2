"""The user's own prices of a scorecard: how they are read, what is refused, and which warnings they cause."""

import re
import warnings

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
        OWN_PRICES.rename_axis("area_name"),
        OWN_PRICES.rename_axis("place"),
        OWN_PRICES.set_axis(pd.CategoricalIndex(OWN_PRICES.index), axis=0),
        OWN_PRICES.reset_index(names="Suburb").assign(note="mine"),
        OWN_PRICES.reset_index(names="suburb").set_axis(["a", "b"], axis=0),
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
        (
            ["bilby heights", WOYLIE],
            (
                r"^2 of 3 suburbs have no row in prices, .*: 'Quokka Bay', 'Bilby Heights'\. "
                r".*: 'bilby heights' for 'Bilby Heights'\.$"
            ),
        ),
        ([BAY, HEIGHTS, "Nope"], r"^1 of 3 suburbs has no row in prices, so its .*: 'Woylie'\. .* returns it\.$"),
        ([BAY, WOYLIE, "Bilby Hights"], "prices: 'Bilby Hights' for 'Bilby Heights'"),
        ([BAY, HEIGHTS, WOYLIE, "Nope", None], None),
    ],
)
def test_a_suburb_without_a_row_in_prices_is_warned_of_once(embedded, rows, message):
    """The warning counts and names the suburbs whose yield is NaN, and proposes a row that no suburb uses."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sp.scorecard([BAY, HEIGHTS, WOYLIE], prices=pd.DataFrame({"house_price": 1_000_000}, rows))
    texts = [str(one.message) for one in caught if issubclass(one.category, sp.errors.DataWarning)]
    assert [one.filename for one in caught] == [__file__] * len(caught)
    assert len(texts) == (message is not None)
    assert message is None or re.search(message, texts[0])


def test_a_row_of_another_state_is_not_proposed(embedded):
    """Where the name says its state, a row of prices of another state is not taken for a misspelling of it."""
    with pytest.warns(sp.errors.DataWarning, match=r"'Lantern Bay \(NSW\)'\. .* returns it\.$"):
        sp.scorecard("Lantern Bay (NSW)", prices=pd.DataFrame({"unit_price": [1]}, ["Lantern Bay (Tas.)"]))


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
        (pd.DataFrame({"unit_price": [True]}, [BAY]), ValueError, "'unit_price' is not one column of numbers"),
        (
            pd.DataFrame({"house_price": [1], "suburb": BAY, "locality": BAY}),
            sp.errors.NoSuburbColumn,
            "'suburb', 'locality'",
        ),
        (pd.DataFrame({"house_price": [1]}), sp.errors.NoSuburbColumn, "no single column of suburbs"),
    ],
)
def test_prices_that_cannot_be_used_are_refused_before_any_call(live, service, prices, kind, message):
    """Prices that cannot be used raise an error before anything is sent, so the mistake costs nothing."""
    with pytest.raises(kind, match=message):
        sp.scorecard(BAY, prices=prices)
    assert not service.requests


@pytest.mark.parametrize("endless", [np.inf, -np.inf])
def test_an_infinite_price_is_refused_before_any_call(live, service, endless):
    """An infinite price would give a yield of zero. The message names the suburb, and its line makes the price NaN."""
    prices = pd.DataFrame({"suburb": [BAY, HEIGHTS], "unit_price": [900_000, endless]})
    with pytest.raises(ValueError, match=r"infinite prices for 'Bilby Heights'\. Nothing was sent") as caught:
        sp.scorecard([BAY, HEIGHTS], prices=prices)
    assert not service.requests
    repaired = {"prices": prices}
    exec(str(caught.value).rpartition("NaN: ")[2], repaired)  # noqa: S102 - the line that the message says to paste
    assert sp.scorecard([BAY, HEIGHTS], prices=repaired["prices"])["unit_gross_yield_pct"].notna().to_list() == [1, 0]


def test_prices_in_thousands_are_warned_of_with_the_line_that_repairs(embedded):
    """A yield above 30 per cent cannot be true. The warning shows it with its price; its line gives the right yield."""
    prices = pd.DataFrame({"suburb": [BAY, WOYLIE], "house_price": [1460, 1040], "unit_price": [800_000, None]})
    with pytest.warns(sp.errors.DataWarning) as caught:
        card = sp.scorecard([BAY, WOYLIE], prices=prices)
    (text,) = [str(warning.message) for warning in caught]
    rents = card["house_rent"]
    assert text.startswith(
        "Some gross yields, or their prices, cannot be true: "
        f"'Quokka Bay' (house: {5200 * rents[BAY] / 1460:,.0f} per cent of a price of 1,460), "
        f"'Woylie' (house: {5200 * rents[WOYLIE] / 1040:,.0f} per cent of a price of 1,040). "
        "If the prices are in thousands, pass them in AUD: prices = "
    )
    repaired = {"prices": prices}
    exec(text.rpartition("AUD: ")[2], repaired)  # noqa: S102 - as above
    again = sp.scorecard([BAY, WOYLIE], prices=repaired["prices"])
    assert again["house_gross_yield_pct"].to_list() == pytest.approx([rents[BAY] / 280.769231, rents[WOYLIE] / 200])
    assert again["unit_gross_yield_pct"][BAY] == card["unit_gross_yield_pct"][BAY] < 30


def test_prices_that_are_not_above_zero_are_warned_of(embedded):
    """A price of zero or less has no yield, and the warning says so. Its line makes such prices NaN."""
    prices = pd.DataFrame({"house_price": [0, 1_000_000], "unit_price": [700_000, -5.5]}, [WOYLIE, BAY])
    with pytest.warns(sp.errors.DataWarning, match="cannot be true") as caught:
        card = sp.scorecard([BAY, WOYLIE], prices=prices)
    assert card["house_gross_yield_pct"].notna().to_list() == [True, False]
    (text,) = [str(warning.message) for warning in caught]
    assert "'Woylie' (house: no yield from a price of 0), 'Quokka Bay' (unit: no yield from a price of -5.5)" in text
    repaired = {"prices": prices}
    exec(text.rpartition("NaN: ")[2], repaired)  # noqa: S102 - as above
    assert repaired["prices"].isna().to_numpy().tolist() == [[True, False], [False, True]]
    sp.scorecard([BAY, WOYLIE], prices=repaired["prices"])
