"""Finds the responses that a frame may have come from: those of its loader, those used since, and those stored.

Whether the frame did come from them is left to check, which compares values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from suburb_pandas.client import provenance_log
from suburb_pandas.client.context import RequestContext
from suburb_pandas.frames.schema import AREA_NAME, Rows, marks_of
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.reading import Reading, read


def stored_vintages(context: RequestContext, item: Item) -> list[Reading]:
    """Return every readable response about an item that is stored, or on the cassette in use, oldest first."""
    found: list[Reading] = []
    for response in context.vintages(item):
        answers = Answers()
        answers.take(item, read(item, response))
        found += answers.received().values()
    return sorted(found, key=lambda received: received.response.retrieved_at)


class Candidates:
    """The responses that a frame may have come from, for any item.

    Parameters
    ----------
    frame
        The frame. Its attrs rule out responses from other sources and, for a single suburb's frame, all but one.
    context
        Its store or cassette is searched, in addition to the responses that this process has used. If it is None, only
        the latter are searched.
    """

    def __init__(self, frame: Rows, context: RequestContext | None) -> None:
        self._logged = provenance_log.behind(frame)
        self.marks = marks_of(frame)
        self._context = context

    def first(self, items: Iterable[Item]) -> dict[Item, Reading]:
        """Return the likeliest response of each item: the loader's, else the last one used, else the newest stored."""
        found = {item: next(self._used(item), None) for item in items}
        missing = [item for item, received in found.items() if received is None]
        return {item: received for item, received in found.items() if received is not None} | self._newest(missing)

    def others(self, item: Item) -> Iterator[Reading]:
        """Yield every response of an item, the likeliest first, and the stored ones from new to old."""
        seen: set[Response] = set()
        for received in chain(self._used(item), self._stored(item)):
            if received.response not in seen:
                seen.add(received.response)
                yield received

    def _used(self, item: Item) -> Iterator[Reading]:
        """Yield the response from which a loader made the frame, then the others that this process has used."""
        if item in self._logged:
            yield self._logged[item]
        yield from (received for received in provenance_log.used(item) if self._can_be(item, received.response))

    def _newest(self, items: list[Item]) -> dict[Item, Reading]:
        if self._context is None or not items:
            return {}
        answers = Answers()
        context = self._context
        answers.take_stored(context, context.newest(items, packed=True))
        return {item: found for item, found in answers.received().items() if self._can_be(item, found.response)}

    def _stored(self, item: Item) -> Iterator[Reading]:
        stored = [] if self._context is None else stored_vintages(self._context, item)
        yield from (received for received in reversed(stored) if self._can_be(item, received.response))

    def _can_be(self, item: Item, response: Response) -> bool:
        """Return True unless the attrs of the frame name another source, or another response of this item."""
        marks = self.marks
        if item.area_name == marks.get(AREA_NAME) and "sha256" in marks:
            return (response.sha256, response.retrieved_at) == (marks["sha256"], marks.get("retrieved_at"))
        return "source" not in marks or response.source in str(marks["source"]).split(", ")
