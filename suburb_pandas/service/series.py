"""Reads dated points from a response: a series for houses and a series for units.

Packing a pair of series into columns is left to series_columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from suburb_pandas.service.envelope import shortened, violation

# pandas 2 counts nanoseconds in 64 bits and wraps around silently outside these years.
_FIRST_DAY, _LAST_DAY = (int(np.datetime64(day).astype("int64")) for day in ("1678-01-01", "2261-12-31"))
_LOWEST, _HIGHEST = (np.frombuffer(line, "u1") for line in (b"0000-00-00\n", b"9999-99-99\n"))


class Points(NamedTuple):
    """The points of one property type as they were sent: days since 1970-01-01, and values."""

    days: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


class PropertySeries(NamedTuple):
    """One suburb's series of houses and of units. A series that is null, absent or empty has no points."""

    area_name: str
    house: Points
    unit: Points


class SentPoint(msgspec.Struct, frozen=True, gc=False):
    """A TimeSeriesPoint of the specification. Rejected: decoding to date objects, which takes longer than the rest."""

    date: str
    value: float


def read_series(
    area_name: str, house: Sequence[SentPoint] | None, unit: Sequence[SentPoint] | None, name: str
) -> PropertySeries:
    """Turn the points of both series into arrays, in one pass.

    Raises
    ------
    ContractViolation
        A date of this response about `name` is not a date, or is outside the range of pandas.
    """
    house, unit = house or [], unit or []
    points = [*house, *unit]
    days = _read_days([point.date for point in points])
    if days is None:
        raise _date_violation(house, unit, name)
    values = np.array([point.value for point in points], dtype="float64")
    first = len(house)
    return PropertySeries(area_name, Points(days[:first], values[:first]), Points(days[first:], values[first:]))


def count_points(series: PropertySeries) -> int:
    """Count the points of both series."""
    return len(series.house.days) + len(series.unit.days)


def _date_violation(house: Sequence[SentPoint], unit: Sequence[SentPoint], name: str) -> Exception:
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
