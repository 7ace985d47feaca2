"""The laws of the line between two points: what more points, other dates, later data and scaling do to the results."""

from bisect import bisect_left
from datetime import timedelta
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law, overs
from tests.timeseries import irregular, slow_time
from tests.timeseries.irregular import as_arguments, assert_same_rows, frame_of, is_close, plain

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")

MAX_GAP = 35
fills = st.sampled_from([None, "linear"])
smooths = st.none() | st.integers(1, 120)


@st.composite
def one_series(draw, least=2):
    """Draw a series of at least `least` points in the form that the reference takes."""
    found = slow_time.series(draw(irregular.series(draw(irregular.days))))
    assume(len(found) >= least)
    return found


@st.composite
def with_one_more(draw, longest):
    """Draw a series, and the same with a point put on the line between two neighbours at most `longest` days apart."""
    series = draw(one_series())
    wide = [pair for pair in pairwise(series) if 1 < (pair[1][0] - pair[0][0]).days <= longest]
    assume(wide)
    (start, low), (end, high) = draw(st.sampled_from(wide))
    length = (end - start).days
    days = draw(st.integers(1, length - 1))
    return series, sorted([*series, (start + timedelta(days), low + (high - low) * days / length)])


@st.composite
def on_a_line(draw):
    """Draw a series whose rents rise or fall by the same amount each day, with that amount."""
    days = [day for day, _ in draw(one_series())]
    per_day = draw(st.floats(-0.02, 0.02))
    return [(day, 500 + per_day * (day - days[0]).days) for day in days], per_day


def frame(series):
    """Return a series as a frame of houses."""
    return frame_of([(day, value, None) for day, value in series])[["house"]]


def house(found):
    """Return a frame's houses as {date: value}, without missing values."""
    return {plain(day): value for day, value in found["house"].dropna().items()}


def assert_no_value_changed(found, expected, size):
    """Assert that every value of `expected` is in `found`. Both are {date: value}; `found` may have more."""
    for day, value in expected.items():
        assert day in found, day
        assert is_close(found[day], value, size), (day, found[day], value)


# More points


@law(both=with_one_more(MAX_GAP), freq=irregular.freqs, min_coverage=st.sampled_from([0.0, 0.5, 1.0]))
def test_a_point_on_the_line_changes_no_mean(both, freq, min_coverage):
    """A point put on the line between two others changes no mean: it does not depend on the cadence."""
    before, after = (sp.resample(frame(each), freq, how="mean", min_coverage=min_coverage) for each in both)
    assert house(before).keys() == house(after).keys()
    assert_no_value_changed(house(after), house(before), 5000)


@law(both=with_one_more(200), freq=irregular.freqs, how=st.sampled_from(["last", "mean"]))
def test_a_point_on_the_line_changes_no_filled_value_of_a_period_that_stays_empty(both, freq, how):
    """A filled value stays the same as long as its period is filled: what is filled lies on the same line."""
    before, after = (
        sp.resample(frame(each), freq, how=how, fill="linear", max_gap="200D", detail=True) for each in both
    )
    expected = house(before[before["house_filled"]])
    stays_empty = house(after[after["house_filled"]])
    assert_no_value_changed(house(after), {day: expected[day] for day in expected.keys() & stays_empty.keys()}, 5000)
    assert expected.keys() <= house(after).keys()


@law(some=60, both=with_one_more(MAX_GAP), over=overs, smooth=smooths)
def test_a_point_on_the_line_changes_no_growth_whose_base_was_known(both, over, smooth):
    """Growth stays the same where its base and windows were wholly known before. Elsewhere a NaN may become a value."""
    options = {} if smooth is None else {"smooth": f"{smooth}D", "min_coverage": 1}
    before, after = (house(sp.growth(frame(each), over, **options)) for each in both)
    assert_no_value_changed(after, before, 100)


# Lines


@law(line=on_a_line(), freq=irregular.freqs, fill=fills)
def test_means_and_filled_values_are_exact_on_lines(line, freq, fill):
    """On a line, the mean over a whole period is the value in its middle, and a filled value is the value there."""
    series, per_day = line
    (start, first), last_day = series[0], series[-1][0]
    options = {} if fill is None else {"fill": fill, "max_gap": "999W"}
    for day, value in house(sp.resample(frame(series), freq, how="mean", min_coverage=1, **options)).items():
        begin, end = slow_time.period(day, freq)
        assert start <= begin
        assert end <= last_day
        middle = (begin - start).days + (end - begin).days / 2
        assert is_close(value, first + per_day * middle, 500)
    last = sp.resample(frame(series), freq, fill="linear", max_gap="999W", detail=True)
    for day, value in house(last[last["house_filled"]]).items():
        _, end = slow_time.period(day, freq)
        assert is_close(value, first + per_day * (end - start).days, 500)


@law(line=on_a_line(), over=overs, smooth=smooths)
def test_growth_is_exact_on_lines(line, over, smooth):
    """On a line, growth compares its values, or with `smooth` those in the middles of the windows."""
    series, per_day = line
    start, first = series[0]
    options = {} if smooth is None else {"smooth": f"{smooth}D", "min_coverage": 1}
    for day, value in house(sp.growth(frame(series), over, max_gap="999W", **options)).items():
        back = ((smooth or 1) - 1) / 2
        now, base = (first + per_day * ((there - start).days - back) for there in (day, slow_time.back(day, over)))
        assert is_close(value, now / base - 1)


def test_a_window_up_to_an_unknown_day_has_no_mean():
    """On a line, growth over less than a step is NaN, because its base lies on the line to the point itself."""
    days = pd.date_range("2024-01-31", periods=8, freq="ME", name="date")
    rents = pd.DataFrame({"house": 500.0 + (days - days[0]).days}, days)
    for over in ("1D", "30D"):
        for smooth in (None, "1D", "30D", "91D"):
            found = sp.growth(rents, over, smooth=smooth, detail=True).loc["2024-08-31"]
            assert found[["house", "house_base", "house_base_date", "house_days"]].isna().all()
    assert sp.growth(rents, "31D", smooth="30D").loc["2024-08-31", "house"] == pytest.approx(31 / (713 - 31 - 14.5))


# Later data


@law(series=one_series(1), over=overs, chosen=irregular.growth_options(), which=st.integers(0, 1000))
def test_growth_looks_at_nothing_later(series, over, chosen, which):
    """Growth at a date does not change when everything after that date is cut off."""
    cut = series[: which % len(series) + 1]
    full, before = (sp.growth(frame(each), over, **as_arguments(chosen), detail=True) for each in (series, cut))
    assert_same_rows(before, full.iloc[: len(cut)])


@law(series=one_series(1), freq=irregular.freqs, which=st.integers(0, 1000))
def test_a_mean_looks_at_the_next_point_only(series, freq, which):
    """A mean does not change when everything after its period is cut off except the one next point."""
    spans = slow_time.periods(series, [], freq)
    span = spans[which % len(spans)]
    cut = series[: bisect_left(series, span[1] + timedelta(1), key=lambda point: point[0]) + 1]
    label = pd.Timestamp(slow_time.label(span, freq))
    full, before = (sp.resample(frame(each), freq, how="mean").loc[:label] for each in (series, cut))
    assert_same_rows(before, full)
