"""A column called `suburb` does what it does in pandas without this package: the same code, with and without it."""

import contextlib
import gc
import pickle
import re
import warnings
import weakref

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import pandas as pdst

from suburb_pandas import accessor, attribute

PANDAS_3 = int(pd.__version__.split(".")[0]) >= 3
MODES = ["always"] if PANDAS_3 else ["off", "on", "warn"]

# Each snippet finds `df`, `pd`, `np` and `mask`, and leaves what is to be compared in `out`; `df` is compared as well.
WITH_COLUMN = {
    "get": "out = df.suburb",
    "unique": "out = list(df.suburb.unique())",
    "equal to a name": "out = df[df.suburb == 'Quokka Bay']",
    "not equal": "out = df.loc[df.suburb != 'Quokka Bay']",
    "isin": "out = df[df.suburb.isin(['Woylie'])]",
    "groupby the column": "out = df.groupby(df.suburb).x.sum()",
    "groupby then attribute": "out = df.groupby('x').suburb.first()",
    "str": "out = df.suburb.str.upper()",
    "arithmetic": "out = df.suburb + '!'",
    "map": "out = df.suburb.map({'Quokka Bay': 1})",
    "value_counts": "out = df.suburb.value_counts()",
    "isna": "out = df.suburb.isna()",
    "array": "out = np.asarray(df.suburb)",
    "iterate": "out = list(df.suburb)",
    "equals": "out = df.suburb.equals(df['suburb'])",
    "same object": "out = (df.suburb is df.suburb, df.suburb is df['suburb'])",
    "assert_series_equal": "out = pd.testing.assert_series_equal(df.suburb, df['suburb'])",
    "class": "out = type(df.suburb)",
    "repr": "out = repr(df.suburb)",
    "attrs": "df.attrs['a'] = [1]; out = df.suburb.attrs",
    "getattr": "out = getattr(df, 'suburb', None)",
    "attrgetter": "import operator; out = operator.attrgetter('suburb')(df)",
    "pipe": "out = df.pipe(lambda d: d.suburb)",
    "hasattr": "out = hasattr(df, 'suburb')",
    "__getattr__": "out = df.__getattr__('suburb')",
    "to_frame": "out = df.suburb.to_frame()",
    "set scalar": "df.suburb = 'Woylie'",
    "set list": "df.suburb = list('abcd')",
    "set array": "df.suburb = np.arange(4.0)",
    "set aligned": "df.suburb = pd.Series(['p', 'q'], index=[1, 0])",
    "set itself": "df.suburb = df.suburb.str.lower()",
    "set in place": "df.suburb += '!'",
    "set wrong length": "df.suburb = ['one']",
    "set a set": "df.suburb = {1, 2}; out = df.suburb",
    "set a frame": "df.suburb = pd.DataFrame({'b': [1, 2, 3, 4]})",
    "set categorical": "df.suburb = df.suburb.astype('category'); out = df.suburb.cat.categories",
    "setattr": "setattr(df, 'suburb', 1)",
    "object.__setattr__": "object.__setattr__(df, 'suburb', 1); out = df.suburb",
    "set on a selection": "part = df[mask]; part.suburb = 'z'; out = part",
    "set on a temporary": "df[mask].suburb = 'z'",
    "set on a slice": "part = df[1:3]; part.suburb = ['z', 'y']; out = part",
    "chained, by mask": "df.suburb[mask] = 'z'",
    "chained, by label": "df.suburb[0] = 'z'",
    "chained, by slice": "df.suburb[:2] = 'z'",
    "chained, iloc": "df.suburb.iloc[0] = 'z'",
    "chained, loc": "df.suburb.loc[mask] = 'z'",
    "chained, at": "df.suburb.at[0] = 'z'",
    "chained, fillna": "df.suburb.fillna('z', inplace=True)",
    "chained, replace": "df.suburb.replace('Quokka Bay', 'z', inplace=True)",
    "through a variable": "s = df.suburb; s.iloc[0] = 'z'; out = s",
    "through a variable, by mask": "s = df.suburb; s[mask] = 'z'; out = s",
    "in a function": "def f(df):\n    df.suburb[mask] = 'z'\n    df.suburb.iloc[1] = 'y'\n    df.suburb = 'w'\nf(df)",
    "item set after get": "s = df.suburb; df['suburb'] = 'z'; out = (list(s), df.suburb)",
    "write after get": "s = df.suburb; df.loc[0, 'suburb'] = 'z'; out = s",
    "write elsewhere after get": "s = df.suburb; df.loc[0, 'x'] = 9; df['y'] = 1; out = s",
    "another dtype": "df.suburb[0] = 1.5",
    "del": "del df.suburb",
    "delattr": "delattr(df, 'suburb')",
    "del item": "del df['suburb']; out = 'suburb' in vars(df)",
    "pop": "df.suburb; out = df.pop('suburb')",
    "assign": "out = df.assign(suburb=lambda d: d.suburb.str.lower())",
    "eval": "out = df.eval(\"suburb == 'Quokka Bay'\")",
    "eval, a method": "out = df.eval('suburb.str.len()', engine='python')",
    "eval, assigning": "out = df.eval('suburb = x + 1')",
    "pd.eval": "out = pd.eval('df.suburb == df.suburb')",
    "query": "out = df.query(\"suburb == 'Quokka Bay' and x > 1\")",
    "query, local": "q = 'Woylie'; out = df.query('suburb == @q')",
    "query, local frame": "out = df.query('suburb == @df.suburb')",
    "itertuples": "out = [row.suburb for row in df.itertuples()]",
    "iterrows": "out = [(row.suburb, type(row)) for _, row in df.iterrows()]",
    "apply to rows": "out = df.apply(lambda row: row.suburb, axis=1)",
    "apply to rows, expanding": "out = df.apply(lambda row: pd.Series({'s': row.suburb}), axis=1)",
    "row attribute set": "row = df.iloc[0].copy(); row.suburb = 'z'; out = row",
    "agg by name": "out = df.agg('suburb')",
    "groupby apply": "out = df.groupby('x')[['suburb', 'x']].apply(lambda g: g.suburb.iloc[0])",
    "groupby transform": "out = df.groupby(df.suburb).x.transform('sum')",
    "merge": "out = df.merge(df.rename(columns={'x': 'y'}), on='suburb').suburb",
    "merge on another": "out = df.merge(df, on='x').suburb_x",
    "concat": "out = pd.concat([df.suburb, df['suburb']])",
    "concat frames": "out = pd.concat([df, df]).suburb",
    "join": "out = df.join(df.suburb.rename('b'))",
    "copy": "df.suburb; c = df.copy(); c.suburb = 'z'; out = c",
    "shallow copy": "c = df.copy(deep=False); c.suburb.iloc[0] = 'z'; out = c",
    "deepcopy": "import copy; df.suburb; out = copy.deepcopy(df).suburb",
    "copy of the column": "import copy; out = sorted(vars(copy.deepcopy(df.suburb)).keys() | vars(df.suburb.copy()))",
    "pickle a frame": "import pickle; df.suburb; out = pickle.dumps(df)",
    "pickle the column": "import pickle; out = pickle.dumps(df.suburb)",
    "pickle and back": "import pickle; out = vars(pickle.loads(pickle.dumps(df.suburb))).keys()",
    "rename": "out = df.rename(columns={'suburb': 'place'}).place",
    "rename to": "out = df.rename(columns={'x': 'suburb', 'suburb': 'x'}).suburb",
    "rename the column": "out = df.suburb.rename('place')",
    "pivot": "out = df.pivot(index='x', columns='suburb', values='x')",
    "pivot_table": "out = df.pivot_table(index='suburb', values='x')",
    "set_index": "out = df.set_index('suburb').index",
    "sort": "out = df.sort_values('suburb').suburb",
    "to_dict": "out = df.suburb.to_dict()",
    "derived keep nothing": "out = [sorted(vars(s)) for s in (df.suburb[mask], df.suburb.head(), df.suburb + '')]",
    "dir of frame": "out = dir(df)",
    "members of frame": "import inspect; out = [name for name, _ in inspect.getmembers(df)]",
    "members of column": (
        "import inspect; names = {name for name, _ in inspect.getmembers(df.suburb)}\n"
        "out = sorted(names - {'rent', 'impacts', 'impact_summary'})"
    ),
    "vars of frame": "df.suburb; out = sorted(vars(df))",
    "weakref": "import weakref; out = weakref.ref(df.suburb)() is None",
    "own attribute of the column": "s = df.suburb; s.rent = 5; df.suburb; out = s.rent",
    "own attribute of the cached column": "df.suburb.rent = 5; out = vars(df.suburb).get('rent') == 5",
    "subclass": (
        "class Frame(pd.DataFrame):\n"
        "    @property\n    def _constructor(self):\n        return Frame\n"
        "f = Frame(df)\nf.suburb = f.suburb.str.lower()\nout = (type(f).__name__, type(f[mask]).__name__, f.suburb)"
    ),
    "subclass with a Series of its own": (
        "class S(pd.Series):\n    pass\n"
        "class Frame(pd.DataFrame):\n"
        "    @property\n    def _constructor_sliced(self):\n        return S\n"
        "out = type(Frame(df).suburb).__name__"
    ),
    "subclass with __getattr__": (
        "class Frame(pd.DataFrame):\n"
        "    def __getattr__(self, name):\n"
        "        return 'own' if name == 'suburb' else super().__getattr__(name)\n"
        "out = Frame(df).suburb"
    ),
    "subclass with a property": (
        "class Frame(pd.DataFrame):\n    @property\n    def suburb(self):\n        return 'own'\nout = Frame(df).suburb"
    ),
    "subclass with metadata": (
        "class Frame(pd.DataFrame):\n    _metadata = ['suburb']\n"
        "    @property\n    def _constructor(self):\n        return Frame\n"
        "f = Frame(df[['x']])\nf.suburb = 'own'\nout = (f.suburb, f[mask].suburb, f.copy().suburb)"
    ),
    "subclass that sets first": (
        "class Frame(pd.DataFrame):\n"
        "    def __setattr__(self, name, value):\n        super().__setattr__(name, value)\n"
        "f = Frame(df)\nf.suburb = 'z'\nout = pd.DataFrame(f)"
    ),
    "subclass that refuses a value": (
        "class Frame(pd.DataFrame):\n"
        "    def __setitem__(self, key, value):\n        raise TypeError(key)\n"
        "f = Frame(df)\nf.suburb = ['z']\nout = f.suburb"
    ),
    "doubled columns": "d = pd.concat([df, df], axis=1); out = d.suburb",
    "doubled columns, set": "d = pd.concat([df, df], axis=1); d.suburb = 'z'; out = d",
    "levels of columns": "d = pd.concat({'suburb': df, 'b': df}, axis=1); out = d.suburb",
    "levels of columns, sub-frame": "d = pd.concat({'suburb': df, 'b': df}, axis=1); out = d.suburb.suburb",
    "levels of columns, set": "d = pd.concat({'suburb': df, 'b': df}, axis=1); d.suburb = 0; out = d",
    "levels that are empty": "d = df.groupby('suburb').agg({'x': ['sum', 'max']}).reset_index(); out = d.suburb",
    "columns of a category": "df.columns = pd.CategoricalIndex(df.columns); out = df.suburb",
    "row label wins": "d = df.set_axis(['rent', 'b', 'c', 'd']); out = d.suburb.rent",
    "row label set": "d = df.set_axis(['rent', 'b', 'c', 'd']); s = d.suburb; s.rent = 'z'; out = s",
    "row label of a level wins": (
        "d = df.set_axis(pd.MultiIndex.from_product([['rent', 'b'], [1, 2]])); out = d.suburb.rent"
    ),
    "row label of a category wins": "df.index = pd.CategoricalIndex(['rent', 'b', 'c', 'd']); out = df.suburb.rent",
    "no rows": "out = df[:0].suburb",
    "attribute and column": "d = df[['x']].copy(); d.suburb = 'a'; d['suburb'] = 'b'; out = (d.suburb, d['suburb'])",
    "attribute and column, set": "d = df[['x']].copy(); d.suburb = 'a'; d['suburb'] = 'b'; d.suburb = 'c'; out = d",
}

