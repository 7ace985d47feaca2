"""`df.suburb.join_places`, `join_impacts` and `join_scorecard` add the columns of each row's suburb to a copy."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suburb_pandas as sp

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
NOTHING, NO_IMPACTS = "Thorny Devil", "Perentie"
SOURCES = {"join_places": sp.places, "join_impacts": sp.impact_summary, "join_scorecard": sp.scorecard}
PAID = [name for name in SOURCES if name != "join_places"]

methods = pytest.mark.parametrize("method", SOURCES)
every_join = pytest.mark.parametrize("method", ["join_rent", *SOURCES])


def sales(**columns):
    """Return a frame of four sales whose index is unordered and has a repeated label."""
    names = pd.Series([WOYLIE, BAY, HEIGHTS, BAY], index=[7, 3, 7, 1])
    return pd.DataFrame({"suburb": names, "price": [3, 1, 2, 4]} | columns)


def join(frame, method, *given, **options):
    """Join, without the warnings about rows and suburbs that have no data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        return getattr(frame.suburb, method)(*given, **options)


def table_of(method, names):
    """Return the frame that is joined, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        return SOURCES[method](names)


def column_by_rows(table, column, names):
    """Return a joined column by a slow and simple method: a look-up for each row."""
    values = [table.loc[name, column] if isinstance(name, str) else np.nan for name in names]
    return pd.Series(values, dtype=table[column].dtype, name=column)


@st.composite
def frames(draw):
    """Draw frames of suburbs with and without data, and rows without a name, in any order and with any labels."""
    names = draw(st.lists(st.sampled_from([BAY, HEIGHTS, NOTHING, NO_IMPACTS, None, np.nan, pd.NA]), max_size=8))
    names += [BAY] if not any(isinstance(name, str) for name in names) else []
    labels = draw(st.lists(st.integers(0, 3), min_size=len(names), max_size=len(names)))
    index = draw(
        st.sampled_from([pd.Index, lambda given: pd.MultiIndex.from_arrays([given, given], names=["k", None])])
    )
    dtype = draw(st.sampled_from(["object", "category", "string"]))
    frame = pd.DataFrame({"x": range(len(names)), "suburb": pd.Series(names, dtype=dtype)}).set_axis(index(labels))
    frame.attrs["mine"] = draw(st.integers())
    return frame.set_index("suburb", append=True) if draw(st.booleans()) else frame


@methods
@pytest.mark.parametrize("examples", [8, pytest.param(200, marks=pytest.mark.long)])
def test_each_row_gets_the_values_of_its_suburb(embedded, method, examples, trial):
    """For any rows, the copy has the old frame unchanged, and in each new column the value and dtype of the source."""
    table = table_of(method, [BAY, HEIGHTS, NOTHING, NO_IMPACTS])

    @settings(max_examples=examples)
    @given(frames())
    def check(frame):
        before = frame.copy()
        joined = join(frame, method)
        pd.testing.assert_frame_equal(frame, before)
        pd.testing.assert_frame_equal(joined[list(frame.columns)], before)
        assert joined.attrs.items() >= before.attrs.items()
        assert list(joined.columns[len(frame.columns) :]) == list(table.columns)
        names = frame.reset_index()["suburb"]
        for column in table.columns:
            added = joined[column].reset_index(drop=True)
            pd.testing.assert_series_equal(added, column_by_rows(table, column, names))

    check()
    trial("random frames are joined", "each row has the values of its suburb; the old columns stay", frames=examples)


@methods
def test_chosen_columns_come_in_the_order_given(embedded, method):
    """`columns` is one name or a list of names, and `prefix` goes before each of them."""
    *_, first, last = SOURCES[method]([BAY]).columns
    assert list(join(sales(), method, last).columns) == ["suburb", "price", last]
    assert list(join(sales(), method, (last, first, last), "new_").columns)[2:] == [f"new_{last}", f"new_{first}"]


@every_join
def test_no_rows_get_the_usual_dtypes(embedded, method):
    frame = sales(date=pd.Timestamp("2024-05-14"))
    assert join(frame[:0], method).dtypes.to_list() == join(frame, method).dtypes.to_list()


@pytest.mark.filterwarnings("error")
@every_join
def test_columns_of_several_levels(embedded, method):
    """If the columns have several levels, so do the new ones."""
    frame = sales(date=pd.Timestamp("2024-05-14"))
    plain = getattr(frame.suburb, method)()
    frame.columns = pd.MultiIndex.from_product([frame.columns, [""]])
    joined = getattr(frame.suburb, method)(**({"on": ("date", "")} if method == "join_rent" else {}))
    assert list(joined.columns) == [(column, "") for column in plain.columns]
    pd.testing.assert_frame_equal(joined.set_axis(plain.columns, axis=1), plain)


@pytest.mark.filterwarnings("error")
@every_join
def test_a_geodataframe_stays_one(embedded, method):
    """A GeoDataFrame keeps its class, its active geometry and its CRS through every join."""
    geopandas = pytest.importorskip("geopandas")
    points = geopandas.points_from_xy([1, 2, 3, 4], [5, 6, 7, 8])
    frame = geopandas.GeoDataFrame(
        sales(date=pd.Timestamp("2024-05-14"), where=points), geometry="where", crs="EPSG:7844"
    )
    joined = getattr(frame.suburb, method)()
    assert type(joined) is geopandas.GeoDataFrame
    assert (joined.geometry.name, joined.crs) == ("where", "EPSG:7844")
    assert joined.geometry.geom_equals(frame.geometry).all()


@pytest.mark.parametrize("method", PAID)
def test_each_suburb_is_bought_once(live, service, method):
    """Each suburb is bought once, however many rows it has, and a second join buys nothing."""
    frame = pd.concat([sales()] * 50)
    getattr(frame.suburb, method)()
    endpoints = ["impacts"] if method == "join_impacts" else ["rent", "impacts"]
    assert service.served == {(endpoint, name): 1 for endpoint in endpoints for name in (BAY, HEIGHTS, WOYLIE)}
    getattr(frame.suburb, method)("n_sales")
    assert len(service.requests) == 3 * len(endpoints)


def test_places_are_free(live, service):
    """To join places makes no call, with a list that has the areas."""
    names = pd.DataFrame({"SAL_NAME_2021": [BAY, HEIGHTS], "LGA_NAME_2021": ["One", "Other"]})
    sp.load_gazetteer(names)
    assert sales().suburb.join_places("lga")["lga"].fillna("").to_list() == ["", "One", "Other", "One"]
    assert service.requests == ()


# Refusals


@methods
def test_a_column_that_exists_is_refused_with_the_option_that_keeps_both(live, service, method):
    """A clash raises ValueError before any call, names the columns, and says to pass a prefix."""
    first, second, *_ = SOURCES[method]([]).columns
    df = sales(**{first: 5, second: 6})
    message = f"^The frame has '{first}', '{second}' already, and nothing was sent.*as in prefix='new_'.$"
    with pytest.raises(ValueError, match=message):
        getattr(df.suburb, method)()
    assert service.requests == ()
    joined = join(df, method, prefix="new_")
    pd.testing.assert_frame_equal(joined[list(df.columns)], df)
    assert {f"new_{first}", f"new_{second}"} < {*joined.columns}


@pytest.mark.parametrize(
    ("columns", "shown"),
    [("suburb", r"\['suburb'\]"), (["house_rent_", 3], r"\['house_rent_', 3\]"), ([], r"\[\]")],
)
@methods
def test_unknown_columns_are_refused_before_any_call(live, service, method, columns, shown):
    """The error names the columns that can be joined. Nothing is sent."""
    with pytest.raises(ValueError, match=f"not {shown}. Nothing was sent.*column=") as caught:
        getattr(sales().suburb, method)(columns)
    assert all(column in str(caught.value) for column in SOURCES[method]([]).columns)
    assert service.requests == ()


@pytest.mark.filterwarnings("ignore:.* no row in prices")
def test_a_scorecard_has_yields_only_with_prices(live, service):
    """The gross yields exist only if `prices` are given; without them their names are unknown, before any call."""
    with pytest.raises(ValueError, match="columns must name some of"):
        sales().suburb.join_scorecard("house_gross_yield_pct")
    assert service.requests == ()
    prices = pd.DataFrame({"house_price": [800_000.0]}, index=[BAY])
    joined = sales().suburb.join_scorecard("house_gross_yield_pct", prices=prices, at="2026-03-31")
    card = sp.scorecard([BAY], prices=prices, at="2026-03-31")
    expected = card.loc[BAY, "house_gross_yield_pct"]
    np.testing.assert_equal(joined["house_gross_yield_pct"].to_list(), [np.nan, expected, np.nan, expected])


# Failures


def test_what_failed_leaves_rows_without_values(live, service):
    """Rows of failed suburbs have no values. The error carries the joined frame, and ``errors="warn"`` returns it."""
    frame = sales(suburb=[BAY, "Nowhere at All", WOYLIE, BAY])
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        frame.suburb.join_impacts(prefix="i_")
    assert caught.value.frame["i_n_sales"].notna().to_list() == [True, False, True, True]
    assert list(caught.value.failures) == ["Nowhere at All"]
    with pytest.warns(sp.SuburbWarning, match="Nowhere at All"):
        joined = frame.suburb.join_impacts(prefix="i_", errors="warn")
    pd.testing.assert_frame_equal(joined, caught.value.frame)
    with pytest.warns(sp.SuburbWarning, match="Nowhere at All"):
        assert frame.suburb.join_scorecard("status")["status"].to_list() == ["ok", "UnknownSuburb", "ok", "ok"]


@pytest.mark.parametrize("method", PAID)
def test_a_request_that_is_refused_carries_all_rows(live, service, method):
    """An error that ends the request carries the user's rows, joined with what was stored before."""
    SOURCES[method]([BAY])
    n_before = len(service.requests)
    for options, error in (({"max_cents": 1}, sp.errors.CapExceeded), ({"offline": True}, sp.errors.NotStored)):
        with pytest.raises(error) as caught:
            getattr(sales().suburb, method)(prefix="p_", **options)
        pd.testing.assert_frame_equal(caught.value.frame[["suburb", "price"]], sales())
        assert caught.value.frame["p_n_sales"].notna().to_list() == [False, True, False, True]
    assert len(service.requests) == n_before
