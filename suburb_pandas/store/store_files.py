"""Checks that an open store is the file that was opened, under one name, and that its journal is the one in use.

SQLite finds the files of its journal (``-wal`` and ``-shm``) by the name of the store. What it writes under one name is
therefore missing or damaged under another, and what it writes to a journal that was removed may be lost. This module
also puts a new store in place. What is in the file is left to database.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final
from weakref import WeakSet

from suburb_pandas.errors import StoreError

_Identity = tuple[int, int]

_JOURNAL: Final = ("-wal", "-shm")


class Connection(sqlite3.Connection):
    """A connection of SQLite that weak references can refer to."""


class StoreFiles:
    """The file of a store, as it was when the store was opened, and the files of its journal, as they are in use.

    From the first query of a connection until it is closed, SQLite keeps the journal's files. So while one connection
    after another is open without a gap, they stay the same. Rejected: counting connections. Ctrl-C can come between
    opening one and counting it; a connection that is lost in this way leaves the set by itself when it is closed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: _Identity | None = None
        self._journal: list[_Identity | None] = []
        self._connections: WeakSet[Connection] = WeakSet()
        self._lock = threading.Lock()

    def remember(self) -> None:
        """Remember which file it is."""
        self._file = _identity(self._path.stat())

    def opened(self, connection: Connection) -> None:
        """Note a connection that has made its first query. The first one notes which files the journal has."""
        with self._lock:
            if not self._connections:
                self._journal = self._journal_now()
            self._connections.add(connection)

    def closing(self, connection: Connection) -> None:
        """Forget a connection that is about to be closed, after which SQLite may remove its journal."""
        with self._lock:
            self._connections.discard(connection)

    def check(self) -> None:
        """Raise `StoreError` if a file of the store was removed or replaced, or if the store has another name."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            found = None
        if found is None or self._file not in {None, _identity(found)}:
            raise StoreError(
                f"The store {self._path} was removed or replaced while it was in use. Nothing more is written to it; "
                "put it back and connect again."
            )
        if found.st_nlink > 1:
            self._check_names()
        self._check_journal()

    def _check_journal(self) -> None:
        """Raise `StoreError` if a file of the journal is not the one in use.

        If this thread has no connection, other threads may meanwhile have closed the last one and opened another.
        """
        expected, found = self._journal, self._journal_now()
        changed = [
            ending
            for ending, before, now in zip(_JOURNAL, expected, found, strict=False)
            if before is not None and before != now
        ]
        if changed and self._connections and self._journal is expected:
            raise StoreError(
                f"The file {self._path}{changed[0]} was removed or replaced while the store was in use, so what is "
                "written now could be lost. Nothing more was sent; close every program that uses the store, this one "
                "too, and connect again."
            )

    def _journal_now(self) -> list[_Identity | None]:
        return [_identity_if_there(f"{self._path}{ending}") for ending in _JOURNAL]

    def _check_names(self) -> None:
        """Raise `StoreError` if the file has another name, except one that this package gave it during its creation.

        Such a name is removed, because it may have been left by a process that was killed.
        """
        before = _names_of_creation(self._path)
        for name in before:
            with suppress(OSError):
                name.unlink()
        names = self._path.stat().st_nlink - len(_names_of_creation(self._path) if before else ())
        if names > 1:
            raise StoreError(
                f"The store {self._path} has {names} names (hard links), and SQLite keeps a journal beside each name, "
                "so what is written under one is missing or damaged under the other. Nothing was sent; copy it with "
                f'`sqlite3 {self._path} ".backup copy.sqlite"`, remove all names but one, and run the same again.'
            )


def _identity(found: os.stat_result) -> _Identity:
    return found.st_dev, found.st_ino


def _identity_if_there(path: str) -> _Identity | None:
    try:
        return _identity(os.stat(path))  # noqa: PTH116 - for speed: it is done before each write
    except FileNotFoundError:
        return None


def prefix_of_creation(path: Path) -> str:
    """Return how the temporary name of a store begins while the store is created."""
    return f".{path.name}-new-"


def _names_of_creation(path: Path) -> list[Path]:
    """Return the temporary names that the file still has."""
    found = []
    for name in path.parent.iterdir():
        if name.name.startswith(prefix_of_creation(path)):
            with suppress(FileNotFoundError):  # removed by the process that created the store
                found += [name] if name.samefile(path) else []
    return found


def put_in_place(new: Path, path: Path) -> None:
    """Put the new file at `path`, unless another process has put one there first."""
    try:
        path.hardlink_to(new)
    except FileExistsError:
        return
    except OSError:  # the file system has no hard links
        if not path.exists():
            new.rename(path)


def sync(folder: Path) -> None:
    """Flush the folder's entries to disk, so that the name of a new file survives a loss of power."""
    if os.name == "posix":
        entry = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(entry)
        finally:
            os.close(entry)
