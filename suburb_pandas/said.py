"""What the service says, as it can be shown to people and noted: one line, printable, short, and without a key."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from .key_scan import SHORTEST, holds_key
from .settings import Key

_LONGEST: Final = 200
_UNSHOWN: Final = "(not shown, as it holds an API key)"


def line(text: str, secret: Key | None, longest: int = _LONGEST) -> str:
    """Give the start of a text in one line; nothing of one that holds the key, in any form, or how the key begins.

    The latter, because a text may have been cut off in the middle of it.
    """
    return _line(text[: 4 * longest], secret, longest)


@lru_cache(maxsize=128)  # the same headers come with each answer; of a body the start alone is held on to
def _line(start: str, secret: Key | None, longest: int) -> str:
    if secret is not None and holds_key(start, [secret.value, secret.value[:SHORTEST]]):
        return _UNSHOWN
    return " ".join("".join(c if c.isprintable() else " " for c in start).split())[:longest]
