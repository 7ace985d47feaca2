"""The key in tracebacks with variables: as rich, IPython, Python, cgitb, faulthandler and logging print them."""

import faulthandler
import io
import logging
import os
import signal
import socket
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from rich.console import Console
from rich.traceback import Traceback
from traitlets.config import Config

import suburb_pandas as sp
from tests.secrets.test_secrets import shows_key
from tests.support.common import LIVE_KEY
from tests.support.processes import wait_for

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"
FRAME = pd.DataFrame({"suburb": [BAY, HEIGHTS]})

DOORS = {
    "one rent": lambda: sp.rent(BAY),
    "df.suburb.rent": lambda: FRAME.suburb.rent("suburb"),
    "df.suburb.scorecard": lambda: FRAME.suburb.scorecard("suburb"),
    "resolve": lambda: sp.resolve(["Quoka Bay"]),
}


def by_rich(error):
    """As ``rich.traceback.install(show_locals=True)`` prints it."""
    console = Console(file=io.StringIO(), width=400)
    options = {"show_locals": True, "locals_max_string": None, "locals_max_length": None, "locals_hide_dunder": False}
    console.print(Traceback.from_exception(type(error), error, error.__traceback__, **options))
    return console.file.getvalue()


@cache
def verbose_shell():
    """Make an IPython that writes no history, and shows the variables in a traceback."""
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    shell.run_line_magic("xmode", "Verbose")
    return shell


def by_ipython(error):
    """As IPython prints it after ``%xmode Verbose``."""
    return verbose_shell().InteractiveTB.text(type(error), error, error.__traceback__)


def by_python(error):
    """As the standard library prints it with ``capture_locals``."""
    return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())


def by_cgitb(error):
    """As cgitb did, and as services that collect errors do: the variables of each frame, the error's attributes."""
    seen = [repr(getattr(error, name, None)) for name in dir(error)]
    for frame, _ in traceback.walk_tb(error.__traceback__):
        seen += [f"{name} = {value!r}" for name, value in frame.f_locals.items()]
        seen += [repr(vars(value)) for value in frame.f_locals.values() if hasattr(value, "__dict__")]
    return "\n".join(seen)


def by_logging(error):
    """As a logger prints it that is given the error."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logger = logging.getLogger("suburb_pandas")
    logger.addHandler(handler)
    try:
        logger.error("it failed", exc_info=error)
    finally:
        logger.removeHandler(handler)
    return stream.getvalue()


PRINTERS = [by_rich, by_ipython, by_python, by_cgitb, by_logging]


def with_what_it_carries(error):
    """Give an error and those that it was raised from, or has in it, each once."""
    found = []
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in found:
            found.append(one)
            waiting += [one.__cause__, one.__context__, *getattr(one, "failures", {}).values()]
    return found


def assert_silent(error):
    """However it is printed, the error is told and the key is not, in all frames below the test's own."""
    error.__traceback__ = error.__traceback__.tb_next  # what a user has in variables is the user's
    for one in with_what_it_carries(error):
        for printer in PRINTERS:
            text = printer(one)
            assert printer is by_cgitb or type(one).__name__ in text
            assert not shows_key(text), f"{printer.__name__} of {one!r}"


