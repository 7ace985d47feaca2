"""Decodes the responses of an endpoint that returns series: dated points of a suburb, for houses and for units.

It owns the rules for points that cannot be read, and for those that cannot be true. A payload is one axis of dates with
a value of each property type on each date, packed into bytes, so that it can be stored and need not be decoded again.
It depends on the response alone: if it is lost or has an old format, it is made from the response again, at no cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from math import isnan
from operator import attrgetter
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from suburb_pandas.errors import ContractViolation
from suburb_pandas.service.calls import PackedPayload
from suburb_pandas.service.envelope import UNDECODABLE, Envelope, Missing, decoder_of, shortened, violation

KINDS: Final = ("house", "unit")
FORMAT: Final = 3
"""The version of packed payloads, and of the rules by which a response becomes one."""

# pandas 2 counts nanoseconds in 64 bits and wraps around silently outside these years.
_FIRST_DAY, _LAST_DAY = (int(np.datetime64(day).astype("int64")) for day in ("1678-01-01", "2261-12-31"))
_LOWEST, _HIGHEST = (np.frombuffer(line, "u1") for line in (b"0000-00-00\n", b"9999-99-99\n"))
_POINTS_PER_UNREADABLE: Final = 10
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


class _SentPoint(msgspec.Struct, frozen=True, gc=False):
    """A TimeSeriesPoint of the specification. Rejected: decoding to date objects, which takes longer than the rest."""

    date: str
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
        if isinstance(sent, Missing):
            return None
        series = sent.house or [], sent.unit or []
        most = sum(map(len, series)) // _POINTS_PER_UNREADABLE
        readable: tuple[list[_SentPoint], list[_SentPoint]] = [], []
        unreadable: list[str] = []
        for kind, points, good in zip(KINDS, series, readable, strict=True):
            for number, raw in enumerate(points):
                point = _point(raw)
                if point is not None:
                    good.append(point)
                elif len(unreadable) < most:
                    unreadable.append(f"{kind}[{number}]: {bytes(raw).decode('utf-8', 'replace')}")
                else:
                    return None
        return _payload(name, *readable, unreadable)
    return None


def _point(raw: msgspec.Raw) -> _SentPoint | None:
    with suppress(*UNDECODABLE):
        point = _POINT.decode(raw)
        return None if _read_days([point.date]) is None else point
    return None


def _payload(
    name: str, house: Sequence[_SentPoint], unit: Sequence[_SentPoint], unreadable: Sequence[str] = ()
) -> PackedPayload:
    """Return the points of both series on one axis of dates.

    Raises
    ------
    ContractViolation
        A date of this response about `name` is not a date, or is outside the range of pandas.
    """
    points, first = [*house, *unit], len(house)
    days = _read_days([point.date for point in points])
    if days is None:
        at = next(at for at, point in enumerate(points) if _read_days([point.date]) is None)
        where = f"house[{at}]" if at < first else f"unit[{at - first}]"
        raise violation(name, f"$.data.{where}.date", f"{shortened(points[at].date)} is no date, or out of range")
    values = np.array([point.value for point in points], "float64")
    axis = _distinct(days)
    numbers = np.full((len(KINDS), len(axis)), np.nan)
    mended = False
    for row, part in zip(numbers, (slice(first), slice(first, None)), strict=True):
        own = days[part]
        row[np.searchsorted(axis, own)] = values[part]  # of several points of a date, the last one stays
        mended |= bool((own[1:] <= own[:-1]).any())
    return pack(Columns(numbers, axis), area_name=name, mended=mended, unreadable=tuple(unreadable))


def _distinct(days: Days) -> Days:
    """Return days in ascending order, each once. Rejected: ``np.unique``, which takes four times as long."""
    ordered = np.sort(days, kind="stable")
    is_last: npt.NDArray[np.bool_] = np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)]
    return ordered[is_last]


def _read_days(texts: Sequence[str]) -> Days | None:
    """Read dates written YYYY-MM-DD as days since 1970-01-01; return None if one of them is not such a date.

    Rejected: letting numpy read them from bytes. Older versions of it crash on a date such as 2026-02-30.
    """
    lines = "\n".join([*texts, ""]).encode("ascii", "replace")
    if len(lines) != len(texts) * len(_LOWEST):
        return None
    letters = np.frombuffer(lines, "u1").reshape(-1, len(_LOWEST))
    if not ((letters >= _LOWEST) & (letters <= _HIGHEST)).all():
        return None
    try:
        days = np.array(texts, dtype="M8[D]").astype("int64")
    except ValueError:
        return None
    return days if not texts or (days.min() >= _FIRST_DAY and days.max() <= _LAST_DAY) else None


def impossible_points(payload: PackedPayload, first_day: int, last_day: int) -> Iterator[str]:
    """Yield a phrase for each point that cannot be true.

    These are dates before ``first_day`` or after ``last_day``, the day of retrieval, values that are not above zero,
    and tenfold steps between neighbouring values above zero.
    """
    numbers, days = join([payload])
    first, last = np.array([first_day, last_day], "M8[D]")
    for kind, row in zip(KINDS, numbers, strict=True):
        known = ~np.isnan(row)
        dates, values = days[known].astype("M8[D]"), row[known]
        for at in np.flatnonzero((dates < first) | (dates > last)):
            why = "after its retrieval" if dates[at] > last else f"before {first}"
            yield f"{kind} of {values[at]:.10g} on {dates[at]} ({why})"
        for at in np.flatnonzero(values <= 0):
            yield f"{kind} of {values[at]:.10g} on {dates[at]} (not above zero, so it counts as missing)"
        dates, values = dates[values > 0], values[values > 0]
        for at in np.flatnonzero(np.maximum(values[1:], values[:-1]) / _STEP >= np.minimum(values[1:], values[:-1])):
            before, after = (f"{values[n]:.10g} on {dates[n]}" for n in (at, at + 1))
            yield f"{kind} from {before} to {after}"


def pack(columns: Columns, **facts: Any) -> PackedPayload:
    """Pack the series of one suburb. ``facts`` are the other fields of the payload."""
    known = np.concatenate([columns.days, columns.numbers[~np.isnan(columns.numbers)]])
    small = bool(((known >= 0) & (known < _NONE) & (known == np.trunc(known))).all())
    records = np.zeros(len(columns.days), _SMALL if small else _LARGE)
    records["day"] = columns.days
    for kind, row in zip(KINDS, columns.numbers, strict=True):
        records[kind] = np.where(np.isnan(row), _NONE, row) if small else row
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


def numbers_of(packed: PackedPayload) -> dict[tuple[str | None, str], float]:
    """Return the value of each point, by property type and date (ISO 8601)."""
    joined = join([packed])
    dates = joined.days.astype("M8[D]").astype(str).tolist()
    return {
        (kind, date): value
        for kind, values in zip(KINDS, joined.numbers.tolist(), strict=True)
        for date, value in zip(dates, values, strict=True)
        if not isnan(value)
    }


def first_values(vintages: Sequence[PackedPayload]) -> PackedPayload:
    """Return the first value of each date and property type in several packed payloads, the oldest payload first."""
    every = [join([packed]) for packed in vintages]
    axis = _distinct(np.concatenate([one.days for one in every]))
    numbers = np.full((len(KINDS), len(axis)), np.nan)
    for older in reversed(every):
        at = np.searchsorted(axis, older.days)
        numbers[:, at] = np.where(np.isnan(older.numbers), numbers[:, at], older.numbers)
    return pack(Columns(numbers, axis))
