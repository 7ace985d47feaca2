"""Decompresses bodies that a server or another recorder compressed, up to a limit."""

from __future__ import annotations

import zlib
from typing import Final

_EITHER_HEADER: Final = 47  # zlib's window size for a body with the header of gzip or of zlib


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
    kind = encoding.strip().lower()
    if kind in {"", "identity"} or not body:
        return body
    if kind not in {"gzip", "deflate"}:
        raise UnknownEncodingError(encoding)
    inflater = zlib.decompressobj(_EITHER_HEADER)
    try:
        found = inflater.decompress(body, limit + 1)
    except zlib.error:
        raise CutShortError from None
    if len(found) > limit:
        raise TooLargeError
    if not inflater.eof:
        raise CutShortError
    return found
