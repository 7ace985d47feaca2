"""Tests of calls that no timeout of a socket ends, and of their threads."""

import socket
import threading
import time

import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, RENTED, wait_for
from tests.support.raw_server import OK, only_call, whole
from tests.support.recorded import body_of


def drip(connection):
    """Send headers byte by byte for ever."""
    connection.sendall(b"HTTP/1.1 200 ok\r\nX-A: ")
    while True:
        connection.sendall(b"a")
        time.sleep(0.05)


@pytest.fixture
def hasty_client(tmp_path):
    """Return a function that makes a client with a timeout of 0.3 s for a URL."""
    clients = []

    def make(url, **settings):
        clients.append(sp.Client(api_key=LIVE_KEY, base_url=url, store=tmp_path / "s", timeout=0.3, **settings))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


def test_a_call_whose_headers_never_end_is_given_up(serve, hasty_client):
    """It ends after one and a half times the timeout, and is unknown at its full price."""
    client, start = hasty_client(serve(drip).url), time.monotonic()
    with pytest.raises(sp.errors.Unreachable, match=r"no answer within 0\.3 s.*may have charged 30 cents"):
        sp.rent(RENTED[0], client=client)
    assert 0.45 < time.monotonic() - start < 5
    assert only_call(client) == ("unknown", 30)


def test_after_a_call_was_given_up_the_others_are_made(serve, hasty_client):
    """Another thread takes the place of the one that waits, even if it was the only one."""

    def handle(connection):
        name = next(name for name in RENTED[:3] if name.replace(" ", "%20").encode() in server.received[-1])
        drip(connection) if name == RENTED[0] else whole(body_of(name))(connection)

    server = serve(handle)
    client = hasty_client(server.url, max_workers=1)
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.rent(RENTED[:3], client=client)
    assert list(caught.value.failures) == [RENTED[0]]
    assert sorted(sp.ledger(client=client)["outcome"]) == ["billed", "billed", "unknown"]


def test_an_answer_that_comes_after_its_call_was_given_up_is_stored(serve, hasty_client):
    """The ledger keeps the call as unknown, at its full price, and a rerun pays nothing."""
    body = body_of(RENTED[0])

    def late(connection):
        connection.sendall(OK)
        for _ in range(20):
            connection.sendall(b"X-A: b\r\n")
            time.sleep(0.05)
        connection.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    server = serve(late)
    client = hasty_client(server.url)
    with pytest.raises(sp.errors.Unreachable):
        sp.rent(RENTED[0], client=client)
    wait_for(lambda: len(sp.vintages(RENTED[0], client=client)))
    assert len(sp.rent(RENTED[0], client=client)) == 1
    assert len(server.received) == 1
    assert only_call(client) == ("unknown", 30)


def test_a_call_that_was_given_up_before_it_was_sent_is_never_sent(serve, hasty_client, monkeypatch):
    """If the look-up of the host takes too long, nothing is sent, not even later, and nothing is charged."""
    server, look_up, returned = serve(whole(body_of(RENTED[0]))), socket.getaddrinfo, threading.Event()

    def slow(*args, **options):
        time.sleep(1)
        returned.set()
        return look_up(*args, **options)

    client = hasty_client(server.url)
    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", slow)
        with pytest.raises(sp.errors.Unreachable, match="Nothing was sent, and nothing was charged"):
            sp.rent(RENTED[0], client=client)
        assert returned.wait(20)
        time.sleep(0.2)
    assert server.received in ([], [b""])
    assert only_call(client) == ("not_billed", 0)
