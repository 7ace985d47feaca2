"""Tests that names are read from any container and dtype, and that other values are refused before any call."""

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call

BAY, HEIGHTS, STEPS = "Quokka Bay", "Bilby Heights", "Mangrove Steps"


DTYPES = ["object", "inferred", "string[python]", "category", "string[pyarrow]", "large_string[pyarrow]"]
MISSING = {"None": None, "nan": np.nan, "NA": pd.NA, "NaT": pd.NaT}
LOADERS = {"rent": sp.rent, "impacts": sp.impacts, "scorecard": sp.scorecard}

dtypes = pytest.mark.parametrize("dtype", DTYPES)
loaders = pytest.mark.parametrize("loader", LOADERS)


def names(dtype, *values, **labels):
    """Return a column of names with the given dtype; that of pyarrow needs the library."""
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    column = pd.Series(list(values), dtype="object", name="suburb", **labels)
    if dtype == "inferred":
        return column.infer_objects()
    return column.astype(pd.CategoricalDtype(["Never", STEPS, BAY, HEIGHTS]) if dtype == "category" else dtype)


@pytest.fixture(params=["suburb", "place"])
def label(request):
    """Return a column label: with `suburb`, ``df.suburb`` is that column; otherwise it is the accessor."""
    return request.param


@dtypes
@loaders
@pytest.mark.usefixtures("embedded")
def test_names_of_any_dtype_are_those_of_a_list(dtype, loader, label):
    """Names of any dtype, in a column, a Series, an Index or an array, give the frame that a list of them gives.

    Each suburb is included once, in the order of the rows. Unused categories are not.
    """
    column = names(dtype, STEPS, BAY, STEPS, HEIGHTS)
    expected = LOADERS[loader]([STEPS, BAY, HEIGHTS])
    frame = pd.DataFrame({label: column})
    pd.testing.assert_frame_equal(getattr(frame.suburb, loader)(column=label), expected)
    for given in (column, pd.Index(column), column.array, column.to_numpy()):
        pd.testing.assert_frame_equal(LOADERS[loader](given), expected)


@dtypes
@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.usefixtures("embedded")
def test_rows_without_a_name_are_skipped_whatever_stands_there(dtype, missing, label):
    """Rows with any kind of missing value are skipped with one warning that lists them; other rows get their rents."""
    column = names(dtype, STEPS, MISSING[missing], BAY, index=list("abc"))
    expected = sp.rent([STEPS, BAY])
    ways = [
        (lambda: pd.DataFrame({label: column}).suburb.rent(column=label), "'b'"),
        (lambda: sp.rent(column), "'b'"),
        (lambda: sp.rent(pd.Index(column)), "1"),
    ]
    for load, row in ways:
        with pytest.warns(sp.errors.SkippedRowsWarning, match=f"1 of 3 rows .*: row {row}") as caught:
            pd.testing.assert_frame_equal(load(), expected)
        assert len(of_this_call(caught)) == 1


@dtypes
@pytest.mark.parametrize("missing", MISSING)
def test_a_column_without_a_single_name_is_none(live, service, dtype, missing, label):
    """A column whose values are all missing raises NoSuburbColumn, and no call is made."""
    frame = pd.DataFrame({label: names(dtype, *[MISSING[missing]] * 3)})
    with pytest.raises(sp.errors.NoSuburbColumn, match="has no name in its 3 rows"):
        frame.suburb.rent(column=label)
    assert service.requests == ()


@dtypes
def test_a_column_without_rows_is_no_suburbs(live, service, dtype, label):
    """An empty column of any dtype gives the empty frame that an empty list gives, and a quote of no calls."""
    column = names(dtype)
    expected = sp.rent([])
    pd.testing.assert_frame_equal(pd.DataFrame({label: column}).suburb.rent(column=label), expected)
    for given in (column, pd.Index(column), column.array):
        pd.testing.assert_frame_equal(sp.rent(given), expected)
        assert sp.quote(given).calls == 0
    assert service.requests == ()


