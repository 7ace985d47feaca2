"""What this process has served, so that a frame of it can be traced to the responses that it came from.

Of a frame that a loader gave, its very responses are known for as long as it lives. Of what was made from it, by
slicing or joining, they are known by suburb, unless one store served several vintages of that suburb.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .calls import Response


class Subject(NamedTuple):
    """What a response is about, and whose it is."""

    source: str
    endpoint: str
    area_name: str


@dataclass(frozen=True, slots=True)
class Vintage:
    """A stored response without its body."""

    retrieved_at: str
    source: str
    cents: int
    sha256: str
    request_id: str | None

    @classmethod
    def of(cls, response: Response, source: str) -> Vintage:
        """Describe a response."""
        return cls(response.retrieved_at, source, response.cents, response.sha256, response.request_id)


_served: dict[Subject, dict[Path, set[Vintage]]] = {}
_frames: dict[int, tuple[weakref.ref[Any], Mapping[str, Vintage], int]] = {}


def remember(frame: Any, endpoint: str, source: str, store: Path, responses: Mapping[str, Response]) -> None:
    """Remember what a frame was made from, by suburb, and by which store."""
    vintages = {name: Vintage.of(response, source) for name, response in responses.items()}
    key = id(frame)
    for name, vintage in vintages.items():
        _served.setdefault(Subject(source, endpoint, name), {}).setdefault(store, set()).add(vintage)
    _frames[key] = (weakref.ref(frame, lambda _: _frames.pop(key, None)), vintages, len(frame))


def behind(frame: Any) -> Mapping[str, Vintage] | None:
    """Give what a frame that a loader gave was made from, by suburb; None for any other frame."""
    found = _frames.get(id(frame))
    return found[1] if found and found[0]() is frame else None


def all_behind(frame: Any) -> Iterable[str]:
    """Name the suburbs behind a frame that a loader gave; none for any other, nor where rows were added or dropped."""
    found = behind(frame)
    return found if found is not None and _frames[id(frame)][2] == len(frame) else ()


def served(subject: Subject, store: Path | None = None) -> set[Vintage]:
    """Give the vintages of a subject that a store has served to this process; else those that any has."""
    by_store = _served.get(subject, {})
    return set(by_store[store]) if store in by_store else set().union(*list(by_store.values()))
