"""Series of other libraries are read as pandas' own; whatever is no list of values is refused before any call."""

import pandas as pd
import pytest

import suburb_pandas as sp

BAY, STEPS = "Quokka Bay", "Mangrove Steps"
FRAME = pd.DataFrame({"suburb": [BAY], "x": 1})
library = pytest.importorskip


def dask_frame(values):
    """Return a dask frame of two partitions."""
    frame = pd.DataFrame({"suburb": pd.Series(values, dtype="object"), "x": 1})
    return library("dask.dataframe").from_pandas(frame, npartitions=2)


def arrow(values):
    """Return a ChunkedArray of pyarrow."""
    pyarrow = library("pyarrow")
    return pyarrow.chunked_array([values[:1], values[1:]], pyarrow.string())


SERIES = {
    "polars Series": lambda values: library("polars").Series("suburb", values),
    "pyarrow ChunkedArray": arrow,
    "pyarrow dictionary": lambda values: arrow(values).combine_chunks().dictionary_encode(),
    "dask Series": lambda values: dask_frame(values)["suburb"],
}
REFUSED = {
    "frame": lambda: FRAME,
    "groups": lambda: FRAME.groupby("suburb"),
    "mapping": lambda: {BAY: 1},
    "set": lambda: {BAY},
    "accessor of a frame without a column called suburb": lambda: FRAME[["x"]].suburb,
    "polars DataFrame": lambda: library("polars").DataFrame({"suburb": [BAY]}),
    "pyarrow Table": lambda: library("pyarrow").table({"suburb": [BAY]}),
    "dask DataFrame": lambda: dask_frame([BAY, BAY]),
}
FUNCTIONS = (
    *("rent", "impacts", "impact_summary", "scorecard", "quote", "places", "revisions", "first_releases", "resolve"),
    "SuburbPicker",
)


@pytest.mark.parametrize("kind", SERIES)
def test_a_series_of_another_library_is_read_as_one_of_pandas(embedded, kind):
    """Each suburb comes once, in the order of the rows, and rows without a name are skipped with a warning.

    `resolve` returns a row for each row, and NA for a missing one; what stands beside may be such a Series too. Values
    without an index belong to the rows in their order, whatever the index of the queries.
    """
    make = SERIES[kind]
    column = make([STEPS, BAY, None, STEPS])
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 4 rows has no .* was skipped: row 2"):
        rents, duplicates = sp.rent(column), sp.quote(column).duplicates
    pd.testing.assert_frame_equal(rents, sp.rent([STEPS, BAY]))
    assert duplicates == (STEPS,)
    with pytest.warns(sp.errors.SkippedRowsWarning):
        found = sp.resolve(make(["kestrel hill", None, "QUOKKA BAY"]), state=make(["Vic.", None, "WA"]))
    assert found.fillna("").to_list() == ["Kestrel Hill (Vic.)", "", BAY]
    if "dask" not in kind:
        queries = pd.Series(["kestrel hill"] * 2, index=["x", "y"])
        assert sp.resolve(queries, make(["Vic.", "Qld"])).to_list() == ["Kestrel Hill (Vic.)", "Kestrel Hill (Qld)"]


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_list_of_values_is_refused(live, service, kind):
    """A frame, groups, a mapping or a set raises TypeError before any call; it names a column and `df.suburb`."""
    given = REFUSED[kind]()
    for function in FUNCTIONS:
        with pytest.raises(TypeError, match=rf"not {type(given).__name__}\. Nothing was sent.*sp\.{function}\(df\["):
            getattr(sp, function)(given)
    assert service.requests == ()
