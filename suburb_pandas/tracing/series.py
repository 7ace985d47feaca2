"""Compares the cells of a frame of the rent shape with a series endpoint's responses, or with a frame computed again.

Reading the cells is left to cells, finding the responses to candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from suburb_pandas.frames.schema import PROPERTY_TYPES
from suburb_pandas.service.calls import Item, PackedPayload, Response
from suburb_pandas.service.reading import Reading
from suburb_pandas.service.series_columns import count_rows, join
from suburb_pandas.timeseries.dates import Flags, Values, Whole, to_dates
from suburb_pandas.timeseries.periods import frequency_of
from suburb_pandas.tracing.candidates import Candidates
from suburb_pandas.tracing.cells import NO_DAY, Cells, Column, Places
from suburb_pandas.tracing.checked import SHOWN, Checked, Difference

_CLOSE: Final = 1e-9
_NO_POINTS: Final = PackedPayload()


Rows = dict[str, Whole]
"""The rows of a suburb's cells, by column."""


class Reference(NamedTuple):
    """The values to compare cells with: ascending keys of suburb and day, and the value of each column at each key."""

    key: Whole
    columns: Mapping[str, Values]

    def at(self, label: str, column: Column) -> Values:
        """Return the value for each cell of a column; NaN where there is none."""
        if label not in self.columns or not len(self.key):
            return np.full(len(column.value), np.nan)
        key = column.places.key
        if np.array_equal(key, self.key):  # a frame as it was loaded: ten times faster than the search
            return self.columns[label].copy()
        position = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        return np.where(self.key[position] == key, self.columns[label][position], np.nan)

    def has_row_of(self, column: Column) -> Flags:
        """Return True for each cell of a column whose suburb and date have a value in any column here."""
        return np.isin(column.places.key, self.key)


def reference_of(payloads: Sequence[Any]) -> Reference:
    """Return the points of responses; the suburbs are numbered in the order of their payloads."""
    packed = [payload if isinstance(payload, PackedPayload) else _NO_POINTS for payload in payloads]
    joined = join(packed)
    suburb = np.repeat(np.arange(len(packed)), [count_rows(payload) for payload in packed])
    columns = dict(zip(PROPERTY_TYPES, joined.numbers, strict=True))
    return Reference(Places.of(suburb, joined.days.astype("int64")).key, columns)


def reference_again(cells: Cells, names: Sequence[str]) -> Reference:
    """Return the cells of a frame that was computed again, with suburbs numbered as in ``names``."""
    number = {name: position for position, name in enumerate(names)}
    renumbered = np.array([number.get(name, -1) for name in cells.names] + [-1], dtype="int64")
    key = np.empty(0, dtype="int64")
    columns = {}
    for label, (places, value, *_) in cells.columns.items():
        key = Places.of(renumbered[places.suburb], places.day).key
        columns[label] = value[np.argsort(key, kind="stable")]
    return Reference(np.sort(key), columns)


def is_same(cells: Cells, reference: Reference) -> bool:
    """Return True if all cells equal the reference, to 1e-9, and no value of the reference is NaN in the cells."""
    return not any(_wrong(column, reference.at(label, column), _CLOSE).any() for label, column in cells.columns.items())


def check_series(blocks: Iterable[Cells], endpoint: str, candidates: Candidates) -> Checked:
    """Compare cells with the responses of an endpoint: each value has to equal one of them exactly."""
    checks = [_checked(cells, endpoint, candidates) for cells in blocks]
    behind = {item: vintages for check in checks for item, vintages in check.behind.items()}
    unknown = [item.area_name for item, vintages in behind.items() if not vintages]
    number = sum(int(wrong.sum()) for check in checks for wrong in check.wrong.values())
    differences = [difference for check in checks for difference in check.differences()]
    n_values = sum(check.n_values() for check in checks)
    looks_computed = number > 0 and (2 * number > n_values or _is_on_a_calendar_of_its_own(checks))
    return Checked(behind, lambda: _lines(checks), number, differences[:SHOWN], unknown, n_values, looks_computed)


def _is_on_a_calendar_of_its_own(checks: Sequence[_Check]) -> bool:
    """Return True if the dates are the labels of one frequency, and each wrong value has a date without a point."""
    columns = [
        (column, check.wrong[label], check.expected[label])
        for check in checks
        for label, column in check.cells.columns.items()
    ]
    days = np.unique(np.concatenate([column.places.day[~np.isnan(column.value)] for column, _, _ in columns]))
    are_without_point = all(np.isnan(expected[wrong]).all() for _, wrong, expected in columns)
    return are_without_point and len(days) > 1 and frequency_of(days) is not None


def _checked(cells: Cells, endpoint: str, candidates: Candidates) -> _Check:
    check = _Check.begin(cells, endpoint, candidates)
    for number, rows in check.suburbs_with_differences().items():
        item = check.items[number]
        others = list(candidates.others(item))
        alone = next((received for received in others if check.explains_all(rows, received)), None)
        for received in others if alone is None else [alone]:
            check.explain(item, rows, received, anew=alone is not None)
    return check


def _lines(checks: Iterable[_Check]) -> Iterator[str]:
    """Yield the sorted lines of all suburbs. A tab sorts before every character of a name, so they sort by name."""
    suburbs = [(item, number, check) for check in checks for number, item in check.items.items()]
    for _, number, check in sorted(suburbs, key=lambda suburb: suburb[0].area_name):
        yield from check.lines(number)


