"""Defines `Store`: one SQLite file of responses, of the ledger with a row for each call, and of lists of suburb names.

A purchase claims items, writes its steps, and releases what it holds. All other SQL is run by `Store.read` and
`Store.write`, and left to responses, ledger and names_table. The file itself is left to database, decoding responses to
service, and limiting their cost to purchasing.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

from suburb_pandas.errors import StoreError, SuburbWarning
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.service.calls import BODIES_AT_ONCE, Call, Item, Namespace, Response, Terms
from suburb_pandas.store import reservations, responses
from suburb_pandas.store.database import Database
from suburb_pandas.store.forks import opening
from suburb_pandas.store.reservations import CallEnd, ClaimResult, OverBudgetError

T = TypeVar("T")
P = ParamSpec("P")

_log = logging.getLogger("suburb_pandas")

_unwritten: Final[dict[tuple[int, Path], list[CallEnd | int]]] = {}
"""What is still to be written, by process and store: the ends of calls, and the numbers of reservations to release.

A forked child has nothing to write.
"""


class Store(Database):
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

    def claim(
        self,
        terms: Terms,
        before: Mapping[Item, int],
        known: Collection[int],
        reservation: int | None = None,
    ) -> ClaimResult:
        """Claim items for a purchase, and hold their prices, as `reservations.claim` does."""
        return self.write(reservations.claim, terms, before, known, reservation=reservation)

    def step(
        self,
        terms: Terms,
        reservation: int | None,
        ends: Sequence[CallEnd] = (),
        again: Collection[Call] = (),
        begins: Iterable[Item] = (),
        *,
        waits: bool = True,
    ) -> dict[Item, Call | None]:
        """Write a step of a purchase, as `reservations.step` does.

        If it cannot be written, the ends stay in memory, and no call begins.

        Raises
        ------
        StoreError
            The transaction failed, for whatever reason.
        """
        step = partial(reservations.step, terms=terms, reservation=reservation, ends=ends, again=again, begins=begins)
        try:
            return self._write(step, waits=waits)
        except StoreError:
            self._unwritten.extend(ends)
            raise

    def release(self, reservation: int, *, waits: bool) -> None:
        """End a reservation, even if what waits cannot be written. If need be, the next transaction does it."""
        self.catch_up()
        try:
            self.commit(partial(reservations.release, reservation=reservation), waits=waits)
        except StoreError as problem:
            self._unwritten.append(reservation)
            _log.info("The claims of a request could not be released now: %s", problem)

    def write(self, change: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **named: P.kwargs) -> T:
        """Make a change in one transaction, after what could not be written before, and return its result."""
        return self._write(lambda connection: change(connection, *args, **named))

    def try_to_write(
        self, change: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **named: P.kwargs
    ) -> None:
        """Make a change, unless the store cannot be written or is busy: another request tries it."""
        try:
            self._write(lambda connection: change(connection, *args, **named), waits=False)
        except StoreError as problem:
            _log.info("The store was not written this time: %s", problem)

    def _write(self, change: Callable[[sqlite3.Connection], T], *, waits: bool = True) -> T:
        """Make a change in one transaction, after what could not be written before.

        The end of a call that the ledger does not have stays in memory: it belongs to a file that was replaced.
        """
        waiting, written = list(self._unwritten), []

        def change_all(connection: sqlite3.Connection) -> T:
            for each in waiting:
                if isinstance(each, int):
                    reservations.release(connection, each)
                elif not reservations.end(connection, *each):
                    continue
                written.append(each)
            return change(connection)

        try:
            result = self.commit(change_all, waits=waits)
        except (StoreError, OverBudgetError):
            raise
        except Exception as problem:
            raise StoreError(f"The store {self.path} could not be written: {problem!r}.") from problem
        for each in written:
            with suppress(ValueError):  # another thread has written it, too
                self._unwritten.remove(each)
        return result

    def catch_up(self) -> None:
        """Write the ends of calls that could not be written before. If that fails again, they stay in memory."""
        if self._unwritten:
            with opening:  # so that this thread does not go on while another one catches up
                self.try_to_write(lambda _: None)

    def responses(self, calls: Iterable[int]) -> dict[int, Response]:
        """Return the responses of those calls with their bodies, without those that have changed since they arrived."""
        return self.read(responses.of_calls, list(calls))

    def with_bodies(self, stored: Mapping[Item, Response]) -> dict[Item, Response]:
        """Return the same responses with their bodies, after checking the SHA-256 of each."""
        found = self.responses(response.call for response in stored.values())
        self._check_whole(item for item, response in stored.items() if response.call not in found)
        return {item: found[response.call] for item, response in stored.items()}

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Return every response of an item with its body, oldest first, after checking the SHA-256 of each."""
        calls = self.read(responses.calls_of, namespace, item)
        found = self.responses(calls)
        self._check_whole(item for call in calls if call not in found)
        return list(found.values())

    def vacuum(self) -> None:
        """Compress all bodies as new ones are, some at a time, and give the disk back."""
        calls = self.read(responses.older_calls)
        for start in range(0, len(calls), BODIES_AT_ONCE):
            self.write(responses.convert, calls[start : start + BODIES_AT_ONCE])
        self.give_disk_back()

    def close(self) -> None:
        """Close the connections, and warn of responses that are only in memory. Calls under way can still end."""
        self.catch_up()
        super().close()
        ends = [each for each in list(self._unwritten) if not isinstance(each, int)]
        lost = [call for call, response in ends if response is not None]
        if lost:
            names = listed([f"{call.item.endpoint} of {call.item.area_name!r}" for call in lost], str)
            warn(
                f"These responses could not be written to the store {self.path}: {names}. They cost "
                f"{counted(sum(call.cents for call in lost), 'cent')} and stay in the memory of this Python session "
                "until it ends; free some space, connect to the store again and run sp.ledger(), which writes them.",
                SuburbWarning,
            )

    @property
    def _unwritten(self) -> list[CallEnd | int]:
        return _unwritten.setdefault((os.getpid(), self.path), [])

    def _check_whole(self, damaged: Iterable[Item]) -> None:
        names = dict.fromkeys(item.area_name for item in damaged)
        if names:
            raise StoreError(
                f"The store {self.path} is damaged: its data about {listed(names)} have changed since they arrived, as "
                "their digests show. Nothing was sent; put back a copy of the store, or buy these again with "
                "refresh=True."
            )
