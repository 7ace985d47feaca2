"""Owns the SQL of the holders of reservations: who holds each one, its heartbeats, and whether it is over.

Except on Windows, a process of this computer that has died is seen at once, as its number is gone. One that is
suspended writes no heartbeats. Its call may still get an outcome, and until then counts as unknown.

Each function runs inside a transaction of store. What a reservation has claimed is left to reservations. The table is
called ``plan``, and two of its columns have older names than the fields of `Holder`, which lists them.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct

from suburb_pandas.service.calls import age_seconds, utc_now
from suburb_pandas.store import rows


class Holder(Struct, frozen=True, rename={"beat": "beats", "lease": "patience"}):
    """The holder of a reservation: its computer, its last heartbeat, its lease in seconds, and its process.

    ``beat`` is the heartbeat by the monotonic clock of the computer, which nobody can set, and ``at`` by its calendar.
    Earlier versions wrote no process, and another ``beat``.
    """

    host: str
    at: str
    beat: float
    lease: float
    process: int | None = None

    @property
    def is_here(self) -> bool:
        """True if it is on this computer."""
        return self.host == this_computer()

    @property
    def has_died(self) -> bool:
        """True if its process has certainly died."""
        return self.is_here and self.process is not None and sys.platform != "win32" and not _exists(self.process)

    @property
    def is_over(self) -> bool:
        """True if its process has certainly died, or has been silent beyond its lease."""
        is_monotonic = self.is_here and self.process is not None
        age = monotonic() - self.beat if is_monotonic else age_seconds(self.at)
        return not 0 <= age <= self.lease or self.has_died


def add(connection: sqlite3.Connection, lease: float) -> int:
    """Write the holder of a new reservation, which is this process, and return the number of the reservation."""
    query = "insert into plan (host, process, at, beats, patience) values (?, ?, ?, ?, ?)"
    mine = (this_computer(), os.getpid(), utc_now(), monotonic(), lease)
    return int(connection.execute(query, mine).lastrowid or 0)


def beat(connection: sqlite3.Connection, reservation: int | None) -> None:
    """Write a heartbeat of a reservation, if it still exists."""
    connection.execute("update plan set beats = ?, at = ? where id = ?", (monotonic(), utc_now(), reservation))


def live(connection: sqlite3.Connection) -> set[int]:
    """Return the numbers of the reservations that are not over."""
    return {number for number, holder in holders(connection).items() if not holder.is_over}


@rows.checked()
def holders(connection: sqlite3.Connection) -> dict[int, Holder]:
    """Return the holder of each reservation.

    A store of an earlier version that may only be read has no column for the process.
    """
    found = connection.execute("select * from plan")
    names = [name for name, *_ in found.description]
    each = [dict(zip(names, row, strict=True)) for row in found]
    return {one["id"]: msgspec.convert(one | {"at": rows.time(one["at"])}, Holder) for one in each}


def this_computer() -> str:
    """Return the name of this computer, with the namespace of its process numbers: containers can share a name."""
    from socket import gethostname  # noqa: PLC0415 - slow to import, and only a purchase needs it

    with suppress(OSError):  # only Linux has them
        return f"{gethostname()} {Path('/proc/self/ns/pid').readlink()}"
    return gethostname()


def _exists(process: int) -> bool:
    """Return True if a process of this number is running. It may be another one by now, which delays nobody long."""
    with suppress(OSError):  # only Linux has these files; a zombie has died, although its number is not free yet
        return not Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(") ")[2].startswith("Z")
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return True
