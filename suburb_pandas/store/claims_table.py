"""Who is about to buy what: plans and their claims, so that each response is bought once and the budget holds.

A plan claims the responses that it will buy, and the claims hold its money, before anything is sent. A plan lives as
long as its process holds the plan's lock and gives a sign of life now and then; what a dead one left is settled by
the next to come. These are the rules and their SQL, each for use within a transaction of plans'.
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
    """The last sign of life of a plan. A live plan that gives no other for ``patience`` seconds is suspended."""

    plan: int
    beats: int
    lease: float


def lock_path(store: Path, plan: int) -> Path:
    """Where the lock of a plan is."""
    return store.with_name(f"{store.name}-plan-{plan}")


def _this_computer() -> str:
    from socket import gethostname  # noqa: PLC0415 - no import of the package waits for it

    return gethostname()


def settle_dead(connection: sqlite3.Connection, store: Path, suspended: Iterable[Heartbeat]) -> None:
    """Settle what dead plans left, and those that somebody waited for in vain: release their claims.

    A call of theirs that was under way is ``unknown`` from now on.

    Raises
    ------
    StoreError
        A plan of another computer lives: locks do not reach there, and nor does SQLite's own care.
    """
    given_up = {(heartbeat.plan, heartbeat.beats) for heartbeat in suspended}
    for plan, beats, host, is_live in _plans(connection, store):
        if is_live and host != _this_computer():
            raise StoreError(
                f"The store {store} is in use by the computer {host!r} at this moment, and nothing keeps two computers "
                "from buying the same twice. Nothing was sent; keep a store on a local disk, one for each computer. "
                "If that computer is gone, wait a minute or two and run the same again."
            )
        if not is_live or (plan, beats) in given_up:
            end(connection, plan)
        if not is_live:
            remove(lock_path(store, plan))


def end(connection: sqlite3.Connection, plan: int) -> None:
    """End a plan: what it has not sent is released, and what it has sent and not learnt the end of is unknown."""
    connection.execute("update call set outcome = 'unknown' where plan_id = ? and outcome = 'sent'", (plan,))
    connection.execute("delete from claim where plan_id = ?", (plan,))
    connection.execute("delete from plan where id = ?", (plan,))


def live_reservations(connection: sqlite3.Connection, store: Path) -> set[int]:
    """Give the plans whose process is still there."""
    return {plan for plan, _, _, is_live in _plans(connection, store) if is_live}


def held(connection: sqlite3.Connection) -> int:
    """Give the cents that claims hold for calls that have not been sent."""
    return int(connection.execute("select coalesce(sum(cents), 0) from claim").fetchone()[0])


def claimed(connection: sqlite3.Connection, namespace: Namespace, items: Iterable[Item]) -> dict[Item, Heartbeat]:
    """Give which of the items are claimed, and the last sign of life of each one's plan."""
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
    """Write a new plan down with its claims, and give its number."""
    cursor = connection.execute(
        "insert into plan (host, at, beats, patience) values (?, ?, 0, ?)", (_this_computer(), utc_now(), lease)
    )
    plan = int(cursor.lastrowid or 0)
    connection.executemany(
        "insert into claim (source, base_url, endpoint, area_name, plan_id, cents) values (?, ?, ?, ?, ?, ?)",
        [(namespace.source, namespace.base_url, *item, plan, prices[item.endpoint]) for item in items],
    )
    return plan


def beat(connection: sqlite3.Connection, plan: int, lease: float) -> None:
    """Give a sign of life: the next one comes within so many seconds."""
    connection.execute("update plan set beats = beats + 1, at = ?, patience = ? where id = ?", (utc_now(), lease, plan))


def _plans(connection: sqlite3.Connection, store: Path) -> list[tuple[int, int, str, bool]]:
    """Give each plan with its beats, its computer, and whether it lives."""
    rows = connection.execute("select id, beats, host, at, patience from plan").fetchall()
    return [(plan, beats, host, _is_live(store, plan, host, at, lease)) for plan, beats, host, at, lease in rows]


def _is_live(store: Path, plan: int, host: str, at: str, lease: float) -> bool:
    """Whether a plan's process is there; of another computer's, whether it gave a sign of life in time."""
    return is_held(lock_path(store, plan)) if host == _this_computer() else age_seconds(at) <= lease
