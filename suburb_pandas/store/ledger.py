"""Owns the SQL that reads the ledger: what was spent and is held, the last prices, and calls of unknown outcome.

Each function runs inside a transaction of store. Writing the rows of calls is left to reservations, checking the rows
that are read to rows, and whether a reservation is over to holders.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Final

import msgspec

from suburb_pandas.service.calls import Call, Cents, Item, Namespace, utc_now
from suburb_pandas.store import holders, rows

_CALL: Final = "id, endpoint, area_name, at, {}, cents, http_status, request_id, source, price_header"
_OUTCOME: Final = "iif(outcome = 'sent' and id not in (select value from json_each(?)), 'unknown', outcome)"


@rows.checked()
def committed(connection: sqlite3.Connection) -> tuple[int, str, int]:
    """Return the cents of this UTC calendar month's calls, the last of their times, and the cents that are held.

    The first number includes what a call may have cost. A call dated in the future counts too: it was written while the
    clock was wrong. Live reservations hold cents for calls that they have not sent.
    """
    spent, last, is_right, held = connection.execute(
        "select coalesce(sum(cents), 0), coalesce(max(at), ''), "
        "coalesce(min(typeof(cents) = 'integer' and cents >= 0), 1), "
        "(select coalesce(sum(cents), 0) from claim where plan_id in (select value from json_each(?))) "
        "from call where at >= ?",
        (rows.listed(holders.live(connection)), utc_now()[:7]),
    ).fetchone()
    found = spent if is_right else None, last and rows.time(last), held
    return msgspec.convert(found, tuple[Cents, str, Cents])


@rows.checked()
def last_price(connection: sqlite3.Connection, namespace: Namespace, endpoint: str) -> int:
    """Return the cents of the last billed answer of an endpoint, 0 if there is none. A refusal has another price."""
    row = connection.execute(
        f"select cents from call where {rows.OF_ENDPOINT} and outcome = 'billed' "  # noqa: S608 - our words
        "and http_status = 200 order by id desc limit 1",
        (namespace.source, namespace.base_url, endpoint),
    ).fetchone()
    return msgspec.convert(row[0], Cents) if row else 0


@rows.checked()
def without_response(connection: sqlite3.Connection, namespace: Namespace, before: Mapping[Item, int]) -> list[Call]:
    """Return the calls for items that were or may have been charged, and brought no response.

    Their outcome is unknown, was still to come when their reservation ended, or is a charge for an error.
    ``before`` has, for each item, the call of the response that is to be replaced, or 0. Only later calls are returned.
    """
    found = rows.by_item(
        connection,
        f"select {_CALL.format('outcome')}, area_name from call where {rows.OF_ENDPOINT} "  # noqa: S608 - our words
        "and (outcome = 'unknown' or outcome = 'sent' and id not in (select value from json_each(?)) "
        "or outcome = 'billed' and cents > 0 and not exists (select 1 from response where call_id = id)) "
        "and area_name in (select value from json_each(?)) order by id",
        namespace,
        before,
        rows.listed(under_way(connection)),
    )
    return [call for item, row in found if (call := rows.call_of(row[:-1])).number > before[item]]


@rows.checked()
def all_calls(connection: sqlite3.Connection) -> list[Call]:
    """Return the row of every call, oldest first. If a reservation is over, its calls without outcomes are unknown."""
    query = f"select {_CALL.format(_OUTCOME)} from call order by id"  # noqa: S608 - our words
    return [rows.call_of(row) for row in connection.execute(query, [rows.listed(under_way(connection))])]


def under_way(connection: sqlite3.Connection) -> set[int]:
    """Return the calls that may still get an outcome. Other calls without one are of reservations that are over."""
    sent = dict(connection.execute("select id, plan_id from call where outcome = 'sent'").fetchall())
    alive = holders.live(connection) if sent else set()
    return {call for call, reservation in sent.items() if reservation in alive}
