"""Reuse of stored responses (refresh, max_age, retrieved_by, offline), their age, and their vintages."""

import datetime as dt
from contextlib import suppress

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.service import calls
from tests.support.common import of_this_call
from tests.support.recorded import body_of

NAMES = ["Quokka Bay", "Bilby Heights", "Mangrove Steps"]
NAME = NAMES[0]
NOW = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


@pytest.fixture
def clock(monkeypatch):
    """Return a function that sets the clock to a number of days after `NOW`."""

    def set_to(days):
        monkeypatch.setattr(calls, "clock", lambda: NOW + dt.timedelta(days=days))

    set_to(0)
    return set_to


def test_max_age_buys_again_only_what_is_older(live, service, clock):
    """With `max_age`, only the responses that are older than that are bought again, from the second after it on."""
    sp.rent(NAMES[:2])
    assert sp.quote(NAME, max_age="0D").cents == 0
    clock(20)
    sp.rent(NAMES[2])
    clock(30)
    assert sp.quote(NAMES, max_age="30D").cents == 0
    clock(30 + 1 / 86_400)
    assert sp.quote(NAMES, max_age="30D").cents == 60
    with pytest.raises(
        sp.errors.NotStored, match="no rents of 'Quokka Bay', 'Bilby Heights' as recent as max_age requires"
    ):
        sp.rent(NAMES, max_age="30D", offline=True)
    sp.rent(NAMES, max_age="30D")
    assert len(service.requests) == 5


def test_what_is_stale_is_used_with_one_warning(live, service, clock):
    """Responses older than 30 days raise one warning for each request, with their age and the price of a refresh.

    If `max_age`, `offline` or `retrieved_by` is given, there is no warning.
    """
    sp.rent(NAMES)
    clock(30)
    sp.rent(NAMES)
    clock(31)
    sp.rent(NAME, refresh=True)
    with pytest.warns(sp.errors.StaleDataWarning) as caught:
        sp.rent(NAMES)
    (warning,) = of_this_call(caught)
    assert str(warning.message) == (
        "2 stored responses used here are more than 30 days old, or of unknown age (dated 2026-11-21), for "
        "'Bilby Heights', 'Mangrove Steps'. To buy newer data, for 60 cents, load them with max_age=\"30D\""
    )
    for options in ({"max_age": "60D"}, {"offline": True}, {"retrieved_by": "2026-12-31"}):
        sp.rent(NAMES, **options)
    assert len(service.requests) == 4


def test_made_up_data_do_not_age(embedded, clock):
    """Data of the embedded sandbox belong to a version of the sandbox, not to a day, so they are never stale."""
    sp.rent(NAMES)
    clock(400)
    assert len(sp.rent(NAMES))


def test_offline_gives_what_is_stored_and_one_error_for_the_rest(live, service):
    """Offline, one NotStored lists the missing suburbs with their price, and its frame has the stored ones."""
    stored = sp.rent([NAME])
    with pytest.raises(
        sp.errors.NotStored, match=r"no rents of 'Bilby Heights', 'Mangrove Steps', .* cost at most 60 cents"
    ) as caught:
        sp.rent(NAMES, offline=True)
    assert caught.value.quote.cents == 60
    with pytest.warns(sp.SuburbWarning, match="'Bilby Heights', 'Mangrove Steps'"):
        warned_of = sp.rent(NAMES, offline=True, errors="warn")
    for frame in (caught.value.frame, warned_of):
        pd.testing.assert_frame_equal(frame, stored, check_categorical=False)
    assert len(service.requests) == 1


def test_retrieved_by_gives_the_newest_response_of_that_time(live, service, clock):
    """`retrieved_by` selects the newest response that was stored by a given time, and never buys one."""
    first = sp.rent(NAME)
    clock(10)
    service.answer(NAME, "rent", body=body_of(NAME))
    with pytest.warns(sp.errors.DataWarning, match="have been revised"):
        sp.rent(NAME, refresh=True)
    pd.testing.assert_frame_equal(sp.rent(NAME, retrieved_by="2026-11-30"), first)
    assert len(sp.rent(NAME, retrieved_by="2026-12-01")) == 1
    at = sp.vintages(NAME)["retrieved_at"][0]
    pd.testing.assert_frame_equal(sp.rent(NAME, retrieved_by=at), first)
    for by in (dt.date(2026, 11, 20), at - pd.Timedelta("1us")):
        with pytest.raises(
            sp.errors.NotStored, match=r"of 'Quokka Bay' retrieved by 2026-11-2.*, and retrieved_by buys"
        ):
            sp.rent(NAME, retrieved_by=by)
    assert len(service.requests) == 2


def test_options_that_contradict_each_other_are_refused(live, service):
    """An option that never buys cannot be combined with one that buys. Nothing is sent."""
    never, buying = {"retrieved_by": "2026-06-30"}, {"refresh": True}
    for invalid in ({**never, **buying}, {**never, "max_age": "1D"}, {"offline": True, **buying}):
        with pytest.raises(ValueError, match="never buys, so it cannot be combined"):
            sp.rent(NAME, **invalid)
    assert not service.requests


def test_vintages_list_every_stored_response(live, service, clock):
    """`vintages` lists every stored response, oldest first, including those that are broken or without data.

    With ``bodies`` each is shown as it came, in one more column. Bytes that are no text are replaced.
    """
    sent = [body_of(NAME), b'{"data": null}', b"<html>Sorry \xff"]
    for days, body in enumerate(sent):
        clock(days)
        service.answer(NAME, "rent", body=body, times=1)
        with suppress(sp.SuburbError):
            sp.rent(NAME, refresh=True)
    found = sp.vintages(NAME)
    expected = pd.DataFrame(
        {"retrieved_at": pd.date_range(NOW.replace(tzinfo=None), periods=3), "cents": 30, "n_points": [1, 0, None]}
    ).astype({"retrieved_at": "M8[us]", "n_points": "Int64"})
    pd.testing.assert_frame_equal(found.drop(columns="sha256"), expected)
    with_bodies = found.assign(body=[body.decode(errors="replace") for body in sent])
    pd.testing.assert_frame_equal(sp.vintages(NAME, bodies=True), with_bodies)
    assert sp.vintages(NAME, "impacts").empty
    with pytest.raises(ValueError, match="endpoint"):
        sp.vintages(NAME, "rents")


def test_the_vintages_of_many_suburbs_are_one_frame(live):
    """For a list of suburbs, the vintages have names, in the order given."""
    sp.rent(NAMES)
    found = sp.vintages([NAMES[2], NAME, "Nowhere", NAMES[2]])
    expected = pd.concat([sp.vintages(name).assign(area_name=name) for name in (NAMES[2], NAME)], ignore_index=True)
    pd.testing.assert_frame_equal(found, expected[["area_name", *sp.vintages(NAME)]])
    assert sp.vintages([]).columns.equals(found.columns)
