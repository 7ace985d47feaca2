"""The project's own cassettes: made-up answers of the embedded sandbox, recorded over HTTP, as anybody can record them.

``python -m suburb_pandas record`` records them again, and with ``--live`` those of the live service's free suburbs, for
who has network.
"""

from pathlib import Path

import pytest
import requests
import vcr
import yaml

import suburb_pandas as sp
from suburb_pandas.__main__ import main
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.redaction import holds_key
from suburb_pandas.service.sources import EMBEDDED_TEST_SUBURBS
from suburb_pandas.service.statuses import KEPT_HEADERS
from suburb_pandas.service.urls import path_of

ROOT = Path(__file__).parents[2]
OWN = ROOT / "cassettes" / "embedded_sandbox.yaml"
PATHS = sorted([*ROOT.glob("cassettes/*.yaml"), *ROOT.glob("notebooks/*.yaml")])
NAMES = list(EMBEDDED_TEST_SUBURBS)[:3]


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request):
    """Give each cassette of the project."""
    return request.param


@pytest.mark.block_network(allowed_hosts=["nothing.invalid"])
def test_frames_come_from_the_cassette_alone():
    """Rents and drivers of three suburbs, and a look-up, with loopback blocked too and without any client."""
    with sp.cassette(OWN, record="none"):
        rents, drivers, found = sp.rent(NAMES), sp.impacts(NAMES), sp.find("kestrel hill", state="Vic.")
    assert list(rents["area_name"].cat.categories) == NAMES
    assert len(rents) > 300
    assert set(drivers["area_name"]) == set(NAMES)
    assert found["area_name"].to_list() == ["Kestrel Hill (Vic.)", "Kestrel Hill Lower"]
    for frame in (rents, drivers, found):
        assert frame.attrs["suburb_pandas"]["made_up"] is True


@pytest.mark.block_network(allowed_hosts=["nothing.invalid"])
def test_plain_vcrpy_replays_it_to_requests():
    """The same bytes, for whoever has vcrpy and not this package."""
    recorded = vcr_yaml.read(OWN.read_bytes())
    player = vcr.VCR(record_mode="none", match_on=["method", "path", "query"])
    with player.use_cassette(str(OWN)):
        for call in recorded:
            path = path_of(call.item)
            answer = requests.get(f"https://anywhere.invalid{path}", timeout=5)
            assert answer.status_code == 200
            assert answer.content == call.response.body
            assert answer.headers["X-Request-Id"] == call.response.request_id


def test_recording_again_gives_the_same_bytes(tmp_path, capsys):
    """Sandbox and cassette have not drifted apart, and a recording depends on neither day nor machine."""
    main(["record", "--folder", str(tmp_path)])
    assert (tmp_path / OWN.name).read_bytes() == OWN.read_bytes()
    assert "7 answers" in capsys.readouterr().out


def test_a_recording_that_fails_leaves_the_old_one(tmp_path, monkeypatch):
    """Without a network, the live service cannot be asked: a sentence says so, and no file is changed."""
    (tmp_path / "live_sandbox.yaml").write_bytes(OWN.read_bytes())
    monkeypatch.setattr("suburb_pandas.settings.LIVE_URL", "http://127.0.0.1:9")
    with pytest.raises(SystemExit, match=r"live_sandbox.yaml was not recorded.*could not be reached"):
        main(["record", "--live", "--folder", str(tmp_path)])
    assert (tmp_path / "live_sandbox.yaml").read_bytes() == OWN.read_bytes()


def test_no_cassette_holds_a_key_or_a_wallet(path):
    """The scan that each answer goes through finds nothing, and only headers that may be published are there."""
    text = path.read_text(encoding="utf-8")
    assert not holds_key(text, ["embedded-key-of-nobody"])
    for call in yaml.safe_load(text)["interactions"]:
        assert call["request"]["headers"] == {}
        assert {name.lower() for name in call["response"]["headers"]} <= set(KEPT_HEADERS)


def test_made_up_cassettes_say_so(path):
    """A recording of the embedded sandbox names no real host, and carries the mark of made-up data."""
    for call in yaml.safe_load(path.read_text(encoding="utf-8"))["interactions"]:
        assert call["request"]["uri"].startswith("http://embedded.invalid/v1/")
        assert "X-Made-Up-Data" in call["response"]["headers"]
        assert call["suburb_pandas"]["source"] == "embedded"


def test_each_answer_is_what_the_sandbox_says_today(path, service):
    """Also those of a notebook's cassette."""
    for call in vcr_yaml.read(path.read_bytes()):
        url = service.url + path_of(call.item)
        now = requests.get(url, headers={"Authorization": "Bearer embedded"}, timeout=5)
        assert (now.status_code, now.content) == (call.status, call.response.body)
        assert now.headers["X-Request-Id"] == call.response.request_id
