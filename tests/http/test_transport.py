"""Tests of one exchange: what is sent, which responses are refused, the deadline, and where the key may go."""

import contextlib
import gzip
import socket
import threading
import time
from importlib.metadata import version

import pytest

import suburb_pandas as sp
from suburb_pandas.http import connections, transport
from suburb_pandas.http.transport import Transport
from suburb_pandas.service.calls import NoAnswerError
from suburb_pandas.settings import resolve
from tests.support.common import LIVE_KEY, exchanged


@pytest.fixture
def raw():
    """Return a function that serves one connection with the given bytes, and keeps what it received.

    Where None stands among them, it waits for the next request.
    """
    threads, received = [], []

    def serve(*pieces):
        listener = socket.create_server(("127.0.0.1", 0))

        def answer():
            with listener, listener.accept()[0] as connection:
                received.append(connection.recv(65536))
                try:
                    for piece in pieces:
                        if piece is None:
                            received.append(connection.recv(65536))
                        else:
                            connection.sendall(piece)
                except OSError:
                    return  # the client closes the connection, as it should

        threads.append(threading.Thread(target=answer))
        threads[-1].start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    serve.received = received
    yield serve
    for thread in threads:
        thread.join(10)


def get(url, *, timeout=5, path="/v1/x"):
    """Make one call."""
    settings = resolve(api_key=LIVE_KEY, base_url=url, timeout=timeout)
    return exchanged(Transport(settings, url), path)


def test_what_goes_out(raw):
    """A call carries the key as a bearer token and the version in User-Agent, and asks for no compression."""
    answer = get(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Cost-Cents: 3\r\n\r\n{}"))
    assert (answer.status, answer.body, answer.headers["x-cost-cents"]) == (200, b"{}", "3")
    sent = raw.received[0].decode()
    assert sent.startswith("GET /v1/x HTTP/1.1\r\n")
    assert f"Authorization: Bearer {LIVE_KEY}\r\n" in sent
    assert f"User-Agent: suburb_pandas/{version('suburb_pandas')}\r\n" in sent
    assert "Accept-Encoding: identity\r\n" in sent


def test_a_netrc_does_not_replace_the_key(raw, monkeypatch, tmp_path):
    """A password in a netrc file does not replace the key, as it would in a session of requests."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login a password b")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    get(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
    assert LIVE_KEY.encode() in raw.received[0]


def test_a_redirect_is_not_followed(service):
    """A redirect is returned and not followed, so the key is not sent to another address."""
    service.fail("redirect")
    assert get(service.url, path="/v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts").status == 302
    assert len(service.requests) == 1


def test_cookies_are_not_kept(raw):
    """A cookie is not sent with the next call, even on the same connection."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nSet-Cookie: a=b; Path=/\r\n\r\n{}"
    url = raw(answer, None, answer)
    one = Transport(resolve(api_key=LIVE_KEY, base_url=url), url)
    assert [exchanged(one).status, exchanged(one).status] == [200, 200]
    assert len(raw.received) == 2
    assert b"cookie" not in raw.received[1].lower()


def test_a_body_over_the_limit_is_an_error(raw, monkeypatch):
    """Reading stops once a body is larger than the limit, so an endless body ends too."""
    monkeypatch.setattr(transport, "BODY_LIMIT", 2**17)
    with pytest.raises(NoAnswerError, match="larger") as caught:
        get(raw(b"HTTP/1.1 200 OK\r\n\r\n", *[b"x" * 2**16] * 200))
    assert caught.value.sent


def test_a_compressed_bomb_is_held_to_the_same_limit(raw, monkeypatch):
    """The size limit holds for the decompressed body."""
    monkeypatch.setattr(transport, "BODY_LIMIT", 2**20)
    bomb = gzip.compress(b"0" * 2**24)
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n".encode()
    with pytest.raises(NoAnswerError, match="larger"):
        get(raw(head, bomb))


def test_a_body_of_many_small_compressed_parts_takes_no_time(raw):
    """Decompressing takes time in proportion to the body, however many streams the body consists of."""
    body = 100_000 * gzip.compress(b"")
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    start = time.process_time()
    assert get(raw(head, body)).body == b""
    assert time.process_time() - start < 5


@pytest.mark.parametrize("cut", [1, 8, 30])
def test_a_compressed_body_that_is_cut_short_is_no_answer(raw, cut):
    """A gzip stream that breaks off is no whole answer, although its Content-Length is right."""
    body = gzip.compress(b'{"data": null, "reason": "made_up", "message": "nothing here"}')[:-cut]
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with pytest.raises(NoAnswerError, match="cut short or damaged") as caught:
        get(raw(head, body))
    assert caught.value.sent


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [b"HTTP/1.1 2"],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf"],
        [b"not http at all\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Cost-"],
        [b"HTTP/1.1 404 Not Found\r\nX-Request-Id: 1\r\n"],
        [b"HTTP/1.1 200 OK\r\nContent-Length:"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunke"],
        [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"],
    ],
)
def test_half_an_answer_is_none_and_may_have_cost(raw, pieces):
    """A response that breaks off is no response. The call was sent, so the service may have charged for it."""
    with pytest.raises(NoAnswerError) as caught:
        get(raw(*pieces))
    assert caught.value.sent


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "https://nowhere.invalid"])
def test_a_connection_that_was_never_made_cost_nothing(url):
    """A call to a host that refuses connections or does not exist was certainly not sent."""
    with pytest.raises(NoAnswerError) as caught:
        get(url)
    assert not caught.value.sent


