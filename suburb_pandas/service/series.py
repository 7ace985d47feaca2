"""Decodes the responses of endpoints that return series, dated points of a suburb, and defines the rent endpoint.

It owns the rules for points that cannot be read, and for those that cannot be true. A payload is one axis of dates with
a value of each property type on each date, packed into bytes, so that it can be stored and need not be decoded again.
It depends on the response alone: if it is lost or has an old format, it is made from the response again, at no cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import groupby
from math import isnan
from operator import attrgetter
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from suburb_pandas.errors import ContractViolation
from suburb_pandas.service.calls import PackedPayload
from suburb_pandas.service.endpoint import Endpoint, Numbers
from suburb_pandas.service.envelope import UNDECODABLE, Envelope, Missing, decoder_of, violation

KINDS: Final = ("house", "unit")
FORMAT: Final = 3
"""The version of packed payloads, and of the rules by which a response becomes one."""

# pandas 2 counts nanoseconds in 64 bits and wraps around silently outside these years.
_FIRST, _LAST = date(1678, 1, 1), date(2261, 12, 31)
_EPOCH: Final = date(1970, 1, 1).toordinal()
_READABLE_PER_UNREADABLE: Final = 9
_STEP: Final = 10
_BOTH_EMPTY: Final = "the series of houses and the series of units are both empty"
_NO_NUMBER: Final = re.compile(rb'("value"\s*:\s*)(NaN|-?Infinity)\b')  # Python's `json` writes these bare

# One record for each date: the values of houses and of units, NaN for none, and the days since 1970-01-01. Whole
# dollars, the usual case, fit into small records. Rejected: large records for all. The suburbs of the whole country
# would take three times the room in the store, and a fifth longer to load.
_LARGE: Final = np.dtype([("house", "<f8"), ("unit", "<f8"), ("day", "<i4")])
_SMALL: Final = np.dtype([("house", "<u2"), ("unit", "<u2"), ("day", "<u2")])
_NONE: Final = 65_535  # stands for NaN in small records


Days = npt.NDArray[np.signedinteger[Any]]
"""Days since 1970-01-01."""


class Columns(NamedTuple):
    """The series of one suburb, or of several, one below the other.

    ``numbers`` has a row for houses and a row for units; ``days`` are their dates.
    """

    numbers: npt.NDArray[np.float64]
    days: Days


class _Points(NamedTuple):
    """Points one by one, those of houses first. ``kinds`` are positions in `KINDS`."""

    kinds: npt.NDArray[np.signedinteger[Any]]
    days: Days
    values: npt.NDArray[np.float64]


class _SentPoint(msgspec.Struct, frozen=True, gc=False):
    """A TimeSeriesPoint of the specification."""

    date: date
    value: float


Point = TypeVar("Point")


class _SentSeries(msgspec.Struct, Generic[Point], frozen=True):
    area_name: str
    area_level: Literal["suburb"]
    house: list[Point] | None = None
    unit: list[Point] | None = None


_decode = decoder_of(Envelope[_SentSeries[_SentPoint]])
_decode_point_by_point = decoder_of(Envelope[_SentSeries[msgspec.Raw]])
_POINT = msgspec.json.Decoder(_SentPoint)


def decode_series(body: bytes, name: str) -> PackedPayload | Missing:
    """Decode a response with two series about the suburb `name`.

    If at least nine of ten points can be read, the others are left out. If a date comes twice in a series, its last
    point is kept. A response whose series are both empty has no data.

    Raises
    ------
    ContractViolation
        The body breaks the specification, or is about another suburb.
    """
    try:
        sent = _decode(body, name)
        if isinstance(sent, Missing):
            return sent
        payload = _payload(name, sent.house or [], sent.unit or [])
    except ContractViolation:
        readable = _readable(body, name)
        if readable is None:
            raise
        payload = readable
    return payload if payload.records else Missing(None, _BOTH_EMPTY)


def _readable(body: bytes, name: str) -> PackedPayload | None:
    """Return the points that can be read one by one; None if they are too few, or if more than points is wrong."""
    with suppress(ContractViolation):
        sent = _decode_point_by_point(_NO_NUMBER.sub(rb'\1"\2"', body), name)
        house: list[_SentPoint] = []
        unit: list[_SentPoint] = []
        unreadable = []
        for kind, readable in zip(KINDS, (house, unit), strict=True):
            for number, raw in enumerate(getattr(sent, kind, None) or []):
                with suppress(*UNDECODABLE):
                    point = _POINT.decode(raw)
                    if _FIRST <= point.date <= _LAST:
                        readable.append(point)
                        continue
                unreadable.append(f"{kind}[{number}]: {bytes(raw).decode('utf-8', 'replace')}")
        if len(unreadable) * _READABLE_PER_UNREADABLE <= len(house) + len(unit):
            return _payload(name, house, unit, unreadable)
    return None


def _payload(
    name: str, house: Sequence[_SentPoint], unit: Sequence[_SentPoint], unreadable: Sequence[str] = ()
) -> PackedPayload:
    """Return the points of both series on one axis of dates.

    Raises
    ------
    ContractViolation
        A date of this response about `name` is outside the range of pandas.
    """
    points = [*house, *unit]
    ordinals = np.array([point.date.toordinal() for point in points], "int64")
    kinds = np.repeat(np.arange(len(KINDS)), (len(house), len(unit)))
    for at in np.flatnonzero((ordinals < _FIRST.toordinal()) | (ordinals > _LAST.toordinal())):
        where = f"$.data.{KINDS[kinds[at]]}[{at - kinds[at] * len(house)}].date"
        raise violation(name, where, f"{points[at].date} is out of range")
    values = np.array([point.value for point in points], "float64")
    aligned = _align(_Points(kinds, ordinals - _EPOCH, values))
    mended = bool((np.diff(kinds * _LAST.toordinal() + ordinals) <= 0).any())
    return pack(aligned, area_name=name, mended=mended, unreadable=tuple(unreadable))


def _align(points: _Points) -> Columns:
    """Return points on one axis of dates, ascending. Of several points of a series and a date, the last one stays."""
    # Rejected: `np.unique`, which takes eight times as long.
    days = np.sort(points.days, kind="stable")
    axis = days[np.append(True, days[1:] != days[:-1])[: len(days)]]
    numbers = np.full((len(KINDS), len(axis)), np.nan)
    numbers[points.kinds, np.searchsorted(axis, points.days)] = points.values
    return Columns(numbers, axis)


def _points_of(payloads: Sequence[PackedPayload]) -> _Points:
    """Return the points of packed payloads: by series, then by payload, then by date."""
    numbers, days = join(payloads)
    kinds, at = np.nonzero(~np.isnan(numbers))
    return _Points(kinds, days[at], numbers[kinds, at])


def first_values(vintages: Sequence[PackedPayload]) -> PackedPayload:
    """Return the first value of each date and property type in several packed payloads, which come oldest first."""
    return pack(_align(_points_of(vintages[::-1])))


def numbers_of(packed: PackedPayload) -> Numbers:
    """Return the value of each point, by property type and date (ISO 8601)."""
    joined = join([packed])
    days = joined.days.astype("M8[D]").astype(str).tolist()
    return {
        (kind, day): value
        for kind, row in zip(KINDS, joined.numbers.tolist(), strict=True)
        for day, value in zip(days, row, strict=True)
        if not isnan(value)
    }


def impossible_points(packed: PackedPayload, first_day: int, last_day: int) -> Iterator[str]:
    """Yield a phrase for each point that cannot be true.

    These are dates before ``first_day`` or after ``last_day``, the day of retrieval, values that are not above zero,
    and tenfold steps between neighbouring values above zero.
    """
    kinds, days, values = _points_of([packed])
    dates = days.astype("M8[D]")
    for at in np.flatnonzero((days < first_day) | (days > last_day)):
        why = "after its retrieval" if days[at] > last_day else f"before {np.datetime64(first_day, 'D')}"
        yield f"{KINDS[kinds[at]]} of {values[at]:.10g} on {dates[at]} ({why})"
    for at in np.flatnonzero(values <= 0):
        yield f"{KINDS[kinds[at]]} of {values[at]:.10g} on {dates[at]} (not above zero, so it counts as missing)"
    is_rent = values > 0
    kinds, dates, values = kinds[is_rent], dates[is_rent], values[is_rent]
    is_step = np.maximum(values[1:], values[:-1]) / _STEP >= np.minimum(values[1:], values[:-1])
    for at in np.flatnonzero(is_step & (kinds[1:] == kinds[:-1])):
        yield f"{KINDS[kinds[at]]} from {values[at]:.10g} on {dates[at]} to {values[at + 1]:.10g} on {dates[at + 1]}"


def pack(columns: Columns, **facts: Any) -> PackedPayload:
    """Pack the series of one suburb. ``facts`` are the other fields of the payload."""
    known = np.concatenate([columns.days, columns.numbers[~np.isnan(columns.numbers)]])
    small = bool(((known >= 0) & (known < _NONE) & (known == np.trunc(known))).all())
    records = np.zeros(len(columns.days), _SMALL if small else _LARGE)
    records["day"] = columns.days
    values = np.where(np.isnan(columns.numbers), _NONE, columns.numbers) if small else columns.numbers
    records["house"], records["unit"] = values
    return PackedPayload(records.tobytes(), small, format=FORMAT, **facts)


def count_rows(packed: PackedPayload) -> int:
    """Count the dates of a packed pair of series."""
    return len(packed.records) // (_SMALL if packed.small else _LARGE).itemsize


def join(payloads: Sequence[PackedPayload]) -> Columns:
    """Return the series of several suburbs, one below the other."""
    rows = sum(map(count_rows, payloads))
    joined = Columns(np.empty((len(KINDS), rows)), np.empty(rows, "int32"))
    end = 0
    for small, run in groupby(payloads, key=attrgetter("small")):  # for speed: a whole run is one buffer
        records = np.frombuffer(b"".join([packed.records for packed in run]), _SMALL if small else _LARGE)
        start, end = end, end + len(records)
        joined.days[start:end] = records["day"]
        for kind, row in zip(KINDS, joined.numbers[:, start:end], strict=True):
            row[:] = records[kind]
            if small:
                row[row == _NONE] = np.nan
    return joined


SERIES: Final[Mapping[str, Any]] = {
    "shape": "series",
    "columns": dict.fromkeys(KINDS, "float64"),
    "decode": decode_series,
    "records": lambda packed: _points_of([packed]).values,
    "numbers": numbers_of,
    "impossible_values": impossible_points,
}
"""The fields that every endpoint of series has."""

RENT: Final = Endpoint(
    **SERIES,
    name="rent",
    path="/v1/suburbs/{}/market/median-rent-series",
    cents=30,
    unit="AUD per week",
    noun="rents",
    title="Rents",
    citation="median rent series of",
    axis_label="Advertised median rent",
    sample=b"""{"data": {"area_name": "Lantern Bay (NSW)", "area_level": "suburb",
        "house": [{"date": "2022-07-31", "value": 629.0}, {"date": "2022-08-28", "value": 628.0}], "unit": null}}""",
)
"""The endpoint of rents: the history of advertised median weekly rents of a suburb."""