WITHOUT_COLUMN = {
    "set scalar": "df.suburb = 'a'; out = (df.suburb, vars(df)['suburb'])",
    "set scalar twice": "df.suburb = 'a'; df.suburb = 'b'; out = df.suburb",
    "set list": "df.suburb = ['a', 'b']; out = df.suburb",
    "set series": "df.suburb = df.x; out = df.suburb",
    "set set": "df.suburb = {1}; out = df.suburb",
    "set function": "df.suburb = len; out = df.suburb",
    "setattr": "setattr(df, 'suburb', ['a'])",
    "object.__setattr__": "object.__setattr__(df, 'suburb', 'a'); out = df.suburb",
    "set, then copy": "df.suburb = 'a'; out = 'suburb' in vars(df.copy())",
    "set, then pickle": "import pickle; df.suburb = 'a'; out = pickle.dumps(df)",
    "set in a function": "def f(df):\n    df.suburb = ['a']\nf(df)",
    "set, then del": "df.suburb = 'a'; del df.suburb; out = 'suburb' in vars(df)",
    "del": "del df.suburb",
    "del item": "del df['suburb']",
    "get item": "df['suburb']",
    "__getattr__": "df.__getattr__('suburb')",
    "eval": "df.eval('suburb')",
    "query": "df.query(\"suburb == 'a'\")",
    "pd.eval": "pd.eval('df.suburb')",
    "agg by name": "df.agg('suburb')",
    "apply by name": "df.apply('suburb')",
    "apply to rows": "df.apply(lambda row: row.suburb, axis=1)",
    "groupby": "df.groupby('x').suburb",
    "rolling": "df.rolling(2).suburb",
    "compare": "df.suburb == 'Quokka Bay'",
    "compare the other way": "'Quokka Bay' != df.suburb",
    "method": "df.suburb.unique()",
    "pickle": "import pickle; out = pickle.dumps(df)",
    "vars": "getattr(df, 'suburb', None); out = sorted(vars(df))",
    "then a column": "getattr(df, 'suburb', None); df['suburb'] = 'a'; df.suburb = 'b'",
    "assign": "out = df.assign(suburb='a').suburb",
    "row": "df.iloc[0].suburb",
}


