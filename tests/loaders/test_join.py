"""Joins: `join_rent` adds the last rents known at the date of each row, the others the columns of its suburb."""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suburb_pandas as sp

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
NAMES = [BAY, HEIGHTS, "Thorny Devil", "Perentie"]  # the last two have no impacts, and the last but one no rents
SOURCES = {"join_places": sp.places, "join_impacts": sp.impact_summary, "join_scorecard": sp.scorecard}

methods = pytest.mark.parametrize("method", SOURCES)


def sales(**columns):
    """Return a frame of four sales whose index is unordered and has a repeated label."""
    dates = pd.to_datetime(["2024-05-14", "2021-02-27", "2024-05-14", "2024-05-13"])
    return pd.DataFrame({"suburb": [WOYLIE, BAY, HEIGHTS, BAY], "date": dates} | columns, [7, 3, 7, 1])


def quietly(function, *given, **options):
    """Call a function, without the warnings about rows and suburbs that have no data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        return function(*given, **options)


# Rents by date


@pytest.mark.parametrize(("tolerance", "lag"), [("31D", "0D"), ("3D", "6W"), (None, "0D")])
def test_each_row_has_the_last_point_known_at_its_date(embedded, tolerance, lag):
    """Each row has the last point of each property type at or before its date less the lag, within the tolerance.

    So it has with ``pd.merge_asof`` on sorted rows. The date is the later one of the two.
    """
    names = [BAY, HEIGHTS, WOYLIE, "Gannet Steps", "Cider Gum", "Coolibah Track"]
    generator = np.random.default_rng(5)
    days = pd.Timestamp("2003-12-01") + pd.to_timedelta(generator.integers(0, 8300, 400), "D")
    frame = pd.DataFrame({"suburb": generator.choice(names, 400), "date": days}).astype({"suburb": "str"})
    rents = sp.rent(names).astype({"area_name": "str"}).sort_index().reset_index().assign(at=lambda long: long["date"])
    earlier = frame.assign(date=frame["date"] - pd.Timedelta(lag)).sort_values("date")
    last = {
        kind: pd.merge_asof(
            *(earlier.reset_index(), rents.dropna(subset=kind)),
            on="date",
            left_by="suburb",
            right_by="area_name",
            tolerance=tolerance and pd.Timedelta(tolerance),
        ).set_index("index")
        for kind in ("house", "unit")
    }
    expected = frame.assign(
        house_rent=last["house"]["house"],
        unit_rent=last["unit"]["unit"],
        rent_date=np.fmax(last["house"]["at"], last["unit"]["at"]),
    )
    joined = frame.suburb.join_rent(tolerance=tolerance, lag=lag)
    pd.testing.assert_frame_equal(joined, expected)


def test_the_frame_stays_as_it_was(embedded):
    """A copy keeps index, order, columns and attrs, and gets three columns and the call. The frame is not changed."""
    frame = sales()
    frame.attrs |= {"mine": 1, "suburb_pandas": {"source": "live"}}
    before = frame.copy()
    joined = frame.suburb.join_rent()
    pd.testing.assert_frame_equal(frame, before)
    assert joined.attrs == {"mine": 1, "suburb_pandas": {"source": "live", "joined": ['join_rent(on="date")']}}
    rents = [joined.pop(name) for name in ("house_rent", "unit_rent", "rent_date")]
    pd.testing.assert_frame_equal(joined, before)
    assert rents[2].dtype == sp.rent(BAY).index.dtype


@pytest.mark.parametrize(
    ("date", "last"),
    [
        (dt.date(2024, 5, 14), "2024-05-12"),
        (pd.Timestamp("2024-05-14 23:59"), "2024-05-12"),
        (None, "NaT"),
    ],
)
def test_dates_of_any_kind(embedded, date, last):
    """Dates, and times without a zone, count by the calendar date that they show. They may be an index level.

    A column in which every date is missing counts as dates, whatever its dtype.
    """
    frame = sales(date=date).set_index(["suburb", "date"])
    joined = frame.suburb.join_rent()
    assert joined.index.equals(frame.index)
    assert {str(day)[:10] for day in joined["rent_date"]} == {last}


def test_rows_without_a_name_or_a_date_have_no_rent(embedded):
    """Rows without a name or a date keep their place and get no rent. Missing names raise a warning."""
    frame = sales(suburb=[BAY, None, WOYLIE, BAY], date=pd.to_datetime([*["2024-05-14"] * 2, None, None]))
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 4"):
        joined = frame.suburb.join_rent(tolerance=None)
    for column in ("house_rent", "rent_date"):
        assert joined[column].notna().to_list() == [True, False, False, False]


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (sales(), {"on": "day"}, "No column or index level is called 'day'.*Nothing was sent; pass on="),
        (sales(date="2024-05-14"), {}, "holds other values than dates: '2024-05-14'. Nothing was sent. Convert"),
        (sales(date="2024-05-14").set_index("date"), {}, r"Use df = df.reset_index\('date'\)"),
        (sales(rent_date=1, unit_rent=2, house_rent=3), {}, "has 'house_rent', 'unit_rent', 'rent_date' already"),
    ],
)
def test_mistakes_are_found_before_any_call(live, service, frame, options, message):
    """A frame or an option that cannot be used raises an error before anything is bought."""
    with pytest.raises(ValueError, match=message):
        frame.suburb.join_rent(**options)
    assert not service.requests


def test_retrieved_by_gives_what_was_known(live, service):
    """With `retrieved_by`, the join uses the rents that were stored by that time, and buys none."""
    frame = sales()
    with pytest.raises(sp.errors.NotStored, match="retrieved by 2026-01-01") as caught:
        frame.suburb.join_rent(retrieved_by="2026-01-01")
    pd.testing.assert_frame_equal(caught.value.frame[[*frame]], frame)
    assert not service.requests


# Columns by suburb


@st.composite
def frames(draw):
    """Draw frames of suburbs with and without data, and rows without a name, in any order and with any labels."""
    names = draw(st.lists(st.sampled_from([*NAMES, None, np.nan, pd.NA]), max_size=8))
    names += [BAY] if names and not any(isinstance(name, str) for name in names) else []
    labels = draw(st.lists(st.integers(0, 3), min_size=len(names), max_size=len(names)))
    dtype = draw(st.sampled_from(["object", "category", "string"]))
    frame = pd.DataFrame({"x": range(len(names)), "suburb": pd.Series(names, dtype=dtype)}).set_axis(labels)
    frame.attrs["mine"] = 1
    return frame.set_index("suburb", append=True) if draw(st.booleans()) else frame


@methods
@pytest.mark.parametrize("examples", [8, pytest.param(200, marks=pytest.mark.long)])
def test_each_row_gets_the_values_of_its_suburb(embedded, method, examples, trial):
    """For any rows, the copy has the old frame unchanged, and in each new column the value and dtype of the source."""
    table = quietly(SOURCES[method], NAMES)

    @settings(max_examples=examples)
    @given(frames())
    def check(frame):
        before = frame.copy()
        joined = quietly(getattr(frame.suburb, method))
        pd.testing.assert_frame_equal(frame, before)
        assert joined.attrs.items() >= before.attrs.items()
        names = frame.reset_index()["suburb"]
        expected = before.copy()
        for column, values in table.items():
            found = [values[name] if isinstance(name, str) else np.nan for name in names]
            expected[column] = pd.array(found, values.dtype)
        pd.testing.assert_frame_equal(joined, expected)

    check()
    trial("random frames are joined", "each row has the values of its suburb; the old columns stay", frames=examples)


@methods
def test_chosen_columns_come_in_the_order_given(embedded, method):
    """`columns` is one name or a list of names, and `prefix` goes before each of them."""
    *_, first, last = SOURCES[method]([]).columns
    join = getattr(sales().suburb, method)
    assert list(join(last)) == ["suburb", "date", last]
    assert list(join((last, first, last), "new_")) == ["suburb", "date", f"new_{last}", f"new_{first}"]


@pytest.mark.filterwarnings("error")
def test_columns_of_several_levels(embedded):
    """If the columns have several levels, so do the new ones. Without rows, they have their usual dtypes."""
    frame = sales()
    plain = frame.suburb.join_rent()
    pd.testing.assert_frame_equal(frame[:0].suburb.join_rent(), plain[:0])
    frame, plain = (each.set_axis(pd.MultiIndex.from_product([each.columns, [""]]), axis=1) for each in (frame, plain))
    pd.testing.assert_frame_equal(frame.suburb.join_rent(("date", "")), plain)


@pytest.mark.filterwarnings("error")
def test_a_geodataframe_stays_one(embedded):
    """A GeoDataFrame keeps its class, its active geometry and its CRS."""
    geopandas = pytest.importorskip("geopandas")
    points = geopandas.points_from_xy([1, 2, 3, 4], [5, 6, 7, 8])
    frame = geopandas.GeoDataFrame(sales(where=points), geometry="where", crs="EPSG:7844")
    joined = frame.suburb.join_impacts()
    assert (type(joined), joined.crs) == (type(frame), frame.crs)
    assert joined.geometry.geom_equals(frame.geometry).all()


# Refusals


@methods
def test_a_column_that_exists_is_refused_with_the_option_that_keeps_both(live, service, method):
    """A clash raises ValueError before any call, names the columns, and says to pass a prefix."""
    first, second, *_ = SOURCES[method]([]).columns
    message = f"^The frame has '{first}', '{second}' already, and nothing was sent.*as in prefix='new_'.$"
    with pytest.raises(ValueError, match=message):
        getattr(sales(**{first: 5, second: 6}).suburb, method)()
    assert service.requests == ()


@pytest.mark.parametrize(
    ("columns", "shown"),
    [("suburb", r"\['suburb'\]"), (["n_sales", 3], r"\[3\]"), ([], r"\[\]")],
)
def test_unknown_columns_are_refused_before_any_call(live, service, columns, shown):
    """The error names the columns that can be joined. Nothing is sent."""
    known = "n_sales, median_price, total_premium, n_drivers, sum_drivers"
    with pytest.raises(ValueError, match=f"^columns must name some of {known}, not {shown}. Nothing was sent.*column="):
        sales().suburb.join_impacts(columns)
    assert service.requests == ()


@pytest.mark.filterwarnings("ignore:.* no row in prices")
def test_a_scorecard_has_yields_only_with_prices(live, service):
    """The gross yields exist only if `prices` are given; without them their names are unknown, before any call."""
    with pytest.raises(ValueError, match="columns must name some of"):
        sales().suburb.join_scorecard("house_gross_yield_pct")
    assert service.requests == ()
    prices = pd.DataFrame({"house_price": [800_000.0]}, [BAY])
    joined = sales().suburb.join_scorecard("house_gross_yield_pct", prices=prices)
    assert joined["house_gross_yield_pct"].notna().to_list() == [False, True, False, True]


# Failures


def test_what_failed_leaves_rows_without_values(live, service):
    """Rows of failed suburbs have no values. The error carries the joined frame, and ``errors="warn"`` returns it.

    Each suburb is bought once, however many rows it has.
    """
    frame = sales(suburb=[BAY, "Nowhere at All", WOYLIE, BAY])
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        frame.suburb.join_impacts("n_sales", prefix="i_")
    assert caught.value.frame["i_n_sales"].notna().to_list() == [True, False, True, True]
    with pytest.warns(sp.SuburbWarning, match="Nowhere at All"):
        joined = frame.suburb.join_impacts("n_sales", prefix="i_", errors="warn")
    pd.testing.assert_frame_equal(joined, caught.value.frame)
    assert joined.attrs == caught.value.frame.attrs
    assert joined.attrs["suburb_pandas"]["joined"] == ['join_impacts(columns=["n_sales"], prefix="i_")']
    assert service.served["impacts", BAY] == 1


@pytest.mark.parametrize("method", ["join_impacts", "join_scorecard"])
def test_a_request_that_is_refused_carries_all_rows(live, service, method):
    """An error that ends the request carries the user's rows, joined with what was stored before."""
    sp.impacts(BAY)
    with pytest.raises(sp.errors.CapExceeded) as caught:
        getattr(sales().suburb, method)(prefix="p_", max_cents=1)
    pd.testing.assert_frame_equal(caught.value.frame[["suburb", "date"]], sales())
    assert caught.value.frame["p_n_sales"].notna().to_list() == [False, True, False, True]
    assert len(service.requests) == 1
