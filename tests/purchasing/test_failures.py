"""Failed calls: each status and each broken response, up to the error that a user sees and the row in the ledger."""

import re

import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, RENTED
from tests.support.recorded import body_of

NAME = "Lantern Bay (NSW)"

# The fault of the service, the error, the outcome in the ledger, and the cents in the error and the ledger.
FAULTS = [
    ("server_error", sp.errors.ServiceError, "unknown", 30),
    ("server_error_billed", sp.errors.ServiceError, "unknown", 30),
    ("bad_gateway", sp.errors.ServiceError, "unknown", 30),
    ("gateway_timeout", sp.errors.ServiceError, "unknown", 30),
    ("redirect", sp.errors.ServiceError, "not_billed", 0),
    ("dropped_before", sp.errors.Unreachable, "unknown", 30),
    ("dropped_after_billing", sp.errors.Unreachable, "unknown", 30),
    ("dropped_mid_body", sp.errors.Unreachable, "unknown", 30),
    ("truncated_json", sp.errors.ContractViolation, "billed", 30),
    ("malformed_json", sp.errors.ContractViolation, "billed", 30),
    ("wrong_name", sp.errors.ContractViolation, "billed", 30),
    ("wrong_type", sp.errors.ContractViolation, "billed", 30),
    ("missing_field", sp.errors.ContractViolation, "billed", 30),
]


@pytest.mark.parametrize(("fault", "kind", "outcome", "cents"), FAULTS)
def test_each_fault_is_its_own_error_and_is_in_the_ledger(live, service, fault, kind, outcome, cents):
    """Each fault raises its own error with its possible cost. The ledger has it too, and nothing is sent again."""
    service.fail(fault, name=NAME)
    with pytest.raises(sp.SuburbError) as caught:
        sp.rent(NAME)
    assert type(caught.value) is kind
    assert caught.value.cents == cents
    warns = re.search("may charge a second time|running it again may", str(caught.value)) is not None
    assert warns is (outcome == "unknown")
    assert caught.value.retryable is (kind is not sp.errors.ContractViolation)
    (row,) = sp.ledger().itertuples()
    assert (row.outcome, row.cents) == (outcome, cents)
    assert len(service.requests) == 1
    # The ledger must never count less than the service billed.
    assert row.cents >= service.total_cents


@pytest.mark.parametrize("fault", [fault for fault, kind, *_ in FAULTS if kind is not sp.errors.ContractViolation])
def test_after_a_failed_call_the_same_request_works(live, service, fault):
    """A failed call does not block the next request for the same suburb."""
    service.fail(fault, name=NAME)
    with pytest.raises(sp.SuburbError):
        sp.rent(NAME)
    assert len(sp.rent(NAME)) > 100


@pytest.mark.parametrize(("fault", "kind", "path"), [
    ("missing_field", sp.rent, "$.data.house[3].date"),
    ("wrong_type", sp.rent, "$.data.house[3].value"),
    ("wrong_name", sp.rent, "$.data.area_name"),
    ("missing_field", sp.impacts, "$.data.n_sales"),
    ("wrong_type", sp.impacts, "$.data.n_sales"),
    ("wrong_name", sp.impacts, "$.data.area_name"),
])  # fmt: skip
def test_a_contract_violation_is_kept_and_bought_anew_on_request_only(live, service, fault, kind, path):
    """A broken response is stored: asking again raises its error for free, and ``refresh=True`` buys another."""
    service.fail(fault, name=NAME)
    for _ in range(2):
        with pytest.raises(sp.errors.ContractViolation, match="refresh=True") as caught:
            kind(NAME)
        assert caught.value.path == path
        assert caught.value.request_id
    assert caught.value.cents == 0
    assert len(service.requests) == 1
    assert len(kind(NAME, refresh=True))


