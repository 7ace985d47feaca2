"""Responses that were paid for and are odd: what is left out, what is no data, and what cannot be true."""

import datetime as dt
import re

import pytest

import suburb_pandas as sp
from suburb_pandas.service import calls
from tests.support.common import of_this_call
from tests.support.made_up import NAMES
from tests.support.odd_responses import MONTHS, NO_SERIES, UNREADABLE, body_with, points, series_body
from tests.support.recorded import call, written

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
DataWarning, NoDataWarning = sp.errors.DataWarning, sp.errors.NoDataWarning
NULL, DOT = UNREADABLE["null"], UNREADABLE["text"]


def told(category, load, *given, **options):
    """Return the frame of a request, and the message of its one warning, which is of this category."""
    with pytest.warns(category) as caught:
        frame = load(*given, **options)
    (warning,) = of_this_call(caught)
    return frame, str(warning.message)


@pytest.fixture
def sent(live, service):
    """Return a function that has the service send series about a suburb, by default Quokka Bay."""

    def send(name=BAY, times=None, **series):
        service.answer(name, "rent", body=series_body(name, **series), times=times)

    return send


@pytest.mark.parametrize("odd", UNREADABLE)
def test_a_point_that_cannot_be_read_is_left_out(live, service, odd):
    """The other points are returned, and each request that uses the response lists what was left out, as it was sent.

    The stored vintage counts the points that can be read. Nothing is bought again.
    """
    text = UNREADABLE[odd]
    quoted = re.sub("NaN|-Infinity", r'"\g<0>"', " ".join(text.split()))
    words = f"house[14]: {quoted}"[:80]
    service.answer(BAY, "rent", body=body_with(BAY, text))
    for suburbs, offline in ((BAY, False), ([BAY], True)):
        frame, message = told(DataWarning, sp.rent, suburbs, offline=offline)
        assert message == (
            f"The service sent rents with 1 point that cannot be read. Left out: '{BAY}' {words}. To see what was "
            f"sent, run sp.vintages('{BAY}', bodies=True)"
        )
        assert frame["house"].tolist() == [*range(600, 620)]
    assert sp.vintages(BAY)["n_points"].to_list() == [20]


def test_one_warning_lists_the_points_of_all_suburbs(live, service):
    """A request for many counts and lists the points of all suburbs, in the order given; so does a scorecard."""
    service.answer(BAY, "rent", body=body_with(BAY, NULL, DOT))
    service.answer(WOYLIE, "rent", body=body_with(WOYLIE, DOT))
    for load in (sp.rent, sp.scorecard):
        _, message = told(DataWarning, load, [WOYLIE, HEIGHTS, BAY], max_lag="62D" if load is sp.scorecard else None)
        assert message == (
            f"The service sent rents with 3 points that cannot be read. Left out: '{WOYLIE}' house[14]: {DOT}, "
            f"'{BAY}' house[14]: {NULL}, '{BAY}' house[15]: {DOT}. To see what was sent, run "
            f"sp.vintages({[WOYLIE, BAY]!r}, bodies=True)"
        )


def test_a_response_of_which_more_than_a_tenth_cannot_be_read_is_refused(sent):
    """At least nine of ten points have to be readable; otherwise the error names the first point that is not."""
    sent(house=points([*range(600, 618), None, None]))
    assert len(told(DataWarning, sp.rent, BAY)[0]) == 18
    sent(house=points([*range(600, 617), None, None]))
    with pytest.raises(sp.errors.ContractViolation) as caught:
        sp.rent(BAY, refresh=True)
    assert caught.value.path == "$.data.house[17].value"


@pytest.mark.parametrize("fields", NO_SERIES)
def test_a_response_without_any_series_is_no_data(sent, fields):
    """One suburb raises NoData; a batch keeps the others and warns of what the service charged for such suburbs."""
    sent(**NO_SERIES[fields])
    frame, message = told(NoDataWarning, sp.rent, [BAY, HEIGHTS])
    assert set(frame["area_name"]) == {HEIGHTS}
    assert message.startswith("The service has no rent data for 'Quokka Bay'. The service charged 30 cents. ")
    with pytest.raises(sp.errors.NoData, match=r"the series of units are both empty\. Nothing was charged"):
        sp.rent(BAY)


