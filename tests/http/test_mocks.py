"""The tools with which the users of requests test work here: vcrpy, pytest-recording, responses and requests-mock."""

import gzip
import os
import subprocess
import sys

import pytest
import requests_mock
import responses
import vcr

import suburb_pandas as sp
from suburb_pandas.http import wire
from suburb_pandas.service import path_of
from suburb_pandas.service.calls import Item
from tests.support.common import LIVE_KEY, RENTED
from tests.support.raw_server import whole
from tests.support.recorded import body_of

FOUR = RENTED[:4]
PRICED = {"X-Cost-Cents": "30"}

USERS_TESTS = f"""
import os, pytest, vcr
import suburb_pandas as sp

@pytest.fixture(autouse=True)
def client():
    with sp.connect(api_key={LIVE_KEY!r}, base_url=os.environ["SERVICE"], store=":memory:") as client:
        yield client

@pytest.mark.vcr(filter_headers=["authorization"])
def test_many():
    assert sp.rent({FOUR!r})["area_name"].nunique() == 4
    assert sp.ledger()["cents"].tolist() == [30] * 4

@pytest.mark.vcr(filter_headers=["authorization"])
def test_one():
    assert len(sp.rent({FOUR[0]!r})) > 100

def test_one_in_a_block():
    with vcr.use_cassette("one.yaml", filter_headers=["authorization"], record_mode=os.environ["MODE"]):
        assert len(sp.rent({FOUR[1]!r})) > 100

def test_many_in_a_block():
    with vcr.use_cassette("many.yaml", filter_headers=["authorization"], record_mode=os.environ["MODE"]):
        assert sp.rent({FOUR!r})["area_name"].nunique() == 4
"""
"""The tests of a user, which record 10 calls in two ways. The first request of the process is one of many suburbs."""

RUNS = ["once", "none", "new_episodes", "none -n2", "once -n2", "none", "none -n2", "all"]
"""The record modes of eight runs, some in two processes. The first one and the last one record."""


def run(folder, mode, url):
    """Run the tests of a user in a record mode, in another process, and return what pytest printed."""
    mode, *processes = mode.split()
    options = ["-q", "-ppytest_recording.plugin", "-pxdist.plugin", f"--record-mode={mode}", *processes]
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # other plugins take longer to load than the tests to run
    environment = {**os.environ, **alone, "SERVICE": url, "MODE": mode, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "pytest", *options, "test_rents.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("runs", [RUNS[:2], pytest.param(RUNS, marks=pytest.mark.long)], ids=["two runs", "eight"])
def test_a_users_tests_are_recorded_once_and_replayed_without_a_call(service, tmp_path, runs, trial):
    """Tests with ``@pytest.mark.vcr`` and ``vcr.use_cassette`` pass in every record mode. Only a recording calls."""
    (tmp_path / "test_rents.py").write_text(USERS_TESTS)
    calls = []
    for mode in runs:
        before = len(service.requests)
        printed = run(tmp_path, mode, service.url)
        assert "4 passed" in printed, printed
        calls.append(len(service.requests) - before)
    assert calls == [10 if number == 0 or mode == "all" else 0 for number, mode in enumerate(runs)]
    assert not any(LIVE_KEY in path.read_text() for path in tmp_path.rglob("*.yaml"))
    trial("a user's tests are recorded with vcrpy and replayed", "all pass, and no replay calls", runs=len(runs))


def only_refused():
    """Assert that a call is refused by the mock in use, and that the ledger has no charge."""
    with pytest.raises(sp.errors.Unreachable, match=r"the mock in use has no response.*Put this right"):
        sp.rent(RENTED[9])
    assert sp.ledger()[["outcome", "cents"]].to_numpy().tolist()[-1] == ["not_billed", 0]


def test_a_response_that_a_vcrpy_cassette_lacks_costs_nothing(live, service, tmp_path):
    """Where vcrpy may not record, nothing is sent, and the ledger has no charge."""
    with vcr.use_cassette(tmp_path / "c.yaml", record_mode="none"):
        assert not wire.allows_threads()
        only_refused()
    assert not service.requests
    assert wire.allows_threads()


@pytest.mark.parametrize(("make", "body"), [(responses.RequestsMock, "body"), (requests_mock.Mocker, "content")])
def test_a_mock_intercepts_every_call(live, service, make, body):
    """A URL that is registered with responses or requests-mock is answered. Other calls are not sent, at no cost."""
    mock = make()
    for name in FOUR:
        mock.get(service.url + path_of(Item("rent", name)), headers=PRICED, **{body: body_of(name)})
    with mock:
        assert len(sp.rent(FOUR)) == 4
        only_refused()
    assert not service.requests


@pytest.mark.parametrize("options", [{}, {"decode_compressed_response": True}], ids=str)
def test_vcrpy_records_and_replays_a_compressed_response(live, serve, tmp_path, options):
    """Vcrpy may decompress a body and leave its header."""
    server = serve(whole(gzip.compress(body_of(FOUR[0])), "X-Cost-Cents: 30", "Content-Encoding: gzip"))
    for number in range(2):
        with (
            sp.Client(api_key=LIVE_KEY, base_url=server.url, store=tmp_path / f"{number}") as client,
            vcr.use_cassette(tmp_path / "c.yaml", **options),
        ):
            assert len(sp.rent(FOUR[0], client=client)) == 1
    assert len(server.received) == 1
