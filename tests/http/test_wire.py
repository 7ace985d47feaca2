"""Tests of one exchange: how long it takes, what certainly cost nothing, and what must not replace or show the key."""

import time
from unittest.mock import Mock

import pytest
import vcr

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, exchanged
from tests.support.raw_server import CHUNKED, KEY, OK, endless, whole
from tests.support.recorded import body_of


def test_a_netrc_does_not_replace_the_key(serve, monkeypatch, tmp_path):
    """A password in a netrc file does not replace the key, as it would in a session of requests."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login a password b")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    server = serve(whole(b"{}"))
    exchanged(server.url)
    assert LIVE_KEY.encode() in server.received[0]


def test_while_vcrpy_records_half_an_answer_may_have_cost_too(serve, tmp_path):
    """Only a connection that was never made certainly cost nothing."""
    with vcr.use_cassette(tmp_path / "c.yaml"):
        assert exchanged(serve(lambda connection: connection.sendall(OK + b"Content-Length: 9\r\n\r\nhalf")).url).sent
        assert not exchanged("http://127.0.0.1:1").sent


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "https://nowhere.invalid"])
def test_a_connection_that_was_never_made_cost_nothing(url):
    """A call to a host that refuses connections or does not exist was certainly not sent."""
    lost = exchanged(url)
    assert lost.why
    assert not lost.sent


@pytest.mark.parametrize(
    "handle",
    [
        endless(b"1", OK + b"Content-Length: 9999\r\n\r\n", pause=0.05),
        endless(b"1\r\nx\r\n", CHUNKED, pause=0.05),
        lambda _: time.sleep(5),
    ],
    ids=["body", "chunks", "silent"],
)
def test_a_call_ends_in_time_however_slowly_its_body_comes(serve, handle):
    """A server that is silent, or sends a body or chunks byte by byte, is given up. The call was sent."""
    start = time.monotonic()
    lost = exchanged(serve(handle).url, timeout=0.3)
    assert 0.2 < time.monotonic() - start < 30
    assert (lost.why, lost.sent) == ("no answer within 0.3 s", True)


def test_a_handshake_without_an_answer_is_no_connection(serve):
    """Nothing was sent."""
    lost = exchanged(serve(lambda _: time.sleep(5)).url.replace("http", "https"), timeout=0.3)
    assert (lost.why, lost.sent) == ("no connection was made in time", False)


def test_an_unforeseen_error_is_no_answer(monkeypatch):
    """The exchange says what happened. Before there was a connection, nothing was sent."""
    monkeypatch.setattr("urllib3.connectionpool.HTTPConnectionPool.urlopen", Mock(side_effect=MemoryError))
    lost = exchanged("http://127.0.0.1:1")
    assert "MemoryError" in lost.why
    assert not lost.sent


def test_a_line_that_is_no_header_is_not_logged(serve, client_of, caplog):
    """A header line without a colon may repeat the key, so it appears in no log."""
    server = serve(whole(body_of("Quokka Bay"), f"Authorization Bearer {KEY}"))
    with caplog.at_level("DEBUG"):
        assert len(sp.rent("Quokka Bay", client=client_of(server.url)))
    assert caplog.records
    assert KEY not in caplog.text
