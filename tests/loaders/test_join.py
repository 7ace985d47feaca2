"""Joins: `join_rent` adds the last rents known at the date of each row, the others the columns of its suburb."""

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


@pytest.mark.filterwarnings("error")
def test_a_geodataframe_stays_one(embedded):
    """A GeoDataFrame keeps its class, its active geometry and its CRS."""
    geopandas = pytest.importorskip("geopandas")
    points = geopandas.points_from_xy([1, 2, 3, 4], [5, 6, 7, 8])
    frame = geopandas.GeoDataFrame(sales(where=points), geometry="where", crs="EPSG:7844")
    joined = frame.suburb.join_impacts()
    assert (type(joined), joined.crs) == (type(frame), frame.crs)
    assert joined.geometry.geom_equals(frame.geometry).all()


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
