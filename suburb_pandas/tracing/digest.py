"""Computes the digest that `cite` documents: that of sorted lines, one for each number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.loaders.frames import long_series_frame
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.timeseries.dates import Values, Whole, to_dates
from suburb_pandas.timeseries.points import Points, points_of
from suburb_pandas.tracing.check import Checked
from suburb_pandas.tracing.claim import Claim
from suburb_pandas.tracing.rents import claim_of_rents

_DIGITS: Final = 16
_LABEL: Final = "label"


def digest_of(checks: Sequence[Checked]) -> str:
    """Return the digest of the data behind checked claims; empty if there is none."""
    blocks = _blocks(checks[0]) if len(checks) == 1 else _once(map(_blocks, checks))
    digest, is_first = hashlib.sha256(), True
    for block in blocks:
        digest.update(block[1:] if is_first else block)
        is_first = False
    return "" if is_first else digest.hexdigest()[:_DIGITS]


def _once(parts: Iterable[Iterable[bytes]]) -> list[bytes]:
    """Return the sorted lines of several parts, each once."""
    lines = {line for blocks in parts for block in blocks for line in block[1:].split(b"\n")}
    return [b"\n" + line for line in sorted(lines)]


def _blocks(checked: Checked) -> Iterable[bytes]:
    """Return sorted lines, many in one block, because a nation has millions, each after an end of line.

    They are encoded from the beginning: encoding those of a nation takes as long as hashing them.
    """
    claim = checked.claim
    is_series = {ENDPOINTS[each].shape for each in claim.endpoints} == {"series"}
    if claim.of_values and is_series:
        return _of_rents(claim, checked.found.expected)
    readings = [(item, one.payload) for item, several in checked.behind.items() for one in several]
    if is_series and len(readings) == len(checked.behind):
        payloads = {item.area_name: payload for item, payload in readings if not isinstance(payload, Missing)}
        loaded = claim_of_rents(long_series_frame(payloads, [*payloads]), None)
        return _of_rents(replace(loaded, endpoints=claim.endpoints), loaded.table.columns)
    labels = _labels(claim) if claim.of_values else {}
    return _once(_of_payload(item, payload, labels.get(item.area_name)) for item, payload in readings)


def _of_payload(item: Item, payload: Any, labels: set[Any] | None) -> Iterator[bytes]:
    """Yield a line for each number of a payload; with ``labels``, for those labels and for the totals."""
    for (label, name), value in ENDPOINTS[item.endpoint].numbers_of(payload).items():
        if labels is None or label is None or label in labels:
            yield "\t".join([f"\n{item.endpoint}", item.area_name, label or "", name, repr(value)]).encode()


def _labels(claim: Claim) -> Mapping[str, set[Any]]:
    """Return the labels of each suburb's rows; nothing if the rows have none, so that they rest on all numbers."""
    table = claim.table
    if _LABEL not in table.columns:
        return {}
    found: dict[str, set[Any]] = {}
    for number, label in zip(table.suburb.tolist(), table.columns[_LABEL], strict=True):
        found.setdefault(claim.names[number], set()).add(label)
    return found


def _of_rents(claim: Claim, received: Mapping[str, Any]) -> Iterator[bytes]:
    """Return the lines of the rents in a frame, as the responses have them, each once."""
    table, found = claim.table, {}
    for kind, values in received.items():
        own = np.asarray(table.columns[kind], "float64")
        found[kind] = Points(table.suburb, table.place, np.where(np.isnan(own), np.nan, values), np.arange(len(own)))
    return _of_series(claim.endpoints[0], claim.names, points_of(found))


def _of_series(endpoint: str, names: Sequence[str], series: Mapping[str, Points]) -> Iterator[bytes]:
    """Yield the lines of points by suburb, then by type: the endpoint, the name, the type, the date and the value.

    A tab sorts before every character of a name.
    """
    numbers = np.arange(len(names) + 1)
    edges = {kind: np.searchsorted(points.suburb, numbers).tolist() for kind, points in series.items()}
    ends = {kind: _ends_of_lines(points.day, points.value) for kind, points in series.items()}
    for number in sorted(range(len(names)), key=lambda each: names[each]):
        for kind in sorted(series):
            own = ends[kind][slice(*edges[kind][number : number + 2])]
            if own:
                head = f"\n{endpoint}\t{names[number]}\t{kind}\t".encode()
                yield head + head.join(own)


def _ends_of_lines(days: Whole, values: Values) -> list[bytes]:
    """Return the date and the value of each line. Many points of a nation are alike, so each pair is written once."""
    value, distinct = pd.factorize(values)
    first = days.min(initial=0)
    pair, pairs = pd.factorize((days - first) * max(len(distinct), 1) + value)
    day, value = np.divmod(pairs, max(len(distinct), 1))
    dates = np.array([f"{date}\t".encode() for date in to_dates(np.arange(first, days.max(initial=0) + 1))], "object")
    texts = np.array([repr(each).encode() for each in distinct.tolist()], "object")
    return list((dates[day] + texts[value])[pair])
