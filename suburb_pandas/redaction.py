"""The scan for API keys: whether one is in what is about to be written where others will read it.

A key can hide: percent-encoded, in base64 or hexadecimal, behind the escapes of JSON or HTML, broken over lines, in any
letter case, and in one of these within another.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from suburb_pandas.settings import Key

SHAPE: Final = "mib_live_"
"""What the service's production keys begin with: none of them is written, whoever's it is."""

SHORTEST: Final = 8
"""Letters of a key, or of the start of one; anything shorter would be found in honest data."""

_DEEPEST: Final = 3  # encodings within one another
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{11,}")
_HEXADECIMAL: Final = re.compile(r"[0-9A-Fa-f]{16,}")
_ESCAPE: Final = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{3}))")
_BREAKS: Final = re.compile(r"[\s\0\u200b-\u200d\ufeff]|\\[nrt]|\\(?=/)")

_LONGEST_LINE: Final = 200
_UNSHOWN: Final = "(not shown, as it holds an API key)"


def holds_key(text: str, keys: Iterable[str]) -> bool:
    """Whether a text holds one of the keys, or what begins like a production key, in any form."""
    needles = {SHAPE, *(key.lower() for key in keys if len(key) >= SHORTEST)}
    needles |= {_BREAKS.sub("", needle) for needle in needles}
    return any(needle in form for form in _forms(text, _DEEPEST) for needle in needles)


def _forms(text: str, depth: int) -> Iterator[str]:
    """Give a text in lower case as it is, and as what it says in each way in which it may have been encoded."""
    from html import unescape  # noqa: PLC0415 - no import of the package waits for it

    yield text.lower()
    if not depth:
        return
    for view in {unquote(text), unescape(text), _ESCAPE.sub(_character, text), _BREAKS.sub("", text)} - {text}:
        yield from _forms(view, depth - 1)
    for run in _BASE64.findall(text):
        for said in _from_base64(run):
            yield from _forms(said, depth - 1 if said.isprintable() else 0)
    for run in _HEXADECIMAL.findall(text):
        for said in _from_hexadecimal(run):
            yield from _forms(said, depth - 1 if said.isprintable() else 0)


def _character(found: re.Match[str]) -> str:
    return chr(int(found[3], 8) if found[3] else int(found[1] or found[2], 16))


def _from_base64(run: str) -> Iterator[str]:
    """Give what a run of base64 says from each letter at which it may begin."""
    letters = run.replace("-", "+").replace("_", "/")
    for start in range(4):
        some = letters[start:]
        yield b64decode(some[: len(some) // 4 * 4]).decode("latin-1")
        rest = len(some) % 4
        if rest > 1:
            yield b64decode(some + "=" * (4 - rest)).decode("latin-1")


def _from_hexadecimal(run: str) -> Iterator[str]:
    """Give what a run of hexadecimal digits says from each digit at which it may begin."""
    for some in (run, run[1:]):
        yield bytes.fromhex(some[: len(some) // 2 * 2]).decode("latin-1")


def line(text: str, secret: Key | None, longest: int = _LONGEST_LINE) -> str:
    """Give the start of a text in one line; nothing of one that holds the key, in any form, or how the key begins.

    The latter, because a text may have been cut off in the middle of it.
    """
    return _line(text[: 4 * longest], secret, longest)


@lru_cache(maxsize=128)  # the same headers come with each answer; of a body the start alone is held on to
def _line(start: str, secret: Key | None, longest: int) -> str:
    if secret is not None and holds_key(start, [secret.value, secret.value[:SHORTEST]]):
        return _UNSHOWN
    return " ".join("".join(c if c.isprintable() else " " for c in start).split())[:longest]
