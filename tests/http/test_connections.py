"""Tests of connections that carry more or less than one response for each request, over plain sockets and TLS."""

import contextlib
import json
import socket
import ssl
import threading
import time

import pytest
import trustme

from suburb_pandas.http.transport import Transport
from suburb_pandas.settings import resolve
from tests.support.common import LIVE_KEY, exchanged, wait_for

LATE = 0.03
"""Seconds after which a server sends what nobody expects any more."""


def answer(path, *headers, status="200 OK", body=None):
    """Return the bytes of a response whose body is its path."""
    body = json.dumps(path).encode() if body is None else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def chunked(path, *headers):
    """Return the bytes of a response in chunks."""
    body = json.dumps(path).encode()
    lines = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *headers, "", f"{len(body):x}", ""]
    return "\r\n".join(lines).encode() + body + b"\r\n0\r\n\r\n"


def interim(*heads):
    """Return a way to answer that sends interim responses, and the real one a moment later."""

    def say(connection, path):
        connection.sendall(b"".join(heads))
        time.sleep(LATE)
        connection.sendall(answer(path))

    return say


def bodiless(head):
    """Return a way to answer that sends a response without a body, and the real one a moment later."""

    def say(connection, path):
        connection.sendall(head + b"\r\n\r\n")
        time.sleep(LATE)
        connection.sendall(answer(path))

    return say


def twice(one):
    """Return a way to answer that sends a response twice at once."""
    return lambda connection, path: connection.sendall(2 * one(path))


def twice_late(connection, path):
    """Send a response twice, the second time a moment later."""
    connection.sendall(answer(path))
    time.sleep(LATE)
    connection.sendall(answer(path))


def once(connection, path):
    """Send a response."""
    connection.sendall(answer(path))