@dtypes
@pytest.mark.usefixtures("embedded")
def test_a_level_of_rows_is_as_good_as_a_column(dtype):
    """Suburbs in an index level of any dtype are found; those that a selection has removed are not bought."""
    frame = pd.DataFrame({"n": [1, 2, 3], "suburb": names(dtype, STEPS, BAY, HEIGHTS)}).set_index(["n", "suburb"])
    frame["price"] = 1
    pd.testing.assert_frame_equal(frame.suburb.rent(), sp.rent([STEPS, BAY, HEIGHTS]))
    pd.testing.assert_frame_equal(frame[1:].suburb.rent(), sp.rent([BAY, HEIGHTS]))
    assert len(frame[:0].suburb.rent()) == 0


WRONG = ["quokka bay", "QUOKKA BAY", " Quokka Bay", "Quokka Bay ", "Quokka  Bay", "Quokka\u00a0Bay"]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.usefixtures("embedded")
def test_a_name_that_is_nearly_one_is_never_taken_for_it(wrong, label):
    """A name in the wrong case or with stray spaces fails with a suggestion, and the other suburbs are returned."""
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        pd.DataFrame({label: [HEIGHTS, wrong]}).suburb.rent(column=label)
    assert list(caught.value.failures) == [wrong]
    assert caught.value.failures[wrong].suggestions[0] == BAY
    assert list(caught.value.frame["area_name"].unique()) == [HEIGHTS]


ODD = [7, 7.5, float("inf"), True, b"Quokka Bay", (BAY, HEIGHTS), [BAY], {BAY: 1}, pd.Timestamp("2024-01-31")]


@pytest.mark.parametrize("odd", ODD, ids=repr)
@loaders
def test_what_is_no_name_is_refused_wherever_it_stands(live, service, loader, odd, label):
    """One value that is no name, in a column, a Series or a list, raises InvalidName before any call is made."""
    column = pd.Series([BAY, odd, HEIGHTS], dtype="object")
    frame = pd.DataFrame({label: column})
    calls = [
        lambda: getattr(frame.suburb, loader)(column=label),
        lambda: LOADERS[loader](column),
        lambda: LOADERS[loader]([*column]),
        lambda: sp.quote(column),
    ]
    for call in calls:
        with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
            call()
    assert service.requests == ()


MAKERS = {
    "generator": lambda: (name for name in (STEPS, BAY, STEPS)),
    "keys": {STEPS: 1, BAY: 2}.keys,
    "values": {1: STEPS, 2: BAY, 3: STEPS}.values,
    "Series": lambda: pd.Series([STEPS, BAY, STEPS], index=[5, 5, 5]),
    "CategoricalIndex": lambda: pd.CategoricalIndex([STEPS, BAY, STEPS]),
    "numpy text": lambda: np.array([STEPS, BAY, STEPS]),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.usefixtures("embedded")
def test_names_in_any_order_that_python_knows(kind):
    """Names may come in any ordered iterable. Each is bought once, and a quote lists the duplicates."""
    pd.testing.assert_frame_equal(sp.rent(MAKERS[kind]()), sp.rent([STEPS, BAY]))
    quote = sp.quote(MAKERS[kind]())
    assert quote.stored == 2
    assert quote.duplicates == (() if kind == "keys" else (STEPS,))


NO_NAMES = {
    "number": 7,
    "two dimensions": np.array([[BAY, STEPS]]),
    "several levels": pd.MultiIndex.from_tuples([(BAY, STEPS)]),
    **{f"{name} in an array": np.array([BAY, na], "object") for name, na in MISSING.items()},
    **MISSING,
}


@pytest.mark.parametrize("kind", NO_NAMES)
@pytest.mark.parametrize("call", [sp.rent, sp.quote, sp.resolve])
def test_lists_of_other_values_are_refused(live, service, call, kind):
    """A value that is not text, or a missing one in a list, raises InvalidName before any call is made."""
    with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
        call(NO_NAMES[kind])
    assert service.requests == ()
