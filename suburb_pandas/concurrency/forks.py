"""Forks: who is in the middle of something that a child process must not find half done."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from weakref import WeakSet

from suburb_pandas.errors import StoreError

_FORK_SECONDS = 5
_MOMENT = 0.001


class Forked(Protocol):
    """What has connections, of which none may be open in a fork."""

    def close_idle(self) -> None:
        """Close the connections that nobody uses."""


class Gate:
    """Counts who is inside SQLite, so that a fork finds nobody there and no connection open.

    SQLite would take the parent's locks for the child's own, and a lock of its own that a thread has would stay locked.
    """

    def __init__(self) -> None:
        self._databases: WeakSet[Forked] = WeakSet()
        self._inside = 0
        self._forking: int | None
        self.start_over()

    def start_over(self) -> None:
        """Let everybody in, where none of a parent's threads are; nobody, if one of them was inside."""
        self._is_broken = bool(self._inside)
        self._mine = threading.local()
        self._lock = threading.RLock()  # a database may be collected, and so closed, while this very thread has it
        self._inside = 0
        self._forking = None

    def know(self, database: Forked) -> None:
        """Close the idle connections of that one too."""
        with self._lock:
            self._databases.add(database)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Wait until no fork is under way, and keep one from beginning. Who is inside already need not wait."""
        if self._is_broken:
            raise StoreError(
                "This process was forked while its parent was busy with a store, so it cannot use any. Nothing was "
                "sent; start it when the parent is idle, or by spawn (multiprocessing.get_context)."
            )
        if getattr(self._mine, "is_inside", False):
            yield
            return
        while self._forking not in {None, threading.get_ident()}:
            time.sleep(_MOMENT)
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
        """Let nobody in, and wait until nobody is inside, for a while."""
        give_up = time.monotonic() + _FORK_SECONDS
        self._lock.acquire()
        self._forking = threading.get_ident()
        while self._inside and time.monotonic() < give_up:
            self._lock.release()
            time.sleep(_MOMENT)
            self._lock.acquire()
        for database in list(self._databases):
            database.close_idle()

    def open(self) -> None:
        """Let them in again."""
        self._forking = None
        self._lock.release()


gate = Gate()
"""The one gate of this process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=gate.shut, after_in_parent=gate.open, after_in_child=gate.start_over)
