"""While http.client prints the headers of each call, no call is made with a secret key."""

import http.client

import pytest
import urllib3.connection

import suburb_pandas as sp
from tests.support.common import LIVE_KEY

NAME = "Quokka Bay"


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        (http.client.HTTPConnection, "http.client.HTTPConnection.debuglevel"),
        (urllib3.connection.HTTPSConnection, "urllib3.connection.HTTPSConnection.debuglevel"),
    ],
)
def test_nothing_is_sent_while_headers_are_printed(live, service, monkeypatch, capsys, kind, setting):
    """The error says which setting would print the key, in one sentence. After it is reset, the same line works."""
    monkeypatch.setattr(kind, "debuglevel", 1)
    with pytest.raises(sp.errors.SettingsError) as caught:
        sp.rent([NAME])
    assert str(caught.value) == (
        f"Nothing was sent, because {setting} is set and would print the API key: set it to 0, and try again."
    )
    assert len(service.requests) == 0
    monkeypatch.setattr(kind, "debuglevel", 0)
    assert len(sp.rent([NAME]))
    assert LIVE_KEY not in "".join(capsys.readouterr())


def test_what_needs_no_secret_key_works_while_headers_are_printed(live, service, monkeypatch, capsys, tmp_path):
    """Stored and recorded responses are used, and calls are made with the keys that anybody may know."""
    with sp.cassette(tmp_path / "study.yaml"):
        sp.rent(NAME)
    monkeypatch.setattr(http.client.HTTPConnection, "debuglevel", 1)
    assert len(sp.rent(NAME))
    with sp.cassette(tmp_path / "study.yaml"):
        assert len(sp.rent(NAME, refresh=True))
    for key in ("test", "embedded"):
        with sp.Client(api_key=key, base_url=service.url, store=":memory:") as client:
            assert len(sp.rent(NAME, client=client))
    assert LIVE_KEY not in "".join(capsys.readouterr())
