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


class UnknownEncodingError(ValueError):
    """The encoding is not one of those that are read here."""


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
    kind = encoding.strip().lower()
    if kind in {"", "identity"} or not body:
        return body
    if kind not in _WINDOWS:
        raise UnknownEncodingError(kind)
    for window in _WINDOWS[kind]:
        inflater = zlib.decompressobj(window)
        with suppress(zlib.error):
            found = inflater.decompress(body, limit + 1)
            if len(found) > limit:
                raise TooLargeError
            if inflater.eof:
                return found
    raise CutShortError
