"""Owns the SQL that reads calls, the responses that they returned, packed payloads, and who holds reservations.

Each function runs inside a transaction of store. Writing calls is left to reservations, and checking rows to rows.

A process that has died is seen at once, as its number is gone. One that is suspended writes no heartbeats. Its call may
still get an outcome, and until then counts as unknown.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple
from zlib import crc32

import msgspec
from msgspec.structs import asdict, replace

from suburb_pandas.service.calls import Call, Cents, Item, Namespace, PackedPayload, Response, age_seconds, utc_now
from suburb_pandas.store import rows

_STATUS: Final = "coalesce(http_status, 200)"  # the ledger has none for a response that came after its deadline
_FACTS: Final = f"retrieved_at, sha256, cents, source, base_url, {_STATUS}, request_id, {{}}, at"  # as in `Response`
_CALL: Final = "id, endpoint, area_name, at, outcome, cents, http_status, request_id, source, price_header"
_OF_ENDPOINT: Final = "source = ? and base_url = ? and endpoint = ?"


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
        f"join response on response.call_id = id {join} where {_OF_ENDPOINT} "
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
        "insert or replace into history values (:call, :format, :crc32, :small, :mended, :made_up, :records)",
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

    Refusals are left out, because they confirm no name. The settled call and all calls before it have ended.
    """
    later = connection.execute(
        # With +, SQLite looks for the few later calls, and not for all calls of this service.
        "select id, endpoint, area_name from response join call on call_id = id "  # noqa: S608 - ours
        f"where call_id > ? and +source = ? and +base_url = ? and {_STATUS} = 200 order by call_id",
        (after, namespace.source, namespace.base_url),
    )
    found = {call: rows.item_of(*key) for call, *key in later}
    return found, min([max(found, default=after), *(call - 1 for call in under_way(connection))])


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
        (rows.listed(live(connection)), utc_now()[:7]),
    ).fetchone()
    found = spent if is_right else None, last and rows.time(last), held
    return msgspec.convert(found, tuple[Cents, str, Cents])


@rows.checked()
def last_price(connection: sqlite3.Connection, namespace: Namespace, endpoint: str) -> int:
    """Return the cents of the last billed answer of an endpoint, 0 if there is none. A refusal has another price."""
    row = connection.execute(
        f"select cents from call where {_OF_ENDPOINT} and outcome = 'billed' "  # noqa: S608 - our words
        "and http_status = 200 order by id desc limit 1",
        (namespace.source, namespace.base_url, endpoint),
    ).fetchone()
    return msgspec.convert(row[0], Cents) if row else 0


@rows.checked()
def unknown(connection: sqlite3.Connection, namespace: Namespace, wanted: Mapping[Item, int]) -> list[Call]:
    """Return the calls for wanted items whose outcome is unknown: it is, or their reservation is over.

    ``wanted`` has the call of the response that is to be replaced, or 0. Only later calls are returned.
    """
    found = rows.by_item(
        connection,
        f"select {_CALL}, area_name from call where {_OF_ENDPOINT} "  # noqa: S608 - our words
        "and (outcome = 'unknown' or outcome = 'sent' and id not in (select value from json_each(?))) "
        "and area_name in (select value from json_each(?)) order by id",
        namespace,
        wanted,
        rows.listed(under_way(connection)),
    )
    return [call for item, row in found if (call := rows.call_of(row[:-1])).number > wanted[item]]


@rows.checked()
def ledger(connection: sqlite3.Connection) -> list[Call]:
    """Return the row of every call, oldest first. If a reservation is over, its calls without outcomes are unknown."""
    calls = [rows.call_of(row) for row in connection.execute(f"select {_CALL} from call order by id")]  # noqa: S608 - ours
    lasting = under_way(connection)
    return [
        replace(call, outcome="unknown") if call.outcome == "sent" and call.number not in lasting else call
        for call in calls
    ]


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


class Holder(NamedTuple):
    """The holder of a reservation: its computer, its last heartbeat, its lease in seconds, and its process.

    ``beat`` is the heartbeat by the monotonic clock of the computer, which nobody can set, and ``at`` by its calendar.
    Earlier versions wrote no process, and another ``beat``.
    """

    host: str
    at: str
    beat: float
    lease: float
    process: int | None = None

    @property
    def is_here(self) -> bool:
        """True if it is on this computer."""
        return self.host == this_computer()

    @property
    def is_over(self) -> bool:
        """True if its process has certainly died, or has been silent beyond its lease."""
        if self.process is None or not self.is_here:
            return not 0 <= age_seconds(self.at) <= self.lease
        is_silent = not 0 <= monotonic() - self.beat <= self.lease
        return is_silent or (sys.platform != "win32" and not _exists(self.process))


@rows.checked()
def holders(connection: sqlite3.Connection) -> dict[int, Holder]:
    """Return the holder of each reservation.

    A store of an earlier version that may only be read has no column for the process.
    """
    found = connection.execute("select * from plan").fetchall()
    return {number: msgspec.convert((host, rows.time(at), *others), Holder) for number, host, at, *others in found}


def live(connection: sqlite3.Connection) -> set[int]:
    """Return the numbers of the reservations that are not over."""
    return {number for number, holder in holders(connection).items() if not holder.is_over}


def under_way(connection: sqlite3.Connection) -> set[int]:
    """Return the calls that may still get an outcome. Other calls without one are of reservations that are over."""
    sent = dict(connection.execute("select id, plan_id from call where outcome = 'sent'").fetchall())
    alive = live(connection) if sent else set()
    return {call for call, reservation in sent.items() if reservation in alive}


def this_computer() -> str:
    """Return the name of this computer, with the namespace of its process numbers: containers can share a name."""
    from socket import gethostname  # noqa: PLC0415 - slow to import, and only a purchase needs it

    with suppress(OSError):  # only Linux has them
        return f"{gethostname()} {Path('/proc/self/ns/pid').readlink()}"
    return gethostname()


def _exists(process: int) -> bool:
    """Return True if a process of this number is running. It may be another one by now, which delays nobody long."""
    with suppress(OSError):  # only Linux has these files; a zombie has died, although its number is not free yet
        return not Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(") ")[2].startswith("Z")
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return True
