"""Locks a file between processes. The operating system releases a lock as soon as the process that holds it dies.

The caller, cassettes.file, decides what a lock protects: one process at a time writes to a cassette.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

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
else:
    import fcntl

    def lock(file: int) -> None:
        """Lock an open file, waiting until the lock is free."""
        fcntl.flock(file, fcntl.LOCK_EX)

    def unlock(file: int) -> None:
        """Release the lock of an open file, even if a forked child has the file open too."""
        fcntl.flock(file, fcntl.LOCK_UN)
