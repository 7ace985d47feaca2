"""A frame of the rent shape taken apart: the points of each property type, in the order of their dates.

It owns what counts as the rent shape, and which rows are points. A point is a row with a value; of a date that comes
twice in a series, the last row counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.errors import DataWarning
from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.timeseries.dates import Flags, Unit, Values, Whole, day_numbers, to_dates

_A_SUBURB: Final = 2**32  # more than there are days

_NUMBERS: Final = {"floating", "integer", "mixed-integer-float", "integer-na", "decimal", "empty"}
_SHAPE: Final = (
    "This is not a frame of the rent shape: dates as its index, house and unit (or one of them) as its columns, and "
    "area_name where it is of many suburbs."
)
_WIDE: Final = (
    "This takes the long frame, and not the wide one of dates by suburbs: sp.rent(...) without layout='wide', or "
    "frame.stack('area_name', future_stack=True).reset_index('area_name')."
)


@dataclass(frozen=True, slots=True)
class Points:
    """All points of one property type: suburbs below one another, and within each the dates strictly ascending.

    ``row`` says where in the frame each point stands.
    """

    suburb: Whole = field(repr=False)
    day: Whole = field(repr=False)
    value: Values = field(repr=False)
    row: Whole = field(repr=False)

    @property
    def is_first(self) -> Flags:
        """Whether a point is the first one of its suburb."""
        return starts_of(self.suburb)

    @property
    def is_last(self) -> Flags:
        """Whether a point is the last one of its suburb."""
        return ends_of(self.suburb)

    @property
    def is_doubled(self) -> Flags:
        """Whether the next point is of the same suburb and date, so that this one does not count."""
        again = (self.day[1:] == self.day[:-1]) & (self.suburb[1:] == self.suburb[:-1])
        return np.append(again, False)[: len(self.day)]

    def until(self, day: int) -> Points:
        """Give the points dated at or before a day."""
        return self.where(self.day <= day)

    def where(self, kept: Flags) -> Points:
        """Give some of the points."""
        return Points(self.suburb[kept], self.day[kept], self.value[kept], self.row[kept])

    def at_or_before(self, suburb: Whole, day: Whole, tolerance: int | None = None) -> Whole:
        """Give which point is a suburb's last one at or before a day, -1 where none is, or none as young as wanted."""
        found = self._place(suburb, day) - 1
        if not len(self.day):
            return found
        is_its = (found >= 0) & (self.suburb[found] == suburb)
        is_near = True if tolerance is None else day - self.day[found] <= tolerance
        return np.where(is_its & is_near, found, -1)

    def after(self, suburb: Whole, day: Whole) -> Whole:
        """Give which point is a suburb's first one after a day, of which there must be one."""
        return self._place(suburb, day)

    def _place(self, suburb: Whole, day: Whole) -> Whole:
        """Give where a point of that day would go, after one of the same day."""
        return np.searchsorted(self.suburb * _A_SUBURB + self.day, suburb * _A_SUBURB + day, side="right")

    def days_unchanged(self) -> Whole:
        """Give for how many days the value of each point has stood, looking back; 0 where it is a new one."""
        changed = self.is_first
        changed[1:] |= self.value[1:] != self.value[:-1]
        return self.day - self.day[np.maximum.accumulate(np.where(changed, np.arange(len(changed)), 0))]


@dataclass(frozen=True, slots=True)
class Rents:
    """A frame of the rent shape, taken apart.

    ``names`` are its suburbs, None where it is of one alone; ``unit`` is that of its dates.
    """

    names: pd.Categorical | None
    unit: Unit
    points: Mapping[str, Points]

    @property
    def n_suburbs(self) -> int:
        """How many suburbs the frame has rows of."""
        return 1 if self.names is None else len(self.names)

    @property
    def n_places(self) -> int:
        """How many suburbs the frame knows of: those without a row are categories all the same."""
        return 1 if self.names is None else len(self.names.categories)

    @property
    def place(self) -> Whole:
        """Give the place of each suburb among those."""
        return np.zeros(1, dtype="int64") if self.names is None else self.names.codes.astype("int64")

    def number_of(self, names: pd.Series[Any] | pd.Index[Any]) -> Whole:
        """Give the number of each suburb that is named, -1 where the frame has no row of it."""
        return np.asarray(pd.Index(np.asarray(self.names)).get_indexer(pd.Index(names)), dtype="int64")

    def named(self, place: Whole) -> dict[str, pd.Categorical]:
        """Give the column ``area_name`` for rows of these places; no column where the frame is of one alone."""
        return {} if self.names is None else {AREA_NAME: pd.Categorical.from_codes(place, dtype=self.names.dtype)}


def starts_of(groups: Whole | Flags) -> Flags:
    """Whether each element is the first one of a run of equal ones."""
    starts = np.ones(len(groups), dtype="bool")
    np.not_equal(groups[1:], groups[:-1], out=starts[1:])
    return starts


def ends_of(groups: Whole | Flags) -> Flags:
    """Whether each element is the last one of a run of equal ones."""
    return starts_of(groups[::-1])[::-1]