def test_the_key_is_not_sent_where_tls_fails(raw):
    """A server that does not speak TLS never receives the key."""
    with pytest.raises(NoAnswerError, match="SSL"):
        get(raw(b"HTTP/1.1 400 Bad Request\r\n\r\n").replace("http:", "https:"))
    assert LIVE_KEY.encode() not in raw.received[0]


@pytest.mark.parametrize("head", [b"Content-Length: 0", b"Transfer-Encoding: chunked", b"Transfer-Encoding: CHUNKED"])
def test_an_answer_may_be_empty_if_it_says_so(raw, head):
    """An empty body with a length of 0, or in chunks, is complete, so that its call was answered."""
    end = b"0\r\n\r\n" if b"Transfer" in head else b""
    assert get(raw(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n" + end)).body == b""


def test_the_deadline_is_for_the_whole_call():
    """A call to a silent server ends at its deadline, and counts as sent."""
    listener = socket.create_server(("127.0.0.1", 0))
    start = time.monotonic()
    with listener, pytest.raises(NoAnswerError, match=r"no answer within 0\.3 s") as caught:
        get(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.3)
    assert 0.2 < time.monotonic() - start < 20
    assert caught.value.sent


def test_the_deadline_holds_for_the_first_call_after_a_pause(service):
    """The thread that expires calls is woken by the next call, before the 5 s after which it would look by itself."""
    transport = Transport(resolve(api_key="embedded", base_url=service.url, timeout=0.5), service.url)
    path = "/v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts"
    exchanged(transport, path)
    time.sleep(0.7)  # until the first deadline is over, and the thread waits for a call
    service.fail("latency", seconds=30)
    start = time.monotonic()
    with pytest.raises(NoAnswerError, match="no answer within"):
        exchanged(transport, path)
    assert time.monotonic() - start < 4


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 99999\r\nConnection: close", b"Connection: close", b"Content-Length: 9999"]
)
def test_the_deadline_holds_however_the_body_is_framed(framing):
    """A body that arrives byte by byte is cut off at the deadline, with or without a length."""
    listener = socket.create_server(("127.0.0.1", 0))

    def drip():
        with listener.accept()[0] as connection, contextlib.suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n\r\n")
            for _ in range(1000):
                connection.sendall(b"{")
                time.sleep(0.05)

    threading.Thread(target=drip, daemon=True).start()
    start = time.monotonic()
    with listener, pytest.raises(NoAnswerError, match="no answer within"):
        get(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.5)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("location", [b"http://[", b"\xff\xfe", b"//" + b"a" * 5000])
def test_the_address_of_a_redirect_is_not_even_read(raw, location):
    """A redirect is a response like any other, even if its address is malformed."""
    answer = get(raw(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n"))
    assert answer.status == 302


def test_every_way_to_the_service_is_watched():
    """Every connection is under the deadline: direct, through an HTTP proxy or through SOCKS."""
    adapter = connections.WatchedAdapter()
    managers = [
        adapter.poolmanager,
        *map(adapter.proxy_manager_for, ["http://proxy.invalid:1", "socks5://proxy.invalid:1"]),
    ]
    for manager in managers:
        assert all(issubclass(pool, connections.WatchedPool) for pool in manager.pool_classes_by_scheme.values())


def test_a_late_end_of_one_call_does_not_cut_the_next(service):
    """A call that ends close to its deadline never shuts down a socket that another call is using by then."""
    service.fail("latency", times=None, seconds=0.05)
    settings = resolve(api_key="embedded", base_url=service.url, timeout=0.055)
    transport = Transport(settings, service.url)
    ends = []

    def many():
        for _ in range(25):
            start = time.monotonic()
            try:
                exchanged(transport, "/v1/suburbs/Quokka%20Bay/lifestyle/poi-impacts")
            except NoAnswerError:
                ends.append(time.monotonic() - start)

    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(seconds > 0.05 for seconds in ends)


def test_whatever_breaks_is_no_answer_without_the_key(monkeypatch):
    """An unforeseen error becomes an error of the package that holds nothing of the request."""

    def broken(*_args, **_options):
        raise MemoryError

    monkeypatch.setattr("urllib3.connectionpool.HTTPConnectionPool.urlopen", broken)
    with pytest.raises(NoAnswerError, match="MemoryError") as caught:
        get("http://127.0.0.1:1")
    assert caught.value.__context__ is None
    assert not caught.value.sent


def test_no_exception_holds_the_request_and_so_the_key(live, service):
    """The exceptions of requests and urllib3 hold the headers, so they are not chained to those of the package."""
    service.fail("dropped_mid_body")
    with pytest.raises(sp.errors.Unreachable) as caught:
        sp.rent("Quokka Bay")
    seen, error = [], caught.value
    while error is not None:
        seen.append(type(error))
        error = error.__cause__ or error.__context__
    assert all(kind.__module__.startswith("suburb_pandas") for kind in seen)
