"""Makes forks safe: no SQLite connection is open when this process forks, and a child renews its locks.

It is the only module that calls ``os.register_at_fork``. Other modules register with `renew_in_child` the locks and
other state that a child has to renew, and store.database registers its connections, which are closed before a fork.
"""

from __future__ import annotations

import logging  # noqa: F401 - its fork hook has to be registered before the gate's, see the end of this module
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol
from weakref import WeakSet

from suburb_pandas.errors import StoreError

_POLL_SECONDS = 0.001


class HasIdleConnections(Protocol):
    """A database that keeps connections open between uses."""

    def close_idle(self) -> None:
        """Close the connections that no thread is using."""


class Gate:
    """A gate that threads pass to use SQLite. It is closed while this process forks.

    No thread is then inside SQLite, and no connection is open. Otherwise, a child that inherits a connection would take
    the parent's file locks for its own, and a child that is forked while a thread is inside SQLite might inherit a
    locked mutex that is never unlocked.
    """

    def __init__(self) -> None:
        self.fork_seconds: float = 5.0  # the longest wait of a fork for threads that are inside SQLite
        self._databases: WeakSet[HasIdleConnections] = WeakSet()
        self._inside = 0
        self._forking: int | None
        self.start_over()

    def start_over(self) -> None:
        """Open the gate in a child process; close it for good if a thread of the parent was inside at the fork."""
        self._is_broken = bool(self._inside)
        self._mine = threading.local()
        # Reentrant: while a thread holds the lock, the garbage collector may close a database in the same thread.
        self._lock = threading.RLock()
        self._inside = 0
        self._forking = None

    def register(self, database: HasIdleConnections) -> None:
        """Have the idle connections of `database` closed before each fork."""
        with self._lock:
            self._databases.add(database)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Delay forks while the block runs, each by at most 5 seconds.

        If a fork is under way, wait until it is over. A thread that is already inside does not wait.

        Raises
        ------
        StoreError
            This process was forked while a thread of its parent was inside.
        """
        if self._is_broken:
            raise StoreError(
                "This process was forked while its parent was using a store, so it cannot use any store. Nothing was "
                'sent; fork while the parent is idle, or start processes with multiprocessing.get_context("spawn")'
            )
        if getattr(self._mine, "is_inside", False):
            yield
            return
        while self._forking not in {None, threading.get_ident()}:
            time.sleep(_POLL_SECONDS)
        with self._lock:
            self._inside += 1
        self._mine.is_inside = True
        try:
            yield
        finally:
            self._mine.is_inside = False
            with self._lock:
                self._inside -= 1

    def shut(self) -> None:
        """Close the gate before a fork, wait up to 5 seconds until no thread is inside, and close idle connections."""
        give_up = time.monotonic() + self.fork_seconds
        self._lock.acquire()
        self._forking = threading.get_ident()
        while self._inside and time.monotonic() < give_up:
            self._lock.release()
            time.sleep(_POLL_SECONDS)
            self._lock.acquire()
        for database in list(self._databases):
            database.close_idle()

    def open(self) -> None:
        """Open the gate again, in the parent after the fork."""
        self._forking = None
        self._lock.release()


gate: Final = Gate()
"""The gate of this process."""


def renew_in_child(callback: Callable[[], None]) -> Callable[[], None]:
    """Register a callback for every process that is forked from this one. It runs before `os.fork` returns there.

    Modules use this decorator at import, for example to replace a lock that a thread of the parent may hold. Each
    callback is a hook of its own, so that an exception in one does not stop the others. They run in the order of their
    registration, after the gate's own. Windows has no forks, so nothing is called there.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=callback)
    return callback


# Hooks before a fork run in reverse order of registration. The hook of logging takes a lock that a thread inside the
# gate may be waiting for, so it has to run after the hook of the gate.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=gate.shut, after_in_parent=gate.open, after_in_child=gate.start_over)