def nearest(there: Flags) -> tuple[Whole, Whole]:
    """Give for each place the nearest one up to it, and from it on, where something is; -1 and the length for none."""
    place = np.arange(len(there))
    before = np.maximum.accumulate(np.where(there, place, -1))
    after = np.minimum.accumulate(np.where(there, place, len(there))[::-1])[::-1]
    return before, after


def known_at(values: npt.NDArray[Any], place: Whole) -> npt.NDArray[Any]:
    """Give the values at these places, and what stands for a missing one where the place is -1."""
    missing = np.array("NaT", values.dtype) if values.dtype.kind == "M" else np.nan
    return np.append(values, missing)[place]


def read(frame: pd.DataFrame) -> Rents:
    """Take a frame of the rent shape apart.

    Raises
    ------
    TypeError
        It is no frame.
    ValueError
        It is not of the rent shape.
    """
    dates = _checked(frame)
    days = day_numbers(dates)
    suburb, names = _suburbs(frame)
    values = {kind: numbers(frame, kind) for kind in PROPERTY_TYPES if kind in frame.columns}
    keys = suburb * _A_SUBURB + days
    order = None if (keys[1:] >= keys[:-1]).all() else np.argsort(keys, kind="stable")
    points = {kind: _points(column, suburb, days, order) for kind, column in values.items()}
    doubled = {kind: found for kind, found in points.items() if found.is_doubled.any()}
    if doubled:
        _warn_of_doubled(doubled.values())
        points |= {kind: found.where(~found.is_doubled) for kind, found in doubled.items()}
    return Rents(names, dates.unit, points)


def _checked(frame: pd.DataFrame) -> pd.DatetimeIndex:
    """Give the dates of a frame of the rent shape; of anything else say what it lacks."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(
            f"This takes a frame of the rent shape, as sp.rent() gives, not {type(frame).__name__}. "
            "One column of it is still a frame as frame[['house']]."
        )
    if frame.columns.nlevels > 1 or frame.columns.name == AREA_NAME:
        raise ValueError(_WIDE)
    index, columns = frame.index, list(frame.columns)
    if not isinstance(index, pd.DatetimeIndex):
        how = "frame.set_index('date')" if "date" in columns else "give it a DatetimeIndex"
        raise ValueError(f"{_SHAPE} Its index is {type(index).__name__}, not DatetimeIndex: {how}.")  # noqa: TRY004 - it is a frame
    if index.tz is not None:
        raise ValueError(f"{_SHAPE} Its dates have a time zone, which frame.tz_localize(None) takes off.")
    wanted = [label for label in (AREA_NAME, *PROPERTY_TYPES) if label in columns]
    if not set(wanted) & set(PROPERTY_TYPES):
        raise ValueError(f"{_SHAPE} Its columns are {listed(columns) or 'none'}.")
    if len(columns) > len(wanted):
        raise ValueError(f"{_SHAPE} Its columns are {listed(columns)}. Pass frame[{wanted}].")
    return index


def _suburbs(frame: pd.DataFrame) -> tuple[Whole, pd.Categorical | None]:
    """Number the suburb of each row in the order in which they first appear, and give their names in that order."""
    if AREA_NAME not in frame.columns:
        return np.zeros(len(frame), dtype="int64"), None
    column = frame[AREA_NAME]
    names = column.array if isinstance(column.dtype, pd.CategoricalDtype) else _categorical(column)
    codes, first = pd.factorize(names.codes)
    if (first < 0).any():
        raise ValueError(
            f"The frame has {counted(int(column.isna().sum()), 'row')} without an area_name. Leave them out."
        )
    return codes.astype("int64"), pd.Categorical.from_codes(first, dtype=names.dtype)


def _categorical(column: pd.Series[Any]) -> pd.Categorical:
    return pd.Categorical(column, categories=column.dropna().unique())


def numbers(frame: pd.DataFrame, label: str) -> Values:
    """Give the numbers of a column, NaN where one is missing.

    Raises
    ------
    ValueError
        It holds something else than numbers, or several columns are called so.
    """
    column = frame[label]
    if isinstance(column, pd.DataFrame) or infer_dtype(column, skipna=True) not in _NUMBERS:
        raise ValueError(f"The column {label!r} is not one column of numbers.")
    return column.to_numpy("float64", na_value=np.nan)


def _points(values: Values, suburb: Whole, days: Whole, order: Whole | None) -> Points:
    """Give the rows with a value, in order; a date that comes twice is there twice."""
    there = ~np.isnan(values)
    rows = np.flatnonzero(there) if order is None else order[there[order]]
    return Points(suburb[rows], days[rows], values[rows], rows)


def _warn_of_doubled(series: Iterable[Points]) -> None:
    """Say which dates have several values; the same value twice is no loss."""
    days = [points.day[points.is_doubled & (points.value != np.roll(points.value, -1))] for points in series]
    dates = to_dates(np.unique(np.concatenate(days))).astype(str).tolist()
    if dates:
        warn(
            f"One series has several values on the same date, on {listed(dates)}; the last row of each date counts. "
            "If they are of several suburbs, a column area_name has to say so.",
            DataWarning,
        )
