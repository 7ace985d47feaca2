"""One SQLite file that outlives threads, forks, crashes and versions. What its tables hold is of no concern here.

Owns how the file comes to be, its schema's version, who uses a connection when, and the words for what goes wrong.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from suburb_pandas.concurrency.forks import gate
from suburb_pandas.errors import StoreError

T = TypeVar("T")

_BUSY_SECONDS = 30
_MOST_IDLE = 16
_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


class Database:
    """An open file. No connection is used by two threads at once, nor on both sides of a fork.

    Parameters
    ----------
    path
        Where it is; made where there is none.
    versions
        The SQL that takes the schema from each version to the next; the first starts from nothing.
    tables
        Tables of the first version, by which a file is known to be ours.
    readable
        The oldest version that can be read as it is, where nothing can be written.

    Raises
    ------
    StoreError
        The file cannot be read or written, or is no store.
    """

    def __init__(self, path: Path, versions: Sequence[str], tables: frozenset[str], readable: int) -> None:
        self.path = path
        self._versions = versions
        self._tables = tables
        self._readable = readable
        self._closed = False
        self.read_only = False
        self._file: tuple[int, int] | None = None
        self._idle: list[sqlite3.Connection] = []
        self._turn = threading.Lock()
        self._writes: list[_Write[Any]] = []
        gate.know(self)
        with self._in_words(), gate.inside():
            if not path.exists():
                self._create()
        self.read_only = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
        self._bring_up_to_date()
        with self._in_words():
            self._file = _identity(path)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend an idle connection, or a new one; one on which something went wrong is not lent again.

        It may have rows that are half read, and with them an old view of the store, in which nothing can be written.

        Rejected: one a thread. Threads come and go with each request, and each would leave its connection open.
        """
        with self._in_words(), gate.inside(), self._lent() as connection:
            yield connection

    def commit(self, write: Callable[[sqlite3.Connection], T]) -> T:
        """Have something written, and give what that gives when it has been committed.

        What other threads wait with meanwhile is committed together: with sixteen calls under way, to wait for the disk
        at each one took a tenth of a batch's time.

        Raises
        ------
        StoreError
            It could not be written.
        """
        mine = _Write(write)
        with self._in_words(), gate.inside():
            self._writes.append(mine)
            try:
                with self._turn:
                    if not mine.is_done:
                        self._commit_with_others(mine)
            finally:
                self._writes.remove(mine)
            if mine.problem is not None:
                raise mine.problem
        return mine.gave

    def _commit_with_others(self, mine: _Write[Any]) -> None:
        """Commit all that wait; where that fails, only this one, as the others get their own turn.

        Where it is another program that has the store, all fail: it was waited for, once.
        """
        with self._lent_to_write() as connection:
            every = [one for one in list(self._writes) if not one.is_done]
            try:
                given = _together(connection, every)
            except sqlite3.Error as problem:
                if _is_busy(problem):
                    for one in every:
                        one.problem, one.is_done = problem, True
                    return
                if len(every) == 1:
                    raise
                every, given = [mine], _together(connection, [mine])
        for one, gave in zip(every, given, strict=True):
            one.gave, one.is_done = gave, True

    @contextmanager
    def writing(self, *, waits: bool = True) -> Iterator[sqlite3.Connection]:
        """Lend a connection for one transaction, which is committed at the end, or rolled back whatever goes wrong.

        ``waits`` says whether another program's transaction is waited for.
        """
        with (
            self._in_words(),
            gate.inside(),
            self._turn,
            self._lent_to_write() as connection,
            _transaction(connection, waits=waits),
        ):
            self._check_still_readable(_user_version(connection))
            yield connection

    @contextmanager
    def _lent_to_write(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection to whose turn it is: the last one's, which has at hand what that wrote."""
        if self.read_only:
            raise StoreError(
                f"The store {self.path} is read-only: what it holds can be read, and nothing can be added. "
                "Nothing was sent; make it writable, or connect with another store=."
            )
        with self._lent() as connection:
            self._check_still_there()
            yield connection

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        connection = self._take()
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._give_back(connection)

    def check_room(self, needed: int) -> None:
        """Raise if the disk has not so many bytes left."""
        with self._in_words():
            free = shutil.disk_usage(self.path.parent).free
        if free < needed:
            raise StoreError(
                f"The disk of the store {self.path} has {free // 2**20} MiB left, and the answers that may come at "
                f"once can take {needed // 2**20}. Nothing was sent; make room, or connect with fewer max_workers."
            )

    def close(self) -> None:
        """Close the connections. A call that is still under way can note its end all the same."""
        self._closed = True
        with gate.inside():
            self.close_idle()

    def __del__(self) -> None:
        if getattr(self, "_idle", ()):  # not where it never came to be, nor at the very end, when the gate may be gone
            self.close()

    def close_idle(self) -> None:
        """Close the connections that nobody uses."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def _create(self) -> None:
        """Make the whole file aside and put it in its place at once, so that nobody ever meets half a store.

        What is there and empty is therefore damaged, not new. Nor does this process ever open and close the file by
        itself, by which it would lose the locks that SQLite has on it.
        """
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        file, name = tempfile.mkstemp(prefix=f".{self.path.name}-new-", dir=folder)  # which only the owner can read
        os.close(file)
        try:
            with closing(sqlite3.connect(name, isolation_level=None)) as connection:
                connection.execute("pragma journal_mode = wal")
                with _transaction(connection):
                    _migrate(connection, self._versions)
            _put_in_place(Path(name), self.path)
        finally:
            Path(name).unlink(missing_ok=True)
        _sync(folder)

    def _bring_up_to_date(self) -> None:
        with self.reading() as connection:
            self.version = version = self._version(connection)
        if version == len(self._versions) or (self.read_only and self._readable <= version < len(self._versions)):
            return
        self._check_still_readable(version)
        with self.writing() as connection:
            _migrate(connection, self._versions)
        self.version = len(self._versions)

    def _check_still_readable(self, version: int) -> None:
        """Raise for what a later version of the package has written, perhaps while this one had the file open."""
        if version > len(self._versions):
            raise StoreError(
                f"The store {self.path} was written by another version of suburb_pandas (schema {version}; this one "
                f"reads {len(self._versions)}). Nothing was sent; upgrade the package or connect with another store=."
            )

    def _version(self, connection: sqlite3.Connection) -> int:
        """Read the schema's version, of what is a store."""
        if not self.path.stat().st_size:
            raise StoreError(
                f"The store {self.path} is empty, so what it held is lost. Nothing was sent; put a copy of it back, "
                "or remove the file to begin a new one."
            )
        names = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
        if not self._tables <= names:
            raise StoreError(
                f"{self.path} is another program's SQLite file, and was left as it is. Nothing was sent; "
                "connect with another store=."
            )
        return _user_version(connection)

    def _check_still_there(self) -> None:
        """Raise if the file's name is another file's now, or nobody's: what is written to a removed one is lost."""
        try:
            is_there = self._file in {None, _identity(self.path)}
        except FileNotFoundError:
            is_there = False
        if not is_there:
            raise StoreError(
                f"The store {self.path} was removed or replaced while it was in use. Nothing more is written to it; "
                "put it back and connect again."
            )

    def _take(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            self._check_still_there()
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        where = self.path.absolute().as_uri()
        if self.read_only:
            where += "?mode=ro"
            # Nobody can write there, and SQLite cannot make the files by which readers and writers agree.
            if not os.access(self.path.parent, os.W_OK) and not Path(f"{self.path}-wal").exists():
                where += "&immutable=1"
        else:
            where += "?mode=rw"
        connection = sqlite3.connect(
            where, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("pragma synchronous = full")
        except BaseException:
            connection.close()
            raise
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if self._closed or len(self._idle) >= _MOST_IDLE:
            connection.close()
        else:
            self._idle.append(connection)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as problem:
            raise StoreError(f"The store {self.path} {_what_to_do(problem, self.path)}") from problem


def _what_to_do(problem: Exception, path: Path) -> str:
    kind = _kind(problem)
    if kind.startswith(_DAMAGED):
        return (
            f"is damaged ({problem}), and was left as it is. What it holds was paid for: put a copy of it back, "
            f"or save what can be saved with `sqlite3 {path} .recover`; else connect with another store=."
        )
    if _is_busy(problem):
        return (
            f"is in another program's hands, for more than {_BUSY_SECONDS} s ({problem}). "
            "End that program's transaction and run the same again."
        )
    return f"cannot be used: {problem}. What it holds is untouched; free or mend it, or connect with another store=."


def _kind(problem: Exception) -> str:
    return getattr(problem, "sqlite_errorname", None) or ""


def _is_busy(problem: Exception) -> bool:
    return _kind(problem).startswith("SQLITE_BUSY")


class _Write(Generic[T]):
    """What is to be written, and what that gave."""

    gave: T

    def __init__(self, write: Callable[[sqlite3.Connection], T]) -> None:
        self.write = write
        self.is_done = False
        self.problem: sqlite3.Error | None = None


def _together(connection: sqlite3.Connection, writes: Sequence[_Write[Any]]) -> list[Any]:
    with _transaction(connection):
        return [one.write(connection) for one in writes]


@contextmanager
def _transaction(connection: sqlite3.Connection, *, waits: bool = True) -> Iterator[None]:
    with nullcontext() if waits else _impatient(connection):
        connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


@contextmanager
def _impatient(connection: sqlite3.Connection) -> Iterator[None]:
    """Have a connection wait for nobody."""
    connection.execute("pragma busy_timeout = 0")
    try:
        yield
    finally:
        connection.execute(f"pragma busy_timeout = {1000 * _BUSY_SECONDS}")


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _user_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma user_version").fetchone()[0])


def _migrate(connection: sqlite3.Connection, versions: Sequence[str]) -> None:
    """Take the schema from where it is to the newest version."""
    for version, script in enumerate(versions[_user_version(connection) :], start=_user_version(connection) + 1):
        for statement in _statements(script):
            connection.execute(statement)
        connection.execute(f"pragma user_version = {version}")


def _statements(script: str) -> Iterator[str]:
    """Part a script; within a trigger, there are semicolons too."""
    statement = ""
    for piece in f"{script.strip()};".split(";")[:-1]:
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _put_in_place(new: Path, path: Path) -> None:
    """Give the file its name, unless another process was first."""
    try:
        path.hardlink_to(new)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            new.rename(path)


def _sync(folder: Path) -> None:
    """Have the file's name survive a loss of power too."""
    if os.name == "posix":
        entry = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(entry)
        finally:
            os.close(entry)
