import contextlib
import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from suburb_pandas import sandbox
from suburb_pandas.sandbox import Fault
from suburb_pandas.sandbox.accounts import Accounts
from suburb_pandas.sandbox.adversary.faults import BEFORE_BILLING, ORDINARY
from suburb_pandas.sandbox.adversary.script import Script
from suburb_pandas.sandbox.app import App
from suburb_pandas.sandbox.server import Sandbox

LIVE = "mib_live_of_a_test"
DROPPED = {Fault.DROPPED_BEFORE, Fault.DROPPED_AFTER_BILLING, Fault.DROPPED_MID_BODY}
STATUSES = {
    Fault.RATE_LIMITED: 429,
    Fault.RATE_LIMITED_RETRY_AFTER: 429,
    Fault.SERVER_ERROR: 500,
    Fault.SERVER_ERROR_BILLED: 500,
    Fault.BAD_GATEWAY: 502,
    Fault.UNAVAILABLE: 503,
    Fault.GATEWAY_TIMEOUT: 504,
}


@pytest.mark.parametrize("fault", sorted(Fault))
def test_a_fault_bills_unless_it_comes_instead_of_the_answer(ask, service, fault):
    """A call that was served is charged, even if its response is then spoilt or lost."""
    service.fail(fault, seconds=0.01)
    with pytest.raises(requests.RequestException) if fault in DROPPED else contextlib.nullcontext():
        ask("Bilby Heights", "impacts", LIVE, allow_redirects=False)
    assert service.total_cents == (0 if fault in BEFORE_BILLING else 10)
    assert service.served.total() == (0 if fault in BEFORE_BILLING else 1)
    assert service.requests[-1].fault == fault


@pytest.mark.parametrize("fault", sorted(Fault))
def test_the_next_request_is_well_again(ask, service, fault):
    """A fault strikes one request; the next one on the same session gets its own, correct response."""
    service.fail(fault, seconds=0.01)
    with pytest.raises(requests.RequestException) if fault in DROPPED else contextlib.nullcontext():
        ask("Bilby Heights", allow_redirects=False)
    if fault == Fault.DROPPED_AFTER_BODY:
        time.sleep(0.1)  # else the next request may leave before the client learns that the connection is closed
    assert ask("Bilby Heights").json()["data"]["area_name"] == "Bilby Heights"


@pytest.mark.parametrize(("fault", "status"), STATUSES.items())
def test_refusals_have_their_status_and_no_metering(ask, service, fault, status):
    """An error status has no metering headers, but is marked as made up and has a request id."""
    service.fail(fault)
    response = ask("Bilby Heights", key=LIVE)
    assert response.status_code == status
    assert "X-Cost-Cents" not in response.headers
    assert "X-Made-Up-Data" in response.headers
    assert "X-Request-Id" in response.headers


def test_one_429_says_when_to_come_back_and_the_other_does_not(ask, service):
    """The sandbox has a 429 with ``Retry-After`` and one without, because services send both."""
    service.fail("rate_limited")
    service.fail("rate_limited_retry_after")
    assert [ask("Zamia").headers.get("Retry-After") for _ in range(2)] == [None, "1"]


def test_a_redirect_leads_to_another_host(ask, service):
    """A redirect names a host that the client's key must not be sent to."""
    service.fail("redirect")
    response = ask("Zamia", allow_redirects=False)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("http://elsewhere.invalid/")


@pytest.mark.parametrize("fault", ["dropped_before", "dropped_after_billing"])
def test_a_dropped_connection_brings_no_byte(service, raw, fault):
    """A dropped connection is closed before the status line."""
    service.fail(fault)
    assert raw("/v1/geocode/suburb?q=zamia", service=service) == b""


