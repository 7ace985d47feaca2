"""The lines that convert dates. That each of them can be pasted is tested in ``package/test_repairs.py``."""

import numpy as np
import pandas as pd
import pytest

from suburb_pandas.frames.conversions import how_to_convert_dates


def test_values_that_a_line_does_not_read_are_named():
    """Values in another format than most become NaT, so the sentence lists them."""
    written = pd.Series(["Jun 2024", "Sep 2024", "Total", None, "5/12/2024"])
    assert how_to_convert_dates(written, "frame['date']") == (
        "Convert each to its last day, and 'Total' and '5/12/2024' to NaT: frame['date'] = pd.to_datetime(frame['date']"
        ".astype(str).str.strip().str.removesuffix('.0'), format='%b %Y', errors='coerce') + pd.offsets.MonthEnd(0)"
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[42978.0, np.nan, 43008.5], ["42978", "n.a.", "43008"]], ids=["numbers", "text"])
def test_days_as_excel_counts_them_are_read_alike_whatever_the_memory_holds(values):
    """Before pandas 3, `pd.to_datetime` computes with leftovers in memory for a missing number, and fails for some."""
    frame = pd.DataFrame({"date": values * 8})
    line = how_to_convert_dates(frame["date"], "frame['date']").rpartition(": ")[2]
    for size in range(1, 40):
        leftovers = [np.full(size, 1e308) for _ in range(20)]
        del leftovers
        names = {"pd": pd, "frame": frame.copy()}
        exec(line, names)  # noqa: S102 - the line is the package's own
        assert [str(day)[:10] for day in names["frame"]["date"].head(3)] == ["2017-08-31", "NaT", "2017-09-30"]
