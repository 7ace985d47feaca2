"""Owns the SQL of a purchase: reservations, the claims of items, and the beginnings and ends of calls.

Before anything is sent, a reservation claims the items that it will buy, and each claim holds its price. The row of the
reservation is the only arbiter between requests, threads and processes. Its process writes heartbeats into it; if the
process has died, or has been silent beyond its lease, the next request ends the reservation. Items whose call was not
sent can then be claimed again. A call that was sent is of unknown outcome, and its item is never taken over in silence.

Each function runs inside a transaction of store. The tables have older names, which migrations explains.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from suburb_pandas.errors import StoreError
from suburb_pandas.service.calls import Call, Item, Namespace, Response, Terms, utc_now
from suburb_pandas.store import responses, rows


class Heartbeat(NamedTuple):
    """The last heartbeat of a reservation: its number, how many there were, and the lease in seconds."""

    reservation: int
    beats: int
    lease: float


class CallEnd(NamedTuple):
    """The end of a call to write: its row, its response, and the price to hold for a retry, if there will be one."""

    call: Call
    response: Response | None = None
    again: int | None = None


@dataclass(slots=True)
class Standing:
    """What has become of wanted items.

    They have ``arrived``; are ``awaited`` from other reservations; were ``lost`` by another one, whose call was sent
    and has an unknown outcome; or were ``claimed`` by ``reservation``.
    """

    reservation: int
    arrived: dict[Item, Response]
    awaited: dict[Item, Heartbeat] = field(default_factory=dict)
    lost: list[Item] = field(default_factory=list)
    claimed: list[Item] = field(default_factory=list)


class OverBudgetError(Exception):
    """A claim of ``cents`` would exceed the budget, after those ``spent`` this month and ``held`` by claims."""

    def __init__(self, cents: int, spent: int, held: int, last: str) -> None:
        super().__init__(cents, spent, held)
        self.cents, self.spent, self.held, self.last = cents, spent, held, last


def _is_lost(
    connection: sqlite3.Connection, namespace: Namespace, item: Item, after: int, known: Collection[int]
) -> bool:
    """Return True if another reservation made a call for the item meanwhile, whose outcome is unknown."""
    query = (
        "select id from call where source = ? and base_url = ? and endpoint = ? and area_name = ? "
        "and outcome = 'unknown' and id > ?"
    )
    key = (namespace.source, namespace.base_url, *rows.key_of(item), after)
    return any(call not in known for (call,) in connection.execute(query, key))


def claim(
    connection: sqlite3.Connection,
    terms: Terms,
    wanted: Mapping[Item, int],
    known: Collection[int],
    silent: Iterable[Heartbeat],
    *,
    reservation: int,
) -> Standing:
    """Claim the items that nobody is buying for a reservation, and hold their prices. One of number 0 is new.

    ``wanted`` has the call of the response that is to be replaced, or 0. ``known`` are the calls of unknown outcome
    that the request knew of when it began. ``silent`` are the last heartbeats of reservations that were silent beyond
    their lease.

    Raises
    ------
    OverBudgetError
        The claims would cost more than is left of the budget. Nothing was claimed.
    StoreError
        Another computer is using the store.
    """
    _end_dead(connection, {(beat.reservation, beat.beats) for beat in silent})
    namespace, prices = terms.namespace, terms.prices
    newest = responses.newest(connection, namespace, wanted)
    found = Standing(reservation, {item: response for item, response in newest.items() if response.call > wanted[item]})
    claimed = _claimed(connection, namespace)
    for item, before in wanted.items():
        if item in found.arrived:
            continue
        if item in claimed:
            found.awaited[item] = claimed[item]
        elif _is_lost(connection, namespace, item, before, known):
            found.lost.append(item)
        else:
            found.claimed.append(item)
    _check_budget(connection, terms, found.claimed)
    # Another request may have ended this reservation, while its process was suspended.
    is_there = connection.execute("select 1 from plan where id = ?", (reservation,)).fetchone()
    if found.claimed and not is_there:
        query = "insert into plan (host, process, at, beats, patience) values (?, ?, ?, 0, ?)"
        mine = (responses.this_computer(), os.getpid(), utc_now(), terms.lease)
        found.reservation = int(connection.execute(query, mine).lastrowid or 0)
    connection.executemany(
        "insert into claim (source, base_url, endpoint, area_name, plan_id, cents) values (?, ?, ?, ?, ?, ?)",
        [
            (namespace.source, namespace.base_url, *rows.key_of(item), found.reservation, prices[item.endpoint])
            for item in found.claimed
        ],
    )
    return found


def _claimed(connection: sqlite3.Connection, namespace: Namespace) -> dict[Item, Heartbeat]:
    """Return the items that are claimed, each with the last heartbeat of its reservation."""
    found = connection.execute(
        "select endpoint, area_name, plan_id, beats, patience from claim join plan on plan_id = plan.id "
        "where source = ? and base_url = ?",
        (namespace.source, namespace.base_url),
    )
    with rows.checked():
        return {rows.item_of(endpoint, name): Heartbeat(*beat) for endpoint, name, *beat in found}


def _check_budget(connection: sqlite3.Connection, terms: Terms, items: Sequence[Item]) -> None:
    cents = sum(terms.prices[item.endpoint] for item in items)
    if cents:
        spent, last = responses.spent(connection)
        in_all = responses.held(connection)
        if spent + in_all + cents > terms.budget:
            raise OverBudgetError(cents, spent, in_all, last)


def begin(connection: sqlite3.Connection, terms: Terms, reservation: int, item: Item) -> Call | None:
    """Write the ledger row of a call that is about to be sent; return None if another reservation took the item."""
    key = (terms.namespace.source, terms.namespace.base_url, *rows.key_of(item))
    cents, now = terms.prices[item.endpoint], utc_now()
    is_mine = "source = ? and base_url = ? and endpoint = ? and area_name = ? and plan_id = ? and call_id is null"
    number = connection.execute(
        "insert into call (at, source, base_url, endpoint, area_name, cents, plan_id, outcome) "  # noqa: S608 - ours
        f"select ?, ?, ?, ?, ?, ?, ?, 'sent' where exists (select 1 from claim where {is_mine})",
        (now, *key, cents, reservation, *key, reservation),
    )
    if not number.rowcount:
        return None
    call = Call(int(number.lastrowid or 0), item, now, "sent", cents, source=terms.namespace.source)
    connection.execute(
        f"update claim set call_id = ?, cents = 0 where {is_mine}",  # noqa: S608 - ours
        (call.number, *key, reservation),
    )
    return call


def end(connection: sqlite3.Connection, ended: CallEnd) -> None:
    """Write how a call ended, and its response.

    If another process has settled the call as unknown meanwhile, its real outcome replaces that. A response that came
    after the call had ended is stored, and changes nothing else but a price that turns out to be higher.
    """
    call, response, again = ended
    key = call.number, *rows.key_of(call.item)
    is_first = connection.execute(
        "update call set outcome = ?, cents = ?, http_status = ?, request_id = ?, price_header = ?, ended_at = ? "
        "where id = ? and endpoint = ? and area_name = ? and ended_at is null",
        (call.outcome, call.cents, call.http_status, call.request_id, call.price_header, utc_now(), *key),
    ).rowcount
    if not is_first:
        query = "update call set cents = max(cents, ?) where id = ? and endpoint = ? and area_name = ?"
        connection.execute(query, (call.cents, *key))
    if response is not None:
        headers = json.dumps(dict(response.headers))
        connection.execute(
            "insert or ignore into response (call_id, retrieved_at, headers, sha256, body) "
            "select id, ?, ?, ?, ? from call where id = ? and endpoint = ? and area_name = ?",
            (response.retrieved_at, headers, response.sha256, rows.encoded(response.content), *key),
        )
    is_its = (
        "call_id = ? and (source, base_url, endpoint, area_name) = "
        "(select source, base_url, endpoint, area_name from call where id = ?)"  # the primary key of claims
    )
    if again is None:
        connection.execute(f"delete from claim where {is_its}", (call.number, call.number))  # noqa: S608 - ours
    else:
        query = f"update claim set call_id = null, cents = ? where {is_its}"  # noqa: S608 - ours
        connection.execute(query, (again, call.number, call.number))


def beat(connection: sqlite3.Connection, reservation: int, lease: float) -> None:
    """Write a heartbeat. The next one is due within ``lease`` seconds."""
    query = "update plan set beats = beats + 1, at = ?, patience = ? where id = ?"
    connection.execute(query, (utc_now(), lease, reservation))


def release(connection: sqlite3.Connection, reservation: int) -> None:
    """End a reservation: release its claims, and mark its calls without an outcome as unknown."""
    connection.execute("update call set outcome = 'unknown' where plan_id = ? and outcome = 'sent'", (reservation,))
    connection.execute("delete from claim where plan_id = ?", (reservation,))
    connection.execute("delete from plan where id = ?", (reservation,))


def _end_dead(connection: sqlite3.Connection, silent: set[tuple[int, int]]) -> None:
    """End the reservations of dead processes, and those that were silent and still are."""
    for number, holder in responses.holders(connection).items():
        if not holder.is_live or (number, holder.beats) in silent:
            release(connection, number)
        elif holder.host != responses.this_computer():
            raise StoreError(
                f"The computer or container {holder.host!r} is using this store, and two of them with one store could "
                "buy the same data twice. Nothing was sent; keep a store for each, on its own disk. If that one is "
                "gone, wait a minute and run the same line again.",
                why="another computer is using it",
            )
