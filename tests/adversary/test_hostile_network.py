"""A hostile network: proxies, certificates, connections and responses that are wrong, over plain sockets."""

import contextlib
import json
import socket
import ssl
import threading
import time
import warnings
from datetime import UTC, datetime, timedelta

import pytest
import trustme

import suburb_pandas as sp
from suburb_pandas.service.calls import NoAnswerError
from tests.support.common import LIVE_KEY, exchanged
from tests.support.raw_server import CHUNKED, KEY, OK, endless, only_call, reset, reset_after, said_by, shows, whole
from tests.support.recorded import body_of

BAY = "Quokka Bay"


def drip(connection):
    """Begin a response that never ends, one byte every 0.1 s."""
    connection.sendall(b"HTTP/1.1 200 ok\r\nX-A: ")
    while True:
        connection.sendall(b"a")
        time.sleep(0.1)


def test_a_proxy_that_never_ends_its_answer_meets_the_deadline(serve, tmp_path):
    """If a proxy never ends its answer, the call is given up. There is no tunnel, so nothing was sent."""
    proxies, start = {"https": f"http://127.0.0.1:{serve(drip).port}"}, time.monotonic()
    settings = {"api_key": LIVE_KEY, "timeout": 0.5, "store": tmp_path / "s", "proxies": proxies}
    with sp.Client(base_url="https://suburbs.invalid", **settings) as client:
        with pytest.raises(sp.errors.Unreachable, match="Nothing was sent"):
            sp.rent(BAY, client=client)
        assert only_call(client) == ("not_billed", 0)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("answer", ["407 Proxy Authentication Required", "502 Bad Gateway", "403 Forbidden"])
def test_a_proxy_that_refuses_is_asked_once_and_sees_no_key(serve, tmp_path, answer):
    """A proxy that refuses is asked once, because a login that is tried repeatedly may be locked, and sees no key."""
    proxy = serve(lambda connection: connection.sendall(f"HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n".encode()))
    settings = {"proxies": {"https": f"http://127.0.0.1:{proxy.port}"}, "store": tmp_path / "s"}
    with (
        sp.Client(api_key=LIVE_KEY, base_url="https://suburbs.invalid", **settings) as client,
        pytest.raises(sp.errors.Unreachable, match=rf"the proxy refused \({answer[:3]}\).*Nothing was sent"),
    ):
        sp.rent(BAY, client=client)
    assert len(proxy.received) == 1
    assert LIVE_KEY.encode() not in proxy.received[0]


@pytest.mark.parametrize("proxy", ["klingon://x", "http://[bad", "http://"])
def test_a_proxy_that_cannot_be_is_an_error_of_the_settings(proxy, tmp_path):
    """An invalid proxy is an error of the settings. Nothing is sent, and nothing is charged."""
    url = "https://suburbs.invalid"
    with sp.Client(api_key=LIVE_KEY, base_url=url, store=tmp_path / "s", proxies={"https": proxy}) as client:
        with pytest.raises(sp.errors.SettingsError, match="Nothing was sent"):
            sp.rent(BAY, client=client)
        assert set(sp.ledger(client=client)["outcome"]) == {"not_billed"}


def test_the_environments_proxy_is_not_for_loopback(serve, monkeypatch):
    """Calls to loopback ignore the environment's proxy, over TLS too."""
    proxy = serve(drip)
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
    with pytest.raises(NoAnswerError):
        exchanged("https://127.0.0.1:1")
    assert not proxy.received


@pytest.fixture(scope="module")
def authority():
    """Return a certificate authority that only these tests know."""
    return trustme.CA()


