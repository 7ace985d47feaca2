"""Checks that an open store is the file that was opened, under one name, and that its journal is the one in use.

SQLite finds the files of its journal (``-wal`` and ``-shm``) by the name of the store. Data that it writes under one
name are therefore missing or damaged under another, and data that it writes to a journal that was removed may be lost.
This module also puts a new store in place. The contents of the file are left to database.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Final
from weakref import WeakSet, WeakValueDictionary

from suburb_pandas.concurrency.forks import renew_in_child
from suburb_pandas.errors import StoreError

_Identity = tuple[int, int]

_ENDINGS: Final = ("-wal", "-shm")  # of the journal's files


class Connection(sqlite3.Connection):
    """A connection of SQLite that weak references can refer to."""


class _Journal:
    """The files of a store's journal that the connections of this process are using.

    From the first query of a connection until it is closed, SQLite keeps the journal's files. So while one connection
    after another is open without a gap, they stay the same. Rejected: counting connections. Ctrl-C can come between
    opening one and counting it; a connection that is lost in this way leaves the set by itself when it is closed.
    """

    def __init__(self, store: Path) -> None:
        self._store = store
        self._files: list[_Identity | None] = []
        self._connections: WeakSet[Connection] = WeakSet()
        # Reentrant, like the lock of the gate: the garbage collector may close a store in the thread that holds it.
        self._lock = threading.RLock()

    def opened(self, connection: Connection) -> None:
        """Note a connection that has made its first query. The first one notes which files the journal has."""
        with self._lock:
            if not self._connections:
                self._files = self._files_now()
            self._connections.add(connection)

    def closing(self, connection: Connection) -> None:
        """Forget a connection that is about to be closed, after which SQLite may remove its journal."""
        with self._lock:
            self._connections.discard(connection)

    def changed(self) -> str | None:
        """Return the path of a file that is not the one in use, or None.

        If this thread has no connection, other threads may meanwhile have closed the last one and opened another.
        """
        expected, found = self._files, self._files_now()
        changed = [
            f"{self._store}{ending}"
            for ending, before, now in zip(_ENDINGS, expected, found, strict=False)
            if before is not None and before != now
        ]
        return changed[0] if changed and self._connections and self._files is expected else None

    def _files_now(self) -> list[_Identity | None]:
        return [_identity_if_there(f"{self._store}{ending}") for ending in _ENDINGS]


_journals: WeakValueDictionary[tuple[Path, _Identity], _Journal] = WeakValueDictionary()
_journals_lock = threading.RLock()


@renew_in_child
def _renew_lock() -> None:
    """Replace the lock in a forked child, where a thread that holds it does not exist."""
    global _journals_lock  # noqa: PLW0603 - this module owns it
    _journals_lock = threading.RLock()


class StoreFiles:
    """The file of a store, as it was when the store was opened, and its journal.

    All objects for the same file in this process share one `_Journal`, because SQLite shares the journal, too.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: _Identity | None = None
        self._journal: _Journal | None = None
        self._changed: str | None = None

    @property
    def identity(self) -> _Identity | None:
        """The device and the number of the file; None while it is being opened."""
        return self._file

    def remember(self) -> None:
        """Remember which file it is."""
        self._file = _identity(self._path.stat())

    def opened(self, connection: Connection) -> None:
        """Note a connection that has made its first query."""
        if self._journal is not None:
            self._journal.opened(connection)

    def closing(self, connection: Connection) -> None:
        """Forget a connection that is about to be closed."""
        if self._journal is not None:
            self._journal.closing(connection)

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
        if self._journal is None:
            with _journals_lock:
                self._journal = _journals.setdefault((self._path, _identity(found)), _Journal(self._path))
        # Once it was changed, no new journal may be begun: another program may still use the old one.
        self._changed = self._changed or self._journal.changed()
        if self._changed:
            raise StoreError(
                f"The file {self._changed} was removed or replaced while the store was in use, so new data could be "
                "lost. Nothing more was sent; close every program and every client that uses the store, and connect "
                "again."
            )

    def _check_names(self) -> None:
        """Raise `StoreError` if the file has another name, except a temporary one from its creation.

        A temporary name is removed, because it may have been left by a process that was killed.
        """
        before = _names_of_creation(self._path)
        for name in before:
            with suppress(OSError):
                name.unlink()
        names = self._path.stat().st_nlink - len(_names_of_creation(self._path) if before else ())
        if names > 1:
            raise StoreError(
                f"The store {self._path} has {names} names (hard links), and SQLite keeps a journal for each name, "
                "so data written under one name would be missing or damaged under the other. Nothing was sent; copy it "
                f'with `sqlite3 {quote(str(self._path))} ".backup copy.sqlite"`, remove all names but one, and run the '
                "same again."
            )


def _identity(found: os.stat_result) -> _Identity:
    return found.st_dev, found.st_ino


def _identity_if_there(path: str) -> _Identity | None:
    try:
        return _identity(os.stat(path))  # noqa: PTH116 - for speed: it is done before each write
    except FileNotFoundError:
        return None


def prefix_of_creation(path: Path) -> str:
    """Return the beginning of the temporary name that a store has while it is created."""
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
