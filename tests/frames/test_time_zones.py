"""A time with a zone counts as its calendar day in Sydney, wherever a date is taken."""

import io
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.layouts import melted, pivoted

BAY, WOYLIE = "Quokka Bay", "Woylie"
DAY = pd.Timestamp("2024-03-03")  # the rent of houses in Quokka Bay changed on it
MIDNIGHT = DAY.tz_localize("Australia/Sydney")
IN_UTC = MIDNIGHT.tz_convert("UTC")
SPELLINGS = {
    "UTC": IN_UTC,
    "standard library": datetime(2024, 3, 2, 13, tzinfo=UTC),
    "ISO 8601": "2024-03-02T13:00:00Z",
    "another side of the world": pd.Timestamp("2024-03-02 05:00", tz="US/Pacific"),
}


@pytest.fixture
def rents(embedded):
    """Return the rents of two suburbs."""
    return sp.rent([BAY, WOYLIE])


@pytest.mark.parametrize("when", SPELLINGS.values(), ids=SPELLINGS)
def test_a_sale_at_midnight_in_sydney_gets_the_rent_of_its_day(embedded, when):
    """A sale stored as UTC, or with any other zone, is joined with the rent of its day in Sydney."""
    sale = pd.DataFrame({"suburb": [BAY], "date": [pd.Timestamp(when)], "price": [1]})
    for frame in (sale, sale.astype({"date": "object"}), sale.set_index(["suburb", "date"])):
        assert frame.suburb.join_rent()[["house_rent", "rent_date"]].to_numpy().tolist() == [[925.0, DAY]]


def test_each_sale_of_a_column_counts_by_its_own_zone(embedded):
    """Times with different zones, and without one, may stand in one column. A missing date still finds no rent."""
    when = [IN_UTC, DAY, MIDNIGHT, None, pd.Timestamp("2024-03-02 23:59"), IN_UTC - pd.Timedelta("1min")]
    sales = pd.DataFrame({"suburb": BAY, "date": pd.Series(when, dtype="object")})
    joined = sales.suburb.join_rent()
    np.testing.assert_equal(joined["house_rent"].to_numpy(), [925.0, 925.0, 925.0, np.nan, 919.0, 919.0])


@pytest.mark.parametrize("when", SPELLINGS.values(), ids=SPELLINGS)
def test_an_argument_with_a_zone_is_its_day_in_sydney(rents, when):
    """`at`, `start`, `end`, `asof` and `base` mean the day in Sydney, also in the marks of the frame."""
    assert sp.scorecard(BAY, at=when)[["house_rent", "house_rent_date"]].to_numpy().tolist() == [[925.0, DAY]]
    assert sp.rent(BAY, start=when).index[0] == DAY
    assert sp.rent(BAY, end=when).index[-1] == DAY
    assert sp.quality(rents, asof=when).attrs["suburb_pandas"]["operations"] == ['quality(asof="2024-03-03")']
    weeks = sp.resample(rents, "W")
    assert sp.rent_index(weeks, base=when).loc[DAY, "house"] == 100


@pytest.mark.parametrize("make", [lambda long: long, lambda long: long.reset_index(), melted, pivoted])
def test_a_frame_of_times_in_utc_gives_the_same_numbers(rents, make):
    """Rents whose dates were stored as midnight in Sydney, in UTC, are those of the days, in each layout."""
    frame = make(rents)
    is_column = "date" in frame.columns
    dates = pd.DatetimeIndex(frame["date"] if is_column else frame.index).tz_localize("Australia/Sydney")
    dates = dates.tz_convert("UTC")
    zoned = frame.assign(date=dates) if is_column else frame.set_axis(dates, axis=0)
    for function in (sp.growth, sp.cadence, sp.provenance):
        pd.testing.assert_frame_equal(function(zoned), function(frame))


def test_a_file_with_offsets_is_read(rents):
    """Text with offsets, of summer and of winter time, counts as the days in Sydney."""
    zoned = rents.tz_localize("Australia/Sydney")
    assert {text[-6:] for text in zoned.index.map(str)} == {"+10:00", "+11:00"}
    read = pd.read_csv(io.StringIO(zoned.to_csv()))
    pd.testing.assert_frame_equal(sp.resample(read, "QE").set_index("date"), sp.resample(rents, "QE"))
    assert sp.cite(read) == sp.cite(rents)
