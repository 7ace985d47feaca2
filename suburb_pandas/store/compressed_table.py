"""Owns the SQL of compressed bodies.

A compressed body is read with the body of its base, an earlier response of the same item, which may be compressed too.
The encoding is left to deltas, deciding what to compress to compression.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store.deltas import decode
from suburb_pandas.store.queries import by_item, marks, pieces


class Body(NamedTuple):
    """A stored body without its bytes: its call, the number of bytes, and the length of its encoding.

    A compressed body has no bytes. ``base_length`` is the length of an encoding that needs no base, and 0 for others.
    """

    call: int
    length: int
    base_length: int


class Compressed(NamedTuple):
    """A compressed body: its call, the call of its base if it has one, and the encoded bytes."""

    call: int
    base: int | None
    data: bytes


def bodies_of(connection: sqlite3.Connection, namespace: Namespace, items: Iterable[Item]) -> dict[Item, list[Body]]:
    """Return the stored bodies of each item, oldest first."""
    rows = by_item(
        connection,
        "select id, length(body), iif(base_id is null, coalesce(length(data), 0), 0), area_name from call "
        "join response on response.call_id = id left join compressed on compressed.call_id = id "
        "where source = ? and base_url = ? and endpoint = ? and area_name in ({}) order by id",
        namespace,
        items,
    )
    found: dict[Item, list[Body]] = {}
    for item, (*body, _) in rows:
        found.setdefault(item, []).append(Body(*body))
    return found


def originals(connection: sqlite3.Connection, calls: Iterable[int]) -> dict[int, bytes]:
    """Return the original bodies of those calls that are compressed; no bytes for a damaged one."""
    if not connection.execute("select 1 from sqlite_master where name = 'compressed'").fetchone():
        return {}  # a read-only store of an older version
    found: list[Compressed] = []
    for piece in pieces(calls):
        query = f"select call_id, base_id, data from compressed where call_id in ({marks(piece)})"  # noqa: S608 - marks
        found += [Compressed(*row) for row in connection.execute(query, piece)]
    bases = _bodies(connection, {one.base for one in found if one.base is not None})
    return {one.call: _decoded(one, bases) for one in found}


def _bodies(connection: sqlite3.Connection, calls: Iterable[int]) -> dict[int, bytes]:
    """Return the bodies of those calls, compressed or not."""
    found: dict[int, bytes] = {}
    for piece in pieces(calls):
        query = f"select call_id, body from response where call_id in ({marks(piece)})"  # noqa: S608 - marks
        found |= dict(connection.execute(query, piece).fetchall())
    empty = [call for call, body in found.items() if not body]
    return found | (originals(connection, empty) if empty else {})


def _decoded(one: Compressed, bases: Mapping[int, bytes]) -> bytes:
    with suppress(ValueError):
        return decode(one.data, b"" if one.base is None else bases.get(one.base, b""))
    return b""


def put(connection: sqlite3.Connection, bodies: Sequence[Compressed]) -> None:
    """Replace original bodies by compressed ones, and drop the packed payloads beside them.

    A body that another process has compressed in the meantime stays as it is. Rejected: updating the rows of the
    responses. A row that becomes shorter does not free its page of the file.
    """
    connection.executemany(
        "insert into compressed (call_id, base_id, data) values (?, ?, ?) on conflict (call_id) do nothing", bodies
    )
    calls = [(one.call,) for one in bodies]
    connection.executemany("delete from history where call_id = ?", calls)
    query = "select call_id, retrieved_at, headers, sha256, x'' from response where call_id = ?"
    emptied = [connection.execute(query, call).fetchone() for call in calls]
    connection.executemany("delete from response where call_id = ?", calls)
    columns = "call_id, retrieved_at, headers, sha256, body"
    connection.executemany(f"insert into response ({columns}) values (?, ?, ?, ?, ?)", emptied)  # noqa: S608 - our words
