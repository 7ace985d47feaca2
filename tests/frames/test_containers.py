"""Series of other libraries are read as pandas' own; frames, groups and mappings are refused before any call."""

import re

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp

BAY, HEIGHTS, STEPS = "Quokka Bay", "Bilby Heights", "Mangrove Steps"
NAMES = [STEPS, BAY, None, STEPS]


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


def dataset(values):
    """Return an xarray Dataset, or skip the test without xarray."""
    return pytest.importorskip("xarray").Dataset({"suburb": ("row", np.array(values, dtype="object"))})


SERIES = {
    "polars Series": lambda values: polars().Series("suburb", values, dtype=polars().String),
    "polars Categorical": lambda values: polars().Series("suburb", values, dtype=polars().Categorical),
    "pyarrow Array": lambda values: pyarrow().array(values, pyarrow().string()),
    "pyarrow ChunkedArray": lambda values: pyarrow().chunked_array([values[:1], values[1:]], pyarrow().string()),
    "pyarrow dictionary": lambda values: pyarrow().array(values, pyarrow().string()).dictionary_encode(),
    "dask Series": lambda values: dask_frame(values)["suburb"],
    "xarray DataArray": lambda values: dataset(values)["suburb"],
}


class Table:
    """A frame of a library that nobody knows: it has columns and yields their names."""

    columns = ("suburb",)

    def __iter__(self):
        return iter(self.columns)

    def __getitem__(self, label):
        return [BAY]


class Spark:
    """A frame that has to be converted before a column of it can be read, as in pyspark."""

    columns = ("suburb",)

    def select(self, label):
        """Return a frame of this column, which is all that there is."""
        assert label in self.columns
        return self

    def toPandas(self):  # noqa: N802 - pyspark's own name
        """Return this frame as one of pandas."""
        return pd.DataFrame({"suburb": [BAY]})


FRAMES = {
    "polars DataFrame": lambda: polars().DataFrame({"suburb": [BAY]}),
    "polars LazyFrame": lambda: polars().LazyFrame({"suburb": [BAY]}),
    "pyarrow Table": lambda: pyarrow().table({"suburb": [BAY]}),
    "pyarrow RecordBatch": lambda: pyarrow().record_batch({"suburb": [BAY]}),
    "dask DataFrame": lambda: dask_frame([BAY, BAY]),
    "xarray Dataset": lambda: dataset([BAY]),
    "pyspark's kind of frame": Spark,
    "an unknown library's frame": Table,
}
GROUPS = {
    "groups": lambda frame: frame.groupby("suburb"),
    "groups of a column": lambda frame: frame.groupby("x")["suburb"],
    "resampled": lambda frame: frame.set_index("date").resample("D"),
    "a window": lambda frame: frame[["x"]].rolling(2),
    "a growing window": lambda frame: frame["x"].expanding(),
}
CALLS = {
    "sp.rent": sp.rent,
    "sp.impacts": sp.impacts,
    "sp.impact_summary": sp.impact_summary,
    "sp.scorecard": sp.scorecard,
    "sp.quote": sp.quote,
    "sp.places": sp.places,
    "sp.revisions": sp.revisions,
    "sp.first_releases": sp.first_releases,
    "sp.resolve": sp.resolve,
    "sp.SuburbPicker": sp.SuburbPicker,
}

series = pytest.mark.parametrize("kind", SERIES)
every_call = pytest.mark.parametrize("call", CALLS)


@series
@pytest.mark.parametrize("loader", [sp.rent, sp.impacts, sp.impact_summary, sp.scorecard, sp.places])
def test_a_series_of_another_library_is_read_as_one_of_pandas(embedded, kind, loader):
    """Each suburb comes once, in the order of the rows, and rows without a name are skipped with a warning."""
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 4 rows has no .* was skipped: row 2"):
        found = loader(SERIES[kind](NAMES))
    pd.testing.assert_frame_equal(found, loader([STEPS, BAY]))


@series
def test_a_series_of_another_library_is_quoted(live, service, kind):
    """A quote counts each name once and lists the repeated ones."""
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 4"):
        quote = sp.quote(SERIES[kind](NAMES))
    assert (quote.calls, quote.duplicates) == (2, (STEPS,))
    assert service.requests == ()


@series
def test_each_row_of_a_series_of_another_library_is_resolved(embedded, kind):
    """`resolve` returns a row for each row, and NA for a missing one; what stands beside may be such a Series too."""
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 3"):
        found = sp.resolve(SERIES[kind](["kestrel hill", None, "QUOKKA BAY"]), state=SERIES[kind](["Vic.", None, "WA"]))
    assert found.fillna("").to_list() == ["Kestrel Hill (Vic.)", "", BAY]
    assert found.name == "area_name"


@pytest.mark.parametrize("kind", [kind for kind in SERIES if "dask" not in kind])
def test_a_series_without_an_index_stands_beside_any_queries(embedded, kind):
    """Values without an index belong to the rows in their order, whatever the index of the queries."""
    queries = pd.Series(["kestrel hill", "kestrel hill"], index=["x", "y"])
    found = sp.resolve(queries, state=SERIES[kind](["Vic.", "Qld"]))
    assert found.to_list() == ["Kestrel Hill (Vic.)", "Kestrel Hill (Qld)"]


@series
def test_a_series_of_another_library_that_holds_no_names_is_refused(live, service, kind):
    """A value that cannot be a name is refused before any call."""
    with pytest.raises(sp.errors.InvalidName, match="cannot be empty"):
        sp.rent(SERIES[kind]([BAY, ""]))
    assert service.requests == ()


