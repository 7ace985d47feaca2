"""A file that vcrpy recorded without a filter holds the API key. Whoever uses it as a cassette is warned."""

import inspect

import pytest
import requests
import vcr

import suburb_pandas as sp
from tests.support.common import LIVE_KEY

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"
WORDS = r"study\.yaml holds an API key in 2 requests\. Do not publish .* change the key; .*filter_headers=\[\"authoriz"


def record(path, service, headers, **options):
    """Record the rents of two suburbs with vcrpy, as a user's own code does."""
    with vcr.VCR(**options).use_cassette(str(path)):
        for name in (BAY, HEIGHTS):
            url = f"{service.url}/v1/suburbs/{name}/market/median-rent-series"
            assert requests.get(url, headers=headers, timeout=5).ok


@pytest.mark.parametrize("header", ["Authorization", "authorization"])
def test_a_key_that_vcrpy_recorded_gives_one_warning(service, path, header):
    """The warning comes once, when the block begins, at the user's line, and does not show the key."""
    record(path, service, {header: f"Bearer {LIVE_KEY}"})
    line = inspect.currentframe().f_lineno + 1
    with pytest.warns(sp.SuburbWarning, match=WORDS) as caught, sp.cassette(path, "new_episodes"):
        pass
    (warning,) = caught
    assert (warning.filename, warning.lineno) == (__file__, line)
    assert LIVE_KEY not in str(warning.message)


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
