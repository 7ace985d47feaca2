"""A plan at work: the transactions by which responses are claimed, paid for and kept.

Each step is committed before the next is taken: the claims before anything is sent, the ledger row before its call
leaves, the response together with its outcome, and perhaps with the next call's row, before anybody parses it.
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
from suburb_pandas.store import calls_table, claims_table
from suburb_pandas.store.claims_table import Heartbeat
from suburb_pandas.store.database import Database

T = TypeVar("T")

_A_MOMENT = 0.5

_log = logging.getLogger("suburb_pandas")


class OverBudgetError(Exception):
    """A plan of so many ``cents`` may not be opened: with what is ``spent`` this month and ``held``, it is too much."""

    def __init__(self, cents: int, spent: int, held: int) -> None:
        super().__init__(cents, spent, held)
        self.cents = cents
        self.spent = spent
        self.held = held


class OvertakenError(Exception):
    """A call may not leave: its plan gave no sign of life for so long that another one took over."""


@dataclass(frozen=True, slots=True)
class ReservationTerms:
    """What a plan is opened under: where, at what prices, within which budget, and how long it may be silent.

    ``room`` is how many bytes the answers can take that may come at once.
    """

    namespace: Namespace
    prices: Mapping[str, int]
    budget: int
    lease: float
    room: int = 0


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """What became of each thing that was wanted: to be bought by this plan, under way elsewhere, or here already."""

    plan: Reservation
    awaited: Mapping[Item, Heartbeat]
    arrived: Mapping[Item, StoredResponse]


class Reservation:
    """The claims of one request, for as long as it buys. Its calls may be made by several threads."""

    def __init__(
        self, database: Database, terms: ReservationTerms, number: int, claimed: Sequence[Item], lock: Lock | None
    ) -> None:
        self.claimed = claimed
        self._database = database
        self._terms = terms
        self._number = number
        self._lock = lock
        self._beaten: tuple[float, float] = (0.0, 0.0)
        self._looked = 0.0

    def begin(self, item: Item, *, lease: float) -> int:
        """Commit the row of a call that is about to leave, and give its number.

        Raises
        ------
        OvertakenError
            Another plan has claimed the item meanwhile. Nothing was written.
        """
        if not self.has_looked:
            self._database.check_room(self._terms.room)
            self._looked = time.monotonic()
        call = self._commit(lambda connection: self._begin(connection, item), lease)
        if call is None:
            raise OvertakenError
        return call

    def finish(
        self,
        call: int,
        ending: CallOutcome,
        *,
        lease: float,
        response: Response | None = None,
        again: int | None = None,
        then: Item | None = None,
    ) -> int | None:
        """Commit how a call ended, together with the response that it brought.

        ``again`` is the price of another try, which is held for it at once. ``then`` is asked for next: its call begins
        in this very commit, and its number is given, unless another plan has claimed it meanwhile. What was paid for
        comes first: where all of that cannot be written, the answer alone is tried.
        """

        def finished(connection: sqlite3.Connection) -> None:
            calls_table.end(connection, call, ending, response, again)

        def finished_and_begun(connection: sqlite3.Connection) -> int | None:
            finished(connection)
            return self._begin(connection, then) if then else None

        try:
            return self._commit(finished_and_begun, lease)
        except StoreError:
            self._database.commit(finished)
            return None

    @property
    def has_looked(self) -> bool:
        """Whether there was room on the disk a moment ago, so that a call may begin without another look."""
        return time.monotonic() < self._looked + _A_MOMENT

    def _begin(self, connection: sqlite3.Connection, item: Item) -> int | None:
        cents = self._terms.prices[item.endpoint]
        return calls_table.begin(connection, self._number, self._terms.namespace, item, cents)

    def _commit(self, write: Callable[[sqlite3.Connection], T], lease: float) -> T:
        """Commit something, with a sign of life unless one was given a moment ago that will do for as long."""
        until, longest = self._beaten
        if time.monotonic() < until and lease <= longest:
            return self._database.commit(write)
        self._beaten = time.monotonic() + _A_MOMENT, lease

        def write_and_beat(connection: sqlite3.Connection) -> T:
            claims_table.beat(connection, self._number, lease)
            return write(connection)

        return self._database.commit(write_and_beat)

    def end(self) -> None:
        """Give up what was not sent.

        Where that cannot be written, as on a full disk, the next plan does it: nobody holds this one's lock then.
        """
        if self._lock is None:
            return
        self._lock.release()
        try:
            with self._database.writing() as connection:
                claims_table.end(connection, self._number)
        except StoreError as problem:
            _log.info("A plan was left for the next one to settle: %s", problem)


def reserve(
    database: Database, terms: ReservationTerms, wanted: Mapping[Item, int], suspended: Sequence[Heartbeat]
) -> ClaimResult:
    """Claim what is wanted, and hold its price, in one transaction.

    Parameters
    ----------
    wanted
        The items, each with the call of the newest response that will not do for it, 0 where there is none.
    suspended
        Plans that were waited for in vain.

    Raises
    ------
    OverBudgetError
        What would be claimed costs more than is left of the budget. Nothing was claimed.
    """
    database.check_room(terms.room)
    lock: Lock | None = None
    try:
        with database.writing() as connection:
            claims_table.settle_dead(connection, database.path, suspended)
            arrived = since(connection, terms.namespace, wanted)
            awaited = claims_table.claimed(
                connection, terms.namespace, [item for item in wanted if item not in arrived]
            )
            mine = [item for item in wanted if item not in arrived and item not in awaited]
            _check_budget(connection, terms, mine)
            number = claims_table.reserve(connection, terms.namespace, mine, terms.prices, terms.lease) if mine else 0
            if mine:
                lock = Lock(claims_table.lock_path(database.path, number))
    except BaseException:  # of a plan that was not committed; its number is free again
        if lock is not None:
            lock.let_go()
        raise
    return ClaimResult(Reservation(database, terms, number, mine, lock), awaited, arrived)


def since(
    connection: sqlite3.Connection, namespace: Namespace, wanted: Mapping[Item, int]
) -> dict[Item, StoredResponse]:
    """Give what has arrived, of what is wanted, that is newer than what will not do."""
    found = calls_table.newest(connection, namespace, wanted)
    return {item: stored for item, stored in found.items() if stored.call > wanted[item]}


def _check_budget(connection: sqlite3.Connection, terms: ReservationTerms, items: Sequence[Item]) -> None:
    cents = sum(terms.prices[item.endpoint] for item in items)
    if not cents:
        return
    spent, held = calls_table.spent(connection), claims_table.held(connection)
    if spent + held + cents > terms.budget:
        raise OverBudgetError(cents, spent, held)
