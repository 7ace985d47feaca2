"""Settings come from arguments, the environment and defaults; invalid values are refused.

That no message and no traceback of them shows a key is tested in ``secrets``.
"""

import pickle

import pytest

import suburb_pandas as sp
from suburb_pandas.settings import canonical_url, resolve
from tests.support.common import LIVE_KEY

SHOWN = """\
source       live  (follows the key)
api_key      set, not shown  (environment, SUBURB_API_KEY)
base_url     https://api.microburbs.com.au  (default)
store        a file in the user's data folder  (default)
max_cents    60  (argument)
budget_cents 90  (environment, SUBURB_BUDGET_CENTS)
max_workers  8  (default)
timeout      30  (default)
verify       True  (default)
proxies      none  (default)"""
LOOPBACK = "http://127.0.0.1:1"
PROXY = "http://proxy.invalid:3128"


def test_the_key_alone_decides_about_money():
    """Without a key no money can be spent, and a URL is refused. With a key, the URL does not matter."""
    settings = resolve()
    assert (settings.source, settings.base_url, settings.secret) == ("embedded", None, None)
    keys = ("embedded", "test", f" {LIVE_KEY} ")
    found = [resolve(api_key=key, base_url=LOOPBACK) for key in keys]
    assert [(one.source, one.secret is not None) for one in found] == [
        ("embedded", False),
        ("sandbox", False),
        ("live", True),
    ]
    assert found[-1].secret.value == LIVE_KEY
    with pytest.raises(sp.errors.SettingsError, match="without an API key"):
        resolve(base_url=LOOPBACK)


def test_an_argument_wins_over_the_environment_and_that_over_the_default(monkeypatch):
    """The description names the origin of each value, and never shows the key. An empty variable is none."""
    variables = {"API_KEY": LIVE_KEY, "MAX_CENTS": "90", "BUDGET_CENTS": "90", "STORE": "", "BASE_URL": ""}
    for name, value in variables.items():
        monkeypatch.setenv(f"SUBURB_{name}", value)
    settings = resolve(max_cents=60)
    assert settings.describe() == SHOWN
    assert [settings.was_given(name) for name in ("max_cents", "budget_cents", "store")] == [True, True, False]
    assert "<not shown>" in repr(settings)
    embedded = resolve(api_key="embedded").describe()
    assert "the embedded sandbox, on this machine" in embedded
    assert "a temporary file" in embedded
    assert "key      embedded" in embedded
    assert "mine.sqlite" in resolve(store="mine.sqlite").describe()


@pytest.mark.parametrize("url", [LOOPBACK, "http://localhost:1", "http://[::1]:1", "https://h/V1"])
def test_spellings_of_one_base_url_share_the_form_under_which_responses_are_stored(url):
    """The case of scheme and host, a default port and a slash at the end make no other base URL."""
    assert resolve(api_key=LIVE_KEY, base_url=url).base_url == url
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    assert canonical_url(f"{scheme.upper()}://{host.upper()}{slash}{path}/") == url
    assert canonical_url("https://H:443/V1") == "https://h/V1" != canonical_url("https://h:80/V1")


WRONG = {
    "api_key": ["mib_live_a\r\nX-Evil: 1", "mib_live_é", "", "  ", 7],
    "base_url": [
        "http://example.org",
        "http://localhost.example.org",
        "example.org",
        "https://u:p@example.org",
        "http://[::1",
        "https://a..b",
        "https://bücher.example",
        "https://example.org/?q=1",
        "http://127.0.0.1:9/ HTTP/1.1\r\nX-Evil: 1\r\n\r\n",
    ],
    "max_cents": [-1, 2.5],
    "budget_cents": [True],
    "max_workers": [0, 86_401],
    "timeout": [0, float("nan"), "soon"],
    "store": [5, ""],
    "proxies": [PROXY, {"https": 5}],
    "verify": [3, "", "/nowhere/ca.pem"],
}


@pytest.mark.parametrize(("name", "bad"), [(name, bad) for name, values in WRONG.items() for bad in values])
def test_a_value_that_cannot_be_used_is_refused(name, bad):
    """The error names the setting, and its value unless that may hold a secret. Plain http is for loopback only."""
    with pytest.raises(sp.errors.SettingsError, match=f"^{name} must be ") as caught:
        sp.connect(**{"api_key": LIVE_KEY, name: bad})
    assert (f", not {bad!r} (from the argument)" in str(caught.value)) is (
        name not in {"api_key", "base_url", "proxies"}
    )


@pytest.mark.parametrize("variable", ["SUBURB_MAX_CENTS", "SUBURB_BASE_URL", "REQUESTS_CA_BUNDLE"])
def test_a_wrong_variable_is_named(monkeypatch, variable):
    """The error names the variable that has a value which cannot be used."""
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    monkeypatch.setenv(variable, "nonsense")
    with pytest.raises(sp.errors.SettingsError, match=variable):
        sp.Client()


def test_settings_do_not_let_the_key_be_pickled():
    """Settings refuse to be pickled, because a pickle would hold the key in the clear."""
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(resolve(api_key=LIVE_KEY))


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
    """A proxy from the environment serves the live service only; an explicit proxy for loopback is refused.

    None is no proxy, as in requests, and so it is allowed on loopback, too.
    """
    monkeypatch.setenv("HTTPS_PROXY", PROXY)
    found = resolve(api_key=LIVE_KEY)
    assert (found.proxies.value["https"], found.origins["proxies"]) == (PROXY, "environment")
    assert "proxies      set, not shown" in found.describe()
    for options in ({"proxies": {}}, {"base_url": LOOPBACK}, {"base_url": LOOPBACK, "proxies": {"http": None}}):
        assert resolve(api_key=LIVE_KEY, **options).proxies.value == {}
    with pytest.raises(sp.errors.SettingsError, match="would see the key"):
        sp.connect(api_key=LIVE_KEY, base_url=LOOPBACK, proxies={"http": PROXY})


def test_a_path_begins_with_a_home_folder_or_with_the_name_of_a_file(monkeypatch, tmp_path):
    """``~`` is the home folder. Only the name of a file may begin with it, too."""
    monkeypatch.chdir(tmp_path)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    assert resolve(store="~/store.sqlite").store == str(tmp_path / "home" / "store.sqlite")
    assert resolve(store="~store.sqlite").store == str(tmp_path / "~store.sqlite")


def test_a_ca_bundle_of_the_environment_is_used(monkeypatch, tmp_path):
    """A CA bundle is taken from either variable that requests reads, its own first. An argument wins over both."""
    for variable in ("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        (tmp_path / variable).touch()
        monkeypatch.setenv(variable, str(tmp_path / variable))
        assert resolve().verify == str(tmp_path / variable)
        assert resolve().origins["verify"] == f"environment, {variable}"
    assert resolve(verify=tmp_path).verify == str(tmp_path)
    assert resolve(verify=False).verify is False
