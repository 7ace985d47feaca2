"""The sandbox as the tests use it: each fault does what its name says, and canned responses are sent as they are."""

import contextlib

import pytest
import requests

from tests.support.common import LIVE_KEY
from tests.support.faults import BEFORE_BILLING, Fault

DROPPED = {Fault.DROPPED_BEFORE, Fault.DROPPED_AFTER_BILLING, Fault.DROPPED_MID_BODY}
STATUSES = {
    Fault.RATE_LIMITED: 429,
    Fault.RATE_LIMITED_RETRY_AFTER: 429,
    Fault.SERVER_ERROR: 500,
    Fault.SERVER_ERROR_BILLED: 500,
    Fault.BAD_GATEWAY: 502,
    Fault.UNAVAILABLE: 503,
    Fault.GATEWAY_TIMEOUT: 504,
    Fault.REDIRECT: 302,
}
IMPACTS = "/v1/suburbs/Zamia/lifestyle/poi-impacts"


@pytest.mark.parametrize("fault", sorted(Fault))
def test_a_fault_strikes_one_call_which_is_charged_unless_the_fault_comes_instead(ask, raw, service, fault):
    """A call that was served is charged, even if its response is then spoilt. The next one gets a correct response."""
    service.fail(fault, seconds=0.01)
    with pytest.raises(requests.RequestException) if fault in DROPPED else contextlib.nullcontext():
        response = ask("Zamia", "impacts", LIVE_KEY, allow_redirects=False)
        assert response.status_code == STATUSES.get(fault, 200)
        assert ("X-Cost-Cents" in response.headers) == (fault not in STATUSES)
        assert "X-Made-Up-Data" in response.headers
    charged = fault not in BEFORE_BILLING
    assert (service.total_cents, service.served.total()) == (10 * charged, charged)
    assert service.requests[-1].fault == fault
    assert b'"area_name":"Zamia"' in raw(IMPACTS)  # over another connection


def test_a_dropped_connection_brings_nothing_or_half_of_the_body(service, raw):
    """A connection is dropped before the status line, or after half of the bytes that Content-Length promises."""
    head, end, body = raw(IMPACTS).partition(b"\r\n\r\n")
    for fault in ("dropped_before", "dropped_after_billing", "dropped_mid_body"):
        service.fail(fault)
    assert [raw(IMPACTS) for _ in range(3)] == [b"", b"", head + end + body[: len(body) // 2]]


def test_faults_are_for_their_calls_in_the_order_added_until_cleared(ask, service):
    """A fault strikes calls of its suburb and endpoint, as many times as asked; without a number, until `clear`."""
    service.fail("server_error", name="Zamia", endpoint="impacts", times=2)
    assert [ask("Zamia").status_code, ask("Woylie", "impacts").status_code] == [200, 200]
    service.fail("bad_gateway", times=None)
    assert [ask("Zamia", "impacts").status_code for _ in range(4)] == [500, 500, 502, 502]
    service.clear()
    assert ask("Zamia").status_code == 200
    with pytest.raises(ValueError, match="no_such_fault"):
        service.fail("no_such_fault")


def test_a_canned_response_is_sent_as_it_is_and_paid_for(ask, service):
    """It may be about an unknown name, and change or remove headers, even the mark. It still needs a known key."""
    service.answer("Bondi", "rent", body=b"{}", headers={"X-Spent-Cents": "45", "X-Made-Up-Data": None})
    response = ask("Bondi", key=LIVE_KEY)
    assert (response.status_code, response.content) == (200, b"{}")
    assert (response.headers["X-Cost-Cents"], response.headers["X-Spent-Cents"]) == ("30", "45")
    assert "X-Made-Up-Data" not in response.headers
    assert service.billed == {("rent", "Bondi"): 30}
    assert [ask("Bondi", "impacts").status_code, ask("Bondi", key="wrong").status_code] == [404, 401]


@pytest.mark.parametrize(("status", "billed", "cents"), [(404, None, 0), (200, False, 0), (500, True, 30)])
def test_a_canned_response_is_charged_as_told_and_the_newest_wins(ask, service, status, billed, cents):
    """A canned response is charged as `billed` says, by default if its status is 200, and used until it is used up."""
    service.answer("Zamia", "rent", status=429)
    service.answer("Zamia", "rent", status=status, billed=billed, times=1)
    assert [ask("Zamia", key=LIVE_KEY).status_code for _ in range(2)] == [status, 429]
    assert service.total_cents == cents
