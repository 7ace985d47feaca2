"""The store: one SQLite file of responses as they came, of the ledger, one row a call, and of lists of names.

What can be asked of it, and how a plan is opened on it. It does not know what a response means, nor what a call should
cost. How things are written is plans', the tables' SQL records', claims' and name_lists', the file itself database's.
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
from suburb_pandas.service.calls import CallRow, Item, Namespace, Response, StoredResponse
from suburb_pandas.service.rent_columns import History
from suburb_pandas.store import calls_table, claims_table, migrations, names_table, reservation
from suburb_pandas.store.claims_table import Heartbeat
from suburb_pandas.store.database import Database
from suburb_pandas.store.reservation import ClaimResult, ReservationTerms

_log = logging.getLogger("suburb_pandas")


@dataclass(frozen=True, slots=True)
class OthersProgress:
    """A look at what others are buying: what has arrived, what is on its way, and what was sent and lost."""

    arrived: Mapping[Item, StoredResponse]
    awaited: Mapping[Item, Heartbeat]
    lost: frozenset[Item]


class Store:
    """An open store, for any thread, and on both sides of a fork.

    Raises
    ------
    StoreError
        From every method: the file cannot be read or written, or is no store.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(os.path.realpath(path))  # the one name of it, by which processes find each other's locks
        self.database = Database(self.path, migrations.VERSIONS, migrations.TABLES, migrations.READABLE)

    def newest(
        self, namespace: Namespace, items: Sequence[Item], *, by: str | None = None, histories: bool = False
    ) -> dict[Item, StoredResponse]:
        """Give where the newest response of each item is; ``by`` leaves out what came after that time.

        With ``histories``, rents that are kept in columns are at hand.
        """
        histories = histories and self.database.version >= migrations.HISTORIES
        with self.database.reading() as connection:
            return calls_table.newest(connection, namespace, items, by=by, histories=histories)

    def last_unknown(self, namespace: Namespace, items: Sequence[Item]) -> dict[Item, int]:
        """Give the last call of each item whose outcome nobody knows, nor will learn."""
        with self.database.reading() as connection:
            return calls_table.last_unknown(connection, namespace, items, self._orphans(connection))

    def read(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Give the responses that are stored there."""
        with self.database.reading() as connection:
            found = calls_table.responses(connection, [where.call for where in stored.values()])
        responses = {item: found[where.call] for item, where in stored.items()}
        rotten = [item.area_name for item, response in responses.items() if not response.is_whole]
        if rotten:
            raise StoreError(
                f"The store {self.path} is damaged: what it holds of {listed(rotten)} is not what came, as its digest "
                "shows. Nothing was sent; put a copy of the store back, or buy them again with refresh=True."
            )
        return responses

    def keep_histories(self, found: Mapping[int, History]) -> None:
        """Keep the rents that calls brought in columns, unless somebody else is writing: it can be done next time."""
        if self.database.read_only:
            return
        try:
            with self.database.writing(waits=False) as connection:
                calls_table.keep_histories(connection, found)
        except StoreError as problem:
            _log.info("Rents are not kept in columns this time: %s", problem)

    def reserve(
        self, terms: ReservationTerms, wanted: Mapping[Item, int], suspended: Sequence[Heartbeat] = ()
    ) -> ClaimResult:
        """Claim what is wanted, as :func:`plans.open_plan` says."""
        return reservation.reserve(self.database, terms, wanted, suspended)

    def look(
        self, namespace: Namespace, wanted: Mapping[Item, int], watched: Mapping[Item, Heartbeat]
    ) -> OthersProgress:
        """See what has become of items that other plans had claimed when they were last ``watched``."""
        with self.database.reading() as connection:
            claimed = claims_table.claimed(connection, namespace, wanted)
            live = claims_table.live_reservations(connection, self.path)
            arrived = reservation.since(connection, namespace, wanted)
            awaited = {
                item: heartbeat for item, heartbeat in claimed.items() if heartbeat.plan in live and item not in arrived
            }
            gone = [item for item in watched if item in wanted and item not in arrived and item not in awaited]
            lost = [item for item in gone if calls_table.is_lost(connection, namespace, item, watched[item].plan)]
            return OthersProgress(arrived, awaited, frozenset(lost))

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Give every response of an item, oldest first."""
        with self.database.reading() as connection:
            return calls_table.vintages(connection, namespace, item)

    def spent(self) -> int:
        """Give the cents that calls of this UTC calendar month cost, or may have."""
        with self.database.reading() as connection:
            return calls_table.spent(connection)

    def last_price(self, namespace: Namespace, endpoint: str) -> int:
        """Give what the last answer of an endpoint was charged, 0 if there is none."""
        with self.database.reading() as connection:
            return calls_table.last_price(connection, namespace, endpoint)

    def ledger(self) -> list[CallRow]:
        """Give every call, oldest first."""
        with self.database.reading() as connection:
            return calls_table.rows(connection, self._orphans(connection))

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Give the calls after that one which brought a response, each with what it is of; and the last settled call.

        Up to that one every call has ended; later ones may have, before an earlier one does.
        """
        with self.database.reading() as connection:
            return calls_table.responses_since(connection, namespace, after, self._orphans(connection))

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Give the bodies that those calls brought, as far as they are what came."""
        with self.database.reading() as connection:
            found = calls_table.responses(connection, calls)
        return {call: response.body for call, response in found.items() if response.is_whole}

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Give the first bytes of the bodies that those calls brought."""
        with self.database.reading() as connection:
            return calls_table.beginnings(connection, calls, length)

    def name_lists(self) -> list[NameList]:
        """Give the lists of suburb names that were loaded."""
        if self.database.version < migrations.NAME_LISTS:
            return []
        with self.database.reading() as connection:
            return names_table.every(connection)

    def listed_names(self) -> list[Row]:
        """Give the names of those lists, each with its state where the lists say it."""
        with self.database.reading() as connection:
            return names_table.rows(connection)

    def add_name_list(self, new: NameList, rows: Sequence[Row]) -> None:
        """Keep a list of suburb names, as :func:`name_lists.add` says."""
        with self.database.writing() as connection:
            names_table.add(connection, new, rows)

    def close(self) -> None:
        """Close the connections. A call that is still under way can note its end all the same."""
        self.database.close()

    def write_nothing(self) -> None:
        """Wait until the store can be written. Who was waiting for that too can then go on."""
        with self.database.writing():
            pass

    def _orphans(self, connection: sqlite3.Connection) -> set[int]:
        """Give the calls that were under way when their process died.

        One that still has no outcome when it is read again never gets one: a live plan's calls end before its lock.
        """
        under_way = calls_table.under_way(connection)
        live = claims_table.live_reservations(connection, self.path) if under_way else set()
        return {call for call, plan in under_way.items() if plan not in live}