@contextlib.contextmanager
def without_suburb_pandas():
    """Run pandas as it is without the attribute."""
    del pd.DataFrame.suburb
    try:
        yield
    finally:
        attribute.install()


def outcome(code, frame):
    """What the code gave, what became of the frame, and what was warned of or raised, and where."""
    space = {"df": frame(), "pd": pd, "np": np, "mask": [True, False, True, False]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(code, "<snippet>", "exec"), space)  # noqa: S102 - the snippets above
            raised = None
        except Exception as error:  # noqa: BLE001 - any is compared
            raised = error
    said = [(w.category, without_addresses(w.message), w.filename, w.lineno) for w in caught]
    return space.get("out"), space.get("df"), said, raised


def without_addresses(message):
    """The message with the addresses of objects left out."""
    return re.sub(r"0x[0-9a-f]+", "0x", str(message))


def same(ours, stock):
    """Whether two results are the same, in class and content."""
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
    """A frame with the column, a row of it without a name."""
    return pd.DataFrame({"suburb": ["Quokka Bay", "Woylie", "Quokka Bay", None], "x": [1, 2, 3, 4]})


def without_column():
    """A frame without it."""
    return pd.DataFrame({"x": [1, 2]})


@pytest.fixture(params=MODES)
def copy_on_write(request):
    """Each way in which this pandas copies."""
    if request.param == "always":
        yield request.param
        return
    with pd.option_context("mode.copy_on_write", {"off": False, "on": True, "warn": "warn"}[request.param]):
        yield request.param


