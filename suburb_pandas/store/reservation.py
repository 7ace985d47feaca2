"""Runs the transactions of a reservation, which claim items, begin and end calls, and store responses.

Each step is committed before the next begins: the claims before anything is sent, the ledger row before its call is
sent, and the response together with its outcome before it is parsed. The SQL is left to calls_table and claims_table.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from suburb_pandas.concurrency.locks import Lock
from suburb_pandas.errors import StoreError
from suburb_pandas.service.calls import CallOutcome, Item, Namespace, Response, StoredResponse
from suburb_pandas.store import calls_table, claims_table, unwritten
from suburb_pandas.store.claims_table import Heartbeat
from suburb_pandas.store.database import Database
from suburb_pandas.store.unwritten import CallEnd

T = TypeVar("T")

_RECENT_SECONDS = 0.5  # a check of the disk, or a heartbeat, is not repeated within this time

_log = logging.getLogger("suburb_pandas")


class OverBudgetError(Exception):
    """A reservation of ``cents`` would exceed the budget, after those ``spent`` this month and ``held`` by claims."""

    def __init__(self, cents: int, spent: int, held: int) -> None:
        super().__init__(cents, spent, held)
        self.cents = cents
        self.spent = spent
        self.held = held


class OvertakenError(Exception):
    """A call may not be sent, because its reservation was silent beyond its lease, and another one took its item."""


@dataclass(frozen=True, slots=True)
class ReservationTerms:
    """The namespace, prices, budget (cents) and lease (seconds) of a reservation.

    ``room`` is the most disk space, in bytes, that the responses to simultaneous calls can need.
    """

    namespace: Namespace
    prices: Mapping[str, int]
    budget: int
    lease: float
    room: int = 0


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """The outcome of claiming items: claimed by ``reservation``, ``awaited`` from others, or already ``arrived``."""

    reservation: Reservation
    awaited: Mapping[Item, Heartbeat]
    arrived: Mapping[Item, StoredResponse]


class Reservation:
    """The claims of one request, from claiming the items to ending their calls. Several threads may make the calls."""

    def __init__(
        self, database: Database, terms: ReservationTerms, number: int, claimed: Sequence[Item], lock: Lock | None
    ) -> None:
        self.claimed = claimed
        self._database = database
        self._terms = terms
        self._number = number
        self._lock = lock
        self._last_heartbeat: tuple[float, float] = (0.0, 0.0)  # until when it is recent, and its lease
        self._checked_room = 0.0
        self._items: dict[int, Item] = {}  # of the calls that began

    def begin(self, item: Item, *, lease: float) -> int:
        """Commit the ledger row of a call that is about to be sent, and return the number of the call.

        Raises
        ------
        OvertakenError
            Another reservation has claimed the item in the meantime. Nothing was written.
        StoreError
            The store cannot be written, the end of another call still waits to be written, or the lock of this
            reservation is gone. Nothing was written.
        """
        unwritten.write(self._database)
        if self._is_unlocked:
            raise StoreError(
                f"The lock file {claims_table.lock_path(self._database.path, self._number)} was removed or replaced, "
                "so other programs would take this request for dead and could buy the same data. Nothing more was "
                "sent; leave the files beside the store alone while it is in use, and run the same line again."
            )
        if not self.has_room:
            self._database.check_room(self._terms.room)
            self._checked_room = time.monotonic()
        call = self._commit(lambda connection: self._begin(connection, item), lease)
        if call is None:
            raise OvertakenError
        self._items[call] = item
        return call

    def finish(
        self,
        call: int,
        outcome: CallOutcome,
        *,
        lease: float,
        response: Response | None = None,
        again: int | None = None,
        then: Item | None = None,
    ) -> int | None:
        """Commit how a call ended, together with its response, and begin the next call in the same commit.

        ``again`` is the price to hold for a retry of this call. ``then`` is the item to ask for next. Return the number
        of its call; None if there is no next item, or its call may not begin, which `begin` then explains. If the
        commit fails, the end of this call is committed alone, because the call may have been paid for. If that fails
        too, the end is kept by `unwritten`, unless the store was closed meanwhile.
        """
        if self._is_unlocked or unwritten.waits_for(self._database):
            then = None

        def write_end(connection: sqlite3.Connection) -> None:
            calls_table.end(connection, call, outcome, response, again)

        def write_end_and_begin(connection: sqlite3.Connection) -> int | None:
            write_end(connection)
            return self._begin(connection, then) if then else None

        try:
            begun = self._commit(write_end_and_begin, lease)
        except StoreError:
            self._write_or_keep(write_end, CallEnd(self._database, call, self._items[call], outcome, response))
            return None
        if begun is not None and then is not None:
            self._items[begun] = then
        return begun

    def _write_or_keep(self, write_end: Callable[[sqlite3.Connection], None], end: CallEnd) -> None:
        try:
            self._database.commit(write_end)
        except StoreError:
            if not self._database.closed:
                unwritten.keep(end)
            raise

    def withdraw(self, call: int, item: Item, *, lease: float) -> None:
        """Remove from the ledger a call that began but was not sent. Its claim holds its price again."""
        cents = self._terms.prices[item.endpoint]
        self._commit(lambda connection: calls_table.withdraw(connection, call, cents), lease)

    @property
    def has_room(self) -> bool:
        """True if the disk had room a moment ago, so that a call may begin without another check."""
        return time.monotonic() < self._checked_room + _RECENT_SECONDS

    @property
    def _is_unlocked(self) -> bool:
        """True if other processes cannot see that this reservation is live, because the file of its lock is gone."""
        return self._lock is not None and not self._lock.is_in_place

    def _begin(self, connection: sqlite3.Connection, item: Item) -> int | None:
        cents = self._terms.prices[item.endpoint]
        return calls_table.begin(connection, self._number, self._terms.namespace, item, cents)

    def _commit(self, write: Callable[[sqlite3.Connection], T], lease: float) -> T:
        """Commit a write, together with a heartbeat unless there was a recent one with at least this lease."""
        recent_until, longest = self._last_heartbeat
        if time.monotonic() < recent_until and lease <= longest:
            return self._database.commit(write)
        self._last_heartbeat = time.monotonic() + _RECENT_SECONDS, lease

        def beat_and_write(connection: sqlite3.Connection) -> T:
            claims_table.beat(connection, self._number, lease)
            return write(connection)

        return self._database.commit(beat_and_write)

    def end(self) -> None:
        """Release the lock and the remaining claims.

        If that cannot be written, as on a full disk, the next reservation does it, because it finds the lock free.
        """
        if self._lock is None:
            return
        unwritten.try_to_write(self._database)  # before others see that its calls have ended
        self._lock.release()
        try:
            with self._database.writing() as connection:
                claims_table.end(connection, self._number)
        except StoreError as problem:
            _log.info("The claims of a request could not be released now; the next request does it: %s", problem)


def reserve(
    database: Database, terms: ReservationTerms, wanted: Mapping[Item, int], suspended: Sequence[Heartbeat]
) -> ClaimResult:
    """Claim items and hold their prices, in one transaction.

    Parameters
    ----------
    wanted
        The items, each with the call of the response that is to be replaced; 0 if there is none.
    suspended
        The last heartbeats of reservations that fell silent while this request waited for them.

    Raises
    ------
    OverBudgetError
        The claims would cost more than is left of the budget. Nothing was claimed.
    StoreError
        The end of a call still waits to be written, or the store cannot be written.
    """
    unwritten.write(database)
    database.check_room(terms.room)
    lock: Lock | None = None
    try:
        with database.writing() as connection:
            claims_table.settle_dead(connection, database.path, suspended)
            arrived = newer_responses(connection, terms.namespace, wanted)
            awaited = claims_table.claimed(
                connection, terms.namespace, [item for item in wanted if item not in arrived]
            )
            mine = [item for item in wanted if item not in arrived and item not in awaited]
            _check_budget(connection, terms, mine)
            number = claims_table.reserve(connection, terms.namespace, mine, terms.prices, terms.lease) if mine else 0
            if mine:
                lock = Lock(claims_table.lock_path(database.path, number))
    except BaseException:
        if lock is not None:  # not release(): the next reservation may have this number and this lock file already
            lock.let_go()
        raise
    return ClaimResult(Reservation(database, terms, number, mine, lock), awaited, arrived)


def newer_responses(
    connection: sqlite3.Connection, namespace: Namespace, wanted: Mapping[Item, int]
) -> dict[Item, StoredResponse]:
    """Return the wanted responses that are newer than the ones being replaced."""
    found = calls_table.newest(connection, namespace, wanted)
    return {item: stored for item, stored in found.items() if stored.call > wanted[item]}


def _check_budget(connection: sqlite3.Connection, terms: ReservationTerms, items: Sequence[Item]) -> None:
    cents = sum(terms.prices[item.endpoint] for item in items)
    if not cents:
        return
    spent, held = calls_table.spent(connection), claims_table.held(connection)
    if spent + held + cents > terms.budget:
        raise OverBudgetError(cents, spent, held)
