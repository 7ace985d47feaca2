"""The SQL of calls and of the responses that they brought. In which transaction it runs is left to others."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from zlib import crc32

from msgspec.structs import astuple

from suburb_pandas.service.calls import (
    CallOutcome,
    CallRow,
    Item,
    Namespace,
    Response,
    StoredResponse,
    subject_of,
    utc_now,
)
from suburb_pandas.service.rent_columns import FORMAT, History

_HISTORY = "records, crc32, small, mended, made_up, "
_BESIDE = f"left join history on history.call_id = id and format = {FORMAT} "
_KEYS_A_QUERY = 500  # SQLite takes at least 999 parameters


def begin(connection: sqlite3.Connection, plan: int, namespace: Namespace, item: Item, cents: int) -> int | None:
    """Add the row of a call that is about to leave, and give its number; None if its plan has the claim no more."""
    what = (namespace.source, namespace.base_url, *item)
    cursor = connection.execute(
        "insert into call (at, source, base_url, endpoint, area_name, cents, plan_id, outcome, spends) "
        "select ?, ?, ?, ?, ?, ?, ?, 'sent', true where exists (select 1 from claim where source = ? and base_url = ? "
        "and endpoint = ? and area_name = ? and plan_id = ? and call_id is null)",
        (utc_now(), *what, cents, plan, *what, plan),
    )
    return cursor.lastrowid if cursor.rowcount else None


def end(
    connection: sqlite3.Connection, call: int, ending: CallOutcome, response: Response | None, again: int | None
) -> None:
    """Write how a call ended and what it brought, and hold that many cents for another try, if there is to be one.

    What was taken for unknown because nobody heard of it may be learnt after all.
    """
    brought: tuple[Any, ...] = (None,) * 4
    if response is not None:
        brought = (response.retrieved_at, json.dumps(dict(response.headers)), response.sha256, response.body)
    connection.execute(
        "insert into ended (call_id, outcome, cents, http_status, request_id, ended_at, "
        "retrieved_at, headers, sha256, body, again) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (call, ending.outcome, ending.cents, ending.http_status, ending.request_id, utc_now(), *brought, again),
    )


def newest(
    connection: sqlite3.Connection,
    namespace: Namespace,
    items: Iterable[Item],
    *,
    by: str | None = None,
    histories: bool = False,
) -> dict[Item, StoredResponse]:
    """Give where the newest response of each item is that has one, or the newest that came at or before a time.

    With ``max(id)``, SQLite gives the other columns of that same row. With ``histories``, rents that are kept in
    columns, whole and in today's format, are at hand.
    """
    up_to, limit = ("and retrieved_at <= ? ", (by,)) if by else ("", ())
    columns, beside = (_HISTORY, _BESIDE) if histories else ("", "")
    rows = _by_item(
        connection,
        f"select max(id), at, retrieved_at, cents, sha256, request_id, {columns}area_name "  # noqa: S608 - our words
        f"from call join response on response.call_id = id {beside}"
        f"where source = ? and base_url = ? and endpoint = ? {up_to}and area_name in ({{}}) group by area_name",
        namespace,
        items,
        limit,
    )
    return {
        item: StoredResponse(row[0], row[1], row[2], row[3], row[4], row[5], _history(*row[6:-1])) for item, row in rows
    }


def _history(records: object = None, check: int = 0, *marks: int) -> History | None:
    """Give rents in columns, if they are there and whole."""
    return History(records, *map(bool, marks)) if isinstance(records, bytes) and crc32(records) == check else None


def last_unknown(
    connection: sqlite3.Connection, namespace: Namespace, items: Iterable[Item], orphans: set[int]
) -> dict[Item, int]:
    """Give the last call of each item that has one whose outcome nobody knows, nor will learn."""
    rows = _by_item(
        connection,
        "select max(id), area_name from call where source = ? and base_url = ? and endpoint = ? "  # noqa: S608 - numbers
        f"and (outcome = 'unknown' or outcome = 'sent' and id in ({', '.join(map(str, orphans))})) "
        "and area_name in ({}) group by area_name",
        namespace,
        items,
    )
    return {item: call for item, (call, _) in rows}


def responses(connection: sqlite3.Connection, calls: Iterable[int]) -> dict[int, Response]:
    """Give what those calls brought."""
    found: dict[int, Response] = {}
    for some in _pieces(calls):
        rows = connection.execute(
            "select body, headers, retrieved_at, sha256, cents, source, id from call join response on call_id = id "  # noqa: S608
            f"where id in ({_marks(some)})",
            some,
        )
        found |= {rest[-1]: Response(body, json.loads(headers), *rest) for body, headers, *rest in rows}
    return found


def keep_histories(connection: sqlite3.Connection, found: Mapping[int, History]) -> None:
    """Keep the rents that calls brought in columns, beside the responses."""
    connection.executemany(
        "insert or replace into history (call_id, format, crc32, records, small, mended, made_up) "
        "values (?, ?, ?, ?, ?, ?, ?)",
        [(call, FORMAT, crc32(one.records), *astuple(one)) for call, one in found.items()],
    )


def vintages(connection: sqlite3.Connection, namespace: Namespace, item: Item) -> list[Response]:
    """Give every response of an item, oldest first."""
    calls = connection.execute(
        "select id from call join response on call_id = id "
        "where source = ? and base_url = ? and endpoint = ? and area_name = ? order by id",
        (namespace.source, namespace.base_url, *item),
    )
    return list(responses(connection, [call for (call,) in calls]).values())


def beginnings(connection: sqlite3.Connection, calls: Iterable[int], length: int) -> dict[int, bytes]:
    """Give the first bytes of what those calls brought."""
    found: dict[int, bytes] = {}
    for some in _pieces(calls):
        query = f"select call_id, substr(body, 1, ?) from response where call_id in ({_marks(some)})"  # noqa: S608 - marks
        found |= dict(connection.execute(query, [length, *some]))
    return found


def responses_since(
    connection: sqlite3.Connection, namespace: Namespace, after: int, orphans: set[int]
) -> tuple[dict[int, Item], int]:
    """Give the calls after that one which brought a response, each with what it is of; and the last settled call.

    In one statement, which sees one state of the store: a call that ends between two would be missed.
    """
    rows = connection.execute(
        "select id, endpoint, area_name, "  # noqa: S608 - numbers
        f"(select min(id) from call where outcome = 'sent' and id not in ({', '.join(map(str, orphans))})) "
        "from response join call on call_id = id "
        "where call_id > ? and source = ? and base_url = ? order by call_id",
        (after, namespace.source, namespace.base_url),
    ).fetchall()
    if not rows:
        return {}, after
    last, *_, under_way = rows[-1]
    return {call: Item(endpoint, name) for call, endpoint, name, _ in rows}, under_way - 1 if under_way else last


def spent(connection: sqlite3.Connection) -> int:
    """Give the cents that calls of this UTC calendar month cost, or may have.

    What a clock that was since set back has in the future counts too.
    """
    month = utc_now()[:7]
    return int(connection.execute("select coalesce(sum(cents), 0) from call where at >= ?", (month,)).fetchone()[0])


def last_price(connection: sqlite3.Connection, namespace: Namespace, endpoint: str) -> int:
    """Give what the last call to an endpoint that was billed was charged, 0 if there is none."""
    row = connection.execute(
        "select cents from call where source = ? and base_url = ? and endpoint = ? and outcome = 'billed' "
        "order by id desc limit 1",
        (namespace.source, namespace.base_url, endpoint),
    ).fetchone()
    return int(row[0]) if row else 0


def under_way(connection: sqlite3.Connection) -> dict[int, int | None]:
    """Give the calls without an outcome, each with the plan that makes it."""
    return dict(connection.execute("select id, plan_id from call where outcome = 'sent'").fetchall())


def is_lost(connection: sqlite3.Connection, namespace: Namespace, item: Item, plan: int) -> bool:
    """Whether a plan has sent a call for the item and learnt that it will never know how it ended."""
    query = (
        "select 1 from call where source = ? and base_url = ? and endpoint = ? and area_name = ? "
        "and plan_id = ? and outcome = 'unknown' and ended_at is not null"
    )
    return connection.execute(query, (namespace.source, namespace.base_url, *item, plan)).fetchone() is not None


def rows(connection: sqlite3.Connection, orphans: set[int]) -> list[CallRow]:
    """Give every call, oldest first; an orphan that has no outcome is ``unknown``."""
    found = connection.execute(
        "select at, endpoint, area_name, outcome, cents, http_status, request_id, source, id from call order by id"
    )
    return [
        CallRow(at, endpoint, subject_of(name), "unknown" if outcome == "sent" and call in orphans else outcome, *rest)
        for at, endpoint, name, outcome, *rest, call in found
    ]


def _by_item(
    connection: sqlite3.Connection, query: str, namespace: Namespace, items: Iterable[Item], limit: tuple[Any, ...] = ()
) -> Iterator[tuple[Item, tuple[Any, ...]]]:
    """Run a query that takes some names of one endpoint, for all the items; give each row, the name last in it."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for endpoint, name in items:
        names[endpoint].append(name)
    for endpoint, every in names.items():
        for some in _pieces(every):
            where = (namespace.source, namespace.base_url, endpoint, *limit, *some)
            for row in connection.execute(query.format(_marks(some)), where):
                yield Item(endpoint, row[-1]), row


def _pieces(keys: Iterable[Any]) -> Iterator[list[Any]]:
    every = list(keys)
    for start in range(0, len(every), _KEYS_A_QUERY):
        yield every[start : start + _KEYS_A_QUERY]


def _marks(keys: list[Any]) -> str:
    return ", ".join("?" * len(keys))
