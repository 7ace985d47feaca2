"""What tests of several folders use: a key that pays, suburbs with rents, warnings, and a store seen from outside."""

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
    """Give the warnings caught, without what Python says whenever it collects what was left open elsewhere."""
    return [warning for warning in caught if not issubclass(warning.category, ResourceWarning)]


@contextmanager
def plain_sqlite(path: str | Path) -> Iterator[sqlite3.Connection]:
    """Open a store as another program would, each statement a transaction of its own, and close it again."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as connection:
        yield connection


def names_asked(asked):
    """The names of the one lookup made."""
    ((_, names, _),) = asked
    return list(names)
