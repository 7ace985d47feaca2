"""The scan for API keys: whether one is in what is about to be written where others will read it.

A key can hide: percent-encoded, in base64 or hexadecimal, behind JSON's escapes, broken over lines, in any letter case.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import unquote

SHAPE: Final = "mib_live_"
"""What the service's production keys begin with: none of them is written, whoever's it is."""

_SHORTEST: Final = 8  # letters of a key; anything shorter would be found in honest data
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{11,}")
_HEXADECIMAL: Final = re.compile(r"[0-9A-Fa-f]{16,}")
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_BREAKS: Final = re.compile(r"\s|\\[nrt]|\\(?=/)")


def holds_key(text: str, keys: Iterable[str]) -> bool:
    """Whether a text holds one of the keys, or what begins like a production key, in any form."""
    needles = {SHAPE, *(key.lower() for key in keys if len(key) >= _SHORTEST)}
    return any(needle in form for form in _forms(text) for needle in needles)


def _forms(text: str) -> Iterator[str]:
    """Give a text in lower case as it is, and in each way in which it may have been encoded."""
    once = unquote(text)
    views = dict.fromkeys([text, once, unquote(once), _ESCAPE.sub(_character, once)])
    for view in dict.fromkeys([*views, *(_BREAKS.sub("", view) for view in views)]):
        yield view.lower()
        for run in _BASE64.findall(view):
            yield from _from_base64(run)
        for run in _HEXADECIMAL.findall(view):
            yield from _from_hexadecimal(run)


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1] or found[2], 16))


def _from_base64(run: str) -> Iterator[str]:
    """Give what a run of base64 says from each letter at which it may begin."""
    letters = run.replace("-", "+").replace("_", "/")
    for start in range(4):
        some = letters[start:]
        yield b64decode(some[: len(some) // 4 * 4]).decode("latin-1").lower()
        rest = len(some) % 4
        if rest > 1:
            yield b64decode(some + "=" * (4 - rest)).decode("latin-1").lower()


def _from_hexadecimal(run: str) -> Iterator[str]:
    """Give what a run of hexadecimal digits says from each digit at which it may begin."""
    for some in (run, run[1:]):
        yield bytes.fromhex(some[: len(some) // 2 * 2]).decode("latin-1").lower()
