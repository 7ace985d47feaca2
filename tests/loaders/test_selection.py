"""``start`` and ``end``: which dates ``rent`` returns, in every layout, and what is refused before a call."""

import warnings

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.layouts import values_of

BAY, HEIGHTS, NEWCOMER, NOWHERE = "Quokka Bay", "Bilby Heights", "Galah Siding", "Thorny Devil"


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        ("2021", "2021", ("2021-01-01", "2021-12-31")),
        ("2024-02", "2024-02", ("2024-02-01", "2024-02-29")),
        ("2021-05", None, ("2021-05-01", None)),
        (None, "1999-12", (None, "1999-12-31")),
        (np.datetime64("2021"), np.datetime64("2021-05"), ("2021-01-01", "2021-05-31")),
    ],
)
def test_a_year_or_a_month_is_its_first_or_last_day(embedded, start, end, days):
    """As `start`, a year or a month is its first day, and as `end` its last one. The marks say which day that was."""
    shown = ", ".join(f'{name}="{day}"' for name, day in zip(("start", "end"), days, strict=True) if day)
    found = sp.rent(BAY, start=start, end=end)
    pd.testing.assert_frame_equal(found, sp.rent(BAY).loc[slice(*days)])
    assert found.attrs["suburb_pandas"]["operations"] == [f"rent({shown})"]


@pytest.mark.parametrize("layout", ["long", "tidy", "wide"])
def test_suburbs_without_dates_in_the_range_stay(embedded, layout):
    """A suburb without a row in the range keeps its category in a long frame, and its columns in a wide one."""
    names = [BAY, NEWCOMER, NOWHERE]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.errors.NoDataWarning)
        full, found = sp.rent(names), sp.rent(names, end="2018", layout=layout)
    expected = full[full.index <= "2018-12-31"]
    assert set(expected["area_name"]) == {BAY}
    assert values_of(found) == values_of(expected)
    if layout == "wide":
        assert found.columns.equals(pd.MultiIndex.from_product([("house", "unit"), names]))
        assert found["house"][[NEWCOMER, NOWHERE]].isna().to_numpy().all()
    elif layout == "long":
        assert list(found["area_name"].cat.categories) == names


@pytest.mark.parametrize("freq", ["QE", "QS"])
def test_the_selection_follows_the_resampling_and_goes_by_label(embedded, freq):
    """A period is in the range if its label is. Its value is that of the whole series."""
    quarters = sp.rent([BAY, HEIGHTS], freq=freq, how="mean")
    found = sp.rent([BAY, HEIGHTS], freq=freq, how="mean", start="2024-01-01", end="2024-12-31")
    pd.testing.assert_frame_equal(found, quarters[quarters.index.year == 2024])
    kept = found.attrs["suburb_pandas"]["operations"]
    assert kept[1:] == ['rent(start="2024-01-01", end="2024-12-31")']
    assert kept[:1] == quarters.attrs["suburb_pandas"]["operations"]


@pytest.mark.parametrize(
    "limit", ["05/12/2025", "2025-13", "21", "2025-02-30", 2025, pd.NaT, "today", pd.Period("2021")]
)
@pytest.mark.parametrize("name", ["start", "end"])
def test_what_is_no_date_is_refused_before_a_call(live, service, name, limit):
    """A limit that is not a date is a ValueError that shows the forms, and nothing is sent."""
    with pytest.raises(ValueError, match=rf"{name} must be an ISO 8601 date, .* Nothing was sent\."):
        sp.rent(BAY, **{name: limit})
    assert not service.requests


def test_a_length_of_time_is_refused_with_the_line_that_keeps_the_last_dates(embedded):
    """The dates of a request are explicit. To keep the last years, load all dates: the price is the same."""
    with pytest.raises(ValueError, match=r"Nothing was sent\. For the last five years"):
        sp.rent(BAY, start="-5Y")
    with pytest.raises(ValueError, match=r"Nothing was sent\.$"):
        sp.rent(BAY, end="-5Y")


@pytest.mark.parametrize("layout", ["wides", None, ["wide"]])
def test_an_unknown_layout_is_refused_before_a_call(live, service, layout):
    """Anything but the four layouts is a ValueError that names them, and nothing is sent."""
    with pytest.raises(ValueError, match=r"must be 'long', 'panel', 'tidy' or 'wide', not .*\. Nothing was sent\."):
        sp.rent(BAY, layout=layout)
    assert not service.requests


def test_a_start_after_the_end_is_refused_before_a_call(live, service):
    """The error shows both days, and nothing is sent."""
    with pytest.raises(ValueError, match=r"start is after end: 2022-01-01 is after 2021-12-31\. Nothing was sent\."):
        sp.rent(BAY, start="2022", end="2021")
    assert not service.requests
    assert len(sp.rent(BAY, start="2024-03-31", end="2024-03-31")) == 1


def test_what_arrived_of_a_batch_is_selected_too(embedded):
    """The frame that an error carries has the dates and the layout that were asked for."""
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent([BAY, "Nowhere at All"], start="2026", layout="tidy")
    assert set(caught.value.frame["date"].dt.year) == {2026}
