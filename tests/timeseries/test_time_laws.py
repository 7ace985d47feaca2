"""Time: laws of cadence, resampling, growth and quality for whatever points there are; a slow reference to match."""

from datetime import date, timedelta

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support import irregular, slow_time
from tests.support.irregular import (
    KINDS,
    NAMES,
    alone,
    both,
    frame_of,
    given_as,
    long_frame_of,
    same,
    size,
    suburbs,
    told,
)

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.DataWarning")

CHANGEOVER = [
    (date(2025, 1, 31), 500.0), (date(2025, 2, 28), 520.0), (date(2025, 3, 2), 530.0), (date(2025, 3, 9), 540.0),
    (date(2025, 3, 16), 550.0), (date(2025, 3, 23), 560.0), (date(2025, 3, 30), 570.0), (date(2025, 4, 6), 580.0),
]  # fmt: skip
"""The worked example: month ends, then Sundays."""

without_count = irregular.options().filter(lambda chosen: chosen["how"] != "count")
overs = st.one_of(
    st.integers(1, longest).map(f"{{}}{unit}".format) for unit, longest in {"D": 100, "W": 20, "M": 14, "Y": 2}.items()
)


def law(some=30, **strategies):
    """Try a law on some examples, and on fifty times as many with `-m long`."""

    def decorate(check):
        @pytest.mark.parametrize("examples", [some, pytest.param(50 * some, marks=pytest.mark.long)])
        def test(examples):
            settings(max_examples=examples)(given(**strategies)(check))()

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return decorate


def example():
    """Give the worked example, units alike but for their last point, as a frame."""
    return frame_of([(day, value, value if value < 580 else None) for day, value in CHANGEOVER])


def of(frame, name):
    """Give the rows of one suburb, without its name, as they would be alone."""
    return told(frame[frame["area_name"] == name].drop(columns="area_name"))


# The laws of the issue


@law(rows=suburbs(irregular.month_ends), how=st.sampled_from(["last", "mean"]))
def test_month_end_data_to_month_ends_is_what_it_was(rows, how):
    """Month-end data to `ME` is the identity on the rows that have a point, under `last` and under `mean`."""
    frame = sp.resample(frame_of(rows), "ME", how=how)
    for kind, points in zip(KINDS, both(rows), strict=True):
        found = frame[kind].dropna()
        same(found.to_frame(), [{"date": day, kind: value} for day, value in points], size(rows))


@law(rows=suburbs(), freq=irregular.freqs, how=st.sampled_from(["last", "median"]), fill=irregular.fills)
def test_last_and_median_are_idempotent(rows, freq, how, fill):
    """Resampling once more by `last` or `median` changes nothing, whatever was filled."""
    once = sp.resample(frame_of(rows), freq, how=how, fill=fill)
    same(sp.resample(once, freq, how=how, fill=fill), once, size(rows))


@law(rows=suburbs(), freq=irregular.weeks | irregular.ends, fill=irregular.fills)
def test_the_mean_is_idempotent_where_labels_are_last_days(rows, freq, fill):
    """Resampling once more by `mean` changes nothing at `ME`, `QE`, `YE` and weeks, whatever was filled."""
    once = sp.resample(frame_of(rows), freq, how="mean", fill=fill)
    same(sp.resample(once, freq, how="mean", fill=fill), once, size(rows))


@law(rows=suburbs(), freq=irregular.freqs, which=st.integers(0, 1000))
def test_last_looks_at_nothing_later(rows, freq, which):
    """A series cut at a period's end gives for the periods up to there what the full series gives."""
    spans = slow_time.periods(*both(rows), freq)
    assume(spans)
    span = spans[which % len(spans)]
    full = sp.resample(frame_of(rows), freq)
    cut = sp.resample(frame_of([row for row in rows if row[0] <= span[1]]), freq)
    until = full.loc[: pd.Timestamp(slow_time.label(span, freq))]
    same(cut.reindex(until.index), until)


@law(rows=suburbs(), freq=irregular.freqs.filter(lambda freq: freq[0] in "QY"))
def test_quarters_and_years_are_the_means_of_their_months(rows, freq):
    """A period's day-weighted mean is that of its months' means, weighted by the days spoken for."""
    months = sp.resample(frame_of(rows), "ME", how="mean", detail=True)
    spans = [slow_time.period(month.date(), freq) for month in months.index]
    labels = pd.DatetimeIndex([slow_time.label(span, freq) for span in spans], name="date")
    expected = {}
    for kind in KINDS:
        weights = months[f"{kind}_coverage"] * months.index.days_in_month
        sums = (months[kind] * weights).groupby(labels).sum(min_count=1)
        expected[kind] = sums / weights.groupby(labels).sum()
    same(sp.resample(frame_of(rows), freq, how="mean"), pd.DataFrame(expected), size(rows))


