"""Defines `Endpoint`, the record that holds everything that other code needs about an endpoint, and checks it.

The records are in series, impacts and geocode; the registry `ENDPOINTS` is in this folder's ``__init__``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, get_args

import msgspec

from suburb_pandas.messages import listed
from suburb_pandas.service.envelope import Missing, Whole

Shape = Literal["series", "rows", "candidates"]
"""The kind of frame that an endpoint's payloads become.

``series``: values by date and property type, such as rents. ``rows``: one row for each record of a payload, such as the
drivers of impacts; this suits any payload that is not a series. ``candidates``: suburbs that a query may mean.
"""

DTYPES: Final[Mapping[str, Any]] = {
    "str": str | None,
    "float64": float | None,
    "int64": Whole,
    "Int64": Whole | None,
    "datetime64": Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d(-\d\d)?$")],
}
"""The dtypes that a column may have, with the type of its values. Dates are texts, such as 2026-01 or 2026-01-31."""

SAMPLE_NAME: Final = "Lantern Bay (NSW)"
"""The suburb that the sample of each endpoint is about."""

Numbers = Mapping[tuple[str | None, str], float]
"""The numbers of a payload: of a series by property type and date (ISO 8601), of rows by label and field."""


def _nothing(*_payload: Any) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Everything that distinguishes one endpoint from another.

    Parameters
    ----------
    name
        Its name in the ledger, in quotes and in attrs, and its loader's, ``sp.<name>`` (for look-ups ``sp.find``).
    path
        The path of a call, with ``{}`` for the percent-encoded suburb name or query.
    cents
        The price of a call by the rate card. The ``X-Cost-Cents`` header of a response takes precedence over it.
    decode
        Decodes and checks the body of a response about a suburb or query; returns the payload, or `Missing`. Usually
        `decoder_of` makes it from the type of the envelope, whose data has an ``area_name``.
    shape
        The kind of frame. The fields of the shape ``series`` that do not differ are in `SERIES` in series.
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
        Returns the records of a payload. For the shape rows: one for each row, with an attribute for each column.
    keys
        For the shape rows: the columns that tell the rows of a suburb apart.
    attrs_of_one, attrs_of_many
        Return the endpoint's own fields for the attrs of a frame: the first from the payload of a single suburb, the
        second from the payloads of several, by name.
    numbers
        Returns the numbers of a payload, each by its label (None for a total) and its field. By default they are the
        columns that have a unit, and the label is that of the keys.
    impossible_values
        Yields a phrase, for a warning, for each value of a payload that cannot be true. Its other arguments are the
        first and the last day that a value can have, in days since 1970-01-01.
    sample
        The body of a response about `SAMPLE_NAME` with at least one record. `check` decodes it.
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
    sample: bytes
    axis_label: str = ""
    records: Callable[[Any], Collection[Any]] = tuple
    keys: Sequence[str] = ()
    attrs_of_one: Callable[[Any], Mapping[str, Any]] = _nothing
    attrs_of_many: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _nothing
    numbers: Callable[[Any], Numbers] | None = None
    impossible_values: Callable[[Any, int, int], Iterable[str]] = _nothing

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
        return 0 if isinstance(payload, Missing) else len(self.records(payload))

    def numbers_of(self, payload: Any) -> Numbers:
        """Return the numbers of a payload; none of a response without data."""
        if isinstance(payload, Missing):
            return {}
        if self.numbers is not None:
            return self.numbers(payload)
        return {
            (self.label_of(record), column): number
            for record in self.records(payload)
            for column in self.unit or ()
            if (number := getattr(record, column)) is not None
        }

    def label_of(self, record: Any) -> str:
        """Return the keys of a record as a text."""
        return ", ".join(str(getattr(record, key)) for key in self.keys)


def check(endpoint: Endpoint, others: Iterable[Endpoint]) -> None:
    """Raise ValueError if an endpoint is not complete, clashes with another, or does not fit its sample.

    Without this check, such an endpoint would fail only after a response was paid for.
    """
    fault = next(_faults(endpoint, others), "")
    if fault:
        raise ValueError(f"The endpoint {endpoint.name!r} was not registered, and nothing was sent: {fault}.")


def _faults(endpoint: Endpoint, others: Iterable[Endpoint]) -> Iterator[str]:
    """Yield each field of an endpoint that is wrong, and what is expected."""
    if any(endpoint.name == other.name or endpoint.path == other.path for other in others):
        yield "name and path have to differ from those of other endpoints"
    if "{}" not in endpoint.path:
        yield f"path has to have {{}} for the name of a suburb or for a query, not {endpoint.path!r}"
    if endpoint.shape not in get_args(Shape):
        yield f"shape has to be one of {listed(get_args(Shape))}, not {endpoint.shape!r}"
    if not {*endpoint.columns.values()} <= DTYPES.keys():
        yield f"columns has to have dtypes of {listed(DTYPES)}, not {dict(endpoint.columns)}"
    try:
        payload = endpoint.decode(endpoint.sample, SAMPLE_NAME)
        if endpoint.shape == "rows":
            _check_rows(endpoint, payload)
    except Exception as problem:  # noqa: BLE001 - decode and records may raise anything
        yield (
            f"sample has to be a response about {SAMPLE_NAME!r} that decode and records make into rows with the "
            f"columns, the unit and the keys of this endpoint ({type(problem).__name__}: {problem})"
        )


def _check_rows(endpoint: Endpoint, payload: Any) -> None:
    """Raise an error if the records of a payload do not become rows of a frame as the endpoint describes it."""
    columns = [(column, DTYPES[dtype]) for column, dtype in endpoint.columns.items()]
    row, records = msgspec.defstruct("Row", [("area_name", str), *columns]), endpoint.records(payload)
    for record in records:
        values = {column: getattr(record, column) for column in endpoint.columns}
        msgspec.convert({"area_name": payload.area_name, **values}, row)
    endpoint.numbers_of(payload)  # an error if unit or keys name no attribute of a record
    tuple(endpoint.impossible_values(payload, 0, 0))  # an error if it takes other arguments
    if not 0 < len(records) == len({*map(endpoint.label_of, records)}):
        raise ValueError("keys has to name the columns that tell the records apart, of which there has to be one")
