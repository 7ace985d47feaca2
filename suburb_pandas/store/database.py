"""Opens one SQLite file, lends its connections to threads, and protects it in forks, crashes and upgrades.

It creates the file, migrates its schema, and raises SQLite's errors as StoreError. The schema is left to migrations,
the SQL of each table to the table modules, committing the writes of several threads together to group_commit, and
checking that the file is still the same to store_files.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from errno import ENOSPC
from pathlib import Path
from shlex import quote
from typing import Final, TypeVar

from suburb_pandas.concurrency.forks import gate
from suburb_pandas.errors import StoreError
from suburb_pandas.store.group_commit import GroupCommit, is_busy
from suburb_pandas.store.store_files import Connection, StoreFiles, prefix_of_creation, put_in_place, sync

T = TypeVar("T")

_MAX_IDLE = 16  # connections
_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


class Database:
    """An open store file. No connection is used by two threads at once, or on both sides of a fork.

    Parameters
    ----------
    path
        The path of the file, which is created if there is none.
    versions
        The SQL that migrates the schema from each version to the next. The first script creates it.
    tables
        Tables of the first version. A file without them is not a store.
    readable
        The oldest version that can be read without a migration, if the file is read-only.
    functions
        SQL functions of one argument that the migrations use, by name.
    busy_wait
        Seconds to wait while another program has the file locked.

    Raises
    ------
    StoreError
        The file cannot be read or written, or is not a store.
    """

    def __init__(
        self,
        path: Path,
        versions: Sequence[str],
        tables: frozenset[str],
        readable: int,
        *,
        functions: Mapping[str, Callable[[str], str]],
        busy_wait: float,
    ) -> None:
        self.path = path
        self._busy_wait = busy_wait
        self._versions = versions
        self._functions = functions
        self._tables = tables
        self._readable = readable
        self._closed = False
        self.read_only: bool = False
        self._files = StoreFiles(path)
        self._idle: list[Connection] = []
        self._turn = threading.Lock()
        self._group_commit = GroupCommit(self._turn)
        gate.register(self)
        with self._as_store_error(), gate.inside():
            if path.is_dir():
                file = str(path / "store.sqlite")
                raise StoreError(
                    f"The store {path} is a folder, and a store is a file. Nothing was sent; name a file in it, with "
                    f"store={file!r} in sp.connect(), or with SUBURB_STORE={quote(file)}",
                    why="it is a folder",
                )
            if not path.exists():
                self._create()
        self.read_only = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
        self._bring_up_to_date()
        with self._as_store_error():
            self._files.remember()

    @property
    def identity(self) -> object:
        """The path and the file's number, equal for all that have the same file open. Systems reuse a number alone."""
        return self.path, self._files.identity

    @property
    def closed(self) -> bool:
        """True if it was closed."""
        return self._closed

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend an idle connection, or a new one, for the block.

        If the block raises, the connection is closed: a query may be half read, which keeps the connection at an old
        snapshot of the store, where it cannot write. Rejected: one connection for each thread. Every request starts
        threads, and each would leave a connection open.
        """
        with self._as_store_error(), gate.inside(), self._lent() as connection:
            yield connection

    def commit(self, write: Callable[[sqlite3.Connection], T]) -> T:
        """Commit a write and return its result. Writes that other threads are waiting to commit are committed with it.

        Raises
        ------
        StoreError
            The write failed.
        """
        with self._as_store_error(), gate.inside():
            return self._group_commit.commit(write, self._lent_to_write, transaction)

    @contextmanager
    def writing(self, *, waits: bool = True) -> Iterator[sqlite3.Connection]:
        """Lend a connection for one transaction, which is committed after the block, or rolled back if it raises.

        If ``waits`` is False and another program is writing, raise at once instead of waiting for it.
        """
        with (
            self._as_store_error(),
            gate.inside(),
            self._turn,
            self._lent_to_write() as connection,
            transaction(connection, waits=waits),
        ):
            self._check_still_readable(_user_version(connection))
            yield connection

    @contextmanager
    def _lent_to_write(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection to the thread whose turn it is to write.

        It is usually the last writer's connection, which has cached the pages that were written last.
        """
        if self.read_only:
            raise StoreError(
                f"The store {self.path} is read-only: its data can be read, but nothing can be added. "
                "Nothing was sent; make it writable, or connect with another store=.",
                why="it is read-only",
            )
        with self._lent() as connection:
            self._files.check()
            yield connection

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        connection = self._take()
        try:
            yield connection
        except BaseException:
            self._close(connection)
            raise
        self._give_back(connection)

    def check_room(self, needed: int) -> None:
        """Raise `StoreError` if the disk has fewer than ``needed`` bytes left."""
        with self._as_store_error():
            free = shutil.disk_usage(self.path.parent).free
        if free < needed:
            raise StoreError(
                f"The disk of the store {self.path} has {free // 2**20} MiB left, and the responses to simultaneous "
                f"calls can take {needed // 2**20} MiB. Nothing was sent; free some space, or connect with fewer "
                "max_workers.",
                why="its disk is almost full",
            )

    def close(self) -> None:
        """Close idle connections now, and the others when they are returned. Calls under way can write their end."""
        self._closed = True
        with gate.inside():
            self.close_idle()

    def __del__(self) -> None:
        # No list: __init__ failed. An empty one: nothing to close, and at Python's exit the gate may be gone already.
        if getattr(self, "_idle", ()):
            self.close()

    def close_idle(self) -> None:
        """Close the connections that no thread is using."""
        with suppress(IndexError):
            while True:
                self._close(self._idle.pop())

    def _create(self) -> None:
        """Create the whole file under a temporary name and then rename it, so that no process ever sees half a store.

        An empty file is therefore a damaged store and not a new one. Under its own name, this process opens the file
        through SQLite only. If it opened and closed the file itself, the locks that SQLite holds on it would be
        released.
        """
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        file, name = tempfile.mkstemp(prefix=prefix_of_creation(self.path), dir=folder)  # readable by the owner only
        os.close(file)
        try:
            with closing(sqlite3.connect(name, isolation_level=None)) as connection:
                connection.execute("pragma journal_mode = wal")
                with transaction(connection):
                    self._migrate(connection)
            put_in_place(Path(name), self.path)
        finally:
            Path(name).unlink(missing_ok=True)
        sync(folder)

    def _bring_up_to_date(self) -> None:
        with self.reading() as connection:
            version = self._version(connection)
        self.version: int = version
        if version == len(self._versions) or (self.read_only and self._readable <= version < len(self._versions)):
            return
        self._check_still_readable(version)
        with self.writing() as connection:
            self._migrate(connection)
        self.version = len(self._versions)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Migrate the schema to the newest version."""
        for name, function in self._functions.items():
            connection.create_function(name, 1, function, deterministic=True)
        for version, script in enumerate(self._versions[_user_version(connection) :], _user_version(connection) + 1):
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"pragma user_version = {version}")

    def _check_still_readable(self, version: int) -> None:
        """Raise if a later version of the package has migrated the file, even while this process had it open."""
        if version > len(self._versions):
            raise StoreError(
                f"The store {self.path} was written by another version of suburb_pandas (schema {version}; this one "
                f"reads {len(self._versions)}). Nothing was sent; upgrade the package or connect with another store=."
            )

    def _version(self, connection: sqlite3.Connection) -> int:
        """Return the version of the schema; raise if the file is not a store."""
        if not self.path.stat().st_size:
            raise StoreError(
                f"The store {self.path} is an empty file, so its data are lost. Nothing was sent; put back a copy, or "
                "remove the file to begin a new store."
            )
        names = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
        if not self._tables <= names:
            raise StoreError(
                f"{self.path} is another program's SQLite file, and was left as it is. Nothing was sent; "
                "connect with another store=."
            )
        return _user_version(connection)

    def _take(self) -> Connection:
        try:
            return self._idle.pop()
        except IndexError:
            self._files.check()
            return self._connect()

    def _connect(self) -> Connection:
        where = self.path.absolute().as_uri()
        if self.read_only:
            where += "?mode=ro"
            # SQLite cannot create its -wal and -shm files in this folder, and a file that nobody writes needs none.
            if not os.access(self.path.parent, os.W_OK) and not Path(f"{self.path}-wal").exists():
                where += "&immutable=1"
        else:
            where += "?mode=rw"
        connection = sqlite3.connect(
            where, uri=True, timeout=self._busy_wait, isolation_level=None, check_same_thread=False, factory=Connection
        )
        try:
            connection.execute("pragma synchronous = full")
            if not self.read_only:
                connection.execute("pragma schema_version").fetchone()
                self._files.opened(connection)
        except BaseException:
            self._close(connection)
            raise
        return connection

    def _close(self, connection: Connection) -> None:
        self._files.closing(connection)
        connection.close()

    def _give_back(self, connection: Connection) -> None:
        if self._closed or len(self._idle) >= _MAX_IDLE:
            self._close(connection)
        else:
            self._idle.append(connection)

    @contextmanager
    def _as_store_error(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as problem:
            message = f"The store {self.path} {_what_to_do(problem, self._busy_wait)}"
            raise StoreError(message, why=_why(problem)) from problem


def _what_to_do(problem: Exception, busy_wait: float) -> str:
    """Return the second part of the message: what is wrong with the store, and what to do."""
    if (getattr(problem, "sqlite_errorname", None) or "").startswith(_DAMAGED):
        return (
            f"is damaged ({problem}), and was left as it is. Its data were paid for, and a new store would buy them "
            "again. Put back a copy of the file, or connect with another store= to begin a new one."
        )
    if is_busy(problem):
        return (
            f"has been locked by another program for more than {busy_wait:g} s ({problem}). "
            "End that program's transaction and run the same line again."
        )
    return f"cannot be used: {problem}. Its data are untouched; solve this, or connect with another store=."


def _why(problem: Exception) -> str:
    """Return the usual reasons in a few words; an empty text for any other."""
    code = getattr(problem, "sqlite_errorname", None) or ""
    if code.startswith(_DAMAGED):
        return "it is damaged"
    if is_busy(problem):
        return "another program has locked it"
    is_full = code == "SQLITE_FULL" or getattr(problem, "errno", None) == ENOSPC
    return "its disk is full" if is_full else ""


@contextmanager
def transaction(connection: sqlite3.Connection, *, waits: bool = True) -> Iterator[None]:
    """Run the block in a transaction for writing, and commit it, or roll back if the block raises.

    If ``waits`` is False and another program is writing, raise at once instead of waiting for it.
    """
    with nullcontext() if waits else _without_waiting(connection):
        connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


@contextmanager
def _without_waiting(connection: sqlite3.Connection) -> Iterator[None]:
    """Make statements in the block fail at once if another program is writing."""
    ((milliseconds,),) = connection.execute("pragma busy_timeout")
    connection.execute("pragma busy_timeout = 0")
    try:
        yield
    finally:
        connection.execute(f"pragma busy_timeout = {milliseconds}")


def _user_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements. A semicolon inside a trigger does not end one."""
    statement = ""
    for piece in f"{script.strip()};".split(";")[:-1]:
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
