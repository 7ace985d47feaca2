"""Tests that names are read from any container and dtype, and that other values are refused before any call."""

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call

BAY, HEIGHTS, STEPS = "Quokka Bay", "Bilby Heights", "Mangrove Steps"
MISSING = (None, np.nan, pd.NA, pd.NaT)

dtypes = pytest.mark.parametrize(
    "dtype", ["object", "inferred", "string[python]", "category", "string[pyarrow]", "large_string[pyarrow]"]
)


def names(dtype, *values, **labels):
    """Return a column of names with the given dtype; that of pyarrow needs the library."""
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    column = pd.Series(list(values), dtype="object", name="suburb", **labels)
    if dtype == "inferred":
        return column.infer_objects()
    return column.astype(pd.CategoricalDtype(["Never", STEPS, BAY, HEIGHTS]) if dtype == "category" else dtype)


@dtypes
@pytest.mark.usefixtures("embedded")
def test_names_of_any_dtype_are_those_of_a_list(dtype):
    """Names of any dtype, in a column, a level, a Series, an Index or an array, give the frame that a list gives.

    Each suburb is included once, in the order of the rows. Unused categories, and suburbs that a selection has removed,
    are not.
    """
    column = names(dtype, STEPS, BAY, STEPS, HEIGHTS)
    frame = pd.DataFrame({"n": range(4), "suburb": column, "price": 1})
    levels = frame.set_index(["n", "suburb"])
    given = (column, pd.Index(column), column.array, column.to_numpy())
    for found in (frame.suburb.rent(), levels.suburb.rent(), *map(sp.rent, given)):
        pd.testing.assert_frame_equal(found, sp.rent([STEPS, BAY, HEIGHTS]))
    pd.testing.assert_frame_equal(levels[2:].suburb.rent(), sp.rent([STEPS, HEIGHTS]))


@dtypes
@pytest.mark.usefixtures("embedded")
def test_rows_without_a_name_are_skipped_whatever_stands_there(dtype):
    """Rows with any kind of missing value are skipped with one warning that lists them; other rows get their rents.

    A column whose values are all missing raises NoSuburbColumn. An empty one gives the frame of an empty list.
    """
    for missing in MISSING:
        column = names(dtype, STEPS, missing, BAY, missing, index=list("abcd"))
        frame = pd.DataFrame({"suburb": column})
        with pytest.warns(sp.errors.SkippedRowsWarning) as caught:
            found = [frame.suburb.rent(), sp.rent(column), sp.rent(pd.Index(column))]
        for each, rows, warning in zip(found, ("'b', 'd'", "'b', 'd'", "1, 3"), of_this_call(caught), strict=True):
            pd.testing.assert_frame_equal(each, sp.rent([STEPS, BAY]))
            assert str(warning.message) == f"2 of 4 rows have no suburb name and were skipped: rows {rows}."
        with pytest.raises(sp.errors.NoSuburbColumn, match="'suburb' has no name in its 2 rows"):
            frame.iloc[[1, 3]].suburb.rent()
    for found in (frame[:0].suburb.rent(), sp.rent(column[:0]), sp.rent(column[:0].array)):
        pd.testing.assert_frame_equal(found, sp.rent([]))


def test_a_name_that_is_nearly_one_is_never_taken_for_it(embedded):
    """A name in the wrong case or with stray spaces fails with a suggestion, and the other suburbs are returned."""
    wrong = ["quokka bay", "QUOKKA BAY", " Quokka Bay", "Quokka Bay ", "Quokka  Bay", "Quokka\u00a0Bay"]
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent([HEIGHTS, *wrong])
    assert list(caught.value.failures) == wrong
    assert {failure.suggestions[0] for failure in caught.value.failures.values()} == {BAY}


@pytest.mark.parametrize("call", [sp.rent, sp.quote, sp.resolve])
def test_values_that_are_no_names_are_refused(live, service, call):
    """A value that is not text, or a missing one in a list, raises InvalidName before any call is made."""
    for given in (*MISSING, 7.5, True, b"Quokka Bay", (BAY,), {BAY: 1}, pd.Timestamp("2024-01-31"), "n.a."):
        with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
            call([BAY, given])
    assert service.requests == ()
