"""Tests that names are read from any container and dtype, and that other values are refused before any call."""

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call

BAY, HEIGHTS, STEPS = "Quokka Bay", "Bilby Heights", "Mangrove Steps"


def arrow(kind):
    """Return the pyarrow dtype of this kind, or skip the test without pyarrow."""
    return pd.ArrowDtype(getattr(pytest.importorskip("pyarrow"), kind)())


def pyarrow_strings():
    """Return pandas' own string dtype with pyarrow storage, or skip the test without pyarrow."""
    pytest.importorskip("pyarrow")
    return "string[pyarrow]"


DTYPES = {
    "object": lambda: "object",
    "str": lambda: "str" if pd.__version__ >= "3" else "object",  # pandas 2 makes text of missing values
    "string": lambda: "string",
    "string[python]": lambda: "string[python]",
    "category": lambda: pd.CategoricalDtype(["Never", STEPS, BAY, HEIGHTS]),
    "ordered": lambda: pd.CategoricalDtype([STEPS, "Never", HEIGHTS, BAY], ordered=True),
    "string[pyarrow]": pyarrow_strings,
    "arrow string": lambda: arrow("string"),
    "arrow large_string": lambda: arrow("large_string"),
}
MISSING = {"None": None, "nan": np.nan, "NA": pd.NA, "NaT": pd.NaT}
LOADERS = {"rent": sp.rent, "impacts": sp.impacts, "scorecard": sp.scorecard}

dtypes = pytest.mark.parametrize("dtype", DTYPES)
loaders = pytest.mark.parametrize("loader", LOADERS)


def names(dtype, *values, **labels):
    """Return a column of names with the given dtype."""
    return pd.Series(list(values), dtype="object", name="suburb", **labels).astype(DTYPES[dtype]())


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
    ways = {
        "'b'": [lambda: pd.DataFrame({label: column}).suburb.rent(column=label), lambda: sp.rent(column)],
        "1": [lambda: sp.rent(pd.Index(column))],
    }
    for row, calls in ways.items():
        for call in calls:
            with pytest.warns(sp.errors.SkippedRowsWarning, match=f"1 of 3 rows .*: row {row}") as caught:
                pd.testing.assert_frame_equal(call(), expected)
            assert len(of_this_call(caught)) == 1
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 3"):
        assert sp.quote(column).stored == 2


@dtypes
@pytest.mark.parametrize("missing", MISSING)
def test_a_column_without_a_single_name_is_none(live, service, dtype, missing, label):
    """A column whose values are all missing raises NoSuburbColumn, and no call is made."""
    frame = pd.DataFrame({label: names(dtype, *[MISSING[missing]] * 3)})
    with pytest.raises(sp.errors.NoSuburbColumn, match="has no name in its 3 rows"):
        frame.suburb.rent(column=label)
    assert service.requests == ()


@dtypes
@loaders
def test_a_column_without_rows_is_no_suburbs(live, service, dtype, loader, label):
    """An empty column of any dtype gives the empty frame that an empty list gives, and a quote of no calls."""
    column = names(dtype)
    expected = LOADERS[loader]([])
    frame = pd.DataFrame({label: column})
    pd.testing.assert_frame_equal(getattr(frame.suburb, loader)(column=label), expected)
    for given in (column, pd.Index(column), column.array):
        pd.testing.assert_frame_equal(LOADERS[loader](given), expected)
        assert sp.quote(given).calls == 0
    assert service.requests == ()


@pytest.mark.parametrize("frame", [pd.DataFrame(), pd.DataFrame(index=range(3)), pd.DataFrame({"x": []})])
@loaders
def test_an_empty_frame_without_the_column_does_not_say_which(live, service, frame, loader):
    """A frame without a column of suburbs raises NoSuburbColumn even if it has no rows."""
    with pytest.raises(sp.errors.NoSuburbColumn):
        getattr(frame.suburb, loader)()
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


@pytest.mark.usefixtures("embedded")
def test_a_column_of_several_levels():
    """Where columns have levels, a top label with empty labels below is found, and a full label can be given."""
    labels = [("suburb", "", ""), ("sold", "where", "suburb"), ("sold", "price", "AUD")]
    frame = pd.DataFrame([[BAY, STEPS, 1]], columns=pd.MultiIndex.from_tuples(labels))
    pd.testing.assert_frame_equal(frame.suburb.rent(), sp.rent([BAY]))
    pd.testing.assert_frame_equal(frame.suburb.rent(column=labels[1]), sp.rent([STEPS]))
    with pytest.raises(sp.errors.NoSuburbColumn, match="'where', 'suburb'"):
        frame[["sold"]].suburb.rent()


WRONG = ["quokka bay", "QUOKKA BAY", " Quokka Bay", "Quokka Bay ", "\tQuokka Bay", "Quokka  Bay", "Quokka\u00a0Bay"]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("dtype", ["object", "string[python]", "category", "arrow large_string"])
@pytest.mark.usefixtures("embedded")
def test_a_name_that_is_nearly_one_is_never_taken_for_it(dtype, wrong, label):
    """A name in the wrong case or with stray spaces fails with a suggestion, and the other suburbs are returned.

    Names with control characters are refused before any call.
    """
    column = names(dtype, HEIGHTS, wrong) if dtype != "category" else pd.Series([HEIGHTS, wrong], dtype="category")
    with pytest.raises((sp.errors.BatchIncomplete, sp.errors.InvalidName)) as caught:
        pd.DataFrame({label: column}).suburb.rent(column=label)
    if isinstance(caught.value, sp.errors.BatchIncomplete):
        assert list(caught.value.failures) == [wrong]
        assert caught.value.failures[wrong].suggestions[0] == BAY
        assert list(caught.value.frame["area_name"].unique()) == [HEIGHTS]
    else:
        assert repr(wrong) in str(caught.value)


