"""Compresses the older responses of items that were bought again. The newest one stays as it came.

The first of them is compressed alone, as a base, and the next ones as their differences from it. A response that
differs too much becomes the next base. Rejected: differences from the previous response. They are smaller, but reading
the last of a year's responses would decode all of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

from suburb_pandas.service.calls import Item, Namespace, Response
from suburb_pandas.store import calls_table, compressed_table
from suburb_pandas.store.compressed_table import Body, Compressed
from suburb_pandas.store.database import Database
from suburb_pandas.store.deltas import decode, encode

_SMALLEST: Final = 400  # bytes; a smaller body is left as it is
_LARGEST_SHARE: Final = 1 / 4  # of the base's encoding
_AT_ONCE: Final = 500  # bodies


class _Base(NamedTuple):
    """A body that was compressed alone: its call, its bytes, and the length of its encoding."""

    call: int
    body: bytes
    length: int


def compress_older(database: Database, namespace: Namespace, items: Iterable[Item]) -> None:
    """Compress the responses of these items, except the newest of each.

    A body is replaced only after its compressed form was decoded to the same bytes.

    Raises
    ------
    StoreError
        The store cannot be read or written, or is busy. The other bodies stay as they are.
    """
    with database.reading() as connection:
        bodies = compressed_table.bodies_of(connection, namespace, items)
    compressed = chain.from_iterable(_compressed(database, older) for *older, _ in bodies.values())
    while batch := list(islice(compressed, _AT_ONCE)):
        with database.writing(waits=False) as connection:
            compressed_table.put(connection, batch)


def _compressed(database: Database, older: Sequence[Body]) -> Iterator[Compressed]:
    """Yield the bodies of one item that can be compressed, oldest first."""
    if not any(body.length >= _SMALLEST for body in older):
        return
    with database.reading() as connection:
        wanted = [body.call for body in older if body.base_length or body.length >= _SMALLEST]
        responses = _whole(connection, wanted)
    base: _Base | None = None
    for call, length, base_length in older:
        if call not in responses:
            continue
        body = responses[call].body
        if base_length:
            base = _Base(call, body, base_length)
            continue
        encoded = _encoded(call, body, base)
        if len(encoded.data) < length and decode(encoded.data, base.body if base and encoded.base else b"") == body:
            yield encoded
            base = base if encoded.base else _Base(call, body, len(encoded.data))


def _encoded(call: int, body: bytes, base: _Base | None) -> Compressed:
    """Encode a body as its differences from the base, or alone if there is no base or it differs too much."""
    if base is not None:
        data = encode(body, base.body)
        if len(data) <= base.length * _LARGEST_SHARE:
            return Compressed(call, base.call, data)
    return Compressed(call, None, encode(body))


def _whole(connection: sqlite3.Connection, calls: Sequence[int]) -> dict[int, Response]:
    """Return the undamaged responses of those calls."""
    found = calls_table.responses(connection, calls)
    return {call: response for call, response in found.items() if response.is_whole}
