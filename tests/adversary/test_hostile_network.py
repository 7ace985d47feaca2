"""A hostile network: proxies, certificates, connections and responses that are wrong, over plain sockets."""

import re
import ssl
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import trustme

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, exchanged
from tests.support.raw_server import CHUNKED, KEY, OK, endless, only_call, reset, said_by, shows, whole
from tests.support.recorded import body_of

BAY = "Quokka Bay"


def test_a_proxy_that_never_ends_its_answer_meets_the_deadline(serve, tmp_path):
    """If a proxy never ends its answer, the call is given up, and counts as sent; the proxy has not seen the key."""
    proxy = serve(endless(b"a", OK + b"X-A: ", pause=0.1))
    settings = {"api_key": LIVE_KEY, "timeout": 2, "store": tmp_path / "s", "proxies": {"https": proxy.url}}
    with sp.Client(base_url="https://suburbs.invalid", **settings) as client:
        with pytest.raises(sp.errors.Unreachable, match="no answer within 2 s"):
            sp.rent(BAY, client=client)
        assert only_call(client) == ("unknown", 30)
    assert not shows(LIVE_KEY, proxy.received[0].decode())


@pytest.fixture(scope="module")
def authority():
    """Return a certificate authority that only these tests know."""
    return trustme.CA()


@pytest.fixture
def bundle(authority, tmp_path):
    """Return the path of the file with which the authority is trusted."""
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    return tmp_path / "ca.pem"


@pytest.fixture
def call(serve):
    """Return a function that calls a TLS server with a certificate. It returns the exchange, and what was received."""

    def make(certificate, **settings):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        server = serve(whole(b"{}"), wrap=partial(context.wrap_socket, server_side=True))
        return exchanged(f"https://localhost:{server.port}", **settings), server.received

    return make


def test_a_certificate_of_ones_own_authority_is_trusted_when_it_is_named(authority, bundle, call):
    """A certificate from a private authority is trusted if ``verify`` names the authority's file."""
    answer, received = call(authority.issue_cert("localhost"), verify=bundle)
    assert answer.body == b"{}"
    assert LIVE_KEY.encode() in received[0]


@pytest.mark.parametrize(
    ("host", "days", "names_bundle", "why"),
    [
        ("localhost", (-1, 1), False, "self-signed|unable to get local issuer"),
        ("other.invalid", (-1, 1), True, "Hostname mismatch"),
        ("localhost", (-2, -1), True, "expired"),
        ("localhost", (1, 2), True, "not yet valid"),
    ],
)
def test_a_certificate_that_is_not_to_be_trusted_is_said_to_be(authority, bundle, call, host, days, names_bundle, why):
    """An error says why a certificate is not trusted; the call is not retried, and the key is not sent."""
    begins, ends = (datetime.now(UTC) + timedelta(days=day) for day in days)
    certificate = authority.issue_cert(host, not_before=begins, not_after=ends)
    failed, received = call(certificate, verify=bundle if names_bundle else None)
    assert re.search(f"certificate cannot be trusted: .*({why}).*verify=", failed.why)
    assert (failed.lasting, failed.sent, received) == (True, False, [])


ANSWER = body_of(BAY)
SENT = "http:", r"was sent.*may have charged 30 cents", [("unknown", 30)]
UNSENT = "https:", "Nothing was sent, and nothing was charged", [("not_billed", 0)] * 4


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("handle", "scheme", "why", "calls"),
    [
        (reset, *SENT),
        (lambda one: [one.sendall(CHUNKED + b"%x\r\n%b\r\n" % (len(ANSWER), ANSWER)), reset(one)], *SENT),
        (reset, *UNSENT),
        (lambda one: one.sendall(b"\x16\x03\x01\x40\x00" + b"\0" * 99), *UNSENT),
    ],
)
def test_a_connection_that_is_lost_may_cost_only_what_was_sent(serve, client_of, handle, scheme, why, calls):
    """A call whose connection is reset after it was sent is recorded as unknown at its full price, and not retried.

    A call whose TLS handshake fails has not sent the key: it is retried, and costs nothing.
    """
    server = serve(handle)
    client = client_of(server.url.replace("http:", scheme))
    with pytest.raises(sp.errors.Unreachable, match=why) as caught:
        sp.rent(BAY, client=client)
    assert [*sp.ledger(client=client)[["outcome", "cents"]].itertuples(index=False, name=None)] == calls
    assert len(server.received) == len(calls)
    assert shows(KEY, b"".join(server.received).decode("latin-1")) is (scheme == "http:")
    assert not shows(KEY, said_by(caught.value))