@law(rows=suburbs(), freq=irregular.freqs, chosen=without_count, factor=st.floats(0.01, 100))
def test_scaling_commutes(rows, freq, chosen, factor):
    """Rents of another currency are resampled to what is resampled, in that currency."""
    frame = frame_of(rows)
    expected = sp.resample(frame, freq, **given_as(chosen)) * factor
    same(sp.resample(frame * factor, freq, **given_as(chosen)), expected, size(rows) * factor)


@law(rows=suburbs(), freq=irregular.freqs, chosen=without_count, shift=st.floats(-1000, 1000))
def test_shifting_commutes(rows, freq, chosen, shift):
    """Rents with something added are resampled to what is resampled, with that added."""
    frame = frame_of(rows)
    expected = sp.resample(frame, freq, **given_as(chosen)) + shift
    same(sp.resample(frame + shift, freq, **given_as(chosen)), expected, size(rows) + abs(shift))


@law(rows=suburbs(), freq=irregular.freqs, how=st.sampled_from(["last", "mean", "median"]))
def test_values_stay_within_the_points_that_speak(rows, freq, how):
    """No value is above or below all points dated in its period or, for `mean`, that speak for days of it."""
    frame = sp.resample(frame_of(rows), freq, how=how)
    for kind, points in zip(KINDS, both(rows), strict=True):
        speaking = slow_time.spoken_for(points, weekly=freq.startswith("W")) if how == "mean" else dict(points)
        for day, value in frame[kind].dropna().items():
            first, last = slow_time.period(day.date(), freq)
            values = [spoken for spoken_day, spoken in speaking.items() if first <= spoken_day <= last]
            assert min(values) - 1e-9 * size(rows) <= value <= max(values) + 1e-9 * size(rows)


@law(rows=irregular.unbroken_month_ends(), months=st.integers(1, 30))
def test_growth_on_unbroken_month_ends_is_pct_change(rows, months):
    """On month-end data without gaps, n months of growth are `pct_change` over n rows, and 12 of them a year's."""
    frame = frame_of(rows)
    same(sp.growth(frame, f"{months}M"), frame.pct_change(months, fill_method=None))
    same(sp.growth(frame), frame.pct_change(12, fill_method=None))


@law(rows=irregular.countries(), freq=irregular.freqs, chosen=irregular.options())
def test_a_suburb_is_resampled_among_many_as_alone(rows, freq, chosen):
    """Every suburb of a long frame gives what it gives alone, in the order of first appearance, still categorical."""
    frame = sp.resample(long_frame_of(rows), freq, **given_as(chosen), detail=True)
    found = {name: sp.resample(frame_of(own), freq, **given_as(chosen), detail=True) for name, own in alone(rows)}
    assert list(frame["area_name"].unique()) == [name for name, own in found.items() if len(own)]
    assert list(frame["area_name"].cat.categories) == NAMES
    for name, own in found.items():
        same(of(frame, name), own)


@law(rows=irregular.countries(), asof=irregular.days)
def test_a_suburb_is_described_among_many_as_alone(rows, asof):
    """Cadence and quality of a suburb are among many what they are alone; quality has a row also without points."""
    cadence, quality = sp.cadence(long_frame_of(rows)), sp.quality(long_frame_of(rows), asof=pd.Timestamp(asof))
    assert list(quality["area_name"]) == [name for name in NAMES for _ in KINDS]
    owns = dict(alone(rows))
    with_points = [name for name, own in owns.items() if any(both(own))]
    assert list(cadence["area_name"].unique()) == with_points
    for name in NAMES:
        own = frame_of(owns.get(name, []))
        same(of(cadence, name), sp.cadence(own))
        same(of(quality, name), sp.quality(own, asof=pd.Timestamp(asof)))


@law(rows=irregular.countries(), over=overs, smooth=st.none() | st.just("91D"))
def test_a_suburb_grows_among_many_as_alone(rows, over, smooth):
    """Growth has the index, columns and names of the frame given, and each suburb's is what it is alone."""
    frame = long_frame_of(rows)
    grown = sp.growth(frame, over, smooth=smooth)
    assert list(grown.columns) == ["area_name", *KINDS]
    pd.testing.assert_index_equal(grown.index, frame.index)
    pd.testing.assert_series_equal(grown["area_name"], frame["area_name"])
    for name, own in alone(rows):
        same(of(grown, name), sp.growth(frame_of(own), over, smooth=smooth))


# The slow reference, and pandas


