"""Writes the lines of the digest that `cite` documents, and computes it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from suburb_pandas.frames.schema import PROPERTY_TYPES
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item, PackedPayload
from suburb_pandas.service.series_columns import join
from suburb_pandas.timeseries.dates import Values, to_dates
from suburb_pandas.tracing.check import Checked

_DIGITS: Final = 16
_LABEL: Final = "label"


def digest_of(checks: Sequence[Checked]) -> str:
    """Return the digest of the data behind checked claims; empty if there is none."""
    blocks = _blocks(checks[0]) if len(checks) == 1 else _merged(checks)
    digest, separator = hashlib.sha256(), ""
    for block in blocks:
        digest.update(f"{separator}{block}".encode())
        separator = "\n"
    return digest.hexdigest()[:_DIGITS] if separator else ""


def _merged(checks: Sequence[Checked]) -> list[str]:
    """Return the sorted lines of several claims, each once."""
    return sorted({line for each in checks for block in _blocks(each) for line in block.split("\n")})


def _blocks(checked: Checked) -> Iterator[str]:
    """Yield sorted lines, many in one text, because a nation has millions."""
    claim = checked.claim
    if not claim.of_values:
        yield from _merged_texts(
            _of_response(item, one.payload) for item, several in checked.behind.items() for one in several
        )
    elif ENDPOINTS[claim.endpoints[0]].shape == "series":
        yield from _of_values(checked)
    else:
        yield from _merged_texts(
            _of_response(item, one.payload, _labels(checked, item.area_name))
            for item, several in checked.behind.items()
            for one in several
        )


def _merged_texts(texts: Any) -> list[str]:
    """Return texts in the order of their first lines; several texts about an item are merged, each line once."""
    found = sorted(text for text in texts if text)
    heads = ["\t".join(text.split("\t", 2)[:2]) for text in found]
    if len({*heads}) == len(heads):
        return found
    return sorted({line for text in found for line in text.split("\n")})


def _of_response(item: Item, payload: Any, labels: set[Any] | None = None) -> str:
    """Return the sorted lines of the numbers of a payload; with ``labels``, of those labels, and of the totals."""
    if isinstance(payload, PackedPayload):
        columns = join([payload])
        kinds = zip(PROPERTY_TYPES, columns.numbers, strict=True)
        return "\n".join(filter(None, (_of_series(item, kind, columns.days, values) for kind, values in kinds)))
    numbers = ENDPOINTS[item.endpoint].numbers_of(payload).items()
    return "\n".join(
        sorted(
            "\t".join([item.endpoint, item.area_name, label or "", name, repr(value)])
            for (label, name), value in numbers
            if labels is None or label is None or label in labels
        )
    )


def _of_series(item: Item, kind: str, days: Any, values: Values) -> str:
    """Return the lines of one property type of a suburb, whose days ascend."""
    known = ~np.isnan(values)
    dates = to_dates(np.asarray(days[known], "int64")).astype("str").tolist()
    head = "\t".join([*filter(None, item), kind])
    return "\n".join([f"{head}\t{date}\t{value!r}" for date, value in zip(dates, values[known].tolist(), strict=True)])


def _of_values(checked: Checked) -> Iterator[str]:
    """Yield the lines of the rents in a frame, suburb by suburb. A tab sorts before every character of a name."""
    claim, parts = checked.claim, []
    for each in checked.found.values():
        for kind, expected in each.expected.items():
            rows = np.flatnonzero(~np.isnan(np.asarray(each.table.columns[kind], "float64")))
            _, first = np.unique(each.table.key[rows], return_index=True)
            own = rows[first]
            parts.append((kind, each.table.suburb[own], each.table.place[own], expected[own]))
    order = sorted(range(len(claim.names)), key=lambda number: claim.names[number])
    edges = [
        (kind, days, values, np.searchsorted(suburb, np.arange(len(order) + 1)))
        for kind, suburb, days, values in sorted(parts, key=lambda part: part[0])
    ]
    for number in order:
        item = Item(claim.endpoints[0], claim.names[number], claim.state)
        for kind, days, values, edge in edges:
            block = _of_series(
                item, kind, days[edge[number] : edge[number + 1]], values[edge[number] : edge[number + 1]]
            )
            if block:
                yield block


def _labels(checked: Checked, name: str) -> set[Any] | None:
    """Return the labels of a suburb's rows; None if the rows have none, so that they rest on all numbers."""
    (each,) = checked.found.values()
    if _LABEL not in each.table.columns:
        return None
    number = checked.claim.names.index(name)
    return {*each.table.columns[_LABEL][each.table.suburb == number]}
