"""Defines `Endpoint`, the record that holds everything that other code needs about an endpoint, and checks it.

The records are in rent, impacts and geocode; the registry `ENDPOINTS` is in this folder's ``__init__``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from suburb_pandas.service import series_columns
from suburb_pandas.service.calls import PackedPayload
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.series import PropertySeries, count_points, impossible_points

Shape = Literal["series", "rows", "candidates"]
"""The kind of frame that an endpoint's payloads become.

``series``: values by date and property type, such as rents. ``rows``: one row for each record of a payload, such as the
drivers of impacts. ``candidates``: suburbs that a query may mean.
"""

SERIES_COLUMNS: Final = {"house": "float64", "unit": "float64"}
"""The columns of every endpoint of the shape ``series``."""


Numbers = Mapping[tuple[str | None, str], float]
"""The numbers of a payload: of a series by property type and date (ISO 8601), of rows by label and field."""


def _no_attrs(_payload: Any) -> Mapping[str, Any]:
    return {}


def _no_numbers(_payload: Any) -> Numbers:
    return {}


def _none(_payload: Any) -> Iterable[str]:
    return ()


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
        The price of a call by the rate card. The ``X-Cost-Cents`` header of a response takes precedence over it.
    decode
        Decodes and checks the body of a response about a suburb or query; returns the payload, or `Missing`. For a
        series: `decode_series`.
    shape
        The kind of frame.
    columns
        The dtype of each column.
    unit
        The unit of its numbers, or of each column of numbers; None if there are no numbers.
    noun
        The word for its data within a sentence: "rents", as in "no rents of 'Quokka Bay'".
    title
        The heading for its data.
    citation
        The words for its data in a citation, before the number of suburbs: "median rent series of".
    axis_label
        For a series: the label of the y axis of a chart, without the unit.
    records
        For the shapes rows and candidates: returns the records of a payload, one for each row.
    attrs_of_one, attrs_of_many
        Return the endpoint's own fields for the attrs of a frame: the first from the payload of a single suburb, the
        second from the payloads of several, by name.
    numbers
        For the shape rows: returns the numbers of a payload, each by its label (None for a total) and its field.
    impossible_values
        For the shape rows: yields a phrase for each value of a payload that cannot be true, for a warning.
    sample_name, sample
        A suburb or query, and the body of a response about it with at least one record. `check` decodes it.
    """

    name: str
    path: str
    cents: int
    decode: Callable[[bytes, str], Any]
    shape: Shape
    columns: Mapping[str, str]
    unit: str | Mapping[str, str] | None
    noun: str
    title: str
    citation: str
    axis_label: str = ""
    records: Callable[[Any], Sequence[Any]] = field(default=tuple)
    attrs_of_one: Callable[[Any], Mapping[str, Any]] = field(default=_no_attrs)
    attrs_of_many: Callable[[Mapping[str, Any]], Mapping[str, Any]] = field(default=_no_attrs)
    numbers: Callable[[Any], Numbers] = field(default=_no_numbers)
    impossible_values: Callable[[Any], Iterable[str]] = field(default=_none)
    sample_name: str
    sample: bytes = field(repr=False)

    @property
    def takes_a_query(self) -> bool:
        """True if a call is about a query, as a look-up is, and not about a suburb."""
        return self.shape == "candidates"

    @property
    def most_cents(self) -> int:
        """The highest price of a call that is believed, in cents: a hundred times that of the rate card."""
        return 100 * self.cents

    def count(self, payload: Any) -> int:
        """Count the points of both series, or the records, of a payload. A response without data has 0."""
        if isinstance(payload, Missing):
            return 0
        return count_points(payload) if self.shape == "series" else len(self.records(payload))

    def numbers_of(self, payload: Any) -> Numbers:
        """Return the numbers of a payload; none of a response without data. A series may be packed."""
        if isinstance(payload, Missing):
            return {}
        if self.shape != "series":
            return self.numbers(payload)
        packed = payload if isinstance(payload, PackedPayload) else series_columns.pack(payload)
        return series_columns.numbers(packed)

    def unreadable_in(self, payload: Any) -> Sequence[str]:
        """Return a phrase for each point that was left out of a payload, because it cannot be read."""
        return payload.unreadable if self.shape == "series" else ()

    def impossible_in(self, payload: Any, first_day: int, last_day: int) -> Sequence[str]:
        """Return a phrase for each value of a payload that cannot be true, or is dated outside of these days."""
        is_series = self.shape == "series"
        return [*(impossible_points(payload, first_day, last_day) if is_series else self.impossible_values(payload))]

    def pack(self, payload: Any, *, made_up: bool) -> PackedPayload | None:
        """Pack a payload, so that its response need not be decoded again; return None if this shape is not packed."""
        return series_columns.pack(payload, made_up=made_up) if self.shape == "series" else None


def check(endpoint: Endpoint) -> None:
    """Raise ValueError if the price or path of an endpoint is wrong, or its sample does not decode to its columns.

    Without this check, an incomplete endpoint would fail only after a response was paid for.
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
            np.array([getattr(record, column) for record in endpoint.records(payload)], dtype=dtype.lower())


def _check_series(endpoint: Endpoint, payload: Any) -> None:
    if not isinstance(payload, PropertySeries) or dict(endpoint.columns) != SERIES_COLUMNS:
        raise ValueError(f"The endpoint {endpoint.name!r} has to decode to series of houses and of units.")
    if not (isinstance(endpoint.unit, str) and endpoint.axis_label):
        raise ValueError(f"The endpoint {endpoint.name!r} needs a unit and a label for the axis of its charts.")
    series_columns.pack(payload, made_up=False)