@pytest.mark.parametrize(("key", "kind", "status"), [
    ("mib_test_nothing", sp.errors.Unauthorized, 401),
    ("test", sp.errors.Forbidden, 403),
])  # fmt: skip
def test_what_the_key_may_not_do_is_said_and_costs_nothing(service, key, kind, status):
    """A wrong key raises Unauthorized, and the free key outside its suburbs Forbidden. Neither costs anything."""
    with sp.Client(api_key=key, base_url=service.url, store=":memory:") as client:
        for _ in range(2):  # a free refusal is not stored, so the second request is sent too
            with pytest.raises(kind, match="Nothing was charged") as caught:
                sp.rent("Woylie", client=client)
        assert (caught.value.status_code, caught.value.cents, caught.value.retryable) == (status, 0, False)
        assert len(service.requests) == 2
    assert key not in str(caught.value) or key == "test"


def test_the_free_key_says_which_suburbs_it_knows(service):
    """Forbidden lists the free key's nine suburbs: the made-up ones if the response is marked as made up."""
    with sp.Client(api_key="test", base_url=service.url, store=":memory:") as client:
        with pytest.raises(
            sp.errors.Forbidden, match=r"The key .test. covers Lantern Bay \(NSW\), Bilby Heights.*Spinifex Landing"
        ):
            sp.rent("Woylie", client=client)
        service.answer("Bondi Beach", "rent", status=403, headers={"X-Made-Up-Data": None})
        with pytest.raises(
            sp.errors.Forbidden, match=r"The key .test. covers Belmont North, Bondi, St Kilda \(Vic\.\).*Nightcliff"
        ):
            sp.rent("Bondi Beach", client=client)


def test_an_empty_wallet(service, live):
    """A 402 costs nothing, and its message says what to do."""
    service.answer(NAME, "rent", status=402)
    with pytest.raises(sp.errors.PaymentRequired, match=r"Nothing was charged\. Top it up"):
        sp.rent(NAME)


def test_an_unknown_name_is_never_kept_and_never_a_near_match(live, service):
    """Names match exactly. A 404 that cost nothing is not stored, so the next request asks again."""
    for _ in range(2):
        with pytest.raises(sp.errors.UnknownSuburb, match=r"'lantern bay \(NSW\)'.*Nothing was charged"):
            sp.rent("lantern bay (NSW)")
    assert len(service.requests) == 2
    service.answer("Nowhere", "rent", status=404, headers={"X-Made-Up-Data": None})
    with pytest.raises(
        sp.errors.UnknownSuburb, match=r"sp\.load_gazetteer\(.*\); if your names are not exact, resolve them first: df"
    ):
        sp.rent("Nowhere")


@pytest.mark.parametrize("status", [400, 405, 418, 422])
def test_another_refusal_says_what_the_service_said(live, service, status):
    """Any other refusal raises Rejected, which quotes the body on one line and without control characters."""
    service.answer(NAME, "rent", status=status, body=b'{"detail":\n\t"no \x1b[31mway"}')
    with pytest.raises(sp.errors.Rejected, match=r"\{\"detail\": \"no \[31mway\"\}") as caught:
        sp.rent(NAME)
    assert caught.value.status_code == status


def test_a_refusal_that_was_charged_all_the_same_says_so(live, service):
    """The charge in ``X-Cost-Cents`` counts for refusals too."""
    service.answer(NAME, "rent", status=404, headers={"X-Cost-Cents": "30"})
    with pytest.raises(sp.errors.UnknownSuburb, match="The service charged 30 cents") as caught:
        sp.rent(NAME)
    assert caught.value.cents == 30
    assert sp.ledger()["cents"].to_list() == [30]


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("header", "seconds"), [("1", 1.0), ("nonsense", None), ("Fri, 01 Jan 2021 00:00:00 GMT", 0.0)]
)
def test_retry_after_is_passed_on(live, service, header, seconds):
    """`retry_after` is read from seconds or a date, and is None if the header cannot be read."""
    service.answer(NAME, "rent", status=429, headers={"Retry-After": header})
    with pytest.raises(sp.errors.RateLimited) as caught:
        sp.rent(NAME)
    assert caught.value.retry_after == seconds


