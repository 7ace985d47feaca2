"""What this process has served, so that a frame of it can be traced to the responses that it came from.

Of a frame that a loader gave, its very responses are known for as long as it lives. Of what was made from it, by
slicing or joining, they are known by what they are of, unless it may have come from several vintages of that.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from itertools import count
from typing import Any

from msgspec import Struct

from suburb_pandas.service import endpoints as wire
from suburb_pandas.service.calls import Item, Response


class Vintage(Struct, frozen=True, gc=False):
    """A stored or recorded response without its body."""

    retrieved_at: str
    source: str
    cents: int
    sha256: str
    request_id: str | None
    made_up: bool

    @classmethod
    def of(cls, response: Response) -> Vintage:
        """Describe a response."""
        return cls(
            response.retrieved_at,
            response.source,
            response.cents,
            response.sha256,
            response.request_id,
            wire.is_made_up(response.headers, response.source),
        )


_moments = count(1)
_began = 0
_served: dict[Item, dict[Vintage, int]] = {}
_frames: dict[int, tuple[weakref.ref[Any], Mapping[Item, Vintage], tuple[int, ...]]] = {}


def moment() -> int:
    """Give a number for now, by which :func:`served` knows what came since."""
    return next(_moments)


def begin(since: int) -> None:
    """Begin a session: what was served before is not what is meant, unless there is nothing else."""
    global _began  # noqa: PLW0603 - this is its owner
    _began = since


def remember(frame: Any, vintages: Mapping[Item, Vintage]) -> None:
    """Remember what a frame was made from."""
    key, now = id(frame), moment()
    for item, vintage in vintages.items():
        _served.setdefault(item, {})[vintage] = now
    _frames[key] = (weakref.ref(frame, lambda _: _frames.pop(key, None)), vintages, frame.shape)


def behind(frame: Any) -> Mapping[Item, Vintage] | None:
    """Give what a frame that a loader gave was made from; None for any other, or where rows or columns came or went."""
    found = _frames.get(id(frame))
    if found is None:
        return None
    seen, vintages, shape = found
    return vintages if shape == frame.shape and seen() is frame else None


def served(item: Item, since: int | None = None, source: str | None = None) -> set[Vintage]:
    """Give the vintages of something that were served from a source since a moment; where there are none, earlier.

    Without one, it is since the session began.
    """
    since = _began if since is None else since
    every = {
        one: when
        for one, when in list(_served.get(item, {}).items())
        if source is None or one.source in source.split(", ")
    }
    return {one for one, when in every.items() if when > since} or set(every)
