"""Settings: arguments, environment, defaults, and what is refused."""

import pickle
import traceback

import pytest

import suburb_pandas as sp
from suburb_pandas.settings import LIVE_URL, resolve
from tests.support.common import LIVE_KEY


def test_without_key_and_url_the_source_is_embedded():
    """Nobody's key is nobody's money: the package's own sandbox is meant."""
    settings = resolve()
    assert (settings.source, settings.base_url, settings.max_cents, settings.budget_cents) == (
        "embedded",
        None,
        2000,
        5000,
    )


def test_money_follows_the_key():
    """The key says what the source is, wherever it is sent."""
    assert resolve(api_key="test").source == "sandbox"
    assert resolve(api_key=LIVE_KEY, base_url="http://127.0.0.1:8000").source == "live"
    assert resolve(api_key="embedded", base_url="http://127.0.0.1:8000").source == "embedded"


def test_an_argument_wins_over_the_environment(monkeypatch):
    """Arguments come first, the environment second, and each value says where it came from."""
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    monkeypatch.setenv("SUBURB_MAX_CENTS", "90")
    settings = resolve(max_cents=60)
    assert (settings.api_key.value, settings.base_url, settings.max_cents) == (LIVE_KEY, LIVE_URL, 60)
    assert settings.origins["api_key"] == "environment, SUBURB_API_KEY"
    assert settings.origins["max_cents"] == "argument"


def test_a_url_without_a_key_is_refused():
    """Whose money a call would spend must be said."""
    with pytest.raises(sp.SettingsError, match="without an API key"):
        sp.connect(base_url="https://example.org")


@pytest.mark.parametrize("url", ["http://example.org", "http://10.0.0.1:80", "http://localhost.example.org"])
def test_a_key_never_travels_in_the_clear(url):
    """Plain http is for loopback only."""
    with pytest.raises(sp.SettingsError, match="in the clear"):
        sp.connect(api_key=LIVE_KEY, base_url=url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://example.org"])
def test_loopback_and_https_are_fine(url):
    """A key may go to loopback in the clear, and anywhere under TLS."""
    assert resolve(api_key=LIVE_KEY, base_url=url + "/").base_url == url


@pytest.mark.parametrize(
    "url",
    [
        "example.org",
        "ftp://example.org",
        "https://",
        "https://u:p@example.org",
        "https://:p@example.org",
        "http://[::1",
        "https://a..b",
        "https://example.org:99999",
        "https://example.org/?q=1",
    ],
)
def test_what_is_no_base_url_is_refused(url):
    """A base URL is a scheme and a host."""
    with pytest.raises(sp.SettingsError):
        sp.connect(api_key=LIVE_KEY, base_url=url)


@pytest.mark.parametrize("key", ["mib_live_a\r\nX-Evil: 1", "mib_live_é", "", "  ", 7])
def test_a_key_that_cannot_stand_in_a_header_is_refused_without_showing_it(key):
    """A mangled key is refused before it gets near a header, and the message does not repeat it."""
    with pytest.raises(sp.SettingsError) as caught:
        sp.connect(api_key=key)
    assert "mib_live" not in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        {"max_cents": -1},
        {"max_cents": "many"},
        {"budget_cents": True},
        {"max_workers": 0},
        {"timeout": 0},
        {"timeout": float("inf")},
        {"timeout": float("nan")},
        {"timeout": "soon"},
        {"store": 5},
        {"store": ""},
        {"proxies": "http://proxy.invalid"},
        {"verify": 3},
    ],
)
def test_limits_are_numbers(bad):
    """A limit that is none is refused at once."""
    with pytest.raises(sp.SettingsError, match=next(iter(bad))):
        sp.connect(**bad)


def test_show_settings_prints_values_and_origins_but_never_the_key(capsys, monkeypatch):
    """Each setting is shown with where it came from; of the key only that it is set."""
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    sp.show_settings()
    shown = capsys.readouterr().out
    assert LIVE_KEY not in shown
    assert "api_key      set, not shown  (environment, SUBURB_API_KEY)" in shown
    assert f"base_url     {LIVE_URL}  (default)" in shown


def test_proxies_are_looked_up_once_and_never_for_loopback(monkeypatch):
    """A proxy of the environment is used for the live service, and not for loopback."""
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid:3128")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    assert resolve(api_key=LIVE_KEY).proxies["https"] == "http://proxy.invalid:3128"
    assert resolve(api_key=LIVE_KEY, base_url="http://127.0.0.1:1").proxies == {}
    with pytest.raises(sp.SettingsError, match="would see the key"):
        sp.connect(api_key=LIVE_KEY, base_url="http://127.0.0.1:1", proxies={"http": "http://proxy.invalid:3128"})


@pytest.mark.parametrize("setting", ["SUBURB_MAX_CENTS", "SUBURB_BASE_URL", "REQUESTS_CA_BUNDLE"])
def test_a_wrong_setting_shows_no_key_in_its_traceback(monkeypatch, setting):
    """A key from the environment is in no variable that a traceback could show."""
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    monkeypatch.setenv(setting, "nonsense")
    with pytest.raises(sp.SettingsError, match=setting) as caught:
        sp.Client()
    report = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert LIVE_KEY not in "".join(report.format())


@pytest.mark.parametrize("bad", [{"timeout": -1}, {"verify": "/nowhere"}, {"base_url": "nonsense"}, {"store": 5}])
def test_a_key_that_was_passed_shows_in_no_variable_of_the_package(bad):
    """Of the traceback, only the caller's own line can hold the key."""
    with pytest.raises(sp.SettingsError) as caught:
        sp.connect(api_key=LIVE_KEY, **bad)
    report = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [str(frame.locals) for frame in report.stack if frame.filename != __file__]
    assert len(ours) >= 2
    assert LIVE_KEY not in "".join(ours)


def test_settings_do_not_let_the_key_be_pickled():
    """A pickle is a file like any other."""
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(resolve(api_key=LIVE_KEY))


def test_a_ca_bundle_that_is_not_there_is_refused_before_any_call(monkeypatch):
    """A bundle is named by argument or environment, and has to exist."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere/ca.pem")
    with pytest.raises(sp.SettingsError, match="REQUESTS_CA_BUNDLE"):
        sp.connect(api_key=LIVE_KEY)


def test_an_unknown_setting_is_a_type_error():
    """A misspelt argument is not swallowed."""
    with pytest.raises(TypeError):
        sp.connect(api_kye=LIVE_KEY)
