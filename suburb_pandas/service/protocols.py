"""Defines what answers a request without a call: a store, a cassette, or a cassette in front of a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from suburb_pandas.service.calls import Item, Namespace, Response, StoredResponse


class ResponseSource(Protocol):
    """Finds and reads responses by item."""

    def newest(
        self, namespace: Namespace, items: Sequence[Item], *, by: str | None = None, packed: bool = False
    ) -> dict[Item, StoredResponse]:
        """Return where the newest response of each item is; ``by`` leaves out responses retrieved after that time.

        With ``packed``, payloads that are kept packed come with them.
        """

    def read(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Return the responses that were found."""

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Return every response of an item, oldest first."""


class ResponseLog(Protocol):
    """Lists responses by the number of their call, so that a reader can learn from the new ones only."""

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Return the item of each response whose call is later than ``after``, and the last settled call.

        Every call up to the settled one has ended. Calls after it may end in another order than they began.
        """

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of those calls."""

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Return the first bytes of those bodies."""


class Responses(ResponseSource, ResponseLog, Protocol):
    """Both: the responses that a request can be answered from."""
