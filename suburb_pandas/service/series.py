"""Decodes the responses of an endpoint that returns series: dated points of a suburb, for houses and for units.

It also owns the rules for points that cannot be read, and for those that cannot be true. Packing a pair of series into
columns is left to series_columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, Generic, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from suburb_pandas.errors import ContractViolation
from suburb_pandas.service.envelope import (
    UNDECODABLE,
    Envelope,
    Missing,
    check_subject,
    decode,
    shortened,
    violation,
)

# pandas 2 counts nanoseconds in 64 bits and wraps around silently outside these years.
_FIRST_DAY, _LAST_DAY = (int(np.datetime64(day).astype("int64")) for day in ("1678-01-01", "2261-12-31"))
_LOWEST, _HIGHEST = (np.frombuffer(line, "u1") for line in (b"0000-00-00\n", b"9999-99-99\n"))
_POINTS_PER_UNREADABLE: Final = 10
_STEP: Final = 10
_BOTH_EMPTY: Final = "the series of houses and the series of units are both empty"
_NO_NUMBER: Final = re.compile(rb'("value"\s*:\s*)(NaN|-?Infinity)\b')  # Python's `json` writes these bare


class Points(NamedTuple):
    """The points of one property type as they were sent: days since 1970-01-01, and values."""

    days: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


class PropertySeries(NamedTuple):
    """One suburb's series of houses and of units. A series that is null, absent or empty has no points.

    ``unreadable`` has a phrase for each point that was left out because it cannot be read.
    """

    area_name: str
    house: Points
    unit: Points
    unreadable: tuple[str, ...] = ()


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


_DECODER = msgspec.json.Decoder(Envelope[_SentSeries[_SentPoint]])
_POINT_BY_POINT = msgspec.json.Decoder(Envelope[_SentSeries[msgspec.Raw]])
_POINT = msgspec.json.Decoder(_SentPoint)
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def decode_series(body: bytes, name: str) -> PropertySeries | Missing:
    """Decode a response with two series, and check that it is about the suburb `name`.

    If at least nine of ten points can be read, the others are left out. A response whose series are both empty has no
    data.

    Raises
    ------
    ContractViolation
        The body breaks the specification, or is about another suburb.
    """
    try:
        sent = decode(_DECODER, body, name)
        if isinstance(sent, Missing):
            return sent
        check_subject(sent.area_name, name)
        series = _read_series(sent.house or [], sent.unit or [], name)
    except ContractViolation:
        readable = _readable_series(body, name)
        if readable is None:
            raise
        return readable
    return series if count_points(series) else Missing(None, _BOTH_EMPTY, names_suburb=True)


def _readable_series(body: bytes, name: str) -> PropertySeries | None:
    """Return the points that can be read one by one; None if they are too few, or if more than points is wrong."""
    with suppress(ContractViolation):
        sent = decode(_POINT_BY_POINT, _NO_NUMBER.sub(rb'\1"\2"', body), name)
        if not isinstance(sent, Missing):
            check_subject(sent.area_name, name)
            return _without_unreadable({"house": sent.house or [], "unit": sent.unit or []}, name)
    return None


def _without_unreadable(sent: Mapping[str, Sequence[msgspec.Raw]], name: str) -> PropertySeries | None:
    most = sum(map(len, sent.values())) // _POINTS_PER_UNREADABLE
    readable: dict[str, list[_SentPoint]] = {kind: [] for kind in sent}
    unreadable: list[str] = []
    for kind, points in sent.items():
        for number, raw in enumerate(points):
            point = _point(raw)
            if point is not None:
                readable[kind].append(point)
            elif len(unreadable) < most:
                unreadable.append(_in_words(kind, number, raw))
            else:
                return None
    return _read_series(readable["house"], readable["unit"], name)._replace(unreadable=tuple(unreadable))


def _point(raw: msgspec.Raw) -> _SentPoint | None:
    with suppress(*UNDECODABLE):
        point = _POINT.decode(raw)
        return None if _read_days([point.date]) is None else point
    return None


def _in_words(kind: str, number: int, raw: msgspec.Raw) -> str:
    """Return the type, the date and the value of a point as it was sent; without a date, its position and its text."""
    fields: dict[str, msgspec.Raw] = {}
    with suppress(*UNDECODABLE):  # it is no object
        fields = _FIELDS.decode(raw)
    date = _text(fields.get("date", b"")).strip('"')
    if "value" in fields and _read_days([date]) is not None:
        return f"{kind} on {date}: {_text(fields['value'])}"
    return f"{kind}[{number}]: {_text(raw)}"


def _text(raw: msgspec.Raw | bytes) -> str:
    return bytes(raw).decode("utf-8", "replace")


def _read_series(house: Sequence[_SentPoint], unit: Sequence[_SentPoint], name: str) -> PropertySeries:
    """Turn the points of both series into arrays, in one pass.

    Raises
    ------
    ContractViolation
        A date of this response about `name` is not a date, or is outside the range of pandas.
    """
    points = [*house, *unit]
    days = _read_days([point.date for point in points])
    if days is None:
        raise _date_violation(house, unit, name)
    values = np.array([point.value for point in points], dtype="float64")
    first = len(house)
    return PropertySeries(name, Points(days[:first], values[:first]), Points(days[first:], values[first:]))


def count_points(series: PropertySeries) -> int:
    """Count the points of both series."""
    return len(series.house.days) + len(series.unit.days)


def in_order(points: Points) -> Points:
    """Return points with strictly ascending days: `points` itself if its days are strictly ascending already.

    If a date comes twice, its last point is kept.
    """
    if (points.days[1:] > points.days[:-1]).all():
        return points
    order = np.argsort(points.days, kind="stable")
    days = points.days[order]
    last = order[np.append(days[1:] != days[:-1], True)]
    return Points(points.days[last], points.values[last])


def impossible_points(series: PropertySeries, first_day: int, last_day: int) -> Iterator[str]:
    """Yield a phrase for each point that cannot be true.

    These are dates before ``first_day`` or after ``last_day``, the day of retrieval, values that are not above zero,
    and tenfold steps between neighbouring values above zero.
    """
    for kind, points in (("house", series.house), ("unit", series.unit)):
        for day, value in zip(*_where(points, (points.days < first_day) | (points.days > last_day)), strict=True):
            why = "after its retrieval" if day > last_day else f"before {_date(first_day)}"
            yield f"{kind} of {value:.10g} on {_date(day)} ({why})"
        for day, value in zip(*_where(points, points.values <= 0), strict=True):
            yield f"{kind} of {value:.10g} on {_date(day)} (not above zero, so it counts as missing)"
        days, values = in_order(_where(points, points.values > 0))
        for at in np.flatnonzero(np.maximum(values[1:], values[:-1]) / _STEP >= np.minimum(values[1:], values[:-1])):
            before, after = (f"{values[n]:.10g} on {_date(days[n])}" for n in (at, at + 1))
            yield f"{kind} from {before} to {after}"


def _where(points: Points, chosen: npt.NDArray[np.bool_]) -> Points:
    return Points(points.days[chosen], points.values[chosen])


def _date(day: int) -> np.datetime64:
    return np.datetime64(int(day), "D")


def _date_violation(house: Sequence[_SentPoint], unit: Sequence[_SentPoint], name: str) -> Exception:
    """Return the error for the first text that is not a date. Halving the list finds it."""
    texts = [point.date for point in (*house, *unit)]
    first, end = 0, len(texts)
    while end - first > 1:
        middle = (first + end) // 2
        first, end = (first, middle) if _read_days(texts[first:middle]) is None else (middle, end)
    where = f"house[{first}]" if first < len(house) else f"unit[{first - len(house)}]"
    return violation(name, f"$.data.{where}.date", f"{shortened(texts[first])} is no date, or out of range")


def _read_days(texts: Sequence[str]) -> npt.NDArray[np.int64] | None:
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
