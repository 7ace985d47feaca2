"""Tests of one exchange: what is sent, which responses are refused, and how long a call takes."""

import gzip
import time
from importlib.metadata import version
from unittest.mock import Mock

import pytest
import vcr

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, exchanged
from tests.support.raw_server import CHUNKED, KEY, OK, endless, whole
from tests.support.recorded import body_of


def sends(*pieces):
    """Return a handler that sends these pieces, and closes the connection."""
    return lambda connection: [connection.sendall(piece) for piece in pieces]


def test_a_call_carries_the_key_and_the_version_and_asks_for_no_compression(serve):
    """The key is a bearer token."""
    server = serve(whole(b"{}", "X-Cost-Cents: 3"))
    answer = exchanged(server.url, "/v1/x")
    assert (answer.status, answer.body, answer.headers["x-cost-cents"]) == (200, b"{}", "3")
    sent = server.received[0].decode()
    assert sent.startswith("GET /v1/x HTTP/1.1\r\n")
    assert f"Authorization: Bearer {LIVE_KEY}\r\n" in sent
    assert f"User-Agent: suburb_pandas/{version('suburb_pandas')}\r\n" in sent
    assert "Accept-Encoding: identity\r\n" in sent


def test_a_netrc_does_not_replace_the_key(serve, monkeypatch, tmp_path):
    """A password in a netrc file does not replace the key, as it would in a session of requests."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login a password b")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    server = serve(whole(b"{}"))
    exchanged(server.url)
    assert LIVE_KEY.encode() in server.received[0]


GZIPPED = gzip.compress(b'{"data": null}')
GZIP_HEAD = OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [OK + b"Content-Length: 9\r\n\r\nhalf"],
        [CHUNKED + b"5\r\nhalf"],
        [b"not http at all\r\n\r\n"],
        [b"Tunnel connection failed: 407\r\n\r\n"],
        [b"Connection refused by Responses\r\n\r\n"],
        [OK + b"Content-Type: application/json\r\nX-Cost-"],
        [OK + b"Content-Length: many\r\n\r\n{}"],
        [GZIP_HEAD % 4, b"nope"],
        [GZIP_HEAD % (len(GZIPPED) - 8), GZIPPED[:-8]],
    ],
)
def test_half_an_answer_is_none_and_may_have_cost(serve, pieces):
    """A response that breaks off is no response. The call was sent, so the service may have charged for it."""
    lost = exchanged(serve(sends(*pieces)).url)
    assert lost.why
    assert lost.sent


@pytest.mark.parametrize("header", [b"Content-Length: 2", b"Content-Encoding: br"])
def test_an_odd_header_does_not_spoil_a_complete_answer(serve, header):
    """A proxy may repeat the Content-Length of a response. A body in an unknown encoding is kept as it came."""
    head = OK + b"Content-Length: 2\r\n" + header + b"\r\n\r\n"
    assert exchanged(serve(sends(head + b"{}")).url).body == b"{}"


def test_while_vcrpy_records_half_an_answer_may_have_cost_too(serve, tmp_path):
    """Only a connection that was never made certainly cost nothing."""
    with vcr.use_cassette(tmp_path / "c.yaml"):
        assert exchanged(serve(sends(OK + b"Content-Length: 9\r\n\r\nhalf")).url).sent
        assert not exchanged("http://127.0.0.1:1").sent


@pytest.mark.parametrize("head", [b"Content-Length: 0", b"Transfer-Encoding: CHUNKED"])
def test_an_answer_may_be_empty_if_it_says_so(serve, head):
    """An empty body with a length of 0, or in chunks, is complete, so that its call was answered."""
    end = b"0\r\n\r\n" if b"Transfer" in head else b""
    assert exchanged(serve(sends(OK + head + b"\r\n\r\n" + end)).url).body == b""


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
