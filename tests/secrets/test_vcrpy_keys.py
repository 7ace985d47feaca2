"""A file that vcrpy recorded without a filter holds the API key. Whoever uses it as a cassette is warned."""

import inspect

import pytest
import requests
import vcr
import yaml

import suburb_pandas as sp
from tests.support.common import LIVE_KEY

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"
WORDS = r"study\.yaml holds an API key in 2 requests\. Do not publish .* change the key; .*filter_headers=\[\"authoriz"


@pytest.fixture
def path(tmp_path):
    """Return the path of a cassette."""
    return tmp_path / "study.yaml"


def record(path, service, headers, **options):
    """Record the rents of two suburbs with vcrpy, as a user's own code does."""
    with vcr.VCR(**options).use_cassette(str(path)):
        for name in (BAY, HEIGHTS):
            url = f"{service.url}/v1/suburbs/{name}/market/median-rent-series"
            assert requests.get(url, headers=headers, timeout=5).ok


@pytest.mark.parametrize("mode", ["once", "none", "new_episodes"])
@pytest.mark.parametrize("header", ["Authorization", "authorization"])
def test_a_key_that_vcrpy_recorded_gives_one_warning(service, path, mode, header):
    """The warning comes once, when the block begins, at the user's line, and does not show the key."""
    record(path, service, {header: f"Bearer {LIVE_KEY}"})
    line = inspect.currentframe().f_lineno + 1
    with pytest.warns(sp.SuburbWarning, match=WORDS) as caught, sp.cassette(path, mode):
        pass
    (warning,) = caught
    assert (warning.filename, warning.lineno) == (__file__, line)
    assert LIVE_KEY not in str(warning.message)


def test_a_key_counts_however_vcrpy_wrote_it(path):
    """A header may be a text, a list or bytes, and the scheme in any case."""
    for value in (f"bearer {LIVE_KEY}", [f"BEARER {LIVE_KEY}".encode()]):
        request = {"method": "GET", "uri": "https://other.example.org/", "headers": {"AUTHORIZATION": value}}
        answer = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": ""}}
        path.write_text(yaml.dump({"interactions": [{"request": request, "response": answer}], "version": 1}))
        with pytest.warns(sp.SuburbWarning, match="holds an API key in 1 request"), sp.cassette(path):
            pass


def test_without_a_secret_key_there_is_no_warning(embedded, service, path, tmp_path):
    """Nothing is said of the keys that anybody may know, of a filtered header, and of this package's own cassettes."""
    record(path, service, {"Authorization": "Bearer embedded"})
    record(
        tmp_path / "filtered.yaml", service, {"Authorization": f"Bearer {LIVE_KEY}"}, filter_headers=["authorization"]
    )
    with sp.cassette(tmp_path / "own.yaml"):
        sp.rent(BAY)
    for file in (path, tmp_path / "filtered.yaml", tmp_path / "own.yaml"):
        with sp.cassette(file):
            assert len(sp.rent(BAY))


def test_after_a_warning_that_is_an_error_another_cassette_can_be_used(embedded, service, path, tmp_path):
    """Where warnings are errors, the block does not begin, and its cassette is not in use."""
    record(path, service, {"Authorization": f"Bearer {LIVE_KEY}"})
    with pytest.raises(sp.SuburbWarning, match="holds an API key"), sp.cassette(path):
        pass
    with sp.cassette(tmp_path / "own.yaml"):
        assert len(sp.rent(BAY))
