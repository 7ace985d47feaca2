"""Locks files between processes. The operating system releases a lock as soon as the process that holds it dies.

The meaning of a lock is left to its callers: in store.reservation, that the process of a reservation is alive; in
cassettes.file, that one process at a time writes to a cassette.

Rejected: process ids, which the system reuses; start times of processes, which shift when the clock is set; POSIX
record locks, which a process loses as soon as it closes any descriptor of the file; filelock, which releases the
parent's lock when a forked child's copy is garbage-collected.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from suburb_pandas.concurrency.forks import renew_in_child

_LOCKED_BYTE: Final = 2**30  # past the end of every file locked here: on Windows a locked byte cannot be read

if sys.platform == "win32":
    import msvcrt

    def lock(file: int) -> None:
        """Lock an open file, waiting until the lock is free."""
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        while True:
            with suppress(OSError):  # Windows gives up after ten seconds, so try again
                return msvcrt.locking(file, msvcrt.LK_LOCK, 1)

    def unlock(file: int) -> None:
        """Release the lock of an open file, even if a forked child has the file open too."""
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

    def _is_locked(file: int) -> bool:
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return True
        return False
else:
    import fcntl

    def lock(file: int) -> None:
        """Lock an open file, waiting until the lock is free."""
        fcntl.flock(file, fcntl.LOCK_EX)

    def unlock(file: int) -> None:
        """Release the lock of an open file, even if a forked child has the file open too."""
        fcntl.flock(file, fcntl.LOCK_UN)

    def _is_locked(file: int) -> bool:
        try:
            # Shared: two processes that check at once must not take each other for the holder.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


_held: set[Lock] = set()


class Lock:
    """A lock that this process holds until it releases the lock or dies. A forked child does not hold it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        path.unlink(missing_ok=True)  # its file may be left from a reservation that was not committed
        self._file: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        _held.add(self)
        lock(self._file)

    @property
    def is_in_place(self) -> bool:
        """True if its file was neither removed nor replaced, so that other processes find it locked."""
        try:
            return self._file is not None and os.path.samestat(os.fstat(self._file), self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Release the lock and remove its file."""
        if self._process != os.getpid() or self._file is None:
            return
        file, self._file = self._file, None
        _held.discard(self)
        if sys.platform == "win32":
            os.close(file)
            remove(self._path)
        else:
            remove(self._path)
            os.close(file)

    def let_go(self) -> None:
        """Release the lock and leave its file, which may belong to another process by now."""
        _held.discard(self)
        if self._file is not None:
            os.close(self._file)
            self._file = None


def remove(path: Path) -> None:
    """Remove the file of a lock. On Windows it stays, unlocked, if another process has it open."""
    with suppress(OSError):
        path.unlink()


def is_held(path: Path) -> bool:
    """Return True if a living process holds the lock of the file `path`.

    Raises
    ------
    PermissionError
        The file is another user's. Not on Windows, where it means that the file is being removed.
    """
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except PermissionError:
        if sys.platform == "win32":
            return True
        raise
    try:
        return _is_locked(file)
    finally:
        os.close(file)


@renew_in_child
def _leave_to_parent() -> None:
    """Close a child's copies of the locked files, so that a lock is free as soon as the parent has died."""
    while _held:
        _held.pop().let_go()