def test_no_data_is_kept_and_its_reason_is_passed_on(live, service):
    """A single suburb without data raises NoData. It is charged once, like any response, and asking again is free."""
    with pytest.raises(sp.errors.NoData, match="The service charged 30 cents") as caught:
        sp.rent("Thorny Devil")
    assert (caught.value.reason, caught.value.cents) == ("insufficient_listings", 30)
    with pytest.raises(sp.errors.NoData, match="Nothing was charged") as caught:
        sp.rent("Thorny Devil")
    assert service.total_cents == 30


@pytest.mark.usefixtures("hasty")
def test_a_service_that_is_not_there_costs_nothing(service, live):
    """A call whose connection was refused certainly cost nothing, so it is recorded as not billed."""
    service.close()
    with pytest.raises(sp.errors.Unreachable, match="Nothing was sent, and nothing was charged") as caught:
        sp.rent(NAME)
    assert caught.value.cents == 0
    assert sp.ledger()["outcome"].to_list() == ["not_billed"] * 4


@pytest.mark.parametrize("fault", ["slow_body", "slow_headers", "latency"])
def test_a_call_has_a_deadline_for_all_of_it(service, tmp_path, fault):
    """The timeout limits the whole call, not each read, so a response that arrives slowly is cut off."""
    service.fail(fault, name=NAME, seconds=30)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", timeout=0.5) as client:
        with pytest.raises(sp.errors.Unreachable, match=r"no answer within 0\.5 s.*may have charged 30 cents"):
            sp.rent(NAME, client=client)
        *earlier, last = sp.ledger(client=client)["outcome"]
        assert last == "unknown"
        assert set(earlier) <= {"not_billed"}  # tries that took too long to connect on a busy machine


def test_a_down_service_does_not_burn_a_budget(live, service):
    """After five calls in a row with an unknown outcome, nothing more is sent. The other suburbs are failures too."""
    service.fail("dropped_after_billing", times=None)
    names = [f"Nowhere {number}" for number in range(30)] + [NAME]
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store, max_workers=1) as client,
        pytest.raises(sp.errors.BatchIncomplete) as caught,
    ):
        sp.rent([NAME, "Bilby Heights", "Quokka Bay", "Mangrove Steps", "Bogong Rise", *names], client=client)
    assert len(service.requests) == 5
    assert len(caught.value.failures) == 35
    assert "was not asked for" in str(caught.value.failures["Nowhere 29"])
    assert caught.value.cents == 30 * len(service.requests)


@pytest.mark.parametrize("status", [206, 302, 403, 404, 422, 500, 502, 503])
def test_a_service_that_charges_its_failures_costs_five_calls(live, service, status):
    """Five calls in a row that cost something and brought nothing stop a request, whatever their status."""
    for name in RENTED[:66]:
        service.answer(name, "rent", status=status, headers={"X-Cost-Cents": "30"})
    with pytest.raises(sp.errors.BatchIncomplete, match="of which 61 were not asked for") as caught:
        sp.rent(RENTED[:66])
    assert len(service.requests) == 5
    assert sp.ledger()["cents"].to_list() == [30] * 5
    assert caught.value.cents == 150


def test_an_outage_in_the_middle_of_a_request_costs_no_more_than_the_calls_under_way(live, service):
    """After the first charged failure, no call begins that would be the sixth in a row."""
    for name in RENTED[1:66]:
        service.answer(name, "rent", status=500, headers={"X-Cost-Cents": "30"})
    with pytest.raises(sp.errors.BatchIncomplete, match="5 calls in a row had no usable response"):
        sp.rent(RENTED[:66])
    assert 5 <= len(service.requests) - 1 <= 2 + live.settings.max_workers  # two beside the first one


