"""The sandbox as the tests use it: each fault does what its name says."""

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


@pytest.mark.parametrize("fault", sorted(Fault))
def test_a_fault_strikes_one_call_which_is_charged_unless_the_fault_comes_instead(service, fault):
    """A call that was served is charged, even if its response is then spoilt. The next one gets a correct response."""

    def get():
        url, headers = f"{service.url}/v1/suburbs/Zamia/lifestyle/poi-impacts", {"Authorization": f"Bearer {LIVE_KEY}"}
        return requests.get(url, headers=headers, timeout=60, allow_redirects=False)

    service.fail(fault, seconds=0.01)
    with pytest.raises(requests.RequestException) if fault in DROPPED else contextlib.nullcontext():
        response = get()
        assert response.status_code == STATUSES.get(fault, 200)
        assert ("X-Cost-Cents" in response.headers) == (fault not in STATUSES)
        assert "X-Made-Up-Data" in response.headers
    charged = fault not in BEFORE_BILLING
    assert (service.total_cents, service.served.total()) == (10 * charged, charged)
    assert service.requests[-1].fault == fault
    assert get().json()["data"]["area_name"] == "Zamia"
