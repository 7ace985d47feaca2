"""Defines `Store`: one SQLite file of responses, of the ledger with a row for each call, and of lists of suburb names.

The SQL is left to responses, reservations and names_table, and the file itself to database. Decoding responses is left
to service, and limiting their cost to purchasing.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

from suburb_pandas.errors import StoreError, SuburbWarning
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.service.calls import BODIES_AT_ONCE, Call, Item, Namespace, Response, Terms
from suburb_pandas.settings import BUSY_WAIT
from suburb_pandas.store import names_table, reservations, responses
from suburb_pandas.store.database import Database
from suburb_pandas.store.forks import opening
from suburb_pandas.store.reservations import CallEnd, OverBudgetError

T = TypeVar("T")
P = ParamSpec("P")
_Query = Callable[Concatenate[sqlite3.Connection, P], T]
_Method = Callable[Concatenate["Store", P], T]

_log = logging.getLogger("suburb_pandas")

_unwritten: Final[dict[tuple[int, Path], dict[int, CallEnd]]] = {}
"""The ends of calls that are still to be written, by process and store, and by call. A forked child has none."""

_unreleased: Final[dict[tuple[int, Path], dict[int, None]]] = {}
"""The reservations that have ended, and whose release is still to be written."""


def _reading(query: _Query[P, T]) -> _Method[P, T]:
    """Return the method that runs a query in one transaction, which sees the store as it was at one moment."""

    @wraps(query)
    def read(store: Store, /, *args: P.args, **named: P.kwargs) -> T:
        return store.database.read(lambda file: query(file, *args, **named))

    return read


def _writing(change: _Query[P, T]) -> _Method[P, T]:
    """Return the method that makes a change in one transaction."""

    @wraps(change)
    def write(store: Store, /, *args: P.args, **named: P.kwargs) -> T:
        return store.write(lambda file: change(file, *args, **named))

    return write


def _caching(change: _Query[P, T]) -> _Method[P, None]:
    """Return the method that makes a change unless the store cannot be written or is busy: another request tries it."""

    @wraps(change)
    def write(store: Store, /, *args: P.args, **named: P.kwargs) -> None:
        if store.database.read_only:
            return
        try:
            store.write(lambda file: change(file, *args, **named), waits=False)
        except StoreError as problem:
            _log.info("The store was not written this time: %s", problem)

    return write


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

    newest = _reading(responses.newest)
    unknown_calls = _reading(responses.unknown)
    committed = _reading(responses.committed)
    last_price = _reading(responses.last_price)
    ledger = _reading(responses.ledger)
    responses_since = _reading(responses.since)
    beginnings = _reading(responses.beginnings)
    name_lists = _reading(names_table.lists)
    listed_places = _reading(names_table.places)
    packed_names = _reading(names_table.packed)
    claim = _writing(reservations.claim)
    add_name_list = _writing(names_table.add)
    keep_packed = _caching(responses.keep_packed)
    keep_packed_names = _caching(names_table.keep_packed)
    _of_calls = _reading(responses.of_calls)
    _calls_of = _reading(responses.calls_of)
    _older_calls = _reading(responses.older_calls)
    _convert = _writing(responses.convert)
    _write_waiting = _caching(lambda _: None)

    def __init__(self, path: str | Path, *, busy_wait: float = BUSY_WAIT) -> None:
        self.path: Path = Path(os.path.realpath(path))
        self.database: Database = Database(self.path, busy_wait=busy_wait)
        self.check_room = self.database.check_room
        self.close_mine = self.database.close_mine

    def read(self, stored: Mapping[Item, Response]) -> dict[Item, Response]:
        """Return the same responses with their bodies, after checking the SHA-256 of each."""
        found = self._of_calls([response.call for response in stored.values()])
        read = {item: found[response.call] for item, response in stored.items()}
        self._check_whole(read.items())
        return read

    def read_whole(self, calls: Mapping[Item, int]) -> dict[Item, Response]:
        """Return the responses of calls with their bodies, without those that have changed since they arrived."""
        found = self._of_calls(calls.values())
        return {item: found[call] for item, call in calls.items() if call in found and found[call].is_whole}

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Return every response of an item with its body, oldest first, after checking the SHA-256 of each."""
        found = self._of_calls(self._calls_of(namespace, item)).values()
        self._check_whole((item, response) for response in found)
        return sorted(found, key=lambda response: response.call)

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of those calls that are undamaged."""
        return {call: response.content for call, response in self._of_calls(calls).items() if response.is_whole}

    def step(
        self,
        terms: Terms,
        reservation: int,
        ends: Sequence[CallEnd] = (),
        begins: Sequence[Item] = (),
        *,
        waits: bool = True,
    ) -> dict[Item, Call | None]:
        """Write the ends of calls with their responses, the beginnings of the next calls, and a heartbeat.

        Return the call of each item that begins; None if another reservation has taken the item. If this cannot be
        written, the ends stay in memory, and no call begins.

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
            return self.write(change, waits=waits)
        except StoreError:
            self._unwritten.update((ended.call.number, ended) for ended in ends)
            raise

    def release(self, reservation: int, *, waits: bool) -> None:
        """End a reservation. If that cannot be written now, the next transaction does it."""
        self.catch_up()
        try:
            self.database.write(partial(reservations.release, reservation=reservation), waits=waits)
        except StoreError as problem:
            self._unreleased[reservation] = None
            _log.info("The claims of a request could not be released now: %s", problem)

    def catch_up(self) -> None:
        """Write the ends of calls that could not be written before. If that fails again, they stay in memory."""
        if self._unwritten or self._unreleased:
            with opening:  # another thread may be writing them just now, and this one would not see them yet
                self._write_waiting()

    def vacuum(self) -> None:
        """Compress all bodies as new ones are, some at a time, and give the disk back."""
        calls = self._older_calls()
        for start in range(0, len(calls), BODIES_AT_ONCE):
            self._convert(calls[start : start + BODIES_AT_ONCE])
        self.database.give_disk_back()

    def close(self) -> None:
        """Close the connections, and warn of responses that are only in memory. Calls under way can still end."""
        self.catch_up()
        self.database.close()
        lost = [ended for ended in list(self._unwritten.values()) if ended.response is not None]
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
    def _unwritten(self) -> dict[int, CallEnd]:
        return _unwritten.setdefault((os.getpid(), self.path), {})

    @property
    def _unreleased(self) -> dict[int, None]:
        return _unreleased.setdefault((os.getpid(), self.path), {})

    def write(self, change: Callable[[sqlite3.Connection], T], *, waits: bool = True) -> T:
        """Make a change in one transaction, after writing the ends of calls that are in memory."""
        ends, releases = dict(self._unwritten), dict(self._unreleased)

        def change_all(file: sqlite3.Connection) -> T:
            for ended in ends.values():
                reservations.end(file, ended)
            for reservation in releases:
                reservations.release(file, reservation)
            return change(file)

        try:
            result = self.database.write(change_all, waits=waits)
        except (StoreError, OverBudgetError):
            raise
        except Exception as problem:
            raise StoreError(f"The store {self.path} could not be written: {problem!r}.") from problem
        for call, ended in ends.items():
            if self._unwritten.get(call) is ended:  # not a newer end, which came meanwhile
                del self._unwritten[call]
        for reservation in releases:
            self._unreleased.pop(reservation, None)
        return result

    def _check_whole(self, found: Iterable[tuple[Item, Response]]) -> None:
        damaged = dict.fromkeys(item.area_name for item, response in found if not response.is_whole)
        if damaged:
            raise StoreError(
                f"The store {self.path} is damaged: its data about {listed(damaged)} have changed since they arrived, "
                "as their digests show. Nothing was sent; put back a copy of the store, or buy these again with "
                "refresh=True."
            )
