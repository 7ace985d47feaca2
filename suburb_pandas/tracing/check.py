"""Compares a claim with the responses that it may have come from, and finds which of several give its values.

It may have come from the responses of the frame's loader, those that this process has used, and those stored. Comparing
two tables is left to tables, making them to rents and rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.client import provenance_log
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.dates import Whole
from suburb_pandas.frames.marks import FrameOrSeries, marks_of
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.messages import counted, listed
from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.reading import Reading, read
from suburb_pandas.tracing.claim import Claim, Combination, Received, ways_on
from suburb_pandas.tracing.tables import Comparison, compare, is_missing

_SHOWN: Final = 3  # differences
_MOMENTS: Final = 50  # at which other responses of an index are tried


@dataclass(slots=True)
class Checked:
    """A claim beside the responses that give its values.

    ``received`` are the likeliest responses about each suburb, and ``found`` has the values beside theirs. ``behind``
    has the readings of each item that give its values. ``unchecked`` are the columns that may differ and do.
    """

    claim: Claim
    received: Received = field(repr=False)
    found: Comparison = field(repr=False)
    behind: dict[Item, list[Reading]] = field(default_factory=dict, repr=False)
    unchecked: list[str] = field(default_factory=list)


def check(claim: Claim, candidates: Candidates) -> Checked:
    """Compare a claim with responses.

    Raises
    ------
    ProvenanceError
        No response is known for a suburb that has values, or a value is in no response.
    """
    shown, with_values = _suburbs_in(claim)
    items = {name: claim.items_of(name) for name in shown}
    first = candidates.first(item for several in items.values() for item in several)
    received = {
        name: tuple(first[item] for item in several)
        for name, several in items.items()
        if all(item in first for item in several)
    }
    _raise_if_unknown([name for name in with_values if name not in received])
    made = claim.make(received)
    ways = [Checked(replace(claim, tables=[table]), received, compare(table, made)) for table in claim.tables]
    checked = min(ways, key=lambda each: each.found.n_wrong)
    # A suburb with gaps alone is compared, but nothing of it is cited.
    cited = {*with_values} or {*received}
    checked.behind = {item: [first[item]] for name in received if name in cited for item in items[name]}
    for names, rows in _in_doubt(checked):
        _explain(checked, names, rows, candidates)
    _soften(checked)
    _raise_if_wrong(checked, ways_on(candidates.marks))
    return checked


def _suburbs_in(claim: Claim) -> tuple[list[str], list[str]]:
    """Return the suburbs of a claim with rows that are compared, if only as gaps, and the suburbs with values."""
    table = claim.table
    if claim.is_whole:
        names = [*claim.names] if len(table.key) else []
        return names, names
    has_value = np.zeros(len(table.key), dtype="bool")
    for label, values in table.columns.items():
        if label not in claim.soft:
            has_value |= ~is_missing(values)
    rows = (table.suburb if table.shows_gaps else table.suburb[has_value]), table.suburb[has_value]
    shown, with_values = (np.flatnonzero(np.bincount(each[each >= 0])).tolist() for each in rows)
    return [claim.names[number] for number in shown], [claim.names[number] for number in with_values]


def _in_doubt(checked: Checked) -> Iterator[tuple[Sequence[str], Whole]]:
    """Yield the suburbs with values that the likeliest response does not give, with their rows; in an index, all."""
    claim, wrong = checked.claim, checked.found.wrong_rows
    if not (wrong.any() or checked.found.is_rounded.any()):
        return
    if claim.is_whole:
        yield [*checked.received], np.arange(len(wrong))
        return
    suburb = pd.Series(claim.table.suburb)
    doubtful = suburb[wrong | checked.found.is_rounded]
    for _, rows in suburb[suburb.isin(doubtful) & (suburb >= 0)].groupby(suburb):
        if (name := claim.names[rows.iloc[0]]) in checked.received:
            yield [name], rows.index.to_numpy()


def _explain(checked: Checked, names: Sequence[str], rows: Whole, candidates: Candidates) -> None:
    """Find the responses that give the values of some suburbs: those that give all, or else several, likeliest first.

    An index has one response of each suburb. Without other responses, there is nothing to find.
    """
    likeliest = {name: checked.received[name] for name in names}
    others = _others(checked, likeliest, candidates)
    compared = _compare_each(checked, rows, [likeliest, *others] if others else [])
    tried = [(received, found) for received, found in compared if (found.is_known & ~found.wrong_rows).any()]
    if tried and np.logical_or.reduce([~(found.wrong_rows | found.is_rounded) for _, found in tried]).all():
        for _, found in tried:  # several responses give all values exactly, so none has to be rounded
            found.refuse_rounded()
    tried.sort(key=lambda each: (each[1].n_wrong > 0, each[1].is_rounded.any()))
    for nth, (received, found) in enumerate(tried):
        if found.n_wrong and checked.claim.is_whole:
            break
        if checked.found.take_right(rows, found, anew=nth == 0):
            _note(checked, received, anew=nth == 0)


def _compare_each(checked: Checked, rows: Whole, choices: Iterable[Received]) -> Iterator[tuple[Received, Comparison]]:
    """Yield responses and some rows beside them, up to those that give all values exactly.

    Responses with the same bodies, as after a refresh without news, are compared again only if the first of them differ
    in the columns ``soft`` alone, such as the time of retrieval.
    """
    claim, table, settled = checked.claim, checked.claim.table.where(rows), set()
    for received in choices:
        digests = tuple(one.response.sha256 for combination in received.values() for one in combination)
        if digests in settled:
            continue
        found = compare(table, claim.make(received), checked.found.decimals)
        yield received, found
        differing = {label for label, flags in found.wrong.items() if flags.any()}
        if not differing and not found.is_rounded.any():
            return
        if not differing or differing - {*claim.soft}:
            settled.add(digests)


def _note(checked: Checked, received: Received, *, anew: bool) -> None:
    """Note that responses are behind a claim, in the place of others or beside them."""
    for name, combination in received.items():
        for item, reading in zip(checked.claim.items_of(name), combination, strict=True):
            others = [] if anew else checked.behind.get(item, [])
            if item in checked.behind and reading not in others:
                checked.behind[item] = [*others, reading]


def _others(checked: Checked, likeliest: Received, candidates: Candidates) -> list[Received]:
    """Return other responses than the likeliest: for one suburb each of them, for several the newest at each moment.

    The moments are the times of retrieval, because suburbs are refreshed at different times. If these are many, the
    last one of each day is enough.
    """
    several: dict[str, list[Combination]] = {}
    for name, first in likeliest.items():
        items = checked.claim.items_of(name)
        choices = product(*([one, *candidates.others(item)] for item, one in zip(items, first, strict=True)))
        of_one_day = sorted(choices, key=lambda each: len({one.response.retrieved_at[:10] for one in each}))
        several[name] = [first, *(each for each in of_one_day if each != first)]
    if len(several) == 1:
        return [{name: one} for name, own in several.items() for one in own[1:]]
    times = sorted({_time_of(one) for own in several.values() for one in own})
    ends_of_days = [*{time[:10]: time for time in times}.values()]
    found: list[Received] = []
    for moment in reversed(times if len(times) <= _MOMENTS else ends_of_days):
        known = {name: [one for one in own if _time_of(one) <= moment] for name, own in several.items()}
        found.append({name: max(own, key=_time_of, default=likeliest[name]) for name, own in known.items()})
    return found if any(own[1:] for own in several.values()) else []


def _time_of(combination: Combination) -> str:
    """Return the time at which the last response of a combination was retrieved."""
    return max(one.response.retrieved_at for one in combination)


def _soften(checked: Checked) -> None:
    """Accept the differences in the columns ``soft``, and note these columns."""
    wrong = checked.found.wrong
    checked.unchecked = [label for label in checked.claim.soft if label in wrong and wrong[label].any()]
    for label in checked.unchecked:
        del wrong[label]


def _raise_if_unknown(names: Sequence[str]) -> None:
    if names:
        raise ProvenanceError(
            f"Neither this session nor the store of this client has a response about {listed(names)} that can be "
            "behind this frame. A temporary store, such as that of the made-up suburbs, ends with its session. Load "
            "the same data again, or connect to the store that has its responses, and then cite the frame."
        )


def _raise_if_wrong(checked: Checked, then: str) -> None:
    """Raise `ProvenanceError` if a value is in no response."""
    number = checked.found.n_wrong
    if not number:
        return
    shown = [
        _difference(checked, label, row)
        for label, flags in checked.found.wrong.items()
        for row in np.flatnonzero(flags)[:_SHOWN].tolist()
    ]
    such_as = ", such as" if number > _SHOWN else ""
    verb = "is" if number == 1 else "are"
    what = f"{counted(number, 'value')} of this frame {verb} in no response{such_as}"
    raise ProvenanceError(f"{what}: {'; '.join(shown[:_SHOWN])}. {then}")


def _difference(checked: Checked, label: str, row: int) -> str:
    """Return a value that is in no response, in words."""
    claim, found = checked.claim, checked.found
    suburb, place = int(found.table.suburb[row]), found.table.place_of(row)
    whose = "the index" if claim.is_whole else repr(claim.names[suburb]) if suburb >= 0 else "a row without a suburb"
    given, expected = _shown(found.table.columns[label][row]), _shown(found.expected[label][row])
    return f"{label} of {whose}{f' {place}' if place else ''} is {given}, but {expected} in the responses"


def _shown(value: Any) -> str:
    if not isinstance(value, str) and pd.isna(value):
        return "missing"
    return repr(value) if isinstance(value, str) else f"{value:.10g}" if isinstance(value, float) else str(value)


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
        The frame. Its attrs rule out responses from other sources and, for a single suburb's frame, all but its own.
    context
        Its store or cassette is searched, in addition to the responses that this process has used. If it is None, only
        the latter are searched.
    """

    def __init__(self, frame: FrameOrSeries, context: RequestContext | None) -> None:
        self._logged = provenance_log.behind(frame)
        self.marks: Mapping[str, Any] = marks_of(frame)
        self._context = context

    def first(self, items: Iterable[Item]) -> dict[Item, Reading]:
        """Return the likeliest response of each item: the loader's, else the last one used, else the newest stored.

        A response that the frame cannot have come from is passed over.
        """
        found = {item: next(self._used(item), None) for item in items}
        found |= self._newest([item for item, received in found.items() if received is None])
        found = {item: received or next(self._stored(item), None) for item, received in found.items()}
        return {item: received for item, received in found.items() if received is not None}

    def others(self, item: Item) -> Iterator[Reading]:
        """Yield every response of an item, the likeliest first, and the stored ones from new to old."""
        seen: set[Response] = set()
        for received in chain(self._used(item), self._stored(item)):
            if received.response not in seen:
                seen.add(received.response)
                yield received

    def _used(self, item: Item) -> Iterator[Reading]:
        """Yield the response that the loader used, then all that this process has used, those of the client first."""
        if item in self._logged:
            yield self._logged[item]
        own = "" if self._context is None else self._context.namespace.base_url
        used = sorted(provenance_log.used(item), key=lambda each: not each.response.url.startswith(own))
        yield from (received for received in used if self._can_be(item, received.response))

    def _newest(self, items: list[Item]) -> Mapping[Item, Reading | None]:
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
        if item[:2] == (marks.get("endpoint"), marks.get(AREA_NAME)) and "sha256" in marks:
            return (response.sha256, response.retrieved_at) == (marks["sha256"], marks.get("retrieved_at"))
        return "source" not in marks or response.source in str(marks["source"]).split(", ")
