"""Reads and writes the lists of suburb names that were loaded. Transactions are left to store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec

from suburb_pandas.names.gazetteer import NameList, Place
from suburb_pandas.service.calls import utc_now
from suburb_pandas.store import rows
from suburb_pandas.store.migrations import version_of

_PLACES: Final = """
select area_name, state, lga, postcode, sa2, sa3, sa4, 'list', edition,
    lga_share, postcode_share, sa2_share, sa3_share, sa4_share, dwellings, persons, {sal_code}, coalesce(partly, '[]')
from listed_name join name_list on id = list_id left join listed_place using (list_id, area_name)
order by list_id, area_name
"""
"""The columns are the fields of `Place`."""

_FIRST_WITH_CODES: Final = 10
"""The version of the schema that has the ABS's codes. An older file that is read-only is read without them."""

_ADD_PLACE: Final = """
insert into listed_place
select :list_id, :area_name, :lga, :lga_share, :postcode, :postcode_share, :sa2, :sa2_share, :sa3, :sa3_share,
    :sa4, :sa4_share, :dwellings, :persons, :partly, :sal_code
where coalesce(:lga, :postcode, :sa2, :sa3, :sa4, :dwellings, :persons, :sal_code) is not null
"""
"""Nothing is added for a name without areas, counts and code."""


def add(connection: sqlite3.Connection, new: NameList, places: Sequence[Place]) -> None:
    """Add a list. It replaces the list that was loaded from the same file; a complete list replaces all lists."""
    connection.execute("delete from name_list where file = ? or ?", (new.file, new.complete))
    connection.execute("delete from listed_name where list_id not in (select id from name_list)")
    connection.execute("delete from listed_place where list_id not in (select id from name_list)")
    connection.execute("delete from packed_names")
    number = connection.execute(
        "insert into name_list (loaded_at, file, sha256, edition, complete, names) values (?, ?, ?, ?, ?, ?)",
        (utc_now(), new.file, new.sha256, new.edition, new.complete, new.names),
    ).lastrowid
    found = [{**place._asdict(), "list_id": number, "partly": json.dumps(place.partly)} for place in places]
    connection.executemany("insert into listed_name values (:list_id, :area_name, :state)", found)
    connection.executemany(_ADD_PLACE, found)


@rows.checked()
def lists(connection: sqlite3.Connection) -> list[NameList]:
    """Return all lists in the order in which they were loaded."""
    query = "select file, sha256, edition, complete <> 0, names, loaded_at from name_list order by id"
    kinds = tuple[str, str, str | None, int, Annotated[int, msgspec.Meta(ge=0)], str]
    found = msgspec.convert(connection.execute(query).fetchall(), list[kinds])
    return [
        NameList(file, sha256, edition, bool(complete), names, rows.time(at))
        for file, sha256, edition, complete, names, at in found
    ]


@rows.checked()
def places(connection: sqlite3.Connection) -> list[Place]:
    """Return each name of the lists once, with its location.

    A later list wins, but a state counts only where all lists that have one agree.
    """
    query = _PLACES.format(sal_code="sal_code" if version_of(connection) >= _FIRST_WITH_CODES else "null")
    listed = [(*facts, json.loads(partly)) for *facts, partly in connection.execute(query)]
    found: dict[str, Place] = {}
    for place in msgspec.convert(listed, list[Place]):
        other = found.setdefault(place.area_name, place)
        if other is not place:
            agree = None in {place.state, other.state} or place.state == other.state
            state = place.state or other.state
            found[place.area_name] = place.over(other)._replace(state=state if agree else None)
    return list(found.values())


def packed(connection: sqlite3.Connection, layout: int) -> bytes | None:
    """Return the packed names of the loaded lists, None if none are stored in this layout."""
    row = connection.execute("select packed from packed_names where layout = ?", (layout,)).fetchone()
    return row[0] if row and isinstance(row[0], bytes) else None


def keep_packed(connection: sqlite3.Connection, of: list[NameList], layout: int, packed: bytes) -> None:
    """Store the packed names of these lists, unless other lists have been loaded meanwhile."""
    if lists(connection) == of:
        connection.execute("delete from packed_names")
        connection.execute("insert into packed_names values ('', ?, ?)", (layout, packed))
