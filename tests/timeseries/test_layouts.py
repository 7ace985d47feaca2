"""Layouts of rents: every function commutes with the change of layout."""

import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law, overs
from tests.support.layouts import KINDS, melted, pivoted, values_of
from tests.timeseries import irregular
from tests.timeseries.irregular import as_arguments, long_frame_of

pytestmark = pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")

kinds = st.sampled_from(KINDS)
without_count = irregular.options().filter(lambda chosen: chosen["how"] != "count")


@law(
    some=15,
    rows=irregular.rows_of_suburbs(),
    freq=irregular.freqs,
    chosen=without_count,
    over=overs,
    grown=irregular.growth_options(),
    kind=kinds,
)
def test_every_function_commutes_with_the_change_of_layout(rows, freq, chosen, over, grown, kind):
    """A tidy or wide frame, or one property type of it, gives the values that the long frame gives."""
    long = long_frame_of(rows)
    wide = pivoted(long)
    for function in (
        lambda frame: sp.resample(frame, freq, **as_arguments(chosen)),
        lambda frame: sp.growth(frame, over, **as_arguments(grown)),
    ):
        expected = values_of(function(long))
        of_wide = function(wide)
        pd.testing.assert_index_equal(of_wide.columns, wide.columns)
        for found in (function(melted(long)), of_wide):
            assert values_of(found) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        own = {key: value for key, value in expected.items() if key[2] == kind}
        assert values_of(function(wide[kind]), kind) == pytest.approx(own, rel=1e-9, abs=1e-9)


@law(some=10, rows=irregular.rows_of_suburbs(), kind=kinds)
def test_cadence_and_quality_are_the_same_of_every_layout(rows, kind):
    """Cadence and quality do not depend on the layout. Of `wide["house"]` they name no property type."""
    long = long_frame_of(rows)
    for function in (sp.cadence, lambda frame: sp.quality(frame, asof="2005-01-01")):
        of_long, of_tidy, of_wide, of_kind = (
            function(frame).sort_values("area_name", kind="stable", ignore_index=True)
            for frame in (long, melted(long), pivoted(long), pivoted(long)[kind])
        )
        pd.testing.assert_frame_equal(of_tidy, of_long)
        pd.testing.assert_frame_equal(of_wide, of_long)
        assert of_kind["property_type"].isna().all()
        own = of_long[of_long["property_type"] == kind].reset_index(drop=True)
        pd.testing.assert_frame_equal(of_kind.drop(columns="property_type"), own.drop(columns="property_type"))
