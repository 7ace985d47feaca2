"""The store: one SQLite file of responses, of the ledger with a row for each call, and of lists of suburb names.

Owns the questions that can be asked of it. The SQL is left to calls_table, claims_table and names_table, buying within
transactions to reservation, and the file itself to database. What a response means, or what a call should cost, is not
known here.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from suburb_pandas.errors import StoreError
from suburb_pandas.messages import listed
from suburb_pandas.names.gazetteer import NameList, Row
from suburb_pandas.service.calls import CallRow, Item, Namespace, PackedPayload, Response, StoredResponse
from suburb_pandas.settings import BUSY_WAIT
from suburb_pandas.store import calls_table, claims_table, migrations, names_table, reservation
from suburb_pandas.store.claims_table import Heartbeat
from suburb_pandas.store.database import Database
from suburb_pandas.store.reservation import ClaimResult, ReservationTerms

_log = logging.getLogger("suburb_pandas")


@dataclass(frozen=True, slots=True)
class OthersProgress:
    """The items that other requests are buying: arrived, still awaited, or lost with an unknown outcome."""

    arrived: Mapping[Item, StoredResponse]
    awaited: Mapping[Item, Heartbeat]
    lost: frozenset[Item]


class Store:
    """An open store, for any thread, and on both sides of a fork.

    Parameters
    ----------
    path
        The path of the file, which is created if there is none.
    busy_wait
        Seconds for which another program's lock is waited for.

    Raises
    ------
    StoreError
        From every method: the file cannot be read or written, or is not a store.
    """

    def __init__(self, path: str | Path, *, busy_wait: float = BUSY_WAIT) -> None:
        self.path = Path(os.path.realpath(path))  # its one name, by which processes find each other's locks
        self.database = Database(
            self.path, migrations.VERSIONS, migrations.TABLES, migrations.READABLE, busy_wait=busy_wait
        )

    def newest(
        self, namespace: Namespace, items: Sequence[Item], *, by: str | None = None, packed: bool = False
    ) -> dict[Item, StoredResponse]:
        """Return where the newest response of each item is; ``by`` leaves out responses retrieved after that time.

        With ``packed``, payloads that are kept packed come with them.
        """
        packed = packed and self.database.version >= migrations.HISTORIES
        with self.database.reading() as connection:
            return calls_table.newest(connection, namespace, items, by=by, packed=packed)

    def last_unknown(self, namespace: Namespace, items: Sequence[Item]) -> dict[Item, int]:
        """Return the last call of each item whose outcome is unknown and will stay so."""
        with self.database.reading() as connection:
            return calls_table.last_unknown(connection, namespace, items, self._orphans(connection))

    def read(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Return the responses that were found, after checking the SHA-256 of each."""
        with self.database.reading() as connection:
            found = calls_table.responses(connection, [where.call for where in stored.values()])
        responses = {item: found[where.call] for item, where in stored.items()}
        damaged = [item.area_name for item, response in responses.items() if not response.is_whole]
        if damaged:
            raise StoreError(
                f"The store {self.path} is damaged: what it holds of {listed(damaged)} is not what came, as its digest "
                "shows. Nothing was sent; put a copy of the store back, or buy them again with refresh=True."
            )
        return responses

    def keep_packed(self, packed: Mapping[int, PackedPayload]) -> None:
        """Keep packed payloads beside their responses. Skipped if the store is busy; the next request tries again."""
        if self.database.read_only:
            return
        try:
            with self.database.writing(waits=False) as connection:
                calls_table.keep_packed(connection, packed)
        except StoreError as problem:
            _log.info("Rents are not kept in columns this time: %s", problem)

    def reserve(
        self, terms: ReservationTerms, wanted: Mapping[Item, int], suspended: Sequence[Heartbeat] = ()
    ) -> ClaimResult:
        """Claim items for a request, as :func:`reservation.reserve` does."""
        return reservation.reserve(self.database, terms, wanted, suspended)

    def look(
        self, namespace: Namespace, wanted: Mapping[Item, int], watched: Mapping[Item, Heartbeat]
    ) -> OthersProgress:
        """Return what has happened to items since other reservations were ``watched`` buying them."""
        with self.database.reading() as connection:
            claimed = claims_table.claimed(connection, namespace, wanted)
            live = claims_table.live_reservations(connection, self.path)
            arrived = reservation.newer_responses(connection, namespace, wanted)
            awaited = {item: beat for item, beat in claimed.items() if beat.reservation in live and item not in arrived}
            gone = [item for item in watched if item in wanted and item not in arrived and item not in awaited]
            lost = [
                item for item in gone if calls_table.is_lost(connection, namespace, item, watched[item].reservation)
            ]
            return OthersProgress(arrived, awaited, frozenset(lost))

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Return every response of an item, oldest first."""
        with self.database.reading() as connection:
            return calls_table.vintages(connection, namespace, item)

    def spent(self) -> int:
        """Return the cents that the calls of this UTC calendar month cost, or may have cost."""
        with self.database.reading() as connection:
            return calls_table.spent(connection)

    def last_price(self, namespace: Namespace, endpoint: str) -> int:
        """Return the cents of the last billed call of an endpoint, 0 if there is none."""
        with self.database.reading() as connection:
            return calls_table.last_price(connection, namespace, endpoint)

    def ledger(self) -> list[CallRow]:
        """Return the row of every call, oldest first."""
        with self.database.reading() as connection:
            return calls_table.rows(connection, self._orphans(connection))

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Return the item of each response whose call is later than ``after``, and the last settled call.

        Every call up to the settled one has ended. Calls after it may end in another order than they began.
        """
        with self.database.reading() as connection:
            return calls_table.responses_since(connection, namespace, after, self._orphans(connection))

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of those calls that are undamaged."""
        with self.database.reading() as connection:
            found = calls_table.responses(connection, calls)
        return {call: response.body for call, response in found.items() if response.is_whole}

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Return the first bytes of the bodies of those calls."""
        with self.database.reading() as connection:
            return calls_table.beginnings(connection, calls, length)

    def name_lists(self) -> list[NameList]:
        """Return the lists of suburb names that were loaded."""
        if self.database.version < migrations.NAME_LISTS:
            return []
        with self.database.reading() as connection:
            return names_table.every(connection)

    def listed_names(self) -> list[Row]:
        """Return the names of those lists, each with its state if the lists give one."""
        with self.database.reading() as connection:
            return names_table.rows(connection)

    def add_name_list(self, new: NameList, rows: Sequence[Row]) -> None:
        """Add a list of suburb names, as :func:`names_table.add` does."""
        with self.database.writing() as connection:
            names_table.add(connection, new, rows)

    def close(self) -> None:
        """Close the connections. A call that is still under way can write its outcome all the same."""
        self.database.close()

    def write_nothing(self) -> None:
        """Wait until the store can be written. A holder of a reservation that waits for the same can then go on."""
        with self.database.writing():
            pass

    def _orphans(self, connection: sqlite3.Connection) -> set[int]:
        """Return the calls that were under way when their process died.

        If such a call has no outcome when it is read again, it never gets one: the calls of a live reservation end
        before its lock is released.
        """
        under_way = calls_table.under_way(connection)
        live = claims_table.live_reservations(connection, self.path) if under_way else set()
        return {call for call, holder in under_way.items() if holder not in live}
