"""Excel's serials are read alike on every pandas."""

import numpy as np
import pandas as pd
import pytest

from suburb_pandas.frames.conversions import are_dates, to_dates


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[42978.0, np.nan, 43008.5], ["42978", "n.a.", "43008"]], ids=["numbers", "text"])
def test_serials_beside_a_missing_one_are_read_whatever_the_memory_holds(values):
    """Before pandas 3, `pd.to_datetime` computes with leftovers in memory for a missing number, and fails for some."""
    frame = pd.DataFrame({"date": values * 8})
    for _ in range(20):
        _leave_huge_numbers_in_memory()
        code = to_dates(frame["date"], "frame['date']")
        _leave_huge_numbers_in_memory()
        assert not are_dates(pd.Index([640.0, np.nan]))
        _leave_huge_numbers_in_memory()
        dates = eval(code, {"pd": pd, "frame": frame})  # noqa: S307 - the code is the package's own
        assert [str(day)[:10] for day in dates.head(3)] == ["2017-08-31", "NaT", "2017-09-30"]


def _leave_huge_numbers_in_memory():
    for size in range(1, 40):
        arrays = [np.full(size, 1e308) for _ in range(20)]
        del arrays
