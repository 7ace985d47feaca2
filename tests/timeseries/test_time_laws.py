"""Laws that resample, cadence, quality and growth obey for any points, and a slow reference that they agree with."""

from datetime import date, timedelta

import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law, overs
from tests.timeseries import irregular, slow_time
from tests.timeseries.irregular import (
    KINDS,
    NAMES,
    as_arguments,
    assert_same_rows,
    frame_of,
    house_and_unit,
    long_frame_of,
    records,
    rows_by_suburb,
    size,
    suburb_rows,
)

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")

NAN = float("nan")
CHANGEOVER = [
    (date(2025, 1, 31), 500.0), (date(2025, 2, 28), 520.0), (date(2025, 3, 2), 530.0), (date(2025, 3, 9), 540.0),
    (date(2025, 3, 16), 550.0), (date(2025, 3, 23), 560.0), (date(2025, 3, 30), 570.0), (date(2025, 4, 6), 580.0),
]  # fmt: skip
"""The worked example: rents at month ends, then on Sundays."""

without_count = irregular.options().filter(lambda chosen: chosen["how"] != "count")


def example():
    """Return the worked example as a frame. Units have the rents of houses, without the last point."""
    return frame_of([(day, value, value if value < 580 else None) for day, value in CHANGEOVER])


def of(frame, name):
    """Return the rows of one suburb, without its name."""
    return records(frame[frame["area_name"] == name].drop(columns="area_name"))


# The laws


once_is_enough = st.sampled_from([{"how": "last"}, {"how": "median"}, {"fill": "ffill"}])


@law(rows=suburb_rows(), freq=irregular.freqs, options=once_is_enough)
def test_resampling_again_changes_nothing(rows, freq, options):
    """`last`, `median` and `fill="ffill"` are idempotent."""
    once = sp.resample(frame_of(rows), freq, **options)
    assert_same_rows(sp.resample(once, freq, **options), once, size(rows))


@law(rows=suburb_rows(), freq=irregular.freqs, which=st.integers(0, 1000))
def test_last_looks_at_nothing_later(rows, freq, which):
    """Under `last`, the value of a period does not change when later points arrive."""
    spans = slow_time.periods(*house_and_unit(rows), freq)
    assume(spans)
    span = spans[which % len(spans)]
    full = sp.resample(frame_of(rows), freq)
    cut = sp.resample(frame_of([row for row in rows if row[0] <= span[1]]), freq)
    until = full.loc[: pd.Timestamp(slow_time.label(span, freq))]
    assert_same_rows(cut.reindex(until.index), until)


@law(rows=suburb_rows(), freq=irregular.freqs.filter(lambda freq: freq[0] in "QY"))
def test_quarters_and_years_are_the_means_of_their_months(rows, freq):
    """The mean of a quarter or year is the mean of its months, weighted by their days on the line."""
    months = sp.resample(frame_of(rows), "ME", how="mean", min_coverage=0, detail=True)
    spans = [slow_time.period(month.date(), freq) for month in months.index]
    labels = pd.DatetimeIndex([slow_time.label(span, freq) for span in spans], name="date")
    expected = {}
    for kind in KINDS:
        weights = months[f"{kind}_coverage"] * months.index.days_in_month
        sums = (months[kind] * weights).groupby(labels).sum(min_count=1)
        expected[kind] = sums / weights.groupby(labels).sum()
    found = sp.resample(frame_of(rows), freq, how="mean", min_coverage=0)
    assert_same_rows(found, pd.DataFrame(expected), size(rows))


@law(rows=suburb_rows(), freq=irregular.freqs, chosen=without_count, factor=st.floats(0.01, 100))
def test_scaling_commutes(rows, freq, chosen, factor):
    """Multiplying all rents by a factor multiplies the resampled rents by it."""
    frame = frame_of(rows)
    expected = sp.resample(frame, freq, **as_arguments(chosen)) * factor
    assert_same_rows(sp.resample(frame * factor, freq, **as_arguments(chosen)), expected, size(rows) * factor)


@law(rows=irregular.unbroken_month_ends(), months=st.integers(1, 30))
def test_growth_on_unbroken_month_ends_is_pct_change(rows, months):
    """On month-end data without gaps, growth over n months equals `pct_change(n)`. By default, n is 12."""
    frame = frame_of(rows)
    assert_same_rows(sp.growth(frame, f"{months}M"), frame.pct_change(months, fill_method=None))
    assert_same_rows(sp.growth(frame), frame.pct_change(12, fill_method=None))


