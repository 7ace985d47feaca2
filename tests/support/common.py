"""Provides a live key, suburbs with rents, warnings and plain access to a store, for the tests of several folders."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from warnings import WarningMessage

import pytest

from suburb_pandas.client import session
from suburb_pandas.client.client import Client
from suburb_pandas.http.wire import Wire
from suburb_pandas.sandbox import SUBURBS, oddities
from suburb_pandas.settings import resolve
from suburb_pandas.store import database

LIVE_KEY = "mib_live_Wq7ZtR2xNb4LsVk9"

RENTED = [suburb.name for suburb in SUBURBS if oddities.reason_for_none("rent", suburb.name) is None]
"""Made-up suburbs that have rents."""


def of_this_call(caught: Iterable[WarningMessage]) -> list[WarningMessage]:
    """Return the caught warnings without ResourceWarnings, which garbage from other tests can raise at any time."""
    return [warning for warning in caught if not issubclass(warning.category, ResourceWarning)]


@contextmanager
def plain_sqlite(path: str | Path) -> Iterator[sqlite3.Connection]:
    """Open a store as another program would, in autocommit mode, and close it afterwards."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as connection:
        yield connection


def child_environment(foreign: tuple[str, ...], **more: str) -> dict[str, str]:
    """Return the environment of a child: this one without variables that begin with a foreign prefix, and some more."""
    return {name: value for name, value in os.environ.items() if not name.startswith(foreign)} | more


def replace_connect(monkeypatch: pytest.MonkeyPatch, connect: Callable[..., sqlite3.Connection]) -> None:
    """Replace the function that opens SQLite files, for stores only. Coverage, for one, goes on with SQLite's own."""
    monkeypatch.setattr(database, "sqlite3", SimpleNamespace(**{**vars(sqlite3), "connect": connect}))


def wait_for(condition: Callable[[], object], seconds: float = 30) -> object:
    """Wait until a function returns something true, and return that; fail after so many seconds."""
    give_up = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < give_up, "it never came to pass"
        time.sleep(0.005)
    return found


def exchanged(url, *paths, timeout=5, **settings):
    """Make calls to a service over one connection, by default one call, and return the last exchange."""
    with closing(Wire(resolve(api_key=LIVE_KEY, base_url=url, timeout=timeout, **settings), url)) as wire:
        return [wire.exchange(path) for path in paths or ["/v1/x"]][-1]


def forget_default() -> Client | None:
    """Forget the default client, without closing it, and return it. The next request makes another one."""
    forgotten, session._default = session._default, None
    return forgotten
