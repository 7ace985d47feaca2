"""When a request gives up, and when it does not."""

import pytest

import suburb_pandas as sp
from tests.support.common import RENTED

SIXTY_SIX = RENTED[:66]


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
