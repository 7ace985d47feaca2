"""Tests laws of time on drawn examples, and draws the spans of growth."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

overs = st.one_of(
    st.integers(1, longest).map(f"{{}}{unit}".format) for unit, longest in {"D": 100, "W": 20, "M": 14, "Y": 2}.items()
)


def law(some=30, **strategies):
    """Test a law on `some` drawn examples, and on fifty times as many with `-m long`."""

    def decorate(check):
        @pytest.mark.parametrize("examples", [some, pytest.param(50 * some, marks=pytest.mark.long)])
        def test(examples, trial):
            settings(max_examples=examples)(given(**strategies)(check))()
            trial("the laws of time, on random examples", "they hold", laws=1, examples=examples)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return decorate
