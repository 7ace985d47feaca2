"""Keeps API keys out of texts that others may read: finds keys, redacts a text to one line, and cuts keys out.

A key is found in any letter case, percent-encoded, JSON-escaped and in any mixture of these, and in base64.
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from suburb_pandas.settings import Key

SHAPE: Final = "mib_live_"
"""The beginning of the service's production keys. Cassettes refuse text that holds it, even if the key is another's."""

SHORTEST: Final = 8
"""The length of the shortest text that is searched for as a key. Shorter ones occur in ordinary data."""


def holds_key(text: str, keys: Iterable[str]) -> bool:
    """Return True if a text holds one of the keys, or the beginning of a production key."""
    body = text.encode("utf-8", "replace")
    return any(_is_in(body, key) for key in (SHAPE, *keys))


def redacted(text: str, secret: Key | None, longest: int = 200) -> str:
    """Return the beginning of a text as one printable line, or a note instead if it holds the key or a production key.

    The beginning of the key counts as the key, because the text may be cut off in the middle of the key.
    """
    start = text[: 4 * longest]
    if holds_key(start, [] if secret is None else [secret.value[:SHORTEST]]):
        return "(not shown, as it holds an API key)"
    printable = "".join(c if c.isprintable() else " " for c in start)
    return " ".join(printable.split())[:longest]


def without_key(body: bytes, secret: Key | None) -> bytes:
    """Return a body with each occurrence of the key replaced by ``[redacted]``. JSON stays JSON.

    Rejected: cutting out production keys of other users, which begin with `SHAPE`. Nobody knows where such a key ends,
    and a body is changed only for our own key.
    """
    if secret is None or not _is_in(body, secret.value):
        return body
    return _pattern(secret.value).sub(b"[redacted]", body)  # JSON needs no escapes for it


def _is_in(body: bytes, key: str) -> bool:
    """Return True if a body holds a key. The pattern, which takes 1 ms for 25 kB, is used only if there are escapes."""
    if len(key) < SHORTEST:
        return False
    plain, *encoded = _forms(key)
    has_escapes = b"%" in body or b"\\" in body
    is_plain = plain.lower() in body.lower() or any(form in body for form in encoded)
    return is_plain or (has_escapes and _pattern(key).search(body) is not None)


@lru_cache(maxsize=8)
def _forms(key: str) -> tuple[bytes, ...]:
    """Return a key as it is, and in base64 of either alphabet, for each place in a group where its bytes may begin.

    Of base64, the letters that the key shares with the bytes beside it are left out.
    """
    plain = key.encode()
    encoded = [
        encode(bytes(before) + plain + bytes(2))[-(-8 * before // 6) : 8 * (before + len(plain)) // 6]
        for encode in (b64encode, urlsafe_b64encode)
        for before in range(3)
    ]
    return (plain, *encoded)


@lru_cache(maxsize=8)
def _pattern(key: str) -> re.Pattern[bytes]:
    plain, *encoded = ("".join(map(_written, form.decode())) for form in _forms(key))
    return re.compile("|".join([f"(?i:{plain})", *encoded]).encode())


def _written(letter: str) -> str:
    """Return the pattern of a letter: as it is, percent-encoded, or escaped as in JSON."""
    escape = "" if letter.isalnum() else r"\\?"
    return rf"(?:{escape}{re.escape(letter)}|(?i:%{ord(letter):02x}|\\u{ord(letter):04x}))"
