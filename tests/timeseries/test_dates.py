"""Lengths of time and days that users write: which ones are parsed, at their borders, and which ones are refused."""

import re
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.timeseries.irregular import frame_of

YEARS = frame_of([(date(2024, 1, 1), 500.0, None), (date(2025, 1, 1), 550.0, None), (date(2025, 1, 2), 600.0, None)])
"""Rents of houses: one point, another a year later, and one more on the day after that."""

NOTHING = ["0D", "0W", timedelta(0), pd.Timedelta(0), np.timedelta64(0, "D"), np.timedelta64(0, "s")]
ONE_DAY = ["1D", "1 D", timedelta(1), pd.Timedelta("24h"), np.timedelta64(1, "D"), np.timedelta64(24, "h")]
NO_LENGTHS = [
    *["-1D", "-0D", "D", "", "1d", "1h", "3M", "1Y", "1.5D", "9999999999D", "1D\n", 0, 1, 1.0, True],
    *[timedelta(-1), timedelta(1, 1), pd.Timedelta("-1ns"), pd.Timedelta("1ns")],
    *[np.timedelta64(25, "h"), np.timedelta64(1, "M"), np.timedelta64("NaT", "D"), pd.NaT],
]
TAKERS = {
    "smooth": lambda length: sp.growth(YEARS, smooth=length),
    "max_gap": lambda length: sp.resample(YEARS, "ME", fill="ffill", max_gap=length),
    "max_lag": lambda length: sp.resample(YEARS, "ME", max_lag=length),
    "lag": lambda length: pd.DataFrame({"suburb": [], "date": []}).suburb.join_rent(lag=length),
    "tolerance of a join": lambda length: pd.DataFrame({"suburb": [], "date": []}).suburb.join_rent(tolerance=length),
}
"""The functions that take a length of time, by the name of the argument."""


def growths(**options):
    """Return the growth over a year of each of the three points."""
    return sp.growth(YEARS, "1Y", **options)["house"].to_list()


@pytest.mark.parametrize("length", NO_LENGTHS, ids=repr)
@pytest.mark.parametrize("taker", TAKERS)
def test_a_length_is_whole_days_and_not_negative(embedded, taker, length):
    """A negative length, a part of a day, and a number without a unit are refused by the argument's name."""
    name = taker.partition(" ")[0]
    with pytest.raises(ValueError, match=f"^{name} must be a number of days or weeks.*{re.escape(repr(length))}"):
        TAKERS[taker](length)


@pytest.mark.parametrize("asof", ["2025-01-09", "2025-01-09T23:59", date(2025, 1, 9), np.datetime64("2025-01-09")])
def test_days_of_every_kind(asof):
    """A day is text, a date, a Timestamp or a datetime64; its time of day is ignored."""
    assert sp.quality(YEARS, asof)["age_days"].to_list()[0] == 7
    assert sp.quality(YEARS, pd.Timestamp(asof))["age_days"].to_list()[0] == 7


def test_a_span_of_months_compounds_by_months():
    """Four quarters of 2 per cent have one annual rate, and a year stays as it is. Days and weeks compound by days."""
    quarters = pd.date_range("2024-03-31", periods=9, freq="QE", name="date")
    rents = pd.DataFrame({"house": 500 * 1.02 ** np.arange(9)}, quarters)
    by_quarter = sp.growth(rents, "3M", max_gap="92D", annualise=True)["house"].dropna()
    assert by_quarter.to_list() == pytest.approx([1.02**4 - 1] * 8)
    a_year = sp.growth(rents, "1Y", max_gap="92D")
    pd.testing.assert_frame_equal(sp.growth(rents, "12M", max_gap="92D", annualise=True), a_year, rtol=1e-12)
    assert sp.growth(YEARS, "366D", annualise=True)["house"].to_list()[1] == pytest.approx(1.1 ** (365.25 / 366) - 1)


@pytest.mark.parametrize("length", NOTHING, ids=repr)
def test_a_length_may_be_no_days(length):
    """With a `max_gap` of no days, growth needs a base on the very day, and nothing is filled. No mean is so short."""
    for base in ("linear", "last"):
        np.testing.assert_allclose(growths(base=base, max_gap=length), [np.nan, 0.1, np.nan])
    assert sp.resample(YEARS, "ME", fill="ffill", max_gap=length)["house"].count() == 2
    with pytest.raises(ValueError, match=f"^smooth must be at least one day, not {re.escape(repr(length))}"):
        sp.growth(YEARS, smooth=length)


@pytest.mark.parametrize("length", ONE_DAY, ids=repr)
def test_a_base_may_be_as_old_as_the_gap(length):
    """With `base="last"` and a `max_gap` of one day, the base may be one day older than the target date."""
    np.testing.assert_allclose(growths(base="last", max_gap=length), [np.nan, 0.1, 0.2])
    assert sp.resample(YEARS, "ME", fill="ffill", max_gap="366D")["house"].count() == 13


MEANT = {"1y": " Write '1Y'.", 12: " Write '12M'."}
"""What the error says to write in place of some spans."""


@pytest.mark.parametrize("over", ["0D", "0Y", "-1D", "1.5Y", "Y", "12345D", "1Y\n", None, timedelta(1), *MEANT])
def test_a_span_is_at_least_one_day(over):
    """A span of growth is a whole number of days, weeks, months or years, with the unit in capital letters."""
    with pytest.raises(ValueError, match=r"^over must be a number of days") as caught:
        sp.growth(YEARS, over)
    assert str(caught.value).endswith(f"not {over!r}.{MEANT.get(over, '')}")


@pytest.mark.parametrize(
    "asof",
    [
        *["0000-01-01", "2026-02-29", "05/12/2025", "2025", "2026-06-30 at noon", "today", 2025, pd.NaT],
        *[np.datetime64("-0044-03-15"), np.datetime64("NaT", "D")],
    ],
)
def test_a_day_that_no_calendar_has_is_refused(asof):
    """`asof` is an ISO 8601 date, a date or a Timestamp; a day before the year 1 and a missing day are refused."""
    with pytest.raises(ValueError, match="asof must be an ISO 8601 date"):
        sp.quality(YEARS, asof)