@pytest.fixture
def service():
    """Return a function that serves on loopback; the first request of each connection is answered in the given way."""
    listeners = []

    def start(first=once, then=once, wrap=lambda connection: connection):
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        connections = []

        def talk(connection):
            with contextlib.suppress(OSError), wrap(connection) as wrapped:
                way = first
                while request := wrapped.recv(65536):
                    way(wrapped, request.split()[1].decode())
                    way = then

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connections.append(listener.accept()[0])
                    threading.Thread(target=talk, args=connections[-1:], daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        return f"//127.0.0.1:{listener.getsockname()[1]}", connections

    yield start
    for listener in listeners:
        listener.close()


def transport_to(url, **settings):
    """Return a transport to a URL."""
    return Transport(resolve(api_key=LIVE_KEY, base_url=url, timeout=5, **settings), url)


def said(exchange):
    """Return the path that a response is about; None if it has no body."""
    return json.loads(exchange.body) if exchange.body else None


@pytest.mark.parametrize("heads", [
    [b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
    [b"HTTP/1.1 102 Processing\r\n\r\n"],
    [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 199 Whatever\r\nContent-Length: 3\r\n\r\n"],
    [b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: none\r\n\r\n"],
])  # fmt: skip
def test_interim_answers_are_skipped(service, heads):
    """A response of the 100s is not the answer to a call, however late the answer comes."""
    url, _ = service(interim(*heads), then=interim(*heads))
    transport = transport_to(f"http:{url}")
    assert [said(exchanged(transport, path)) for path in ("/v1/a", "/v1/b")] == ["/v1/a", "/v1/b"]


@pytest.mark.parametrize("pause", [0, 3 * LATE], ids=["at once", "later"])
@pytest.mark.parametrize("head", [
    b"HTTP/1.1 204 No Content",
    b"HTTP/1.1 304 Not Modified",
    b"HTTP/1.1 200 OK\r\nContent-Length: 0",
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0",
    b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: identity",
])  # fmt: skip
def test_an_answer_without_a_body_ends_its_connection(service, head, pause):
    """The real answer that follows an empty one reaches no other call."""
    url, connections = service(bodiless(head))
    transport = transport_to(f"http:{url}")
    assert said(exchanged(transport, "/v1/a")) is None
    time.sleep(pause)
    assert said(exchanged(transport, "/v1/b")) is None  # on a connection of its own, which begins with the same fault
    assert len(connections) == 2


@pytest.mark.parametrize("one", [answer, chunked], ids=["length", "chunks"])
def test_what_follows_an_answer_at_once_ends_its_connection(service, one):
    """A second answer in the same packet reaches no other call, and the first says that it was not alone."""
    url, connections = service(twice(one))
    transport = transport_to(f"http:{url}")
    for path in ("/v1/a", "/v1/b"):
        exchange = exchanged(transport, path)
        assert (said(exchange), exchange.has_surplus) == (path, True)
    assert len(connections) == 2


def test_what_follows_an_answer_late_ends_its_connection(service):
    """A second answer that arrives before the next call leaves reaches no other call."""
    url, connections = service(twice_late)
    transport = transport_to(f"http:{url}")
    assert said(exchanged(transport, "/v1/a")) == "/v1/a"
    time.sleep(3 * LATE)
    assert said(exchanged(transport, "/v1/b")) == "/v1/b"
    assert len(connections) == 2


@pytest.mark.parametrize("one", [answer, chunked], ids=["length", "chunks"])
def test_a_second_answer_inside_tls_is_noticed(service, tmp_path, one):
    """Bytes that TLS has decrypted already, and no socket shows any more, count too."""
    authority = trustme.CA()
    bundle = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(bundle))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(server)
    url, connections = service(twice(one), wrap=lambda plain: server.wrap_socket(plain, server_side=True))
    transport = transport_to(f"https:{url}", verify=str(bundle))
    assert [said(exchanged(transport, path)) for path in ("/v1/a", "/v1/b")] == ["/v1/a", "/v1/b"]
    assert len(connections) == 2


@pytest.mark.parametrize("way", [
    lambda connection, path: connection.sendall(answer(path, status="404 Not Found")),
    lambda connection, path: connection.sendall(answer(path, status="201 Created")),
    lambda connection, path: connection.sendall(chunked(path, "Content-Length: 9")),
])  # fmt: skip
def test_only_a_clean_200_keeps_its_connection(service, way):
    """After any other status, or a length that is given in two ways, the next call has a new connection."""
    url, connections = service(way)
    transport = transport_to(f"http:{url}")
    assert [said(exchanged(transport, path)) for path in ("/v1/a", "/v1/b")] == ["/v1/a", "/v1/b"]
    assert len(connections) == 2


@pytest.mark.parametrize("one", [answer, chunked], ids=["length", "chunks"])
def test_a_clean_200_keeps_its_connection(service, one):
    """Calls one after the other share a connection."""
    url, connections = service(*2 * [lambda connection, path: connection.sendall(one(path))])
    transport = transport_to(f"http:{url}")
    assert [said(exchanged(transport, path)) for path in ("/v1/a", "/v1/b", "/v1/c")] == ["/v1/a", "/v1/b", "/v1/c"]
    assert len(connections) == 1


def test_a_fresh_call_shares_no_connection(service):
    """A fresh call uses a connection that served no call before it and serves none after it."""
    url, connections = service()
    transport = transport_to(f"http:{url}")
    for path, fresh in (("/v1/a", False), ("/v1/b", True), ("/v1/c", False)):
        assert said(exchanged(transport, path, fresh=fresh)) == path
    assert len(connections) == 2
    assert said(exchanged(transport, "/v1/d", fresh=True)) == "/v1/d"
    assert len(connections) == 3


def test_closing_the_connections_ends_idle_ones_now_and_busy_ones_later(service):
    """After `close_connections`, no call uses a connection from before, not even one that was busy then."""
    busy = threading.Event()

    def slow(connection, path):
        if path == "/v1/slow":
            busy.set()
            time.sleep(3 * LATE)
        once(connection, path)

    url, connections = service(slow)
    transport = transport_to(f"http:{url}")
    other = threading.Thread(target=exchanged, args=[transport, "/v1/slow"])
    other.start()
    busy.wait(10)
    exchanged(transport, "/v1/a")
    transport.close_connections()
    other.join()
    wait_for(lambda: all(not connection.fileno() > 0 for connection in connections))
    assert said(exchanged(transport, "/v1/b")) == "/v1/b"
    assert len(connections) == 3


def test_a_connection_serves_no_other_call_before_its_response_was_read(service):
    """While a response is being read, other calls use other connections; after that, they use both."""
    url, connections = service()
    transport = transport_to(f"http:{url}")
    with transport.exchange("/v1/a"):
        assert said(exchanged(transport, "/v1/b")) == "/v1/b"
        assert said(exchanged(transport, "/v1/c")) == "/v1/c"
        assert len(connections) == 2
    with transport.exchange("/v1/d"), transport.exchange("/v1/e"):
        assert len(connections) == 2


@pytest.mark.parametrize("is_read", [True, False], ids=["it belongs to another", "it could not be read"])
def test_a_connection_whose_response_was_not_believed_serves_no_other_call(service, is_read):
    """A connection is closed if its response belongs to another call, or if reading it failed."""
    url, connections = service()
    transport = transport_to(f"http:{url}")
    with contextlib.suppress(KeyboardInterrupt), transport.exchange("/v1/a"):
        if not is_read:
            raise KeyboardInterrupt
        transport.close_connections()
    assert said(exchanged(transport, "/v1/b")) == "/v1/b"
    assert len(connections) == 2


def test_a_line_that_is_no_header_is_not_logged(service, caplog):
    """A header line without a colon may repeat the key, so it appears in no log."""
    odd = answer("/v1/a", f"Authorization Bearer {LIVE_KEY}")
    url, _ = service(lambda connection, _: connection.sendall(odd) or connection.close())
    with caplog.at_level("DEBUG"):
        assert exchanged(transport_to(f"http:{url}"), "/v1/a").status == 200
    assert caplog.records
    assert LIVE_KEY not in caplog.text


@pytest.mark.parametrize(
    "headers", [["X-Cost-Cents: 30", "X-Cost-Cents: 60"], ["x-cost-cents: 30", "X-COST-CENTS: 60"]]
)
def test_a_header_that_is_sent_twice_keeps_both_values(service, headers):
    """Repeated headers are joined by commas, so that the price of a call cannot hide behind another."""
    url, _ = service(lambda connection, path: connection.sendall(answer(path, *headers)))
    assert exchanged(transport_to(f"http:{url}"), "/v1/a").headers["x-cost-cents"] == "30, 60"
