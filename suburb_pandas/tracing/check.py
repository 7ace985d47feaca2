"""Compares a claim with the responses that may be behind it, and finds which of several vintages give its values.

Comparing two tables is left to tables, making them to claims, and finding the responses to candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.errors import ProvenanceError
from suburb_pandas.messages import counted, listed
from suburb_pandas.service.calls import Item
from suburb_pandas.service.reading import Reading
from suburb_pandas.timeseries.dates import Whole
from suburb_pandas.tracing.candidates import Candidates
from suburb_pandas.tracing.claim import Claim, Combination, Received, Tables
from suburb_pandas.tracing.tables import Comparison, compare, decimals_of, is_missing

WAYS_ON: Final = (
    "Cite the frame as it was loaded, as in sp.cite(sp.rent(...)), which is free where the responses are stored; or "
    "describe in your own words what was done to this frame."
)
"""The last sentence of most errors: two ways to cite the data."""

LOST: Final = (
    "If the frame was computed, a merge, a concat or a file such as CSV or Excel has lost how: put the attrs back, "
    'frame.attrs = computed.attrs, or save the frame as Parquet, frame.to_parquet("frame.parquet").'
)
_SHOWN: Final = 3  # differences


@dataclass(slots=True)
class Checked:
    """A claim beside the responses that give its values.

    ``items`` are those of each suburb, ``behind`` the responses, and ``found`` the values beside those received.
    ``reading`` is the position of the reading of the claim that fits, and ``unchecked`` are the columns that may differ
    and do.
    """

    claim: Claim
    items: Mapping[str, Sequence[Item]] = field(repr=False)
    behind: dict[Item, list[Reading]] = field(repr=False)
    found: dict[str, Comparison] = field(repr=False)
    reading: int = 0
    unchecked: list[str] = field(default_factory=list)

    @property
    def is_rounded(self) -> bool:
        """True if some values are those received only after rounding."""
        return any(each.rounded for each in self.found.values())

    def compared(self, tables: Tables, received: Received) -> dict[str, Comparison]:
        """Compare tables with what responses give."""
        return _compared(tables, self.claim.make(received)[self.reading])

    def others(self, name: str, candidates: Candidates) -> Iterator[Combination]:
        """Yield the combinations of the other responses about a suburb."""
        first = [self.behind[item][0] for item in self.items[name]]
        choices = [[one, *candidates.others(item)] for item, one in zip(self.items[name], first, strict=True)]
        for combination in product(*choices):
            if any(one is not likeliest for one, likeliest in zip(combination, first, strict=True)):
                yield combination


def check(claim: Claim, candidates: Candidates) -> Checked:
    """Compare a claim with responses.

    Raises
    ------
    ProvenanceError
        No response is known for a suburb that has values, or a value is in no response.
    """
    shown, with_values = _suburbs_in(claim)
    items = {name: [Item(endpoint, name, claim.state) for endpoint in claim.endpoints] for name in shown}
    first = candidates.first(item for several in items.values() for item in several)
    items = {name: several for name, several in items.items() if all(item in first for item in several)}
    _raise_if_unknown([name for name in with_values if name not in items])
    received = {name: tuple(first[item] for item in several) for name, several in items.items()}
    behind = {item: [first[item]] for several in items.values() for item in several}
    readings = [
        Checked(claim, items, behind, _compared(claim.tables, tables), position)
        for position, tables in enumerate(claim.make(received))
    ]
    decimals = _decimals_in(readings[0].found)
    checked = min(readings, key=lambda each: (_n_wrong(each.found, decimals), _n_wrong(each.found, {})))
    if claim.is_whole:
        _try_older(checked, received, decimals, candidates)
    else:
        _explain_all(checked, decimals, candidates)
    for each in checked.found.values():
        each.round_off(decimals)
    if with_values:  # a suburb with gaps alone was checked, but nothing of it is cited
        cited = {*with_values}
        checked.behind = {item: each for item, each in checked.behind.items() if item.area_name in cited}
    checked.unchecked = _soften(checked)
    _raise_if_wrong(checked, WAYS_ON if candidates.has_marks else f"{LOST} {WAYS_ON}")
    return checked


def _compared(tables: Tables, reference: Tables) -> dict[str, Comparison]:
    return {name: compare(table, reference[name]) for name, table in tables.items()}


def _decimals_in(found: Mapping[str, Comparison]) -> dict[str, int | None]:
    """Return the decimals that each column shows in which some values differ."""
    return {
        label: decimals_of(each.table.columns[label], each.expected[label].dtype)
        for each in found.values()
        for label, flags in each.wrong.items()
        if flags.any()
    }


def _n_wrong(found: Mapping[str, Comparison], decimals: Mapping[str, int | None]) -> int:
    """Return the number of values that differ, even if they are rounded to these decimals."""
    return sum(int(flags.sum()) for each in found.values() for flags in each.far(decimals).values())


def _suburbs_in(claim: Claim) -> tuple[list[str], list[str]]:
    """Return the suburbs of a claim that have a row which says something, if only a gap, and those that have values."""
    if claim.is_whole:
        return [*claim.names], [*claim.names]
    rows = [table.suburb for table in claim.tables.values() if table.shows_gaps]
    values = [
        table.suburb[~is_missing(values)]
        for table in claim.tables.values()
        for label, values in table.columns.items()
        if label not in claim.soft
    ]
    numbers = [np.concatenate([np.array([], "int64"), *parts]) for parts in ([*rows, *values], values)]
    shown, with_values = (np.flatnonzero(np.bincount(each[each >= 0])).tolist() for each in numbers)
    return [claim.names[number] for number in shown], [claim.names[number] for number in with_values]


def _explain_all(checked: Checked, decimals: Mapping[str, int | None], candidates: Candidates) -> None:
    """Find other responses for the suburbs with values that are not those of the likeliest one."""
    wrong = np.concatenate([each.table.suburb[each.wrong_rows] for each in checked.found.values()])
    order = {name: np.argsort(each.table.suburb, kind="stable") for name, each in checked.found.items()}
    for number in np.unique(wrong[wrong >= 0]).tolist():
        rows = {}
        for table, each in checked.found.items():
            edges = np.searchsorted(each.table.suburb, [number, number + 1], sorter=order[table])
            rows[table] = order[table][slice(*edges.tolist())]
        if checked.claim.names[number] in checked.items:
            _explain(checked, number, rows, decimals, candidates)


def _explain(
    checked: Checked,
    number: int,
    rows: Mapping[str, Whole],
    decimals: Mapping[str, int | None],
    candidates: Candidates,
) -> None:
    """Find the responses that give the values of a suburb: one that gives all, if only rounded, or several."""
    name, behind = checked.claim.names[number], checked.behind
    parts = {table: checked.claim.tables[table].where(own) for table, own in rows.items()}
    first = tuple(behind[item][0] for item in checked.items[name])
    tried = [(first, checked.compared(parts, {name: first}))]
    for combination in checked.others(name, candidates):
        tried.append((combination, checked.compared(parts, {name: combination})))
        if not _n_wrong(tried[-1][1], {}):
            break
    alone = next((one for one in reversed(tried) if not _n_wrong(one[1], {})), None)
    alone = alone or next((one for one in tried if not _n_wrong(one[1], decimals)), None)
    if alone is not None:
        for table, own in rows.items():
            checked.found[table].take_over(own, alone[1][table])
        behind |= {item: [reading] for item, reading in zip(checked.items[name], alone[0], strict=True)}
        return
    gives_none = all((each.wrong_rows | ~each.is_known).all() for each in tried[0][1].values())
    behind |= {item: [] for item in checked.items[name] if gives_none}
    for combination, compared in tried[1:]:
        is_used = [checked.found[table].take_right(own, compared[table]) for table, own in rows.items()]
        for item, reading in zip(checked.items[name], combination, strict=True):
            if any(is_used) and all(reading.response != each.response for each in behind[item]):
                behind[item].append(reading)


def _try_older(
    checked: Checked, received: Received, decimals: Mapping[str, int | None], candidates: Candidates
) -> None:
    """Compare a claim that all suburbs give together with their older responses: first the last but one of each."""
    is_wrong = _n_wrong(checked.found, {}) > 0
    others = {name: list(checked.others(name, candidates)) for name in received if is_wrong}
    for position in range(max(map(len, others.values()), default=0)):
        older = {name: [*several[position:], received[name]][0] for name, several in others.items()}
        found = checked.compared(checked.claim.tables, older)
        if _n_wrong(found, {}) < _n_wrong(checked.found, {}) and not _n_wrong(found, decimals):
            checked.found = found
            for name, combination in older.items():
                checked.behind |= {item: [one] for item, one in zip(checked.items[name], combination, strict=True)}


def _soften(checked: Checked) -> list[str]:
    """Take the differences in the columns ``soft`` for right. Return these columns, and those that no response has."""
    different = []
    for each in checked.found.values():
        different += [label for label in each.table.columns if label not in each.expected]
        different += [label for label in checked.claim.soft if label in each.wrong and each.wrong[label].any()]
        each.wrong = {label: flags for label, flags in each.wrong.items() if label not in checked.claim.soft}
    return different


def _raise_if_unknown(names: Sequence[str]) -> None:
    if names:
        raise ProvenanceError(
            f"Neither this session nor the store of this client has a response about {listed(names)} that can be "
            "behind this frame. A temporary store, such as that of the made-up suburbs, ends with its session. Load "
            "these suburbs again, as in sp.rent([...]), or connect to the store that has their responses, and then "
            "cite the frame."
        )


def _raise_if_wrong(checked: Checked, ways_on: str) -> None:
    """Raise `ProvenanceError` if a value is in no response."""
    number = _n_wrong(checked.found, {})
    if not number:
        return
    shown = [
        _difference(checked.claim, each, label, row)
        for each in checked.found.values()
        for label, flags in each.wrong.items()
        for row in np.flatnonzero(flags)[:_SHOWN].tolist()
    ]
    such_as = ", such as" if number > _SHOWN else ""
    verb = "is" if number == 1 else "are"
    what = f"{counted(number, 'value')} of this frame {verb} in no response{such_as}"
    raise ProvenanceError(f"{what}: {'; '.join(shown[:_SHOWN])}. {ways_on}")


def _difference(claim: Claim, each: Comparison, label: str, row: int) -> str:
    """Return a value that is in no response, in words."""
    suburb, place = int(each.table.suburb[row]), each.table.place_of(row)
    whose = "the index" if claim.is_whole else repr(claim.names[suburb]) if suburb >= 0 else "a row without a suburb"
    given, expected = _shown(each.table.columns[label][row]), _shown(each.expected[label][row])
    return f"{label} of {whose}{f' {place}' if place else ''} is {given}, but {expected} in the responses"


def _shown(value: Any) -> str:
    if not isinstance(value, str) and pd.isna(value):
        return "missing"
    return repr(value) if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)
