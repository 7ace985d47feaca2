"""Tests of the project's own cassettes: made-up responses of the embedded sandbox, recorded over HTTP.

``python -m suburb_pandas record`` records them again. With ``--live``, it records the free suburbs of the live service,
for which it needs the network.
"""

from pathlib import Path

import pytest
import requests
import vcr
import yaml

from suburb_pandas.__main__ import main
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.redaction import holds_key
from suburb_pandas.service import path_of
from suburb_pandas.service.statuses import KEPT_HEADERS

ROOT = Path(__file__).parents[2]
OWN = ROOT / "cassettes" / "embedded_sandbox.yaml"
PATHS = sorted([*ROOT.glob("cassettes/*.yaml"), *ROOT.glob("notebooks/*.yaml")])


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request):
    """Return the path of each cassette of the project in turn."""
    return request.param


def answer(url):
    """Return the status, the body and the request id of what requests gets from a URL."""
    response = requests.get(url, headers={"Authorization": "Bearer embedded"}, timeout=5)
    return response.status_code, response.content, response.headers["X-Request-Id"]


@pytest.mark.block_network(allowed_hosts=["nothing.invalid"])
def test_plain_vcrpy_replays_it_to_requests():
    """Plain vcrpy, without this package, replays the cassette to requests byte for byte."""
    recorded = vcr_yaml.read(OWN.read_bytes()).calls
    with vcr.VCR(record_mode="none", match_on=["method", "path", "query"]).use_cassette(str(OWN)):
        for item, kept in recorded:
            assert answer(f"https://anywhere.invalid{path_of(item)}") == (200, kept.body, kept.request_id)


def test_recording_again_gives_the_same_bytes(tmp_path, capsys):
    """A recording does not depend on day or machine, so recording again yields the cassette in the repository."""
    main(["record", "--folder", str(tmp_path)])
    assert (tmp_path / OWN.name).read_bytes() == OWN.read_bytes()
    assert "7 responses" in capsys.readouterr().out


@pytest.mark.usefixtures("hasty")
def test_a_recording_that_fails_leaves_the_old_one(tmp_path, monkeypatch):
    """If the service cannot be reached, recording ends with an error message, and no file is changed."""
    (tmp_path / "live_sandbox.yaml").write_bytes(OWN.read_bytes())
    monkeypatch.setattr("suburb_pandas.settings.LIVE_URL", "http://127.0.0.1:9")
    with pytest.raises(SystemExit, match=r"live_sandbox.yaml was not recorded.*could not be reached"):
        main(["record", "--live", "--folder", str(tmp_path)])
    assert (tmp_path / "live_sandbox.yaml").read_bytes() == OWN.read_bytes()


def test_no_cassette_holds_a_key_or_a_wallet(path):
    """Published cassettes have no API key, no real host, and only headers that may be published. They are made up."""
    text = path.read_text(encoding="utf-8")
    assert not holds_key(text, ["embedded-key-of-nobody"])
    for call in yaml.safe_load(text)["interactions"]:
        assert call["request"]["headers"] == {}
        assert {name.lower() for name in call["response"]["headers"]} <= set(KEPT_HEADERS)
        assert call["request"]["uri"].startswith("http://embedded.invalid/v1/")
        assert "X-Made-Up-Data" in call["response"]["headers"]


def test_each_answer_is_what_the_sandbox_says_today(path, service):
    """Each recorded response, of the notebooks' cassettes too, is what the sandbox returns today."""
    for item, kept in vcr_yaml.read(path.read_bytes()).calls:
        assert answer(service.url + path_of(item)) == (kept.status, kept.body, kept.request_id)
