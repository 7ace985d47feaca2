"""Logs the responses that this process has used, so that a frame can be traced to the responses behind it.

The responses behind a frame that a loader returned are known for as long as that frame lives. Those behind a frame that
was made from it, by slicing or joining, are known by item, unless several vintages of an item were used.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from itertools import count
from typing import Any

from msgspec import Struct

from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.sources import is_made_up


class Vintage(Struct, frozen=True, gc=False):
    """The facts about a stored or recorded response, without its body."""

    retrieved_at: str
    source: str
    cents: int
    sha256: str
    request_id: str | None
    made_up: bool

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
        )


_moments = count(1)
_began = 0
_used: dict[Item, dict[Vintage, int]] = {}
_frames: dict[int, tuple[weakref.ref[Any], Mapping[Item, Vintage], tuple[int, ...]]] = {}


def moment() -> int:
    """Return a number for the present moment, for the ``since`` of :func:`vintages_used`."""
    return next(_moments)


def begin(since: int) -> None:
    """Begin a session at a moment. Responses used before it count only if there are no later ones."""
    global _began  # noqa: PLW0603 - this module owns it
    _began = since


def remember(frame: Any, vintages: Mapping[Item, Vintage]) -> None:
    """Log the responses that a frame was made from."""
    key, now = id(frame), moment()
    for item, vintage in vintages.items():
        _used.setdefault(item, {})[vintage] = now
    _frames[key] = (weakref.ref(frame, lambda _: _frames.pop(key, None)), vintages, frame.shape)


def behind(frame: Any) -> Mapping[Item, Vintage] | None:
    """Return the responses behind a frame that a loader returned.

    None for any other frame, and for one that has gained or lost rows or columns.
    """
    found = _frames.get(id(frame))
    if found is None:
        return None
    seen, vintages, shape = found
    return vintages if shape == frame.shape and seen() is frame else None


def vintages_used(item: Item, since: int | None = None, source: str | None = None) -> set[Vintage]:
    """Return the vintages of an item that were used since a moment; if there are none, the earlier ones.

    By default the moment is the beginning of the session. ``source`` leaves out responses of other sources.
    """
    since = _began if since is None else since
    every = {
        one: when
        for one, when in list(_used.get(item, {}).items())
        if source is None or one.source in source.split(", ")
    }
    return {one for one, when in every.items() if when > since} or set(every)