@pytest.fixture
def tls(authority, tmp_path):
    """Return a function that starts a TLS server with a certificate. Its ``bundle`` is the file that trusts it."""
    bundle = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(bundle)
    listeners, received = [], []

    def start(certificate, answer=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", **more):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        for name, value in more.items():
            setattr(context, name, value)
        listeners.append(socket.create_server(("127.0.0.1", 0)))

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    with (
                        contextlib.suppress(OSError),
                        context.wrap_socket(listeners[0].accept()[0], server_side=True) as connection,
                    ):
                        received.append(connection.recv(65536))
                        connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        return f"https://localhost:{listeners[0].getsockname()[1]}"

    start.bundle, start.received = str(bundle), received
    yield start
    for listener in listeners:
        listener.close()


def test_a_certificate_of_ones_own_authority_is_trusted_when_it_is_named(authority, tls):
    """A certificate from a private authority is trusted if ``verify`` names the authority's file."""
    url = tls(authority.issue_cert("localhost"))
    assert exchanged(url, verify=tls.bundle).body == b"{}"
    assert LIVE_KEY.encode() in tls.received[0]


@pytest.mark.parametrize(
    ("host", "lasts", "names_bundle", "why"),
    [
        ("localhost", 1, False, "self-signed|unable to get local issuer"),
        ("other.invalid", 1, True, "Hostname mismatch"),
        ("localhost", -1, True, "expired"),
    ],
)
def test_a_certificate_that_is_not_to_be_trusted_is_said_to_be(authority, tls, host, lasts, names_bundle, why):
    """An error says why a certificate is not trusted; the call is not retried, and the key is not sent."""
    url = tls(authority.issue_cert(host, not_after=datetime.now(UTC) + timedelta(days=lasts)))
    verify = {"verify": tls.bundle} if names_bundle else {}
    with pytest.raises(NoAnswerError, match=f"certificate cannot be trusted: .*({why}).*verify=") as caught:
        exchanged(url, **verify)
    assert caught.value.lasting
    assert not caught.value.sent
    assert not tls.received


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_a_status_without_a_body_is_an_answer(serve, status):
    """A response with status 204 or 304 needs neither a body nor a length."""
    server = serve(lambda connection: connection.sendall(f"HTTP/1.1 {status}\r\nETag: 1\r\n\r\n".encode()))
    assert exchanged(f"http://127.0.0.1:{server.port}").status == int(status[:3])


@pytest.mark.parametrize("length", ["-5", "115x", "9" * 5000, "2, 3", ""])
def test_a_length_that_cannot_be_read_is_no_whole_answer(serve, length):
    """A response with an invalid Content-Length is not accepted, because it may be incomplete."""
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{{}}"
    server = serve(lambda connection: connection.sendall(head.encode()))
    with pytest.raises(NoAnswerError) as caught:
        exchanged(f"http://127.0.0.1:{server.port}")
    assert caught.value.sent


@pytest.mark.parametrize(
    "handle",
    [
        endless(b"a" * 65536, b"HTTP/1.1 200 "),
        endless(b"X-A: b\r\n" * 999, b"HTTP/1.1 200 OK\r\n"),
        endless(b"X-A: b" * 999, b"HTTP/1.1 200 OK\r\n"),
        endless(b"x" * 65536, b"HTTP/1.1 200 OK\r\n\r\n"),
        endless(b"x" * 65536, b"HTTP/1.1 500 Failed\r\nContent-Length: 1073741824\r\n\r\n"),
        endless(b"1\r\nx\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        endless(b"1" * 65536, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ],
)
def test_what_never_ends_is_ended(serve, handle):
    """A response that never ends is cut off, whether in its status, headers, body or chunks."""
    server, start = serve(handle), time.monotonic()
    with pytest.raises(NoAnswerError) as caught:
        exchanged(f"http://127.0.0.1:{server.port}", timeout=1)
    assert caught.value.sent
    assert time.monotonic() - start < 25


@pytest.mark.parametrize(
    "text",
    [LIVE_KEY, LIVE_KEY.upper(), "\x1b]0;gone\x07\x1b[2J\r\nNew line", "long " * 10_000, "\u202ebackwards\u2028"],
)
@pytest.mark.parametrize("where", ["message", "reason", "area_name", "detail", "request id"])
def test_what_the_service_says_is_shown_in_a_line_and_without_the_key(live, service, where, text):
    """Errors and the ledger show a service's text in one short line, without control characters and without the key."""
    if where == "area_name":
        service.answer(BAY, "rent", body=body_of(BAY).replace(BAY.encode(), json.dumps(text)[1:-1].encode(), 1))
    elif where in {"message", "reason"}:
        service.answer(BAY, "rent", body=json.dumps({"data": None, where: text}).encode())
    elif where == "detail":
        service.answer(BAY, "rent", status=422, body=json.dumps({"detail": text}).encode())
    else:
        text = text.encode("ascii", "ignore").decode().replace("\r\n", "")
        service.answer(BAY, "rent", status=500, headers={"X-Request-Id": text[:30_000]})
    with pytest.raises(sp.SuburbError) as caught:
        sp.rent(BAY)
    shown = [str(caught.value), str(vars(caught.value)), *sp.ledger()["request_id"].dropna()]
    for one in shown:
        assert LIVE_KEY.lower() not in one.lower()
        assert one.isprintable()
        assert len(one) < 1500


def test_a_byte_order_mark_is_passed_over(live, service):
    """A byte order mark before the JSON is ignored, as RFC 8259 allows."""
    service.answer(BAY, "rent", body=b"\xef\xbb\xbf" + body_of(BAY))
    assert len(sp.rent(BAY)) == 1


ANSWER = body_of(BAY)
LENGTH = OK + b"Content-Length: %d\r\n\r\n" % len(ANSWER)


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [b"HTTP/1.1 2"],
        [OK + b"Content-Type: applic"],
        [LENGTH],
        [LENGTH, ANSWER[:50]],
        [LENGTH, ANSWER[:-1]],
        [CHUNKED, b'5\r\n{"dat\r\n'],
        [CHUNKED, b'5\r\n{"d'],
        [CHUNKED, b"%x\r\n%b\r\n" % (len(ANSWER), ANSWER)],
        [OK + b"Connection: close\r\n\r\n", ANSWER[:50]],
        [OK + b"Content-Encoding: gzip\r\n\r\n", b"\x1f\x8b\x08\x00"],
        [b"HTTP/1.1 500 Failed\r\nContent-Length: 9\r\n\r\n", b"half"],
    ],
)
def test_a_connection_that_is_reset_is_one_call_of_unknown_outcome(serve, client_of, pieces):
    """A call whose connection is reset after it was sent is recorded as unknown at its full price, and not retried."""
    server = serve(reset_after(*pieces))
    client = client_of(server.url)
    with pytest.raises(sp.errors.Unreachable, match=r"was sent.*may have charged 30 cents") as caught:
        sp.rent(BAY, client=client)
    assert only_call(client) == ("unknown", 30)
    assert len(server.received) == 1
    assert not shows(KEY, said_by(caught.value))


def test_a_connection_that_was_reset_between_two_calls_is_not_used_again(serve, client_of):
    """If a connection was reset between two calls, the second call uses a new one and is sent once."""
    ended = threading.Event()

    def answer_and_reset(connection):
        connection.sendall(LENGTH + ANSWER)
        if len(server.received) == 1:
            time.sleep(0.2)
            reset(connection)
            ended.set()

    server = serve(answer_and_reset)
    client = client_of(server.url)
    assert len(sp.rent(BAY, client=client)) == 1
    assert ended.wait(20)
    assert len(sp.rent(BAY, client=client, refresh=True)) == 1
    assert sp.ledger(client=client)["outcome"].tolist() == ["billed", "billed"]
    assert len(server.received) == 2


@pytest.mark.parametrize("where", ["http://127.0.0.1:{}/x", "http://localhost:{}/x", "//127.0.0.1:{}/x"])
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
def test_neither_key_nor_cookies_follow_a_redirect(serve, client_of, status, where):
    """A redirect is never followed, and its cookie is not sent with the next call."""
    other = serve(whole(ANSWER))
    cookie = "Set-Cookie: id=c00k1e; Path=/; Domain=127.0.0.1"
    server = serve(whole(b"{}", f"Location: {where.format(other.port)}", cookie, status=status))
    client = client_of(server.url)
    for _ in range(2):
        with pytest.raises(sp.errors.ServiceError, match=r"redirected .*\(30\d\).*the key was not sent") as caught:
            sp.rent(BAY, client=client)
        assert not shows(KEY, said_by(caught.value))
    assert set(sp.ledger(client=client)["outcome"]) == {"not_billed"}
    assert len(server.received) == 2
    assert b"c00k1e" not in b"".join(server.received)
    assert not other.received


def hang_up(connection):
    """Send nothing; the connection is closed when this returns."""


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("handle", [hang_up, reset, lambda one: one.sendall(b"\x16\x03\x01\x40\x00" + b"\0" * 99)])
def test_a_handshake_that_fails_sends_nothing(serve, client_of, handle):
    """A call whose TLS handshake fails has not sent the key: it is retried, and costs nothing."""
    server = serve(handle)
    client = client_of(server.url.replace("http:", "https:"))
    with pytest.raises(sp.errors.Unreachable, match="Nothing was sent, and nothing was charged") as caught:
        sp.rent(BAY, client=client)
    ledger = sp.ledger(client=client)
    assert (set(ledger["outcome"]), ledger["cents"].sum()) == ({"not_billed"}, 0)
    assert len(server.received) == len(ledger) == 4
    assert not shows(KEY, b"".join(server.received).decode("latin-1"))
    assert not shows(KEY, said_by(caught.value))


def test_a_certificate_that_is_not_yet_valid_is_said_to_be(authority, tls):
    """A certificate that is not yet valid is reported as that, and nothing is sent."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    url = tls(authority.issue_cert("localhost", not_before=tomorrow, not_after=tomorrow + timedelta(days=1)))
    with pytest.raises(NoAnswerError, match=r"cannot be trusted: .*not yet valid") as caught:
        exchanged(url, verify=tls.bundle)
    assert not caught.value.sent
    assert not tls.received


def test_tls_that_is_too_old_sends_nothing(authority, tls):
    """Nothing is sent to a host that offers no TLS version later than 1.1."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # TLS 1.1 is deprecated
        url = tls(authority.issue_cert("localhost"), maximum_version=ssl.TLSVersion.TLSv1_1)
    with pytest.raises(NoAnswerError, match="SSL") as caught:
        exchanged(url, verify=tls.bundle)
    assert not caught.value.sent
    assert not tls.received


def test_a_host_that_asks_for_a_certificate_may_have_seen_the_call(authority, tls):
    """A host that requires a client certificate refuses in TLS 1.3 only after the request was sent."""
    url = tls(authority.issue_cert("localhost"), verify_mode=ssl.CERT_REQUIRED)
    with pytest.raises(NoAnswerError) as caught:
        exchanged(url, verify=tls.bundle)
    assert caught.value.sent
    assert not tls.received


@pytest.mark.parametrize("head", [LENGTH, CHUNKED + b"%x\r\n" % len(ANSWER)])
def test_an_answer_by_tls_that_breaks_off_is_none(authority, tls, head):
    """A response that breaks off within TLS is lost, and its call counts as sent."""
    url = tls(authority.issue_cert("localhost"), answer=head + ANSWER[:50])
    with pytest.raises(NoAnswerError, match="lost in the middle") as caught:
        exchanged(url, verify=tls.bundle)
    assert caught.value.sent
    assert tls.received
