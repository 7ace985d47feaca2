"""Owns the SQL and the rules of reservations, by which each response is bought once and the budget is kept.

Before anything is sent, a reservation claims the items that it will buy, and each claim holds its price. A reservation
is live while its process holds its lock. A live one that writes no heartbeat within its lease is suspended: another
reservation may then claim its items. Every new reservation first releases the claims of the dead ones.

The tables have older names: a row of ``plan`` is a reservation, its ``beats`` count heartbeats, and ``patience`` is its
lease. Each function runs inside a transaction of reservation or store.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from suburb_pandas.concurrency.locks import is_held, remove
from suburb_pandas.errors import StoreError
from suburb_pandas.service.calls import Item, Namespace, age_seconds, utc_now
from suburb_pandas.store.queries import item_of, key_of


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The last heartbeat of a reservation, with the number of heartbeats. The next is due within ``lease`` seconds."""

    reservation: int
    beats: int
    lease: float


def lock_path(store: Path, reservation: int) -> Path:
    """Return the path of a reservation's lock."""
    return store.with_name(f"{store.name}-plan-{reservation}")


def _this_computer() -> str:
    from socket import gethostname  # noqa: PLC0415 - slow to import, and only a purchase needs it

    return gethostname()


def settle_dead(connection: sqlite3.Connection, store: Path, suspended: Iterable[Heartbeat]) -> None:
    """End the reservations that are dead, and those in ``suspended`` that have not written a heartbeat since.

    Raises
    ------
    StoreError
        A live reservation belongs to another computer. Neither these locks nor SQLite's work between computers.
    """
    given_up = {(heartbeat.reservation, heartbeat.beats) for heartbeat in suspended}
    for reservation, beats, host, is_live in _reservations(connection, store):
        if is_live and host != _this_computer():
            raise StoreError(
                f"The computer {host!r} is using the store {store}, and two computers with one store could buy the "
                "same data twice. Nothing was sent; keep a store for each computer, on its own disk. If that computer "
                "is gone, wait two minutes and run the same line again.",
                why="another computer is using it",
            )
        if not is_live or (reservation, beats) in given_up:
            end(connection, reservation)
        if not is_live:
            remove(lock_path(store, reservation))


def end(connection: sqlite3.Connection, reservation: int) -> None:
    """End a reservation: release its claims, and mark its calls without an outcome as unknown."""
    connection.execute("update call set outcome = 'unknown' where plan_id = ? and outcome = 'sent'", (reservation,))
    connection.execute("delete from claim where plan_id = ?", (reservation,))
    connection.execute("delete from plan where id = ?", (reservation,))


def live_reservations(connection: sqlite3.Connection, store: Path) -> set[int]:
    """Return the numbers of the live reservations."""
    return {number for number, _, _, is_live in _reservations(connection, store) if is_live}


def held(connection: sqlite3.Connection) -> int:
    """Return the cents that claims hold for calls that have not been sent yet."""
    return int(connection.execute("select coalesce(sum(cents), 0) from claim").fetchone()[0])


def held_by_live(connection: sqlite3.Connection, store: Path) -> int:
    """Return the cents that claims of live reservations hold. The next reservation releases those of dead ones."""
    cents = connection.execute("select plan_id, sum(cents) from claim group by plan_id having sum(cents)").fetchall()
    live = live_reservations(connection, store) if cents else set()
    return sum(held for reservation, held in cents if reservation in live)


def claimed(connection: sqlite3.Connection, namespace: Namespace, items: Iterable[Item]) -> dict[Item, Heartbeat]:
    """Return which of the items are claimed, each with the last heartbeat of its reservation."""
    rows = connection.execute(
        "select endpoint, area_name, plan_id, beats, patience from claim join plan on plan_id = plan.id "
        "where source = ? and base_url = ?",
        (namespace.source, namespace.base_url),
    )
    found = {item_of(endpoint, name): Heartbeat(*heartbeat) for endpoint, name, *heartbeat in rows}
    return {item: found[item] for item in items if item in found} if found else {}


def reserve(
    connection: sqlite3.Connection, namespace: Namespace, items: Iterable[Item], prices: Mapping[str, int], lease: float
) -> int:
    """Write a new reservation with its claims, and return its number."""
    cursor = connection.execute(
        "insert into plan (host, at, beats, patience) values (?, ?, 0, ?)", (_this_computer(), utc_now(), lease)
    )
    reservation = int(cursor.lastrowid or 0)
    connection.executemany(
        "insert into claim (source, base_url, endpoint, area_name, plan_id, cents) values (?, ?, ?, ?, ?, ?)",
        [(namespace.source, namespace.base_url, *key_of(item), reservation, prices[item.endpoint]) for item in items],
    )
    return reservation


def beat(connection: sqlite3.Connection, reservation: int, lease: float) -> None:
    """Write a heartbeat. The next one is due within ``lease`` seconds."""
    connection.execute(
        "update plan set beats = beats + 1, at = ?, patience = ? where id = ?", (utc_now(), lease, reservation)
    )


def _reservations(connection: sqlite3.Connection, store: Path) -> list[tuple[int, int, str, bool]]:
    """Return each reservation with its heartbeats, its computer, and whether it is live."""
    rows = connection.execute("select id, beats, host, at, patience from plan").fetchall()
    return [(number, beats, host, _is_live(store, number, host, at, lease)) for number, beats, host, at, lease in rows]


def _is_live(store: Path, reservation: int, host: str, at: str, lease: float) -> bool:
    """Return True if a process holds the lock; on another computer, if the last heartbeat is within the lease.

    Raises
    ------
    StoreError
        The lock is another user's. Rejected: counting it as held. If that user's process dies, its lock stays.
    """
    if host != _this_computer():
        return age_seconds(at) <= lease
    lock = lock_path(store, reservation)
    try:
        return is_held(lock)
    except PermissionError as problem:
        raise StoreError(
            f"The lock file {lock} belongs to another user, and does not show whether that user's request is still "
            "running. Nothing was sent; wait until no program of that user has the store open, remove the file if it "
            "is still there, and run the same line again."
        ) from problem
