"""Writes items as the columns of the tables hold them, and reads rows, checking every value.

Another program may have written to a store, or a disk may have damaged it. The functions that query a store read what
they get with these functions or under `checked`, so that such a value ends in one kind of error.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Annotated, Any, Final
from zlib import crc32

import msgspec

from suburb_pandas.service.calls import BODY_LIMIT, Call, Item, Namespace, PackedPayload, Response

N_FACTS: Final = 9
"""The number of columns that hold the facts about a response."""

OF_ENDPOINT: Final = "source = ? and base_url = ? and endpoint = ?"
"""The condition on the first columns of `place_of`."""

_STATE: Final = "\t"  # separates a query from its state in the column area_name; neither can hold a tab
_UTC: Final = "+00:00"
_ZLIB: Final = b"x"  # the first byte of what zlib.compress returns
_BETWEEN: Final = b"}"
_MOST_PIECES: Final = 100_000

_Part = bytes | tuple[int, int]
"""A piece of an older compressed body: its bytes, or a run of the base's pieces, as its first and their number."""

_parts: Final = msgspec.msgpack.Decoder(Annotated[list[_Part], msgspec.Meta(max_length=_MOST_PIECES)])


class DamagedError(Exception):
    """A row of a store holds what the package never writes."""


@contextmanager
def checked() -> Iterator[None]:
    """Raise `DamagedError` if a function reads a value of another type or form than the package writes."""
    try:
        yield
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError) as problem:
        raise DamagedError(f"a row holds a value that was not written by suburb_pandas ({problem})") from None


def key_of(item: Item) -> tuple[str, str]:
    """Return an item as the columns ``endpoint`` and ``area_name`` hold it."""
    return item.endpoint, f"{item.area_name}{_STATE}{item.state}" if item.state else item.area_name


def place_of(namespace: Namespace, item: Item) -> tuple[str, str, str, str]:
    """Return where the tables hold an item: its source, base URL, endpoint and area name."""
    return namespace.source, namespace.base_url, *key_of(item)


def item_of(endpoint: Any, area_name: Any) -> Item:
    """Return the item that the columns ``endpoint`` and ``area_name`` hold."""
    name, _, state = str.partition(area_name, _STATE)
    return msgspec.convert((endpoint, name, state or None), Item)


def time(value: Any) -> str:
    """Return a time; raise `ValueError` for anything but a time in UTC."""
    datetime.fromisoformat(value)
    if not value.endswith(_UTC):
        raise ValueError(f"{value!r:.40} is no time in UTC")
    return str(value)


def call_of(row: Sequence[Any]) -> Call:
    """Read a row of the ledger: its columns are the fields of `Call`, with the item as endpoint and area name."""
    number, endpoint, area_name, at, *facts = row
    return msgspec.convert((number, item_of(endpoint, area_name), time(at), *facts), Call)


def response_of(row: Sequence[Any]) -> Response:
    """Read the facts about a response: the first columns are the first fields of `Response`."""
    found = msgspec.convert(row[:N_FACTS], Response)
    time(found.at)
    time(found.retrieved_at)
    return found


def packed_of(row: Sequence[Any]) -> PackedPayload | None:
    """Return the packed payload behind the facts about a response; None if there is none, or it is damaged.

    Its response is then decoded again.
    """
    records, checksum, small, mended, made_up, version, *_ = row[N_FACTS:]
    if not isinstance(records, bytes) or crc32(records) != checksum:
        return None
    return PackedPayload(records, bool(small), bool(mended), bool(made_up), version)


def encoded(body: bytes) -> bytes:
    """Compress a body at zlib's quickest level, at which a rent history of 28 kB becomes about 4 kB."""
    return zlib.compress(body, 1)


def body_of(stored: Any, sha256: str) -> bytes:
    """Return a body as it came, whether it is stored compressed or not; nothing of a damaged one."""
    if isinstance(stored, bytes):
        for body in (stored, beginning_of(stored, BODY_LIMIT)):
            if hashlib.sha256(body).hexdigest() == sha256:
                return body
    return b""


def beginning_of(stored: bytes, length: int) -> bytes:
    """Return the first bytes of a body, or nothing of a damaged one. No JSON begins as zlib's bodies do."""
    if not stored.startswith(_ZLIB):
        return stored[:length]
    with suppress(zlib.error):
        return zlib.decompressobj().decompress(stored, length)
    return b""


def older_body_of(stored: Any, base: bytes) -> bytes:
    """Return a body that an earlier version compressed: as its differences from a base, or alone if that is empty."""
    known = base.split(_BETWEEN) if base.count(_BETWEEN) < _MOST_PIECES else [base]
    pieces: list[bytes] = []
    room = BODY_LIMIT + 1  # the last piece has no brace behind it
    with suppress(msgspec.MsgspecError):
        for part in _parts.decode(beginning_of(stored, BODY_LIMIT)):
            run = [part] if isinstance(part, bytes) else known[part[0] : part[0] + part[1]]
            room -= sum(map(len, run)) + len(run)
            if room < 0:
                return b""
            pieces += run
    return _BETWEEN.join(pieces)


def by_item(
    connection: sqlite3.Connection, query: str, namespace: Namespace, items: Iterable[Item], *parameters: Any
) -> Iterator[tuple[Item, tuple[Any, ...]]]:
    """Run a query for the items of each endpoint, and yield each item with its row.

    The last column of the query is the ``area_name`` of the item, and its last parameter the list of these names.
    ``parameters`` come before it.
    """
    keys: dict[str, dict[str, Item]] = {}
    for item in items:
        endpoint, key = key_of(item)
        keys.setdefault(endpoint, {})[key] = item
    for endpoint, named in keys.items():
        where = (namespace.source, namespace.base_url, endpoint, *parameters, listed(named))
        for row in connection.execute(query, where):
            if row[-1] in named:  # of a name with a NUL character, some versions of SQLite see the beginning
                yield named[row[-1]], row


def listed(values: Iterable[Any]) -> str:
    """Return values as one parameter of a query: SQLite's ``json_each`` reads it, and parameters are limited."""
    return json.dumps(list(values))
