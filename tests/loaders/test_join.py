"""`df.suburb.join_rent` adds to each row the last rents known at its date, and leaves the caller's frame unchanged."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.recorded import body_of

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"


def sales(**columns):
    """Return a frame of three sales whose index is unordered and has a repeated label."""
    dates = pd.to_datetime(["2024-05-14", "2021-02-27", "2024-05-14"])
    return pd.DataFrame({"suburb": [BAY, HEIGHTS, WOYLIE], "date": dates, "price": [3, 1, 2]} | columns, [7, 3, 7])


def last_known(rents, kind, name, day, tolerance):
    """Return the date and value of a suburb's last point at or before a day, by a slow and simple method."""
    points = rents.loc[(rents["area_name"] == name) & (rents.index <= day), kind].dropna()
    if not len(points) or day - points.index[-1] > tolerance:
        return pd.NaT, np.nan
    return points.index[-1], points.iloc[-1]


@pytest.mark.parametrize(("tolerance", "lag"), [("31D", "0D"), ("3D", "0D"), ("31D", "6W"), (None, "0D")])
def test_each_row_has_the_last_point_known_at_its_date(embedded, tolerance, lag):
    """Each row has the last point of each property type at or before its date less the lag, within the tolerance."""
    names = [BAY, HEIGHTS, WOYLIE, "Gannet Steps", "Cider Gum", "Coolibah Track"]
    generator = np.random.default_rng(5)
    days = pd.Timestamp("2003-12-01") + pd.to_timedelta(generator.integers(0, 8300, 400), "D")
    suburbs = pd.Categorical(generator.choice(names, 400), categories=["Never", *reversed(names)])
    frame = pd.DataFrame({"suburb": suburbs, "date": days})
    joined, rents = frame.suburb.join_rent(tolerance=tolerance, lag=lag), sp.rent(names)
    oldest = pd.Timedelta(tolerance or "99999D")
    for row in joined.itertuples():
        expected = [
            last_known(rents, kind, row.suburb, row.date - pd.Timedelta(lag), oldest) for kind in ("house", "unit")
        ]
        np.testing.assert_equal([row.house_rent, row.unit_rent], [value for _, value in expected])
        dates = [date for date, _ in expected if date is not pd.NaT]
        assert row.rent_date == max(dates) if dates else row.rent_date is pd.NaT


def test_the_frame_stays_as_it_was(embedded):
    """A copy keeps index, order, columns and attrs, and gets three columns and the call. The frame is not changed."""
    frame = sales()
    frame.attrs |= {"mine": 1, "suburb_pandas": {"source": "live"}}
    before = frame.copy()
    joined = frame.suburb.join_rent()
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(joined[list(frame.columns)], before)
    assert joined.attrs == {"mine": 1, "suburb_pandas": {"source": "live", "joined": ['join_rent(on="date")']}}
    assert list(joined.columns[3:]) == ["house_rent", "unit_rent", "rent_date"]
    assert joined["rent_date"].dtype == sp.rent(BAY).index.dtype


@pytest.mark.parametrize("date", [dt.date(2024, 5, 14), pd.Timestamp("2024-05-14 23:59")])
def test_a_day_and_a_time_without_a_zone_count_alike(embedded, date):
    """Dates, and times without a zone, count by the calendar date that they show."""
    joined = sales(date=date).suburb.join_rent()
    assert joined["rent_date"].to_list() == [pd.Timestamp("2024-05-12")] * 3


def test_dates_in_the_index(embedded):
    """The date and the suburb may be index levels."""
    frame = sales().set_index(["suburb", "date"])
    joined = frame.suburb.join_rent()
    assert joined.index.equals(frame.index)
    assert joined["house_rent"].to_list() == sales().suburb.join_rent()["house_rent"].to_list()


def test_no_dates_at_all(embedded):
    """A column in which every date is missing counts as dates, whatever its dtype."""
    for missing in (None, np.nan, pd.NaT):
        assert sales(date=missing).suburb.join_rent()["rent_date"].isna().all()


def test_rows_without_a_name_or_a_date_have_no_rent(embedded):
    """Rows without a name or a date keep their place and get no rent. Missing names raise a warning."""
    frame = sales(suburb=[BAY, None, WOYLIE], date=pd.to_datetime(["2024-05-14", "2024-05-14", None]))
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 3"):
        joined = frame.suburb.join_rent()
    assert joined["house_rent"].notna().to_list() == [True, False, False]
    assert joined["rent_date"].notna().to_list() == [True, False, False]


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (sales(), {"on": "day"}, "No column or index level is called 'day'.*Nothing was sent; pass on="),
        (sales(date="2024-05-14"), {}, "holds other values than dates: '2024-05-14'. Nothing was sent"),
        (sales(rent_date=1), {}, "has 'rent_date' already"),
        (sales(), {"on": sales()["date"]}, "the label of a column.* not Series.*Nothing was sent"),
    ],
)
def test_mistakes_are_found_before_any_call(live, service, frame, options, message):
    """A frame or an option that cannot be used raises an error before anything is bought."""
    with pytest.raises(ValueError, match=message):
        frame.suburb.join_rent(**options)
    assert not service.requests


def test_retrieved_by_gives_what_was_known(live, service):
    """With `retrieved_by`, the join uses the rents that were stored by that time, not later revisions."""
    frame = sales()[:1]
    known = frame.suburb.join_rent()
    service.answer(BAY, "rent", body=body_of(BAY))
    with pytest.warns(sp.errors.DataWarning, match="revised"):
        assert frame.suburb.join_rent(refresh=True)["house_rent"].isna().all()
    first = sp.vintages(BAY)["retrieved_at"].iloc[0]
    pd.testing.assert_frame_equal(frame.suburb.join_rent(retrieved_by=first), known)
