"""Locks that the operating system takes from whoever dies: how one process knows that another is still there.

A lock is a file beside what it is about. Rejected: process ids, which are given out again; start times, which move
when the clock is set; POSIX record locks, which a process loses as soon as it closes the file anywhere; filelock,
which unlocks for the parent when a forked child collects its copy.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_BEYOND: Final = 2**30  # further than any file that is locked here goes

if sys.platform == "win32":
    import msvcrt

    def lock(file: int) -> None:
        """Wait for the lock of an open file."""
        os.lseek(file, _BEYOND, os.SEEK_SET)  # as nobody can read what is locked
        while True:
            with suppress(OSError):  # after ten seconds
                return msvcrt.locking(file, msvcrt.LK_LOCK, 1)

    def unlock(file: int) -> None:
        """Let go of the lock of a file, also for a process that was forked off meanwhile and has the file open."""
        os.lseek(file, _BEYOND, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

    def _is_locked(file: int) -> bool:
        os.lseek(file, _BEYOND, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return True
        return False
else:
    import fcntl

    def lock(file: int) -> None:
        """Wait for the lock of an open file."""
        fcntl.flock(file, fcntl.LOCK_EX)

    def unlock(file: int) -> None:
        """Let go of the lock of a file, also for a process that was forked off meanwhile and has the file open."""
        fcntl.flock(file, fcntl.LOCK_UN)

    def _is_locked(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared, so that who asks is not taken for the holder
        except BlockingIOError:
            return True
        return False


_held: set[Lock] = set()


class Lock:
    """A lock that this process holds until it lets go or dies. A process that is forked off does not hold it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        path.unlink(missing_ok=True)  # what a plan left that never came to be
        self._file: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        _held.add(self)
        lock(self._file)

    def release(self) -> None:
        """Let go, and remove the file."""
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
        """Let go, and leave the file: it may be somebody else's by now."""
        _held.discard(self)
        if self._file is not None:
            os.close(self._file)
            self._file = None


def remove(path: Path) -> None:
    """Remove the file of a lock; on Windows that fails while somebody looks at it, and it stays, held by nobody."""
    with suppress(OSError):
        path.unlink()


def is_held(path: Path) -> bool:
    """Whether some living process holds the lock of that file."""
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except PermissionError:  # on Windows, while it is being removed
        return True
    try:
        return _is_locked(file)
    finally:
        os.close(file)


def _leave_to_parent() -> None:
    while _held:
        _held.pop().let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
