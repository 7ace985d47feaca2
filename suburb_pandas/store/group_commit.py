"""Commits the writes of several threads in one transaction, so that they share one wait for the disk.

It owns the queue of writes, and decides what happens to the others when one fails. Connections and transactions are
left to database.
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

    Rejected: one commit for each write. With sixteen calls under way, it took a tenth of the time of a batch.

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
            Lends a connection that can write. It is passed at each commit and not stored, because it refers to the
            database: in a cycle of references, an unused database would not close its connections at once.
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
        """Commit all writes in the queue. If one of them fails, commit only `mine`; each other thread commits its own.

        If another program has locked the store, all of the writes fail, because they have waited for it together.
        """
        with lend() as connection:
            writes = [queued for queued in list(self._queue) if not queued.is_done]
            try:
                results = _execute(connection, writes, transaction)
            except sqlite3.Error as problem:
                if is_busy(problem):
                    for queued in writes:
                        queued.problem, queued.is_done = problem, True
                    return
                if len(writes) == 1:
                    raise
                writes, results = [mine], _execute(connection, [mine], transaction)
        for queued, result in zip(writes, results, strict=True):
            queued.result, queued.is_done = result, True


class _Write(Generic[T]):
    """A write in the queue. When it is done, it has either a result or, in ``problem``, the error that prevented it."""

    result: T

    def __init__(self, write: Callable[[sqlite3.Connection], T]) -> None:
        self.execute = write
        self.is_done = False
        self.problem: sqlite3.Error | None = None


def _execute(connection: sqlite3.Connection, writes: Sequence[_Write[Any]], transaction: Transaction) -> list[Any]:
    with transaction(connection):
        return [queued.execute(connection) for queued in writes]


def is_busy(problem: Exception) -> bool:
    """Return True if the error says that another program has the store locked."""
    return (getattr(problem, "sqlite_errorname", None) or "").startswith("SQLITE_BUSY")
