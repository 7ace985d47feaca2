"""Keeps API keys out of texts that others may read: finds keys, redacts a text to one line, and cuts keys out.

`holds_key` and `redacted` also find a key that is percent-encoded, in base64 or hexadecimal, behind the escapes of
JSON, Python or HTML, broken over lines, in another letter case, or in one of these forms inside another, three deep.
`without_key`, which reads every response, knows fewer forms.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
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
_ESCAPE: Final = re.compile(r"(?<!\\)\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{3}))")
_BREAKS: Final = re.compile(r"[\s\0\u200b-\u200d\ufeff]|\\[nrt]|\\(?=[/'\"])")

_LONGEST_LINE: Final = 200
_UNSHOWN: Final = "(not shown, as it holds an API key)"

CUT_OUT: Final = b"[redacted]"
"""The bytes that replace a key that was cut out. JSON needs no escapes for them."""

_ESCAPED: Final = re.compile(rb"%[2-7]|\\(?:u00[2-7]|[\"'/\\])")  # the beginning of an escape of printable ASCII
_CUT_ESCAPE: Final = r"(?:(?<!\\)\\++(?:u[0-9a-fA-F]{0,3})?)?"
_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_FOR_URLS: Final = {ord("+"): b"+-", ord("/"): b"/_"}
_MAY_BE_ESCAPED: Final = {*b"/\"'"}
# A letter and its capital differ in bit 5, which is bit 1, 3 or 5 of a base64 letter. Bits 0, 2 and 4 ignore the case.
_CASELESS: Final = bytes.maketrans(_ALPHABET + b"-_", bytes(value & 0b010101 for value in [*range(64), 62, 63]))


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
    """Return the beginning of a text as one printable line, or a note instead if it holds the key in any form.

    The beginning of the key counts as the key, because the text may be cut off in the middle of the key.
    """
    return _redacted(text[: 4 * longest], secret, longest)


@lru_cache(maxsize=128)  # responses repeat the same headers; of a body, only the beginning is cached
def _redacted(start: str, secret: Key | None, longest: int) -> str:
    if secret is not None and holds_key(start, [secret.value, secret.value[:SHORTEST]]):
        return _UNSHOWN
    return " ".join("".join(c if c.isprintable() else " " for c in start).split())[:longest]


def without_key(body: bytes, secret: Key | None) -> bytes:
    """Return a body with each occurrence of the key replaced by ``[redacted]``. JSON stays JSON.

    The key is found in any letter case: plain, percent-encoded, behind the escapes of JSON, and in any mixture of the
    three. It is also found in base64 of either alphabet, wherever its bytes begin there; the base64 may be plain or in
    such a mixture, too. Rejected: cutting out production keys of other users, which begin with `SHAPE`. Nobody knows
    where such a key ends, and a body is changed only for our own key.
    """
    if secret is None or len(secret.value) < SHORTEST or not _needles(secret).may_be_in(body):
        return body
    return _pattern(secret).sub(CUT_OUT, body)


class _Needles:
    """Parts of a key that are searched for at little cost. Neither repr nor traceback shows them."""

    __slots__ = ("_in_base64", "_plain")

    def __init__(self, secret: Key) -> None:
        self._plain = secret.value.lower().encode()
        self._in_base64 = [bytes(map(min, letters)).translate(_CASELESS) for letters in _in_base64(secret)]

    def may_be_in(self, body: bytes) -> bool:
        """Return False if a body certainly does not hold the key; 25 kB take 0.06 ms."""
        may_be_escaped = (b"%" in body or b"\\" in body) and _ESCAPED.search(body)  # the pattern alone takes 0.1 ms
        if may_be_escaped or self._plain in body.lower():
            return True
        caseless = body.translate(_CASELESS)
        return any(needle in caseless for needle in self._in_base64)


_needles = lru_cache(maxsize=8)(_Needles)


@lru_cache(maxsize=8)
def _pattern(secret: Key) -> re.Pattern[bytes]:
    """Return the pattern of a key in any form. It includes an escape before the key that would be cut in two."""
    plain = [{*pair} for pair in zip(secret.value.lower().encode(), secret.value.upper().encode(), strict=True)]
    forms = ("".join(map(_any_of, letters)) for letters in (plain, *_in_base64(secret)))
    return re.compile(f"{_CUT_ESCAPE}(?:{'|'.join(forms)})".encode())


def _in_base64(secret: Key) -> Iterator[list[set[int]]]:
    """Yield the letters of a key in base64, for each of the three places in a group where its bytes may begin.

    Each letter is a set of the bytes that it may be, in any case of the key and in either alphabet. A letter that the
    key shares with the bytes beside it is left out.
    """
    for before in range(3):
        whole = slice(-(-8 * before // 6), 8 * (before + len(secret.value)) // 6)
        lower, upper = (
            b64encode(bytes(before) + key.encode() + bytes(2))[whole]
            for key in (secret.value.lower(), secret.value.upper())
        )
        yield [
            {letter for one in pair for letter in _FOR_URLS.get(one, [one])} for pair in zip(lower, upper, strict=True)
        ]


def _any_of(letters: set[int]) -> str:
    """Return the pattern of any of these letters: plain, percent-encoded (even repeatedly), or behind an escape.

    Backslashes are matched from the first of a run only, because a run can be as long as the body.
    """
    if ord("\\") in letters:  # JSON doubles it
        return r"(?:(?i:%(?:25)*5c)|(?<!\\)\\++(?:u005c)?)"
    codes = "|".join(f"{letter:02x}" for letter in letters)
    plain = "".join(f"\\x{letter:02x}" for letter in letters)
    escaped = f"u00(?:{codes})" + (f"|[{plain}]" if letters & _MAY_BE_ESCAPED else "")
    backslash = "(?:%(?:25)*5c){0,2}" if letters & _MAY_BE_ESCAPED else ""
    return rf"(?:[{plain}]|(?i:{backslash}%(?:25)*(?:{codes})|(?<!\\)\\++(?:{escaped})))"
