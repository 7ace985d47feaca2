"""The password of a proxy, which is part of its URL, is in no repr, message, log or traceback."""

import re
from base64 import b64decode
from ssl import SSLCertVerificationError

import pytest
from rich.pretty import pretty_repr
from urllib3.exceptions import SSLError

import suburb_pandas as sp
from tests.secrets import test_tracebacks as tracebacks
from tests.secrets.test_tracebacks import PASSWORD
from tests.support.common import LIVE_KEY
from tests.support.raw_server import shows

LOGIN = f"http://somebody:{PASSWORD}@"
ENCODED = "".join(f"%{ord(letter):02X}" for letter in PASSWORD)
LOGINS = {
    "plain": LOGIN,
    "percent-encoded": f"http://somebody:{ENCODED}@",
    "scheme in capitals": LOGIN.replace("http", "HTTP"),
}
"""URLs of proxies that work, up to the host."""
URL = "https://suburbs.invalid"
BASIC = re.compile(rb"Proxy-Authorization: Basic ([\w+/=]+)", re.IGNORECASE)


def shows_login(text):
    """Return True if a text shows the password of the proxy, or the login as it is sent to the proxy."""
    return any(shows(secret, text) for secret in (PASSWORD, f"somebody:{PASSWORD}", f":{PASSWORD}", f"{PASSWORD}:"))


def assert_silent(error):
    """Assert that no message and no printer of tracebacks shows the login, in any frame below the test's own."""
    tracebacks.assert_silent(error, shows_login)


@pytest.mark.parametrize("origin", ["argument", "environment"])
def test_no_repr_shows_the_key_or_the_password_of_a_proxy(monkeypatch, capsys, origin):
    """Client, settings, wire and printed settings show nothing of the key, and of proxies only that there are some."""
    proxies = {"https": f"{LOGIN}127.0.0.1:1"}
    if origin == "environment":
        monkeypatch.setenv("HTTPS_PROXY", proxies.pop("https"))
    client = sp.connect(api_key=LIVE_KEY, base_url=URL, store=":memory:", proxies=proxies or None)
    sp.show_settings()
    wire = client.open_wire()
    shown = [capsys.readouterr().out, client._repr_html_(), *map(pretty_repr, (client, client.settings))]
    shown += map(repr, (client, [client.open_wire, wire, vars(wire)], client.settings, client.settings.proxies))
    assert f"proxies      set, not shown  ({origin})" in shown[0]
    assert "<not shown>" in shown[-2]
    assert not any("somebody" in text or PASSWORD in text or tracebacks.shows_key(text) for text in shown)


BROKEN_URLS = {
    "not closed": f"{LOGIN}[bad",
    "scheme as password": f"{PASSWORD}://proxy.invalid",
    "slash in the password": f"http://somebody:{PASSWORD}/x@proxy.invalid:3128",
    "no host": f"http://somebody:{PASSWORD}",
}
"""URLs of proxies that cannot be used."""


@pytest.mark.parametrize("proxy", BROKEN_URLS.values())
def test_no_error_of_a_proxy_that_cannot_be_shows_its_password(log, proxy):
    """An error about a proxy's URL quotes no part of it, whichever part is missing or in the wrong place."""
    with sp.Client(api_key=LIVE_KEY, base_url=URL, store=":memory:", proxies={"https": proxy}) as client:
        with pytest.raises(sp.errors.SettingsError, match=r"percent-encoded\. Nothing was sent") as caught:
            sp.rent("Quokka Bay", client=client)
        assert_silent(caught.value)
    assert not shows_login(log.text)


HOSTILE = {
    "in the reason": (b"HTTP/1.1 407 Basic LOGIN", "the proxy refused (407)"),
    "decoded in the reason": (f"HTTP/1.1 403 somebody:{PASSWORD}".encode(), "the proxy refused (403)"),
    "in the place of the status": (b"HTTP/1.1 LOGIN", "BadStatusLine; its text is not shown"),
    "after an accepted tunnel": (b"HTTP/1.1 200 OK\r\n\r\nBasic LOGIN", "Error; its text is not shown"),
    "nowhere, as it hangs up": (b"", "the connection was closed without an answer"),
}
"""What proxies answer to CONNECT, with the login that they were sent, and what the error says of it."""


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("where", "login"),
    [
        *((where, "plain") for where in HOSTILE),
        ("in the reason", "percent-encoded"),
        ("in the reason", "scheme in capitals"),
    ],
)
def test_no_failed_call_shows_the_password_of_a_proxy(serve, log, where, login):
    """Neither a traceback nor a log shows the password, even if the proxy itself repeats it.

    A proxy that refuses is asked once, because a login that is tried repeatedly may be locked.
    """
    answer, why = HOSTILE[where]

    def repeat(connection):
        sent = BASIC.search(proxy.received[-1])[1]
        connection.sendall(answer.replace(b"LOGIN", sent) + b"\r\n\r\n" if answer else b"")

    proxy = serve(repeat)
    proxies = {"https": f"{LOGINS[login]}127.0.0.1:{proxy.port}"}
    with sp.connect(api_key=LIVE_KEY, timeout=5, base_url=URL, store=":memory:", proxies=proxies):
        with pytest.raises(sp.errors.Unreachable) as caught:
            sp.rent("Quokka Bay")
        assert_silent(caught.value)
    assert why in str(caught.value)
    assert len(proxy.received) == (1 if "refused" in why else 4)
    assert b64decode(BASIC.search(proxy.received[0])[1]).decode() == f"somebody:{PASSWORD}"
    assert not shows_login(log.text)


@pytest.mark.usefixtures("hasty")
def test_no_failed_call_shows_the_password_of_a_socks_proxy(serve, log):
    """A SOCKS proxy that repeats the login instead of an answer is an error without the login."""
    proxy = serve(lambda connection: connection.sendall(PASSWORD.encode()))
    proxies = {"https": f"socks5://somebody:{PASSWORD}@127.0.0.1:{proxy.port}"}
    with sp.connect(api_key=LIVE_KEY, timeout=5, base_url=URL, store=":memory:", proxies=proxies):
        with pytest.raises(sp.errors.Unreachable, match="no connection could be made") as caught:
            sp.rent("Quokka Bay")
        assert_silent(caught.value)
    assert not shows_login(log.text)


@pytest.mark.parametrize("proxies", [{"https": f"{LOGIN}proxy.invalid:1"}, {"http": f"somebody:{PASSWORD}"}])
def test_no_text_of_a_library_is_quoted_if_there_is_a_proxy(monkeypatch, log, proxies):
    """If there is a proxy, the reason of the TLS library is not shown, as its text may quote the proxy's URL."""

    def broken(*_args, **_options):
        problem = SSLCertVerificationError()
        problem.verify_message = f"cannot use {proxies}"
        raise SSLError(problem)

    with sp.connect(api_key=LIVE_KEY, base_url=URL, store=":memory:", proxies=proxies):
        monkeypatch.setattr("urllib3.connectionpool.HTTPConnectionPool.urlopen", broken)
        with pytest.raises(sp.errors.Unreachable, match="certificate cannot be trusted; see") as caught:
            sp.rent("Quokka Bay")
        assert_silent(caught.value)
    assert not shows_login(log.text)
