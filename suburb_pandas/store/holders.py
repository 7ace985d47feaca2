"""Tells which processes hold reservations, and which of these processes may be alive.

A process that has died is seen at once, as its number is gone. One that is suspended is seen by requests that wait for
it, because it writes no heartbeats; that is left to purchasing. Reservations themselves are left to reservations.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from typing import NamedTuple

from suburb_pandas.service.calls import age_seconds
from suburb_pandas.store import rows


class Holder(NamedTuple):
    """The holder of a reservation: its computer, its process, its heartbeats, the last of them, and its lease."""

    host: str
    process: int | None
    beats: int
    at: str
    lease: float

    @property
    def is_live(self) -> bool:
        """False if the process has certainly died, or if its computer has been silent beyond the lease."""
        if self.host != this_computer():
            return age_seconds(self.at) <= self.lease
        return self.process is None or sys.platform == "win32" or _exists(self.process)


def all_of(connection: sqlite3.Connection) -> dict[int, Holder]:
    """Return the holder of each reservation."""
    found = connection.execute("select id, host, process, beats, at, patience from plan").fetchall()
    with rows.checked():
        return {
            number: Holder(rows.text(host), process and rows.cents(process), beats, rows.time(at), float(lease))
            for number, host, process, beats, at, lease in found
        }


def live(connection: sqlite3.Connection) -> set[int]:
    """Return the numbers of the reservations whose process may be alive."""
    return {number for number, holder in all_of(connection).items() if holder.is_live}


def orphans(connection: sqlite3.Connection) -> set[int]:
    """Return the calls without an outcome whose process has died. They will never get one."""
    sent = dict(connection.execute("select id, plan_id from call where outcome = 'sent'").fetchall())
    holders = live(connection) if sent else set()
    return {call for call, reservation in sent.items() if reservation not in holders}


def held(connection: sqlite3.Connection) -> int:
    """Return the cents that live reservations hold for calls that have not been sent."""
    found = dict(connection.execute("select plan_id, sum(cents) from claim group by plan_id").fetchall())
    with rows.checked():
        return sum(rows.cents(found[number]) for number in found.keys() & live(connection)) if found else 0


def this_computer() -> str:
    """Return the name of this computer."""
    from socket import gethostname  # noqa: PLC0415 - slow to import, and only a purchase needs it

    return gethostname()


def _exists(process: int) -> bool:
    """Return True if there is a process of this number. It may be another one by now, which then delays nobody long."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return True
