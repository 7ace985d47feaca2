"""Makes forks safe for SQLite: no idle connection is open while this process forks, and nothing is half opened.

A child that inherits a connection would take its parent's file locks for its own. Connections themselves are left to
database.
"""

from __future__ import annotations

import logging  # noqa: F401 - the handler registered last runs first: a fork takes logging's lock after this module's
import os
import sqlite3
import threading
import time
from contextlib import suppress
from typing import Any, Final
from weakref import WeakSet

_LONGEST_WAIT: Final = 5.0  # seconds that a fork waits for transactions under way

opening: Final = threading.RLock()
"""Held while a connection, a store or a client is opened, closed or changed. A fork waits for it."""


class Connection(sqlite3.Connection):
    """One thread's connection, which holds ``in_use`` during a transaction. A fork closes it if it is idle."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.in_use: threading.Lock = threading.Lock()
        self.is_open: bool = True
        _connections.add(self)

    def close(self) -> None:
        """Close the connection; nothing happens if it was closed."""
        self.is_open = False
        super().close()

    def close_if_idle(self, patience: float = 0.0) -> None:
        """Close the connection, unless a transaction lasts longer than ``patience``, in seconds."""
        if self.in_use.acquire(timeout=patience):
            self.close()
            self.in_use.release()

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # Ctrl-C struck before it was open
            self.close()


_connections: WeakSet[Connection] = WeakSet()
_inherited: list[Connection] = []
"""The connections that a thread of the parent was using when this process was forked. They are never closed here."""


def is_broken() -> bool:
    """Return True if this process was forked while a thread of its parent was using a store."""
    return bool(_inherited)


def _before_fork() -> None:
    opening.acquire()
    give_up = time.monotonic() + _LONGEST_WAIT
    for connection in list(_connections):
        connection.close_if_idle(max(0.0, give_up - time.monotonic()))


def _in_child() -> None:
    _inherited.extend(connection for connection in _connections if connection.is_open)
    opening.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=opening.release, after_in_child=_in_child)
