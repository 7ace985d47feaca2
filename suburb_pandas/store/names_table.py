"""Reads and writes the lists of suburb names that were loaded. Transactions are left to store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from suburb_pandas.names.gazetteer import LIST, NameList, Place
from suburb_pandas.service.calls import utc_now
from suburb_pandas.store import rows

_COLUMNS: Final = ", ".join(f"'{LIST}'" if field == "origin" else field for field in Place._fields[:-1])
_DETAILS: Final = tuple(
    field for field in Place._fields if field not in {"area_name", "state", "origin", "edition", "partly"}
)


def add(connection: sqlite3.Connection, new: NameList, places: Sequence[Place]) -> None:
    """Add a list. It replaces the list that was loaded from the same file; a complete list replaces all lists."""
    for table in ("listed_place", "listed_name"):
        connection.execute(
            f"delete from {table} where list_id in (select id from name_list where file = ? or ?)",  # noqa: S608 - a name from above
            (new.file, new.complete),
        )
    connection.execute("delete from name_list where file = ? or ?", (new.file, new.complete))
    cursor = connection.execute(
        "insert into name_list (loaded_at, file, sha256, edition, complete, names) values (?, ?, ?, ?, ?, ?)",
        (utc_now(), new.file, new.sha256, new.edition, new.complete, new.names),
    )
    names = [(cursor.lastrowid, place.area_name, place.state) for place in places]
    connection.executemany("insert into listed_name values (?, ?, ?)", names)
    details = [(*(getattr(place, field) for field in _DETAILS), json.dumps(place.partly)) for place in places]
    marks = ", ".join("?" * (len(_DETAILS) + 3))
    connection.executemany(
        f"insert into listed_place (list_id, area_name, {', '.join(_DETAILS)}, partly) values ({marks})",  # noqa: S608 - our own columns
        [(*row[:2], *detail) for row, detail in zip(names, details, strict=True) if {*detail[:-1]} != {None}],
    )
    connection.execute("delete from packed_names")


def lists(connection: sqlite3.Connection) -> list[NameList]:
    """Return all lists in the order in which they were loaded."""
    query = "select file, sha256, edition, complete <> 0, names, loaded_at from name_list order by id"
    kinds = tuple[str, str, str | None, int, Annotated[int, Meta(ge=0)], str]
    found = rows.record(list[kinds], connection.execute(query).fetchall())
    with rows.checked():
        return [
            NameList(file, sha256, edition, bool(complete), names, rows.time(at))
            for file, sha256, edition, complete, names, at in found
        ]


def places(connection: sqlite3.Connection) -> list[Place]:
    """Return each name of the lists once, with its location.

    A later list wins, but a state counts only where all lists that have one agree.
    """
    listed = connection.execute(
        f"select {_COLUMNS}, coalesce(partly, '[]') from listed_name join name_list on id = list_id "  # noqa: S608 - ours
        "left join listed_place using (list_id, area_name) order by list_id, area_name"
    )
    with rows.checked():
        entries = [(*facts, json.loads(partly)) for *facts, partly in listed]
    found: dict[str, Place] = {}
    for place in rows.record(list[Place], entries):
        other = found.setdefault(place.area_name, place)
        if other is not place:
            agree = None in {place.state, other.state} or place.state == other.state
            state = place.state or other.state
            found[place.area_name] = place.over(other)._replace(state=state if agree else None)
    return list(found.values())


def packed(connection: sqlite3.Connection, layout: int) -> bytes | None:
    """Return the packed names of the loaded lists, None if none are stored for these lists in this layout."""
    row = connection.execute(
        "select packed from packed_names where layout = ? and lists = ?", (layout, _ids(connection))
    ).fetchone()
    return row[0] if row and isinstance(row[0], bytes) else None


def keep_packed(connection: sqlite3.Connection, layout: int, packed: bytes) -> None:
    """Store the packed names of the loaded lists."""
    connection.execute("delete from packed_names")
    connection.execute("insert into packed_names values (?, ?, ?)", (_ids(connection), layout, packed))


def _ids(connection: sqlite3.Connection) -> str:
    """Return a text that changes whenever the loaded lists change."""
    found = connection.execute("select id, loaded_at, complete, sha256 from name_list order by id")
    with rows.checked():
        return json.dumps(found.fetchall())
