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
from suburb_pandas.tracing.claims import Claim, Combination, Tables
from suburb_pandas.tracing.tables import Comparison, compare, is_missing

WAYS_ON: Final = (
    "Cite the frame as it was loaded, as in sp.cite(sp.rent(...)), which is free where the responses are stored; or "
    "describe in your own words what was done to this frame."
)
"""The last sentence of most errors: two ways to cite the data."""

_SHOWN: Final = 3  # differences


@dataclass(frozen=True, slots=True)
class Checked:
    """The comparison of a claim with responses.

    ``behind`` has the responses that give its values, by item, and ``comparisons`` the values beside those received.
    ``unchecked`` are the columns of the claim that may differ and do.
    """

    claim: Claim
    behind: Mapping[Item, Sequence[Reading]] = field(repr=False)
    comparisons: Mapping[str, Comparison] = field(repr=False)
    unchecked: Sequence[str]

    @property
    def is_rounded(self) -> bool:
        """True if some values are those received only after rounding."""
        return any(each.rounded for each in self.comparisons.values())


def check(claim: Claim, candidates: Candidates) -> Checked:
    """Compare a claim with responses.

    Raises
    ------
    ProvenanceError
        No response is known for a suburb that has values, or a value is in no response.
    """
    named = sorted(
        {int(number) for table in claim.tables.values() for number in np.unique(table.suburb[_has_value(table)])}
    )
    names = [*claim.names] if claim.is_whole else [claim.names[number] for number in named if number >= 0]
    items = {name: [Item(endpoint, name, claim.state) for endpoint in claim.endpoints] for name in names}
    first = candidates.first(item for several in items.values() for item in several)
    received = {
        name: tuple(first[item] for item in several)
        for name, several in items.items()
        if all(one in first for one in several)
    }
    _raise_if_unknown([name for name in items if name not in received])
    which, found = _closest(claim, received)
    behind = {
        item: [reading]
        for name, several in received.items()
        for item, reading in zip(items[name], several, strict=True)
    }
    if claim.is_whole:
        found = _of_other_vintages(claim, items, received, found, behind, candidates, which)
    else:
        for number, name in enumerate(claim.names):
            if name in received and any(
                (each.wrong_rows & (each.table.suburb == number)).any() for each in found.values()
            ):
                _explain(claim, number, items[name], received[name], found, behind, candidates, which)
    unchecked = _soften(found, claim.soft)
    _raise_if_wrong(claim, found)
    return Checked(claim, behind, found, unchecked)


def _has_value(table: Any) -> Any:
    """Return True for the rows of a table that have a value in some column."""
    return np.logical_or.reduce([~is_missing(values) for values in table.columns.values()])


def _closest(claim: Claim, received: Mapping[str, Combination]) -> tuple[int, dict[str, Comparison]]:
    """Compare a claim with each reading of what responses give; return the one that fits best, and its position."""
    compared = [_compared(claim.tables, tables) for tables in claim.make(received)]
    wrong = [sum(int(each.wrong_rows.sum()) for each in found.values()) for found in compared]
    which = wrong.index(min(wrong))
    return which, compared[which]


def _compared(tables: Tables, reference: Tables) -> dict[str, Comparison]:
    return {name: compare(table, reference[name]) for name, table in tables.items()}


def _combinations(items: Sequence[Item], likeliest: Combination, candidates: Candidates) -> Iterator[Combination]:
    """Yield the combinations of the other responses of some items."""
    for combination in product(*[[one, *candidates.others(item)] for item, one in zip(items, likeliest, strict=True)]):
        if any(one is not first for one, first in zip(combination, likeliest, strict=True)):
            yield combination


def _explain(
    claim: Claim,
    number: int,
    items: Sequence[Item],
    likeliest: Combination,
    found: dict[str, Comparison],
    behind: dict[Item, list[Reading]],
    candidates: Candidates,
    which: int,
) -> None:
    """Find the responses that give the values of a suburb: one that gives all of them, else several together."""
    rows = {name: np.flatnonzero(each.table.suburb == number) for name, each in found.items()}
    parts = {name: claim.tables[name].where(rows[name]) for name in found}
    tried = []
    for combination in _combinations(items, likeliest, candidates):
        compared = _compared(parts, claim.make({claim.names[number]: combination})[which])
        if not any(each.wrong_rows.any() for each in compared.values()):
            tried = [(combination, compared)]
            break
        tried.append((combination, compared))
    is_alone = bool(tried) and not any(each.wrong_rows.any() for each in tried[-1][1].values())
    for item in items if is_alone else ():
        behind[item] = []
    for combination, compared in tried:
        is_used = [found[name].adopt(rows[name], compared[name], anew=is_alone) for name in found]
        for item, reading in zip(items, combination, strict=True):
            if any(is_used) and all(reading.response != each.response for each in behind[item]):
                behind[item].append(reading)


def _of_other_vintages(
    claim: Claim,
    items: Mapping[str, Sequence[Item]],
    received: Mapping[str, Combination],
    found: dict[str, Comparison],
    behind: dict[Item, list[Reading]],
    candidates: Candidates,
    which: int,
) -> dict[str, Comparison]:
    """Compare a claim that all suburbs give together with their older responses: the last but one of each, and so on."""
    others = {name: list(_combinations(items[name], received[name], candidates)) for name in received}
    for position in range(max(map(len, others.values()), default=0)):
        if not any(each.wrong_rows.any() for each in found.values()):
            break
        older = {
            name: several[position] if position < len(several) else received[name] for name, several in others.items()
        }
        compared = _compared(claim.tables, claim.make(older)[which])
        if not any(each.wrong_rows.any() for each in compared.values()):
            found = compared
            behind |= {item: [one] for name in older for item, one in zip(items[name], older[name], strict=True)}
    return found


def _soften(found: Mapping[str, Comparison], soft: Sequence[str]) -> list[str]:
    """Take the differences in some columns for right, and return these columns."""
    different = [label for each in found.values() for label in soft if label in each.wrong and each.wrong[label].any()]
    for each in found.values():
        each.wrong = {label: flags for label, flags in each.wrong.items() if label not in soft}
    return different


def _raise_if_unknown(names: Sequence[str]) -> None:
    if names:
        raise ProvenanceError(
            f"Neither this session nor the store of this client has a response about {listed(names)} that can be "
            "behind this frame. A temporary store, such as that of the made-up suburbs, ends with its session. Load "
            "these suburbs again, as in sp.rent([...]), or connect to the store that has their responses, and then "
            "cite the frame."
        )


def _raise_if_wrong(claim: Claim, found: Mapping[str, Comparison]) -> None:
    """Raise `ProvenanceError` if a value is in no response."""
    number = sum(int(flags.sum()) for each in found.values() for flags in each.wrong.values())
    if not number:
        return
    shown = []
    for each in found.values():
        for label, flags in each.wrong.items():
            for row in np.flatnonzero(flags)[:_SHOWN].tolist():
                shown.append(_difference(claim, each, label, row))
    more = f", such as: {'; '.join(shown[:_SHOWN])}" if number > _SHOWN else f": {'; '.join(shown)}"
    verb = "is" if number == 1 else "are"
    raise ProvenanceError(f"{counted(number, 'value')} of this frame {verb} in no response{more}. {WAYS_ON}")


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
