"""`df.suburb.join_rent`: for each row the last point known at its date, and the caller's frame as it was."""

import datetime as dt
import json

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"


def sales(**columns):
    """Give a frame of three sales, labelled and ordered as somebody's own."""
    dates = pd.to_datetime(["2024-05-14", "2021-02-27", "2024-05-14"])
    return pd.DataFrame({"suburb": [BAY, HEIGHTS, WOYLIE], "date": dates, "price": [3, 1, 2]} | columns, [7, 3, 7])


def last_known(rents, kind, name, day, tolerance):
    """Give the date and the value of a suburb's last point at or before a day, the slow way."""
    points = rents.loc[(rents["area_name"] == name) & (rents.index <= day), kind].dropna()
    if not len(points) or day - points.index[-1] > tolerance:
        return pd.NaT, np.nan
    return points.index[-1], points.iloc[-1]


@pytest.mark.parametrize(("tolerance", "lag"), [("31D", "0D"), ("3D", "0D"), ("31D", "6W"), (None, "0D")])
def test_each_row_has_the_last_point_known_at_its_date(embedded, tolerance, lag):
    """On any dates: as-of for houses and units each on their own, at most so old, less the lag."""
    names = [BAY, HEIGHTS, WOYLIE, "Gannet Steps", "Cider Gum"]
    generator = np.random.default_rng(5)
    days = pd.Timestamp("2003-12-01") + pd.to_timedelta(generator.integers(0, 8300, 400), "D")
    frame = pd.DataFrame({"suburb": generator.choice(names, 400), "date": days})
    joined, rents = frame.suburb.join_rent(tolerance=tolerance, lag=lag), sp.rent(names)
    oldest = pd.Timedelta(tolerance or "99999D")
    for row in joined.itertuples():
        found = [
            last_known(rents, kind, row.suburb, row.date - pd.Timedelta(lag), oldest) for kind in ("house", "unit")
        ]
        np.testing.assert_equal([row.house_rent, row.unit_rent], [value for _, value in found])
        dates = [date for date, _ in found if date is not pd.NaT]
        assert row.rent_date == max(dates) if dates else row.rent_date is pd.NaT


def test_the_frame_stays_as_it_was(embedded):
    """Index, order, columns and attrs are the caller's, its own frame is not touched, and three columns are new."""
    frame = sales()
    frame.attrs["mine"] = 1
    before = frame.copy()
    joined = frame.suburb.join_rent()
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(joined[list(frame.columns)], before)
    assert joined.attrs == {"mine": 1}
    assert list(joined.columns[3:]) == ["house_rent", "unit_rent", "rent_date"]
    assert joined["rent_date"].dtype == sp.rent(BAY).index.dtype


def test_each_suburb_is_bought_once(live, service):
    """As many rows as there may be, a suburb is one call of rent."""
    frame = pd.concat([sales()] * 50)
    frame.suburb.join_rent()
    assert service.served == {("rent", name): 1 for name in (BAY, HEIGHTS, WOYLIE)}


@pytest.mark.parametrize(
    "dates",
    [
        [dt.date(2024, 5, 14)] * 3,
        [pd.Timestamp("2024-05-14 23:59").to_pydatetime()] * 3,
        pd.DatetimeIndex(["2024-05-14 23:30"] * 3, tz="Australia/Sydney"),
        pd.DatetimeIndex(["2024-05-14"] * 3).as_unit("s"),
        np.array(["2024-05-14"] * 3, dtype="M8[ns]"),
    ],
)
def test_dates_of_every_kind(embedded, dates):
    """Dates, times and times with a zone count by the date that they show."""
    joined = sales(date=dates).suburb.join_rent()
    assert joined["rent_date"].to_list() == [pd.Timestamp("2024-05-12")] * 3


def test_dates_in_the_index(embedded):
    """`on` may name an index level; the suburb may be another."""
    frame = sales().set_index(["suburb", "date"])
    joined = frame.suburb.join_rent()
    assert joined.index.equals(frame.index)
    assert joined["house_rent"].to_list() == sales().suburb.join_rent()["house_rent"].to_list()