@law(
    rows=irregular.rows_of_suburbs(), freq=irregular.freqs, chosen=irregular.options(), grown=irregular.growth_options()
)
def test_a_suburb_is_among_many_as_alone(rows, freq, chosen, grown):
    """Results do not depend on other suburbs. Suburbs keep their order and their categories, all of them in quality."""
    long, owns = long_frame_of(rows), dict(rows_by_suburb(rows))
    for function in (
        lambda frame: sp.resample(frame, freq, **as_arguments(chosen), detail=True),
        lambda frame: sp.growth(frame, **as_arguments(grown), detail=True),
        sp.cadence,
        lambda frame: sp.quality(frame, asof="2025-01-01"),
    ):
        found = function(long)
        assert list(found["area_name"].cat.categories) == NAMES
        for name in NAMES:
            assert_same_rows(of(found, name), function(frame_of(owns.get(name, []))))
        shown = list(found["area_name"].unique())
        assert shown == [name for name in (NAMES if "age_days" in found else owns) if name in shown]
    pd.testing.assert_frame_equal(sp.growth(long)[["area_name"]], long[["area_name"]])


# The slow reference, and pandas


@law(some=100, rows=suburb_rows(), freq=irregular.freqs, chosen=irregular.options())
def test_resample_agrees_with_the_slow_reference(rows, freq, chosen):
    """Values and details equal those computed from the definitions, day by day."""
    frame = frame_of(rows)
    expected = irregular.slow_resample(rows, freq, chosen)
    assert_same_rows(sp.resample(frame, freq, **as_arguments(chosen), detail=True), expected, size(rows))
    values = [{name: row[name] for name in ("date", *KINDS)} for row in expected]
    assert_same_rows(sp.resample(frame, freq, **as_arguments(chosen)), values, size(rows))


@law(some=80, rows=suburb_rows(), later=st.integers(-300, 300))
def test_quality_agrees_with_the_slow_reference(rows, later):
    """Quality as of any day equals that computed from the definitions."""
    asof = max((row[0] for row in rows if row[1:] != (None, None)), default=date(2025, 1, 1)) + timedelta(later)
    assert_same_rows(sp.quality(frame_of(rows), asof=pd.Timestamp(asof)), irregular.slow_quality(rows, asof))


@law(some=120, rows=suburb_rows(), over=overs, chosen=irregular.growth_options())
def test_growth_agrees_with_the_slow_reference(rows, over, chosen):
    """Growth and its details equal those computed from the definitions, day by day."""
    found = sp.growth(frame_of(rows), over, **as_arguments(chosen), detail=True)
    assert_same_rows(found, irregular.slow_growth(rows, over, chosen), size(rows))


@law(rows=suburb_rows(), freq=irregular.freqs, how=st.sampled_from(["last", "median", "count"]))
def test_labels_and_simple_values_are_those_of_pandas(rows, freq, how):
    """On sorted, unique dates, `last`, `median` and `count` equal those of pandas' own `resample`."""
    frame = frame_of(sorted(rows, key=lambda row: row[0])).dropna(how="all")
    assume(len(frame) and frame.index.is_unique)
    assert_same_rows(sp.resample(frame, freq, how=how), frame.resample(freq).agg(how), size(rows))


# The worked example


@pytest.mark.parametrize(("freq", "expected"), [
    ("ME", [NAN, 500 + 20 * 14.5 / 28, (525 + 530 + 3750 + 3820 + 3890 + 3960 + 570 + 10 / 7) / 31, NAN]),
    ("QE", [(500 + 28 * 500 + 20 * 14.5 + 525 + 530 + 3750 + 3820 + 3890 + 3960 + 570 + 10 / 7) / 60, NAN]),
])  # fmt: skip
def test_the_worked_example(freq, expected):
    """The mean of a quarter is over its days on the line, not over its points."""
    found = sp.resample(example(), freq, how="mean")["house"].to_list()
    assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize(("first", "kept"), [(8, True), (9, False)])
def test_a_first_period_that_begins_more_than_a_step_early_is_dropped(first, kept):
    """A weekly series may begin a week after the first of a month, and no later."""
    days = [date(2025, 3, first) + timedelta(7 * week) for week in range(12)]
    found = sp.resample(frame_of([(day, 500.0, None) for day in days]), "ME", partial="drop")
    assert (pd.Timestamp("2025-03-31") in found.index) == kept


def test_a_mean_of_one_suburb_fills_no_gap_of_another():
    """A gap after a period without a mean of its own stays empty, though the suburb before has one."""
    alone = [(date(2025, 4, 30), 900.0, None), (date(2025, 9, 30), 910.0, None)]
    before = [(date(2025, month, 28), 500.0, None) for month in range(1, 5)]
    both = pd.concat([frame_of(rows).assign(area_name=name) for name, rows in (("A", before), ("B", alone))])
    found = sp.resample(both, "ME", how="mean", fill="ffill")
    assert found.loc[found["area_name"] == "B", "house"].isna().all()


