"""Locks that the operating system takes from whoever dies: how one process knows that another is still there.

A lock is a file beside what it is about. Rejected: process ids, which are given out again; start times, which move
when the clock is set; POSIX record locks, which a process loses as soon as it closes the file anywhere; filelock,
which unlocks for the parent when a forked child collects its copy.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)

    def _is_locked(file: int) -> bool:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return True
        return False
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _is_locked(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared, so that who asks is not taken for the holder
        except BlockingIOError:
            return True
        return False


_held: set[int] = set()


class Lock:
    """A lock that this process holds until it lets go or dies. A process that is forked off does not hold it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        path.unlink(missing_ok=True)  # nobody's any more, as numbers are given out once
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        _held.add(self._file)
        _lock(self._file)

    def release(self) -> None:
        """Let go, and remove the file."""
        if self._process != os.getpid() or self._file not in _held:
            return
        _held.discard(self._file)
        os.close(self._file)
        self._path.unlink(missing_ok=True)


def is_held(path: Path) -> bool:
    """Whether some living process holds the lock of that file."""
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return _is_locked(file)
    finally:
        os.close(file)


def _leave_to_parent() -> None:
    """Close a forked child's copies, which would keep the locks after the parent's death."""
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
