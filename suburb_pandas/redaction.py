"""Keeps API keys out of text that others may read: it finds keys in a text, and redacts a text to one line.

A key is also found if it is percent-encoded, in base64 or hexadecimal, behind the escapes of JSON or HTML, broken over
lines, in another letter case, or in one of these forms inside another.
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
"""The beginning of the service's production keys. No such key is written anywhere, not even another user's."""

SHORTEST: Final = 8
"""The length of the shortest text that is searched for as a key. Shorter ones occur in ordinary data."""

_DEEPEST: Final = 3  # encodings, one inside the other
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{11,}")
_HEXADECIMAL: Final = re.compile(r"[0-9A-Fa-f]{16,}")
_READABLE: Final = re.compile(rf"[\s\0 -~]{{{SHORTEST},}}")  # a key's letters in UTF-16 have zeros between them
_ESCAPE: Final = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{3}))")
_BREAKS: Final = re.compile(r"[\s\0\u200b-\u200d\ufeff]|\\[nrt]|\\(?=[/'\"])")

_LONGEST_LINE: Final = 200
_UNSHOWN: Final = "(not shown, as it holds an API key)"


def holds_key(text: str, keys: Iterable[str]) -> bool:
    """Return True if a text holds one of the keys, or the beginning of a production key, in any form."""
    needles = {SHAPE, *(key.lower() for key in keys if len(key) >= SHORTEST)}
    needles |= {_BREAKS.sub("", needle) for needle in needles}
    return any(needle in form for form in _forms(text, _DEEPEST) for needle in needles)


def _forms(text: str, depth: int) -> Iterator[str]:
    """Yield a text in lower case, then its decodings from each encoding that it may have, up to ``depth`` levels."""
    from html import unescape  # noqa: PLC0415 - slow to import, and few calls need it

    yield text.lower()
    if not depth:
        return
    for view in {unquote(text), unescape(text), _ESCAPE.sub(_character, text), _BREAKS.sub("", text)} - {text}:
        yield from _forms(view, depth - 1)
    for decoded in _decodings(text):
        for run in _READABLE.findall(decoded):
            yield from _forms(run, depth - 1)


def _decodings(text: str) -> Iterator[str]:
    """Yield the decodings of each run of base64 letters and of hexadecimal digits in a text."""
    for run in _BASE64.findall(text):
        yield from _from_base64(run)
    for run in _HEXADECIMAL.findall(text):
        yield from _from_hexadecimal(run)


def _character(found: re.Match[str]) -> str:
    return chr(int(found[3], 8) if found[3] else int(found[1] or found[2], 16))


def _from_base64(run: str) -> Iterator[str]:
    """Yield the decodings of a run of base64 letters, which may begin at any of the first four."""
    letters = run.replace("-", "+").replace("_", "/")
    for start in range(4):
        encoded = letters[start:]
        yield b64decode(encoded[: len(encoded) // 4 * 4]).decode("latin-1")
        rest = len(encoded) % 4
        if rest > 1:
            yield b64decode(encoded + "=" * (4 - rest)).decode("latin-1")


def _from_hexadecimal(run: str) -> Iterator[str]:
    """Yield the decodings of a run of hexadecimal digits, which may begin at the first or the second."""
    for encoded in (run, run[1:]):
        yield bytes.fromhex(encoded[: len(encoded) // 2 * 2]).decode("latin-1")


def redacted(text: str, secret: Key | None, longest: int = _LONGEST_LINE) -> str:
    """Return the beginning of a text as one printable line; if it holds the key in any form, a note in its place.

    The beginning of the key counts as the key, because a text may be cut off in the middle of it.
    """
    return _redacted(text[: 4 * longest], secret, longest)


@lru_cache(maxsize=128)  # responses repeat the same headers; of a body, only the beginning is cached
def _redacted(start: str, secret: Key | None, longest: int) -> str:
    if secret is not None and holds_key(start, [secret.value, secret.value[:SHORTEST]]):
        return _UNSHOWN
    return " ".join("".join(c if c.isprintable() else " " for c in start).split())[:longest]
