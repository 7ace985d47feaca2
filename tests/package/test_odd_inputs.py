"""Tables in the layout of the agencies' exports give the right values, or an error before anything is sent."""

import pytest

import suburb_pandas as sp
from tests.package import odd_inputs as odd


def test_addresses_of_post_boxes_resolve(embedded):
    """A postcode of post boxes, which no suburb has, does not contradict the suburb."""
    assert odd.addresses_of_post_boxes().suburb.resolve().tolist() == [odd.BAY, odd.WOYLIE, odd.LANTERN]


def test_sales_stored_in_utc_get_the_rents_of_their_day_in_sydney(embedded):
    """Midnight in Sydney is the day before in UTC, and still counts as the day in Sydney."""
    days = ["2026-03-31", "2026-04-26"]
    joined = odd.sales_in_utc().suburb.join_rent(on="sold")
    naive = joined[["suburb"]].assign(sold=days).astype({"sold": "datetime64[s]"}).suburb.join_rent(on="sold")
    assert joined[["house_rent", "rent_date"]].equals(naive[["house_rent", "rent_date"]])
    assert str(joined["rent_date"].iloc[-1].date()) == days[-1]


@pytest.mark.parametrize("read", [odd.merged_headings, odd.merged_headings_read_as_one])
def test_prices_below_merged_headings_are_refused_before_any_call(live, service, read):
    """The message lists the columns as they were read."""
    with pytest.raises(ValueError, match=r"its columns are .*House.*Nothing was sent"):
        sp.scorecard(odd.BAY, prices=read())
    assert not service.requests
