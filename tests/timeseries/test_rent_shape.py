"""Frames of rents: what is left as it was, and dates and lengths of time that cannot be used."""

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call

BAY = "Quokka Bay"


@pytest.fixture
def one(embedded):
    """Return the rents of one suburb."""
    return sp.rent(BAY)


def test_nothing_is_shared_with_the_frame_given(one):
    """Changing a result or its attrs does not change the frame that it was computed from."""
    before = one.copy()
    for found in (sp.resample(one, "ME"), sp.growth(one), sp.cadence(one), sp.quality(one)):
        found.attrs["suburb_pandas"]["source"] = "mine"
        found.iloc[:, -1] = found.iloc[::-1, -1].to_numpy()
    pd.testing.assert_frame_equal(one, before)
    assert one.attrs == before.attrs


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")
def test_a_grid_that_would_fill_the_memory_is_refused():
    """Over 50 million rows, an error says how many rows it would be, before any is made."""
    dates = pd.DatetimeIndex(np.array(["0005-01-02", "2026-04-26"] * 500, dtype="M8[s]"), name="date")
    names = [f"Made-up {number // 2}" for number in range(1000)]
    frame = pd.DataFrame({"area_name": names, "house": 1.0}, dates)
    message = r"freq='W-SUN' would make 52,7\d\d,\d\d\d rows, more than 50,000,000. Leave out the rows with wrong dates"
    with pytest.raises(ValueError, match=message):
        sp.resample(frame, "W-SUN")
    assert len(sp.resample(frame.iloc[:4], "W-SUN")) > 200_000


def test_what_arrived_of_a_batch_is_on_the_calendar_too(embedded):
    """The frame that an error carries is resampled as requested."""
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent([BAY, "Nowhere at All"], freq="YE")
    assert set(caught.value.frame.index.month) == {12}


@pytest.mark.parametrize("wrong", ["1899-12-31", "2261-04-05"])
def test_dates_that_cannot_be_right_are_warned_of(wrong):
    """A date before 1900 or in the future is named in a warning, and used as it is."""
    dates = pd.DatetimeIndex(["1900-01-01", wrong, "2026-04-26"], name="date")
    with pytest.warns(sp.errors.DataWarning, match=f"before 1900 or after today, .*: '{wrong}'") as caught:
        assert sp.cadence(pd.DataFrame({"house": [1.0, 2.0, 3.0]}, dates))["n_points"].max() == 3
    assert len(of_this_call(caught)) == 1


@pytest.mark.parametrize("source", ["live", "embedded, live", None])
def test_quality_of_real_data_is_by_today_unless_said_otherwise(one, source):
    """Without `asof`, the age of a series of real data is counted to today (UTC)."""
    one.attrs["suburb_pandas"] = {"source": source, "made_up": "embedded" in source} if source else {}
    after = (pd.Timestamp.now("UTC") - pd.Timestamp("2026-04-26", tz="UTC")).days
    assert set(sp.quality(one)["age_days"]) <= {after, after + 1}  # midnight UTC may pass between the two lines


def test_lengths_and_days_of_numpy_that_no_calendar_has_are_refused(one):
    """A part of a day, a month as a length, a day before the year 1 and a missing day are refused."""
    for length in (np.timedelta64(25, "h"), np.timedelta64(1, "M")):
        with pytest.raises(ValueError, match=r"^max_gap must be a number of days or weeks"):
            sp.growth(one, max_gap=length)
    for asof in (np.datetime64("-0044-03-15"), np.datetime64("NaT", "D")):
        with pytest.raises(ValueError, match=r"^asof must be an ISO 8601 date"):
            sp.quality(one, asof)
