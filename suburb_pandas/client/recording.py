"""Reads a store while a cassette records. Every response that is read from the store is added to the cassette."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.service.calls import Item, Namespace, Response
from suburb_pandas.store.store import Store


class RecordedStore:
    """The responses of a cassette that completes itself, and then those of a store.

    Calls on the cassette have numbers below zero, those in the store numbers above zero.

    Parameters
    ----------
    store
        The store.
    cassette
        The cassette, if its responses are used before those of the store.
    record
        Called with the responses that are read from the store, each with its item.
    """

    def __init__(
        self, store: Store, cassette: Cassette | None, record: Callable[[Iterable[tuple[Item, Response]]], None]
    ) -> None:
        self._store = store
        self._cassette = cassette
        self._record = record

    def newest(
        self,
        namespace: Namespace,
        items: Sequence[Item],
        *,
        by: str | None = None,
        since: str | None = None,
        packed: bool = False,  # noqa: ARG002 - the cassette needs the responses themselves
    ) -> dict[Item, Response]:
        """Return the response of each item on the cassette, otherwise in the store. With ``by``, the newer one wins."""
        found = self._store.newest(namespace, items, by=by)
        recorded = self._cassette.newest(namespace, items, by=by) if self._cassette else {}
        for item, response in recorded.items():
            stored = found.get(item, Response())
            is_newer = by is None or response.retrieved_at >= stored.retrieved_at
            if is_newer and (since is None or response.at >= since):
                found[item] = replace(response, call=stored.call)
        return found

    def read(self, stored: Mapping[Item, Response]) -> dict[Item, Response]:
        """Return the responses that :meth:`newest` has found, and record those of the store."""
        found = self._store.read({item: response for item, response in stored.items() if response.body is None})
        self._record(found.items())
        return {item: found.get(item, response) for item, response in stored.items()}

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Return every response of an item, oldest first, and record those of the store."""
        found = self._store.vintages(namespace, item)
        self._record((item, response) for response in found)
        recorded = self._cassette.vintages(namespace, item) if self._cassette else []
        only_recorded = [response for response in recorded if response not in found]
        return sorted(only_recorded + found, key=lambda response: response.retrieved_at)

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Return the item of each response on the cassette and of each later one in the store, and the settled call."""
        found, settled = self._store.responses_since(namespace, after)
        recorded, _ = self._cassette.responses_since(namespace, after) if self._cassette else ({}, 0)
        return recorded | found, settled

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of those calls."""
        numbers = list(calls)
        recorded = self._cassette.bodies(call for call in numbers if call < 0) if self._cassette else {}
        return recorded | self._store.bodies(call for call in numbers if call > 0)

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Return the first ``length`` bytes of those bodies, or fewer."""
        numbers = list(calls)
        recorded = self._cassette.bodies(call for call in numbers if call < 0) if self._cassette else {}
        return recorded | self._store.beginnings((call for call in numbers if call > 0), length)
