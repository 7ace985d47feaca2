"""Compares the vintages of a response, and finds the numbers that were revised, removed or added between them.

A vintage of a series covers the dates from its first point to its last. A new date at the end is no revision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import DataWarning
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import BODIES_AT_ONCE, Item, StoredResponse
from suburb_pandas.service.endpoint import Numbers
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.reading import read

Status = Literal["revised", "removed", "added"]
Key = tuple[str | None, str]
"""The property type and date of a number, or its label and field."""


class History(NamedTuple):
    """A vintage to compare: when it was retrieved, its numbers, and the dates that it covers by property type.

    Without ``spans`` it covers everything, as a list of drivers does.
    """

    retrieved_at: str
    numbers: Numbers
    spans: Mapping[str | None, tuple[str, str]] | None

    def covers(self, key: Key) -> bool:
        """Return True if a number would be in this vintage if it existed at the time."""
        if self.spans is None:
            return True
        first, last = self.spans.get(key[0], ("~", ""))
        return first <= key[1] <= last


class Revision(NamedTuple):
    """A number that differs between vintages: its values in the first and in the last one that cover it."""

    key: Key
    first_value: float | None
    last_value: float | None
    n_values: int
    first_retrieved_at: str
    last_retrieved_at: str
    status: Status

    @property
    def change_pct(self) -> float | None:
        """The change from the first value to the last, in per cent of the first; None without both or from zero."""
        if self.last_value is None or not self.first_value:
            return None
        return 100 * (self.last_value / self.first_value - 1)


def history_of(item: Item, retrieved_at: str, payload: Any) -> History:
    """Return a payload as a vintage to compare. One without data covers nothing."""
    endpoint = ENDPOINTS[item.endpoint]
    numbers = endpoint.numbers_of(payload)
    covers_all = endpoint.shape != "series" and not isinstance(payload, Missing)
    return History(retrieved_at, numbers, None if covers_all else _spans(numbers))


def _spans(numbers: Iterable[Key]) -> Mapping[str | None, tuple[str, str]]:
    """Return the first and the last date of each property type. Their text sorts like the dates."""
    dates: dict[str | None, list[str]] = {}
    for kind, date in numbers:
        dates.setdefault(kind, []).append(date)
    return {kind: (min(of_kind), max(of_kind)) for kind, of_kind in dates.items()}


def revisions_between(histories: Sequence[History]) -> Iterator[Revision]:
    """Yield the numbers that differ between vintages, which are in the order of their retrieval."""
    keys = dict.fromkeys(key for history in histories for key in history.numbers)
    for key in keys:
        covering = [history for history in histories if history.covers(key)]
        values = [history.numbers.get(key) for history in covering]
        if len(set(values)) > 1:
            yield _revision(key, covering, values)


def _revision(key: Key, covering: Sequence[History], values: Sequence[float | None]) -> Revision:
    first, last = values[0], values[-1]
    status: Status = "removed" if last is None else "added" if first is None else "revised"
    times = covering[0].retrieved_at, covering[-1].retrieved_at
    return Revision(key, first, last, len(set(values) - {None}), *times, status)


def warn_of_revisions(context: RequestContext, answers: Answers, calls: Mapping[Item, int]) -> None:
    """Warn of responses that differ from the stored ones that they replace: how many numbers, and by how much.

    ``calls`` has the call of the stored response that each bought response replaces; 0 if it replaces none.
    """
    received = answers.received()
    replaced = [(item, call) for item, call in calls.items() if call and item in received]
    found: dict[Item, tuple[int, list[Revision]]] = {}
    for start in range(0, len(replaced), BODIES_AT_ONCE):
        some = {item: StoredResponse(call, "", "") for item, call in replaced[start : start + BODIES_AT_ONCE]}
        for item, older in context.store.read_whole(some).items():  # a damaged one is being replaced
            reading, (vintage, payload) = read(item, older), received[item]
            before = Missing(None, None) if reading.problem else reading.payload
            first = history_of(item, older.retrieved_at, before)
            revisions = list(revisions_between([first, history_of(item, vintage.retrieved_at, payload)]))
            if revisions:
                found[item] = len(first.numbers), revisions
    for endpoint in dict.fromkeys(item.endpoint for item in found):
        _warn(endpoint, {item.area_name: one for item, one in found.items() if item.endpoint == endpoint})


def _warn(endpoint: str, found: Mapping[str, tuple[int, list[Revision]]]) -> None:
    total = sum(number for number, _ in found.values())
    revisions = [(name, revision) for name, (_, several) in found.items() for revision in several]
    changes = [abs(revision.change_pct) for _, revision in revisions if revision.change_pct is not None]
    largest = f", by at most {max(changes):.1f} per cent" if changes else ""
    what = "points" if ENDPOINTS[endpoint].shape == "series" else "figures"
    names = next(iter(found)) if len(found) == 1 else list(found)
    other = "" if endpoint == "rent" else f", {endpoint!r}"
    warn(
        f"The {ENDPOINTS[endpoint].noun} of {listed(found)} have been revised since they were stored: {len(revisions)} "
        f"of {counted(total, what[:-1])} changed{largest}. The earlier responses are kept; to compare them, run "
        f"sp.revisions({names!r}{other})",
        DataWarning,
    )
