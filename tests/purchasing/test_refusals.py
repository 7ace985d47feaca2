"""Refusals that cost something: paid for once, kept with their status, and asked again only on request."""

import pytest
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from suburb_pandas.messages import counted
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


@pytest.mark.parametrize(
    ("status", "buy", "endpoint", "price"),
    [(404, sp.rent, "rent", 30), (403, sp.impacts, "impacts", 10), (422, sp.find, "geocode", 1)],
)
def test_a_charged_refusal_is_paid_for_once(live, service, refuses, status, buy, endpoint, price):
    """Three runs of a line pay once: the same error is raised from the store, and says so, what it cost and when.

    It counts as a response for ``max_age`` and ``offline``.
    """
    refuses(NOWHERE, status, endpoint)
    found = [failure(buy, **options) for options in ({}, {"offline": True}, {"max_age": "1D"})]
    assert service.total_cents == sp.ledger()["cents"].sum() == price
    assert len(service.requests) == 1
    request_id, day = sp.ledger()["request_id"].item(), sp.vintages(NOWHERE, endpoint)["retrieved_at"].item().date()
    for error, cents in zip(found, (price, 0, 0), strict=True):
        assert type(error) is KINDS[status]
        assert (error.status_code, error.area_name, error.is_stored) == (status, NOWHERE, True)
        assert (error.cents, error.request_id) == (cents, request_id)
        assert getattr(error, "suggestions", None) == getattr(found[0], "suggestions", None)
    later = (
        f"That response of {day} cost {counted(price, 'cent')} and is stored, so nothing was sent; to ask again, run "
        f"sp.{buy.__name__}({NOWHERE!r}, refresh=True)."
    )
    charged = f"The service charged {counted(price, 'cent')}."
    assert str(found[1]) == str(found[2]) == str(found[0]).replace(charged, later)
    assert later in str(found[1])


@pytest.mark.parametrize(("status", "cost"), [(404, None), (422, "many"), (402, "30")])
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
    failure(name=BAY)
    rents = sp.rent(BAY, refresh=True)
    assert_frame_equal(sp.rent(BAY), rents)
    refuses(BAY)
    for option in (True, False):
        assert failure(name=BAY, refresh=option).status_code == 404
    assert len(service.requests) == 3
    listed = sp.vintages(BAY, bodies=True)
    assert listed["cents"].to_list() == [30, 30, 30]
    assert listed["n_points"].gt(0).to_list() == [False, True, False]
    assert listed["body"].iloc[0] == TEXT.decode()
    first, second, _ = listed["retrieved_at"]
    assert failure(name=BAY, retrieved_by=first).status_code == 404
    assert_frame_equal(sp.rent(BAY, retrieved_by=second), rents)


def test_a_batch_lists_stored_refusals_as_failures(live, service, refuses):
    """The others arrive, and each error says what its refusal had cost, and how to ask again.

    A quote lists them with what was paid. They are stored and free, and are not called unreadable.
    """
    refuses()
    refuses(HEIGHTS, 403)
    for cents in (60, 0):
        with pytest.raises(sp.errors.BatchIncomplete) as caught:
            sp.rent([BAY, NOWHERE, HEIGHTS])
        failures = caught.value.failures
        assert {name: error.status_code for name, error in failures.items()} == {NOWHERE: 404, HEIGHTS: 403}
        assert caught.value.cents == cents
        assert failures[NOWHERE].suggestions == (BAY,)
        assert set(caught.value.frame["area_name"]) == {BAY}
    for name, error in failures.items():
        assert f"to ask again, run sp.rent({name!r}, refresh=True)" in str(error)
    assert len(service.requests) == 3
    quote = sp.quote([BAY, NOWHERE, HEIGHTS])
    assert (quote.refused, quote.calls) == ({NOWHERE: 30, HEIGHTS: 30}, 0)
    assert f"refused   {NOWHERE!r}, {HEIGHTS!r}: bought for 60 cents and stored; refresh=True asks" in repr(quote)
    assert sp.quote(NOWHERE, refresh=True).refused == {}


def test_a_refusal_with_data_in_its_body_is_no_data(live, service):
    """The body of a refusal is never decoded: no frame, citation or revision rests on it."""
    service.answer("Quoll", "rent", status=404, body=body_of("Quoll"), billed=True, times=1)
    for _ in range(2):
        assert failure(name="Quoll").status_code == 404
    service.answer("Quoll", "rent", body=body_of("Quoll", 600.0))
    rents = sp.rent("Quoll", refresh=True)
    assert rents["house"].to_list() == [600]
    with pytest.raises(sp.errors.ProvenanceError):
        sp.provenance(rents.assign(house=500.0, area_name="Quoll"))
    assert sp.revisions("Quoll").empty
