"""Encodes a body as its differences from an earlier one, and decodes it to the same bytes.

The bodies of a suburb's responses are nearly equal: a week later there is one more point, and a few are revised. A body
is split at its closing braces, so that each point is a piece. Rejected: zlib with the earlier body as its dictionary.
It looks back only 32 kB, and bodies of rents have up to 28 kB and grow.
"""

from __future__ import annotations

import zlib
from typing import Final

import msgspec

_BETWEEN: Final = b"}"
_MOST_PIECES: Final = 100_000

_Part = bytes | tuple[int, int]
"""A piece that is new, or a run of pieces of the earlier body: its first piece and how many there are."""

_parts: Final = msgspec.msgpack.Decoder(list[_Part])


def encode(body: bytes, base: bytes = b"") -> bytes:
    """Encode a body. ``base`` is an earlier body, which is needed again to decode it."""
    return zlib.compress(msgspec.msgpack.encode(_differences(_pieces(body), _pieces(base))))


def decode(encoded: bytes, base: bytes = b"") -> bytes:
    """Decode a body that `encode` encoded with the same base.

    Raises
    ------
    ValueError
        The encoded body is damaged.
    """
    pieces: list[bytes] = []
    known = _pieces(base)
    try:
        for part in _parts.decode(zlib.decompress(encoded)):
            pieces += [part] if isinstance(part, bytes) else known[part[0] : part[0] + part[1]]
    except (zlib.error, msgspec.MsgspecError) as problem:
        raise ValueError(problem) from None
    return _BETWEEN.join(pieces)


def _pieces(body: bytes) -> list[bytes]:
    return body.split(_BETWEEN) if body.count(_BETWEEN) < _MOST_PIECES else [body]


def _differences(pieces: list[bytes], known: list[bytes]) -> list[_Part]:
    """Return the parts of a body: the longest runs of known pieces, and the new pieces between them."""
    places = {piece: place for place, piece in enumerate(known)}
    parts: list[_Part] = []
    for piece in pieces:
        if parts and isinstance(last := parts[-1], tuple) and known[sum(last) : sum(last) + 1] == [piece]:
            parts[-1] = last[0], last[1] + 1
        elif piece in places:
            parts.append((places[piece], 1))
        else:
            parts.append(piece)
    return parts
