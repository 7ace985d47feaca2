"""The password of a proxy, which is part of its URL, is in no repr, message, log or traceback."""

import logging

import pytest
from rich.pretty import pretty_repr

import suburb_pandas as sp
from suburb_pandas.settings import Proxies, resolve
from tests.secrets.test_tracebacks import PRINTERS, with_what_it_carries
from tests.support.common import LIVE_KEY
from tests.support.raw_server import whole

PASSWORD = "Rk5Vt8Qz2"
LOGIN = f"http://somebody:{PASSWORD}@"
URL = "https://suburbs.invalid"


def assert_silent(error):
    """Assert that no printer of tracebacks shows the password, in any frame below the test's own."""
    error.__traceback__ = error.__traceback__.tb_next  # the user's own frame may hold the password
    for one in with_what_it_carries(error):
        for printer in PRINTERS:
            assert PASSWORD not in printer(one), f"{printer.__name__} of {one!r}"


@pytest.mark.parametrize("origin", ["argument", "environment"])
def test_no_repr_shows_the_password_of_a_proxy(monkeypatch, capsys, origin):
    """Client, settings and printed settings show for which schemes there are proxies, and nothing of their URLs."""
    proxies = None
    if origin == "argument":
        proxies = {"https": f"{LOGIN}127.0.0.1:1"}
    else:
        monkeypatch.setenv("HTTPS_PROXY", f"{LOGIN}127.0.0.1:1")
    client = sp.connect(api_key=LIVE_KEY, base_url=URL, store=":memory:", proxies=proxies)
    sp.show_settings()
    printed = capsys.readouterr().out
    assert f"proxies      https  ({origin})" in printed
    settings = client.settings
    assert settings.proxies["https"] == f"{LOGIN}127.0.0.1:1"
    shown = [printed, settings.describe(), str(client), client._repr_html_(), pretty_repr(client, expand_all=True)]
    shown += [text for one in (settings, settings.proxies) for text in (repr(one), str(one), pretty_repr(one))]
    assert not any("somebody" in text or PASSWORD in text for text in shown)
    assert "<proxies for https, not shown>" in repr(settings)


def test_no_proxies_are_shown_as_nothing():
    """Settings without a proxy say so, and a URL in the place of a scheme is not shown."""
    assert "<proxies for nothing, not shown>" in repr(resolve())
    assert PASSWORD not in repr(Proxies({f"{LOGIN}127.0.0.1:1": "https"}))
    assert "proxies      none  (default)" in resolve().describe()


@pytest.mark.parametrize("make", [sp.connect, sp.Client])
@pytest.mark.parametrize(
    "bad",
    [
        {"proxies": f"{LOGIN}127.0.0.1:1"},
        {"proxies": [f"{LOGIN}127.0.0.1:1"]},
        {"base_url": "http://127.0.0.1:1"},
        {"max_cents": "many"},
        {"timeout": -1},
        {"verify": "nowhere.pem"},
    ],
    ids=str,
)
def test_no_traceback_of_bad_settings_shows_the_password_of_a_proxy(make, bad):
    """If a setting is wrong, no frame below the user's own has the password in a variable."""
    with pytest.raises(sp.errors.SettingsError) as caught:
        make(**{"api_key": LIVE_KEY, "base_url": URL, "proxies": {"https": f"{LOGIN}127.0.0.1:1"}} | bad)
    assert PASSWORD not in str(caught.value)
    assert_silent(caught.value)


def test_no_traceback_shows_the_password_of_a_proxy_of_the_environment(monkeypatch):
    """A proxy of the environment is no more visible than one that was passed."""
    monkeypatch.setenv("HTTPS_PROXY", f"{LOGIN}127.0.0.1:1")
    with pytest.raises(sp.errors.SettingsError) as caught:
        sp.connect(api_key=LIVE_KEY, base_url=URL, verify="nowhere.pem")
    assert_silent(caught.value)


@pytest.mark.parametrize(
    "proxy",
    [
        f"{LOGIN}[bad",
        f"klingon://somebody:{PASSWORD}@proxy.invalid",
        f"http://somebody:{PASSWORD}/x@proxy.invalid:3128",
        f"http://somebody:{PASSWORD}#x@proxy.invalid:3128",
    ],
)
def test_no_error_of_a_proxy_that_cannot_be_shows_its_password(proxy):
    """An error about a proxy's URL does not quote it: in a password that is not percent-encoded, a / ends the host."""
    with sp.Client(api_key=LIVE_KEY, base_url=URL, store=":memory:", proxies={"https": proxy}) as client:
        with pytest.raises(sp.errors.SettingsError, match=r"percent-encoded\. Nothing was sent") as caught:
            sp.rent("Quokka Bay", client=client)
        assert PASSWORD not in str(caught.value)
        assert_silent(caught.value)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("refuses", [True, False])
def test_no_failed_call_shows_the_password_of_a_proxy(serve, caplog, refuses):
    """Neither a traceback nor a log shows the password if the proxy refuses the call or breaks off."""
    for name in ("suburb_pandas", "urllib3", "requests"):
        caplog.set_level(logging.DEBUG, logger=name)
    proxy = serve(whole(b"", status="403 Forbidden") if refuses else lambda _: None)
    settings = {"base_url": URL, "store": ":memory:", "proxies": {"https": f"{LOGIN}127.0.0.1:{proxy.port}"}}
    with sp.connect(api_key=LIVE_KEY, timeout=5, **settings):
        with pytest.raises(sp.errors.Unreachable) as caught:
            sp.rent("Quokka Bay")
        assert_silent(caught.value)
    assert b"Proxy-Authorization: Basic" in proxy.received[0]
    assert PASSWORD not in caplog.text
