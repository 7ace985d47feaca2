"""Defines `Store`: one SQLite file of responses, of the ledger with a row for each call, and of lists of suburb names.

The SQL is left to calls_table, claims_table and names_table, the transactions of a purchase to reservation, and the
file itself to database. Decoding responses is left to service, and limiting their cost to purchasing.
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
from suburb_pandas.names.gazetteer import NameList, Place
from suburb_pandas.service.calls import CallRow, Item, Namespace, PackedPayload, Response, StoredResponse
from suburb_pandas.settings import BUSY_WAIT
from suburb_pandas.store import calls_table, claims_table, compression, migrations, names_table, reservation, unwritten
from suburb_pandas.store.claims_table import Heartbeat
from suburb_pandas.store.database import Database
from suburb_pandas.store.reservation import ClaimResult, ReservationTerms

_log = logging.getLogger("suburb_pandas")


@dataclass(frozen=True, slots=True)
class OthersProgress:
    """The progress of other requests: items that ``arrived``, are ``awaited``, or were ``lost`` (outcome unknown)."""

    arrived: Mapping[Item, StoredResponse]
    awaited: Mapping[Item, Heartbeat]
    lost: frozenset[Item]


class Store:
    """An open store. Any thread may use it, and so may a forked child.

    Parameters
    ----------
    path
        The path of the file, which is created if there is none.
    busy_wait
        Seconds to wait while another program has the file locked.

    Raises
    ------
    StoreError
        From every method: the file cannot be read or written, or is not a store.
    """

    def __init__(self, path: str | Path, *, busy_wait: float = BUSY_WAIT) -> None:
        # One path in all processes, so that they find each other's locks.
        self.path: Path = Path(os.path.realpath(path))
        self.database: Database = Database(
            self.path,
            migrations.VERSIONS,
            migrations.TABLES,
            migrations.READABLE,
            functions=migrations.FUNCTIONS,
            busy_wait=busy_wait,
        )

    def newest(
        self, namespace: Namespace, items: Sequence[Item], *, by: str | None = None, packed: bool = False
    ) -> dict[Item, StoredResponse]:
        """Locate the newest response of each item; ``by`` leaves out responses retrieved after that time.

        With ``packed``, the result includes the packed payloads that are stored.
        """
        packed = packed and self.database.version >= migrations.HISTORIES
        with self.database.reading() as connection:
            return calls_table.newest(connection, namespace, items, by=by, packed=packed)

    def unknown_calls(self, namespace: Namespace, items: Sequence[Item]) -> dict[Item, dict[int, int]]:
        """Return the calls of each item whose outcome will stay unknown, each with its cents."""
        with self.database.reading() as connection:
            return calls_table.unknown_calls(connection, namespace, items, self._orphans(connection))

    def read(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Return the responses that :meth:`newest` has found, after checking the SHA-256 of each."""
        responses = self._responses(stored)
        self._check_whole(responses.items())
        return responses

    def read_whole(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Return the responses that :meth:`newest` has found, without those that have changed since they arrived."""
        return {item: response for item, response in self._responses(stored).items() if response.is_whole}

    def _responses(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        with self.database.reading() as connection:
            found = calls_table.responses(connection, [where.call for where in stored.values()])
        return {item: found[where.call] for item, where in stored.items()}

    def keep_packed(self, packed: Mapping[int, PackedPayload]) -> None:
        """Store packed payloads beside their responses. If the store is busy, the next request tries again."""
        if self.database.read_only:
            return
        try:
            with self.database.writing(waits=False) as connection:
                calls_table.keep_packed(connection, packed)
        except StoreError as problem:
            _log.info("Decoded rents were not cached this time: %s", problem)

    def compress_older(self, namespace: Namespace, items: Iterable[Item]) -> None:
        """Compress the responses of these items, except the newest of each. If the store is busy, do it next time."""
        if self.database.read_only:
            return
        try:
            compression.compress_older(self.database, namespace, items)
        except StoreError as problem:
            _log.info("Older responses were not compressed this time: %s", problem)

    def packed_calls(self, calls: Iterable[int], packing: int) -> set[int]:
        """Return which of the calls have a packed payload of the format `packing`."""
        if self.database.version < migrations.HISTORIES:
            return set()
        with self.database.reading() as connection:
            return calls_table.packed_calls(connection, calls, packing)

    def reserve(
        self, terms: ReservationTerms, wanted: Mapping[Item, int], suspended: Sequence[Heartbeat] = ()
    ) -> ClaimResult:
        """Claim items for a request, as :func:`reservation.reserve` does."""
        return reservation.reserve(self.database, terms, wanted, suspended)

    def look(
        self, namespace: Namespace, wanted: Mapping[Item, int], watched: Mapping[Item, Heartbeat]
    ) -> OthersProgress:
        """Return the progress of other reservations with the ``wanted`` items.

        ``watched`` are the items that others were buying when this request last looked, with their heartbeats then.
        """
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
        """Return every response of an item, oldest first, after checking the SHA-256 of each."""
        with self.database.reading() as connection:
            found = calls_table.vintages(connection, namespace, item)
        self._check_whole((item, response) for response in found)
        return found

    def spent(self) -> int:
        """Return the cents that the calls of this UTC calendar month cost, or may have cost."""
        with self.database.reading() as connection:
            return calls_table.spent(connection)

    def committed(self) -> tuple[int, int]:
        """Return the cents that this UTC calendar month's calls cost, and those that live reservations hold."""
        with self.database.reading() as connection:
            return calls_table.spent(connection), claims_table.held_by_live(connection, self.path)

    def last_price(self, namespace: Namespace, endpoint: str) -> int:
        """Return the cents of the last billed call of an endpoint, 0 if there is none."""
        with self.database.reading() as connection:
            return calls_table.last_price(connection, namespace, endpoint)

    def ledger(self) -> list[CallRow]:
        """Return the row of every call, oldest first."""
        with self.database.reading() as connection:
            has_price_headers = self.database.version >= migrations.PRICE_HEADERS
            return calls_table.rows(connection, self._orphans(connection), has_price_headers=has_price_headers)

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Return the item of each response whose call is later than ``after``, and the last settled call.

        Refusals are left out, because they confirm no name. The settled call and all calls before it have ended.
        Calls after it may end in another order than they began.
        """
        with self.database.reading() as connection:
            return calls_table.responses_since(connection, namespace, after, self._orphans(connection))

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of those calls that are undamaged."""
        with self.database.reading() as connection:
            found = calls_table.responses(connection, calls)
        return {call: response.body for call, response in found.items() if response.is_whole}

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Return the first ``length`` bytes of the bodies of those calls."""
        with self.database.reading() as connection:
            return calls_table.beginnings(connection, calls, length)

    def name_lists(self) -> list[NameList]:
        """Return the lists of suburb names that were loaded."""
        if self.database.version < migrations.NAME_LISTS:
            return []
        with self.database.reading() as connection:
            return names_table.lists(connection)

    def listed_places(self) -> list[Place]:
        """Return the suburbs of the loaded lists, as :func:`names_table.places` does."""
        with self.database.reading() as connection:
            return names_table.places(connection, with_details=self.database.version >= migrations.LISTED_PLACES)

    def add_name_list(self, new: NameList, places: Sequence[Place]) -> None:
        """Add a list of suburb names, as :func:`names_table.add` does."""
        with self.database.writing() as connection:
            names_table.add(connection, new, places)

    def packed_names(self, layout: int) -> bytes | None:
        """Return the packed names of the loaded lists, None if they are not stored."""
        if self.database.version < migrations.LISTED_PLACES:
            return None
        with self.database.reading() as connection:
            return names_table.packed(connection, layout)

    def keep_packed_names(self, layout: int, packed: bytes) -> None:
        """Store the packed names of the loaded lists. If the store is busy, the next process tries again."""
        if self.database.read_only:
            return
        try:
            with self.database.writing(waits=False) as connection:
                names_table.keep_packed(connection, layout, packed)
        except StoreError as problem:
            _log.info("The index of the suburb names was not cached this time: %s", problem)

    def close(self) -> None:
        """Write the ends of calls that wait, and close the connections. Calls under way can still write their end."""
        unwritten.try_to_write(self.database)
        self.database.close()

    def catch_up(self) -> None:
        """Write the ends of calls that could not be written before. If that fails again, they keep waiting."""
        unwritten.try_to_write(self.database, waits=False)

    def report_unwritten(self) -> None:
        """Warn of the answers that could not be written, each once."""
        unwritten.report(self.database)

    def wait_until_writable(self) -> None:
        """Wait until the store can be written. A silent reservation that waits for the same can then write, too."""
        with self.database.writing():
            pass

    def _check_whole(self, responses: Iterable[tuple[Item, Response]]) -> None:
        damaged = dict.fromkeys(item.area_name for item, response in responses if not response.is_whole)
        if damaged:
            raise StoreError(
                f"The store {self.path} is damaged: its data about {listed(damaged)} have changed since they arrived, "
                "as their digests show. Nothing was sent; put back a copy of the store, or buy these again with "
                "refresh=True."
            )

    def _orphans(self, connection: sqlite3.Connection) -> set[int]:
        """Return the calls that were under way when their process died.

        Between the two queries here, a reservation may end its calls and release its lock. So the queries that use this
        set check again that a call has no outcome. A call that still has none will never get one.
        """
        under_way = calls_table.under_way(connection)
        live = claims_table.live_reservations(connection, self.path) if under_way else set()
        return {call for call, holder in under_way.items() if holder not in live}
