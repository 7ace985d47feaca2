"""The lines that convert numbers and dates, and the values that they name."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

from suburb_pandas.frames.conversions import how_to_convert_dates, not_dates, numbers


def run(line, frame):
    """Run a line that a message has printed, and return the frame."""
    names = {"pd": pd, "frame": frame.copy()}
    exec(line, names)  # noqa: S102 - the line is the package's own
    return names["frame"]


WRITTEN = (
    *("2024-06", "Jun 2024", "June 2024", "Jun-2024", "June-2024", "Jun-24", "06/2024", "202406"),
    *("20240630", "30/06/2024", "30/06/24", "30-06-2024", "30.06.2024", "30/06/2024 10:30", "30/06/2024 10:30:59"),
    *("30 Jun 2024", "30 June 2024", "30-Jun-2024", "30-Jun-24", "2024-06-30", "06/30/2024"),
)


@pytest.mark.parametrize("text", WRITTEN)
def test_dates_as_agencies_write_them(text):
    """The line for a column of dates in one format reads all of them. Months are dated by their last day."""
    frame = pd.DataFrame({"date": [f" {text}"]})
    line = how_to_convert_dates(frame["date"], "frame['date']").partition(": ")[2]
    assert str(run(line, frame)["date"][0])[:10] == "2024-06-30"


def test_values_that_a_line_does_not_read_are_named():
    """Values in another format than most become NaT, so the sentence lists them."""
    written = pd.Series(["Jun 2024", "Sep 2024", "Total", None, "5/12/2024"])
    assert how_to_convert_dates(written, "frame['date']") == (
        "Convert each to its last day, and 'Total' and '5/12/2024' to NaT: frame['date'] = pd.to_datetime(frame['date']"
        ".astype(str).str.strip().str.removesuffix('.0'), format='%b %Y', errors='coerce') + pd.offsets.MonthEnd(0)"
    )
    assert not_dates(pd.Series([date(2024, 6, 30), "Total", None])) == "'Total'"
    for years, code in (([1950.0], "YearEnd"), ([2100.0], "YearEnd"), ([1949.0, 2101.0], "origin='1899-12-30'")):
        assert code in how_to_convert_dates(pd.Series(years), "")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[42978.0, np.nan, 43008.5], ["42978", "n.a.", "43008"]], ids=["numbers", "text"])
def test_days_as_excel_counts_them_are_read_alike_whatever_the_memory_holds(values):
    """Before pandas 3, `pd.to_datetime` computes with leftovers in memory for a missing number, and fails for some."""
    frame = pd.DataFrame({"date": values * 8})
    line = how_to_convert_dates(frame["date"], "frame['date']").rpartition(": ")[2]
    for size in range(1, 40):
        leftovers = [np.full(size, 1e308) for _ in range(20)]
        del leftovers
        assert [str(day)[:10] for day in run(line, frame)["date"].head(3)] == ["2017-08-31", "NaT", "2017-09-30"]


def test_numbers_that_are_text_are_named_with_the_line_that_converts_them():
    """Of the values that are no numbers, three are shown with their rows, and the line reads what it can."""
    texts = [2, "$1,450 ", " 450-500", True, "(450)"]
    frame = pd.DataFrame({"rent": texts}, index=pd.date_range("2024-01-30", periods=5), dtype="object")
    with pytest.raises(ValueError, match="'rent' is not one column of numbers: it holds ") as caught:
        numbers(frame, "rent")
    shown, _, line = str(caught.value).partition(" holds ")[2].partition(". Convert it; ")
    assert shown == "'$1,450 ' (row 2024-01-31), ' 450-500' (row 2024-02-01), True (row 2024-02-02) and 1 more"
    with pytest.raises(ValueError, match="but 2 columns"):
        numbers(pd.concat([frame, frame], axis=1), "rent")
    found = numbers(run(line.partition(": ")[2], frame), "rent")
    np.testing.assert_equal(found, [2, 1450, np.nan, np.nan, np.nan])
    np.testing.assert_equal(numbers(pd.DataFrame({"rent": pd.Categorical([1.0, None])}), "rent"), [1, np.nan])
