"""Logs the responses that this process has used, so that a frame can be traced to the responses behind it.

The responses behind a frame that a loader returned are known for as long as that frame lives. A frame that was made
from it, by slicing or joining, is traced by item, which is unique unless several vintages of an item were used.
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
    """Return a number for the present moment, as `vintages_used` takes it. Later moments have higher numbers."""
    return next(_moments)


def begin(since: int) -> None:
    """Begin a session at a moment. A response that was used earlier counts only if its item has no later one."""
    global _began  # noqa: PLW0603 - this module owns it
    _began = since


def remember(frame: Any, vintages: Mapping[Item, Vintage]) -> None:
    """Log the use of responses, and that a frame was made from them."""
    now = moment()
    for item, vintage in vintages.items():
        _used.setdefault(item, {})[vintage] = now
    attribute(frame, vintages)


def attribute(frame: Any, vintages: Mapping[Item, Vintage]) -> None:
    """Log that a frame was made from responses whose use is logged already."""
    key = id(frame)
    _frames[key] = (weakref.ref(frame, lambda _: _frames.pop(key, None)), vintages, frame.shape)


def behind(frame: Any) -> Mapping[Item, Vintage] | None:
    """Return the responses behind a frame that a loader returned.

    Return None for any other frame, and if the frame has gained or lost rows or columns.
    """
    found = _frames.get(id(frame))
    if found is None:
        return None
    reference, vintages, shape = found
    return vintages if shape == frame.shape and reference() is frame else None


def vintages_used(item: Item, since: int | None = None, source: str | None = None) -> set[Vintage]:
    """Return the vintages of an item that were used since a moment; if none were, those used earlier.

    By default the moment is the beginning of the session. ``source`` is one source or several, as in ``live, sandbox``;
    vintages of other sources are left out.
    """
    since = _began if since is None else since
    last_used = {
        vintage: when
        for vintage, when in list(_used.get(item, {}).items())
        if source is None or vintage.source in source.split(", ")
    }
    return {vintage for vintage, when in last_used.items() if when > since} or set(last_used)
