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

LENGTHS = {
    0: ["0D", "0W", timedelta(0), np.timedelta64(0, "s")],
    1: ["1D", "1 D", timedelta(1), pd.Timedelta("24h"), np.timedelta64(24, "h")],
}
"""Lengths of time by their number of days."""

NO_LENGTHS = [
    *["-1D", "D", "", "1d", "1h", "3M", "1.5D", "9999999999D", "1D\n", 1, True],
    *[timedelta(-1), timedelta(1, 1), pd.Timedelta("1ns")],
    *[np.timedelta64(25, "h"), np.timedelta64(1, "M"), pd.NaT],
]
TAKERS = {
    "smooth": lambda length: sp.growth(YEARS, smooth=length),
    "max_gap": lambda length: sp.resample(YEARS, "ME", fill="ffill", max_gap=length),
    "max_lag": lambda length: sp.resample(YEARS, "ME", max_lag=length),
    "lag": lambda length: pd.DataFrame({"suburb": [], "date": []}).suburb.join_rent(lag=length),
    "tolerance of a join": lambda length: pd.DataFrame({"suburb": [], "date": []}).suburb.join_rent(tolerance=length),
}
"""The functions that take a length of time, by the name of the argument."""


@pytest.mark.parametrize("taker", TAKERS)
def test_a_length_is_refused_by_the_name_of_the_argument(embedded, taker):
    """Each function that takes a length of time refuses a negative one."""
    name = taker.partition(" ")[0]
    with pytest.raises(ValueError, match=f"^{name} must be a number of days or weeks.*'-1D'"):
        TAKERS[taker]("-1D")


@pytest.mark.parametrize("length", NO_LENGTHS, ids=repr)
def test_a_length_is_whole_days_and_not_negative(length):
    """A negative length, a part of a day, and a number without a unit are refused."""
    with pytest.raises(ValueError, match=f"not {re.escape(repr(length))}.$"):
        TAKERS["max_gap"](length)


@pytest.mark.parametrize(("days", "length"), [(days, length) for days, found in LENGTHS.items() for length in found])
def test_a_length_is_text_or_a_timedelta(days, length):
    """With `base="last"`, the base may be as many days older than the target date, or none. No mean is so short."""
    growth = sp.growth(YEARS, base="last", max_gap=length)["house"]
    assert growth.to_list() == pytest.approx([np.nan, 0.1, 0.2 if days else np.nan], nan_ok=True)


MEANT = {"1y": " Write '1Y'.", 12: " Write '12M'."}
"""What the error says to write in place of some spans."""


@pytest.mark.parametrize("over", ["0D", "-1D", "1.5Y", "12345D", "1Y\n", None, *MEANT])
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
