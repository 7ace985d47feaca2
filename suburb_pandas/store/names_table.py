"""Reads and writes the lists of suburb names that were loaded. Transactions are left to store.store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from suburb_pandas.names.gazetteer import NameList, Row
from suburb_pandas.service.calls import utc_now


def add(connection: sqlite3.Connection, new: NameList, rows: Sequence[Row]) -> None:
    """Add a list. It replaces the list that was loaded from the same file; a complete list replaces all lists."""
    connection.execute(
        "delete from listed_name where list_id in (select id from name_list where file = ? or ?)",
        (new.file, new.complete),
    )
    connection.execute("delete from name_list where file = ? or ?", (new.file, new.complete))
    cursor = connection.execute(
        "insert into name_list (loaded_at, file, sha256, edition, complete, names) values (?, ?, ?, ?, ?, ?)",
        (utc_now(), new.file, new.sha256, new.edition, new.complete, new.names),
    )
    connection.executemany("insert into listed_name values (?, ?, ?)", [(cursor.lastrowid, *row) for row in rows])


def lists(connection: sqlite3.Connection) -> list[NameList]:
    """Return all lists in the order in which they were loaded."""
    rows = connection.execute("select file, sha256, edition, complete, names, loaded_at from name_list order by id")
    return [NameList(file, sha, edition, bool(complete), *rest) for file, sha, edition, complete, *rest in rows]


def rows(connection: sqlite3.Connection) -> list[Row]:
    """Return each name of the lists once, with its state where all lists that have the name agree on one."""
    ((n_lists,),) = connection.execute("select count(*) from name_list")
    if n_lists == 1:  # takes half the time of the query below
        return connection.execute("select area_name, state from listed_name").fetchall()
    return connection.execute(
        "select area_name, iif(min(state) = max(state), min(state), null) from listed_name group by area_name"
    ).fetchall()
