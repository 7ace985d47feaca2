import hashlib
import json
from fractions import Fraction

import pytest

from suburb_pandas.sandbox import oddities
from suburb_pandas.sandbox.country import SUBURBS
from suburb_pandas.sandbox.premiums import LABELS, impacts

DATA = {suburb.name: impacts(suburb) for suburb in SUBURBS}
DRIVERS = [(data, driver) for data in DATA.values() for driver in data["drivers"]]


def test_every_suburb_has_three_to_six_drivers_but_one_that_has_none():
    """A suburb has three to six drivers, except for one with sales and an empty list of drivers."""
    assert {name for name, data in DATA.items() if not data["drivers"]} == {oddities.NO_DRIVERS}
    assert DATA[oddities.NO_DRIVERS]["n_sales"] > 0
    assert {len(data["drivers"]) for data in DATA.values()} == {0, 3, 4, 5, 6}


def test_drivers_come_largest_premium_first():
    """Drivers are sorted by premium, largest first, and each label occurs once."""
    for data in DATA.values():
        premiums = [driver["premium_dollars"] for driver in data["drivers"]]
        labels = [driver["label"] for driver in data["drivers"]]
        assert premiums == sorted(premiums, reverse=True)
        assert len(set(labels)) == len(labels)
        assert set(labels) <= set(LABELS)


def test_labels_name_the_absent_amenity():
    """A label names an amenity that is absent, in the service's words."""
    assert set(LABELS) >= {"no petrol station nearby", "no fast food outlet nearby", "no bottle shop nearby"}


def test_the_percentage_follows_from_the_premium_and_the_median():
    """``pct_of_median`` is the premium as a percentage of the median price, to one decimal."""
    for data, driver in DRIVERS:
        exact = Fraction(driver["premium_dollars"] * 100, data["median_price"])
        assert abs(exact - Fraction(str(driver["pct_of_median"]))) <= Fraction(1, 20)


def test_the_coverage_is_a_share_of_the_sales():
    """``coverage_pct`` is from 0 to 100 and stands for a whole number of sales."""
    for data, driver in DRIVERS:
        sales = Fraction(str(driver["coverage_pct"])) * data["n_sales"] / 100
        assert 0 <= driver["coverage_pct"] <= 100
        assert abs(sales - round(sales)) <= Fraction(data["n_sales"], 2000)


def test_the_sentence_states_the_numbers_and_that_they_are_made_up():
    """A driver's sentence says that it is made up, and repeats the numbers of the fields."""
    for data, driver in DRIVERS:
        detail, premium = driver["detail"], driver["premium_dollars"]
        assert detail.startswith("Made-up data: ")
        assert f"of {data['n_sales']} recent sales in {data['area_name']} had {driver['label']}" in detail
        assert f"AUD {abs(premium):,} {'less' if premium < 0 else 'more'} than" in detail
        assert f"{abs(driver['pct_of_median'])}% of the median price of AUD {data['median_price']:,}." in detail


def test_some_premiums_are_negative_and_most_are_not():
    """The absence of an amenity can lower a price: some premiums are negative, but fewer than half."""
    negative = sum(driver["premium_dollars"] < 0 for _, driver in DRIVERS)
    assert 20 < negative < len(DRIVERS) / 2


def test_the_total_is_not_always_the_sum():
    """In a quarter to three quarters of the suburbs, the total premium is the sum of the drivers'."""
    same = [
        data["total_premium"] == sum(driver["premium_dollars"] for driver in data["drivers"]) for data in DATA.values()
    ]
    assert 0.25 < sum(same) / len(same) < 0.75


def test_several_suburbs_have_few_sales():
    """Only the listed suburbs have fewer than ten sales."""
    assert {name: data["n_sales"] for name, data in DATA.items() if data["n_sales"] < 10} == oddities.FEW_SALES


def test_a_driver_may_hold_for_all_sales_or_for_none():
    """A driver's coverage may be 100; if it is 0, so is the premium."""
    assert DATA[oddities.FULL_COVERAGE]["drivers"][0]["coverage_pct"] == 100.0
    none = [driver for driver in DATA[oddities.NO_COVERAGE]["drivers"] if driver["coverage_pct"] == 0]
    assert [driver["premium_dollars"] for driver in none] == [0]


@pytest.mark.parametrize("field", ["n_sales", "median_price", "total_premium"])
def test_counts_and_prices_are_integers(field):
    """Sales, median price and total premium are integers, as the service declares them."""
    assert all(type(data[field]) is int for data in DATA.values())


def test_the_drivers_are_the_same_everywhere():
    """Every Python version and machine makes the same impacts; a change to them needs a new data version."""
    everything = json.dumps(DATA, sort_keys=True).encode()
    assert hashlib.sha256(everything).hexdigest() == "3ecfa3a6a9aa2b899021a180b2b329be4d88f6a901e18863f8c35607247a5c2b"
