"""Calendars: the frequency of which dates are the labels."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from suburb_pandas.timeseries.periods import frequency, frequency_of
from tests.support import irregular
from tests.support.laws import law


@law(freq=irregular.freqs, start=irregular.days, count=st.integers(2, 30))
def test_the_calendar_of_labels_is_found(freq, start, count):
    """The labels of consecutive periods are those of one frequency, and each is one period after the one before."""
    days = pd.date_range(start, periods=count, freq=freq).to_numpy().astype("M8[D]").astype("int64")
    found = frequency_of(days)
    assert (np.diff(found.number(days)) == 1).all()
    assert (found.label(found.number(days)) == days).all()
    assert found.labels_start == frequency(freq).labels_start


def test_dates_of_two_calendars_are_of_none():
    """Month ends and Sundays together are labels of no frequency."""
    days = np.array(["2022-06-30", "2022-07-31", "2022-08-28"], "M8[D]").astype("int64")
    assert frequency_of(days[:2]).name == "ME"
    assert frequency_of(days[1:]).name == "W-SUN"
    assert frequency_of(days) is None
