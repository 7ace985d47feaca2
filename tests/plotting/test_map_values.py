"""The values of a map: which objects, columns and rows are read, and what is refused."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.plotting.test_map import names_on, squares

NAMES = ["Quokka Bay", "Woylie", "Marri Mews"]
VALUES = [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(VALUES, NAMES),
        pd.Series(VALUES, pd.CategoricalIndex(NAMES, name="area_name"), name="value"),
        pd.Series(VALUES, pd.MultiIndex.from_product([[1], NAMES], names=["year", "area_name"])),
        pd.DataFrame({"SAL_NAME_2021": NAMES, "value": VALUES}),
        pd.DataFrame({"Suburb": NAMES, "value": pd.array([3, 1, 2], "Int64"), "note": "text"}),
        pd.DataFrame({"area_name": NAMES, "suburb": ["x", "y", "z"], "value": VALUES, "is_new": True}),
        squares(NAMES).assign(value=VALUES),
    ],
)
def test_the_names_are_found_as_elsewhere(values):
    """In an index, a level or a column, called ``area_name`` or the like; also in an index of text without a name."""
    found = names_on(sp.plot_map(values, squares([*reversed(NAMES)])))
    assert {name: value for name, (value, _) in found.items()} == dict(zip(NAMES, VALUES, strict=True))


def test_rows_without_a_name_are_skipped_with_a_warning():
    frame = pd.DataFrame({"area_name": ["Woylie", None], "value": [1.0, 2.0]})
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 2 rows has no suburb name"):
        assert [*names_on(sp.plot_map(frame, squares(NAMES)))] == ["Woylie"]


@pytest.mark.parametrize(
    ("values", "column", "error", "message"),
    [
        (pd.Series(VALUES, ["Woylie", "Woylie", "x"]), None, ValueError, "several rows for 'Woylie', but a map"),
        (
            pd.DataFrame({"a": VALUES, "b": VALUES}, NAMES),
            None,
            ValueError,
            "several columns of numbers: 'a', 'b'. Name",
        ),
        (pd.DataFrame({"a": VALUES}, NAMES), "b", ValueError, "no column 'b'. Its columns of numbers are 'a'."),
        (pd.DataFrame({"a": list("xyz")}, NAMES), None, ValueError, "no column of numbers. Its columns are 'a'.$"),
        (pd.DataFrame({"a": ["$5", "x", ""]}, NAMES), None, ValueError, "numbers as text, name it, as in column='a'"),
        (pd.DataFrame({"a": list("xyz")}, NAMES), "a", ValueError, "'a' is not one column of numbers"),
        (pd.DataFrame({"a": [True] * 3}, NAMES), "a", ValueError, r"flags. A map shows numbers: values\['a'\].astype"),
        (pd.Series([1, np.inf, 2], NAMES), None, ValueError, "infinite values, for 'Woylie'"),
        (pd.Series([], dtype="float64"), None, ValueError, "values has no suburbs"),
        (SimpleNamespace(to_pandas=list), None, TypeError, r"not SimpleNamespace\. Convert it: values\.to_pandas\(\)"),
        ({"Woylie": 1}, None, TypeError, r"not dict\. Pass pd\.Series\(values\)"),
        ([1, 2], None, TypeError, r"not list\.$"),
        (pd.Series([1.0, 2.0]), None, sp.errors.NoSuburbColumn, "No column or index level"),
    ],
)
def test_values_that_are_not_one_number_for_each_suburb_are_refused(values, column, error, message):
    with pytest.raises(error, match=message):
        sp.plot_map(values, squares(NAMES), column=column)


@pytest.mark.usefixtures("embedded")
def test_scorecards_and_summaries_have_a_default_column_and_yields_only_with_prices():
    card, shapes = sp.scorecard(NAMES), squares(NAMES)
    assert sp.plot_map(card, shapes).figure.get_suptitle().startswith("House rents in ")
    assert sp.plot_map(sp.impact_summary(NAMES), shapes).figure.get_suptitle().startswith("Median sale prices in ")
    with pytest.raises(ValueError, match=r"yields only if it is made with prices.*Paste: sp\.plot_map\("):
        sp.plot_map(card, shapes, column="house_gross_yield_pct")
