"""Settings come from arguments, the environment and defaults; invalid values are refused."""

import pickle
import traceback

import pytest

import suburb_pandas as sp
from suburb_pandas.settings import LIVE_URL, canonical_url, resolve
from tests.support.common import LIVE_KEY


def test_the_key_alone_decides_about_money():
    """Without a key no money can be spent. The URL does not matter."""
    settings = resolve()
    assert (settings.source, settings.base_url, settings.max_cents, settings.budget_cents) == (
        "embedded",
        None,
        2000,
        5000,
    )
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
    assert resolve().max_cents == 90


def test_a_url_without_a_key_is_refused():
    """A URL without a key is refused, because the key decides whose money a call spends."""
    with pytest.raises(sp.errors.SettingsError, match="without an API key"):
        sp.connect(base_url="https://example.org")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "http://localhost.example.org",
        "example.org",
        "ftp://example.org",
        "https://u:p@example.org",
        "http://[::1",
        "https://a..b",
        "https://bücher.example",
        "https://example.org/?q=1",
    ],
)
def test_a_key_is_sent_to_https_and_to_loopback_only(url):
    """A base URL has a valid host, and neither credentials nor a query. Plain http is for loopback only."""
    with pytest.raises(sp.errors.SettingsError, match=r"^base_url must be .*unencrypted") as caught:
        sp.connect(api_key=LIVE_KEY, base_url=url)
    assert url not in str(caught.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://h/V1"])
def test_spellings_of_one_base_url_share_the_form_under_which_responses_are_stored(url):
    """The case of scheme and host, a default port and a slash at the end make no other base URL."""
    assert resolve(api_key=LIVE_KEY, base_url=url).base_url == url
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    assert canonical_url(f"{scheme.upper()}://{host.upper()}{slash}{path}/") == url
    assert canonical_url("https://H:443/V1") == "https://h/V1" != canonical_url("https://h:80/V1")


@pytest.mark.parametrize("key", ["mib_live_a\r\nX-Evil: 1", "mib_live_é", "", "  ", 7])
def test_a_key_that_cannot_stand_in_a_header_is_refused_without_showing_it(key):
    with pytest.raises(sp.errors.SettingsError, match="api_key must be printable") as caught:
        sp.connect(api_key=key)
    assert "mib_live" not in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        {"max_cents": -1},
        {"max_cents": 2.5},
        {"budget_cents": True},
        {"max_workers": 0},
        {"timeout": float("nan")},
        {"timeout": "soon"},
        {"store": 5},
        {"store": ""},
        {"proxies": "http://proxy.invalid"},
        {"proxies": {"https": 5}},
        {"verify": 3},
        {"verify": ""},
        {"verify": "/nowhere/ca.pem"},
    ],
    ids=str,
)
def test_a_wrong_setting_is_named_and_shows_no_key(bad):
    """It is refused at once. Only the caller's own frame of the traceback can hold the key."""
    with pytest.raises(sp.errors.SettingsError, match=f"^{next(iter(bad))} must be ") as caught:
        sp.connect(api_key=LIVE_KEY, **bad)
    report = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [str(frame.locals) for frame in report.stack if frame.filename != __file__]
    assert len(ours) >= 2
    assert LIVE_KEY not in "".join(ours)


@pytest.mark.parametrize("variable", ["SUBURB_MAX_CENTS", "SUBURB_BASE_URL", "REQUESTS_CA_BUNDLE"])
def test_a_wrong_variable_is_named_and_shows_no_key(monkeypatch, variable):
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    monkeypatch.setenv(variable, "nonsense")
    with pytest.raises(sp.errors.SettingsError, match=variable) as caught:
        sp.Client()
    report = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert LIVE_KEY not in "".join(report.format())


def test_settings_do_not_let_the_key_be_pickled():
    """Settings refuse to be pickled, because a pickle would hold the key in the clear."""
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(resolve(api_key=LIVE_KEY))


def test_show_settings_prints_values_and_origins_but_never_the_key(capsys, monkeypatch):
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    sp.show_settings()
    shown = capsys.readouterr().out
    assert LIVE_KEY not in shown
    assert "api_key      set, not shown  (environment, SUBURB_API_KEY)" in shown
    assert f"base_url     {LIVE_URL}  (default)" in shown


def test_a_rerun_uses_temporary_stores(monkeypatch, tmp_path):
    """With SUBURB_RERUN every store is temporary. The values 0, false and no switch it off."""
    store = str(tmp_path / "store.sqlite")
    for value in ("", "0", "False", " NO "):
        monkeypatch.setenv("SUBURB_RERUN", value)
        assert resolve(store=store).store == store
    monkeypatch.setenv("SUBURB_RERUN", "1")
    settings = resolve(store=store)
    assert (settings.store, settings.origins["store"]) == (":memory:", "environment, SUBURB_RERUN")


def test_proxies_are_looked_up_once_and_never_for_loopback(monkeypatch):
    """A proxy from the environment serves the live service only; an explicit proxy for loopback is refused."""
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid:3128")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    assert resolve(api_key=LIVE_KEY).proxies.value["https"] == "http://proxy.invalid:3128"
    assert resolve(api_key=LIVE_KEY, proxies={}).proxies.value == {}
    assert resolve(api_key=LIVE_KEY, base_url="http://127.0.0.1:1").proxies.value == {}
    with pytest.raises(sp.errors.SettingsError, match="would see the key"):
        sp.connect(api_key=LIVE_KEY, base_url="http://127.0.0.1:1", proxies={"http": "http://proxy.invalid:3128"})


def test_a_scheme_without_a_proxy_is_as_if_it_were_not_named():
    """None is no proxy, as in requests, and so it is allowed on loopback, too."""
    settings = resolve(api_key=LIVE_KEY, base_url="http://127.0.0.1:1", proxies={"http": None, "https": None})
    assert settings.proxies.value == {}


def test_a_path_begins_with_a_home_folder_or_with_the_name_of_a_file(monkeypatch, tmp_path):
    """``~`` is a home folder that exists. Only the name of a file may begin with it, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    assert resolve(store="~/store.sqlite").store == str(tmp_path / "home" / "store.sqlite")
    assert resolve(store="~store.sqlite").store == str(tmp_path / "~store.sqlite")
    with pytest.raises(sp.errors.SettingsError, match=r"^store must be .*home folder"):
        resolve(store="~nobody-of-this-name/store.sqlite")


def test_a_ca_bundle_of_the_environment_is_used(monkeypatch, tmp_path):
    """A CA bundle is taken from either variable that requests reads, its own first. An argument wins over both."""
    for variable in ("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        (tmp_path / variable).touch()
        monkeypatch.setenv(variable, str(tmp_path / variable))
        assert resolve().verify == str(tmp_path / variable)
        assert resolve().origins["verify"] == f"environment, {variable}"
    assert resolve(verify=tmp_path / "CURL_CA_BUNDLE").verify == str(tmp_path / "CURL_CA_BUNDLE")
    assert resolve(verify=False).verify is False
