"""Owns the SQL of a purchase: reservations, the claims of items, and the beginnings and ends of calls.

Before anything is sent, a reservation claims the items that it will buy, and each claim holds its price. When a call
begins, its row in the ledger takes the place of the claim. The row of the reservation is the only arbiter between
requests, threads and processes. Its process writes heartbeats into it; if the process has died, or has been silent
beyond its lease, the next request ends the reservation. Items whose call was not sent can then be claimed again. A call
that was sent is of unknown outcome, and its item is never taken over in silence.

Each function runs inside a transaction of store. The tables have older names, which migrations explains.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from suburb_pandas.errors import StoreError
from suburb_pandas.service.calls import Call, Item, Namespace, Response, Terms, utc_now
from suburb_pandas.store import holders, ledger, responses, rows

CallEnd = tuple[Call, Response | None]
"""A call that has ended, and the response to store, if there is one."""


@dataclass(slots=True)
class ClaimResult:
    """The result of claiming items for a reservation.

    They were ``claimed``; have ``arrived`` already; are ``awaited``, because another reservation is buying them; or are
    ``lost``: another request has sent their call, which brought no response. ``reservation`` is the one that has
    claimed; None if the request has claimed nothing so far.
    """

    reservation: int | None
    arrived: dict[Item, Response]
    awaited: list[Item] = field(default_factory=list)
    lost: list[Item] = field(default_factory=list)
    claimed: list[Item] = field(default_factory=list)


@dataclass(eq=False)
class OverBudgetError(Exception):
    """A claim of ``cents`` would exceed the budget, after those ``spent`` this month and ``held`` by claims.

    ``last`` is the time of the last call that was counted.
    """

    cents: int
    spent: int
    held: int
    last: str


def claim(
    connection: sqlite3.Connection,
    terms: Terms,
    before: Mapping[Item, int],
    known: Collection[int],
    *,
    reservation: int | None,
) -> ClaimResult:
    """Claim the items that nobody is buying, and hold their prices. A reservation is made if there is none (any more).

    ``before`` has, for each item, the call of the response that is to be replaced, or 0. ``known`` are the
    calls without a response that the request's quote found, and that it may repeat. It does not repeat a call whose
    process it finds silent: that one may wake up and get its answer.

    Raises
    ------
    OverBudgetError
        The claims would cost more than is left of the budget. Nothing was claimed.
    StoreError
        Another computer is using the store.
    """
    unanswered = _end_those_over(connection)
    newest = responses.newest(connection, terms.namespace, before)
    arrived = {item: response for item, response in newest.items() if response.call > before[item]}
    found = ClaimResult(reservation, arrived)
    taken = _taken(connection, terms.namespace)
    calls = ledger.without_response(connection, terms.namespace, before)
    lost = {call.item for call in calls if call.number not in known or call.number in unanswered}
    for item in before:
        if item in arrived:
            continue
        if item in taken:
            found.awaited.append(item)
        elif item in lost:
            found.lost.append(item)
        else:
            found.claimed.append(item)
    _check_budget(connection, terms, found.claimed)
    # Another request may have ended this reservation, while its process was suspended.
    if found.claimed and reservation not in holders.holders(connection):
        found.reservation = holders.add(connection, terms.lease)
    connection.executemany(
        "insert into claim (source, base_url, endpoint, area_name, plan_id, cents) values (?, ?, ?, ?, ?, ?)",
        [
            (*rows.place_of(terms.namespace, item), found.reservation, terms.prices[item.endpoint])
            for item in found.claimed
        ],
    )
    return found


def _end_those_over(connection: sqlite3.Connection) -> set[int]:
    """End the reservations that are over. Return their calls that a process may still get an answer to."""
    unanswered = set[int]()
    connection.execute("delete from claim where plan_id not in (select id from plan)")  # another program's
    for number, holder in holders.holders(connection).items():
        if holder.is_over:
            if not holder.has_died:
                sent = connection.execute("select id from call where plan_id = ? and outcome = 'sent'", (number,))
                unanswered.update(call for (call,) in sent)
            release(connection, number)
        elif not holder.is_here:
            raise StoreError(
                f"The computer or container {holder.host!r} is using this store, and two of them with one store could "
                "buy the same data twice. Nothing was sent; keep a store for each, on its own disk. If that one is "
                "gone, wait a minute and try again.",
            )
    return unanswered


@rows.checked()
def _taken(connection: sqlite3.Connection, namespace: Namespace) -> set[Item]:
    """Return the items that reservations have claimed, or are asking for."""
    found = connection.execute(
        "select endpoint, area_name from claim where source = ? and base_url = ? union all "
        # With +, SQLite looks for the few calls under way, and not for all calls of this service.
        "select endpoint, area_name from call where +source = ? and +base_url = ? and outcome = 'sent' "
        "and plan_id in (select id from plan)",
        (namespace.source, namespace.base_url) * 2,
    )
    return {rows.item_of(*key) for key in found}


def _check_budget(connection: sqlite3.Connection, terms: Terms, items: Iterable[Item]) -> None:
    cents = sum(terms.prices[item.endpoint] for item in items)
    if cents:
        spent, last, held = ledger.committed(connection)
        if spent + held + cents > terms.budget:
            raise OverBudgetError(cents, spent, held, last)


def step(
    connection: sqlite3.Connection,
    terms: Terms,
    reservation: int | None,
    *,
    ends: Iterable[CallEnd],
    again: Iterable[Call],
    begins: Iterable[Item],
) -> dict[Item, Call | None]:
    """Write the ends of calls with their responses, the claims of retries, a heartbeat, and the next calls.

    A retry claims the item of its call only if this reservation made that call. If another request ended the
    reservation that did, it may have bought the item meanwhile, and `claim` decides.

    Return the call of each item that begins; None if another reservation has taken the item.

    Raises
    ------
    StoreError
        The ledger does not have a call that has ended: an older copy of the file was put in its place.
    """
    for call, response in ends:
        if not end(connection, call, response):
            raise StoreError(f"The ledger has lost the call for {call.item.area_name!r}.")
    connection.executemany(
        "insert into claim (source, base_url, endpoint, area_name, plan_id, cents) "
        "select source, base_url, endpoint, area_name, plan_id, ? from call "
        "where id = ? and plan_id = ? and plan_id in (select id from plan)",
        [(terms.prices[call.item.endpoint], call.number, reservation) for call in again],
    )
    holders.beat(connection, reservation)
    return {item: begin(connection, terms, reservation, item) for item in begins}


def end(connection: sqlite3.Connection, call: Call, response: Response | None) -> bool:
    """Write how a call ended, and its response. Return False if the ledger does not have the call.

    If another process has settled the call as unknown meanwhile, its real outcome replaces that. A response that came
    after the call had ended is stored, and changes nothing else but a price that turns out to be higher.
    """
    query = "select ended_at from call where id = ? and endpoint = ? and area_name = ?"
    found = connection.execute(query, (call.number, *rows.key_of(call.item))).fetchone()
    if found is None:
        return False
    if found == (None,):
        connection.execute(
            "update call set outcome = ?, cents = ?, http_status = ?, request_id = ?, price_header = ?, ended_at = ? "
            "where id = ?",
            (call.outcome, call.cents, call.http_status, call.request_id, call.price_header, utc_now(), call.number),
        )
    else:
        connection.execute("update call set cents = max(cents, ?) where id = ?", (call.cents, call.number))
    if response is not None:
        responses.add(connection, call.number, response)
    return True


def begin(connection: sqlite3.Connection, terms: Terms, reservation: int | None, item: Item) -> Call | None:
    """Write the ledger row of a call that is about to be sent; return None if another reservation took the item."""
    key, price, now = rows.place_of(terms.namespace, item), terms.prices[item.endpoint], utc_now()
    query = "delete from claim where (source, base_url, endpoint, area_name) = (?, ?, ?, ?) and plan_id = ?"
    if not connection.execute(query, (*key, reservation)).rowcount:
        return None
    number = connection.execute(
        "insert into call (at, source, base_url, endpoint, area_name, cents, plan_id, outcome) "
        "values (?, ?, ?, ?, ?, ?, ?, 'sent')",
        (now, *key, price, reservation),
    ).lastrowid
    return Call(int(number or 0), item, now, "sent", price, source=terms.namespace.source)


def release(connection: sqlite3.Connection, reservation: int) -> None:
    """End a reservation: release its claims, and mark its calls without an outcome as unknown."""
    connection.execute("update call set outcome = 'unknown' where plan_id = ? and outcome = 'sent'", (reservation,))
    connection.execute("delete from claim where plan_id = ?", (reservation,))
    connection.execute("delete from plan where id = ?", (reservation,))
