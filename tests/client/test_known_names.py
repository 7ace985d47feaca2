"""The names known to a client: by source and base URL, from lists, responses and look-ups, and always up to date."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import suburb_pandas as sp
from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.service.calls import SANDBOX_SUBURBS
from tests.support.adversary import serve
from tests.support.common import LIVE_KEY, wait_for
from tests.support.made_up import NAMES


@pytest.fixture
def names_file(tmp_path):
    path = tmp_path / "names.txt"
    path.write_text("\n".join(NAMES), encoding="utf-8")
    return path


def known(client):
    """Return the names known to a client."""
    return {*known_names.gazetteer_of(RequestContext(client))}


def test_it_is_in_the_store(live, connect, names_file):
    """Clients of one store share at once what they know if they have the same source and base URL."""
    assert known(live) == set()
    path = live.store.path
    with connect(store=path) as other:
        sp.find("zamia")
        assert known(live) == known(other) == {"Zamia", "Zamia Heights"}
    with serve() as elsewhere, connect(base_url=elsewhere.url, store=path) as other:
        assert known(other) == set()
    with connect(api_key="test", store=path) as other:
        assert known(other) == {*SANDBOX_SUBURBS}
        sp.load_gazetteer(names_file)
        assert known(live) == {*NAMES}


def test_a_list_is_the_live_services_and_its_sandboxs(live, connect, names_file):
    """A loaded list applies to the live service and its sandbox at any base URL.

    A complete list also brings the ABS's special names.
    """
    sp.load_gazetteer(names_file, complete=True)
    for key in (LIVE_KEY, "test"):
        with connect(api_key=key, store=live.store.path) as client:
            assert known(client) >= {*NAMES, "Outside Australia", "No usual address (Vic.)"}
            assert sp.resolve("migratory - offshore - shipping (ot)").size == 1
    sp.load_gazetteer(names_file, complete=False, client=live)


def test_a_slower_call_keeps_nothing_back_and_is_not_missed(live, service):
    """While a call is under way, the names of later calls are known, and their responses are read only once.

    A response that arrives after those of later calls still adds its names.
    """
    service.fail("latency", name="zamia", seconds=60)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(sp.find, "zamia", client=live)
        wait_for(lambda: len(sp.ledger()) == 1)
        sp.find("woylie")
        assert known(live) == {"Woylie"}
        before = known_names.gazetteer_of(RequestContext(live))
        assert known_names.gazetteer_of(RequestContext(live)) is before
        service.release()
        slow.result(30)
    assert known(live) == {"Woylie", "Zamia", "Zamia Heights"}
