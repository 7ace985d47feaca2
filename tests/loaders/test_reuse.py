"""What is stored and what will do of it: refresh, age, time, offline; and what can be told of it afterwards."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.loaders import options
from suburb_pandas.service import calls
from tests.support.common import LIVE_KEY, of_this_call

NAMES = ["Quokka Bay", "Bilby Heights", "Mangrove Steps"]
NAME = NAMES[0]
NOW = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


@pytest.fixture
def clock(monkeypatch):
    """Give a function that sets the clock to so many days from a certain day."""

    def set_to(days):
        monkeypatch.setattr(calls, "clock", lambda: NOW + dt.timedelta(days=days))

    set_to(0)
    return set_to


def test_max_age_buys_again_only_what_is_older(live, service, clock):
    """Of three suburbs, those older than that are bought again; the others are not."""
    sp.rent(NAMES[:2])
    clock(20)
    sp.rent(NAMES[2])
    clock(35)
    assert sp.quote(NAMES, max_age="30D").cents == 60
    sp.rent(NAMES, max_age="30D")
    assert len(service.requests) == 5
    sp.rent(NAMES, max_age=pd.Timedelta(days=30))
    assert len(service.requests) == 5


def test_what_is_stale_is_used_with_one_warning(live, service, clock):
    """Beyond 30 days the age and the price of a refresh are told, once for a request; with max_age nobody asks."""
    sp.rent(NAMES)
    clock(45)
    with pytest.warns(
        sp.errors.StaleDataWarning, match=r'oldest 45, .*3 stored responses, of .* 90 cents: max_age="30D"'
    ) as caught:
        sp.rent(NAMES)
    assert len(of_this_call(caught)) == 1
    sp.rent(NAMES, max_age="60D")
    sp.rent(NAMES, offline=True)
    sp.rent(NAMES, retrieved_by="2026-12-31")
    assert len(service.requests) == 3


def test_made_up_data_do_not_age(embedded, clock):
    """The embedded sandbox's data are those of a version, not of a day."""
    sp.rent(NAMES)
    clock(400)
    assert len(sp.rent(NAMES))


def test_a_clock_that_is_set_back_makes_nothing_older(live, service, clock):
    """What was retrieved in what is now the future is as fresh as can be, and the budget still counts it."""
    sp.rent(NAME)
    clock(-40)
    assert len(sp.rent(NAME, max_age="1D"))
    assert live.store.spent() == 30
    sp.rent(NAME, refresh=True)
    clock(0)
    assert len(sp.rent(NAME, max_age="1D")), "the newest is what came last, whatever its date"


def test_offline_gives_what_is_stored_and_one_error_for_the_rest(live, service):
    """NotStored lists what is missing, with its price; the frame has the rest."""
    sp.rent(NAME)
    assert len(sp.rent(NAME, offline=True))
    with pytest.raises(
        sp.errors.NotStored, match=r"2 suburbs .*'Bilby Heights', 'Mangrove Steps'.* for 60 cents"
    ) as caught:
        sp.rent(NAMES, offline=True)
    assert caught.value.quote.cents == 60
    assert caught.value.frame["area_name"].unique().tolist() == [NAME]
    with pytest.warns(sp.SuburbWarning, match="2 suburbs"):
        assert set(sp.rent(NAMES, offline=True, errors="warn")["area_name"]) == {NAME}
    with pytest.raises(sp.errors.NotStored):
        sp.impacts(NAME, offline=True)
    assert len(service.requests) == 1


def test_retrieved_by_gives_the_newest_response_of_that_time(live, service, clock):
    """A vintage can be asked for by a time, and is never bought."""
    sp.rent(NAME)
    clock(10)
    service.answer(NAME, "rent", body=b'{"data": {"area_name": "Quokka Bay", "area_level": "suburb"}}')
    assert sp.rent(NAME, refresh=True).empty
    assert len(sp.rent(NAME, retrieved_by="2026-11-30"))
    assert sp.rent(NAME, retrieved_by="2026-12-01").empty
    with pytest.raises(sp.errors.NotStored, match=r"1 suburb .*nothing had come by 2026-11-20 23:59 UTC"):
        sp.rent(NAME, retrieved_by=dt.date(2026, 11, 20))
    with pytest.raises(sp.errors.NotStored):
        sp.rent(NAMES, retrieved_by="2026-12-01")
    assert len(service.requests) == 2


@pytest.mark.parametrize(("by", "moment"), [
    ("2026-06-30", "2026-06-30T23:59:59.999999+00:00"),
    ("2026-06", "2026-06-30T23:59:59.999999+00:00"),
    (dt.date(2026, 6, 30), "2026-06-30T23:59:59.999999+00:00"),
    (np.datetime64("2026-06-30"), "2026-06-30T23:59:59.999999+00:00"),
    ("2026-06-30 12:00", "2026-06-30T12:00:00.000000+00:00"),
    (dt.datetime(2026, 6, 30), "2026-06-30T00:00:00.000000+00:00"),  # noqa: DTZ001 - naive is what it is about
    ("2026-06-30T12:00+10:00", "2026-06-30T02:00:00.000000+00:00"),
    (pd.Timestamp("2026-06-30 12:00", tz="Australia/Sydney"), "2026-06-30T02:00:00.000000+00:00"),
])  # fmt: skip
def test_a_time_is_utc_and_a_bare_date_the_end_of_its_day(by, moment):
    """However it is written."""
    assert options.read_reuse(retrieved_by=by).by == moment


