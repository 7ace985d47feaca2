"""Compares the vintages of a response: which numbers were revised, removed or added, and which were cut off.

A number is compared from the first vintage whose dates surround it, in every later one that does not begin after it. So
a new date at the end is no revision, and a value that a later vintage lacks at its end is removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, Literal, NamedTuple

from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import DataWarning
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.messages import listed, warn
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item
from suburb_pandas.service.endpoint import Numbers
from suburb_pandas.service.reading import read

Status = Literal["revised", "removed", "added", "cut off", "restored"]
Key = tuple[str | None, str]
"""The property type and date of a number, or its label and field."""


Span = tuple[str, str]
"""The first and the last date of a series. The text of dates sorts like the dates."""

_BEFORE_ALL: Final = ""
_AFTER_ALL: Final = "~"
_EVERYTHING: Final = (_BEFORE_ALL, _AFTER_ALL)
_NOTHING: Final = (_AFTER_ALL, _BEFORE_ALL)


class History(NamedTuple):
    """A vintage to compare: when it was retrieved, its numbers, and the span of each property type.

    ``other_span`` is that of numbers without a span: nothing if the vintage lacks a whole series, and everything for a
    list of drivers, which has no dates.
    """

    retrieved_at: str
    numbers: Numbers
    spans: Mapping[str | None, Span]
    other_span: Span

    def surrounds(self, key: Key) -> bool:
        """Return True if a number is dated from the first to the last date of this vintage."""
        first, last = self.spans.get(key[0], self.other_span)
        return first <= key[1] <= last

    def begins_after(self, key: Key) -> bool:
        """Return True if a number is dated before this vintage begins, or this vintage lacks its whole series."""
        return key[1] < self.spans.get(key[0], self.other_span)[0]


class Revision(NamedTuple):
    """A number that differs between two vintages, with its value in each; or the numbers that were cut off, restored.

    ``n_values`` counts the distinct values from one vintage to the other, or the numbers that were cut off or restored.
    """

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
    """Return a payload as a vintage to compare."""
    endpoint = ENDPOINTS[item.endpoint]
    numbers = endpoint.numbers_of(payload)
    if endpoint.shape != "series":
        return History(retrieved_at, numbers, {}, _EVERYTHING)
    dates: dict[str | None, list[str]] = {}
    for kind, date in numbers:
        dates.setdefault(kind, []).append(date)
    return History(retrieved_at, numbers, {kind: (min(own), max(own)) for kind, own in dates.items()}, _NOTHING)


def revisions_between(histories: Sequence[History]) -> Iterator[Revision]:
    """Yield what differs between vintages, which are in the order of their retrieval. Those without data are left out.

    What was cut off comes first. The changes of a number follow one another in the order of their vintages.
    """
    with_data = [history for history in histories if history.numbers]
    yield from _cuts(with_data)
    for key in dict.fromkeys(key for history in with_data for key in history.numbers):
        first = next(number for number, history in enumerate(with_data) if history.surrounds(key))
        compared = [history for history in with_data[first:] if not history.begins_after(key)]
        if len({history.numbers.get(key) for history in compared}) > 1:  # for speed: most numbers never change
            yield from _changes(key, compared)


def _changes(key: Key, compared: Sequence[History]) -> Iterator[Revision]:
    """Yield the changes of a number: within each run of vintages that have it, and from a run to the next."""
    before = None
    for has_it, group in groupby(compared, key=lambda history: key in history.numbers):
        run = list(group)
        if before is not None:
            yield _revision(key, before, run[0], 1, "added" if has_it else "removed")
        before = run[-1]
        n_values = len({history.numbers.get(key) for history in run})
        if n_values > 1:
            yield _revision(key, run[0], before, n_values, "revised")


def _revision(key: Key, first: History, last: History, n_values: int, status: Status) -> Revision:
    values = first.numbers.get(key), last.numbers.get(key)
    return Revision(key, *values, n_values, first.retrieved_at, last.retrieved_at, status)


def _cuts(histories: Sequence[History]) -> Iterator[Revision]:
    """Yield one revision for each stretch of vintages that cut off early numbers, or that restore them."""
    steps: list[tuple[Status, str, str, set[Key]]] = []
    cut: set[Key] = set()
    for before, after in pairwise(histories):
        lost = {key for key in before.numbers if after.begins_after(key)}
        times = before.retrieved_at, after.retrieved_at
        steps += [("cut off", *times, lost), ("restored", *times, cut & after.numbers.keys())]
        cut = {key for key in cut | lost if after.begins_after(key)}
    for status, group in groupby((step for step in steps if step[-1]), key=lambda step: step[0]):
        _, starts, ends, lost_or_found = zip(*group, strict=True)
        keys = set().union(*lost_or_found)
        kinds = {kind for kind, _ in keys}
        key = kinds.pop() if len(kinds) == 1 else None, max(date for _, date in keys)
        yield Revision(key, None, None, len(keys), starts[0], ends[-1], status)


def warn_of_revisions(context: RequestContext, answers: Answers, calls: Mapping[Item, int]) -> None:
    """Warn of responses that differ from the stored ones that they replace: how many numbers, and by how much.

    ``calls`` has the call of the stored response that each bought response replaces; 0 if it replaces none.
    """
    received = answers.received() if calls else {}
    found: dict[str, dict[str, list[Revision]]] = {}
    for item, call in calls.items():
        older = context.store.responses([call]).get(call) if call and item in received else None
        before = None if older is None else read(item, older)
        if older is None or before is None or before.problem:  # a damaged or unreadable response cannot be compared
            continue
        now = received[item]
        histories = [
            history_of(item, older.retrieved_at, before.payload),
            history_of(item, now.response.retrieved_at, now.payload),
        ]
        if revisions := list(revisions_between(histories)):
            found.setdefault(item.endpoint, {})[item.area_name] = revisions
    for endpoint, by_name in found.items():
        _warn(endpoint, by_name)


def _warn(endpoint: str, found: Mapping[str, Sequence[Revision]]) -> None:
    names = next(iter(found)) if len(found) == 1 else list(found)
    other = "" if endpoint == "rent" else f", {endpoint!r}"
    revisions = [revision for several in found.values() for revision in several]
    numbers: Counter[str] = Counter()
    for revision in revisions:
        numbers[revision.status] += revision.n_values if revision.status == "cut off" else 1
    changes = [abs(revision.change_pct) for revision in revisions if revision.change_pct is not None]
    largest = f"; the largest change is {max(changes):.1f} per cent" if changes else ""
    warn(
        f"The {ENDPOINTS[endpoint].noun} of {listed(found)} have been revised since they were stored: "
        f"{', '.join(f'{number} {status}' for status, number in numbers.items())}{largest}. The earlier responses are "
        f"kept; to compare them, run sp.revisions({names!r}{other})",
        DataWarning,
    )