def test_a_value_that_is_dropped_is_not_marked_as_filled():
    """With `partial="drop"`, a filled value of an open period is removed, and so is its mark."""
    early = [(date(2022, 3, 1), None, 1.0), (date(2023, 4, 30), 401.0, None), (date(2023, 5, 31), 401.0, None)]
    frame = frame_of([*early, (date(2024, 2, 13), 400.0, 1.0), (date(2024, 3, 12), 396.0, 1.0)])
    options = {"fill": "linear", "max_gap": "400D", "max_lag": "10D", "detail": True}
    kept, dropped = (sp.resample(frame, "YS", partial=partial, **options).loc["2023"] for partial in ("keep", "drop"))
    assert (kept["house_filled"].item(), dropped["house_filled"].item()) == (True, False)
    assert dropped["house"].isna().all()


@pytest.mark.parametrize(("length", "share"), [(55, 0), (56, 56 / 60)])
def test_a_flat_stretch_begins_at_56_days(length, share):
    """A run of equal values counts as flat if it lasts 56 days or more."""
    dates = [date(2025, 1, 1) + timedelta(n) for n in (0, length, 60)]
    quality = sp.quality(frame_of(list(zip(dates, (500.0, 500.0, 510.0), [None] * 3, strict=True))))
    assert quality["share_flat_56d"][0] == pytest.approx(share)


@pytest.mark.parametrize(("wrong", "message"), [
    ({"fill": "bfill"}, "fill must be one of None, 'ffill', 'linear', not 'bfill'"),
    ({"partial": "some"}, "partial must be one of 'keep', 'drop', not 'some'"),
    ({"min_coverage": 0.5}, "min_coverage applies to how='mean' only, not to how='last'"),
    ({"how": "mean", "max_lag": "9D"}, "max_lag applies to how='last' only, not to how='mean'"),
    ({"how": "mean", "min_coverage": 1.5}, "min_coverage must be a share of days"),
    ({"max_lag": "1M"}, "max_lag must be a number of days or weeks"),
    ({"how": "median", "fill": "ffill"}, "how='median' uses only the points in a period"),
    ({"max_gap": "62D"}, "it needs fill='ffill' or fill='linear'"),
])  # fmt: skip
def test_options_that_say_nothing_are_refused(wrong, message):
    """Unknown values of options are refused, and so are options that do not go with another one."""
    with pytest.raises(ValueError, match=message):
        sp.resample(example(), "ME", **wrong)


def test_details_have_their_types():
    """With `detail`, columns show how each value was obtained, for each property type."""
    months = sp.resample(example(), "ME", detail=True)
    assert list(months.columns[:2]) == list(KINDS)
    assert set(months.columns[2:]) == {f"{kind}_{name}" for kind in KINDS for name in irregular.DETAILS}
    assert pd.api.types.is_integer_dtype(months["house_n"])
    assert months[["house_open", "house_filled"]].dtypes.eq(bool).all()


def test_an_open_period_is_dropped():
    """A last period has no row if it is open for every property type. A month with its last Sunday is not open."""
    assert len(sp.resample(example(), "ME", partial="drop")) == 3
    assert len(sp.resample(example(), "QE", partial="drop")) == 1
    assert len(sp.resample(example().loc[:"2025-03-30"], "ME", partial="drop")) == 3


def test_a_gap_is_filled_up_to_its_limit():
    """A gap is filled if it is at most `max_gap` long, counted from the point before it to the point after it."""
    frame = frame_of([(date(2025, 1, 10), 500.0, None), (date(2025, 3, 31), 530.0, None)])
    for max_gap, filled in (("79D", False), ("80D", True)):
        found = sp.resample(frame, "ME", fill="ffill", max_gap=max_gap, detail=True)
        assert found["house"].notna().to_list() == [True, filled, True]
        assert found["house_filled"].to_list() == [False, filled, False]


@pytest.mark.parametrize("freq", ["2W", "-1ME", "D", "me", "M", "BME", "W-ABC", "QE-ABC", "ME-JAN", ""])
def test_another_frequency_is_refused(freq):
    """Only weeks, months, quarters and years are accepted as frequencies. The error lists them."""
    with pytest.raises(ValueError, match=r"W.*MS.*ME.*QS.*QE.*YS.*YE"):
        sp.resample(example(), freq)
