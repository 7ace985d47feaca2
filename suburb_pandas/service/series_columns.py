"""Packs the two series of a suburb into columns: one axis of dates, with a value of each property type on each date.

It owns the rules for merging two series into one axis, and the bytes of the packed columns. Columns depend on the
response alone: if they are lost or have an old format, they are made from the response again, at no cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from suburb_pandas.service.calls import PackedPayload
from suburb_pandas.service.series import Points, PropertySeries, in_order

FORMAT: Final = 3
"""The version of these records, and of the rules by which a response becomes columns."""

Values = npt.NDArray[np.float64]
Days = npt.NDArray[np.int32]

# One record for each date: the values of houses and of units, NaN for none, and the days since 1970-01-01. Whole
# dollars, the usual case, fit into small records. Rejected: large records for all. The suburbs of the whole country
# would take three times the room in the store, and a fifth longer to load.
_LARGE: Final = np.dtype([("house", "<f8"), ("unit", "<f8"), ("day", "<i4")])
_SMALL: Final = np.dtype([("house", "<u2"), ("unit", "<u2"), ("day", "<u2")])
_NONE: Final = 65_535  # stands for NaN in small records


class Columns(NamedTuple):
    """The columns of several suburbs, one below the other.

    ``numbers`` has a row for houses and a row for units; ``days`` are the days since 1970-01-01.
    """

    numbers: Values
    days: Days


def pack(series: PropertySeries, *, made_up: bool = False) -> PackedPayload:
    """Pack both series of a suburb onto one axis of dates. If a date comes twice in a series, its last point is kept.

    ``mended`` is True in the result if points had to be sorted or dropped.
    """
    house, unit = in_order(series.house), in_order(series.unit)
    both = np.sort(np.concatenate([house.days, unit.days]), kind="stable")
    days = both[_is_last_of_its_day(both)]
    small = all(map(_fits_small, (days, house.values, unit.values)))
    records = np.zeros(len(days), _SMALL if small else _LARGE)
    records["day"] = days
    for column, points in (("house", house), ("unit", unit)):
        records[column] = _NONE if small else np.nan
        records[column][np.searchsorted(days, points.days)] = points.values
    mended = house is not series.house or unit is not series.unit
    return PackedPayload(records.tobytes(), small, mended, made_up, FORMAT)


def count_rows(packed: PackedPayload) -> int:
    """Count the dates of a packed pair of series."""
    return len(packed.records) // (_SMALL if packed.small else _LARGE).itemsize


def join(payloads: Sequence[PackedPayload]) -> Columns:
    """Join the columns of several suburbs, one below the other."""
    # All small records are unpacked at once. Large records, which are rare, get zeros in their place at first.
    small = b"".join(
        [packed.records if packed.small else bytes(count_rows(packed) * _SMALL.itemsize) for packed in payloads]
    )
    columns = _unpack(np.frombuffer(small, _SMALL))
    large = [position for position, packed in enumerate(payloads) if not packed.small]
    ends = np.cumsum([count_rows(packed) for packed in payloads]) if large else ()
    for position in large:
        rows = slice(ends[position] - count_rows(payloads[position]), ends[position])
        columns.numbers[:, rows], columns.days[rows] = _unpack(np.frombuffer(payloads[position].records, _LARGE))
    return columns


def numbers(packed: PackedPayload) -> dict[tuple[str | None, str], float]:
    """Return the value of each point, by property type and date (ISO 8601)."""
    joined = join([packed])
    dates = joined.days.astype("M8[D]").astype(str).tolist()
    return {
        (kind, date): value
        for kind, values in zip(("house", "unit"), joined.numbers.tolist(), strict=True)
        for date, value in zip(dates, values, strict=True)
        if not isnan(value)
    }


def first_values(vintages: Sequence[PackedPayload]) -> PackedPayload:
    """Return the first value of each date and property type in several packed payloads, the oldest payload first."""
    values: dict[tuple[str | None, str], float] = {}
    for packed in vintages:
        values = numbers(packed) | values
    series = {
        kind: [(date, value) for (own, date), value in values.items() if own == kind] for kind in ("house", "unit")
    }
    points = {
        kind: Points(
            np.array([date for date, _ in found], "M8[D]").astype("int64"), np.array([v for _, v in found], float)
        )
        for kind, found in series.items()
    }
    return pack(PropertySeries("", points["house"], points["unit"]))


def _unpack(records: npt.NDArray[Any]) -> Columns:
    """Return records, large or small, as columns."""
    values = np.empty((2, len(records)))
    values[0], values[1] = records["house"], records["unit"]
    if records.dtype is _SMALL:
        values[values == _NONE] = np.nan
    return Columns(values, records["day"].astype("int32"))


def _is_last_of_its_day(days: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return, for ascending days, True where a day differs from the next one."""
    return np.append(days[1:] != days[:-1], True)[: len(days)]


def _fits_small(numbers: npt.NDArray[Any]) -> bool:
    """Return True if small records can hold each number exactly."""
    return bool(((numbers >= 0) & (numbers < _NONE) & (numbers % 1 == 0)).all())