@dataclass(slots=True)
class _Check:
    """The comparison of cells with responses.

    ``expected`` has the values that the responses have for the cells of each column, ``wrong`` is True for the cells
    that no response explains yet, and ``behind`` has the responses that explain the others.
    """

    cells: Cells
    items: dict[int, Item]
    expected: dict[str, Values]
    wrong: dict[str, Flags]
    behind: dict[Item, list[Response]]

    @classmethod
    def begin(cls, cells: Cells, endpoint: str, candidates: Candidates) -> _Check:
        """Compare all cells with the likeliest response of each suburb."""
        items = {number: Item(endpoint, cells.names[number]) for number in _suburbs_with_values(cells)}
        first = candidates.first(items.values())
        received = [first.get(items[number]) if number in items else None for number in range(len(cells.names))]
        reference = reference_of([None if one is None else one.payload for one in received])
        expected = {label: reference.at(label, column) for label, column in cells.columns.items()}
        wrong = {label: _wrong(column, expected[label]) for label, column in cells.columns.items()}
        behind = {item: [first[item].response] if item in first else [] for item in items.values()}
        return cls(cells, items, expected, wrong, behind)

    def suburbs_with_differences(self) -> dict[int, Rows]:
        """Return the suburbs with cells that are not in the first response, and the rows of their cells by column."""
        if not any(wrong.any() for wrong in self.wrong.values()):
            return {}
        found = [column.places.suburb[self.wrong[label]] for label, column in self.cells.columns.items()]
        numbers = np.unique(np.concatenate(found))
        rows: dict[int, Rows] = {int(number): {} for number in numbers if number in self.items}
        for label, column in self.cells.columns.items():
            order = np.argsort(column.places.suburb, kind="stable")
            edges = [np.searchsorted(column.places.suburb[order], list(rows), side) for side in ("left", "right")]
            for number, begin, end in zip(rows, *edges, strict=True):
                rows[number][label] = order[begin:end]
        return rows

    def explains_all(self, rows: Rows, received: Reading) -> bool:
        """Return True if a response has the values of all these cells of a suburb."""
        reference = reference_of([received.payload])
        parts = {label: _of_one(column, rows[label]) for label, column in self.cells.columns.items()}
        return not any(_wrong(part, reference.at(label, part)).any() for label, part in parts.items())

    def explain(self, item: Item, rows: Rows, received: Reading, *, anew: bool) -> None:
        """Use the values of a response for the cells of a suburb that no response explains yet; with ``anew``, for all.

        A response explains a NaN among values of other responses only if it has a row of that date. Otherwise every
        older, shorter response would explain why the newest values are missing.
        """
        reference = reference_of([received.payload])
        if anew:
            self.behind[item] = []
        for label, column in self.cells.columns.items():
            own = rows[label]
            part = _of_one(column, own)
            values = reference.at(label, part)
            is_shown = ~np.isnan(part.value) | reference.has_row_of(part)
            explained = ~_wrong(part, values) & (anew | (self.wrong[label][own] & is_shown))
            self.expected[label][own[explained]] = values[explained]
            self.wrong[label][own[explained]] = False
            if explained.any() and received.response not in self.behind[item]:
                self.behind[item].append(received.response)

    def n_values(self) -> int:
        """Return the number of cells in which the frame or the responses have a value."""
        pairs = ((column.value, self.expected[label]) for label, column in self.cells.columns.items())
        return sum(int((~np.isnan(value) | ~np.isnan(expected)).sum()) for value, expected in pairs)

    def differences(self) -> list[Difference]:
        """Return the first differences, in the order of the frame's columns and rows."""
        found = []
        for label, column in self.cells.columns.items():
            for row in np.flatnonzero(self.wrong[label])[:SHOWN].tolist():
                suburb, day = column.places.suburb[row], column.places.day[row : row + 1]
                name = self.cells.names[suburb] if suburb >= 0 else None
                when = None if day[0] == NO_DAY else f"on {to_dates(day)[0]}"
                found.append(Difference(name, label, when, column.value[row], self.expected[label][row]))
        return found[:SHOWN]

    def lines(self, number: int) -> Iterator[str]:
        """Yield the sorted lines of a suburb for the digest: endpoint, area name, type, date and value of each cell."""
        for label, column in sorted(self.cells.columns.items()):
            rows = np.flatnonzero((column.places.suburb == number) & ~np.isnan(column.value) & ~self.wrong[label])
            days, first = np.unique(column.places.day[rows], return_index=True)
            head = "\t".join([*filter(None, self.items[number]), label])
            values = self.expected[label][rows[first]].tolist()
            for date, value in zip(to_dates(days).astype(str).tolist(), values, strict=True):
                yield f"{head}\t{date}\t{value!r}"


def _suburbs_with_values(cells: Cells) -> list[int]:
    """Return the numbers of the suburbs that have a value in some cell."""
    has_value = np.zeros(len(cells.names) + 1, dtype="bool")  # the last one is for rows without a suburb
    for column in cells.columns.values():
        has_value[column.places.suburb[~np.isnan(column.value)]] = True
    return np.flatnonzero(has_value[:-1]).tolist()


def _of_one(column: Column, rows: Whole) -> Column:
    """Return the cells of a suburb, with the suburb numbered 0."""
    part = column.where(rows)
    return part._replace(places=Places.of(np.zeros(len(rows), "int64"), part.places.day))


def _wrong(column: Column, expected: Values, tolerance: float = 0) -> Flags:
    """Return True for the cells that differ from the expected values, and for NaN where a value is expected."""
    value, is_missing = column.value, np.isnan(column.value)
    with np.errstate(invalid="ignore", over="ignore"):
        is_equal = value == expected.astype(column.dtype)
        if tolerance:
            is_equal |= np.abs(value - expected) <= tolerance * np.maximum(1, np.abs(expected))
    return np.where(is_missing, ~np.isnan(expected) & column.shows_gaps, ~is_equal)
