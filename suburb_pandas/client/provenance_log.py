"""Logs the responses that this process has used, with their payloads, so that the values of a frame can be checked.

If a loader returned a frame, the responses behind it are known for as long as the frame lives. For any other frame,
responses are searched by item, and the values of the frame decide. Comparing values is left to tracing.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterable, Mapping
from typing import Any

from suburb_pandas.service.calls import Item
from suburb_pandas.service.reading import Reading

_used: dict[Item, dict[tuple[str, str], Reading]] = {}
"""The readings of each item that were used, by the time and the digest of the response. The last used is last."""

_frames: dict[int, tuple[weakref.ref[Any], Mapping[Item, Reading]]] = {}
"""Each frame that a loader returned, by its identity, with the readings behind it."""


def remember(frame: Any, readings: Mapping[Item, Reading]) -> None:
    """Log the use of responses, and that a frame was made from them."""
    for item, reading in readings.items():
        note_use(item, reading)
    key = id(frame)
    _frames[key] = (weakref.ref(frame, lambda _: _frames.pop(key, None)), readings)


def note_use(item: Item, reading: Reading) -> None:
    """Log the use of a response."""
    readings, response = _used.setdefault(item, {}), reading.response
    key = response.retrieved_at, response.sha256
    readings.pop(key, None)
    readings[key] = reading


_lists: dict[str, tuple[Item, ...]] = {}
"""The items behind each computed frame that does not name its items, by the digest of the items."""

_DIGEST_DIGITS = 16


def note_items(items: Iterable[Item]) -> str:
    """Log items from which a frame was computed, and return their digest, which is the same in any order."""
    own = tuple(items)
    digest = hashlib.sha256(repr(sorted(own)).encode()).hexdigest()[:_DIGEST_DIGITS]
    _lists[digest] = own
    return digest


def items_of(digest: str) -> tuple[Item, ...]:
    """Return the items of a digest; none if this process has not noted them."""
    return _lists.get(digest, ())


def behind(frame: Any) -> Mapping[Item, Reading]:
    """Return the readings from which a loader made a frame; none for other frames."""
    reference, readings = _frames.get(id(frame), (None, {}))
    return readings if reference is not None and reference() is frame else {}


def used(item: Item) -> list[Reading]:
    """Return the readings of an item that this process has used. The one that was used last comes first."""
    return list(reversed(_used.get(item, {}).values()))
