"""Decompresses bodies that a server or another recorder compressed, up to a limit."""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Final

_WINDOWS: Final = {
    "gzip": (31,),
    "x-gzip": (31,),
    "deflate": (15, -15),
}  # zlib's window sizes: deflate comes with zlib's header, or raw from some servers

_PIECE: Final = 2**12  # bytes; zlib copies the rest of a piece at the end of each stream in it


class UnknownEncodingError(ValueError):
    """The encoding is not known here."""


class CutShortError(ValueError):
    """The compressed body is damaged, or breaks off."""


class TooLargeError(ValueError):
    """The decompressed body would be larger than the size limit."""


def uncompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """Decompress a body by its ``Content-Encoding``, to at most ``limit`` bytes. Without one, return it as it is.

    Raises
    ------
    UnknownEncodingError, CutShortError, TooLargeError
        The body cannot be decompressed.
    """
    kinds = [kind.strip() for kind in encoding.lower().split(",")]
    for kind in reversed(kinds):  # in the order in which they were applied
        if kind not in {"", "identity"} and body:
            body = _inflated(body, kind, limit)
    return body


def _inflated(body: bytes, kind: str, limit: int) -> bytes:
    if kind not in _WINDOWS:
        raise UnknownEncodingError(kind)
    for window in _WINDOWS[kind]:
        with suppress(zlib.error):
            return _inflated_members(body, window, limit)
    raise CutShortError


def _inflated_members(body: bytes, window: int, limit: int) -> bytes:
    """Decompress a body that consists of one compressed stream, or of several one after the other."""
    found, inflater = bytearray(), zlib.decompressobj(window)
    for start in range(0, len(body), _PIECE):
        piece = body[start : start + _PIECE]
        while piece:
            if inflater.eof:
                inflater = zlib.decompressobj(window)
            found += inflater.decompress(piece, limit + 1 - len(found))
            if len(found) > limit:
                raise TooLargeError
            piece = inflater.unused_data
    if not inflater.eof:
        raise CutShortError
    return bytes(found)
