"""Frames of the rent shape: which frames resample, cadence, quality and growth accept, and what they keep of them."""

import json
import re
from datetime import date

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call
from tests.support.layouts import KINDS

BAY, WOYLIE = "Quokka Bay", "Woylie"
FUNCTIONS = [lambda frame: sp.resample(frame, "ME"), sp.cadence, sp.quality, sp.growth]


@pytest.fixture
def one(embedded):
    """Return the rents of one suburb."""
    return sp.rent(BAY)


@pytest.fixture
def many(embedded):
    """Return the rents of two suburbs. One of them has no units."""
    return sp.rent([WOYLIE, BAY])


def all_of(frame):
    """Return the results of resample, cadence, quality and growth for a frame."""
    return [
        sp.resample(frame, "QE", how="mean", detail=True),
        sp.cadence(frame),
        sp.quality(frame, asof="2026-05-01"),
        sp.growth(frame, "6M", smooth="91D"),
    ]


@pytest.mark.parametrize("unit", ["s", "ns"])
def test_dates_keep_their_unit(many, unit):
    """Dates in the result have the unit of the dates in the frame."""
    frame = many.set_axis(many.index.as_unit(unit))
    resampled, cadence, quality, _ = all_of(frame)
    assert {
        resampled.index.unit,
        resampled["house_last"].dt.unit,
        cadence["start"].dt.unit,
        quality["last"].dt.unit,
    } == {unit}


@pytest.mark.parametrize("dtype", ["Float64", "int64", "float32"])
def test_numbers_of_every_kind(one, dtype):
    """Rents may be nullable, integers or float32. Results are float64."""
    frame = one.dropna()
    for found, expected in zip(all_of(frame.astype(dtype)), all_of(frame), strict=True):
        pd.testing.assert_frame_equal(found, expected)


def test_two_values_of_one_date_are_warned_of(one):
    """If a series has different values on one date, the last row counts and a warning names the date."""
    with pytest.warns(sp.errors.DataWarning, match=r"several values on one date \('2026-04-26'\)") as caught:
        found = sp.resample(pd.concat([one, one.tail(1) + 5]), "ME")
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]
    assert (found.iloc[-1] == one.iloc[-1] + 5).all()
    pd.testing.assert_frame_equal(sp.resample(pd.concat([one, one]), "ME"), sp.resample(one, "ME"))


QUALITY_UNITS = {
    **dict.fromkeys(["age_days", "unchanged_days", "longest_flat_days"], "days"),
    "n_points": "points",
    "share_flat_56d": "fraction",
    "max_step_pct": "per cent",
}


def dates_of(frame):
    """Return the first and the last date of a frame, as the marks of what is made from it name them."""
    return [str(date.date()) for date in (frame.index.min(), frame.index.max())]


def test_details_have_their_types_and_units(one):
    """With `detail`, columns show how each value was obtained; the unit is a dictionary of the columns of numbers."""
    of_dates = str(one.index.dtype)
    for found, dtypes, units in [
        (
            sp.resample(one, "ME", detail=True),
            {"n": "int64", "last": of_dates, "coverage": "float64", "open": "bool", "filled": "bool"}
            | {"unchanged_days": "float64"},
            {"": "AUD per week", "_n": "points", "_coverage": "fraction", "_unchanged_days": "days"},
        ),
        (
            sp.growth(one, detail=True),
            {"base": "float64", "base_date": of_dates, "days": "float64"},
            {"": "fraction", "_base": "AUD per week", "_days": "days"},
        ),
    ]:
        expected = dict.fromkeys(KINDS, "float64")
        expected |= {f"{kind}_{name}": dtype for kind in KINDS for name, dtype in dtypes.items()}
        assert found.dtypes.astype("str").to_dict() == expected
        assert found.attrs["suburb_pandas"]["unit"] == {kind + end: units[end] for kind in KINDS for end in units}


def test_nothing_is_shared_with_the_frame_given(one):
    """Changing a result or its attrs does not change the frame that it was computed from."""
    before = one.copy()
    for found in (sp.resample(one, "ME"), sp.growth(one), sp.cadence(one), sp.quality(one)):
        found.attrs["suburb_pandas"]["source"] = "mine"
        found.iloc[:, -1] = found.iloc[::-1, -1].to_numpy()
    pd.testing.assert_frame_equal(one, before)
    assert one.attrs == before.attrs


@pytest.mark.filterwarnings("error")
def test_labels_of_open_periods_are_not_warned_of(one):
    """A resampled frame may have a label in the future, because a period is labelled with its last day."""
    years = sp.resample(one, "YE-MAR")
    assert years.index[-1] == pd.Timestamp("2027-03-31")
    sp.growth(years)


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


@pytest.mark.parametrize("marks", [True, False])
def test_marks_are_carried_with_the_unit_and_the_operation(one, marks):
    """Results keep the attrs of the frame, but have their own unit and name the call and the dates of its input."""
    if not marks:
        one.attrs.clear()
    before = dict(one.attrs.get("suburb_pandas", {}))
    for found, unit, operation in [
        (sp.resample(one, "QS-FEB", how="mean"), "AUD per week", 'resample(freq="QS-FEB", how="mean")'),
        (sp.resample(one, "ME", how="count"), "points", 'resample(freq="ME", how="count")'),
        (sp.growth(one, "3M", smooth=pd.Timedelta("91D")), "fraction", 'growth(over="3M", smooth="91D")'),
        (sp.cadence(one), "points", "cadence()"),
        (sp.quality(one, date(2025, 1, 31)), QUALITY_UNITS, 'quality(asof="2025-01-31")'),
    ]:
        expected = {**before, "unit": unit, "operations": [operation], "input_dates": [dates_of(one)]}
        assert found.attrs == {"suburb_pandas": expected}
        json.dumps(found.attrs)
    assert one.attrs.get("suburb_pandas", {}) == before