def test_responses_without_data_are_told_with_their_dates(live, service, monkeypatch):
    """What an outage left in the store is not believed for ever: the message says from when it is, and how to ask."""
    for day, name in ((24, BAY), (26, HEIGHTS)):
        service.answer(name, "rent", body=b'{"data": null}', times=1)
        monkeypatch.setattr(calls, "clock", lambda day=day: dt.datetime(2026, 4, day, 23, tzinfo=dt.UTC))
        for cost in ("The service charged 30 cents.", "Nothing was charged."):
            with pytest.raises(sp.errors.NoData) as caught:
                sp.rent(name)
            assert str(caught.value) == (
                f"The service has no rent data for {name!r}. {cost} The response was stored on 2026-04-{day}, so "
                "asking again is free; refresh=True buys another."
            )
    _, message = told(NoDataWarning, sp.rent, [BAY, HEIGHTS, NAMES[0]])
    assert message == (
        "The service has no rent data for 'Quokka Bay', 'Bilby Heights'. Nothing was charged. The responses were "
        "stored on 2026-04-24 and 2026-04-26; to ask again, load only such suburbs with refresh=True."
    )
    assert len(sp.rent(BAY, refresh=True))


@pytest.mark.parametrize(("at", "told_of"), [("2026-01-01T00:00:00+00:00", "on 2026-01-01"), ("", "before")])
def test_a_cassette_tells_the_date_of_a_response_without_data_and_advises_no_refresh(tmp_path, at, told_of):
    """A replay ignores ``refresh=True``, so the message does not name it. Other tools may record no date."""
    path = tmp_path / "study.yaml"
    path.write_bytes(written(call(BAY, body=b'{"data": null}', at=at), call(HEIGHTS)))
    with sp.cassette(path):
        _, message = told(NoDataWarning, sp.rent, [BAY, HEIGHTS])
    assert message.endswith(f"Nothing was charged. The response was stored {told_of}.")


def test_a_suburb_without_drivers_is_told_in_a_frame_of_drivers(embedded):
    """An empty list of drivers is a fact about the suburb, and not no data. The scorecard does not warn of it."""
    frame, message = told(NoDataWarning, sp.impacts, [BAY, "Sleepy Lizard"])
    assert message == (
        "The service lists no drivers for 'Sleepy Lizard'. An amenity that is not listed has no known premium."
    )
    assert set(frame["area_name"]) == {BAY}
    assert told(NoDataWarning, sp.impacts, "Sleepy Lizard")[0].empty
    assert sp.scorecard(["Sleepy Lizard"])["status"].to_list() == ["ok"]


def test_rents_that_cannot_be_true_are_told_whenever_they_are_loaded(sent):
    """The warning names the series, the dates and the values, which are loaded as they came."""
    values, dates = [640, 650, 6500, 650, 0, -888, 655], ["1824-01-31", *MONTHS[:5], "2099-01-31"]
    sent(house=points(values, dates), unit=None)
    for suburbs in (BAY, [HEIGHTS, BAY]):
        frame, message = told(DataWarning, sp.rent, suburbs)
        assert message == (
            "The service sent rents that cannot be true: house of 640 on 1824-01-31 (before 1900-01-01) in 'Quokka "
            "Bay', house of 655 on 2099-01-31 (after its retrieval) in 'Quokka Bay', house of 0 on 2023-04-28 (not "
            "above zero, so it counts as missing) in 'Quokka Bay', house of -888 on 2023-05-28 (not above zero, so it "
            "counts as missing) in 'Quokka Bay', house from 650 on 2023-01-28 to 6500 on 2023-02-28 in 'Quokka Bay', "
            "house from 6500 on 2023-02-28 to 650 on 2023-03-28 in 'Quokka Bay'. The values are loaded as they came."
        )
        assert frame["house"].to_list()[-7:] == values


def test_a_step_is_one_between_neighbours_of_a_series(sent):
    """A step of less than tenfold may be true, and houses are not compared with units.

    The order of sending does not matter.
    """
    sent(house=points([100, 300, 2999, 300])[::-1], unit=points([8, 9]))
    _, message = told(DataWarning, sp.rent, BAY)
    assert message.startswith("The service sent points out of order")


def test_the_day_of_retrieval_is_that_of_eastern_australia(sent, monkeypatch):
    """A point may be dated on the day of retrieval, which in Australia begins before it does in UTC."""
    monkeypatch.setattr(calls, "clock", lambda: dt.datetime(2026, 11, 30, 14, tzinfo=dt.UTC))
    sent(house=points([650], ["2026-12-01"]))
    sent(WOYLIE, house=points([650], ["2026-12-02"]))
    assert len(sp.rent(BAY)) == 1
    assert "2026-12-02 (after its retrieval)" in told(DataWarning, sp.rent, WOYLIE)[1]


def test_a_request_tells_a_date_that_cannot_be_true_once(sent):
    """A request that computes with the rents that it has loaded does not repeat the warning."""
    sent(house=points([650, 655], ["2024-01-31", "2099-01-31"]))
    rows = sp.rent([HEIGHTS]).head(1).assign(area_name=BAY)
    for method in ("scorecard", "join_rent", "join_scorecard"):
        assert "2099-01-31" in told(DataWarning, getattr(rows.suburb, method))[1]
    assert "2099-01-31" in told(DataWarning, sp.rent, BAY, freq="QE")[1]
