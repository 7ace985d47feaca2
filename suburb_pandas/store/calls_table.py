"""Owns the SQL of calls, of the responses that they returned, and of packed payloads.

Each function runs inside a transaction of its caller: store for reading, reservation for writing. ``orphans`` are calls
that were under way when their process died, so their outcome is unknown.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from zlib import crc32

from suburb_pandas.service.calls import (
    CallOutcome,
    CallRow,
    Item,
    Namespace,
    PackedPayload,
    Response,
    StoredResponse,
    utc_now,
)
from suburb_pandas.store import compressed_table
from suburb_pandas.store.queries import by_item, item_of, key_of, marks, pieces

_STATUS = "coalesce(http_status, 200)"  # the ledger has none for a response that came after its call was given up
_PACKED_COLUMNS = "records, crc32, small, mended, made_up, format, "
_PACKED_JOIN = "left join history on history.call_id = id "


def begin(connection: sqlite3.Connection, reservation: int, namespace: Namespace, item: Item, cents: int) -> int | None:
    """Add the row of a call that is about to be sent, and return its number; None if its claim is lost."""
    what = (namespace.source, namespace.base_url, *key_of(item))
    cursor = connection.execute(
        "insert into call (at, source, base_url, endpoint, area_name, cents, plan_id, outcome, spends) "
        "select ?, ?, ?, ?, ?, ?, ?, 'sent', true where exists (select 1 from claim where source = ? and base_url = ? "
        "and endpoint = ? and area_name = ? and plan_id = ? and call_id is null)",
        (utc_now(), *what, cents, reservation, *what, reservation),
    )
    return cursor.lastrowid if cursor.rowcount else None


def end(
    connection: sqlite3.Connection, call: int, outcome: CallOutcome, response: Response | None, again: int | None
) -> None:
    """Write how a call ended, and its response. ``again`` is the price to hold for a retry; None if there will be none.

    If another process has already settled the call as unknown, its real outcome replaces that.
    """
    columns: tuple[Any, ...] = (None,) * 4
    if response is not None:
        columns = (response.retrieved_at, json.dumps(dict(response.headers)), response.sha256, response.body)
    connection.execute(
        "insert into ended (call_id, outcome, cents, http_status, request_id, price_header, ended_at, "
        "retrieved_at, headers, sha256, body, again) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            call,
            outcome.outcome,
            outcome.cents,
            outcome.http_status,
            outcome.request_id,
            outcome.price_header,
            utc_now(),
            *columns,
            again,
        ),
    )


def withdraw(connection: sqlite3.Connection, call: int, cents: int) -> None:
    """Delete the row of a call that was not sent. Its claim holds these cents again."""
    connection.execute("update claim set call_id = null, cents = ? where call_id = ?", (cents, call))
    connection.execute("delete from call where id = ? and outcome = 'sent'", (call,))


def has_ended(connection: sqlite3.Connection, call: int, item: Item) -> bool | None:
    """Return True if the end of a call was written; None if the ledger does not have this call for this item."""
    query = "select ended_at is not null from call where id = ? and endpoint = ? and area_name = ?"
    row = connection.execute(query, (call, *key_of(item))).fetchone()
    return bool(row[0]) if row else None


def newest(
    connection: sqlite3.Connection,
    namespace: Namespace,
    items: Iterable[Item],
    *,
    by: str | None = None,
    packed: bool = False,
) -> dict[Item, StoredResponse]:
    """Locate the newest response of each item; with ``by``, the newest one retrieved at or before that time.

    SQLite takes the other columns from the row with ``max(id)``. With ``packed``, the result includes the undamaged
    packed payloads.
    """
    condition, parameters = ("and retrieved_at <= ? ", (by,)) if by else ("", ())
    columns, join = (_PACKED_COLUMNS, _PACKED_JOIN) if packed else ("", "")
    rows = by_item(
        connection,
        f"select max(id), at, retrieved_at, cents, sha256, request_id, {_STATUS}, {columns}area_name "  # noqa: S608 - our words
        f"from call join response on response.call_id = id {join}"
        f"where source = ? and base_url = ? and endpoint = ? {condition}and area_name in ({{}}) group by area_name",
        namespace,
        items,
        parameters,
    )
    return {
        item: StoredResponse(row[0], row[1], row[2], row[3], row[4], row[5], _packed(*row[7:-1]), status=row[6])
        for item, row in rows
    }


def _packed(records: object = None, check: int = 0, *fields: int) -> PackedPayload | None:
    """Return the packed payload of a row; None if there is none, or its checksum does not match."""
    if not isinstance(records, bytes) or crc32(records) != check:
        return None
    small, mended, made_up, version = fields
    return PackedPayload(records, bool(small), bool(mended), bool(made_up), version)


def unknown_calls(
    connection: sqlite3.Connection, namespace: Namespace, items: Iterable[Item], orphans: set[int]
) -> dict[Item, dict[int, int]]:
    """Return the calls of each item whose outcome will stay unknown, each with its cents. Other items are left out."""
    rows = by_item(
        connection,
        "select id, cents, area_name from call where source = ? and base_url = ? and endpoint = ? "  # noqa: S608 - numbers
        f"and (outcome = 'unknown' or outcome = 'sent' and id in ({', '.join(map(str, orphans))})) "
        "and area_name in ({})",
        namespace,
        items,
    )
    found: dict[Item, dict[int, int]] = {}
    for item, (call, cents, _) in rows:
        found.setdefault(item, {})[call] = cents
    return found


def responses(connection: sqlite3.Connection, calls: Iterable[int]) -> dict[int, Response]:
    """Return the responses of those calls."""
    found: dict[int, Response] = {}
    for piece in pieces(calls):
        rows = connection.execute(
            f"select body, headers, retrieved_at, sha256, cents, source, id, base_url, {_STATUS} "  # noqa: S608 - marks
            f"from call join response on call_id = id where id in ({marks(piece)})",
            piece,
        )
        for body, headers, *facts in rows:
            response = Response(body, json.loads(headers), *facts)
            found[response.call] = response
    empty = [call for call, response in found.items() if not response.body]
    for call, body in (compressed_table.originals(connection, empty) if empty else {}).items():
        found[call] = replace(found[call], body=body)
    return found


def keep_packed(connection: sqlite3.Connection, packed: Mapping[int, PackedPayload]) -> None:
    """Write packed payloads beside the responses of their calls, except beside compressed bodies."""
    connection.executemany(
        "insert or replace into history (call_id, format, crc32, records, small, mended, made_up) "
        "select ?, ?, ?, ?, ?, ?, ? where not exists (select 1 from compressed where call_id = ?)",
        [
            (
                call,
                payload.format,
                crc32(payload.records),
                payload.records,
                payload.small,
                payload.mended,
                payload.made_up,
                call,
            )
            for call, payload in packed.items()
        ],
    )


def packed_calls(connection: sqlite3.Connection, calls: Iterable[int], packing: int) -> set[int]:
    """Return which of the calls have a packed payload of this format."""
    found: set[int] = set()
    for piece in pieces(calls):
        query = f"select call_id from history where format = ? and call_id in ({marks(piece)})"  # noqa: S608 - marks
        found |= {call for (call,) in connection.execute(query, [packing, *piece])}
    return found


def vintages(connection: sqlite3.Connection, namespace: Namespace, item: Item) -> list[Response]:
    """Return every response of an item, oldest first."""
    calls = connection.execute(
        "select id from call join response on call_id = id "
        "where source = ? and base_url = ? and endpoint = ? and area_name = ? order by id",
        (namespace.source, namespace.base_url, *key_of(item)),
    )
    return list(responses(connection, [call for (call,) in calls]).values())


def beginnings(connection: sqlite3.Connection, calls: Iterable[int], length: int) -> dict[int, bytes]:
    """Return the first ``length`` bytes of the bodies of those calls."""
    found: dict[int, bytes] = {}
    for piece in pieces(calls):
        query = f"select call_id, substr(body, 1, ?) from response where call_id in ({marks(piece)})"  # noqa: S608 - marks
        # SQLite returns null for the beginning of an empty body.
        found |= {call: beginning or b"" for call, beginning in connection.execute(query, [length, *piece])}
    empty = [call for call, beginning in found.items() if not beginning]
    for call, body in (compressed_table.originals(connection, empty) if empty else {}).items():
        found[call] = body[:length]
    return found


def responses_since(
    connection: sqlite3.Connection, namespace: Namespace, after: int, orphans: set[int]
) -> tuple[dict[int, Item], int]:
    """Return the item of each response whose call is later than ``after``, and the last settled call.

    Refusals are left out, because they confirm no name. The settled call and all calls before it have ended. Rejected:
    two queries. A call that ends between them would be missed.
    """
    rows = connection.execute(
        "select id, endpoint, area_name, "  # noqa: S608 - numbers
        f"(select min(id) from call where outcome = 'sent' and id not in ({', '.join(map(str, orphans))})) "
        "from response join call on call_id = id "
        f"where call_id > ? and source = ? and base_url = ? and {_STATUS} = 200 order by call_id",
        (after, namespace.source, namespace.base_url),
    ).fetchall()
    if not rows:
        return {}, after
    last, *_, under_way = rows[-1]
    return {call: item_of(endpoint, name) for call, endpoint, name, _ in rows}, under_way - 1 if under_way else last


def spent(connection: sqlite3.Connection) -> int:
    """Return the cents that the calls of this UTC calendar month cost, or may have cost.

    A call dated in the future counts too: it was written before the clock was set back.
    """
    month = utc_now()[:7]
    return int(connection.execute("select coalesce(sum(cents), 0) from call where at >= ?", (month,)).fetchone()[0])


def last_price(connection: sqlite3.Connection, namespace: Namespace, endpoint: str) -> int:
    """Return the cents of the last billed answer of an endpoint, 0 if there is none. A refusal has another price."""
    row = connection.execute(
        "select cents from call where source = ? and base_url = ? and endpoint = ? and outcome = 'billed' "
        "and http_status = 200 order by id desc limit 1",
        (namespace.source, namespace.base_url, endpoint),
    ).fetchone()
    return int(row[0]) if row else 0


def under_way(connection: sqlite3.Connection) -> dict[int, int | None]:
    """Return the calls without an outcome, each with the reservation that makes it."""
    return dict(connection.execute("select id, plan_id from call where outcome = 'sent'").fetchall())


def is_lost(connection: sqlite3.Connection, namespace: Namespace, item: Item, reservation: int) -> bool:
    """Return True if this reservation made a call for the item that ended with an unknown outcome."""
    query = (
        "select 1 from call where source = ? and base_url = ? and endpoint = ? and area_name = ? "
        "and plan_id = ? and outcome = 'unknown' and ended_at is not null"
    )
    where = (namespace.source, namespace.base_url, *key_of(item), reservation)
    return connection.execute(query, where).fetchone() is not None


def rows(connection: sqlite3.Connection, orphans: set[int], *, has_price_headers: bool) -> list[CallRow]:
    """Return the row of every call, oldest first. An orphan that has no outcome is shown as ``unknown``.

    ``has_price_headers`` is False for a store of an older version, which lacks that column.
    """
    price_header = "price_header" if has_price_headers else "null"
    found = connection.execute(
        "select at, endpoint, area_name, outcome, cents, http_status, request_id, source, "  # noqa: S608 - our words
        f"{price_header}, id from call order by id"
    )
    return [
        CallRow(
            at,
            endpoint,
            item_of(endpoint, name).area_name,
            "unknown" if outcome == "sent" and call in orphans else outcome,
            *rest,
        )
        for at, endpoint, name, outcome, *rest, call in found
    ]
