"""Helpers for the tests of several folders: a live key, suburbs with rents, warnings, and plain access to a store."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from warnings import WarningMessage

from suburb_pandas.sandbox import SUBURBS, oddities

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


def names_asked(asked):
    """Return the names that were passed to the only lookup."""
    ((_, names, _),) = asked
    return list(names)
