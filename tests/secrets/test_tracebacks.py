"""Tracebacks with variables do not show the key, whether rich, IPython, Python, cgitb or pickle shows them."""

import io
import os
import signal
import threading
import traceback
from functools import cache

import pytest
from IPython.core.interactiveshell import InteractiveShell
from rich.console import Console
from rich.traceback import Traceback
from traitlets.config import Config

import suburb_pandas as sp
from tests.secrets.test_secrets import shows_key
from tests.support.common import LIVE_KEY, wait_for
from tests.support.raw_server import said_by, shows

BAY = "Quokka Bay"

DOORS = [lambda: sp.rent(BAY), lambda: sp.resolve(["Quoka Bay"])]
"""Ways in which a user makes a call."""


def by_rich(error):
    """Format an error as ``rich.traceback.install(show_locals=True)`` prints it."""
    console = Console(file=io.StringIO(), width=400)
    options = {"show_locals": True, "locals_max_string": None, "locals_max_length": None, "locals_hide_dunder": False}
    options["extra_lines"] = 0  # of the source, whose highlighting takes longer than the variables
    console.print(Traceback.from_exception(type(error), error, error.__traceback__, **options))
    return console.file.getvalue()


@cache
def verbose_shell():
    """Return an IPython shell that writes no history and shows variables in tracebacks."""
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    shell.run_line_magic("xmode", "Verbose")
    return shell


def by_ipython(error):
    """Format an error as IPython prints it after ``%xmode Verbose``."""
    return verbose_shell().InteractiveTB.text(type(error), error, error.__traceback__)


def by_cgitb(error):
    """Format an error as cgitb and error trackers do: the variables of each frame and the attributes of the error."""
    seen = [repr(getattr(error, name, None)) for name in dir(error)]
    for frame, _ in traceback.walk_tb(error.__traceback__):
        seen += [f"{name} = {value!r}" for name, value in frame.f_locals.items()]
        seen += [repr(vars(value)) for value in frame.f_locals.values() if hasattr(value, "__dict__")]
    return "\n".join(seen)


PRINTERS = [by_rich, by_ipython, by_cgitb, said_by]


def with_what_it_carries(error):
    """Return an error, its causes and contexts, and the failures that it carries, each once."""
    found = []
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in found:
            found.append(one)
            waiting += [one.__cause__, one.__context__, *getattr(one, "failures", {}).values()]
    return found


def assert_silent(error, shows_it=shows_key):
    """Assert that every printer names the error and none shows a secret, in all frames below the test's own."""
    error.__traceback__ = error.__traceback__.tb_next  # the user's own frame may hold the secret
    for one in with_what_it_carries(error):
        for printer in PRINTERS:
            text = printer(one)
            assert printer is by_cgitb or type(one).__name__ in text
            assert not shows_it(text), f"{printer.__name__} of {one!r}"


BREAKS = {
    "no such host": lambda _: {"base_url": "https://suburbs.invalid"},
    "TLS fails": lambda service: {"base_url": service.url.replace("http:", "https:")},
    "proxy refuses": lambda service: {"base_url": "https://suburbs.invalid", "proxies": {"https": service.url}},
    **{
        fault: lambda service, fault=fault: service.fail(fault, times=None)
        for fault in ("dropped_mid_body", "malformed_json", "server_error", "rate_limited", "redirect", "slow_body")
    },
}
"""Faults. Each one changes the service, or returns settings that call a different service."""


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("broken", BREAKS)
def test_no_traceback_of_a_failed_call_shows_the_key(service, log, tmp_path, broken):
    """No lookup shows the key in a traceback or a log, whichever fault its call meets."""
    settings = {"base_url": service.url, "store": tmp_path / "store", "timeout": 0.5}
    changed = BREAKS[broken](service)
    with sp.connect(api_key=LIVE_KEY, **settings | (changed if isinstance(changed, dict) else {})):
        for door in DOORS:
            with pytest.raises((sp.SuburbError, sp.SuburbWarning)) as caught:
                door()
            assert_silent(caught.value)
    assert not shows_key(log.text)


PASSWORD = "Rk5Vt8Qz2"
"""The password of a proxy, which is part of its URL."""

PROXY = f"http://somebody:{PASSWORD}@127.0.0.1:1"
BAD_SETTINGS = [
    {"max_cents": "many"},
    {"verify": "nowhere.pem"},
    {"proxies": PROXY},
    {"proxies": [PROXY]},
    {"base_url": "http://suburbs.invalid"},
    {"api_key": f"{LIVE_KEY}\u00e9"},
    {"api_key": f"{LIVE_KEY}\n{LIVE_KEY}"},
    {"api_key": LIVE_KEY.encode()},
    {"api_key": [LIVE_KEY]},
]


@pytest.mark.parametrize("key", [{"api_key": LIVE_KEY}, {}], ids=["argument", "environment"])
@pytest.mark.parametrize("bad", BAD_SETTINGS, ids=str)
def test_no_traceback_of_bad_settings_shows_a_secret(monkeypatch, key, bad, log):
    """If a setting is wrong, no frame below the user's own has the key in a variable, wherever it came from.

    Nor has one the password of a proxy. A malformed key is still a secret.
    """
    if not key:
        monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    with pytest.raises(sp.errors.SettingsError) as caught:
        sp.connect(**{"proxies": {"https": PROXY}, **key, **bad})
    assert_silent(caught.value, lambda text: shows_key(text) or shows(PASSWORD, text))
    assert not shows_key(log.text)


def test_no_traceback_of_ctrl_c_shows_the_key(live, service):
    """Ctrl-C in the middle of a call raises KeyboardInterrupt without the key in any variable."""
    service.fail("latency", times=None, seconds=30)
    ctrl_c = threading.Thread(target=press_once_called, args=(service,))
    ctrl_c.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        sp.rent(BAY)
    ctrl_c.join()
    assert_silent(caught.value)


def press_once_called(service):
    """Press Ctrl-C as soon as a call is under way, then let the call finish."""
    wait_for(lambda: service.most_at_once)
    os.kill(os.getpid(), signal.SIGINT)
    service.release()
