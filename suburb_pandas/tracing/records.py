"""Compares the rows of a frame with records made from responses: drivers, summaries, scorecards and candidates.

A row has to equal one record of its suburb in every column that the frame still has. Finding the responses is left to
candidates, making the records to the callers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.reading import Reading
from suburb_pandas.tracing.candidates import Candidates
from suburb_pandas.tracing.checked import SHOWN, Checked, Difference

Record = Mapping[str, Any]
"""The value of each column of a row."""

Combination = tuple[Reading, ...]
"""One response of each endpoint about a suburb."""

RecordsOf = Callable[[Mapping[str, Combination]], Mapping[str, Sequence[Record]]]
"""Returns the records of suburbs, by name."""

_CLOSE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of a frame to compare: the suburb and the values of each row, and how records are made.

    ``key`` is the column that identifies a record within its suburb, if there is one. ``state`` is the state of a
    look-up.
    """

    names: Sequence[str]
    rows: pd.DataFrame = field(repr=False)
    endpoints: tuple[str, ...]
    records: RecordsOf
    key: str | None = None
    state: str | None = None


def check_records(part: Part, candidates: Candidates) -> Checked:
    """Compare rows with the responses: each row has to be a record of one of them."""
    rows_by_suburb = _rows_by_suburb(part)
    items = {name: [Item(endpoint, name, part.state) for endpoint in part.endpoints] for name in rows_by_suburb}
    first = candidates.first(item for several in items.values() for item in several)
    likeliest = {
        name: tuple(first[item] for item in several)
        for name, several in items.items()
        if all(item in first for item in several)
    }
    records = part.records(likeliest)
    behind: dict[Item, list[Response]] = {}
    lines: list[str] = []
    differences: list[Difference] = []
    for name, combination in likeliest.items():
        rest = rows_by_suburb[name]
        for received in _combinations(items[name], combination, candidates):
            found = records[name] if received is combination else part.records({name: received})[name]
            explained = [row for row in rest if not _difference(part, name, row, found)]
            rest = [row for row in rest if row not in explained] if explained else rest
            if explained or received is combination:
                _add(behind, items[name], received)
                lines += _lines(items[name], received, _labels(part, explained))
            if not rest:
                break
        differences += [each for row in rest for each in _difference(part, name, row, records[name])]
    unknown = [name for name in items if name not in likeliest]
    return Checked(behind, lambda: sorted(set(lines)), len(differences), differences[:SHOWN], unknown)


def _add(behind: dict[Item, list[Response]], items: Sequence[Item], received: Combination) -> None:
    for item, one in zip(items, received, strict=True):
        responses = behind.setdefault(item, [])
        responses += [] if one.response in responses else [one.response]


def _rows_by_suburb(part: Part) -> dict[str, list[Record]]:
    """Return the rows of each suburb. A float32 or float16 becomes the number that its shortest text shows."""
    plain = part.rows.copy(deep=False)
    for column in plain.columns:
        if plain[column].dtype in {np.dtype("float32"), np.dtype("float16")}:
            plain[column] = [float(str(value)) for value in plain[column].to_numpy()]
    found: dict[str, list[Record]] = {}
    for name, row in zip(part.names, _records(plain), strict=True):
        found.setdefault(name, []).append(row)
    return found


def _records(rows: pd.DataFrame) -> list[Record]:
    return [{str(column): value for column, value in row.items()} for row in rows.to_dict("records")]


def _combinations(items: Sequence[Item], likeliest: Combination, candidates: Candidates) -> Iterator[Combination]:
    """Yield the likeliest responses of the items, then all combinations with others."""
    yield likeliest
    yield from product(*[[one, *candidates.others(item)] for item, one in zip(items, likeliest, strict=True)])


def _difference(part: Part, name: str, row: Record, records: Sequence[Record]) -> list[Difference]:
    """Return the differences between a row and the record that is most similar to it; none if it equals a record."""
    label = None if part.key is None else row.get(part.key)
    where = None if label is None else f"for {str(label)!r}"
    of_key = [
        record for record in records if part.key is None or row.get(part.key, record[part.key]) == record[part.key]
    ]
    found = [
        [
            Difference(name, column, where, value, record[column])
            for column, value in row.items()
            if not _is_same(value, record[column])
        ]
        for record in of_key
    ]
    if found:
        return min(found, key=len)
    missing = part.key or next(iter(row))
    return [Difference(name, missing, None, row.get(missing), None)]


def _is_same(value: Any, received: Any) -> bool:
    """Return True if a value equals that of a record, in any dtype. Numbers may be text, as in a CSV file."""
    if pd.isna(value) or pd.isna(received):
        return bool(pd.isna(value) and pd.isna(received))
    if value == received or str(value) == str(received):
        return True
    if isinstance(received, pd.Timestamp):
        return bool(pd.to_datetime(value, errors="coerce") == received)
    try:
        return abs(float(value) - float(received)) <= _CLOSE * max(1.0, abs(float(received)))
    except (TypeError, ValueError):
        return False


def is_same_table(frame: pd.DataFrame, again: pd.DataFrame) -> bool:
    """Return True if each row of a frame is a row of the one that was computed again, numbers to 1e-9."""
    plain, reference = (table.reset_index(drop=table.index.names == [None]) for table in (frame, again))
    columns = [column for column in plain.columns if column in reference.columns]
    keys = [column for column in columns if not pd.api.types.is_numeric_dtype(reference[column].dtype)]
    if len(keys) == len(columns):
        return False
    by_key: dict[tuple[str, ...], list[Record]] = {}
    for record in _records(reference[columns]):
        by_key.setdefault(tuple(str(record[key]) for key in keys), []).append(record)
    return all(
        any(all(_is_same(row[column], record[column]) for column in columns) for record in found)
        for row in _records(plain[columns])
        for found in [by_key.get(tuple(str(row[key]) for key in keys), [])]
    )


def _labels(part: Part, rows: Iterable[Record]) -> set[Any] | None:
    """Return the labels of the rows; None if the rows have none, so that they depend on all numbers of a response."""
    return {row[part.key] for row in rows} if part.key and all(part.key in row for row in rows) else None


def _lines(items: Sequence[Item], received: Combination, labels: set[Any] | None) -> Iterator[str]:
    """Yield the lines of the digest: endpoint, area name, label, field and value of each number."""
    for item, one in zip(items, received, strict=True):
        yield from lines_of(item, one.payload, labels)


def lines_of(item: Item, payload: Any, labels: set[Any] | None = None) -> Iterator[str]:
    """Yield a line for each number of a payload; with ``labels``, only for those labels, and for the totals."""
    for (label, name), value in ENDPOINTS[item.endpoint].numbers_of(payload).items():
        if labels is None or label is None or label in labels:
            yield "\t".join([item.endpoint, item.area_name, label or "", name, repr(value)])
