"""Notifies listeners when limits, the default client or stored responses change.

The suburb picker listens, so that its buttons show today's price after another cell has bought or raised a limit.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import Protocol
from weakref import WeakSet



class Listener(Protocol):
    """An object that follows changes."""

    def follow_changes(self) -> None:
        """React to a change."""


_listeners: WeakSet[Listener] = WeakSet()
_lock = Lock()


def listen(listener: Listener) -> None:
    """Notify an object of each change, as long as it lives."""
    with _lock:
        _listeners.add(listener)


def stop(listener: Listener) -> None:
    """Stop notifying an object."""
    with _lock:
        _listeners.discard(listener)


def announce() -> None:
    """Notify all listeners. Their exceptions are ignored, so that a request that was paid for does not fail."""
    with _lock:
        listeners = list(_listeners)
    for listener in listeners:
        with suppress(Exception):
            listener.follow_changes()
