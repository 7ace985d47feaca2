"""Defines `Endpoint`, the record that holds everything that other code needs about an endpoint, and checks it.

The records are in rent, impacts and geocode; the registry `ENDPOINTS` is in this folder's ``__init__``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from msgspec import Meta

from suburb_pandas.messages import listed
from suburb_pandas.service import series
from suburb_pandas.service.calls import PackedPayload
from suburb_pandas.service.envelope import Missing, Whole

Shape = Literal["series", "rows", "candidates"]
"""The kind of frame that an endpoint's payloads become.

``series``: values by date and property type, such as rents. ``rows``: one row for each record of a payload, such as the
drivers of impacts; any other payload can be made such rows. ``candidates``: suburbs that a query may mean.
"""

SERIES_COLUMNS: Final = dict.fromkeys(series.KINDS, "float64")
"""The columns of every endpoint of the shape ``series``."""

DTYPES: Final[Mapping[str, Any]] = {
    "str": list[str | None],
    "float64": list[float | None],
    "int64": list[Whole],
    "Int64": list[Whole | None],
    "datetime64": list[Annotated[str, Meta(pattern=r"^\d{4}-\d\d(-\d\d)?$")]],
}
"""The dtypes that a column may have, with the type of its values. Dates are texts, such as 2026-01 or 2026-01-31."""

Numbers = Mapping[tuple[str | None, str], float]
"""The numbers of a payload: of a series by property type and date (ISO 8601), of rows by label and field."""


def _nothing(_payload: Any) -> Mapping[str, Any]:
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
        The price of a call by the rate card. The ``X-Cost-Cents`` header of a response takes precedence over it.
    decode
        Decodes and checks the body of a response about a suburb or query; returns the payload, or `Missing`. For a
        series: `decode_series`. For anything else: `decoder_of` the type of its envelope, whose data has an
        ``area_name``.
    shape
        The kind of frame.
    columns
        The dtype of each column, one of `DTYPES`.
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
        For the shapes rows and candidates: returns the records of a payload, one for each row. A record has an
        attribute for each column.
    keys
        For the shape rows: the columns that tell the rows of a suburb apart.
    attrs_of_one, attrs_of_many
        Return the endpoint's own fields for the attrs of a frame: the first from the payload of a single suburb, the
        second from the payloads of several, by name.
    numbers
        For the shape rows: returns the numbers of a payload, each by its label (None for a total) and its field. By
        default they are the columns that have a unit, and the label is that of the keys.
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
    keys: Sequence[str] = ()
    attrs_of_one: Callable[[Any], Mapping[str, Any]] = field(default=_nothing)
    attrs_of_many: Callable[[Mapping[str, Any]], Mapping[str, Any]] = field(default=_nothing)
    numbers: Callable[[Any], Numbers] | None = None
    impossible_values: Callable[[Any], Iterable[str]] = field(default=_nothing)
    sample_name: str = ""
    sample: bytes = field(default=b"", repr=False)

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
        return len(self.numbers_of(payload) if isinstance(payload, PackedPayload) else self.records(payload))

    def numbers_of(self, payload: Any) -> Numbers:
        """Return the numbers of a payload; none of a response without data."""
        if isinstance(payload, Missing):
            return {}
        if isinstance(payload, PackedPayload):
            return series.numbers_of(payload)
        if self.numbers is not None:
            return self.numbers(payload)
        return {
            (self.label_of(record), column): getattr(record, column)
            for record in self.records(payload)
            for column in self.unit or ()
        }

    def impossible_in(self, payload: Any, first_day: int, last_day: int) -> Sequence[str]:
        """Return a phrase for each value of a payload that cannot be true, or is dated outside of these days."""
        if isinstance(payload, PackedPayload):
            return [*series.impossible_points(payload, first_day, last_day)]
        return [*self.impossible_values(payload)]

    def label_of(self, record: Any) -> str:
        """Return the keys of a record as a text."""
        return ", ".join(str(getattr(record, key)) for key in self.keys)


def check(endpoint: Endpoint, others: Iterable[Endpoint]) -> None:
    """Raise ValueError if an endpoint is not complete, or its sample does not become a frame of its columns.

    Without this check, such an endpoint would fail only after a response was paid for.
    """
    is_own = all(endpoint.name != other.name and endpoint.path != other.path for other in others)
    fault = next(_faults(endpoint), "" if is_own else "name and path have to differ from those of other endpoints")
    if fault:
        raise ValueError(f"The endpoint {endpoint.name!r} was not registered, and nothing was sent: {fault}.")


def _faults(endpoint: Endpoint) -> Iterator[str]:
    """Yield each field of an endpoint that is wrong, and what is expected."""
    if endpoint.cents < 0:
        yield f"cents has to be a price of at least 0, not {endpoint.cents}"
    if endpoint.path.count("{}") != 1:
        yield f"path has to have one {{}}, for the name of a suburb or for a query, not {endpoint.path!r}"
    if endpoint.shape not in get_args(Shape):
        shapes = listed(get_args(Shape))
        yield f"shape has to be one of {shapes}, not {endpoint.shape!r}; records can make rows of any payload"
    try:
        payload = endpoint.decode(endpoint.sample, endpoint.sample_name)
        count = endpoint.count(payload)
    except Exception as problem:  # noqa: BLE001 - decode and records may raise anything
        what = f"that decode and records can read ({type(problem).__name__}: {problem})"
        yield f"sample has to be the body of a response about {endpoint.sample_name!r} {what}"
        return
    if not count:
        yield "sample has to hold at least one record"
    elif endpoint.shape == "series":
        if not isinstance(payload, PackedPayload) or dict(endpoint.columns) != SERIES_COLUMNS:
            yield "decode has to be decode_series, and columns SERIES_COLUMNS, if the shape is 'series'"
        if not (isinstance(endpoint.unit, str) and endpoint.axis_label):
            yield "unit and axis_label have to be texts, for the axis of its charts"
    elif endpoint.shape == "rows":
        yield from _faults_of_rows(endpoint, payload)


def _faults_of_rows(endpoint: Endpoint, payload: Any) -> Iterator[str]:
    if not hasattr(payload, "area_name"):
        yield "decode has to return a payload with area_name, by which a response about another suburb is refused"
    records, columns = endpoint.records(payload), endpoint.columns
    for column, dtype in columns.items():
        if dtype not in DTYPES:
            yield f"columns[{column!r}] has to be one of {listed(DTYPES)}, not {dtype!r}"
            continue
        try:
            msgspec.convert([getattr(record, column) for record in records], DTYPES[dtype])
        except (AttributeError, msgspec.ValidationError) as problem:
            yield f"columns[{column!r}] has to be an attribute of each record, with values of {dtype!r} ({problem})"
    if isinstance(endpoint.unit, str) or not {*(endpoint.unit or ())} <= {*columns}:
        yield f"unit has to name the unit of each column of numbers, or be None, not {endpoint.unit!r}"
    if not {*endpoint.keys} <= {*columns} or len({*map(endpoint.label_of, records)}) < len(records):
        yield f"keys has to name the columns that tell the rows of a suburb apart, not {endpoint.keys!r}"
