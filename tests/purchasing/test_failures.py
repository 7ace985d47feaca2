"""Failed calls, up to the error that a user sees and the row in the ledger; and when a request gives up."""

import pytest

import suburb_pandas as sp
from tests.support.common import RENTED

NAME, SIXTY_SIX = "Lantern Bay (NSW)", RENTED[:66]

# The fault of the service, the error, the outcome in the ledger, and the cents in the error and the ledger.
FAULTS = [
    ("server_error_billed", sp.errors.ServiceError, "unknown", 30),
    ("redirect", sp.errors.ServiceError, "not_billed", 0),
    ("dropped_after_billing", sp.errors.Unreachable, "unknown", 30),
]


@pytest.mark.parametrize(("fault", "kind", "outcome", "cents"), FAULTS)
def test_each_fault_is_its_own_error_and_is_in_the_ledger(live, service, fault, kind, outcome, cents):
    """A call that fails after sending is not repeated by its request. Its error and the ledger have its possible cost.

    The quote of the next request names the suburb, and that request repeats the call.
    """
    service.fail(fault, name=NAME)
    with pytest.raises(kind) as caught:
        sp.rent(NAME)
    assert (caught.value.cents, caught.value.retryable) == (cents, True)
    assert ("may charge" in str(caught.value) or "may have charged" in str(caught.value)) is (outcome == "unknown")
    ((found, price),) = sp.ledger()[["outcome", "cents"]].itertuples(index=False)
    assert (found, price, len(service.requests)) == (outcome, cents, 1)
    assert price >= service.total_cents, "the ledger must never count less than the service billed"
    assert sp.quote([NAME, "Woylie"]).unknown == ((NAME,) if cents else ())
    assert len(sp.rent(NAME)) > 100
    assert sp.quote(NAME).unknown == ()


def test_a_key_that_is_refused_stops_the_request(client_with, service):
    """No call costs anything, and at most three are made."""
    client = client_with(api_key="mib_test_nothing")
    with pytest.raises(sp.errors.Unauthorized, match="Nothing was charged") as caught:
        sp.rent(SIXTY_SIX, client=client)
    assert (caught.value.cents, caught.value.retryable) == (0, False)
    assert 1 <= len(service.requests) == len(sp.ledger(client=client)) <= 3
    assert sp.ledger(client=client)["cents"].sum() == 0


def test_the_free_key_says_which_suburbs_it_knows(service, client_with):
    """Forbidden lists the free key's nine suburbs: the made-up ones if the response is marked as made up.

    Each suburb is asked for, at no cost, because some may be covered.
    """
    client = client_with(api_key="test")
    with pytest.raises(
        sp.errors.BatchIncomplete, match=r"covers Lantern Bay \(NSW\), Bilby.*Spinifex Landing"
    ) as caught:
        sp.rent(SIXTY_SIX, client=client)
    assert {type(error) for error in caught.value.failures.values()} == {sp.errors.Forbidden}
    assert len(service.requests) == 66
    assert sp.ledger(client=client)["cents"].sum() == 0
    service.answer("Bondi Beach", "rent", status=403, headers={"X-Made-Up-Data": None})
    with pytest.raises(sp.errors.Forbidden, match=r"covers Belmont North, Bondi, St .*Nightcliff"):
        sp.rent("Bondi Beach", client=client)


def test_no_data_is_kept_and_its_reason_is_passed_on(live):
    """A single suburb without data raises NoData. It is charged once, like any response, and asking again is free."""
    for cents in (30, 0):
        with pytest.raises(sp.errors.NoData) as caught:
            sp.rent("Thorny Devil")
        assert (caught.value.reason, caught.value.cents) == ("insufficient_listings", cents)


@pytest.mark.usefixtures("hasty")
def test_what_the_service_puts_off_is_tried_four_times(live, service):
    """A 429 or 503 costs nothing and is tried again. The fourth try may succeed, and each try is in the ledger."""
    service.fail("unavailable", times=7)
    with pytest.raises(sp.errors.ServiceError, match="Nothing was charged"):
        sp.rent(NAME)
    assert len(sp.rent(NAME)) > 100
    assert sp.ledger()["outcome"].to_list() == ["not_billed"] * 7 + ["billed"]
    assert sp.ledger()["cents"].sum() == 30


@pytest.mark.usefixtures("hasty")
def test_a_service_that_is_not_there_costs_nothing_and_a_batch_gives_up_soon(live, service):
    """A call whose connection was refused certainly cost nothing. After five such calls a batch stops."""
    service.close()
    with pytest.raises(sp.errors.Unreachable, match="Nothing was sent, and nothing was charged"):
        sp.rent(NAME)
    assert sp.ledger()["outcome"].to_list() == ["not_billed"] * 4
    with pytest.raises(sp.errors.BatchIncomplete, match="the service seems to be down") as caught:
        sp.rent(SIXTY_SIX)
    assert (caught.value.cents, len(caught.value.failures)) == (0, 66)
    assert 24 <= len(sp.ledger()) < 66


def test_a_service_that_charges_its_failures_costs_five_calls(live, service):
    """Five calls in a row that cost something and brought nothing stop a request."""
    names = SIXTY_SIX[:6]
    for name in names:
        service.answer(name, "rent", status=503, headers={"X-Cost-Cents": "30"})
    with pytest.raises(sp.errors.BatchIncomplete, match="of which 1 was not asked for") as caught:
        sp.rent(names)
    assert len(service.requests) == len(sp.ledger()) == 5
    assert sp.ledger()["cents"].sum() == caught.value.cents == 150
    assert "was not asked for" in str(caught.value.failures[names[-1]])


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
def test_an_outage_without_data_costs_ten_calls_and_the_same_line_goes_on(live, service):
    """If the first ten responses are without data, the request stops. The next run asks for others, and pays once."""
    for name in SIXTY_SIX:
        service.answer(name, "rent", body=b'{"data": null, "reason": "made_up"}')
    for run in (1, 2):
        with pytest.raises(sp.errors.BatchIncomplete, match="the first 10 responses were without data") as caught:
            sp.rent(SIXTY_SIX)
        assert f"of which {66 - 10 * run} were not asked for" in str(caught.value)
        assert len(service.requests) == 10 * run
    assert service.total_cents == sp.ledger()["cents"].sum() == 600
    service.clear()
    assert sp.rent(SIXTY_SIX)["area_name"].nunique() == 46
    assert max(service.served.values()) == 1


def test_look_ups_without_candidates_stop_nothing(live, service):
    """The service may know no suburb for any of many queries, and says so in responses that are no outage."""
    queries = [f"made-up {number}" for number in range(24)]
    for query in queries:
        service.answer(query, "geocode", body=b'{"data": []}')
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve(queries)
    assert len(service.requests) == 24
