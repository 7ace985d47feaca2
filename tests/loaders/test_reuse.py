"""Reuse of stored responses (refresh, max_age, retrieved_by, offline), their vintages, and the provenance of frames."""

import datetime as dt
from contextlib import suppress

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.service import calls
from tests.support.common import LIVE_KEY, of_this_call
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
    """With `max_age`, only the responses that are older than that are bought again."""
    sp.rent(NAMES[:2])
    clock(20)
    sp.rent(NAMES[2])
    clock(35)
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
    clock(45)
    with pytest.warns(
        sp.errors.StaleDataWarning,
        match=r'3 stored responses .* \(dated 2026-11-21\).* 90 cents, load them with max_age="30D"',
    ) as caught:
        sp.rent(NAMES)
    assert len(of_this_call(caught)) == 1
    sp.rent(NAMES, max_age="60D")
    sp.rent(NAMES, offline=True)
    sp.rent(NAMES, retrieved_by="2026-12-31")
    assert len(service.requests) == 3


def test_made_up_data_do_not_age(embedded, clock):
    """Data of the embedded sandbox belong to a version of the sandbox, not to a day, so they are never stale."""
    sp.rent(NAMES)
    clock(400)
    assert len(sp.rent(NAMES))


def test_a_clock_that_is_set_back_makes_nothing_older(live, service, clock):
    """A response dated up to a day in the future counts as fresh. The newest response is the one stored last."""
    sp.rent(NAME)
    clock(-1)
    assert len(sp.rent(NAME, max_age="1s"))
    sp.rent(NAME, refresh=True)
    clock(0)
    assert len(sp.rent(NAME, max_age="1D")), "the newest response is the one stored last, whatever its date"
    assert len(service.requests) == 2


def test_a_response_from_the_far_future_is_of_unknown_age(live, service, clock):
    """It is stale, `max_age` buys it again, and the budget includes it and names its date."""
    clock(400)
    sp.rent(NAME)
    clock(0)
    with pytest.warns(sp.errors.StaleDataWarning, match="of unknown age"):
        assert len(sp.rent(NAME))
    sp.set_limits(budget_cents=50)
    with pytest.raises(sp.errors.BudgetExceeded, match=r"30 are spent .*dated in the future, up to 2027-12-26"):
        sp.rent(NAME, max_age="3650D")
    sp.set_limits(budget_cents=60)
    for _ in range(2):
        assert len(sp.rent(NAME, max_age="3650D"))
    assert len(service.requests) == 2


def test_offline_gives_what_is_stored_and_one_error_for_the_rest(live, service):
    """Offline, one NotStored lists the missing suburbs with their price, and its frame has the stored ones."""
    sp.rent(NAME)
    assert len(sp.rent(NAME, offline=True))
    with pytest.raises(
        sp.errors.NotStored, match=r"no rents of 'Bilby Heights', 'Mangrove Steps', .* cost at most 60 cents"
    ) as caught:
        sp.rent(NAMES, offline=True)
    assert caught.value.quote.cents == 60
    assert caught.value.frame["area_name"].unique().tolist() == [NAME]
    with pytest.warns(sp.SuburbWarning, match="'Bilby Heights', 'Mangrove Steps'"):
        assert set(sp.rent(NAMES, offline=True, errors="warn")["area_name"]) == {NAME}
    with pytest.raises(sp.errors.NotStored):
        sp.impacts(NAME, offline=True)
    assert len(service.requests) == 1


def test_retrieved_by_gives_the_newest_response_of_that_time(live, service, clock):
    """`retrieved_by` selects the newest response that was stored by a given time, and never buys one."""
    sp.rent(NAME)
    clock(10)
    service.answer(NAME, "rent", body=body_of(NAME))
    with pytest.warns(sp.errors.DataWarning, match="have been revised"):
        assert len(sp.rent(NAME, refresh=True)) == 1
    assert len(sp.rent(NAME, retrieved_by="2026-11-30")) > 1
    assert len(sp.rent(NAME, retrieved_by="2026-12-01")) == 1
    with pytest.raises(sp.errors.NotStored, match="'Quokka Bay' retrieved by 2026-11-20 23:59 UTC"):
        sp.rent(NAME, retrieved_by=dt.date(2026, 11, 20))
    with pytest.raises(sp.errors.NotStored):
        sp.rent(NAMES, retrieved_by="2026-12-01")
    assert len(service.requests) == 2


@pytest.mark.parametrize("invalid", [
    {"retrieved_by": "2026-06-30", "refresh": True},
    {"retrieved_by": "2026-06-30", "max_age": "1D"},
    {"offline": True, "refresh": True},
])  # fmt: skip
def test_options_that_contradict_each_other_are_refused(live, service, invalid):
    """An option that never buys cannot be combined with one that buys. Nothing is sent."""
    with pytest.raises(ValueError, match="never buys, so it cannot be combined"):
        sp.rent(NAME, **invalid)
    assert service.requests == ()


def test_vintages_lists_every_stored_response(live, service, clock):
    """`vintages` lists every stored response, oldest first, including those that are broken or without data."""
    for days, body in enumerate([None, b'{"data": null}', b"<html>"]):
        clock(days)
        if body:
            service.answer(NAME, "rent", body=body, times=1)
        try:
            sp.rent(NAME, refresh=True)
        except sp.SuburbError:
            continue
    vintages = sp.vintages(NAME)
    assert list(vintages.columns) == ["retrieved_at", "cents", "sha256", "n_points"]
    now = NOW.replace(tzinfo=None)
    assert (vintages["retrieved_at"] == [now + dt.timedelta(days=days) for days in range(3)]).all()
    assert vintages["n_points"].tolist() == [481, 0, pd.NA]
    assert vintages["cents"].tolist() == [30, 30, 30]
    assert sp.vintages(NAME, "impacts").empty
    with pytest.raises(ValueError, match="endpoint"):
        sp.vintages(NAME, "rents")


def test_the_vintages_of_many_suburbs_are_one_frame(live):
    """For a list of suburbs, the vintages have names, in the order given."""
    names = [NAMES[2], NAMES[0], "Nowhere", NAMES[2]]
    for name in NAMES[:3]:
        sp.rent(name)
    found = sp.vintages(names)
    assert found["area_name"].to_list() == [NAMES[2], NAMES[0]]
    for name, own in found.groupby("area_name"):
        pd.testing.assert_frame_equal(own.drop(columns="area_name").reset_index(drop=True), sp.vintages(name))
    assert sp.vintages([]).columns.to_list() == found.columns.to_list()
    with pytest.raises(TypeError, match=r"df\.suburb"):
        sp.vintages(found)


def test_the_bodies_of_vintages_are_the_text_that_was_sent(live, service):
    """With ``bodies`` each response is shown as it came, in one more column. Bytes that are no text are replaced."""
    sent = [body_of(NAME), b"<html>Sorry \xff"]
    for body in sent:
        service.answer(NAME, "rent", body=body, times=1)
        with suppress(sp.errors.ContractViolation):
            sp.rent(NAME, refresh=True)
    found = sp.vintages(NAME, bodies=True)
    assert found.drop(columns="body").equals(sp.vintages(NAME))
    assert found["body"].to_list() == [sent[0].decode(), "<html>Sorry \ufffd"]
    assert sp.vintages([NAME], bodies=True)["body"].equals(found["body"])


def test_a_client_says_what_it_spent(service, tmp_path):
    """A client shows the cents spent in this session and this month, without creating a store."""
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
