"""Tests of calls that no timeout of a socket ends, and of their threads."""

import time

import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, RENTED
from tests.support.raw_server import only_call, whole
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


def test_an_answer_that_comes_after_its_call_was_given_up_changes_nothing(serve, hasty_client):
    """The ledger keeps the call as unknown, at its full price, and its thread ends."""

    def late(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        for _ in range(30):
            connection.sendall(b"X-A: b\r\n")
            time.sleep(0.05)
        connection.sendall(whole_answer)

    body = body_of(RENTED[0])
    whole_answer = b"Content-Length: %d\r\n\r\n" % len(body) + body
    client = hasty_client(serve(late).url)
    with pytest.raises(sp.errors.Unreachable):
        sp.rent(RENTED[0], client=client)
    time.sleep(1.5)
    assert only_call(client) == ("unknown", 30)