@pytest.mark.parametrize("function", FUNCTIONS)
def test_rents_that_are_not_above_zero_count_as_missing(function):
    """They are told with their dates and suburbs, and a frame with them gives what it gives without them."""
    dates = pd.DatetimeIndex(["2015-08-31", "2015-09-30", "2015-10-31"], name="date")
    frame = pd.DataFrame({"area_name": BAY, "house": [0.0, np.inf, 500.0], "unit": [300.0, -888.0, 310.0]}, dates)
    with pytest.warns(sp.errors.DataWarning, match="taken for missing") as caught:
        found = function(frame)
    pd.testing.assert_frame_equal(found, function(frame.replace([0.0, np.inf, -888.0], np.nan)))
    (warning,) = of_this_call(caught)
    assert str(warning.message) == (
        "Not above zero or not finite, so taken for missing: house of 0 on 2015-08-31 in 'Quokka Bay', house of inf on "
        "2015-09-30 in 'Quokka Bay', unit of -888 on 2015-09-30 in 'Quokka Bay'. If the frame holds changes, not "
        "rents, compute these after this step instead."
    )


@pytest.mark.parametrize("wrong", ["1899-12-31", "2261-04-05"])
def test_dates_that_cannot_be_right_are_warned_of(wrong):
    """A date before 1900 or in the future is named in a warning, and used as it is."""
    dates = pd.DatetimeIndex(["1900-01-01", wrong, "2026-04-26"], name="date")
    with pytest.warns(sp.errors.DataWarning, match=f"before 1900 or after today, .*: '{wrong}'") as caught:
        assert sp.cadence(pd.DataFrame({"house": [1.0, 2.0, 3.0]}, dates))["n_points"].max() == 3
    assert len(of_this_call(caught)) == 1


def test_no_point_is_younger_than_its_response(one):
    """A date after the day of retrieval is warned of, also if it is in the past.

    The day is that of eastern Australia, where it begins before the day in UTC. A text that is no time is not used.
    """
    frame = one.rename(index={one.index[-1]: pd.Timestamp("2026-04-26")})
    for when in ("2026-04-25T13:00:00+00:00", "in April"):
        frame.attrs["suburb_pandas"]["retrieved_at"] = when
        sp.growth(frame)
    frame.attrs["suburb_pandas"]["retrieved_at"] = "2026-04-25T12:59:59+00:00"
    with pytest.warns(sp.errors.DataWarning, match="the day of retrieval, 2026-04-25 in Australia: '2026-04-26'"):
        sp.growth(frame)


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_rents_put_on_a_calendar_at_once(embedded, layout):
    """`rent(freq=...)` equals `resample` of `rent(...)`, for one suburb, for several, and for the wide layout."""
    options = {"how": "mean", "partial": "drop", "min_coverage": 0.75, "fill": "linear", "max_gap": "62D"}
    for suburbs in (BAY, [BAY, WOYLIE]):
        expected = sp.resample(sp.rent(suburbs, layout=layout), "QE", **options)
        found = sp.rent(suburbs, freq="QE", **options, layout=layout)
        pd.testing.assert_frame_equal(found, expected)
        assert found.attrs == expected.attrs


@pytest.mark.parametrize("function", [*FUNCTIONS, sp.rent_index])
@pytest.mark.parametrize("layout", ["long", "tidy", "wide"])
def test_growth_and_counts_are_not_taken_for_rents(embedded, function, layout):
    """No function takes growth or counts of points for rents, in any layout; each says so in the same sentence."""
    rents = sp.rent([BAY, WOYLIE], layout=layout)
    for what, frame in {"growth": sp.growth(rents), "counts of points": sp.resample(rents, "QE", how="count")}.items():
        expected = f"This frame holds {what}, not rents: pass the rents that it was computed from."
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
            function(frame)


@pytest.mark.parametrize("source", ["live", "embedded, live", None])
def test_quality_of_real_data_is_by_today_unless_said_otherwise(one, source):
    """Without `asof`, the age of a series of real data is counted to today (UTC)."""
    one.attrs["suburb_pandas"] = {"source": source, "made_up": "embedded" in source} if source else {}
    after = (pd.Timestamp.now("UTC") - pd.Timestamp("2026-04-26", tz="UTC")).days
    assert set(sp.quality(one)["age_days"]) <= {after, after + 1}  # midnight UTC may pass between the two lines


def test_made_up_data_does_not_grow_old(one, many):
    """Without `asof`, the age of made-up data is counted to its retrieval, which the sandbox dates itself."""
    for frame in (one, many, sp.rent([BAY], layout="wide")):
        assert sp.quality(frame)["age_days"].min() == 2


def test_growth_is_never_infinite():
    """Where a growth is too large for a number, it is missing, with its base."""
    dates = pd.date_range("2015-01-31", periods=4, freq="ME", name="date")
    rents = pd.DataFrame({"house": [1e308, 5e-324, 600.0, 1e-300]}, dates)
    grown = sp.growth(rents, "1M", detail=True)
    assert grown["house"].to_list() == pytest.approx([np.nan, -1, np.nan, -1], nan_ok=True)
    assert grown["house_base"].notna().to_list() == [False, True, False, True]
