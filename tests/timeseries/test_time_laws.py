"""Laws that resample, quality and growth obey for any points, and a slow reference that they agree with.

Each function is compared with the reference on frames of several suburbs, and on the frame of each of them alone.
"""

from datetime import date, timedelta

import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law, overs
from tests.timeseries import irregular
from tests.timeseries.irregular import (
    as_arguments,
    assert_agreement,
    assert_same_rows,
    frame_of,
    rows_of_suburbs,
    size,
    suburb_rows,
)

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")


# The slow reference


@law(some=60, rows=rows_of_suburbs(), freq=irregular.freqs, chosen=irregular.options(), detail=st.booleans())
def test_resample_agrees_with_the_slow_reference(rows, freq, chosen, detail):
    """Values and details equal those computed from the definitions, day by day."""
    assert_agreement(
        rows,
        lambda frame: sp.resample(frame, freq, **as_arguments(chosen), detail=detail),
        lambda own: irregular.slow_resample(own, freq, chosen),
    )


@law(some=40, rows=rows_of_suburbs(), later=st.integers(-300, 300))
def test_quality_agrees_with_the_slow_reference(rows, later):
    """Quality as of any day equals that computed from the definitions. Each category has rows."""
    asof = max((row[1] for row in rows), default=date(2025, 1, 1)) + timedelta(later)
    assert_agreement(
        rows,
        lambda frame: sp.quality(frame, asof=pd.Timestamp(asof)),
        lambda own: irregular.slow_quality(own, asof),
        has_all=True,
    )


@law(some=60, rows=rows_of_suburbs(), over=overs, chosen=irregular.growth_options())
def test_growth_agrees_with_the_slow_reference(rows, over, chosen):
    """Growth and its details equal those computed from the definitions, day by day. Rows stay where they are."""
    found = assert_agreement(
        rows,
        lambda frame: sp.growth(frame, over, **as_arguments(chosen), detail=True),
        lambda own: irregular.slow_growth(own, over, chosen),
    )
    assert list(zip(found["area_name"], found.index.date, strict=True)) == [row[:2] for row in rows]


# The laws


@law(rows=suburb_rows(), freq=irregular.freqs, over=overs, chosen=irregular.growth_options(), part=st.floats(0, 1))
def test_nothing_looks_at_later_points(rows, freq, over, chosen, part):
    """Growth, and the last value of a period, do not change when later points arrive."""
    full = frame_of(rows).sort_index()
    cut = full.iloc[: round(part * len(full))]
    cut = full.loc[: cut.index.max()]
    grown, before = (sp.growth(frame, over, **as_arguments(chosen), detail=True) for frame in (full, cut))
    assert_same_rows(grown.iloc[: len(cut)], before)
    whole, last = (sp.resample(frame, freq) for frame in (full, cut))
    assert_same_rows(whole.iloc[: max(len(last) - 1, 0)], last.iloc[:-1])


@law(rows=suburb_rows(), freq=irregular.freqs, how=st.sampled_from(["last", "median", "count"]))
def test_labels_and_simple_values_are_those_of_pandas(rows, freq, how):
    """On sorted, unique dates, `last`, `median` and `count` equal those of pandas' own `resample`."""
    frame = frame_of(rows).sort_index().dropna(how="all")
    assume(len(frame) and frame.index.is_unique)
    assert_same_rows(sp.resample(frame, freq, how=how), frame.resample(freq).agg(how).astype("float64"), size(rows))


@law(
    rents=st.lists(st.tuples(irregular.amounts, irregular.amounts), min_size=14, max_size=40), months=st.integers(1, 30)
)
def test_growth_on_unbroken_month_ends_is_pct_change(rents, months):
    """On month-end data without gaps, growth over n months equals `pct_change(n)`. By default, n is 12.

    It compounds by the months: four quarters of equal growth have one annual rate. A base on the line to the point
    itself is none, because it would look ahead.
    """
    days = pd.date_range("2000-01-31", periods=len(rents), freq="ME", name="date")
    frame = pd.DataFrame(rents, days, irregular.KINDS, dtype="float64")
    change = frame.pct_change(months)
    assert_same_rows(sp.growth(frame, f"{months}M"), change)
    assert_same_rows(sp.growth(frame, f"{months}M", annualise=True), (1 + change) ** (12 / months) - 1)
    assert sp.growth(frame, "7D", smooth="7D").isna().all(axis=None)
    assert_same_rows(sp.growth(frame), frame.pct_change(12))
