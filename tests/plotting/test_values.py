"""One number for each suburb, as ranked charts and maps read it: which objects and columns they take."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

import suburb_pandas as sp
from tests.plotting.test_map import names_on, squares
from tests.support.charts import written

NAMES = ["Quokka Bay", "Woylie", "Marri Mews"]
VALUES = [3.0, 1.0, 2.0]


def test_the_names_are_found_as_elsewhere():
    """In a column, whatever its type and the other columns are; also in an index of text without a name.

    So are those of boundaries. A row without a name is skipped with a warning.
    """
    frame = pd.DataFrame({"value": pd.array([3, 1, 2, 4], "Int64"), "note": "text", "is_new": True})
    frame.insert(0, "Suburb", pd.Categorical([*NAMES, None]))
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 4 rows has no suburb name"):
        ranked = sp.plot_scorecard(frame, by="value").get_yticklabels()
    assert [label.get_text() for label in ranked] == ["Quokka Bay", "Marri Mews", "Woylie"]
    series, shapes = pd.Series(VALUES, NAMES), squares([*reversed(NAMES)])
    for values, boundaries in ((series, shapes), (frame[:3], shapes.set_index("area_name"))):
        assert names_on(sp.plot_map(values, boundaries)) == series.to_dict()


@pytest.mark.parametrize(
    ("values", "column", "error", "message"),
    [
        (pd.Series(VALUES, ["Woylie", "Woylie", "x"]), None, ValueError, "several rows for 'Woylie', but a chart"),
        (pd.DataFrame({"a": VALUES, "b": 1}, NAMES), None, ValueError, "Name a column .*, not None.* are 'a', 'b'"),
        (pd.Series(VALUES, NAMES).rename_axis("suburb")[:0], None, ValueError, "no suburbs to draw"),
        (pd.DataFrame({"a": VALUES}), "a", sp.errors.NoSuburbColumn, "Name the one that holds the suburbs"),
        ({"Woylie": 1}, None, TypeError, "not dict"),
    ],
)
def test_what_is_not_one_number_for_each_suburb_is_refused(values, column, error, message):
    """The error comes before a figure is made, and says what to do."""
    with pytest.raises(error, match=message):
        sp.plot_map(values, squares(NAMES), column=column)
    assert plt.get_fignums() == []


def test_what_a_join_added_is_marked_as_made_up_and_has_its_source_and_dates():
    """A joined frame has no marks, and its columns may have a prefix. Dates may have a zone."""
    joined = pd.DataFrame({"suburb": NAMES, "price": VALUES}).suburb.join_scorecard(prefix="sc_")
    assert "made-up data" in written(sp.plot_scorecard(joined, by="sc_house_rent"))
    joined = joined.rename(columns=lambda label: label.removeprefix("sc_"))
    joined["house_rent_date"] = joined["house_rent_date"].dt.tz_localize("Australia/Sydney")
    drawn = written(sp.plot_map(joined, squares(NAMES)))
    assert "Advertised median rent, AUD per week" in drawn
    assert "Rents as at 2026-04-26." in drawn
    assert "Source: made-up data of the embedded sandbox, retrieved 2026-04-28." in drawn
    assert "The values of price are the user's own." in written(sp.plot_map(joined, squares(NAMES), column="price"))


def test_a_row_of_a_wide_frame_and_the_last_rows_of_rents_are_maps_of_their_dates():
    """A summary has a usual column, the median price."""
    row = sp.growth(sp.rent(NAMES, layout="wide"))["house"].iloc[-1]
    ax = sp.plot_map(row, squares(NAMES))
    assert "Growth of rents in 3 suburbs Growth over one year, per cent" in written(ax)
    assert names_on(ax) == pytest.approx((100 * row).round(1).to_dict())
    last = sp.rent(NAMES).groupby("area_name", observed=True).tail(1)
    assert "Rents as at 2026-04-26." in written(sp.plot_map(last, squares(NAMES), column="house"))
    assert "Median sale prices in " in written(sp.plot_map(sp.impact_summary(NAMES), squares(NAMES)))
