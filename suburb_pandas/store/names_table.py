"""The SQL of the lists of suburb names that were loaded. In which transaction it runs is left to others."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from suburb_pandas.names.gazetteer import NameList, Row
from suburb_pandas.service.calls import utc_now


def add(connection: sqlite3.Connection, new: NameList, rows: Sequence[Row]) -> None:
    """Add a list in place of what was loaded from the same file; a complete one in place of all."""
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


def every(connection: sqlite3.Connection) -> list[NameList]:
    """Give the lists, in the order in which they were loaded."""
    rows = connection.execute("select file, sha256, edition, complete, names, loaded_at from name_list order by id")
    return [NameList(file, sha, edition, bool(complete), *rest) for file, sha, edition, complete, *rest in rows]


def rows(connection: sqlite3.Connection) -> list[Row]:
    """Give the names of all lists, each once; the state where they agree on one."""
    ((lists,),) = connection.execute("select count(*) from name_list")
    if lists == 1:  # in half of the time
        return connection.execute("select area_name, state from listed_name").fetchall()
    return connection.execute(
        "select area_name, iif(min(state) = max(state), min(state), null) from listed_name group by area_name"
    ).fetchall()