@pytest.mark.parametrize("given", [
    {"retrieved_by": "2026-06-30", "refresh": True},
    {"retrieved_by": "2026-06-30", "max_age": "1D"},
    {"retrieved_by": "yesterday or so"},
    {"retrieved_by": pd.NaT},
    {"retrieved_by": "05/12/2026"},
    {"retrieved_by": 2026},
    {"max_age": 30},
    {"max_age": "30"},
    {"max_age": np.int64(30)},
    {"max_age": np.timedelta64(30)},
    {"max_age": "-1D"},
    {"max_age": "a month"},
    {"offline": True, "refresh": True},
])  # fmt: skip
def test_what_makes_no_sense_is_said_before_anything_is_sent(live, service, given):
    """Options that contradict one another, or are no time at all."""
    with pytest.raises(ValueError, match=r"retrieved_by|max_age|offline"):
        sp.rent(NAME, **given)
    assert service.requests == ()


def test_vintages_lists_every_stored_response(live, service, clock):
    """One row a response, oldest first, with its points; what is broken or without data is among them."""
    for days, body in enumerate([None, b'{"data": null}', b"<html>"]):
        clock(days)
        if body:
            service.answer(NAME, "rent", body=body, times=1)
        try:
            sp.rent(NAME, refresh=True)
        except sp.SuburbError:
            continue
    found = sp.vintages(NAME)
    assert found.dtypes.astype("str").to_dict() == {
        "retrieved_at": "datetime64[us, UTC]",
        "cents": "int64",
        "sha256": pd.Series([""], dtype="str").dtype.name,
        "n_points": "Int64",
    }
    assert (found["retrieved_at"] == [NOW + dt.timedelta(days=days) for days in range(3)]).all()
    assert found["n_points"].tolist() == [481, 0, pd.NA]
    assert found["cents"].tolist() == [30, 30, 30]
    assert sp.vintages(NAME, "impacts").empty
    with pytest.raises(ValueError, match="endpoint"):
        sp.vintages(NAME, "rents")


def test_the_provenance_of_what_a_loader_gave(live, service):
    """One row a suburb, also one without data; free where it was stored before."""
    sp.rent(NAME)
    with pytest.warns(sp.errors.NoDataWarning):
        frame = sp.rent([NAME, "Thorny Devil"])
    found = sp.provenance(frame)
    assert found.index.tolist() == [NAME, "Thorny Devil"]
    assert found.columns.tolist() == ["retrieved_at", "source", "cents", "sha256", "request_id"]
    assert found["cents"].tolist() == [30, 30]
    assert found["request_id"].tolist() == sp.ledger()["request_id"].tolist()
    assert set(found["source"]) == {"live"}


@pytest.mark.parametrize("part", [
    lambda: sp.rent(NAMES).query("house > 0"),
    lambda: sp.rent(NAMES).copy(),
    lambda: sp.rent(NAMES, layout="wide"),
    lambda: sp.rent(NAMES, layout="wide")["house"].tail(3),
    lambda: pd.concat([sp.rent(NAMES[:1] * 2), sp.rent(NAMES[1:])]),
    lambda: sp.impact_summary(NAMES)[["n_sales"]],
    lambda: sp.impacts(NAMES).head(400),
    lambda: sp.rent(NAMES).set_index("area_name", append=True),
])  # fmt: skip
def test_the_provenance_of_a_part_goes_by_name(live, part):
    """What this process served of each suburb, as long as that is one response."""
    assert sorted(sp.provenance(part()).index) == sorted(NAMES)


def test_a_part_of_which_several_vintages_were_served_is_not_guessed(live):
    """Of the frames themselves it is known which is which; of parts of them it is not, and that is said."""
    old, new = sp.rent(NAMES[:2]), sp.rent(NAMES[:2], refresh=True)
    assert (sp.provenance(old)["retrieved_at"] < sp.provenance(new)["retrieved_at"]).all()
    with pytest.raises(sp.SuburbError, match=r"cannot be known.*several vintages of 'Bilby Heights'"):
        sp.provenance(new.tail(200))
    with pytest.raises(sp.SuburbError, match="nothing in it is called area_name"):
        sp.provenance(new.rename(columns={"area_name": "place"}))
    with pytest.raises(TypeError, match="not Series"):
        sp.provenance(new["house"])


def test_a_single_suburbs_frame_says_itself_where_it_came_from(live, service):
    """By its digest and time, in another process too, as long as the store is the one it was loaded from."""
    old, _ = sp.rent(NAME), sp.rent(NAME, refresh=True)
    (row,) = sp.provenance(old.tail(3)).itertuples()
    assert row.request_id == sp.ledger()["request_id"][0]
    elsewhere = old.tail(3)
    elsewhere.attrs["suburb_pandas"]["sha256"] = "another"
    with pytest.raises(sp.SuburbError, match="not in the store"):
        sp.provenance(elsewhere)
    with pytest.raises(sp.SuburbError, match="does not say"):
        sp.provenance(pd.DataFrame({"area_name": [NAME]}))


def test_a_client_says_what_it_spent(service, tmp_path):
    """Cents of this session and of the store's month; asking makes no store."""
    options = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "s"}
    with sp.Client(**options) as client:
        assert "spent 0 cents this session, 0 this month" in repr(client)
        assert not (tmp_path / "s").exists()
        sp.rent(NAMES, client=client)
        sp.rent(NAMES, client=client)
        assert "spent 90 cents this session, 90 this month" in repr(client)
    with sp.Client(**options) as client:
        sp.impacts(NAME, client=client)
        assert "spent 10 cents this session, 100 this month" in repr(client)
    (tmp_path / "s").write_bytes(b"")
    assert "this month" not in repr(sp.Client(**options))
