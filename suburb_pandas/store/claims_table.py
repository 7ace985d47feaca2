"""Reads and writes reservations and their claims, so that each response is bought once and the budget is kept.

A reservation claims items and holds their price before anything is sent. It is alive as long as its process holds its
lock, and while it buys it writes heartbeats. What a dead reservation left is settled before the next one is made. The
order of the steps, and the transactions in which they run, are left to store.reservation and store.store.

The tables keep older words: ``plan`` is a reservation, and its column ``patience`` is the lease (see migrations).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from suburb_pandas.concurrency.locks import is_held, remove
from suburb_pandas.errors import StoreError
from suburb_pandas.service.calls import Item, Namespace, age_seconds, utc_now


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The last heartbeat of a reservation, which has written `beats` of them.

    A live process that writes no other heartbeat within `lease` seconds is taken for suspended.
    """

    plan: int
    beats: int
    lease: float


def lock_path(store: Path, reservation: int) -> Path:
    """Return the path of a reservation's lock."""
    return store.with_name(f"{store.name}-plan-{reservation}")


def _this_computer() -> str:
    from socket import gethostname  # noqa: PLC0415 - the import of the package need not wait for it

    return gethostname()


def settle_dead(connection: sqlite3.Connection, store: Path, suspended: Iterable[Heartbeat]) -> None:
    """End the reservations of dead processes, and those whose last heartbeat is still one of `suspended`.

    Raises
    ------
    StoreError
        A reservation of another computer is alive. Neither our locks nor SQLite's work between computers.
    """
    given_up = {(heartbeat.plan, heartbeat.beats) for heartbeat in suspended}
    for reservation, beats, host, is_live in _reservations(connection, store):
        if is_live and host != _this_computer():
            raise StoreError(
                f"The store {store} is in use by the computer {host!r} at this moment, and nothing keeps two computers "
                "from buying the same twice. Nothing was sent; keep a store on a local disk, one for each computer. "
                "If that computer is gone, wait a minute or two and run the same again."
            )
        if not is_live or (reservation, beats) in given_up:
            end(connection, reservation)
        if not is_live:
            remove(lock_path(store, reservation))


def end(connection: sqlite3.Connection, reservation: int) -> None:
    """End a reservation: delete its claims, and record its calls that are still under way as ``unknown``."""
    connection.execute("update call set outcome = 'unknown' where plan_id = ? and outcome = 'sent'", (reservation,))
    connection.execute("delete from claim where plan_id = ?", (reservation,))
    connection.execute("delete from plan where id = ?", (reservation,))


def live_reservations(connection: sqlite3.Connection, store: Path) -> set[int]:
    """Return the numbers of the reservations that are alive."""
    return {reservation for reservation, _, _, is_live in _reservations(connection, store) if is_live}


def held(connection: sqlite3.Connection) -> int:
    """Return the cents that claims hold for calls that have not been sent."""
    return int(connection.execute("select coalesce(sum(cents), 0) from claim").fetchone()[0])


def claimed(connection: sqlite3.Connection, namespace: Namespace, items: Iterable[Item]) -> dict[Item, Heartbeat]:
    """Return those of the items that are claimed, each with the last heartbeat of its reservation."""
    rows = connection.execute(
        "select endpoint, area_name, plan_id, beats, patience from claim join plan on plan_id = plan.id "
        "where source = ? and base_url = ?",
        (namespace.source, namespace.base_url),
    )
    found = {Item(endpoint, name): Heartbeat(*heartbeat) for endpoint, name, *heartbeat in rows}
    return {item: found[item] for item in items if item in found} if found else {}


def reserve(
    connection: sqlite3.Connection, namespace: Namespace, items: Iterable[Item], prices: Mapping[str, int], lease: float
) -> int:
    """Insert a new reservation with its claims, and return its number."""
    cursor = connection.execute(
        "insert into plan (host, at, beats, patience) values (?, ?, 0, ?)", (_this_computer(), utc_now(), lease)
    )
    reservation = int(cursor.lastrowid or 0)
    connection.executemany(
        "insert into claim (source, base_url, endpoint, area_name, plan_id, cents) values (?, ?, ?, ?, ?, ?)",
        [(namespace.source, namespace.base_url, *item, reservation, prices[item.endpoint]) for item in items],
    )
    return reservation


def beat(connection: sqlite3.Connection, reservation: int, lease: float) -> None:
    """Write a heartbeat; the next one is due within `lease` seconds."""
    connection.execute(
        "update plan set beats = beats + 1, at = ?, patience = ? where id = ?", (utc_now(), lease, reservation)
    )


def _reservations(connection: sqlite3.Connection, store: Path) -> list[tuple[int, int, str, bool]]:
    """Return the number, heartbeats and computer of each reservation, and whether it is alive."""
    rows = connection.execute("select id, beats, host, at, patience from plan").fetchall()
    return [(number, beats, host, _is_live(store, number, host, at, lease)) for number, beats, host, at, lease in rows]


def _is_live(store: Path, reservation: int, host: str, at: str, lease: float) -> bool:
    """Return True if a reservation's process is alive or, on another computer, its last heartbeat is in time."""
    return is_held(lock_path(store, reservation)) if host == _this_computer() else age_seconds(at) <= lease
