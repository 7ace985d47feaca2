"""Rent histories in columns: what frames are made of, and what a store keeps beside a rent answer.

It owns how both series of a suburb are put on one axis of dates, and how the columns lie in their bytes. A history
follows from its answer alone, so one that is lost, or was packed in another way, is worked out again at no cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .wire import Point, Rent

FORMAT: Final = 1
"""The version of the layout, and of the rules by which an answer becomes columns."""

_EPOCH: Final = date(1970, 1, 1).toordinal()
_VALUE, _DAY = np.dtype("<f8"), np.dtype("<i4")
_ROW: Final = 2 * _VALUE.itemsize + _DAY.itemsize

Values = npt.NDArray[np.float64]
Days = npt.NDArray[np.int32]


class History(NamedTuple):
    """One suburb's rents: a value of each property type on each date, the dates strictly ascending.

    ``columns`` are the rents of houses and then of units (AUD per week, NaN for none), and then the days since 1970.
    ``mended`` says that points were sorted or dropped, ``made_up`` that there is no such suburb.
    """

    columns: bytes = b""
    mended: bool = False
    made_up: bool = False

    @classmethod
    def of(cls, rent: Rent, *, made_up: bool = False) -> History:
        """Put both series of a suburb on one axis of dates. Of a date that comes twice, the last point wins."""
        (house_days, house, house_mended), (unit_days, unit, unit_mended) = map(_ordered, (rent.house, rent.unit))
        days = np.union1d(house_days, unit_days)
        parts = (_spread(days, house_days, house), _spread(days, unit_days, unit), days.astype(_DAY))
        return cls(b"".join(part.tobytes() for part in parts), house_mended or unit_mended, made_up)

    @property
    def rows(self) -> int:
        """How many dates there are."""
        return len(self.columns) // _ROW

    def __repr__(self) -> str:
        return f"<History of {self.rows} dates>"


class Columns(NamedTuple):
    """The columns of histories below one another, in arrays of their own; ``rows`` says how many each history has."""

    house: Values
    unit: Values
    days: Days
    rows: npt.NDArray[np.int64]


def joined(histories: Sequence[History]) -> Columns:
    """Put histories below one another.

    Rejected: joining bytes, or numpy's own concatenate, which both take half as long again.
    """
    rows = np.fromiter((one.rows for one in histories), "int64", len(histories))
    length = int(rows.sum())
    every = Columns(np.empty(length, _VALUE), np.empty(length, _VALUE), np.empty(length, _DAY), rows)
    house, unit, days = (memoryview(column).cast("B") for column in every[:3])
    start = 0
    for one, end in zip(histories, np.cumsum(rows).tolist(), strict=True):
        middle, last = 8 * (end - start), 16 * (end - start)
        house[8 * start : 8 * end] = one.columns[:middle]
        unit[8 * start : 8 * end] = one.columns[middle:last]
        days[4 * start : 4 * end] = one.columns[last:]
        start = end
    return every


def _ordered(series: Sequence[Point] | None) -> tuple[npt.NDArray[np.int64], Values, bool]:
    """Give a series' days, strictly ascending, its values, and whether that took any mending."""
    series = series or ()
    # By way of ordinals: numpy is slow to read date objects.
    days = np.fromiter(map(date.toordinal, map(attrgetter("date"), series)), "int64", len(series)) - _EPOCH
    values = np.fromiter(map(attrgetter("value"), series), "float64", len(series))
    if (days[1:] > days[:-1]).all():
        return days, values, False
    order = np.argsort(days, kind="stable")
    days, values = days[order], values[order]
    last_of_date = np.append(days[1:] != days[:-1], True)
    return days[last_of_date], values[last_of_date], True


def _spread(axis: npt.NDArray[np.int64], days: npt.NDArray[np.int64], values: Values) -> Values:
    """Put values at their days on a longer axis, NaN elsewhere."""
    spread = np.full(len(axis), np.nan, _VALUE)
    spread[np.searchsorted(axis, days)] = values
    return spread
