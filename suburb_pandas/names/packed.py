"""Packs a gazetteer with its search index into bytes, so that a store can keep what takes long to build."""

from __future__ import annotations

from typing import Final
from zlib import crc32

import msgspec

from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.index import SearchIndex, build

FORMAT: Final = 1
"""The number of the layout. A gazetteer packed in another layout is built again."""

_CHECK: Final = 4  # bytes of a CRC-32, which come first


class _Packed(msgspec.Struct, array_like=True):
    places: list[Place]
    bases: list[str]
    index: SearchIndex


_DECODER: Final = msgspec.msgpack.Decoder(_Packed)


def pack(gazetteer: Gazetteer) -> bytes:
    """Pack the places of a gazetteer, their bases and their index."""
    places = list(gazetteer)
    index = build([place.area_name for place in places])
    packed = msgspec.msgpack.encode(_Packed(places, list(gazetteer.bases), index))
    return crc32(packed).to_bytes(_CHECK) + packed


def unpack(packed: bytes, *, complete: bool, said_by: str) -> Gazetteer | None:
    """Return the gazetteer that was packed; None if the bytes are damaged."""
    if crc32(packed[_CHECK:]).to_bytes(_CHECK) != packed[:_CHECK]:
        return None
    read = _DECODER.decode(memoryview(packed)[_CHECK:])
    indexes = ((read.index, [place.area_name for place in read.places]),)
    return Gazetteer(read.places, complete=complete, said_by=said_by, bases=read.bases, indexes=indexes)