@pytest.fixture
def no_garbage_collection():
    """What is freed is freed by itself."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("copy_on_write", "no_garbage_collection")
@pytest.mark.parametrize("code", WITH_COLUMN.values(), ids=WITH_COLUMN)
def test_a_frame_with_the_column_is_as_in_stock_pandas(code):
    """Result, frame, warnings with their lines, and errors are those of pandas without this package."""
    with without_suburb_pandas():
        stock = outcome(code, with_column)
    ours = outcome(code, with_column)
    same(ours[:3], stock[:3])
    assert repr(ours[3]) == repr(stock[3])


@pytest.mark.usefixtures("copy_on_write", "no_garbage_collection")
@pytest.mark.parametrize("code", WITHOUT_COLUMN.values(), ids=WITHOUT_COLUMN)
def test_a_frame_without_the_column_is_as_in_stock_pandas(code):
    """Assignment, deletion and pandas' own look-ups are stock; what was an error is one of the same class."""
    with without_suburb_pandas():
        stock = outcome(code, without_column)
    ours = outcome(code, without_column)
    same(ours[:3], stock[:3])
    assert type(ours[3]) is type(stock[3])


@pytest.mark.skipif(not PANDAS_3, reason="before pandas 3 a frame caches its columns: the garbage collector frees it")
@pytest.mark.usefixtures("no_garbage_collection")
def test_a_frame_is_freed_with_the_last_use_of_its_column():
    """The lookups on a column hold its frame, and nothing holds the column."""
    df = with_column()
    freed = weakref.ref(df)
    df.suburb.unique()
    del df
    assert freed() is None


