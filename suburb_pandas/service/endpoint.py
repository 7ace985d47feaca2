"""Defines what is known about an endpoint: the one record that all other code reads, and the check of its sample.

The records themselves are in rent, impacts and geocode; the registry of them is `ENDPOINTS` in this folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from suburb_pandas.service import series_columns
from suburb_pandas.service.calls import PackedPayload
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.series import PropertySeries, count_points

Shape = Literal["series", "rows", "candidates"]
"""The kind of frame that an endpoint's payloads become.

``series``: dates by property type, as rents. ``rows``: a row for each record of a payload, as drivers.
``candidates``: suburbs that a query may mean.
"""

SERIES_COLUMNS: Final = {"house": "float64", "unit": "float64"}
"""The columns of every endpoint of the shape ``series``."""


def _no_attrs(_payload: Any) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Everything that distinguishes one endpoint from another.

    Parameters
    ----------
    name
        Its name in the ledger, in quotes and in attrs, and that of its loader: ``sp.<name>``.
    path
        The path of a call, with ``{}`` for the percent-encoded suburb name or query.
    cents
        The price of a call by the rate card. ``X-Cost-Cents`` of a response wins.
    decode
        Decodes and checks the body of a response about a suburb or query; returns the payload, or `Missing`.
    shape
        The kind of frame.
    columns
        The dtype of each column.
    unit
        The unit of its numbers, None if they have several or none.
    noun
        Its data in the middle of a sentence: "no rents of 'Quokka Bay'".
    title
        Its data as a heading.
    citation
        The beginning of a citation, before the number of suburbs.
    axis_label
        For a series: the label of the y axis of a chart, with the unit.
    records
        For rows and candidates: returns the records of a payload, one for each row.
    attrs_of_one, attrs_of_many
        Return fields for the attrs of a frame, from the payload of its one suburb, or from all payloads by name.
    sample_name, sample
        A suburb or query, and the body of a response about it, with at least one record. The registry decodes it.
    """

    name: str
    path: str
    cents: int
    decode: Callable[[bytes, str], Any]
    shape: Shape
    columns: Mapping[str, str]
    unit: str | None
    noun: str
    title: str
    citation: str
    axis_label: str = ""
    records: Callable[[Any], Sequence[Any]] = field(default=tuple)
    attrs_of_one: Callable[[Any], Mapping[str, Any]] = field(default=_no_attrs)
    attrs_of_many: Callable[[Mapping[str, Any]], Mapping[str, Any]] = field(default=_no_attrs)
    sample_name: str
    sample: bytes = field(repr=False)

    @property
    def takes_a_query(self) -> bool:
        """True for a look-up, which is about a query and not about a suburb."""
        return self.shape == "candidates"

    def count(self, payload: Any) -> int:
        """Count what a payload holds: points of both series, records, or nothing for a response without data."""
        if isinstance(payload, Missing):
            return 0
        return count_points(payload) if self.shape == "series" else len(self.records(payload))

    def pack(self, payload: Any, *, made_up: bool) -> PackedPayload | None:
        """Pack a payload, so that it need not be decoded again; return None if this shape is not packed."""
        return series_columns.pack(payload, made_up=made_up) if self.shape == "series" else None


def check(endpoint: Endpoint) -> None:
    """Raise ValueError if an endpoint is half finished: its price, its path, or what it makes of its own sample.

    A half-finished endpoint would otherwise fail only after a response was paid for.
    """
    if endpoint.cents < 0 or endpoint.path.count("{}") != 1:
        raise ValueError(f"The endpoint {endpoint.name!r} needs a price of at least 0 cents and a path with one {{}}.")
    payload = endpoint.decode(endpoint.sample, endpoint.sample_name)
    if isinstance(payload, Missing) or not endpoint.count(payload):
        raise ValueError(f"The sample of the endpoint {endpoint.name!r} holds no record.")
    if endpoint.shape == "series":
        _check_series(endpoint, payload)
    elif endpoint.shape == "rows":
        for column, dtype in endpoint.columns.items():
            np.array([getattr(record, column) for record in endpoint.records(payload)], dtype=dtype)


def _check_series(endpoint: Endpoint, payload: Any) -> None:
    if not isinstance(payload, PropertySeries) or dict(endpoint.columns) != SERIES_COLUMNS:
        raise ValueError(f"The endpoint {endpoint.name!r} has to decode to series of houses and of units.")
    if not (endpoint.unit and endpoint.axis_label):
        raise ValueError(f"The endpoint {endpoint.name!r} needs a unit and a label for the axis of its charts.")
    series_columns.pack(payload, made_up=False)
