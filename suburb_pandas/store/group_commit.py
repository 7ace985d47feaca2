"""Commits the writes of several threads in one transaction, so that they share one wait for the disk.

It owns the queue of writes, and decides what becomes of the others when one of them fails. Connections and transactions
are left to database.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

T = TypeVar("T")

Transaction = Callable[[sqlite3.Connection], AbstractContextManager[None]]


class GroupCommit:
    """The writes that wait to be committed to one database.

    With sixteen calls under way, one commit for each write took a tenth of a batch's time.

    Parameters
    ----------
    turn
        The lock that a thread holds while it writes.
    """

    def __init__(self, turn: threading.Lock) -> None:
        self._turn = turn
        self._queue: list[_Write[Any]] = []

    @property
    def n_waiting(self) -> int:
        """The number of writes in the queue."""
        return len(self._queue)

    def commit(
        self,
        write: Callable[[sqlite3.Connection], T],
        lend: Callable[[], AbstractContextManager[sqlite3.Connection]],
        transaction: Transaction,
    ) -> T:
        """Commit a write, together with all others in the queue, and return its result.

        Parameters
        ----------
        write
            Executes the statements and returns the result.
        lend
            Lends a connection that can write. It is passed at each commit: kept here, it would close a circle of
            references, and a database that nobody uses any more would not close its connections at once.
        transaction
            Begins a transaction and commits it at the end of the block.
        """
        mine = _Write(write)
        self._queue.append(mine)
        try:
            with self._turn:
                if not mine.is_done:
                    self._commit_all(mine, lend, transaction)
        finally:
            self._queue.remove(mine)
        if mine.problem is not None:
            raise mine.problem
        return mine.result

    def _commit_all(
        self,
        mine: _Write[Any],
        lend: Callable[[], AbstractContextManager[sqlite3.Connection]],
        transaction: Transaction,
    ) -> None:
        """Commit all writes in the queue. If one of them fails, commit only `mine`: the others get their own turn.

        If another program holds the store, all of them fail: they have waited for it together, once.
        """
        with lend() as connection:
            writes = [one for one in list(self._queue) if not one.is_done]
            try:
                results = _execute(connection, writes, transaction)
            except sqlite3.Error as problem:
                if is_busy(problem):
                    for one in writes:
                        one.problem, one.is_done = problem, True
                    return
                if len(writes) == 1:
                    raise
                writes, results = [mine], _execute(connection, [mine], transaction)
        for one, result in zip(writes, results, strict=True):
            one.result, one.is_done = result, True


class _Write(Generic[T]):
    """A write in the queue; when it is done, its result, or the error because of which it has none."""

    result: T

    def __init__(self, write: Callable[[sqlite3.Connection], T]) -> None:
        self.execute = write
        self.is_done = False
        self.problem: sqlite3.Error | None = None


def _execute(connection: sqlite3.Connection, writes: Sequence[_Write[Any]], transaction: Transaction) -> list[Any]:
    with transaction(connection):
        return [one.execute(connection) for one in writes]


def is_busy(problem: Exception) -> bool:
    """Return True if the error says that another program holds the store."""
    return (getattr(problem, "sqlite_errorname", None) or "").startswith("SQLITE_BUSY")
