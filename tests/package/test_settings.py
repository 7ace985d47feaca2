"""Settings come from arguments, the environment and defaults; invalid values are refused."""

import pickle
import traceback

import pytest

import suburb_pandas as sp
from suburb_pandas.settings import LIVE_URL, resolve
from tests.support.common import LIVE_KEY


def test_without_key_and_url_the_source_is_embedded():
    """Without a key no money can be spent, so the source is the embedded sandbox."""
    settings = resolve()
    assert (settings.source, settings.base_url, settings.max_cents, settings.budget_cents) == (
        "embedded",
        None,
        2000,
        5000,
    )


def test_money_follows_the_key():
    """The key alone decides the source; the URL does not matter."""
    assert resolve(api_key="test").source == "sandbox"
    assert resolve(api_key=LIVE_KEY, base_url="http://127.0.0.1:8000").source == "live"
    assert resolve(api_key="embedded", base_url="http://127.0.0.1:8000").source == "embedded"


def test_an_argument_wins_over_the_environment(monkeypatch):
    """Arguments override the environment, and `origins` names the origin of each value."""
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    monkeypatch.setenv("SUBURB_MAX_CENTS", "90")
    settings = resolve(max_cents=60)
    assert (settings.api_key.value, settings.base_url, settings.max_cents) == (LIVE_KEY, LIVE_URL, 60)
    assert settings.origins["api_key"] == "environment, SUBURB_API_KEY"
    assert settings.origins["max_cents"] == "argument"


def test_a_url_without_a_key_is_refused():
    """A URL without a key is refused, because the key decides whose money a call spends."""
    with pytest.raises(sp.errors.SettingsError, match="without an API key"):
        sp.connect(base_url="https://example.org")


@pytest.mark.parametrize("url", ["http://example.org", "http://10.0.0.1:80", "http://localhost.example.org"])
def test_a_key_never_travels_in_the_clear(url):
    """Plain http is refused for every host but loopback."""
    with pytest.raises(sp.errors.SettingsError, match="unencrypted"):
        sp.connect(api_key=LIVE_KEY, base_url=url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://example.org"])
def test_loopback_and_https_are_fine(url):
    """A key may be sent over plain http to loopback, and over https to any host."""
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
    """A base URL has the scheme http or https and a valid host, and neither credentials nor a query."""
    with pytest.raises(sp.errors.SettingsError):
        sp.connect(api_key=LIVE_KEY, base_url=url)


@pytest.mark.parametrize("key", ["mib_live_a\r\nX-Evil: 1", "mib_live_é", "", "  ", 7])
def test_a_key_that_cannot_stand_in_a_header_is_refused_without_showing_it(key):
    """A key with characters that are invalid in a header is refused, and the message does not repeat it."""
    with pytest.raises(sp.errors.SettingsError) as caught:
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
    """An invalid limit is refused at once, with an error that names the setting."""
    with pytest.raises(sp.errors.SettingsError, match=next(iter(bad))):
        sp.connect(**bad)


def test_show_settings_prints_values_and_origins_but_never_the_key(capsys, monkeypatch):
    """Each setting is shown with its origin; the key is shown only as set."""
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    sp.show_settings()
    shown = capsys.readouterr().out
    assert LIVE_KEY not in shown
    assert "api_key      set, not shown  (environment, SUBURB_API_KEY)" in shown
    assert f"base_url     {LIVE_URL}  (default)" in shown


def test_a_rerun_uses_temporary_stores(monkeypatch, tmp_path):
    """With SUBURB_RERUN every store is temporary, whatever the code asks for."""
    monkeypatch.setenv("SUBURB_RERUN", "1")
    settings = resolve(api_key=LIVE_KEY, store=tmp_path / "store.sqlite")
    assert (settings.store, settings.origins["store"]) == (":memory:", "environment, SUBURB_RERUN")
    with sp.Client(api_key="embedded", store=tmp_path / "store.sqlite") as client:
        sp.rent("Quokka Bay", client=client)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("value", "is_on"),
    [(None, False), ("", False), ("0", False), ("False", False), (" NO ", False), ("1", True), ("yes", True)],
)
def test_a_rerun_can_be_switched_off_in_words(monkeypatch, tmp_path, value, is_on):
    """The values 0, false and no mean that SUBURB_RERUN is not set."""
    if value is not None:
        monkeypatch.setenv("SUBURB_RERUN", value)
    store = str(tmp_path / "store.sqlite")
    assert resolve(store=store).store == (":memory:" if is_on else store)


