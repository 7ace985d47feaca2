"""Fixtures for all tests: a clean environment, a service, and clients to call it."""

import functools
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings

import suburb_pandas as sp
from suburb_pandas import settings
from suburb_pandas.accessor.methods import method
from suburb_pandas.accessor.suburb import SuburbAccessor
from suburb_pandas.loaders import join, ledger
from tests.support.adversary import Adversary, serve
from tests.support.common import LIVE_KEY, forget_default
from tests.support.parallel import count_files, distribute
from tests.support.raw_server import KEY, Server

pytest_plugins = ("tests.support.trials", "tests.support.results")  # the fixtures `trial` and `as_read`

Handler = Callable[[socket.socket], object]

hypothesis_settings.register_profile("seeded", deadline=None, derandomize=True, max_examples=30)
hypothesis_settings.register_profile("random", deadline=None, print_blob=True, max_examples=300)

DURATIONS = {"not long": "All tests take about three minutes", "long": "The long tests take more than an hour"}
"""Measured on two cores. The keys are values of pytest's option ``-m``."""

LONG_TIMEOUT = 1800  # seconds
"""A test that is marked long fails after this time. All others have the timeout of pyproject.toml."""

os.environ["MPLBACKEND"] = "agg"  # no window, in this process and in its children

READ_BY_TESTS = {"SUBURB_SAL_NAMES", "SUBURB_AXE", "SUBURB_CHROMIUM", "SUBURB_REQUIRE_BROWSER"}
"""Variables that configure the tests themselves."""

OUTSIDE = {"ci", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "requests_ca_bundle", "curl_ca_bundle"}
"""Variables of other programs that the package reads, in lower case."""

# These variables would change the results of tests. They are removed before any fixture starts a process, because
# the processes of multiprocessing's fork server keep the environment in which the first of them was started.
for variable in list(os.environ):
    is_setting = variable.startswith("SUBURB_") and variable not in READ_BY_TESTS
    if is_setting or variable.lower() in OUTSIDE:
        del os.environ[variable]

# A shell starts background jobs with Ctrl-C ignored, and Python and its children then leave it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run many files in several processes. This is called before pytest-xdist reads its own options."""
    if not hasattr(config, "workerinput"):  # which a process of pytest-xdist has
        distribute(config.option, count_files(config.args, config.invocation_params.dir))


def pytest_configure(config: pytest.Config) -> None:
    """Make the package's warnings errors, and choose the examples of the property tests.

    pyproject.toml could name the warnings too, but pytest would then import the package before coverage begins.
    """
    config.addinivalue_line("filterwarnings", "error::suburb_pandas.SuburbWarning")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # progress is seen in a pipe or a file, too
    if not config.getoption("hypothesis_profile", None):
        hypothesis_settings.load_profile("seeded" if config.option.markexpr == "not long" else "random")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say how long the tests take, at the start of a run of all files in several processes."""
    chosen = count_files(config.args, config.invocation_params.dir)
    everything = count_files(config.getini("testpaths"), config.rootpath)
    if chosen < everything or not getattr(config.option, "numprocesses", 0):
        return None
    duration = DURATIONS.get(config.option.markexpr, "All tests with the long ones take more than an hour")
    return f"{duration} on two cores; they need no key and no network. The first results come within a minute."


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Set the timeout of long tests. With ``-m long``, the property tests run too, on random examples."""
    for item in items:
        if config.option.markexpr == "long" and getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.long)
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONG_TIMEOUT))


@pytest.fixture(autouse=True)
def isolation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Isolate the test from the user's data folder, and other tests from its default client, figures and widgets."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    yield
    client = forget_default()
    if client is not None:
        client.close()
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    if "ipywidgets" in sys.modules:
        sys.modules["ipywidgets"].Widget.close_all()


@pytest.fixture
def service() -> Iterator[Adversary]:
    """Run a sandbox that a test can turn into an adversary."""
    with serve() as running:
        yield running


@pytest.fixture
def live(service: Adversary, tmp_path: Path) -> Iterator[sp.Client]:
    """Return the default client, with a live key, the service of the test and an empty store."""
    with sp.connect(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "store.sqlite", timeout=5) as client:
        yield client


@pytest.fixture
def connect(service: Adversary) -> Callable[..., sp.Client]:
    """Return `sp.connect` for the service of the test, with a live key."""
    return functools.partial(sp.connect, api_key=LIVE_KEY, base_url=service.url)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path for a cassette that does not exist yet."""
    return tmp_path / "study.yaml"


@pytest.fixture
def embedded() -> Iterator[sp.Client]:
    """Return the default client with the key `embedded`, which asks for made-up suburbs and so raises no warning."""
    with sp.connect(api_key="embedded") as client:
        yield client


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the waits before retries from seconds to milliseconds."""
    monkeypatch.setattr(settings, "RETRY_WAIT", 0.001)


@pytest.fixture(name="serve")
def serve_on_a_socket() -> Iterator[Callable[[Handler], Server]]:
    """Return a function that serves on loopback until the end of the test, and passes each connection to a handler."""
    servers = []

    def start(handle: Handler, **options: Any) -> Server:
        servers.append(Server(handle, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.listener.close()


@pytest.fixture
def client_of(tmp_path: Path) -> Iterator[Callable[..., sp.Client]]:
    """Return a function that makes clients for a URL, all with the same store."""
    usual = {"api_key": KEY, "store": tmp_path / "store.sqlite", "timeout": 60}
    with ExitStack() as stack:
        yield lambda url: stack.enter_context(sp.Client(base_url=url, **usual))


@pytest.fixture
def without_charts(monkeypatch):
    """Replace the picker's charts by empty pictures, because drawing takes most of the time of its tests."""
    monkeypatch.setattr("suburb_pandas.plotting.picture.picture_of", lambda *_, **__: (b"chart", "", ""))


@pytest.fixture
def sal_names() -> list[str]:
    """Return the real suburb names; skip the test if SUBURB_SAL_NAMES does not name a list."""
    path = os.environ.get("SUBURB_SAL_NAMES")
    if not path:
        pytest.skip("SUBURB_SAL_NAMES does not name a list of the ABS suburb names")
    return Path(path).read_text(encoding="utf-8").splitlines()


@pytest.fixture
def asked(monkeypatch):
    """Return a list of the loaders that methods of ``df.suburb`` call: name, suburbs and options. None of them runs."""
    calls = []

    def recorder(loader):
        @functools.wraps(loader)
        def record(names, *_, **options):
            calls.append((loader.__name__, names, options))

        return record

    for loader in (sp.rent, sp.impacts, sp.impact_summary, sp.scorecard):
        monkeypatch.setattr(SuburbAccessor, loader.__name__, method(recorder(loader)))
    monkeypatch.setattr(ledger, "quote", recorder(ledger.quote))
    monkeypatch.setattr(join, "rent", recorder(join.rent))
    return calls
