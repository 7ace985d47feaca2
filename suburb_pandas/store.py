"""The store: one SQLite file of responses as they came, and of the ledger, one row a call.

Owns durability: a ledger row is committed before its call leaves, and a response together with the outcome of its
call, before anybody parses it. Nothing is ever changed but the outcome of a call that had none. It does not know
what a response means, nor what a call should cost.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .calls import LedgerRow, Outcome, Response, Shelf
from .errors import StoreError

_VERSION = 1
_BUSY_SECONDS = 30
_KEYS_A_QUERY = 500  # SQLite takes at least 999 parameters

_SCHEMA = """
create table call (
    id integer primary key,
    at text not null,
    source text not null,
    base_url text not null,
    endpoint text not null,
    area_name text not null,
    outcome text not null check (outcome in ('sent', 'billed', 'not_billed', 'unknown')),
    cents integer not null,
    http_status integer,
    request_id text
);
create table response (
    call_id integer primary key references call (id),
    retrieved_at text not null,
    headers text not null,
    sha256 text not null,
    body blob not null
);
create index call_by_name on call (source, base_url, endpoint, area_name);
create index call_by_time on call (at);
"""


def utc_now() -> str:
    """The time now as the store writes it: ISO 8601, UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class OverBudgetError(Exception):
    """A call may not leave: with it, more than the budget would be spent. ``spent`` is what this month has cost."""

    def __init__(self, spent: int) -> None:
        super().__init__(spent)
        self.spent = spent


class Store:
    """An open store. No connection is used by two threads at once, nor on both sides of a fork.

    Raises
    ------
    StoreError
        From every method: the file cannot be read or written, or is no store.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._pid = os.getpid()
        self._closed = False
        with self._guard():
            self._create()

    def begin(self, shelf: Shelf, endpoint: str, area_name: str, *, cents: int, budget: int) -> int:
        """Commit the row of a call that is about to leave, and give its number.

        Raises
        ------
        OverBudgetError
            The call would take the spending of this month past the budget. Nothing was written.
        """
        with self._transaction() as connection:
            at = utc_now()
            spent = _spent(connection, at[:7]) if cents else 0
            if cents and spent + cents > budget:
                raise OverBudgetError(spent)
            row = (at, shelf.source, shelf.base_url, endpoint, area_name, cents)
            cursor = connection.execute(
                "insert into call (at, source, base_url, endpoint, area_name, cents, outcome) "
                "values (?, ?, ?, ?, ?, ?, 'sent')",
                row,
            )
            return int(cursor.lastrowid or 0)

    def finish(
        self,
        call: int,
        outcome: Outcome,
        *,
        cents: int,
        http_status: int | None = None,
        request_id: str | None = None,
        response: Response | None = None,
    ) -> None:
        """Commit how a call ended, together with the response that it brought."""
        with self._transaction() as connection:
            connection.execute(
                "update call set outcome = ?, cents = ?, http_status = ?, request_id = ? "
                "where id = ? and outcome = 'sent'",
                (outcome, cents, http_status, request_id, call),
            )
            if response is not None:
                headers = json.dumps(dict(response.headers))
                row = (call, response.retrieved_at, headers, response.sha256, response.body)
                connection.execute("insert into response values (?, ?, ?, ?, ?)", row)

    def latest(self, shelf: Shelf, endpoint: str, names: Iterable[str]) -> dict[str, Response]:
        """Give the newest response of each name that has one."""
        wanted = list(names)
        found: dict[str, Response] = {}
        with self._connected() as connection:
            for start in range(0, len(wanted), _KEYS_A_QUERY):
                found |= _latest(connection, shelf, endpoint, wanted[start : start + _KEYS_A_QUERY])
        return found

    def spent(self) -> int:
        """Give the cents that calls of this UTC calendar month cost, or may have."""
        with self._connected() as connection:
            return _spent(connection, utc_now()[:7])

    def ledger(self) -> list[LedgerRow]:
        """Give every call, oldest first."""
        with self._connected() as connection:
            rows = connection.execute(
                "select at, endpoint, area_name, outcome, cents, http_status, request_id, source from call order by id"
            )
            return [LedgerRow(*row) for row in rows]

    def close(self) -> None:
        """Close the connections. A call that is still under way can note its end all the same."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()

    def _create(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Made here rather than by SQLite, so that nobody but the owner may read what was bought.
        with closing(os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600), "rb")):
            pass
        with self._connected() as connection:
            _turn_on_wal(connection)
        with self._transaction() as connection:
            version = connection.execute("pragma user_version").fetchone()[0]
            if version == 0:
                self._refuse_foreign_tables(connection)
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    connection.execute(statement)
                connection.execute(f"pragma user_version = {_VERSION}")
            elif version != _VERSION:
                raise StoreError(
                    f"The store {self.path} was written by another version of suburb_pandas "
                    f"(schema {version}; this one reads {_VERSION}). Nothing was sent; upgrade the package "
                    "or connect with another store=."
                )

    def _refuse_foreign_tables(self, connection: sqlite3.Connection) -> None:
        if connection.execute("select 1 from sqlite_master").fetchone():
            raise StoreError(
                f"{self.path} is another program's SQLite file, and was left as it is. Nothing was sent; "
                "connect with another store=."
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._connected() as connection:
            connection.execute("begin immediate")
            try:
                yield connection
                connection.execute("commit")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("rollback")
                raise

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Lend an idle connection, or a new one.

        Rejected: one a thread. Threads come and go with each request, and each would leave its connection open.
        """
        with self._guard():
            connection = self._take()
            try:
                yield connection
            finally:
                self._give_back(connection)

    def _take(self) -> sqlite3.Connection:
        if self._pid != os.getpid():
            self._start_over_after_fork()
        with self._lock:
            if self._idle:
                return self._idle.pop()
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.execute("pragma synchronous = full")
        return connection

    def _start_over_after_fork(self) -> None:
        """Leave the parent its connections, unclosed, and its lock, which a thread of it may hold for ever."""
        self._parents = self._idle
        self._lock, self._idle, self._pid = threading.Lock(), [], os.getpid()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed and not connection.in_transaction:
                self._idle.append(connection)
                return
        connection.close()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as problem:
            raise StoreError(
                f"The store {self.path} cannot be used: {problem}. What it holds is untouched; "
                "free or mend it, or connect with another store=."
            ) from problem


def _turn_on_wal(connection: sqlite3.Connection) -> None:
    """Turn write-ahead logging on, which stays with the file. SQLite's own busy timeout does not cover it."""
    give_up = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.01)
        else:
            return


def _spent(connection: sqlite3.Connection, month: str) -> int:
    total = connection.execute("select sum(cents) from call where at >= ?", (month,)).fetchone()[0]
    return int(total or 0)


def _latest(connection: sqlite3.Connection, shelf: Shelf, endpoint: str, names: list[str]) -> dict[str, Response]:
    """Read the newest of each name: with ``max(id)``, SQLite gives the other columns of that same row."""
    marks = ", ".join("?" * len(names))
    rows: Iterable[tuple[Any, ...]] = connection.execute(
        "select area_name, body, headers, retrieved_at, sha256, max(id) "  # noqa: S608 - only question marks
        "from call join response on call_id = id "
        f"where source = ? and base_url = ? and endpoint = ? and area_name in ({marks}) group by area_name",
        (shelf.source, shelf.base_url, endpoint, *names),
    )
    return {name: Response(body, json.loads(headers), at, digest) for name, body, headers, at, digest, _ in rows}
