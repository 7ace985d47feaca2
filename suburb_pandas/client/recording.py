"""Reads a store while a cassette records. Every response that is read from the store is added to the cassette."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.service.calls import Item, Namespace, Response, StoredResponse
from suburb_pandas.store.store import Store


class RecordedStore:
    """The responses of a store. Each one that is read is recorded on a cassette.

    Parameters
    ----------
    store
        The store.
    cassette
        The cassette that records.
    record
        Called with the responses that are read from the store, each with its item.
    """

    def __init__(
        self, store: Store, cassette: Cassette, record: Callable[[Iterable[tuple[Item, Response]]], None]
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
        packed: bool = False,  # noqa: ARG002 - the cassette needs the responses themselves
    ) -> dict[Item, StoredResponse]:
        """Return where the newest response of each item is, without packed payloads."""
        return self._store.newest(namespace, items, by=by)

    def read(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Return the responses that :meth:`newest` has found, and record them."""
        found = self._store.read(stored)
        self._record(found.items())
        return found

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Return every response of an item, oldest first, and record them."""
        found = self._store.vintages(namespace, item)
        self._record((item, response) for response in found)
        return found

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Return the item of each later response, and the last settled call."""
        return self._store.responses_since(namespace, after)

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of those calls."""
        return self._store.bodies(calls)

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Return the first ``length`` bytes of those bodies."""
        return self._store.beginnings(calls, length)


class CassetteThenStore(RecordedStore):
    """The responses of a cassette, and then those of a store. Each one that is read from the store is recorded.

    Calls on the cassette have numbers below zero, those in the store numbers above zero.
    """

    def newest(
        self,
        namespace: Namespace,
        items: Sequence[Item],
        *,
        by: str | None = None,
        packed: bool = False,
    ) -> dict[Item, StoredResponse]:
        """Return the response of each item on the cassette, otherwise in the store. With ``by``, the newer one wins."""
        found = super().newest(namespace, items, by=by, packed=packed)
        for item, recorded in self._cassette.newest(namespace, items, by=by).items():
            stored = found.get(item)
            if stored is None:
                found[item] = recorded
            elif by is None or recorded.retrieved_at >= stored.retrieved_at:
                found[item] = replace(recorded, call=stored.call, behind=stored)
        return found

    def read(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Return the responses that :meth:`newest` has found, and record those of the store."""
        found = super().read({item: where for item, where in stored.items() if where.response is None})
        return found | self._cassette.read(stored)

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Return every response of an item, oldest first."""
        stored = super().vintages(namespace, item)
        recorded = [response for response in self._cassette.vintages(namespace, item) if response not in stored]
        return sorted(recorded + stored, key=lambda response: response.retrieved_at)

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Return the item of each response on the cassette and of each later one in the store, and the settled call."""
        found, settled = super().responses_since(namespace, after)
        recorded, _ = self._cassette.responses_since(namespace, after)
        return recorded | found, settled

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of those calls."""
        recorded, stored = _split(calls)
        return self._cassette.bodies(recorded) | super().bodies(stored)

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Return the first ``length`` bytes of those bodies."""
        recorded, stored = _split(calls)
        return self._cassette.beginnings(recorded, length) | super().beginnings(stored, length)


def _split(calls: Iterable[int]) -> tuple[list[int], list[int]]:
    """Separate the numbers of a cassette's calls from those of a store's."""
    numbers = list(calls)
    return [call for call in numbers if call < 0], [call for call in numbers if call > 0]
