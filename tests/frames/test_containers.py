"""Series of other libraries are read as pandas' own; whatever is no list of values is refused before any call."""

import pandas as pd
import pytest

import suburb_pandas as sp

BAY, STEPS = "Quokka Bay", "Mangrove Steps"
FRAME = pd.DataFrame({"suburb": [BAY], "x": 1})


def polars():
    """Return polars, or skip the test without it."""
    return pytest.importorskip("polars")


def pyarrow():
    """Return pyarrow, or skip the test without it."""
    return pytest.importorskip("pyarrow")


def dask_frame(values):
    """Return a dask frame of two partitions, or skip the test without dask."""
    dask = pytest.importorskip("dask.dataframe")
    return dask.from_pandas(pd.DataFrame({"suburb": pd.Series(values, dtype="object"), "x": 1}), npartitions=2)


class Column:
    """A Series of a library that nobody knows."""

    def __init__(self, values):
        self.values = values

    def to_pandas(self):
        """Return this Series as one of pandas."""
        return pd.Series(self.values, dtype="object")


class Table(Column):
    """A frame of such a library, which yields the names of its columns."""

    columns = ("suburb",)

    def __iter__(self):
        return iter(self.columns)


SERIES = {
    "polars Series": lambda values: polars().Series("suburb", values, dtype=polars().String),
    "pyarrow ChunkedArray": lambda values: pyarrow().chunked_array([values[:1], values[1:]], pyarrow().string()),
    "pyarrow dictionary": lambda values: pyarrow().array(values, pyarrow().string()).dictionary_encode(),
    "dask Series": lambda values: dask_frame(values)["suburb"],
    "an unknown library's Series": Column,
}
REFUSED = {
    "frame": lambda: FRAME,
    "groups": lambda: FRAME.groupby("suburb"),
    "mapping": lambda: {BAY: 1},
    "set": lambda: {BAY},
    "accessor of a frame without a column called suburb": lambda: FRAME[["x"]].suburb,
    "polars DataFrame": lambda: polars().DataFrame({"suburb": [BAY]}),
    "pyarrow Table": lambda: pyarrow().table({"suburb": [BAY]}),
    "dask DataFrame": lambda: dask_frame([BAY, BAY]),
    "an unknown library's frame": lambda: Table([BAY]),
}
FUNCTIONS = (
    *("rent", "impacts", "impact_summary", "scorecard", "quote", "places", "revisions", "first_releases", "resolve"),
    "SuburbPicker",
)

series = pytest.mark.parametrize("kind", SERIES)
refused = pytest.mark.parametrize("kind", REFUSED)


@series
def test_a_series_of_another_library_is_read_as_one_of_pandas(embedded, kind):
    """Each suburb comes once, in the order of the rows, and rows without a name are skipped with a warning."""
    column = SERIES[kind]([STEPS, BAY, None, STEPS])
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 4 rows has no .* was skipped: row 2"):
        pd.testing.assert_frame_equal(sp.rent(column), sp.rent([STEPS, BAY]))
    with pytest.warns(sp.errors.SkippedRowsWarning):
        assert sp.quote(column).duplicates == (STEPS,)


@series
def test_each_row_of_a_series_of_another_library_is_resolved(embedded, kind):
    """`resolve` returns a row for each row, and NA for a missing one; what stands beside may be such a Series too."""
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 3"):
        found = sp.resolve(SERIES[kind](["kestrel hill", None, "QUOKKA BAY"]), state=SERIES[kind](["Vic.", None, "WA"]))
    assert found.fillna("").to_list() == ["Kestrel Hill (Vic.)", "", BAY]


@pytest.mark.parametrize("kind", [kind for kind in SERIES if "dask" not in kind])
def test_a_series_without_an_index_stands_beside_any_queries(embedded, kind):
    """Values without an index belong to the rows in their order, whatever the index of the queries."""
    queries = pd.Series(["kestrel hill", "kestrel hill"], index=["x", "y"])
    found = sp.resolve(queries, state=SERIES[kind](["Vic.", "Qld"]))
    assert found.to_list() == ["Kestrel Hill (Vic.)", "Kestrel Hill (Qld)"]


@refused
@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_no_list_of_values_is_refused(live, service, function, kind):
    """A frame, groups, a mapping or a set raises TypeError before any call; it names a column and `df.suburb`."""
    given = REFUSED[kind]()
    with pytest.raises(TypeError) as caught:
        getattr(sp, function)(given)
    assert str(caught.value).partition(" ")[2] == (
        f"must be text, a list, a Series or an Index, not {type(given).__name__}. Nothing was sent. "
        f"Pass a list or one column, as in sp.{function}(df['suburb']) if only one is called suburb; "
        "df.suburb has methods for whole frames."
    )
    assert service.requests == ()


@refused
@pytest.mark.parametrize("field", ["state", "postcode", "region"])
def test_what_is_no_list_of_values_is_refused_beside_the_queries(live, service, field, kind):
    """The same holds for one state, postcode or region for each query."""
    with pytest.raises(TypeError, match=rf"^{field} must be .* Nothing was sent.*sp\.resolve\(queries, {field}=df\["):
        sp.resolve(["kestrel hill"], **{field: REFUSED[kind]()})
    assert service.requests == ()
