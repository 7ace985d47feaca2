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
from suburb_pandas.tracing.candidates import Candidates
from suburb_pandas.tracing.claim import Claim, Combination, Tables
from suburb_pandas.tracing.tables import Comparison, compare, is_missing

WAYS_ON: Final = (
    "Cite the frame as it was loaded, as in sp.cite(sp.rent(...)), which is free where the responses are stored; or "
    "describe in your own words what was done to this frame."
)
"""The last sentence of most errors: two ways to cite the data."""

LOST: Final = (
    "A file such as CSV or Excel does not keep how a frame was computed: save results as Parquet, "
    'frame.to_parquet("frame.parquet"), or save the rents as they were loaded and compute after reading.'
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

    @property
    def n_wrong(self) -> int:
        """The number of values that no response gives."""
        return sum(int(flags.sum()) for each in self.found.values() for flags in each.wrong.values())

    def compared(self, tables: Tables, received: Mapping[str, Combination]) -> dict[str, Comparison]:
        """Compare tables with what responses give."""
        reference = self.claim.make(received)[self.reading]
        return {name: compare(table, reference[name]) for name, table in tables.items()}

    def others(self, name: str, candidates: Candidates) -> Iterator[Combination]:
        """Yield the combinations of the other responses about a suburb."""
        first = [self.behind[item][0] for item in self.items[name]]
        for combination in product(
            *[[one, *candidates.others(item)] for item, one in zip(self.items[name], first, strict=True)]
        ):
            if any(one is not likeliest for one, likeliest in zip(combination, first, strict=True)):
                yield combination


def check(claim: Claim, candidates: Candidates) -> Checked:
    """Compare a claim with responses.

    Raises
    ------
    ProvenanceError
        No response is known for a suburb that has values, or a value is in no response.
    """
    items = {name: [Item(endpoint, name, claim.state) for endpoint in claim.endpoints] for name in _with_values(claim)}
    first = candidates.first(item for several in items.values() for item in several)
    received = {
        name: tuple(first[item] for item in several)
        for name, several in items.items()
        if all(item in first for item in several)
    }
    _raise_if_unknown([name for name in items if name not in received])
    behind = {item: [first[item]] for several in items.values() for item in several}
    readings = [
        Checked(
            claim, items, behind, {name: compare(claim.tables[name], tables[name]) for name in claim.tables}, position
        )
        for position, tables in enumerate(claim.make(received))
    ]
    checked = min(readings, key=lambda each: each.n_wrong)
    if claim.is_whole:
        _try_older(checked, received, candidates)
    else:
        for number in sorted(
            {*np.concatenate([each.table.suburb[each.wrong_rows] for each in checked.found.values()])}
        ):
            if number >= 0:
                _explain(checked, int(number), candidates)
    checked.unchecked = _soften(checked)
    _raise_if_wrong(checked, WAYS_ON if candidates.has_marks else f"{LOST} {WAYS_ON}")
    return checked


def _with_values(claim: Claim) -> list[str]:
    """Return the suburbs of a claim that have a value."""
    if claim.is_whole:
        return [*claim.names]
    has_value = [
        table.suburb[np.logical_or.reduce([~is_missing(values) for values in table.columns.values()])]
        for table in claim.tables.values()
        if table.columns
    ]
    suburbs = np.concatenate([np.array([], "int64"), *has_value])
    suburbs = suburbs if len(suburbs) else np.concatenate([table.suburb for table in claim.tables.values()])
    return [claim.names[number] for number in np.flatnonzero(np.bincount(suburbs[suburbs >= 0])).tolist()]


def _explain(checked: Checked, number: int, candidates: Candidates) -> None:
    """Find the responses that give the values of a suburb: one that gives all of them, else several together."""
    claim, name = checked.claim, checked.claim.names[number]
    if name not in checked.items:
        return
    rows = {table: np.flatnonzero(each.table.suburb == number) for table, each in checked.found.items()}
    parts = {table: claim.tables[table].where(own) for table, own in rows.items()}
    tried: list[tuple[Combination, dict[str, Comparison]]] = []
    is_alone = False
    for combination in checked.others(name, candidates):
        compared = checked.compared(parts, {name: combination})
        is_alone = not any(each.wrong_rows.any() for each in compared.values())
        tried = [(combination, compared)] if is_alone else [*tried, (combination, compared)]
        if is_alone:
            break
    for combination, compared in tried:
        is_used = [checked.found[table].adopt(own, compared[table], anew=is_alone) for table, own in rows.items()]
        for item, reading in zip(checked.items[name], combination, strict=True):
            if is_alone:
                checked.behind[item] = [reading]
            elif any(is_used) and all(reading.response != each.response for each in checked.behind[item]):
                checked.behind[item].append(reading)


def _try_older(checked: Checked, received: Mapping[str, Combination], candidates: Candidates) -> None:
    """Compare a claim that all suburbs give together with their older responses: first the last but one of each."""
    others = {name: list(checked.others(name, candidates)) for name in received if checked.n_wrong}
    for position in range(max(map(len, others.values()), default=0)):
        older = {name: [*several[position:], received[name]][0] for name, several in others.items()}
        found = checked.compared(checked.claim.tables, older)
        if not any(each.wrong_rows.any() for each in found.values()):
            checked.found = found
            for name, combination in older.items():
                checked.behind |= {item: [one] for item, one in zip(checked.items[name], combination, strict=True)}
            return


def _soften(checked: Checked) -> list[str]:
    """Take the differences in the columns ``soft`` for right, and return these columns."""
    different = []
    for each in checked.found.values():
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
    number = checked.n_wrong
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
