"""Keeps the ends of calls that could not be written to a store, as on a full disk, and writes them as soon as it can.

Until then, a response that was paid for is only in the memory of this process. All stores that the process opens on the
same file share the ends that wait; a forked child leaves them to its parent. When to try again is left to store and
reservation.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from suburb_pandas.concurrency.forks import gate, renew_in_child
from suburb_pandas.errors import StoreError, SuburbWarning
from suburb_pandas.messages import counted, warn
from suburb_pandas.service.calls import CallOutcome, Item, Response
from suburb_pandas.store import calls_table
from suburb_pandas.store.database import Database

_log = logging.getLogger("suburb_pandas")


class CallEnd(NamedTuple):
    """The end of a call that is still to be written to a store."""

    database: Database
    call: int
    item: Item
    outcome: CallOutcome
    response: Response | None


_waiting: dict[tuple[object, int], CallEnd] = {}  # by the file of the store and the call
_reported: set[tuple[object, int]] = set()
_lock = threading.Lock()
_mine = threading.local()
"""The attribute ``is_writing`` is True while this thread writes. Garbage collection may then close another store."""
_tries_at_exit = False


@renew_in_child
def _leave_to_parent() -> None:
    """Forget, in a forked child, the ends of calls that the parent will write."""
    global _lock, _tries_at_exit
    _waiting.clear()
    _lock, _tries_at_exit = threading.Lock(), False


def keep(end: CallEnd) -> None:
    """Keep the end of a call until it can be written, at the latest at the exit of this process."""
    global _tries_at_exit  # noqa: PLW0603 - as above
    _waiting[_key(end)] = end
    if not _tries_at_exit:
        _tries_at_exit = True
        with gate.inside():  # a child that is forked during the import would wait for ever for it to end
            # Rejected: atexit. A process of multiprocessing ends without it.
            from multiprocessing.util import Finalize  # noqa: PLC0415 - slow to import, and rarely needed
        Finalize(None, _write_or_report, exitpriority=0)


def waits_for(database: Database) -> bool:
    """Return True if the end of a call is still to be written to this store."""
    return bool(_waiting) and bool(_ends_for(database))


def write(database: Database, *, waits: bool = True) -> None:
    """Write the ends of calls that wait for this store.

    If ``waits`` is False and another program is writing, give up at once.

    Raises
    ------
    StoreError
        An end could not be written, and keeps waiting.
    """
    if getattr(_mine, "is_writing", False) or not waits_for(database):
        return
    try:
        with _alone():  # each is written once: a second copy of a response would be an error
            for end in _ends_for(database):
                with database.writing(waits=waits) as connection:
                    has_ended = calls_table.has_ended(connection, end.call, end.item)
                    if has_ended is False:
                        calls_table.end(connection, end.call, end.outcome, end.response, None)
                del _waiting[_key(end)]
                if has_ended is None:
                    _warn_of_lost([end], "no longer lists their calls in its ledger")
    except StoreError as problem:
        number = len(_ends_for(database))
        raise StoreError(
            f"{counted(number, 'response')} {'is' if number == 1 else 'are'} still in the memory of this Python "
            f"session, because the store {database.path} could not be written ({problem.__cause__ or problem}). "
            "Nothing more was sent. Free some space, and run the same line again in this session, which first writes "
            "what is in its memory.",
            why=problem.why,
        ) from problem


@contextmanager
def _alone() -> Iterator[None]:
    """Write in one thread at a time."""
    with _lock:
        _mine.is_writing = True
        try:
            yield
        finally:
            _mine.is_writing = False


def try_to_write(database: Database, *, waits: bool = True) -> None:
    """Write the ends of calls that wait for this store; those that cannot be written keep waiting."""
    try:
        write(database, waits=waits)
    except StoreError as problem:
        _log.info("%s", problem)


def report(database: Database) -> None:
    """Warn of the answers that wait for a store whose client was closed, once for each answer."""
    if not database.path.parent.exists():  # it was temporary
        ends = _ends_for(database)
        for end in ends:
            _waiting.pop(_key(end), None)
        _warn_of_lost(ends, "was temporary and has been removed")
        return
    lost = _unreported(_ends_for(database))
    if lost:
        warn(
            f"These responses could not be written to the store {database.path}: {_described(lost)}. This Python "
            "session keeps them until it ends; before that, free some space, connect to the store again and run "
            "sp.ledger(), which writes them. "
            f"Otherwise they are lost, and buying them again costs {_cents(lost)}.",
            SuburbWarning,
        )


def _write_or_report() -> None:
    """At the exit of this process, write the ends that wait, and warn of the answers that are lost."""
    databases = {end.database.identity: end.database for end in _waiting.values()}
    for database in databases.values():
        try_to_write(database)
        _warn_of_lost(_ends_for(database), "could not be written before this process ended")


def _warn_of_lost(ends: Iterable[CallEnd], why: str) -> None:
    lost = _unreported(ends)
    if lost:
        warn(
            f"These responses are lost, because the store {lost[0].database.path} {why}: {_described(lost)}. "
            f"Buying them again costs {_cents(lost)}.",
            SuburbWarning,
        )


def _key(end: CallEnd) -> tuple[object, int]:
    return end.database.identity, end.call


def _ends_for(database: Database) -> list[CallEnd]:
    return [end for (file, _), end in list(_waiting.items()) if file == database.identity]


def _unreported(ends: Iterable[CallEnd]) -> list[CallEnd]:
    """Return the ends that have a response and were not reported yet, and count them as reported."""
    found = [end for end in ends if end.response is not None and _key(end) not in _reported]
    _reported.update(map(_key, found))
    return found


def _described(ends: Iterable[CallEnd]) -> str:
    """Return the answers, each with its endpoint, its suburb and its cents."""
    return ", ".join(
        f"{end.item.endpoint} of {end.item.area_name!r} ({counted(end.outcome.cents, 'cent')})" for end in ends
    )


def _cents(ends: Iterable[CallEnd]) -> str:
    return counted(sum(end.outcome.cents for end in ends), "cent")