@pytest.mark.parametrize("kind", FRAMES)
@every_call
def test_a_frame_of_another_library_is_refused(live, service, call, kind):
    """A whole frame of any library raises TypeError before any call, and the line that the error shows works."""
    frame = FRAMES[kind]()
    with pytest.raises(
        TypeError, match=r"^\w+ is a whole frame \(.+\), not a column\. Nothing was sent\. Pass the column: "
    ) as caught:
        CALLS[call](frame)
    assert service.requests == ()
    assert sp.ledger().empty
    assert type(frame).__name__ in str(caught.value)
    line = re.search(r"Pass the column: (.+)$", str(caught.value))[1]
    assert line.startswith(f"{call}(frame")
    if call == "sp.quote":
        assert eval(line, {"sp": sp, "frame": frame}).calls == 1  # noqa: S307 - our own line


@pytest.mark.parametrize("kind", GROUPS)
@every_call
def test_groups_are_refused(live, service, call, kind):
    """The groups of a frame raise TypeError before any call; the error shows the column."""
    frame = pd.DataFrame({"suburb": [BAY], "x": 1, "date": [pd.Timestamp("2024-01-31")]})
    with pytest.raises(TypeError, match=rf"is a set of groups.*Nothing was sent.*{call}\(frame\[\"suburb\"\]\)$"):
        CALLS[call](GROUPS[kind](frame))
    assert service.requests == ()
    assert sp.ledger().empty


@every_call
def test_a_mapping_is_refused(live, service, call):
    """Of a mapping, the keys or the values could be meant, so the error shows a list of either."""
    for mapping in ({BAY: 1}, {}, pd.DataFrame({"suburb": [BAY]}).groupby("suburb").groups):
        with pytest.raises(
            TypeError, match=rf"Nothing was sent.*{call}\(list\(mapping\)\) or {call}\(list\(mapping\.val"
        ):
            CALLS[call](mapping)
    assert service.requests == ()
    assert sp.ledger().empty


@every_call
def test_a_pandas_frame_is_refused_with_the_column_and_the_accessor(live, service, call):
    """A pandas frame is refused too; the error shows the function's own method, if it has one, and the column."""
    message = rf"^\w+ is a whole frame, and nothing was sent.*{call}\(df\[\"suburb\"\]\)"
    with pytest.raises(TypeError, match=message) as caught:
        CALLS[call](pd.DataFrame({"suburb": [BAY]}))
    method = call.removeprefix("sp.")
    has_method = hasattr(pd.DataFrame({"area_name": [BAY]}).suburb, method)
    assert f"df.suburb{'.' if has_method else ' has no '}{method}()" in str(caught.value)
    assert service.requests == ()


@every_call
def test_an_array_without_dimensions_is_the_name_in_it(embedded, call):
    """`np.array("Quokka Bay")` is read as the text, by every function that takes suburbs or queries."""
    if call != "sp.SuburbPicker":
        sp.rent(BAY)  # `first_releases` reads what is stored
        found, expected = (CALLS[call](given) for given in (np.array(BAY), BAY))
        assert str(found) == str(expected)


@pytest.mark.parametrize("field", ["state", "postcode", "region"])
@pytest.mark.parametrize(
    "given", [pd.DataFrame({"x": ["Vic."]}), Table(), {"x": "Vic."}], ids=["pandas", "own", "dict"]
)
def test_a_frame_beside_the_queries_is_refused(live, service, field, given):
    """A frame or a mapping in place of one state, postcode or region for each query is refused before any call."""
    with pytest.raises(TypeError, match=rf"^{field} is .* Nothing was sent.*sp\.resolve\(queries, {field}="):
        sp.resolve(["kestrel hill"], **{field: given})
    assert service.requests == ()


def test_bytes_are_refused_with_the_way_to_text(live, service):
    """Bytes are no text, alone or in an array; the error shows how they are decoded."""
    name = BAY.encode()
    for given in (name, [name], np.array([name]), pd.Series([name]), bytearray(name), memoryview(name)):
        with pytest.raises(sp.errors.InvalidName, match=r"Nothing was sent\. Decode it first: str\(name, 'utf-8'\)"):
            sp.rent(given)
        with pytest.raises((TypeError, sp.errors.InvalidName), match="Nothing was sent"):
            sp.resolve(given)
    with pytest.raises(TypeError, match=r"Decode it first: str\(name, 'utf-8'\)"):
        sp.resolve(name)
    assert service.requests == ()
    assert sp.ledger().empty


def test_the_accessor_in_place_of_a_column_is_refused_with_the_two_ways_to_name_the_column(embedded):
    """Without a column called suburb, `df.suburb` holds no names. The error shows the method and the column to pass."""
    frame = pd.DataFrame({"where": [BAY]})
    ways = 'df.suburb.rent(column="...") or sp.rent(df["..."])'
    with pytest.raises(TypeError, match=rf"no column called suburb.*Nothing was sent.*: {re.escape(ways)}$"):
        sp.rent(frame.suburb)
    with pytest.raises(TypeError, match=r'df\.suburb\.resolve\(column="\.\.\."\) or sp\.resolve\(df\["\.\.\."\]\)$'):
        sp.resolve(frame.suburb)
    with pytest.raises(TypeError, match=r': sp\.revisions\(df\["\.\.\."\]\)$'):
        sp.revisions(frame.suburb)
    assert len(frame.suburb.rent(column="where"))
    assert sp.ledger()["area_name"].to_list() == [BAY]
