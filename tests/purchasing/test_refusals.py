"""Refusals that cost something: paid for once, kept with their status, and asked again only on request."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from suburb_pandas.client import known_names
from suburb_pandas.client.session import request_context
from suburb_pandas.notebook import offers
from tests.support.recorded import body_of

BAY, HEIGHTS, NOWHERE = "Quokka Bay", "Bilby Heights", "Quokka Bai"
KINDS = {404: sp.errors.UnknownSuburb, 403: sp.errors.Forbidden, 422: sp.errors.Rejected}
TEXT = b'{"detail": "no such thing"}'

pytestmark = pytest.mark.usefixtures("hasty")


@pytest.fixture
def refuses(service):
    """Return a function that lets the service refuse calls for a name, and charge for each of them."""

    def refuse(name=NOWHERE, status=404, endpoint="rent", **more):
        service.answer(name, endpoint, status=status, body=TEXT, billed=True, **more)

    return refuse


def failure(function=sp.rent, name=NOWHERE, **options):
    """Return the error of a request for a single name."""
    with pytest.raises(sp.SuburbError) as caught:
        function(name, **options)
    return caught.value


@pytest.mark.parametrize("status", KINDS)
def test_a_charged_refusal_is_paid_for_once(live, service, refuses, status):
    """Three runs of a line pay once: the same error is raised from the store, and says so, what it cost and when."""
    refuses(status=status)
    first, second, third = (failure() for _ in range(3))
    assert service.total_cents == sp.ledger()["cents"].sum() == 30
    assert len(service.requests) == 1
    for error in (first, second, third):
        assert type(error) is KINDS[status]
        assert (error.status_code, error.area_name, error.is_stored) == (status, NOWHERE, True)
        assert error.request_id == sp.ledger()["request_id"].iloc[0]
        assert getattr(error, "suggestions", None) == getattr(first, "suggestions", None)
    assert [error.cents for error in (first, second, third)] == [30, 0, 0]
    assert "The service charged 30 cents." in str(first)
    day = sp.vintages(NOWHERE)["retrieved_at"].iloc[0].date()
    assert (
        str(second)
        == str(third)
        == str(first).replace(
            "The service charged 30 cents.",
            f"That response of {day} cost 30 cents and is stored, so nothing was sent; to ask again, run "
            f"sp.rent({NOWHERE!r}, refresh=True).",
        )
    )


@pytest.mark.parametrize(
    ("status", "cost"),
    [(404, None), (403, "0"), (422, "many")] + [(status, "30") for status in (302, 400, 402, 408, 429, 500, 503)],
)
@pytest.mark.filterwarnings("ignore:.*the service sent a price")
def test_any_other_failure_is_in_the_ledger_alone(live, service, status, cost):
    """A refusal without a certain charge, and a failure that can pass, are not stored, so they are asked again."""
    service.answer(BAY, "rent", status=status, headers={"X-Cost-Cents": cost})
    for number in (1, 2):
        assert not failure(name=BAY).is_stored
        assert len(service.requests) == len(sp.ledger()) == number
    assert sp.ledger()["cents"].gt(0).all() == (cost in {"30", "many"})
    assert sp.vintages(BAY).empty


def test_refresh_asks_again(live, service, refuses):
    """With ``refresh=True`` the service is asked again, and what it sends now is used from then on.

    Vintages list a refusal with its price and its body, and with no points.
    """
    refuses(BAY, times=1)
    assert failure(name=BAY).status_code == 404
    rents = sp.rent(BAY, refresh=True)
    assert_frame_equal(sp.rent(BAY), rents)
    assert len(service.requests) == 2
    refuses(BAY)
    for option in (True, False):
        assert failure(name=BAY, refresh=option).status_code == 404
    assert len(service.requests) == 3
    listed = sp.vintages(BAY, bodies=True)
    assert listed["cents"].to_list() == [30, 30, 30]
    assert listed["n_points"].gt(0).to_list() == [False, True, False]
    assert listed["body"].iloc[0] == TEXT.decode()
    for by, is_refused in zip(listed["retrieved_at"], [True, False, True], strict=True):
        if is_refused:
            assert failure(name=BAY, retrieved_by=by).status_code == 404
        else:
            assert_frame_equal(sp.rent(BAY, retrieved_by=by), rents)


def test_a_refusal_counts_as_a_response_for_its_age(live, service, refuses):
    """``max_age`` and ``offline`` use a stored refusal that is recent enough, and an older one is asked again."""
    refuses()
    failure()
    for options in ({"max_age": "1D"}, {"offline": True}):
        assert failure(**options).status_code == 404
    assert len(service.requests) == 1
    assert failure(max_age="0s").cents == 30
    assert len(service.requests) == 2


def test_a_batch_lists_stored_refusals_as_failures(live, service, refuses):
    """The others arrive, and the message says what the first refusal had cost, and how to ask again.

    A quote lists them with what was paid. They are stored and free, and are not called unreadable.
    """
    refuses()
    refuses(HEIGHTS, 403)
    for cents in (60, 0):
        with pytest.raises(sp.errors.BatchIncomplete) as caught:
            sp.rent([BAY, NOWHERE, HEIGHTS])
        assert {name: error.status_code for name, error in caught.value.failures.items()} == {
            NOWHERE: 404,
            HEIGHTS: 403,
        }
        assert caught.value.cents == cents
        assert caught.value.failures[NOWHERE].suggestions == (BAY,)
        assert set(caught.value.frame["area_name"]) == {BAY}
    assert "1 of 3 responses arrived (in the error's .frame, and stored); .failures has each error" in str(caught.value)
    for name in (NOWHERE, HEIGHTS):
        again = f"cost 30 cents and is stored, so nothing was sent; to ask again, run sp.rent({name!r}, refresh=True)"
        assert again in str(caught.value.failures[name])
    assert len(service.requests) == 3
    quote = sp.quote([BAY, NOWHERE, HEIGHTS])
    assert (quote.refused, quote.calls) == ({NOWHERE: 30, HEIGHTS: 30}, 0)
    assert f"refused   {NOWHERE!r}, {HEIGHTS!r}: bought for 60 cents and stored; refresh=True asks" in repr(quote)
    assert sp.quote(NOWHERE, refresh=True).refused == {}


def test_a_refusal_with_data_in_its_body_is_no_data(live, service):
    """The body of a refusal is never decoded: it confirms no name, and no frame, citation or revision rests on it."""
    service.answer("Quoll", "rent", status=404, body=body_of("Quoll"), billed=True, times=1)
    for _ in range(2):
        assert failure(name="Quoll").status_code == 404
    assert "Quoll" not in known_names.gazetteer_of(request_context())
    assert sp.quote("Quoll", refresh=True).unresolved == ("Quoll",)
    rents = pd.DataFrame({"house": [500.0], "unit": [float("nan")]}, pd.DatetimeIndex(["2024-01-31"], name="date"))
    with pytest.raises(sp.errors.ProvenanceError):
        sp.provenance(rents.assign(area_name="Quoll"))
    service.answer("Quoll", "rent", body=body_of("Quoll", 600.0))
    assert sp.rent("Quoll", refresh=True)["house"].to_list() == [600]
    assert sp.revisions("Quoll").empty
    assert "Quoll" in known_names.gazetteer_of(request_context())


def test_first_releases_are_those_before_a_refusal(live, service, refuses):
    """The rents that were received first stay, although the newest response is a refusal."""
    rents = sp.rent(BAY)
    refuses(BAY)
    failure(name=BAY, refresh=True)
    assert_frame_equal(sp.first_releases(BAY), rents)
    assert len(sp.first_releases([BAY])) == len(rents)
    refuses()
    failure()
    assert failure(sp.first_releases).status_code == 404


def test_a_refused_look_up_is_paid_for_once(live, service, refuses):
    """A look-up that was refused at a price fails at no new cost, and both errors have the line that repeats it."""
    refuses("quoll", 422, "geocode")
    again = "sp.find('quoll', refresh=True)"
    assert failure(sp.find, "quoll").cents == 1
    assert again in str(failure(sp.find, "quoll"))
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.resolve(["quoll", "quoll"])
    assert again in str(caught.value)
    assert service.total_cents == 1


def test_the_picker_says_that_a_refusal_is_stored(live, service, refuses):
    """Its price is that of a stored response, and the alert says how to ask again, for a key that covers more."""
    refuses(HEIGHTS, 403)
    failure(name=HEIGHTS)
    assert offers.to_load("rent", (HEIGHTS,), None).label == "Load: stored, free"


@pytest.mark.parametrize(("record", "is_stored"), [("once", True), ("all", False), ("new_episodes", True)])
def test_a_cassette_replays_a_refusal(live, service, refuses, tmp_path, record, is_stored):
    """A refusal that was bought in the block, or before it, is replayed with its class and status, without a call."""
    path = tmp_path / "study.yaml"
    refuses()
    refuses(HEIGHTS, 422)
    if is_stored:
        failure()
        failure(name=HEIGHTS)
    with sp.cassette(path, record):
        failure()
        failure(name=HEIGHTS)
    assert len(service.requests) == 2
    with sp.cassette(path, "none"):
        for name, status in ((NOWHERE, 404), (HEIGHTS, 422)):
            error = failure(name=name)
            assert (type(error), error.status_code, error.cents) == (KINDS[status], status, 0)
            assert sp.vintages(name)["n_points"].to_list() == [0]
        assert "has no rents of 'Quokka Bay'" in str(failure(name=BAY))
    with sp.cassette(path, "new_episodes"):
        failure()
    assert len(service.requests) == 2
    assert path.read_text().count("code: 4") == 2
