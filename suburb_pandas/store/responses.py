"""Owns the SQL of the responses that calls returned, and of the packed payloads beside them.

Each function runs inside a transaction of store. The ledger of the calls is left to ledger, checking what is read to
rows. The table of packed payloads is called ``history``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from zlib import crc32

import msgspec
from msgspec.structs import asdict, replace

from suburb_pandas.service.calls import Item, Namespace, PackedPayload, Response
from suburb_pandas.store import ledger, rows

_STATUS: Final = "coalesce(http_status, 200)"  # the ledger has none for a response that came after its deadline
_FACTS: Final = f"retrieved_at, sha256, cents, source, base_url, {_STATUS}, request_id, {{}}, at"  # as in `Response`


def add(connection: sqlite3.Connection, call: int, response: Response) -> None:
    """Store the response of a call, unless it has one."""
    headers, body = json.dumps(dict(response.headers)), rows.encoded(response.content)
    connection.execute(
        "insert or ignore into response (call_id, retrieved_at, headers, sha256, body) values (?, ?, ?, ?, ?)",
        (call, response.retrieved_at, headers, response.sha256, body),
    )


@rows.checked()
def newest(
    connection: sqlite3.Connection,
    namespace: Namespace,
    items: Iterable[Item],
    *,
    by: str | None = None,
    packed: bool = False,
) -> dict[Item, Response]:
    """Return the facts about the newest response of each item; with ``by``, the newest one retrieved until then.

    SQLite takes the other columns from the row with ``max(id)``. With ``packed``, the result includes the undamaged
    packed payloads.
    """
    columns, join = "", ""
    if packed:
        columns = ", records, crc32, small, mended, made_up, format"
        join = "left join history on history.call_id = id"
    found = rows.by_item(
        connection,
        f"select {_FACTS.format('max(id)')}{columns}, area_name from call "  # noqa: S608 - our words
        f"join response on response.call_id = id {join} where {rows.OF_ENDPOINT} "
        "and retrieved_at <= coalesce(?, retrieved_at) and area_name in (select value from json_each(?)) "
        "group by area_name",
        namespace,
        items,
        by,
    )
    if not packed:
        return {item: rows.response_of(row) for item, row in found}
    return {item: replace(rows.response_of(row), packed=rows.packed_of(row)) for item, row in found}


@rows.checked()
def of_calls(connection: sqlite3.Connection, calls: Iterable[int]) -> dict[int, Response]:
    """Return the responses of those calls with their bodies, without those that have changed since they arrived."""
    query = (
        f"select {_FACTS.format('id')}, headers, cast(body as blob), base_id, data from call "  # noqa: S608 - ours
        "join response on response.call_id = id left join compressed on compressed.call_id = id "
        "where id in (select value from json_each(?)) order by id"
    )
    found: dict[int, Response] = {}
    for row in connection.execute(query, [rows.listed(calls)]):
        response, (headers, stored, base, older) = rows.response_of(row), row[rows.N_FACTS :]
        body = rows.body_of(stored, response.sha256)
        if not body and older is not None:  # an earlier version compressed it, maybe as differences from another
            known = of_calls(connection, [base]).get(base) if base else None
            body = rows.older_body_of(older, known.content if known else b"")
        whole = replace(response, headers=msgspec.json.decode(headers, type=dict[str, str]), body=body)
        if whole.is_whole:
            found[response.call] = whole
    return found


def beginnings(connection: sqlite3.Connection, calls: Iterable[int], length: int) -> dict[int, bytes]:
    """Return the first ``length`` bytes of the bodies of those calls, or fewer."""
    query = (
        "select call_id, substr(cast(body as blob), 1, ?) from response "
        "where call_id in (select value from json_each(?))"
    )
    found = connection.execute(query, (length, rows.listed(calls)))
    return {call: rows.beginning_of(start or b"", length) for call, start in found}


def keep_packed(connection: sqlite3.Connection, packed: Mapping[int, PackedPayload]) -> None:
    """Write packed payloads beside the responses of their calls, and remove those of earlier responses."""
    connection.executemany(
        "insert or replace into history (call_id, format, crc32, small, mended, made_up, records) "
        "values (:call, :format, :crc32, :small, :mended, :made_up, :records)",
        [{"call": call, "crc32": crc32(one.records), **asdict(one)} for call, one in packed.items()],
    )
    connection.executemany(
        "delete from history where call_id in (select older.id from call as older join call as new "
        "using (source, base_url, endpoint, area_name) where new.id = ? and older.id < new.id)",
        [(call,) for call in packed],
    )


def calls_of(connection: sqlite3.Connection, namespace: Namespace, item: Item) -> list[int]:
    """Return the call of every response of an item, oldest first."""
    query = (
        "select id from call join response on call_id = id "
        "where source = ? and base_url = ? and endpoint = ? and area_name = ? order by id"
    )
    return [call for (call,) in connection.execute(query, rows.place_of(namespace, item))]


@rows.checked()
def since(connection: sqlite3.Connection, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
    """Return the item of each response whose call is later than ``after``, and the last settled call.

    Refusals are left out, because they confirm no name. All calls up to the settled one have ended.
    """
    later = connection.execute(
        # With +, SQLite looks for the few later calls, and not for all calls of this service.
        "select id, endpoint, area_name from response join call on call_id = id "  # noqa: S608 - ours
        f"where call_id > ? and +source = ? and +base_url = ? and {_STATUS} = 200 order by call_id",
        (after, namespace.source, namespace.base_url),
    )
    found = {call: rows.item_of(*key) for call, *key in later}
    return found, min([max(found, default=after), *(call - 1 for call in ledger.under_way(connection))])


def convert(connection: sqlite3.Connection, calls: Sequence[int]) -> None:
    """Compress the bodies of those calls as new ones are. A damaged body is left as it is."""
    for call, response in of_calls(connection, calls).items():
        query = "update response set body = ? where call_id = ?"
        connection.execute(query, (rows.encoded(response.content), call))
        connection.execute("delete from compressed where call_id = ?", (call,))


def older_calls(connection: sqlite3.Connection) -> list[int]:
    """Return the calls whose bodies an earlier version wrote, those that others are based on last."""
    query = (
        "select call_id from response where substr(body, 1, 1) is not cast('x' as blob) "
        "order by call_id in (select base_id from compressed), call_id desc"
    )
    return [call for (call,) in connection.execute(query)]
