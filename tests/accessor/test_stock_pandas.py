"""A column called `suburb` behaves as in stock pandas: the same code is run with this package and without it."""

import contextlib
import gc
import pickle
import re
import warnings
import weakref

import numpy as np
import pandas as pd
import pytest

from suburb_pandas.accessor import suburb
from tests.accessor.snippets import WITH_COLUMN, WITHOUT_COLUMN
from tests.support.common import of_this_call

PANDAS_3 = int(pd.__version__.split(".")[0]) >= 3
MODES = ["always"] if PANDAS_3 else ["off", "on", "warn"]


@contextlib.contextmanager
def without_suburb_pandas():
    """Remove the attribute `suburb` from DataFrame for the length of the block."""
    del pd.DataFrame.suburb
    try:
        yield
    finally:
        suburb.install()


def outcome(code, frame):
    """Run a snippet and return its result, its frame, its warnings with their lines, and its error."""
    space = {"df": frame(), "pd": pd, "np": np, "mask": [True, False, True, False]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(code, "<snippet>", "exec"), space)  # noqa: S102 - the snippets are ours
            raised = None
        except Exception as error:  # noqa: BLE001 - every error is compared
            raised = error
    warned = [(w.category, without_addresses(w.message), w.filename, w.lineno) for w in of_this_call(caught)]
    return space.get("out"), space.get("df"), warned, raised


def without_addresses(message):
    """Return a message with the addresses of objects removed."""
    return re.sub(r"0x[0-9a-f]+", "0x", str(message))


def same(ours, stock):
    """Assert that two results are equal in class and content."""
    assert type(ours) is type(stock)
    compare = {pd.DataFrame: pd.testing.assert_frame_equal, pd.Series: pd.testing.assert_series_equal}
    match ours:
        case pd.DataFrame() | pd.Series():
            compare[type(ours)](ours, stock)
        case np.ndarray():
            same(list(ours), list(stock))
        case tuple() | list():
            assert len(ours) == len(stock)
            for one, other in zip(ours, stock, strict=True):
                same(one, other)
        case pd.Index():
            pd.testing.assert_index_equal(ours, stock)
        case _:
            assert ours == stock or (pd.isna(ours) and pd.isna(stock))


def with_column():
    """Return a frame with the column, in which one row has no name."""
    return pd.DataFrame({"suburb": ["Quokka Bay", "Woylie", "Quokka Bay", None], "x": [1, 2, 3, 4]})


def without_column():
    """Return a frame without the column."""
    return pd.DataFrame({"x": [1, 2]})


@pytest.fixture(params=MODES)
def copy_on_write(request):
    """Run the test in each copy-on-write mode of the installed pandas."""
    if request.param == "always":
        yield request.param
        return
    with pd.option_context("mode.copy_on_write", {"off": False, "on": True, "warn": "warn"}[request.param]):
        yield request.param


@pytest.fixture
def no_garbage_collection():
    """Switch the garbage collector off, so that objects are freed by reference counting only."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("copy_on_write", "no_garbage_collection")
@pytest.mark.parametrize("code", WITH_COLUMN.values(), ids=WITH_COLUMN)
def test_a_frame_with_the_column_is_as_in_stock_pandas(code):
    """Results, frames, warnings with their lines, and errors equal those of pandas without this package."""
    with without_suburb_pandas():
        stock = outcome(code, with_column)
    ours = outcome(code, with_column)
    same(ours[:3], stock[:3])
    assert repr(ours[3]) == repr(stock[3])


@pytest.mark.usefixtures("copy_on_write", "no_garbage_collection")
@pytest.mark.parametrize("code", WITHOUT_COLUMN.values(), ids=WITHOUT_COLUMN)
def test_a_frame_without_the_column_is_as_in_stock_pandas(code):
    """Assignment, deletion and pandas' own look-ups are unchanged; an error of stock pandas keeps its class."""
    with without_suburb_pandas():
        stock = outcome(code, without_column)
    ours = outcome(code, without_column)
    same(ours[:3], stock[:3])
    assert type(ours[3]) is type(stock[3])


@pytest.mark.skipif(not PANDAS_3, reason="before pandas 3 a frame caches its columns, in a cycle")
@pytest.mark.usefixtures("no_garbage_collection")
def test_a_frame_is_freed_with_the_last_use_of_its_column():
    """The lookups on a column refer to its frame, but the frame does not refer to the column: there is no cycle."""
    df = with_column()
    freed = weakref.ref(df)
    df.suburb.unique()
    del df
    assert freed() is None


def test_a_chained_write_to_a_selection_is_warned_of_at_least_as_often(copy_on_write):
    """Before pandas 3 the lookups keep the selection alive, so pandas may warn of a chained write more often."""
    with without_suburb_pandas():
        stock = outcome("df[mask].suburb.iloc[0] = 'z'", with_column)
    ours = outcome("df[mask].suburb.iloc[0] = 'z'", with_column)
    same(ours[1], stock[1])
    assert {warned[0] for warned in stock[2]} <= {warned[0] for warned in ours[2]}


def test_only_hasattr_and_the_accessor_itself_differ():
    """On a frame without the column, `dir` and `hasattr` gain the name `suburb` and no other."""
    with without_suburb_pandas():
        names = dir(without_column())
        assert not hasattr(without_column(), "suburb")
    assert set(dir(without_column())) - set(names) == {"suburb"}
    assert hasattr(without_column(), "suburb")


def test_the_column_has_the_lookups_and_nothing_else_more():
    """`dir` of the column gains the lookups and no other name, and `vars` a documentation that lists them."""
    with without_suburb_pandas():
        stock = with_column().suburb
    ours = with_column().suburb
    assert {*dir(ours)} - {*dir(stock)} == {*suburb.LOOKUPS}
    assert {*vars(ours)} - {*vars(stock)} == {*suburb.LOOKUPS, "__doc__"}


def test_rows_and_series_know_nothing_of_it():
    """Series gains no attribute: `suburb` of a row is its value, and a Series without that label has none."""
    assert not hasattr(pd.Series, "suburb")
    assert not hasattr(pd.Series(["Quokka Bay"]), "suburb")
    assert with_column().iloc[0].suburb == "Quokka Bay"


def test_pickles_do_not_name_the_package():
    """A pickle of a frame or of its column can be read where the package is not installed."""
    df = with_column()
    assert b"suburb_pandas" not in pickle.dumps(df) + pickle.dumps(df.suburb) + pickle.dumps([df.suburb, df])


def test_a_large_frame_is_not_scanned():
    """Access costs the same on a million rows of text labels: no hash of them is built."""
    index = pd.Index(np.arange(1_000_000).astype(str), dtype=object)
    df = pd.DataFrame({"suburb": "Quokka Bay"}, index=index)
    assert callable(df.suburb.rent)
    assert not index._engine.is_mapping_populated