ODD = [7, 7.5, float("inf"), True, b"Quokka Bay", "", " ", (BAY, HEIGHTS), [BAY], {BAY: 1}, pd.Timestamp("2024-01-31")]


@pytest.mark.parametrize("odd", ODD, ids=repr)
@loaders
def test_what_is_no_name_is_refused_wherever_it_stands(live, service, loader, odd, label):
    """One value that is no name, in a column, a Series or a list, raises InvalidName before any call is made."""
    column = pd.Series([BAY, odd, HEIGHTS], dtype="object")
    frame = pd.DataFrame({label: column})
    calls = [
        lambda: getattr(frame.suburb, loader)(column=label),
        lambda: LOADERS[loader](column),
        lambda: LOADERS[loader]([BAY, odd, HEIGHTS]),
        lambda: frame.suburb.quote(column=label),
        lambda: sp.quote(column),
    ]
    for call in calls:
        with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
            call()
    assert service.requests == ()
    assert sp.ledger().empty


@pytest.mark.parametrize("values", [[1, 2], [1.5, 2], [True, False], pd.to_datetime(["2024-01-31"]), [1 + 2j]])
def test_a_column_that_is_of_no_text_is_refused(live, service, values, label):
    """A column of numbers, dates or booleans raises InvalidName, whatever its label."""
    with pytest.raises(sp.errors.InvalidName, match="must be text"):
        pd.DataFrame({label: values}).suburb.rent(column=label)
    assert service.requests == ()


MAKERS = {
    "list": lambda: [STEPS, BAY, STEPS],
    "tuple": lambda: (STEPS, BAY, STEPS),
    "generator": lambda: (name for name in (STEPS, BAY, STEPS)),
    "map": lambda: map(str, [STEPS, BAY, STEPS]),
    "keys": {STEPS: 1, BAY: 2}.keys,
    "values": {1: STEPS, 2: BAY, 3: STEPS}.values,
    "Series": lambda: pd.Series([STEPS, BAY, STEPS], index=[5, 5, 5]),
    "Index": lambda: pd.Index([STEPS, BAY, STEPS]),
    "CategoricalIndex": lambda: pd.CategoricalIndex([STEPS, BAY, STEPS]),
    "Categorical": lambda: pd.Categorical([STEPS, BAY, STEPS], categories=["Never", BAY, STEPS]),
    "numpy text": lambda: np.array([STEPS, BAY, STEPS]),
    "numpy objects": lambda: np.array([STEPS, BAY, STEPS], dtype="object"),
    "numpy backwards": lambda: np.array([STEPS, BAY, STEPS])[::-1],
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.usefixtures("embedded")
def test_names_in_any_order_that_python_knows(kind):
    """Names may come in any ordered iterable. Each is bought once, and a quote lists the duplicates."""
    pd.testing.assert_frame_equal(sp.rent(MAKERS[kind]()), sp.rent([STEPS, BAY]))
    quote = sp.quote(MAKERS[kind]())
    assert quote.stored == 2
    assert quote.duplicates == (() if kind == "keys" else (STEPS,))


NO_LISTS = {
    "set": (lambda: {BAY, STEPS}, TypeError, "sorted"),
    "frozenset": (lambda: frozenset({BAY}), TypeError, "sorted"),
    "dict": (lambda: {BAY: 1}, TypeError, "list"),
    "empty dict": (dict, TypeError, "list"),
    "bytes": (BAY.encode, sp.errors.InvalidName, r"Decode it first: str\(name, 'utf-8'\)"),
    "bytearray": (lambda: bytearray(BAY.encode()), sp.errors.InvalidName, "Decode it first"),
    "memoryview": (lambda: memoryview(BAY.encode()), sp.errors.InvalidName, "Decode it first"),
    "an array of bytes": (lambda: np.array([BAY.encode()]), sp.errors.InvalidName, "Decode it first"),
    "frame": (lambda: pd.DataFrame({"suburb": [BAY]}), TypeError, r"df\.suburb"),
    "two dimensions": (lambda: np.array([[BAY, STEPS]]), sp.errors.InvalidName, "must be text"),
    "MultiIndex": (lambda: pd.MultiIndex.from_tuples([(BAY, 1)]), sp.errors.InvalidName, "get_level_values"),
    "groups": (lambda: pd.DataFrame({"suburb": [BAY]}).groupby("suburb"), TypeError, "a set of groups"),
    **{f"{name} in an array": (lambda na=na: np.array([BAY, na], "object"), sp.errors.InvalidName, "must be text")
       for name, na in MISSING.items()},
    **{f"only {name}": (lambda na=na: na, sp.errors.InvalidName, "must be text") for name, na in MISSING.items()},
}  # fmt: skip


@pytest.mark.parametrize("kind", NO_LISTS)
@pytest.mark.parametrize("call", [*LOADERS.values(), sp.quote])
def test_what_is_no_list_of_names_is_refused(live, service, call, kind):
    """Sets, mappings, frames and other arguments that are no list of names are refused before any call is made."""
    make, error, message = NO_LISTS[kind]
    with pytest.raises(error, match=message):
        call(make())
    assert service.requests == ()


@pytest.mark.parametrize("call", [sp.rent, sp.impacts, sp.quote, sp.scorecard])
def test_a_frame_in_place_of_its_column_is_refused(live, service, call):
    """A whole frame is refused, with the accessor as the way to use its column."""
    with pytest.raises(
        TypeError, match=r"^suburbs is a whole frame, and nothing was sent\..* Use df\.suburb\.\w+\(\), "
    ):
        call(pd.DataFrame({"suburb": ["Quokka Bay"]}))
    assert not service.requests
