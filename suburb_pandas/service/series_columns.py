"""Packs the series of a suburb into columns: one axis of dates with a value of each property type on each date.

Owns how both series get onto one axis, and the bytes of the columns. The columns follow from the response alone. If
they are lost or have an old format, they are made from the response again, at no cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from suburb_pandas.service.calls import PackedPayload
from suburb_pandas.service.series import Points, PropertySeries

FORMAT: Final = 1
"""The version of these records, and of the rules by which a response becomes columns."""

Values = npt.NDArray[np.float64]
Days = npt.NDArray[np.int32]

# One record for each date: the values of houses and of units, NaN for none, and the day since 1970-01-01. Whole
# dollars, the usual case, fit into small records. Rejected: float64 for all. A nation would take three times the room
# in the store, and a fifth longer to load.
_LARGE: Final = np.dtype([("house", "<f8"), ("unit", "<f8"), ("day", "<i4")])
_SMALL: Final = np.dtype([("house", "<u2"), ("unit", "<u2"), ("day", "<u2")])
_NONE: Final = 65_535  # stands for NaN in small records


class Columns(NamedTuple):
    """The columns of several suburbs below one another: ``numbers`` of houses and of units, and their ``days``."""

    numbers: Values
    days: Days


def pack(series: PropertySeries, *, made_up: bool = False) -> PackedPayload:
    """Put both series of a suburb on one axis of dates. Of a date that comes twice, the last point is kept.

    ``mended`` is True in the result if points had to be sorted or dropped.
    """
    house, unit = _in_order(series.house), _in_order(series.unit)
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


def join(every: Sequence[PackedPayload]) -> Columns:
    """Put the columns of several suburbs below one another."""
    small = b"".join([one.records if one.small else bytes(count_rows(one) * _SMALL.itemsize) for one in every])
    columns = _unpack(np.frombuffer(small, _SMALL))
    large = [number for number, one in enumerate(every) if not one.small]
    ends = np.cumsum([count_rows(one) for one in every]) if large else ()
    for number in large:
        place = slice(ends[number] - count_rows(every[number]), ends[number])
        own = _unpack(np.frombuffer(every[number].records, _LARGE))
        columns.numbers[:, place], columns.days[place] = own
    return columns


def _unpack(records: npt.NDArray[Any]) -> Columns:
    """Copy records into columns."""
    values = np.empty((2, len(records)))
    values[0], values[1] = records["house"], records["unit"]
    if records.dtype is _SMALL:
        values[values == _NONE] = np.nan
    return Columns(values, records["day"].astype("int32"))


def _in_order(points: Points) -> Points:
    """Return points with strictly ascending days: the same object if they are so already."""
    if (points.days[1:] > points.days[:-1]).all():
        return points
    order = np.argsort(points.days, kind="stable")
    last = order[_is_last_of_its_day(points.days[order])]
    return Points(points.days[last], points.values[last])


def _is_last_of_its_day(days: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return True for each of some ascending days that is the last of its equals."""
    return np.append(days[1:] != days[:-1], True)[: len(days)]


def _fits_small(numbers: npt.NDArray[Any]) -> bool:
    """Return True if small records can hold each number exactly."""
    return bool(((numbers >= 0) & (numbers < _NONE) & (numbers % 1 == 0)).all())