def test_proxies_are_looked_up_once_and_never_for_loopback(monkeypatch):
    """A proxy from the environment serves the live service only; an explicit proxy for loopback is refused."""
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid:3128")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    assert resolve(api_key=LIVE_KEY).proxies["https"] == "http://proxy.invalid:3128"
    assert resolve(api_key=LIVE_KEY, base_url="http://127.0.0.1:1").proxies == {}
    with pytest.raises(sp.errors.SettingsError, match="would see the key"):
        sp.connect(api_key=LIVE_KEY, base_url="http://127.0.0.1:1", proxies={"http": "http://proxy.invalid:3128"})


@pytest.mark.parametrize("setting", ["SUBURB_MAX_CENTS", "SUBURB_BASE_URL", "REQUESTS_CA_BUNDLE"])
def test_a_wrong_setting_shows_no_key_in_its_traceback(monkeypatch, setting):
    """An invalid setting raises an error without the key of the environment in any variable of its traceback."""
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    monkeypatch.setenv(setting, "nonsense")
    with pytest.raises(sp.errors.SettingsError, match=setting) as caught:
        sp.Client()
    report = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert LIVE_KEY not in "".join(report.format())


@pytest.mark.parametrize("bad", [{"timeout": -1}, {"verify": "/nowhere"}, {"base_url": "nonsense"}, {"store": 5}])
def test_a_key_that_was_passed_shows_in_no_variable_of_the_package(bad):
    """In a traceback, only the caller's own frame can hold the key."""
    with pytest.raises(sp.errors.SettingsError) as caught:
        sp.connect(api_key=LIVE_KEY, **bad)
    report = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [str(frame.locals) for frame in report.stack if frame.filename != __file__]
    assert len(ours) >= 2
    assert LIVE_KEY not in "".join(ours)


def test_settings_do_not_let_the_key_be_pickled():
    """Settings refuse to be pickled, because a pickle would hold the key in the clear."""
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(resolve(api_key=LIVE_KEY))


def test_a_ca_bundle_that_is_not_there_is_refused_before_any_call(monkeypatch):
    """A CA bundle that does not exist is refused when the client is made, before any call."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere/ca.pem")
    with pytest.raises(sp.errors.SettingsError, match="REQUESTS_CA_BUNDLE"):
        sp.connect(api_key=LIVE_KEY)


def test_an_unknown_setting_is_a_type_error():
    """A misspelt argument raises TypeError."""
    with pytest.raises(TypeError):
        sp.connect(api_kye=LIVE_KEY)


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_a_ca_bundle_of_the_environment_is_used(monkeypatch, tmp_path, variable):
    """A CA bundle is taken from either variable that requests reads, and an argument wins over both."""
    bundle, other = tmp_path / "ca.pem", tmp_path / "other.pem"
    bundle.touch()
    other.touch()
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    assert (resolve().verify, resolve().origins["verify"]) == (True, "default")
    monkeypatch.setenv(variable, str(bundle))
    assert (resolve().verify, resolve().origins["verify"]) == (str(bundle), f"environment, {variable}")
    assert (resolve(verify=other).verify, resolve(verify=other).origins["verify"]) == (str(other), "argument")
    assert resolve(verify=False).verify is False


def test_a_ca_bundle_of_requests_comes_before_curls(monkeypatch, tmp_path):
    """If both variables are set, the one of requests counts."""
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        (tmp_path / variable).touch()
        monkeypatch.setenv(variable, str(tmp_path / variable))
    assert resolve().verify == str(tmp_path / "REQUESTS_CA_BUNDLE")
