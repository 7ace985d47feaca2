"""A store while a cassette records: what it gives goes into the cassette as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.service.calls import Item, Namespace, Response, StoredResponse
from suburb_pandas.store.store import Store


class RecordedStore(Store):
    """The same store, of which a cassette keeps what it gives.

    Parameters
    ----------
    store
        The store.
    cassette
        The cassette.
    keep
        What is called with each answer that the store gives.
    """

    def __init__(self, store: Store, cassette: Cassette, keep: Callable[[Item, Response], None]) -> None:
        self.path, self.database = store.path, store.database
        self._cassette, self._keep = cassette, keep

    def newest(
        self,
        namespace: Namespace,
        items: Sequence[Item],
        *,
        by: str | None = None,
        histories: bool = False,  # noqa: ARG002 - the cassette is to have what came
    ) -> dict[Item, StoredResponse]:
        """Give where the newest response of each item is, with nothing at hand."""
        return super().newest(namespace, items, by=by)

    def read(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Give the responses that are stored there, and have the cassette keep them."""
        found = super().read(stored)
        for item, response in found.items():
            self._keep(item, response)
        return found


class StoreBehindCassette(RecordedStore):
    """The same, where the cassette is asked before the store."""

    def newest(
        self,
        namespace: Namespace,
        items: Sequence[Item],
        *,
        by: str | None = None,
        histories: bool = False,  # noqa: ARG002 - as above
    ) -> dict[Item, StoredResponse]:
        """Give where the newest response of each item is: the cassette's before the store's, unless a time is given."""
        found = super().newest(namespace, items, by=by)
        for item, first in self._cassette.newest(namespace, items, by=by).items():
            stored = found.get(item)
            if stored is None:
                found[item] = first
            elif by is None or first.retrieved_at >= stored.retrieved_at:
                found[item] = replace(first, call=stored.call, behind=stored)
        return found

    def read(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Give the responses that are there, and keep those of the store."""
        found = super().read({item: where for item, where in stored.items() if where.response is None})
        return found | self._cassette.read(stored)

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Give every response of an item, oldest first."""
        stored = super().vintages(namespace, item)
        every = [one for one in self._cassette.vintages(namespace, item) if one not in stored] + stored
        return sorted(every, key=lambda response: response.retrieved_at)

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Give the calls that brought a response, those of the cassette with numbers below zero."""
        found, settled = super().responses_since(namespace, after)
        taped, _ = self._cassette.responses_since(namespace, after)
        return taped | found, settled

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Give the bodies that those calls brought."""
        taped, stored = _parted(calls)
        return self._cassette.bodies(taped) | super().bodies(stored)

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Give the first bytes of the bodies that those calls brought."""
        taped, stored = _parted(calls)
        return self._cassette.beginnings(taped, length) | super().beginnings(stored, length)


def _parted(calls: Iterable[int]) -> tuple[list[int], list[int]]:
    """Part the numbers of a cassette's answers from those of a store's."""
    every = list(calls)
    return [call for call in every if call < 0], [call for call in every if call > 0]
