"""Compares the vintages of an item: finds the numbers that were revised, removed, added, cut off or restored.

A number is compared from the first vintage whose dates surround it, in every later one that does not begin after it. So
a new date at the end is no revision, but a value that a later vintage lacks at its end counts as removed. The frame of
revisions is left to tracing.revisions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Final, Literal, NamedTuple

from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import DataWarning
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.messages import listed, warn
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item
from suburb_pandas.service.endpoint import Numbers
from suburb_pandas.service.reading import Reading, read

Status = Literal["revised", "removed", "added", "cut off", "restored"]
Key = tuple[str | None, str]
"""The property type and date of a number, or its label and field."""

_AFTER_ALL: Final = "~"


class Vintage(NamedTuple):
    """A vintage to compare: when it was retrieved, its numbers, and the first and the last date of each property type.

    The text of dates sorts like the dates, after an empty text and before a tilde.
    """

    retrieved_at: str
    numbers: Numbers
    first_dates: Mapping[str | None, str]
    last_dates: Mapping[str | None, str]

    def begins_after(self, key: Key) -> bool:
        """Return True if a number is dated before this vintage begins, or this vintage lacks its whole series."""
        return key[1] < self.first_dates[key[0]]

    def surrounds(self, key: Key) -> bool:
        """Return True if a number is dated from the first to the last date of this vintage."""
        return self.first_dates[key[0]] <= key[1] <= self.last_dates[key[0]]


class Revision(NamedTuple):
    """A number that differs between two vintages, with its value in each; or numbers that were cut off or restored.

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


def revisions_between(item: Item, readings: Iterable[Reading]) -> Iterator[Revision]:
    """Yield the revisions between vintages, which are in the order of their retrieval, without those that have no data.

    Numbers that were cut off or restored come first. The changes of a number follow one another in the order of their
    vintages.
    """
    vintages = [vintage for vintage in (_vintage(item, reading) for reading in readings) if vintage.numbers]
    yield from _cuts(vintages)
    for key in dict.fromkeys(key for vintage in vintages for key in vintage.numbers):
        first = next(number for number, vintage in enumerate(vintages) if vintage.surrounds(key))
        compared = [vintage for vintage in vintages[first:] if not vintage.begins_after(key)]
        if len({vintage.numbers.get(key) for vintage in compared}) > 1:  # for speed: most numbers never change
            yield from _changes(key, compared)


def _vintage(item: Item, reading: Reading) -> Vintage:
    """Return a response as a vintage to compare. A list of drivers has no dates, so it surrounds every number."""
    endpoint, retrieved_at = ENDPOINTS[item.endpoint], reading.response.retrieved_at
    numbers = endpoint.numbers_of(reading.payload)
    if endpoint.shape != "series":
        return Vintage(retrieved_at, numbers, defaultdict(str), defaultdict(lambda: _AFTER_ALL))
    dates = list(numbers)  # ascending
    first_dates = defaultdict(lambda: _AFTER_ALL, reversed(dates))
    return Vintage(retrieved_at, numbers, first_dates, defaultdict(str, dates))


def _changes(key: Key, compared: Iterable[Vintage]) -> Iterator[Revision]:
    """Yield the changes of a number: within each run of vintages that have it, and from a run to the next."""
    before: list[Vintage] = []
    for has_it, group in groupby(compared, key=lambda vintage: key in vintage.numbers):
        run = list(group)
        if before:
            yield _change(key, [before[-1], run[0]], "added" if has_it else "removed")
        if len({vintage.numbers.get(key) for vintage in run}) > 1:
            yield _change(key, run, "revised")
        before = run


def _change(key: Key, run: Sequence[Vintage], status: Status) -> Revision:
    """Return the change of a number from the first of these vintages to the last."""
    values = [vintage.numbers.get(key) for vintage in run]
    n_values = len({*values} - {None})
    return Revision(key, values[0], values[-1], n_values, run[0].retrieved_at, run[-1].retrieved_at, status)


def _cuts(vintages: Sequence[Vintage]) -> Iterator[Revision]:
    """Yield one revision for each stretch of vintages that cut off early numbers, or that restore them."""
    steps: list[tuple[Status, str, str, set[Key]]] = []
    cut: set[Key] = set()
    for before, after in pairwise(vintages):
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
    received = answers.received()
    found: dict[str, dict[str, list[Revision]]] = {}
    for item, call in calls.items():
        older = context.store.responses([call]).get(call) if call and item in received else None
        before = None if older is None else read(item, older)
        if before is None or before.problem:  # a damaged or unreadable response cannot be compared
            continue
        if revisions := list(revisions_between(item, [before, received[item]])):
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
