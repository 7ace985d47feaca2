"""Rent histories in columns: what frames are made of, and what a store keeps beside a rent answer.

It owns how both series of a suburb are put on one axis of dates, and how the columns lie in their bytes. A history
follows from its answer alone, so one that is lost, or was packed in another way, is worked out again at no cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from suburb_pandas.service.endpoints import Points, Rent

FORMAT: Final = 1
"""The version of the layouts, and of the rules by which an answer becomes columns."""

Values = npt.NDArray[np.float64]
Days = npt.NDArray[np.int32]

_LARGE: Final = np.dtype([("house", "<f8"), ("unit", "<f8"), ("day", "<i4")])
_SMALL: Final = np.dtype([("house", "<u2"), ("unit", "<u2"), ("day", "<u2")])
_NONE: Final = 65_535  # for NaN, in small records


class History(msgspec.Struct, frozen=True, gc=False):
    """One suburb's rents: a value of each property type on each date, the dates strictly ascending.

    ``records`` has one for each date: the rents of houses and of units (AUD per week, NaN for none), and the day since
    1970. Whole dollars, as they mostly are, make ``small`` ones. ``mended`` says that points were sorted or dropped,
    ``made_up`` that there is no such suburb.

    Rejected: float64 for all. A nation's would take three times the room in the store, and a fifth longer to load.
    """

    records: bytes = b""
    small: bool = True
    mended: bool = False
    made_up: bool = False

    @classmethod
    def of(cls, rent: Rent, *, made_up: bool = False) -> History:
        """Put both series of a suburb on one axis of dates. Of a date that comes twice, the last point wins."""
        house, unit = _ordered(rent.house), _ordered(rent.unit)
        both = np.sort(np.concatenate([house.days, unit.days]), kind="stable")
        days = both[_is_last(both)]
        small = all(map(_fit, (days, house.values, unit.values)))
        records = np.zeros(len(days), _SMALL if small else _LARGE)
        records["day"] = days
        for column, points in (("house", house), ("unit", unit)):
            records[column] = _NONE if small else np.nan
            records[column][np.searchsorted(days, points.days)] = points.values
        mended = house is not rent.house or unit is not rent.unit
        return cls(records.tobytes(), small, mended, made_up)

    @property
    def rows(self) -> int:
        """How many dates there are."""
        return len(self.records) // (_SMALL if self.small else _LARGE).itemsize

    def __repr__(self) -> str:
        return f"<History of {self.rows} dates>"


class Columns(NamedTuple):
    """The columns of histories below one another: ``rents`` of houses and of units, and the ``days`` of both."""

    rents: Values
    days: Days


def joined(histories: Sequence[History]) -> Columns:
    """Put histories below one another."""
    small = b"".join([one.records if one.small else bytes(one.rows * _SMALL.itemsize) for one in histories])
    every = _unpacked(np.frombuffer(small, _SMALL))
    large = [number for number, one in enumerate(histories) if not one.small]
    ends = np.cumsum([one.rows for one in histories]) if large else ()
    for number in large:
        place = slice(ends[number] - histories[number].rows, ends[number])
        own = _unpacked(np.frombuffer(histories[number].records, _LARGE))
        every.rents[:, place], every.days[place] = own
    return every


def _unpacked(records: npt.NDArray[Any]) -> Columns:
    """Make columns of records, in arrays of their own."""
    rents = np.empty((2, len(records)))
    rents[0], rents[1] = records["house"], records["unit"]
    if records.dtype is _SMALL:
        rents[rents == _NONE] = np.nan
    return Columns(rents, records["day"].astype("int32"))


def _ordered(points: Points) -> Points:
    """Give a series with its days strictly ascending: the same one, where they are."""
    if (points.days[1:] > points.days[:-1]).all():
        return points
    order = np.argsort(points.days, kind="stable")
    last = order[_is_last(points.days[order])]
    return Points(points.days[last], points.values[last])


def _is_last(days: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether each of some ascending days is the last one of its kind."""
    return np.append(days[1:] != days[:-1], True)[: len(days)]


def _fit(numbers: npt.NDArray[Any]) -> bool:
    """Whether small records can hold each number as it is."""
    return bool(((numbers >= 0) & (numbers < _NONE) & (numbers % 1 == 0)).all())