@pytest.fixture
def log(caplog):
    """Give all that the loggers of the package and of the libraries below it are told."""
    for name in ("suburb_pandas", "urllib3", "requests"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def unanswered_port():
    """Give a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


BREAKS = {
    "unreachable": lambda _: {"base_url": f"http://127.0.0.1:{unanswered_port()}"},
    "no such host": lambda _: {"base_url": "https://suburbs.invalid"},
    "TLS fails": lambda service: {"base_url": service.url.replace("http:", "https:")},
    "proxy refuses": lambda service: {"base_url": "https://suburbs.invalid", "proxies": {"https": service.url}},
    "no proxy": lambda _: {
        "base_url": "https://suburbs.invalid",
        "proxies": {"https": f"http://127.0.0.1:{unanswered_port()}"},
    },
    **{
        fault: lambda service, fault=fault: service.fail(fault, times=None)
        for fault in ("dropped_mid_body", "dropped_before", "malformed_json", "server_error")
    },
    "unauthorized": lambda service: [
        service.answer(name, endpoint, status=401, body=f'{{"detail": "no such key: {LIVE_KEY}"}}'.encode())
        for name, endpoint in [(BAY, "rent"), (BAY, "impacts"), (HEIGHTS, "rent"), ("Quoka Bay", "geocode")]
    ],
}
"""What goes wrong, as what it does to the service, or the settings by which another is called."""


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("broken", BREAKS)
def test_no_traceback_of_a_failed_call_shows_the_key(service, log, tmp_path, broken, door):
    """Whatever goes wrong in a call, and by whatever door it was made; nor do the logs."""
    settings = {"base_url": service.url, "store": tmp_path / "store", "timeout": 5}
    changed = BREAKS[broken](service)
    with sp.connect(api_key=LIVE_KEY, **settings | (changed if isinstance(changed, dict) else {})):
        with pytest.raises((sp.SuburbError, sp.SuburbWarning)) as caught:
            DOORS[door]()
        assert_silent(caught.value)
    assert not shows_key(log.text)


BAD_SETTINGS = [
    {"timeout": -1},
    {"max_cents": "many"},
    {"budget_cents": 1.5},
    {"max_workers": 0},
    {"store": 5},
    {"store": ""},
    {"verify": "nowhere.pem"},
    {"verify": 5},
    {"proxies": 5},
    {"base_url": "suburbs.invalid"},
    {"base_url": "http://suburbs.invalid"},
    {"base_url": 5},
]


@pytest.mark.parametrize("make", [sp.connect, sp.Client])
@pytest.mark.parametrize("bad", BAD_SETTINGS, ids=str)
def test_no_traceback_of_bad_settings_shows_the_key(make, bad, log):
    """One argument is wrong, the key is right: nothing below the user's own line has it in a variable."""
    with pytest.raises(sp.SettingsError) as caught:
        make(api_key=LIVE_KEY, **bad)
    assert_silent(caught.value)
    assert not shows_key(log.text)


@pytest.mark.parametrize("bad", BAD_SETTINGS, ids=str)
def test_no_traceback_shows_the_key_of_the_environment(monkeypatch, bad):
    """Nor where it is the environment that has it."""
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    with pytest.raises(sp.SettingsError) as caught:
        sp.connect(**bad)
    assert_silent(caught.value)


@pytest.mark.parametrize("around", [f"{LIVE_KEY}\u00e9", f"{LIVE_KEY}\n{LIVE_KEY}", LIVE_KEY.encode(), [LIVE_KEY]])
def test_no_traceback_of_a_key_that_is_none_shows_it(around):
    """What was pasted wrong is a key all the same."""
    with pytest.raises(sp.SettingsError) as caught:
        sp.connect(api_key=around)
    assert_silent(caught.value)


def test_no_thread_shows_the_key_while_calls_are_under_way(live, service, tmp_path):
    """What faulthandler writes of all threads, in the middle of calls, names functions only."""
    service.fail("latency", times=None, seconds=30)
    with ThreadPoolExecutor(1) as pool, (tmp_path / "dump").open("w+") as dump:
        batch = pool.submit(sp.rent, [BAY, HEIGHTS])
        wait_for(lambda: service.most_at_once == 2)
        faulthandler.dump_traceback(dump, all_threads=True)
        service.release()
        assert len(batch.result())
        dump.seek(0)
        text = dump.read()
    assert "transport.py" in text
    assert not shows_key(text)


def test_no_traceback_of_ctrl_c_shows_the_key(live, service):
    """It comes in the middle of a call, of which the user's own thread holds nothing."""
    service.fail("latency", times=None, seconds=30)
    ctrl_c = threading.Thread(target=press_once_called, args=(service,))
    ctrl_c.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        sp.rent(BAY)
    ctrl_c.join()
    assert_silent(caught.value)


def press_once_called(service):
    """Press Ctrl-C as soon as there is a call in hand, and let that go."""
    wait_for(lambda: service.most_at_once)
    os.kill(os.getpid(), signal.SIGINT)
    service.release()


@pytest.mark.parametrize("call", [sp.rent, sp.impacts, sp.scorecard, sp.resolve, FRAME.suburb.rent, FRAME.suburb.quote])
def test_no_traceback_of_an_option_that_is_none_shows_the_key(call):
    """Who gives the key to a lookup, and not to ``connect``, is told so, and it is in no variable."""
    with pytest.raises(TypeError, match="api_key") as caught:
        call([BAY], api_key=LIVE_KEY)
    assert_silent(caught.value)