@law(some=100, rows=suburbs(), freq=irregular.freqs, chosen=irregular.options())
def test_resample_agrees_with_the_slow_reference(rows, freq, chosen):
    """Values and details are what day-by-day loops over the definitions give."""
    frame = frame_of(rows)
    expected = irregular.slow_resample(rows, freq, chosen)
    same(sp.resample(frame, freq, **given_as(chosen), detail=True), expected, size(rows))
    values = [{name: row[name] for name in ("date", *KINDS)} for row in expected]
    same(sp.resample(frame, freq, **given_as(chosen)), values, size(rows))


@law(some=120, rows=suburbs())
def test_cadence_agrees_with_the_slow_reference(rows):
    """The stretches are those that the definitions give, step by step."""
    same(sp.cadence(frame_of(rows)), irregular.slow_cadence(rows))


@law(some=80, rows=suburbs(), later=st.integers(-300, 300))
def test_quality_agrees_with_the_slow_reference(rows, later):
    """The numbers of quality are those that the definitions give, as of any day."""
    asof = max((row[0] for row in rows if row[1:] != (None, None)), default=date(2025, 1, 1)) + timedelta(later)
    same(sp.quality(frame_of(rows), asof=pd.Timestamp(asof)), irregular.slow_quality(rows, asof))


@law(
    some=80,
    rows=suburbs(),
    over=overs,
    smooth=st.none() | st.integers(1, 120),
    tolerance=st.integers(0, 40) | st.sampled_from([0, 400]),
)
def test_growth_agrees_with_the_slow_reference(rows, over, smooth, tolerance):
    """Growth and the dates of its bases are what loops over the definitions give."""
    found = sp.growth(frame_of(rows), over, smooth=smooth and f"{smooth}D", tolerance=f"{tolerance}D", detail=True)
    same(found, irregular.slow_growth(rows, over, {"smooth": smooth, "tolerance": tolerance}))


@law(rows=suburbs(), over=overs.filter(lambda over: over[-1] in "MY"), smooth=st.none() | st.integers(1, 120))
def test_annual_growth_agrees_with_the_slow_reference(rows, over, smooth):
    """Growth a year is by the days between the two dates."""
    found = sp.growth(frame_of(rows), over, smooth=smooth and f"{smooth}D", annualise=True, detail=True)
    same(found, irregular.slow_growth(rows, over, {"smooth": smooth, "annualise": True}))


@law(rows=suburbs(), freq=irregular.freqs, how=st.sampled_from(["last", "median", "count"]))
def test_labels_and_simple_values_are_those_of_pandas(rows, freq, how):
    """On ordered dates that come once, `last`, `median` and `count` are what pandas' own resample gives."""
    frame = frame_of(sorted(rows, key=lambda row: row[0])).dropna(how="all")
    assume(len(frame) and frame.index.is_unique)
    same(sp.resample(frame, freq, how=how), frame.resample(freq).agg(how), size(rows))


@law(rows=irregular.countries(), freq=irregular.freqs, chosen=irregular.options())
def test_the_frame_given_is_not_touched(rows, freq, chosen):
    """None of the functions changes its frame."""
    frame, copy = long_frame_of(rows), long_frame_of(rows)
    sp.resample(frame, freq, **given_as(chosen), detail=True)
    sp.growth(frame, smooth="91D", detail=True)
    sp.cadence(frame)
    sp.quality(frame)
    pd.testing.assert_frame_equal(frame, copy)


# The worked example


@pytest.mark.parametrize(("freq", "expected"), [
    ("ME", [500, 520, (2 * 530 + 7 * 540 + 7 * 550 + 7 * 560 + 7 * 570 + 1 * 580) / 31, 580]),
    ("QE", [524.8888888888889, 580]),
])  # fmt: skip
def test_the_worked_example(freq, expected):
    """Month ends, then Sundays: a quarter's mean is by days, not by points."""
    assert sp.resample(example(), freq, how="mean")["house"].to_list() == pytest.approx(expected, rel=1e-12)


def test_the_worked_example_in_detail():
    """What stands behind a month and a quarter of the worked example."""
    months = sp.resample(example(), "ME", detail=True)
    assert list(months.columns[:2]) == list(KINDS)
    assert set(months.columns[2:]) == {f"{kind}_{name}" for kind in KINDS for name in irregular.DETAILS}
    assert months["house_n"].to_list() == [1, 1, 5, 1]
    assert months["house_last"].dt.day.to_list() == [31, 28, 30, 6]
    assert months["house_coverage"].to_list() == pytest.approx([1, 1, 1, 0.2])
    assert months["house_open"].to_list() == [False, False, False, True]
    assert months["unit_open"].to_list() == [False, False, False, True]
    assert not months["house_filled"].any()
    assert months["unit_unchanged_days"].isna().to_list() == [False, False, False, True]
    assert pd.api.types.is_integer_dtype(months["house_n"])
    assert months[["house_open", "house_filled"]].dtypes.eq(bool).all()


