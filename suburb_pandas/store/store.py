"""Defines `Store`: one SQLite file of responses, of the ledger with a row for each call, and of lists of suburb names.

The SQL is left to responses, reservations and names_table, and the file itself to database. Decoding responses is left
to service, and limiting their cost to purchasing.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from suburb_pandas.errors import StoreError, SuburbWarning
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.names.gazetteer import NameList, Place
from suburb_pandas.service.calls import BODIES_AT_ONCE, Call, Item, Namespace, PackedPayload, Response
from suburb_pandas.settings import BUSY_WAIT
from suburb_pandas.store import names_table, reservations, responses
from suburb_pandas.store.database import Database
from suburb_pandas.store.reservations import CallEnd, Heartbeat, Standing, Terms

T = TypeVar("T")

_log = logging.getLogger("suburb_pandas")

_unwritten: Final[dict[tuple[int, Path], list[CallEnd]]] = {}
"""The ends of calls that could not be written, as on a full disk, by process and store. A forked child has none."""

_unreleased: Final[dict[tuple[int, Path], list[int]]] = {}
"""The reservations that have ended, and whose release could not be written."""


class Store:
    """An open store. Any thread may use it, and so may a forked child.

    If the end of a call cannot be written, it stays in memory, and the next transaction of any store that this process
    opens on the same file writes it first.

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
        self.path: Path = Path(os.path.realpath(path))
        self._database = Database(self.path, busy_wait=busy_wait)

    @property
    def read_only(self) -> bool:
        """True if this user may only read the file."""
        return self._database.read_only

    def newest(
        self,
        namespace: Namespace,
        items: Sequence[Item],
        *,
        by: str | None = None,
        since: str | None = None,  # noqa: ARG002 - for a cassette in front of the store
        packed: bool = False,
    ) -> dict[Item, Response]:
        """Return the facts about the newest response of each item, retrieved at or before ``by``.

        With ``packed``, they include the packed payloads that are stored.
        """
        return self._read(lambda file: responses.newest(file, namespace, items, by=by, packed=packed))

    def read(self, stored: Mapping[Item, Response]) -> dict[Item, Response]:
        """Return the same responses with their bodies, after checking the SHA-256 of each."""
        found = self._of_calls(response.call for response in stored.values())
        read = {item: found[response.call] for item, response in stored.items()}
        self._check_whole(read.items())
        return read

    def read_whole(self, calls: Mapping[Item, int]) -> dict[Item, Response]:
        """Return the responses of calls with their bodies, without those that have changed since they arrived."""
        found = self._of_calls(calls.values())
        return {item: found[call] for item, call in calls.items() if call in found and found[call].is_whole}

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Return every response of an item with its body, oldest first, after checking the SHA-256 of each."""
        found = self._of_calls(self._read(lambda file: responses.calls_of(file, namespace, item))).values()
        self._check_whole((item, response) for response in found)
        return sorted(found, key=lambda response: response.call)

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of those calls that are undamaged."""
        return {call: response.content for call, response in self._of_calls(calls).items() if response.is_whole}

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Return the first ``length`` bytes of the bodies of those calls, or fewer."""
        return self._read(lambda file: responses.beginnings(file, calls, length))

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Return the item of each response whose call is later than ``after``, and the last settled call.

        Refusals are left out, because they confirm no name. The settled call and all calls before it have ended.
        Calls after it may end in another order than they began.
        """
        return self._read(lambda file: responses.since(file, namespace, after, reservations.orphans(file)))

    def unknown_calls(self, namespace: Namespace, items: Sequence[Item]) -> dict[Item, list[Call]]:
        """Return the calls of each item whose outcome will stay unknown. Items without such calls are left out."""
        return self._read(lambda file: responses.unknown(file, namespace, items, reservations.orphans(file)))

    def committed(self) -> tuple[int, str, int]:
        """Return the cents that this UTC calendar month's calls cost, the last of their times, and the cents held.

        Live reservations hold cents for calls that they have not sent yet.
        """
        return self._read(
            lambda file: (
                *responses.spent(file),
                reservations.held(file, among=reservations.live_reservations(file)),
            )
        )

    def last_price(self, namespace: Namespace, endpoint: str) -> int:
        """Return the cents of the last billed call of an endpoint, 0 if there is none."""
        return self._read(lambda file: responses.last_price(file, namespace, endpoint))

    def ledger(self) -> list[Call]:
        """Return the row of every call, oldest first. A call that will never have an outcome is shown as unknown."""

        def query(file: sqlite3.Connection) -> list[Call]:
            orphans = reservations.orphans(file)
            calls = responses.ledger(file)
            return [dataclasses.replace(one, outcome="unknown") if one.number in orphans else one for one in calls]

        return self._read(query)

    def keep_packed(self, packed: Mapping[int, PackedPayload]) -> None:
        """Store packed payloads beside their responses. If the store is busy, the next request tries again."""
        self._cache(lambda file: responses.keep_packed(file, packed))

    def packed_calls(self, calls: Iterable[int], packing: int) -> set[int]:
        """Return which of the calls have a packed payload of the format `packing`."""
        return self._read(lambda file: responses.packed_calls(file, calls, packing))

    def name_lists(self) -> list[NameList]:
        """Return the lists of suburb names that were loaded."""
        return self._read(names_table.lists)

    def listed_places(self) -> list[Place]:
        """Return the suburbs of the loaded lists, as :func:`names_table.places` does."""
        return self._read(names_table.places)

    def add_name_list(self, new: NameList, places: Sequence[Place]) -> None:
        """Add a list of suburb names, as :func:`names_table.add` does."""
        self._write(lambda file: names_table.add(file, new, places))

    def packed_names(self, layout: int) -> bytes | None:
        """Return the packed names of the loaded lists, None if they are not stored."""
        return self._read(lambda file: names_table.packed(file, layout))

    def keep_packed_names(self, layout: int, packed: bytes) -> None:
        """Store the packed names of the loaded lists. If the store is busy, the next process tries again."""
        self._cache(lambda file: names_table.keep_packed(file, layout, packed))

    def look(self, namespace: Namespace, wanted: Mapping[Item, int], known: Collection[int]) -> Standing:
        """Return what has become of items, as :func:`reservations.standing` does."""
        return self._read(lambda file: reservations.standing(file, namespace, wanted, known))

    def claim(
        self,
        terms: Terms,
        wanted: Mapping[Item, int],
        known: Collection[int],
        silent: Iterable[Heartbeat],
        reservation: int,
    ) -> Standing:
        """Claim items for a request, as :func:`reservations.claim` does."""
        return self._write(
            lambda file: reservations.claim(file, terms, wanted, known, silent, reservation=reservation, path=self.path)
        )

    def step(
        self, terms: Terms, reservation: int, ends: Sequence[CallEnd] = (), begins: Sequence[Item] = ()
    ) -> dict[Item, Call | None]:
        """Write the ends of calls with their responses, the beginnings of the next calls, and a heartbeat.

        Return the call of each item that begins; None if another reservation has taken the item. If this cannot be
        written, the ends are kept in memory, and no call begins.

        Raises
        ------
        StoreError
            The transaction failed, for whatever reason.
        """

        def change(file: sqlite3.Connection) -> dict[Item, Call | None]:
            for ended in ends:
                reservations.end(file, ended)
            reservations.beat(file, reservation, terms.lease)
            return {item: reservations.begin(file, terms, reservation, item) for item in begins}

        try:
            return self._write(change)
        except Exception as problem:
            self._unwritten.extend(ends)
            if isinstance(problem, StoreError):
                raise
            raise StoreError(f"The store {self.path} could not be written: {problem!r}.") from problem

    def release(self, reservation: int, *, waits: bool) -> None:
        """End a reservation. If that cannot be written now, the next transaction does it."""
        self.catch_up()
        try:
            self._database.write(partial(reservations.release, reservation=reservation), waits=waits)
        except StoreError as problem:
            self._unreleased.append(reservation)
            _log.info("The claims of a request could not be released now: %s", problem)

    def check_room(self, needed: int) -> None:
        """Raise `StoreError` if the disk has fewer than ``needed`` bytes left."""
        self._database.check_room(needed)

    def catch_up(self) -> None:
        """Write the ends of calls that could not be written before. If that fails again, they stay in memory."""
        if self._unwritten or self._unreleased:
            self._cache(lambda _: None)

    def vacuum(self) -> None:
        """Compress all bodies as new ones are, some at a time, and give the disk back."""
        calls = self._read(responses.older_calls)
        for start in range(0, len(calls), BODIES_AT_ONCE):
            some = calls[start : start + BODIES_AT_ONCE]
            self._write(partial(responses.convert, calls=some))
        self._database.give_disk_back()

    def close_mine(self) -> None:
        """Close the connection of this thread."""
        self._database.close_mine()

    def close(self) -> None:
        """Close the connections, and warn of responses that are only in memory. Calls under way can still end."""
        self.catch_up()
        self._database.close()
        lost = [ended for ended in self._unwritten if ended.response is not None]
        if lost:
            names = listed([f"{one.call.item.endpoint} of {one.call.item.area_name!r}" for one in lost], str)
            warn(
                f"These responses could not be written to the store {self.path}: {names}. They cost "
                f"{counted(sum(ended.call.cents for ended in lost), 'cent')} and stay in the memory of this Python "
                "session until it ends; free some space, connect to the store again and run sp.ledger(), which writes "
                "them.",
                SuburbWarning,
            )

    @property
    def _unwritten(self) -> list[CallEnd]:
        return _unwritten.setdefault((os.getpid(), self.path), [])

    @property
    def _unreleased(self) -> list[int]:
        return _unreleased.setdefault((os.getpid(), self.path), [])

    def _read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        return self._database.read(query)

    def _write(self, change: Callable[[sqlite3.Connection], T], *, waits: bool = True) -> T:
        """Make a change in one transaction, after writing the ends of calls that are in memory."""
        ends, releases = list(self._unwritten), list(self._unreleased)

        def change_all(file: sqlite3.Connection) -> T:
            for ended in ends:
                reservations.end(file, ended)
            for reservation in releases:
                reservations.release(file, reservation)
            return change(file)

        result = self._database.write(change_all, waits=waits)
        del self._unwritten[: len(ends)], self._unreleased[: len(releases)]
        return result

    def _cache(self, change: Callable[[sqlite3.Connection], object]) -> None:
        """Make a change that can be made another time, unless the store cannot be written or is busy."""
        if self.read_only:
            return
        try:
            self._write(change, waits=False)
        except StoreError as problem:
            _log.info("The store was not written this time: %s", problem)

    def _of_calls(self, calls: Iterable[int]) -> dict[int, Response]:
        wanted = list(calls)
        return self._read(lambda file: responses.of_calls(file, wanted))

    def _check_whole(self, found: Iterable[tuple[Item, Response]]) -> None:
        damaged = dict.fromkeys(item.area_name for item, response in found if not response.is_whole)
        if damaged:
            raise StoreError(
                f"The store {self.path} is damaged: its data about {listed(damaged)} have changed since they arrived, "
                "as their digests show. Nothing was sent; put back a copy of the store, or buy these again with "
                "refresh=True."
            )
