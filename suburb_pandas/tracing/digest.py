"""Computes the digest that `cite` documents: that of sorted lines, one for each number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import PROPERTY_TYPES
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item, PackedPayload
from suburb_pandas.service.series_columns import count_rows, join
from suburb_pandas.timeseries.dates import Values, Whole, to_dates
from suburb_pandas.timeseries.points import starts_of
from suburb_pandas.tracing.check import Checked

_DIGITS: Final = 16
_LABEL: Final = "label"


def digest_of(checks: Sequence[Checked]) -> str:
    """Return the digest of the data behind checked claims; empty if there is none."""
    blocks: Iterable[str] = _blocks(checks[0]) if len(checks) == 1 else _once(map(_blocks, checks))
    digest, separator = hashlib.sha256(), ""
    for block in blocks:
        digest.update(f"{separator}{block}".encode())
        separator = "\n"
    return digest.hexdigest()[:_DIGITS] if separator else ""


def _once(parts: Iterable[Iterable[str]]) -> list[str]:
    """Return the sorted lines of several parts, each once."""
    return sorted({line for blocks in parts for block in blocks for line in block.split("\n")})


def _blocks(checked: Checked) -> Iterable[str]:
    """Return sorted lines, many in one text, because a nation has millions."""
    claim, endpoint = checked.claim, checked.claim.endpoints[0]
    if claim.of_values and ENDPOINTS[endpoint].shape == "series":
        return _of_values(checked)
    readings = [(item, one.payload) for item, several in checked.behind.items() for one in several]
    packed = {item.area_name: payload for item, payload in readings if isinstance(payload, PackedPayload)}
    if len(packed) == len(readings):
        return _of_payloads(endpoint, packed)
    labels = _labels(checked) if claim.of_values else {}
    return _once(_of_payload(item, payload, labels.get(item.area_name)) for item, payload in readings)


def _of_payload(item: Item, payload: Any, labels: set[Any] | None) -> Iterator[str]:
    """Yield a line for each number of a payload; with ``labels``, for those labels and for the totals."""
    for (label, name), value in ENDPOINTS[item.endpoint].numbers_of(payload).items():
        if labels is None or label is None or label in labels:
            yield "\t".join([item.endpoint, item.area_name, label or "", name, repr(value)])


def _labels(checked: Checked) -> Mapping[str, set[Any]]:
    """Return the labels of each suburb's rows; nothing if the rows have none, so that they rest on all numbers."""
    (each,) = checked.found.values()
    if _LABEL not in each.table.columns:
        return {}
    labels = pd.Series(each.table.columns[_LABEL]).groupby(each.table.suburb).agg(set)
    return {checked.claim.names[number]: own for number, own in labels.items()}


def _of_payloads(endpoint: str, packed: Mapping[str, PackedPayload]) -> Iterator[str]:
    """Return the lines of all points of suburbs."""
    columns = join([*packed.values()])
    suburb = np.repeat(np.arange(len(packed)), [count_rows(payload) for payload in packed.values()])
    series = {}
    for kind, values in zip(PROPERTY_TYPES, columns.numbers, strict=True):
        known = ~np.isnan(values)
        series[kind] = suburb[known], columns.days[known].astype("int64"), values[known]
    return _of_series(endpoint, [*packed], series)


def _of_values(checked: Checked) -> Iterator[str]:
    """Return the lines of the rents in a frame, as the responses have them, each once."""
    series = {}
    for each in checked.found.values():
        table = each.table
        for kind, expected in each.expected.items():
            own = np.flatnonzero(~np.isnan(np.asarray(table.columns[kind], "float64")))
            own = own[np.argsort(table.key[own], kind="stable")]
            own = own[starts_of(table.key[own])]
            series[kind] = table.suburb[own], table.place[own], expected[own]
    return _of_series(checked.claim.endpoints[0], checked.claim.names, series)


def _of_series(endpoint: str, names: Sequence[str], series: Mapping[str, tuple[Whole, Whole, Values]]) -> Iterator[str]:
    """Yield the lines of series by suburb, then by type: the endpoint, the name, the type, the date and the value.

    A type has the number of the suburb, the day and the value of each point, sorted. A tab sorts before every character
    of a name.
    """
    ends = {kind: np.searchsorted(suburb, np.arange(len(names) + 1)) for kind, (suburb, _, _) in series.items()}
    lines = {kind: _dates_and_values(days, values) for kind, (_, days, values) in series.items()}
    for number in sorted(range(len(names)), key=lambda each: names[each]):
        for kind in sorted(series):
            own = lines[kind][ends[kind][number] : ends[kind][number + 1]]
            head = f"\n{endpoint}\t{names[number]}\t{kind}\t"
            if len(own):
                yield (head + head.join(own))[1:]


def _dates_and_values(days: Whole, values: Values) -> list[str]:
    """Return the end of each line. Many points of a nation are alike, so each end is written once."""
    day, days_known = pd.factorize(days)
    value, values_known = pd.factorize(values)
    pair, pairs = pd.factorize(day * max(len(values_known), 1) + value)
    day, value = np.divmod(pairs, max(len(values_known), 1))
    dates = np.array([f"{date}\t" for date in to_dates(days_known)], dtype="object")
    texts = np.array([*map(repr, values_known.tolist())], dtype="object")
    return list((dates[day] + texts[value])[pair])
