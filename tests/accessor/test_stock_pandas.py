"""A column called `suburb` behaves as in stock pandas: the same code is run with this package and without it."""

import contextlib
import gc
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
MODES = ["always"] if PANDAS_3 else [False, True, "warn"]


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
    match ours:
        case pd.DataFrame():
            pd.testing.assert_frame_equal(ours, stock)
        case pd.Series():
            pd.testing.assert_series_equal(ours, stock)
        case pd.Index():
            pd.testing.assert_index_equal(ours, stock)
        case tuple() | list():
            for one, other in zip(ours, stock, strict=True):
                same(one, other)
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
    with contextlib.nullcontext() if PANDAS_3 else pd.option_context("mode.copy_on_write", request.param):
        yield


@pytest.fixture
def no_garbage_collection():
    """Switch the garbage collector off, so that objects are freed by reference counting only."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("copy_on_write", "no_garbage_collection")
@pytest.mark.parametrize(
    ("code", "frame", "shown"),
    [
        *((code, with_column, repr) for code in WITH_COLUMN.values()),
        *((code, without_column, type) for code in WITHOUT_COLUMN.values()),
    ],
    ids=[*WITH_COLUMN, *WITHOUT_COLUMN],
)
def test_a_frame_is_as_in_stock_pandas(code, frame, shown):
    """Results, frames, warnings with their lines, and errors equal those of pandas without this package.

    On a frame without the column, only the class of an error is the same.
    """
    with without_suburb_pandas():
        stock = outcome(code, frame)
    ours = outcome(code, frame)
    same(ours[:3], stock[:3])
    assert shown(ours[3]) == shown(stock[3])


@pytest.mark.skipif(not PANDAS_3, reason="before pandas 3 a frame caches its columns, in a cycle")
@pytest.mark.usefixtures("no_garbage_collection")
def test_a_frame_is_freed_with_the_last_use_of_its_column():
    """The lookups on a column refer to its frame, but the frame does not refer to the column: there is no cycle."""
    df = with_column()
    freed = weakref.ref(df)
    df.suburb.unique()
    del df
    assert freed() is None


def test_only_the_attribute_and_the_lookups_are_new():
    """`dir` of a frame gains the name `suburb`, that of the column the lookups, and any other Series none."""
    frames = without_column(), with_column()
    with without_suburb_pandas():
        stock = [{*dir(thing)} for thing in (*frames, frames[1].suburb, pd.Series)]
    gained = [{*dir(thing)} - names for thing, names in zip((*frames, frames[1].suburb, pd.Series), stock, strict=True)]
    assert gained == [{"suburb"}, set(), {*suburb.LOOKUPS}, set()]


def test_a_large_frame_is_not_scanned():
    """Access costs the same on a million rows of text labels: no hash of them is built."""
    index = pd.Index(np.arange(1_000_000).astype(str), dtype=object)
    df = pd.DataFrame({"suburb": "Quokka Bay"}, index=index)
    assert callable(df.suburb.rent)
    assert not index._engine.is_mapping_populated
