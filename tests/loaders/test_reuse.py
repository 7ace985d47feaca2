"""Reuse of stored responses: their age, also in a cassette."""

import datetime as dt

import pytest

import suburb_pandas as sp
from suburb_pandas.service import calls
from tests.support.recorded import call, written

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


def test_made_up_data_do_not_age(embedded, clock):
    """Data of the embedded sandbox belong to a version of the sandbox, not to a day, so they are never stale."""
    sp.rent(NAMES)
    clock(400)
    assert len(sp.rent(NAMES))


@pytest.mark.parametrize(("at", "told_of"), [("2026-01-01T00:00:00+00:00", "on 2026-01-01"), ("", "before")])
def test_a_cassette_tells_the_date_of_a_response_without_data_and_advises_no_refresh(tmp_path, at, told_of):
    """A replay ignores ``refresh=True``, so the message does not name it. Other tools may record no date."""
    path = tmp_path / "study.yaml"
    path.write_bytes(written(call(NAME, body=b'{"data": null}', at=at), call(NAMES[1])))
    with (
        sp.cassette(path),
        pytest.warns(sp.errors.NoDataWarning, match=f"charged. The response was stored {told_of}.$"),
    ):
        sp.rent(NAMES[:2])