def test_a_connection_dropped_in_the_body_brings_less_than_was_promised(service, raw):
    """A connection dropped in the body brings the headers and half of the bytes that Content-Length promises."""
    target = "/v1/suburbs/Zamia/lifestyle/poi-impacts"
    whole = raw(target, service=service)
    service.fail("dropped_mid_body")
    part = raw(target, service=service)
    head, _, body = whole.partition(b"\r\n\r\n")
    assert part == head + b"\r\n\r\n" + body[: len(body) // 2]


@pytest.mark.parametrize("fault", ["latency", "slow_body", "slow_headers"])
def test_a_slow_answer_takes_its_time_and_is_whole(ask, service, fault):
    """A slow response is late or in pieces, but its body is complete and correct."""
    right = ask("Zamia").content
    service.fail(fault, seconds=0.3)
    start = time.monotonic()
    response = ask("Zamia")
    assert time.monotonic() - start >= 0.3
    assert response.content == right


def test_what_is_held_back_can_be_let_go(ask, service):
    """`release` answers the calls that ``latency`` holds back, and later ones at once."""
    service.fail("latency", times=2, seconds=600)
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(ask, "Zamia")
        with pytest.raises(TimeoutError):
            held.result(0.1)
        service.release()
        assert held.result(25).status_code == 200
    assert ask("Zamia").status_code == 200


def test_a_slow_body_sends_its_headers_at_once(ask, service):
    """A slow body starts at once and keeps coming, so a timeout between bytes does not end it."""
    service.fail("slow_body", seconds=1)
    response = ask("Zamia", stream=True)
    with_headers = time.monotonic()
    assert response.json()["data"]["area_name"] == "Zamia"
    assert time.monotonic() - with_headers > 0.5


def test_truncated_json_is_a_complete_message(ask, service):
    """A truncated response has the length it announces and is charged, but its JSON stops half way."""
    right = ask("Zamia").content
    service.fail("truncated_json")
    response = ask("Zamia", key=LIVE)
    assert response.content == right[: len(right) // 2]
    assert int(response.headers["Content-Length"]) == len(response.content)
    assert response.headers["X-Cost-Cents"] == "30"


def test_malformed_json_is_a_web_page_that_was_paid_for(ask, service):
    """A malformed response is a web page with status 200 and metering headers."""
    service.fail("malformed_json")
    response = ask("Zamia", key=LIVE)
    assert response.status_code == 200
    assert response.content.startswith(b"<!doctype html>")
    assert response.headers["X-Cost-Cents"] == "30"


@pytest.mark.parametrize("endpoint", ["rent", "impacts", "geocode"])
def test_the_wrong_name_is_that_of_another_suburb(ask, service, endpoint):
    """A response with the wrong name is about another suburb of the sandbox, on every endpoint."""
    service.fail("wrong_name")
    data = ask("Zamia", endpoint).json()["data"]
    first = data[0] if endpoint == "geocode" else data
    assert first["area_name"] in {suburb.name for suburb in sandbox.SUBURBS} - {"Zamia"}


def test_the_wrong_type_is_a_text_for_a_number(ask, service):
    """The wrong type is in each point of a rent series from the fourth on, or in the number of sales."""
    service.fail("wrong_type", times=3)
    house = ask("Zamia").json()["data"]["house"]
    assert {point["value"] for point in house[3:]} == {"about that"} != {point["value"] for point in house[:3]}
    assert ask("Gannet Steps").json()["data"]["unit"][3]["value"] == "about that"
    assert ask("Zamia", "impacts").json()["data"]["n_sales"] == "many"


def test_the_missing_field_is_one_that_is_always_there(ask, service):
    """The missing field is the date of each point of a rent series from the fourth on, or the number of sales."""
    service.fail("missing_field", times=2)
    assert not any("date" in point for point in ask("Zamia").json()["data"]["house"][3:])
    assert "n_sales" not in ask("Zamia", "impacts").json()["data"]


@pytest.mark.parametrize("fault", ["truncated_json", "wrong_name", "missing_field", "wrong_type"])
@pytest.mark.parametrize("name", ["Bondi", "Thorny Devil"])
def test_a_fault_of_the_data_spares_answers_without_data(ask, service, fault, name):
    """A fault of the data leaves error responses and responses without data as they are."""
    service.fail(fault)
    response = ask(name)
    if response.status_code == 404:
        assert "detail" in response.json()
    elif fault != "truncated_json":
        assert response.json()["data"] is None


def test_a_fault_waits_for_the_request_it_is_for(ask, service):
    """A fault for a suburb and endpoint strikes only their calls, as many times as asked."""
    service.fail("server_error", name="Zamia", endpoint="impacts", times=2)
    assert ask("Zamia", "rent").status_code == 200
    assert ask("Woylie", "impacts").status_code == 200
    assert [ask("Zamia", "impacts").status_code for _ in range(3)] == [500, 500, 200]


def test_faults_are_taken_in_the_order_written(ask, service):
    """Faults strike in the order in which they were added."""
    service.fail("server_error")
    service.fail("unavailable")
    assert [ask("Zamia").status_code for _ in range(3)] == [500, 503, 200]


def test_a_fault_without_end_ends_when_it_is_cleared(ask, service):
    """A fault with ``times=None`` strikes every call until `clear`."""
    service.fail("bad_gateway", times=None)
    assert [ask("Zamia").status_code for _ in range(3)] == [502, 502, 502]
    service.clear()
    assert ask("Zamia").status_code == 200


def test_an_unknown_fault_is_refused_at_once(service):
    """A misspelt fault raises an error, and does not pass for a service without faults."""
    with pytest.raises(ValueError, match="no_such_fault"):
        service.fail("no_such_fault")


def chance_statuses(seed):
    """Return the statuses of forty requests under an error rate of 0.5."""
    with sandbox.serve(error_rate=0.5, faults=["server_error", "unavailable"], seed=seed) as service:
        headers = {"Authorization": "Bearer embedded"}
        url = f"{service.url}/v1/suburbs/Zamia/lifestyle/poi-impacts"
        with requests.Session() as session:
            return [session.get(url, headers=headers, timeout=10).status_code for _ in range(40)]


def test_chance_is_seeded_and_picks_from_the_faults_named():
    """The same seed draws the same faults, and another seed draws others."""
    first = chance_statuses(7)
    assert set(first) == {200, 500, 503}
    assert 8 <= Counter(first)[200] <= 32
    assert chance_statuses(7) == first
    assert chance_statuses(8) != first


def test_the_ordinary_faults_are_those_of_a_bad_day():
    """The default faults are latency, refusals, errors, drops, slow bodies and broken JSON, but never wrong data."""
    assert set(ORDINARY) >= {"latency", "rate_limited", "rate_limited_retry_after", "server_error"}
    assert set(ORDINARY) >= {"dropped_before", "dropped_mid_body", "slow_body", "truncated_json", "malformed_json"}
    assert not set(ORDINARY) & {"wrong_name", "wrong_type", "missing_field"}


def test_beyond_the_rate_limit_every_second_429_has_a_retry_after():
    """Calls beyond the rate limit are refused for free; a second later the limit allows calls again."""
    now = [100.0]
    script = Script(rate_limit=3, clock=lambda: now[0])
    with Sandbox(App(Accounts(wallet_cents=100), script)) as service, requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {LIVE}"
        url = f"{service.url}/v1/geocode/suburb"
        answers = [session.get(url, params={"q": "woylie"}, timeout=10) for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 4
        assert [answer.headers.get("Retry-After") for answer in answers[3:]] == [None, "1", None, "1"]
        assert service.total_cents == 3
        now[0] += 1
        assert session.get(url, params={"q": "woylie"}, timeout=10).status_code == 200


def test_every_answer_takes_the_latency_at_least():
    """Every call takes at least the latency, even one that ends in an error."""
    with sandbox.serve(latency_ms=120) as service:
        start = time.monotonic()
        requests.get(f"{service.url}/v1/geocode/suburb", timeout=10)
        assert time.monotonic() - start >= 0.12


def test_a_canned_answer_is_given_word_for_word_and_paid_for(ask, service):
    """A canned response may be about a name that the sandbox does not have, and is charged like any other."""
    body = b'{"data": {"area_name": "Bondi", "area_level": "suburb", "house": [], "unit": null}}'
    service.answer("Bondi", "rent", body=body)
    response = ask("Bondi", key=LIVE)
    assert (response.status_code, response.content) == (200, body)
    assert response.headers["X-Cost-Cents"] == "30"
    assert service.billed == {("rent", "Bondi"): 30}
    assert ask("Bondi", "impacts").status_code == 404


def test_a_canned_answer_has_the_headers_it_is_given(ask, service):
    """A canned response may add, replace or remove headers, even the mark of made-up data."""
    headers = {"X-Cost-Cents": "45", "X-Made-Up-Data": None, "Retry-After": "7"}
    service.answer("Zamia", "rent", body=b"{}", headers=headers, times=1)
    response = ask("Zamia")
    assert response.headers["X-Cost-Cents"] == "45"
    assert response.headers["Retry-After"] == "7"
    assert "X-Made-Up-Data" not in response.headers
    assert "X-Made-Up-Data" in ask("Zamia").headers


@pytest.mark.parametrize(
    ("status", "billed", "cents"), [(503, None, 0), (404, None, 0), (200, False, 0), (500, True, 30)]
)
def test_a_canned_answer_bills_as_told(ask, service, status, billed, cents):
    """A canned response is charged as `billed` says, and by default if its status is 200."""
    service.answer("Zamia", "rent", status=status, body=b"{}", billed=billed)
    assert ask("Zamia", key=LIVE).status_code == status
    assert service.total_cents == cents


def test_the_newest_canned_answer_wins(ask, service):
    """Of several canned responses for a call, the newest is used until it is used up."""
    service.answer("Zamia", "rent", body=b'{"data": 1}')
    service.answer("Zamia", "rent", body=b'{"data": 2}', times=1)
    assert [ask("Zamia").json() for _ in range(2)] == [{"data": 2}, {"data": 1}]


def test_a_canned_answer_still_needs_a_key(ask, service):
    """A call with an unknown key gets 401, even where a response is canned."""
    service.answer("Zamia", "rent", body=json.dumps({"data": None}).encode())
    assert ask("Zamia", key="wrong").status_code == 401
