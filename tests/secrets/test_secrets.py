"""The key is neither in what this project publishes nor in what a cassette records of a store."""

from pathlib import Path

import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import Item
from tests.support.common import LIVE_KEY
from tests.support.raw_server import said_by, shows
from tests.support.recorded import body_of
from tests.support.stored import put

ROOT = Path(__file__).parents[2]


def shows_key(text):
    """Return True if a text holds the key in any form."""
    return shows(LIVE_KEY, text)


def test_a_stored_response_with_the_key_is_not_recorded_and_not_shown(live, caplog, tmp_path):
    """A cassette refuses a response that was stored before keys were cut out, and its error does not show the key."""
    put(live.store, live.namespace, {Item("rent", "Quokka Bay"): body_of("Quokka Bay", LIVE_KEY)})
    with sp.cassette(tmp_path / "study.yaml"), pytest.raises(sp.errors.CassetteError) as caught:
        sp.rent("Quokka Bay")
    assert not shows_key(said_by(caught.value) + caplog.text)


def test_nothing_in_the_project_looks_like_a_live_key():
    """No cassette or notebook holds a live key. The notebook on money has a made-up one for its own sandbox."""
    files = [*ROOT.glob("cassettes/*"), *(file for file in ROOT.glob("notebooks/*") if file.is_file())]
    assert files
    texts = [path.read_text(encoding="utf-8").replace("mib_live_anything", "") for path in files]
    assert not any("mib_live_" in text for text in texts)
