"""Writes items as the columns of the tables hold them, and runs queries for many items, a few hundred at a time."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from suburb_pandas.service.calls import Item, Namespace

_KEYS_A_QUERY = 500  # every SQLite takes 999 parameters; some take no more
_STATE = "\t"  # separates a query from its state in the column area_name; neither can hold a tab


def key_of(item: Item) -> tuple[str, str]:
    """Return an item as the columns ``endpoint`` and ``area_name`` hold it."""
    return item.endpoint, f"{item.area_name}{_STATE}{item.state}" if item.state else item.area_name


def item_of(endpoint: str, area_name: str) -> Item:
    """Return the item that the columns ``endpoint`` and ``area_name`` hold."""
    name, _, state = area_name.partition(_STATE)
    return Item(endpoint, name, state or None)


def by_item(
    connection: sqlite3.Connection,
    query: str,
    namespace: Namespace,
    items: Iterable[Item],
    parameters: tuple[Any, ...] = (),
) -> Iterator[tuple[Item, tuple[Any, ...]]]:
    """Run a query for the items of each endpoint, a few hundred at a time, and yield each item with its row.

    The last column of the query is the ``area_name`` of the item. ``parameters`` come before the keys of the items.
    """
    keys: defaultdict[str, dict[str, Item]] = defaultdict(dict)
    for item in items:
        endpoint, key = key_of(item)
        keys[endpoint][key] = item
    for endpoint, items_by_key in keys.items():
        for piece in pieces(items_by_key):
            where = (namespace.source, namespace.base_url, endpoint, *parameters, *piece)
            for row in connection.execute(query.format(marks(piece)), where):
                yield items_by_key[row[-1]], row


def pieces(keys: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield the keys in lists that are short enough to be the parameters of a query."""
    all_keys = list(keys)
    for start in range(0, len(all_keys), _KEYS_A_QUERY):
        yield all_keys[start : start + _KEYS_A_QUERY]


def marks(keys: list[Any]) -> str:
    """Return a question mark for each key, as a query needs them."""
    return ", ".join("?" * len(keys))
