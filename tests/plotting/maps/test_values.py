"""The values of a map: which objects, columns and rows are read, and what is refused."""

import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.plotting.maps.values import read
from suburb_pandas.plotting.measures import unit_of_column

NAMES = ["Quokka Bay", "Woylie", "Marri Mews"]
VALUES = [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(VALUES, NAMES),
        pd.Series(VALUES, pd.Index(NAMES, name="area_name"), name="value"),
        pd.Series(VALUES, pd.CategoricalIndex(NAMES, name="area_name")),
        pd.Series(VALUES, pd.MultiIndex.from_product([[1], NAMES], names=["year", "area_name"])),
        pd.DataFrame({"area_name": NAMES, "value": VALUES}),
        pd.DataFrame({"SAL_NAME_2021": NAMES, "value": VALUES}),
        pd.DataFrame({"value": VALUES}, NAMES),
        pd.DataFrame({"Suburb": NAMES, "value": pd.array([3, 1, 2], "Int64"), "note": "text"}),
        pd.DataFrame({"area_name": NAMES, "suburb": ["x", "y", "z"], "value": VALUES, "is_new": True}),
    ],
)
def test_the_names_are_found_as_elsewhere(values):
    """In an index, a level or a column, called ``area_name`` or the like; also in an index of text without a name."""
    found = read(values, None)
    assert dict(zip(found.names, found.values, strict=True)) == dict(zip(NAMES, VALUES, strict=True))


def test_the_unit_is_that_of_the_column():
    frame = pd.DataFrame({"a": VALUES, "b": VALUES}, pd.Index(NAMES, name="area_name"))
    frame.attrs["suburb_pandas"] = {"unit": {"a": "AUD"}}
    found = [*(read(frame, column) for column in "ab"), read(frame["a"], None)]
    assert [unit_of_column(each.frame, each.column) for each in found] == ["AUD", None, "AUD"]


def test_a_suburb_with_several_values_is_refused():
    """A map cannot choose among the dates of a frame of rents."""
    with pytest.raises(
        ValueError, match=r"several rows for 'Woylie', but a map shows one value for each suburb\. Keep"
    ):
        read(pd.Series([1.0, 2.0, 3.0], ["Woylie", "Quokka Bay", "Woylie"]), None)


def test_rows_without_a_name_are_skipped_with_a_warning():
    frame = pd.DataFrame({"area_name": ["Woylie", None], "value": [1.0, 2.0]})
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 2 rows has no suburb name"):
        assert read(frame, None).names == ("Woylie",)


@pytest.mark.parametrize(
    ("values", "column", "message"),
    [
        (pd.DataFrame({"a": VALUES, "b": VALUES}, NAMES), None, "several columns of numbers: 'a', 'b'. Name the one"),
        (pd.DataFrame({"a": VALUES}, NAMES), "b", "no column 'b'. Its columns of numbers are 'a'."),
        (pd.DataFrame({"a": list("xyz")}, NAMES), None, "no column of numbers. Its columns are 'a'."),
        (pd.DataFrame({"a": list("xyz")}, NAMES), "a", "'a' is not one column of numbers"),
        (
            pd.DataFrame({"a": [True, False, True]}, NAMES),
            "a",
            r"holds flags. A map shows numbers: values\['a'\].astype",
        ),
        (pd.Series([1, np.inf, 2], NAMES), None, "infinite values, for 'Woylie'"),
        (pd.Series([], dtype="float64"), None, "values has no suburbs"),
    ],
)
def test_a_column_that_is_not_clear_or_holds_no_numbers_is_refused(values, column, message):
    with pytest.raises(ValueError, match=message):
        read(values, column)


@pytest.mark.usefixtures("embedded")
def test_a_yield_without_prices_is_refused_with_the_line_that_draws_it():
    """A scorecard without yields is made again with prices, and the map of it follows in the same line."""
    with pytest.raises(ValueError, match=r"yields only if it is made with prices.*Paste: sp\.plot_map\(") as caught:
        read(sp.scorecard(["Woylie"]), "house_gross_yield_pct")
    line, prices = str(caught.value).partition("Paste: ")[2], pd.DataFrame({"house_price": [1_000_000]}, ["Woylie"])
    known = {"sp": sp, "suburbs": ["Woylie"], "prices": prices, "boundaries": sp.sandbox_boundaries()}
    assert "yields" in eval(line, known).get_title()  # noqa: S307 - the line that the error proposes


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_a_frame_of_another_library_is_refused_with_the_line_that_converts_it(library, monkeypatch):
    """The object need not be touched: its type says where it is from."""
    module = ModuleType(library)
    monkeypatch.setitem(sys.modules, library, module)
    table = type("Table", (), {"__module__": f"{library}.frame"})()
    with pytest.raises(TypeError, match=rf"not {library}'s Table\. Convert it: values\.to_pandas\(\)"):
        read(table, None)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"Woylie": 1}, r"not a mapping\. Pass pd\.Series\(values\)"),
        ([1, 2], "not list"),
        ("Woylie", "not str"),
        (pd.DataFrame({"a": [1]}).groupby("a"), "not DataFrameGroupBy"),
    ],
)
def test_what_is_neither_a_frame_nor_a_series_is_refused(values, message):
    with pytest.raises(TypeError, match=message):
        read(values, None)


def test_values_without_suburbs_are_refused():
    with pytest.raises(sp.errors.NoSuburbColumn):
        read(pd.Series([1.0, 2.0]), None)
