"""The line that converts days as Excel counts them."""

import numpy as np
import pandas as pd
import pytest

from suburb_pandas.frames.conversions import how_to_convert_dates


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[42978.0, np.nan, 43008.5], ["42978", "n.a.", "43008"]], ids=["numbers", "text"])
def test_days_as_excel_counts_them_are_read_alike_whatever_the_memory_holds(values):
    """Before pandas 3, `pd.to_datetime` computes with leftovers in memory for a missing number, and fails for some."""
    written = pd.Series(values * 8)
    code = how_to_convert_dates(written, "written").rpartition(" = ")[2]
    for size in range(1, 40):
        leftovers = [np.full(size, 1e308) for _ in range(20)]
        del leftovers
        assert [str(day)[:10] for day in eval(code)[:3]] == ["2017-08-31", "NaT", "2017-09-30"]  # noqa: S307 - our own
