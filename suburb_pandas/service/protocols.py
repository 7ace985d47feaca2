"""Defines the protocols of stored responses, for a store, for a cassette, and for a cassette in front of a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from suburb_pandas.service.calls import Item, Namespace, Response


class ResponseSource(Protocol):
    """Finds and reads responses by item."""

    def newest(
        self,
        namespace: Namespace,
        items: Sequence[Item],
        *,
        by: str | None = None,
        since: str | None = None,
        packed: bool = False,
    ) -> dict[Item, Response]:
        """Return the facts about the newest response of each item, among those retrieved at or before ``by``.

        With ``packed``, they include the packed payloads that are stored. A response on a cassette that is older than
        ``since`` does not hide the one in the store behind it.
        """

    def read(self, stored: Mapping[Item, Response]) -> dict[Item, Response]:
        """Return the responses that :meth:`newest` has found, with their bodies."""

    def vintages(self, namespace: Namespace, item: Item) -> list[Response]:
        """Return every response of an item, oldest first."""


class ResponseLog(Protocol):
    """Lists responses by the number of their call, so that a reader can process only the new ones."""

    def responses_since(self, namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Return the item of each response whose call is later than ``after``, and the last settled call.

        Refusals are left out, because they confirm no name. The settled call and all calls before it have ended.
        Later calls may end in a different order than they began.
        """

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of the responses to these calls."""

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Return the first ``length`` bytes of these bodies."""


class Responses(ResponseSource, ResponseLog, Protocol):
    """Stored responses that can be found by item and listed by call."""
