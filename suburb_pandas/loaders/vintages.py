"""Compares the vintages of a response: which numbers were revised, removed or added, and which were cut off.

A number is compared from the first vintage whose dates surround it, in every later one that does not begin after it. So
a new date at the end is no revision, and a value that a later vintage lacks at its end is removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Literal, NamedTuple

from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import DataWarning
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import BODIES_AT_ONCE, Item
from suburb_pandas.service.endpoint import Numbers
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.reading import read

Status = Literal["revised", "removed", "added", "cut off", "restored"]
Key = tuple[str | None, str]
"""The property type and date of a number, or its label and field."""


class History(NamedTuple):
    """A vintage to compare: when it was retrieved, its numbers, and its first and last date by property type.

    Without ``spans`` it covers everything, as a list of drivers does.
    """

    retrieved_at: str
    numbers: Numbers
    spans: Mapping[str | None, tuple[str, str]] | None

    def surrounds(self, key: Key) -> bool:
        """Return True if a number is dated from the first to the last date of this vintage."""
        return self.spans is None or (not self.begins_after(key) and key[1] <= self.spans[key[0]][1])

    def begins_after(self, key: Key) -> bool:
        """Return True if a number is dated before this vintage begins, or this vintage lacks its whole series."""
        return self.spans is not None and (key[0] not in self.spans or key[1] < self.spans[key[0]][0])


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
    return History(retrieved_at, numbers, _spans(numbers) if endpoint.shape == "series" else None)


def _spans(numbers: Iterable[Key]) -> Mapping[str | None, tuple[str, str]]:
    """Return the first and the last date of each property type. Their text sorts like the dates."""
    dates: dict[str | None, list[str]] = {}
    for kind, date in numbers:
        dates.setdefault(kind, []).append(date)
    return {kind: (min(of_kind), max(of_kind)) for kind, of_kind in dates.items()}


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
    steps: list[tuple[Status, History, History, set[Key]]] = []
    cut: set[Key] = set()
    for before, after in pairwise(histories):
        lost = {key for key in before.numbers if after.begins_after(key)}
        steps += [("cut off", before, after, lost), ("restored", before, after, cut & after.numbers.keys())]
        cut = {key for key in cut | lost if after.begins_after(key)}
    for status, group in groupby((step for step in steps if step[-1]), key=lambda step: step[0]):
        stretch = list(group)
        keys = set().union(*(step[-1] for step in stretch))
        kinds = {kind for kind, _ in keys}
        key = kinds.pop() if len(kinds) == 1 else None, max(date for _, date in keys)
        times = stretch[0][1].retrieved_at, stretch[-1][2].retrieved_at
        yield Revision(key, None, None, len(keys), *times, status)


def warn_of_revisions(context: RequestContext, answers: Answers, calls: Mapping[Item, int]) -> None:
    """Warn of responses that differ from the stored ones that they replace: how many numbers, and by how much.

    ``calls`` has the call of the stored response that each bought response replaces; 0 if it replaces none.
    """
    received = answers.received() if calls else {}
    replaced = [(item, call) for item, call in calls.items() if call and item in received]
    found: dict[Item, tuple[int, list[Revision]]] = {}
    for start in range(0, len(replaced), BODIES_AT_ONCE):
        some = dict(replaced[start : start + BODIES_AT_ONCE])
        whole = context.store.responses(some.values())  # a damaged one is being replaced
        for item, older in ((item, whole[call]) for item, call in some.items() if call in whole):
            reading, now = read(item, older), received[item]
            before = Missing(None, None) if reading.problem else reading.payload
            first = history_of(item, older.retrieved_at, before)
            revisions = list(revisions_between([first, history_of(item, now.response.retrieved_at, now.payload)]))
            if revisions:
                found[item] = len(first.numbers), revisions
    for endpoint in dict.fromkeys(item.endpoint for item in found):
        _warn(endpoint, {item.area_name: one for item, one in found.items() if item.endpoint == endpoint})


def _warn(endpoint: str, found: Mapping[str, tuple[int, list[Revision]]]) -> None:
    total = sum(number for number, _ in found.values())
    names = next(iter(found)) if len(found) == 1 else list(found)
    other = "" if endpoint == "rent" else f", {endpoint!r}"
    what = "point" if ENDPOINTS[endpoint].shape == "series" else "figure"
    warn(
        f"The {ENDPOINTS[endpoint].noun} of {listed(found)} have been revised since they were stored: "
        f"{_in_words([revision for _, several in found.values() for revision in several], counted(total, what))}. "
        f"The earlier responses are kept; to compare them, run sp.revisions({names!r}{other})",
        DataWarning,
    )


def _in_words(revisions: Sequence[Revision], total: str) -> str:
    """Return how many numbers of a total changed and by how much at most, and how many came or went."""
    counts = Counter(revision.status for revision in revisions)
    changes = [abs(revision.change_pct) for revision in revisions if revision.change_pct is not None]
    largest = f", by at most {max(changes):.1f} per cent" if changes else ""
    cuts = [revision for revision in revisions if revision.status == "cut off"]
    n_cut, until = sum(cut.n_values for cut in cuts), max((cut.key[1] for cut in cuts), default="")
    phrases = [f"{counts['revised']} of {total} changed{largest}"] if counts["revised"] else []
    phrases += [f"{counts[status]} {status}" for status in ("removed", "added") if counts[status]]
    return "; ".join(phrases + ([f"{n_cut} up to {until} cut off"] if cuts else []))