def test_an_open_period_is_dropped():
    """April, which the next point would fall into, gives no value, and no row where that goes for all types."""
    assert len(sp.resample(example(), "ME", partial="drop")) == 3
    assert len(sp.resample(example(), "QE", partial="drop")) == 1


def test_a_month_that_holds_its_last_sunday_is_complete():
    """Weekly data to the last Sunday of March has no open month, though March has a day more."""
    frame = example().loc[:"2025-03-30"]
    assert len(sp.resample(frame, "ME", partial="drop")) == 3
    assert not sp.resample(frame, "ME", detail=True)["house_open"].any()


def test_a_series_monthly_for_years_and_weekly_lately():
    """The point of the changeover belongs to both stretches, and nothing is missing."""
    monthly = [slow_time.months_on(date(2020, 1, 28), n) for n in range(32)]
    weekly = [monthly[-1] + timedelta(7 * n) for n in range(1, 100)]
    found = told(sp.cadence(frame_of([(day, 500.0, None) for day in monthly + weekly])))
    assert [(row["cadence"], row["start"], row["n_points"], row["n_missing"]) for row in found] == [
        ("monthly", date(2020, 1, 28), 32, 0),
        ("weekly", date(2022, 8, 28), 100, 0),
    ]


@pytest.mark.parametrize(("step", "cadence"), [
    (1, "weekly"), (10, "weekly"), (11, "irregular"), (25, "irregular"),
    (26, "monthly"), (35, "monthly"), (36, "irregular"),
])  # fmt: skip
def test_the_edges_of_weekly_and_monthly(step, cadence):
    """A step of at most 10 days is weekly, of 26 to 35 days monthly; one alone is neither."""
    dates = [date(2025, 1, 1) + timedelta(step * n) for n in range(3)]
    assert sp.cadence(frame_of([(day, 500.0, None) for day in dates]))["cadence"].to_list() == [cadence]
    assert sp.cadence(frame_of([(day, 500.0, None) for day in dates[:2]]))["cadence"].to_list() == ["irregular"]


@pytest.mark.parametrize(("length", "share"), [(55, 0), (56, 56 / 60)])
def test_a_flat_stretch_begins_at_56_days(length, share):
    """A run of equal values counts as flat from 56 days on."""
    dates = [date(2025, 1, 1) + timedelta(n) for n in (0, length, 60)]
    quality = sp.quality(frame_of(list(zip(dates, (500.0, 500.0, 510.0), [None] * 3, strict=True))))
    assert quality["share_flat_56d"][0] == pytest.approx(share)


@pytest.mark.parametrize(("max_gap", "filled"), [("79D", False), ("80D", True)])
def test_a_gap_is_filled_up_to_its_limit(max_gap, filled):
    """From 10 January to 31 March are 80 days: not more than 80, but more than 79."""
    frame = frame_of([(date(2025, 1, 10), 500.0, None), (date(2025, 3, 31), 530.0, None)])
    found = sp.resample(frame, "ME", fill="ffill", max_gap=max_gap)["house"]
    assert found.notna().to_list() == [True, filled, True]
    assert sp.resample(frame, "ME", fill="ffill", max_gap=max_gap, detail=True)["house_filled"].to_list()[1] is filled


@pytest.mark.parametrize("freq", ["2W", "2ME", "-1ME", "D", "h", "w", "me", "M", "BME", "W-ABC", "QE-ABC", "SME", ""])
def test_another_frequency_is_refused(freq):
    """What is no calendar frequency from weeks up is refused, and the message lists those that are."""
    with pytest.raises(ValueError, match=r"(?s)W.*MS.*ME.*QS.*QE.*YS.*YE"):
        sp.resample(example(), freq)


@pytest.mark.parametrize(("wrong", "message"), [
    ({"fill": "bfill"}, "fill is one of None, 'ffill', 'linear', not 'bfill'"),
    ({"partial": "some"}, "partial is one of 'keep', 'drop', not 'some'"),
    ({"min_coverage": 0.5}, "it goes with how='mean'"),
    ({"how": "mean", "min_coverage": 1.5}, "min_coverage is a share of a period's days"),
])  # fmt: skip
def test_options_that_say_nothing_are_refused(wrong, message):
    """Unknown words, and coverage without a mean, are mistakes."""
    with pytest.raises(ValueError, match=message):
        sp.resample(example(), "ME", **wrong)