def test_charged_failures_and_calls_without_an_answer_are_counted_together(live, service):
    """A charged 404 follows a dropped connection: the fifth call of either kind in a row is the last."""
    for name in RENTED[:66]:
        service.answer(name, "rent", status=404, headers={"X-Cost-Cents": "30"})
    service.fail("dropped_after_billing", times=2)
    with pytest.raises(sp.errors.BatchIncomplete, match="5 calls in a row had no usable response"):
        sp.rent(RENTED[:66])
    assert len(service.requests) == 5


@pytest.mark.parametrize("odd", [{"body": b'{"data": null}'}, {"body": b'{"data": '}], ids=["no data", "unreadable"])
def test_odd_responses_between_charged_failures_do_not_hide_them(live, service, odd):
    """Only a response with data, or a free refusal, ends a row of calls that brought nothing."""
    for number, name in enumerate(RENTED[:66]):
        service.answer(name, "rent", **({"status": 500} if number % 2 else odd), headers={"X-Cost-Cents": "30"})
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store, max_workers=1) as client,
        pytest.raises(sp.errors.BatchIncomplete, match="5 calls in a row had no usable response"),
    ):
        sp.rent(RENTED[:66], client=client)
    assert len(service.requests) <= 10


@pytest.mark.parametrize("status", [403, 404, 422])
def test_free_refusals_stop_nothing(live, service, status):
    """A free refusal is an answer about one suburb, so the others are asked for."""
    for name in RENTED[:12]:
        service.answer(name, "rent", status=status)
    with pytest.raises(sp.errors.BatchIncomplete):
        sp.rent(RENTED[:14])
    assert len(service.requests) == 14


NO_DATA = b'{"data": null, "reason": "made_up"}'


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
def test_an_outage_without_data_costs_ten_calls_and_the_same_line_goes_on(live, service):
    """If the first ten responses are without data, the request stops. The next run asks for others, and pays once."""
    for name in RENTED[:66]:
        service.answer(name, "rent", body=NO_DATA)
    for run in (1, 2):
        with pytest.raises(sp.errors.BatchIncomplete, match="the first 10 responses were without data") as caught:
            sp.rent(RENTED[:66])
        assert f"of which {66 - 10 * run} were not asked for" in str(caught.value)
        assert f"0 of 66 suburbs are in the error's .frame and stored, {10 * run} have no data; " in str(caught.value)
        assert str(caught.value).endswith("Run the same line again later; it goes on with the rest.")
        assert len(service.requests) == 10 * run
    assert max(service.served.values()) == 1
    assert service.total_cents == sp.ledger()["cents"].sum() == 600
    service.clear()
    assert sp.rent(RENTED[:66])["area_name"].nunique() == 46
    assert max(service.served.values()) == 1


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
def test_an_outage_without_data_in_the_middle_costs_twenty_calls(live, service):
    """After the first response with data, twenty in a row without data stop the request, at full speed till then."""
    for name in RENTED[:50]:
        service.answer(name, "rent", body=NO_DATA)
    for name in RENTED[:8]:
        service.answer(name, "rent", body=body_of(name))
    for name in RENTED[8:50]:
        service.fail("latency", name=name, seconds=0.2)  # so that the responses with data arrive before
    with pytest.raises(sp.errors.BatchIncomplete, match="the last 20 responses were without data") as caught:
        sp.rent(RENTED[:50])
    assert len(service.requests) == 28
    assert service.most_at_once == 8
    assert caught.value.frame["area_name"].nunique() == 8


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
def test_suburbs_without_data_among_others_stop_nothing(live, service):
    """Nine suburbs without data at the start, and nineteen in a row later, are no outage."""
    for name in [*RENTED[:9], *RENTED[10:29]]:
        service.answer(name, "rent", body=NO_DATA)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store, max_workers=1) as client:
        assert sp.rent(RENTED[:40], client=client)["area_name"].nunique() == 12


def test_look_ups_without_candidates_stop_nothing(live, service):
    """The service may know no suburb for any of many queries, and says so in responses that are no outage."""
    queries = [f"made-up {number}" for number in range(24)]
    for query in queries:
        service.answer(query, "geocode", body=b'{"data": []}')
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve(queries)
    assert len(service.requests) == 24