@pytest.mark.filterwarnings("error")
def test_columns_of_several_levels(embedded):
    """New columns get as many levels as the others have."""
    frame = sales()
    frame.columns = pd.MultiIndex.from_tuples([("suburb", ""), ("date", ""), ("price", "AUD")])
    joined = frame.suburb.join_rent(on=("date", ""))
    assert list(joined.columns[3:]) == [("house_rent", ""), ("unit_rent", ""), ("rent_date", "")]
    assert joined["house_rent"].to_list() == sales().suburb.join_rent()["house_rent"].to_list()


def test_no_dates_at_all(embedded):
    """Dates that are all missing are dates, whatever their dtype."""
    for missing in (None, np.nan, pd.NaT):
        assert sales(date=missing).suburb.join_rent()["rent_date"].isna().all()


def test_rows_without_a_name_or_a_date_have_no_rent(embedded):
    """They are warned of where the name is missing, and stay where they were."""
    frame = sales(suburb=[BAY, None, WOYLIE], date=pd.to_datetime(["2024-05-14", "2024-05-14", None]))
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 3"):
        joined = frame.suburb.join_rent()
    assert joined["house_rent"].notna().to_list() == [True, False, False]
    assert joined["rent_date"].notna().to_list() == [True, False, False]


def test_names_of_every_kind(embedded):
    """A categorical with unused categories is as good as text."""
    frame = sales()
    expected = frame.suburb.join_rent()
    names = pd.Categorical(frame["suburb"], categories=["Never", WOYLIE, BAY, HEIGHTS])
    found = frame.assign(suburb=names).suburb.join_rent()
    pd.testing.assert_frame_equal(found.drop(columns="suburb"), expected.drop(columns="suburb"))


def test_no_rows_are_no_rows(embedded):
    """An empty frame gets the columns."""
    joined = sales()[:0].suburb.join_rent()
    assert joined.dtypes.to_list() == sales().suburb.join_rent().dtypes.to_list()
    assert len(joined) == 0


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (sales(), {"on": "day"}, "No column or index level is called 'day'.*on= names the one.*Nothing was sent"),
        (sales(date="2024-05-14"), {}, "holds string, not dates"),
        (sales(date=20240514), {}, "holds integer, not dates"),
        (sales(rent_date=1), {}, "has 'rent_date' already"),
        (sales(), {"lag": "-1D"}, "lag is a number of days or weeks"),
        (sales(), {"tolerance": "1M"}, "tolerance is a number of days or weeks"),
        (pd.concat([sales(), sales()[["date"]]], axis=1), {}, "Several columns or index levels are called 'date'"),
    ],
)
def test_mistakes_are_found_before_any_call(live, service, frame, options, message):
    """What cannot be joined is not bought."""
    with pytest.raises(ValueError, match=message):
        frame.suburb.join_rent(**options)
    assert not service.requests


def test_what_failed_leaves_rows_without_rents(live, service):
    """The error carries the joined frame; with errors="warn" it is given."""
    frame = sales(suburb=[BAY, "Nowhere at All", WOYLIE])
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        frame.suburb.join_rent()
    assert caught.value.frame["house_rent"].notna().to_list() == [True, False, True]
    with pytest.warns(sp.SuburbWarning, match="Nowhere at All"):
        joined = frame.suburb.join_rent(errors="warn")
    pd.testing.assert_frame_equal(joined, caught.value.frame)


def test_retrieved_by_gives_what_was_known(live, service):
    """A rent that was revised later is the one that had been retrieved by then."""
    frame = sales()[:1]
    known = frame.suburb.join_rent()
    points = [{"date": "2024-05-12", "value": 1.0}]
    revised = {"data": {"area_name": BAY, "area_level": "suburb", "house": points, "unit": points}}
    service.answer(BAY, "rent", body=json.dumps(revised).encode())
    assert frame.suburb.join_rent(refresh=True)["house_rent"].to_list() == [1.0]
    with pytest.raises(sp.errors.NotStored):
        frame.suburb.join_rent(retrieved_by="2020-01-01")
    first = sp.vintages(BAY)["retrieved_at"].iloc[0]
    pd.testing.assert_frame_equal(frame.suburb.join_rent(retrieved_by=first), known)
