"""Logs the responses that this process has used, with their payloads, so that the values of a frame can be checked.

If a loader returned a frame, the responses behind it are known for as long as the frame lives. For any other frame,
responses are searched by item, and the values of the frame decide. Comparing values is left to tracing.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.sources import is_made_up
from suburb_pandas.service.urls import host_of


class Vintage(Struct, frozen=True, gc=False):
    """The facts about a stored or recorded response, without its body. ``host`` is the host that sent it."""

    retrieved_at: str
    source: str
    cents: int
    sha256: str
    request_id: str | None
    made_up: bool
    host: str

    @classmethod
    def of(cls, response: Response) -> Vintage:
        """Return the facts about a response."""
        return cls(
            response.retrieved_at,
            response.source,
            response.cents,
            response.sha256,
            response.request_id,
            is_made_up(response.headers, response.source),
            host_of(response.url),
        )


class Received(NamedTuple):
    """The payload of a response, packed if its endpoint packs payloads, and the facts about the response."""

    vintage: Vintage
    payload: Any


_used: dict[Item, dict[Vintage, Any]] = {}
"""The payloads of each item that were used, by vintage. The one that was used last comes last."""

_frames: dict[int, tuple[weakref.ref[Any], tuple[Item, ...], Mapping[Item, Vintage]]] = {}
"""Each frame by its identity, with its items, and with their vintages if a loader returned it."""


def remember(frame: Any, received: Mapping[Item, Received]) -> None:
    """Log the use of responses, and that a frame was made from them."""
    for item, one in received.items():
        note_use(item, one)
    _log_frame(frame, received, {item: vintage for item, (vintage, _) in received.items()})


def note_use(item: Item, received: Received) -> None:
    """Log the use of a response."""
    vintage, payload = received
    vintages = _used.setdefault(item, {})
    vintages.pop(vintage, None)
    vintages[vintage] = payload


_lists: dict[str, tuple[Item, ...]] = {}
"""The items behind each computed frame that does not name its items, by the digest of the items."""

_DIGEST_DIGITS = 16


def note_items(items: Iterable[Item]) -> str:
    """Log items from which a frame was computed, and return their digest, which is the same in any order."""
    own = tuple(items)
    lines = "\n".join(sorted(f"{item.endpoint}\t{item.area_name}" for item in own))
    digest = hashlib.sha256(lines.encode()).hexdigest()[:_DIGEST_DIGITS]
    _lists[digest] = own
    return digest


def items_of(digest: str) -> tuple[Item, ...]:
    """Return the items of a digest; none if this process has not noted them."""
    return _lists.get(digest, ())


def _log_frame(frame: Any, items: Iterable[Item], vintages: Mapping[Item, Vintage]) -> None:
    key = id(frame)
    _frames[key] = (weakref.ref(frame, lambda _: _frames.pop(key, None)), tuple(items), vintages)


def items_behind(frame: Any) -> tuple[Item, ...]:
    """Return the items of a frame that a loader returned; none for other frames."""
    reference, items, _ = _frames.get(id(frame), (None, (), {}))
    return items if reference is not None and reference() is frame else ()


def behind(frame: Any) -> Mapping[Item, Vintage]:
    """Return the vintages from which a loader made a frame; none for other frames."""
    reference, _, vintages = _frames.get(id(frame), (None, (), {}))
    return vintages if reference is not None and reference() is frame else {}


def received_as(item: Item, vintage: Vintage) -> Received:
    """Return a response about an item from which a loader made a frame."""
    return Received(vintage, _used[item][vintage])


def used(item: Item) -> list[Received]:
    """Return the responses about an item that this process has used. The one that was used last comes first."""
    return [Received(vintage, payload) for vintage, payload in reversed(list(_used.get(item, {}).items()))]
