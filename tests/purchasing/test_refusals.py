"""Refusals that cost something: paid for once, kept with their status, and asked again only on request."""

import pytest
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from tests.support.recorded import body_of

BAY, NOWHERE = "Quokka Bay", "Quokka Bai"
KINDS = {404: sp.errors.UnknownSuburb, 403: sp.errors.Forbidden, 422: sp.errors.Rejected}
TEXT = b'{"detail": "no such thing"}'

pytestmark = pytest.mark.usefixtures("hasty")


def failure(function, name, **options):
    """Return the error of a request for a single name."""
    with pytest.raises(sp.SuburbError) as caught:
        function(name, **options)
    return caught.value


@pytest.mark.parametrize(
    ("status", "buy", "endpoint", "price"),
    [(404, sp.rent, "rent", 30), (403, sp.impacts, "impacts", 10), (422, sp.find, "geocode", 1)],
)
def test_a_charged_refusal_is_paid_for_once(live, service, status, buy, endpoint, price):
    """Three runs of a line pay once: the same error is raised from the store, also for ``max_age`` and ``offline``."""
    service.answer(NOWHERE, endpoint, status=status, body=TEXT, billed=True)
    found = [failure(buy, NOWHERE, **options) for options in ({}, {"offline": True}, {"max_age": "1D"})]
    assert [error.cents for error in found] == [price, 0, 0]
    assert {(type(error), error.status_code, error.request_id) for error in found} == {
        (KINDS[status], status, sp.ledger()["request_id"].item())
    }
    assert service.total_cents == sp.ledger()["cents"].sum() == price
    assert len(service.requests) == 1


def test_refresh_asks_again(live, service):
    """With ``refresh=True`` the service is asked again, and what it sends now is used from then on.

    Vintages list a refusal with its price and its body, and with no points.
    """
    refusal = {"status": 404, "body": TEXT, "billed": True}
    service.answer(BAY, "rent", **refusal, times=1)
    failure(sp.rent, BAY)
    rents = sp.rent(BAY, refresh=True)
    assert_frame_equal(sp.rent(BAY), rents)
    service.answer(BAY, "rent", **refusal)
    for option in (True, False):
        assert failure(sp.rent, BAY, refresh=option).status_code == 404
    assert len(service.requests) == 3
    listed = sp.vintages(BAY, bodies=True)
    assert listed["cents"].to_list() == [30, 30, 30]
    assert listed["n_points"].gt(0).to_list() == [False, True, False]
    assert listed["body"].iloc[0] == TEXT.decode()
    first, second, _ = listed["retrieved_at"]
    assert failure(sp.rent, BAY, retrieved_by=first).status_code == 404
    assert_frame_equal(sp.rent(BAY, retrieved_by=second), rents)


def test_a_refusal_with_data_in_its_body_is_no_data(live, service):
    """The body of a refusal is never decoded: no frame, citation or revision rests on it."""
    service.answer("Quoll", "rent", status=404, body=body_of("Quoll"), billed=True, times=1)
    for _ in range(2):
        assert failure(sp.rent, "Quoll").status_code == 404
    service.answer("Quoll", "rent", body=body_of("Quoll", 600.0))
    rents = sp.rent("Quoll", refresh=True)
    assert rents["house"].to_list() == [600]
    with pytest.raises(sp.errors.ProvenanceError):
        sp.provenance(rents.assign(house=500.0, area_name="Quoll"))
    assert sp.revisions("Quoll").empty
