"""The client over recorded calls: no key, no network, the same frames.

The cassettes are recorded over real HTTP from the embedded sandbox, whose suburbs are made up, by

    python -m pytest tests/test_cassettes.py --record-mode=rewrite

and, for who has network, from the nine real suburbs of the live sandbox, free, with ``SUBURB_CASSETTES=live`` before
it. vcrpy is not thread-safe, so one worker makes the calls.
"""

import os
import re
import warnings
from pathlib import Path

import pytest
import requests
import yaml

import suburb_pandas as sp
from suburb_pandas import wire
from suburb_pandas.sandbox import serve

SOURCE = os.environ.get("SUBURB_CASSETTES", "embedded")
NAMES = list(wire.SANDBOX_SUBURBS if SOURCE == "live" else wire.EMBEDDED_TEST_SUBURBS)[:3]
FOLDER = Path(__file__).parents[1] / "cassettes"
NOWHERE = "https://nowhere.invalid"
BALANCES = {"x-spent-cents", "x-remaining-cents", "x-balance-cents", "set-cookie"}


@pytest.fixture(scope="module")
def vcr_cassette_dir():
    """Keep cassettes at the top of the project, where a reader looks."""
    return str(FOLDER)


@pytest.fixture(scope="module")
def vcr_config():
    """Leave out the key, and the port that the sandbox happened to have."""

    def without_port(request):
        if request.host == "127.0.0.1":
            request.uri = re.sub(r"^http://[^/]+", "http://embedded.invalid", request.uri)
        return request

    def without_balances(response):
        response["headers"] = {k: v for k, v in response["headers"].items() if k.lower() not in BALANCES}
        return response

    return {
        "filter_headers": ["authorization"],
        "match_on": ["method", "path", "query"],
        "before_record_request": without_port,
        "before_record_response": without_balances,
    }


@pytest.fixture
def replayed(record_mode, tmp_path):
    """Give a client that could reach nothing but the cassette; when recording, one on the sandbox that is meant."""
    if record_mode == "none" or SOURCE == "live":
        url = NOWHERE if record_mode == "none" else None
        with sp.Client(api_key="test", base_url=url, store=tmp_path / "s", max_workers=1) as client:
            yield client
    else:
        with (
            serve() as service,
            sp.Client(api_key="test", base_url=service.url, store=tmp_path / "s", max_workers=1) as client,
        ):
            yield client


@pytest.mark.vcr
@pytest.mark.default_cassette(f"{SOURCE}_sandbox.yaml")
@pytest.mark.block_network(allowed_hosts=["nothing.invalid"])
def test_frames_come_from_the_cassette_alone(replayed):
    """Rents and drivers of three suburbs, with the network blocked, in the shapes of the design."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        rents, drivers = sp.rent(NAMES, client=replayed), sp.impacts(NAMES, client=replayed)
    assert list(rents.columns) == ["area_name", "house", "unit"]
    assert list(rents["area_name"].cat.categories) == NAMES
    assert len(rents) > 300
    assert set(drivers["area_name"]) <= set(NAMES)
    assert rents.attrs["suburb_pandas"].get("made_up", False) is (SOURCE == "embedded")


def interactions():
    """Give every recorded call, with its cassette's name."""
    for path in sorted(FOLDER.glob("*.yaml")):
        for call in yaml.safe_load(path.read_text(encoding="utf-8"))["interactions"]:
            yield path.name, call


def test_no_cassette_holds_a_key():
    """No Authorization, no bearer token and nothing that looks like a key is in any cassette."""
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.yaml")]
    assert texts
    for text in texts:
        assert not re.search(r"authorization|bearer|mib_(live|test)_", text, re.IGNORECASE)


def test_made_up_cassettes_say_so():
    """A recording of the embedded sandbox names no real host, and carries the mark of made-up data."""
    calls = [call for name, call in interactions() if name.startswith("embedded")]
    assert calls
    for call in calls:
        assert call["request"]["uri"].startswith("http://embedded.invalid/v1/suburbs/")
        assert "X-Made-Up-Data" in call["response"]["headers"]


def test_cassettes_and_sandbox_have_not_drifted_apart(service):
    """What was recorded of the embedded sandbox is what it says today."""
    calls = [call for name, call in interactions() if name.startswith("embedded")]
    assert calls
    for call in calls:
        url = call["request"]["uri"].replace("http://embedded.invalid", service.url)
        now = requests.get(url, headers={"Authorization": "Bearer test"}, timeout=5)
        assert now.text == call["response"]["body"]["string"]
        assert [now.headers["X-Request-Id"]] == call["response"]["headers"]["X-Request-Id"]