def test_a_chained_write_to_a_selection_is_warned_of_at_least_as_often(copy_on_write):
    """Before pandas 3 the lookups keep the selection, and pandas warns once more of writing to it."""
    with without_suburb_pandas():
        stock = outcome("df[mask].suburb.iloc[0] = 'z'", with_column)
    ours = outcome("df[mask].suburb.iloc[0] = 'z'", with_column)
    same(ours[1], stock[1])
    assert {warned[0] for warned in stock[2]} <= {warned[0] for warned in ours[2]}


def test_only_hasattr_and_the_accessor_itself_differ():
    """On a frame without the column, `dir` and `hasattr` know one name more, and nothing else."""
    with without_suburb_pandas():
        names = dir(without_column())
        assert not hasattr(without_column(), "suburb")
    assert set(dir(without_column())) - set(names) == {"suburb"}
    assert hasattr(without_column(), "suburb")


def test_the_column_has_the_lookups_and_nothing_else_more():
    """`dir` and `vars` of the column give the lookups beside what they gave."""
    with without_suburb_pandas():
        stock = with_column().suburb
    ours = with_column().suburb
    assert {*dir(ours)} - {*dir(stock)} == {*vars(ours)} - {*vars(stock)} == {*accessor.LOOKUPS}


def test_rows_and_series_know_nothing_of_it():
    """No attribute is put on Series: a row's `suburb` is its value, and a Series without one has none."""
    assert not hasattr(pd.Series, "suburb")
    assert not hasattr(pd.Series(["Quokka Bay"]), "suburb")
    assert with_column().iloc[0].suburb == "Quokka Bay"


def test_pickles_do_not_name_the_package():
    """A pickle of a frame or of its column can be read where the package is not installed."""
    df = with_column()
    assert b"suburb_pandas" not in pickle.dumps(df) + pickle.dumps(df.suburb) + pickle.dumps([df.suburb, df])


def test_writes_through_the_column_reach_a_frame_that_is_cached():
    """Before pandas 3, without copy on write, `df.suburb.iloc[0] = x` still writes the frame."""
    df = with_column()
    with warnings.catch_warnings(action="ignore"):
        df.suburb.iloc[0] = "Woylie"
    assert df.loc[0, "suburb"] == ("Quokka Bay" if PANDAS_3 else "Woylie")


@pytest.mark.parametrize("dtype", ["object", "category", "string", "int64", "float64", "datetime64[ns]", "boolean"])
def test_columns_of_any_dtype_are_given_as_they_are(dtype):
    """Whatever the column holds, it is the column that `df["suburb"]` gives."""
    df = pd.DataFrame({"suburb": pd.Series([1, 0], dtype="int64").astype(dtype)})
    pd.testing.assert_series_equal(df.suburb, df["suburb"])
    assert type(df.suburb) is pd.Series


ELEMENTS = st.none() | st.text(max_size=3) | st.integers() | st.floats() | st.dates() | st.tuples(st.text())
ROWS = pdst.range_indexes(max_size=4)
COLUMNS = st.one_of(
    pdst.series(dtype="float64", index=ROWS),
    pdst.series(dtype="int64", index=ROWS),
    pdst.series(dtype="datetime64[ns]", index=ROWS),
    pdst.series(elements=ELEMENTS, dtype=object, index=ROWS),
)


@given(COLUMNS)
def test_the_attribute_is_the_column(values):
    """For any frame with a column `suburb`, of any dtype, `df.suburb` equals `df["suburb"]`."""
    df = pd.DataFrame({"suburb": values, "x": 1})
    pd.testing.assert_series_equal(df.suburb, df["suburb"])
    assert type(df.suburb) is pd.Series


@given(COLUMNS, COLUMNS)
def test_assigning_the_attribute_is_assigning_the_column(before, after):
    """For any two columns, `df.suburb = x` leaves the frame that `df["suburb"] = x` leaves."""
    df, other = (pd.DataFrame({"suburb": before, "x": 1}) for _ in range(2))
    df.suburb, other["suburb"] = after, after
    pd.testing.assert_frame_equal(df, other)


def test_a_large_frame_is_not_scanned():
    """Access costs the same on a million rows of text labels: no hash of them is built."""
    index = pd.Index(np.arange(1_000_000).astype(str), dtype=object)
    df = pd.DataFrame({"suburb": "Quokka Bay"}, index=index)
    assert callable(df.suburb.rent)
    assert not index._engine.is_mapping_populated
