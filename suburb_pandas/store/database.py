"""Opens one SQLite file: creates it, migrates its schema, runs transactions, and raises SQLite's errors as StoreError.

Each thread has a connection of its own, which is kept; for a read-only file, each read opens one. The schema is left to
migrations, the SQL of each table to the table modules, and closing connections before a fork to forks.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Concatenate, Final, ParamSpec, TypeVar
from weakref import WeakSet

from suburb_pandas.errors import StoreError
from suburb_pandas.settings import BUSY_WAIT
from suburb_pandas.store import forks, migrations
from suburb_pandas.store.forks import Connection
from suburb_pandas.store.rows import DamagedError

T = TypeVar("T")
P = ParamSpec("P")

_QUIET_WAIT: Final = 5  # seconds; a longer wait for another program is logged
_READS: Final = 3  # tries of a read from a file that another user is writing
_NOT_YET_SHARED: Final = ("SQLITE_CANTOPEN", "SQLITE_READONLY")  # its -shm comes after its -wal
_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")

_log = logging.getLogger("suburb_pandas")


class Database:
    """An open store file.

    Parameters
    ----------
    path
        The path of the file, which is created if there is none.
    busy_wait
        Seconds to wait while another program has the file locked.

    Raises
    ------
    StoreError
        The file cannot be read or written, or is not a store.
    """

    def __init__(self, path: str | Path, *, busy_wait: float = BUSY_WAIT) -> None:
        self.path: Path = Path(os.path.realpath(path))
        self._busy_wait = busy_wait
        self._own = threading.local()
        self._open: WeakSet[Connection] = WeakSet()
        with self._as_store_error(), forks.opening:
            if self.path.is_dir():
                file = str(self.path / "store.sqlite")
                raise StoreError(
                    f"The store {self.path} is a folder, and a store is a file. Nothing was sent; name a file in it, "
                    f"with store={file!r} in sp.connect(), or with SUBURB_STORE={quote(file)}",
                )
            if not self.path.exists():
                self._create()
            self.read_only: bool = not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK))
            self._file = self._identity()
        version = self.read(self._checked_version)
        if version < len(migrations.VERSIONS) and not (self.read_only and version >= migrations.READABLE):
            self.commit(migrations.migrate)

    def read(self, query: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **named: P.kwargs) -> T:
        """Return the result of a query, which sees the store as it was at one moment."""

        def begun(connection: sqlite3.Connection) -> T:
            connection.execute("begin")
            return query(connection, *args, **named)

        with self._as_store_error():
            return self._read_shared(begun) if self.read_only else self._lend(begun)

    def commit(self, change: Callable[[sqlite3.Connection], T], *, waits: bool = True) -> T:
        """Make a change in one transaction, and return its result. If it raises, nothing is changed.

        If ``waits`` is False and another program is writing, raise at once instead of waiting for it.
        """
        if self.read_only:
            raise StoreError(
                f"The store {self.path} is read-only: its data can be read, but nothing can be added. "
                "Nothing was sent; make it writable, or connect with another store=.",
            )

        def run(connection: Connection) -> T:
            self._begin(connection, waits=waits)
            self._check_version(migrations.version_of(connection))
            return change(connection)

        with self._as_store_error():
            return self._lend(run)

    def check_room(self, needed: int) -> None:
        """Raise `StoreError` if the disk has fewer than ``needed`` bytes left."""
        with self._as_store_error():
            free = shutil.disk_usage(self.path.parent).free
        if free < needed:
            raise StoreError(
                f"The disk of the store {self.path} has {free // 2**20} MiB left, and the responses to simultaneous "
                f"calls can take {needed // 2**20} MiB. Nothing was sent; free some space, or connect with fewer "
                "max_workers.",
            )

    def give_disk_back(self) -> None:
        """Rewrite the file without the space that is no longer used."""
        with self._as_store_error():
            self._lend(lambda connection: connection.execute("vacuum"))

    def close_mine(self) -> None:
        """Close the connection of this thread."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close_if_idle()

    def close(self) -> None:
        """Close the connections that no thread is using. A thread that uses the store again opens one again."""
        with forks.opening:
            for connection in list(self._open):
                connection.close_if_idle()

    def _lend(self, use: Callable[[Connection], T]) -> T:
        """Lend this thread its connection for one transaction. After an exception the connection is closed.

        Otherwise rows that are half read would keep that view of the store. Rejected: a generator as a context manager.
        Ctrl-C can strike as it is left, and the connection stays in use.
        """
        if forks.is_broken():
            raise StoreError(
                "This process was forked while its parent was using a store, so it cannot use any store. Nothing was "
                'sent; fork while the parent is idle, or start processes with multiprocessing.get_context("spawn")'
            )
        while True:
            connection = getattr(self._own, "connection", None)
            if connection is None or not connection.is_open:
                self._own.connection = connection = self._connect("rw")
            with connection.in_use:
                if connection.is_open:  # no fork has come between
                    self._check_in_place()
                    try:
                        with connection:  # it commits, or rolls back, where not even a second Ctrl-C can strike
                            return use(connection)
                    except BaseException:
                        connection.close()
                        raise

    def _connect(self, options: str) -> Connection:
        with forks.opening:
            self._check_names()
            where = f"{self.path.absolute().as_uri()}?mode={options}"
            connection = sqlite3.connect(
                where,
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                factory=Connection,
                timeout=self._busy_wait,
            )
            connection.execute("pragma synchronous = full")
            self._open.add(connection)
            return connection

    def _begin(self, connection: sqlite3.Connection, *, waits: bool) -> None:
        """Begin a transaction for writing. A long wait for another program is logged."""
        quiet = min(_QUIET_WAIT, self._busy_wait) if waits else 0.0
        try:
            _begin_within(connection, quiet)
        except sqlite3.OperationalError as problem:
            if not waits or not _is_busy(problem):
                raise
            most = self._busy_wait
            _log.warning("Another program has locked the store %s; waiting for it up to %g s", self.path, most)
            _begin_within(connection, most - quiet)
        connection.execute(f"pragma busy_timeout = {1000 * self._busy_wait:.0f}")

    def _read_shared(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Read from a file that this user may not write, with a new connection. If the file changes, read it again.

        SQLite cannot create its -wal and -shm files in such a folder, and a file that nobody writes needs none. Without
        them it does not notice if another user begins to write.
        """
        for _ in range(_READS):
            *_, wal = before = self._state()
            how = "ro" if wal or os.access(self.path.parent, os.W_OK) else "ro&immutable=1"
            try:
                with closing(self._connect(how)) as connection, connection.in_use:
                    result = query(connection)
            except (sqlite3.DatabaseError, DamagedError) as problem:
                is_being_opened = wal and _code_of(problem).startswith(_NOT_YET_SHARED)
                if before == self._state() and not is_being_opened:
                    raise
            else:
                if wal or before == self._state():
                    return result
        raise StoreError(
            f"Another user is writing to the store {self.path}, which you may only read, so it could not be read. "
            "Nothing was sent; try again in a moment.",
        )

    def _state(self) -> tuple[float, int, bool]:
        found = self.path.stat()
        return found.st_mtime_ns, found.st_size, Path(f"{self.path}-wal").exists()

    def _create(self) -> None:
        """Create the whole file under a temporary name and then link it, so that no process ever sees half a store.

        An empty file is therefore a damaged store and not a new one.
        """
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        file, name = tempfile.mkstemp(prefix=self._prefix, dir=folder)  # readable by the owner only
        os.close(file)
        try:
            with closing(sqlite3.connect(name, isolation_level=None)) as connection:
                connection.execute("pragma journal_mode = wal")
                connection.execute("begin immediate")
                migrations.migrate(connection)
                connection.execute("commit")
            try:
                self.path.hardlink_to(name)
            except OSError:  # another process was first, or the file system has no hard links
                if not self.path.exists():
                    Path(name).rename(self.path)
        finally:
            Path(name).unlink(missing_ok=True)

    @property
    def _prefix(self) -> str:
        """The beginning of the temporary name that a store has while it is created."""
        return f".{self.path.name}-new-"

    def _check_names(self) -> None:
        """Raise `StoreError` if the file has several names, as SQLite keeps a journal for each.

        Temporary names are removed first: a process that was killed may have left one.
        """
        if self.path.stat().st_nlink == 1:
            return
        for name in self.path.parent.glob(f"{self._prefix}*"):
            name.unlink(missing_ok=True)
        if (names := self.path.stat().st_nlink) > 1:
            raise StoreError(
                f"The store {self.path} has {names} names (hard links), and SQLite keeps a journal for each name, "
                "so data written under one name would be missing or damaged under the other. Nothing was sent; copy it "
                f'with `sqlite3 {quote(str(self.path))} ".backup copy.sqlite"`, remove all names but one, and run the '
                "same again."
            )

    def _identity(self) -> tuple[int, int] | None:
        with suppress(FileNotFoundError):
            found = self.path.stat()
            return found.st_dev, found.st_ino
        return None

    def _check_in_place(self) -> None:
        """Raise `StoreError` if the file was removed or replaced, so that what is written would be lost."""
        if self._identity() != self._file:
            raise StoreError(
                f"The store {self.path} was removed or replaced while it was in use. Nothing more is written to it; "
                "put it back and connect again."
            )

    def _checked_version(self, connection: sqlite3.Connection) -> int:
        """Return the version of the schema; raise `StoreError` if the file is not a store."""
        names = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
        if not names >= migrations.TABLES:
            raise StoreError(
                f"The file {self.path} is empty, or another program's, and was left as it is. Nothing was sent; put "
                "back a copy of the store, or connect with another store=."
            )
        version = migrations.version_of(connection)
        self._check_version(version)
        return version

    def _check_version(self, version: int) -> None:
        """Raise if a later version of the package has migrated the file, even while this process had it open."""
        if version > len(migrations.VERSIONS):
            raise StoreError(
                f"The store {self.path} was written by another version of suburb_pandas (schema {version}; this one "
                f"reads {len(migrations.VERSIONS)}). Nothing was sent; upgrade the package or connect with another "
                "store=."
            )

    @contextmanager
    def _as_store_error(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, DamagedError) as problem:
            raise StoreError(f"The store {self.path} {_explained(problem, self._busy_wait)}") from problem


def _begin_within(connection: sqlite3.Connection, seconds: float) -> None:
    connection.execute(f"pragma busy_timeout = {1000 * seconds:.0f}")
    connection.execute("begin immediate")


def _explained(problem: Exception, busy_wait: float) -> str:
    """Return what is wrong with a store and what to do, as the end of a sentence."""
    is_no_text = str(problem).startswith("Could not decode")  # Python's own, without a code
    if isinstance(problem, DamagedError) or _code_of(problem).startswith(_DAMAGED) or is_no_text:
        return (
            f"is damaged ({problem}), and was left as it is. Its data were paid for, and a new store would buy them "
            "again. Put back a copy of the file, or connect with another store= to begin a new one."
        )
    if _is_busy(problem):
        return (
            f"has been locked by another program for more than {busy_wait:g} s ({problem}). "
            "End that program's transaction and try again."
        )
    return f"cannot be used: {problem}. Its data are untouched; solve this, or connect with another store=."


def _is_busy(problem: Exception) -> bool:
    """Return True if the error says that another program has the store locked."""
    return _code_of(problem).startswith("SQLITE_BUSY")


def _code_of(problem: Exception) -> str:
    """Return SQLite's name of an error, or an empty text if it is not one of SQLite's."""
    return getattr(problem, "sqlite_errorname", None) or ""
