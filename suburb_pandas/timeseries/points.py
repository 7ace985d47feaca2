"""Checks that a frame has the rent shape, and extracts the points of each property type, sorted by suburb and date.

The rent shape is: dates as the index, columns ``house`` and ``unit`` or one of them, and ``area_name`` if there are
several suburbs. Other layouts are brought into this one by `layouts`. A series is one property type of one suburb. A
point is a row in which a series has a value; if it has several on one date, only the last row is a point. A rent or an
index that is not above zero is no value. Computing with points is left to `line` and the modules that use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import infer_dtype, is_numeric_dtype

from suburb_pandas.errors import DataWarning
from suburb_pandas.frames.conversions import (
    how_to_choose,
    how_to_convert_numbers,
    how_to_date,
    not_numbers,
    row_label,
)
from suburb_pandas.frames.schema import (
    AREA_NAME,
    GROUP,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    holds_levels,
)
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.timeseries.dates import (
    Flags,
    TimeUnit,
    Values,
    Whole,
    day_numbers,
    to_dates,
)
from suburb_pandas.timeseries.doubts import above_zero, warn_of_dates

KEYS_PER_SUBURB: Final = 2**32
"""Larger than any day number, so that ``suburb * KEYS_PER_SUBURB + day`` sorts by suburb, then by day."""

_SUBURBS_OF_A_BLOCK: Final = 100

_NUMBERS: Final = {"floating", "integer", "mixed-integer-float", "integer-na", "decimal", "empty"}
KINDS: Final = (*PROPERTY_TYPES, RENT)
"""The columns that hold rents. ``rent`` is of a property type that the frame does not name."""

SHAPE: Final = (
    "This is not a frame of rents, which is long (dates as index; columns house, unit or both, and area_name for "
    "several suburbs), tidy (columns date, area_name, property_type, rent) or wide (dates as index; column levels "
    "property_type and area_name, or area_name alone)."
)
"""The first sentence of the error for any other frame."""

READ_HEADERS: Final = (
    "It looks like a wide frame from a file that was read without its second header row or without its index. Read "
    "both, with read_csv or read_excel: pd.read_excel(path, header=[0, 1], index_col=0)"
)
"""The sentences on a frame for which `has_unread_header` is True."""


@dataclass(frozen=True, slots=True)
class Points:
    """The points of one property type, sorted by suburb, then by date. `read` removes duplicate dates within a suburb.

    ``suburb`` numbers the suburbs in the order in which they first appear in the frame, ``day`` counts days from
    1970-01-01, and ``row`` is the position of each point in the frame.
    """

    suburb: Whole = field(repr=False)
    day: Whole = field(repr=False)
    value: Values = field(repr=False)
    row: Whole = field(repr=False)

    @property
    def is_first(self) -> Flags:
        """True for the first point of each suburb."""
        return starts_of(self.suburb)

    @property
    def is_last(self) -> Flags:
        """True for the last point of each suburb."""
        return ends_of(self.suburb)

    @property
    def is_replaced(self) -> Flags:
        """True where the next point has the same suburb and date, and so replaces this one."""
        again = (self.day[1:] == self.day[:-1]) & (self.suburb[1:] == self.suburb[:-1])
        return np.append(again, False)[: len(self.day)]

    def until(self, day: int) -> Points:
        """Return the points dated on or before a day."""
        return self.where(self.day <= day)

    def blocks(self) -> list[slice]:
        """Return slices of a hundred suburbs each.

        Computing block by block is quicker, because the intermediate arrays then fit in the processor's cache.
        """
        edges = [0, *np.flatnonzero(self.is_first)[_SUBURBS_OF_A_BLOCK::_SUBURBS_OF_A_BLOCK].tolist(), len(self.day)]
        return [slice(begin, end) for begin, end in pairwise(edges)]

    def where(self, selected: Flags | slice) -> Points:
        """Return the points for which `selected` is True, or those of a slice."""
        return Points(self.suburb[selected], self.day[selected], self.value[selected], self.row[selected])

    def at_or_before(self, suburb: Whole, day: Whole, tolerance: int | None = None) -> Whole:
        """Return the position of each suburb's last point on or before a day; -1 if there is none.

        It is also -1 if that point is more than `tolerance` days older than the day.
        """
        position = self._positions_after(suburb, day) - 1
        if not len(self.day):
            return position
        is_of_suburb = (position >= 0) & (self.suburb[position] == suburb)
        is_recent = True if tolerance is None else day - self.day[position] <= tolerance
        return np.where(is_of_suburb & is_recent, position, -1)

    def at_or_after(self, suburb: Whole, day: Whole) -> Whole:
        """Return the position of each suburb's first point on or after a day; -1 if there is none."""
        position = self._positions_after(suburb, day - 1)
        return np.where(np.append(self.suburb, -1)[position] == suburb, position, -1)

    def _positions_after(self, suburb: Whole, day: Whole) -> Whole:
        """Return the positions at which points of these suburbs and days would be inserted, after equal ones."""
        return np.searchsorted(self.suburb * KEYS_PER_SUBURB + self.day, suburb * KEYS_PER_SUBURB + day, side="right")

    def days_unchanged(self) -> Whole:
        """Return how many days the value of each point had been unchanged by its date; 0 for a new value."""
        changed = self.is_first
        changed[1:] |= self.value[1:] != self.value[:-1]
        return self.day - self.day[np.maximum.accumulate(np.where(changed, np.arange(len(changed)), 0))]


@dataclass(frozen=True, slots=True)
class Rents:
    """The points of a frame of the rent shape, by property type.

    ``names`` are the suburbs in the order of their numbers, or None if the frame has no ``area_name``. ``unit`` is the
    unit in which the frame stores dates.
    """

    names: pd.Categorical | None
    unit: TimeUnit
    points: Mapping[str, Points]

    @property
    def n_suburbs(self) -> int:
        """The number of suburbs that have rows in the frame."""
        return 1 if self.names is None else len(self.names)

    @property
    def n_categories(self) -> int:
        """The number of categories of ``area_name``, including suburbs without a row."""
        return 1 if self.names is None else len(self.names.categories)

    @property
    def category(self) -> Whole:
        """The category code of each suburb in ``area_name``."""
        return np.zeros(1, dtype="int64") if self.names is None else self.names.codes.astype("int64")

    def number_of(self, names: pd.Series[Any] | pd.Index[Any]) -> Whole:
        """Return the number of each named suburb, or -1 if the frame has no row for it."""
        return np.asarray(pd.Index(np.asarray(self.names)).get_indexer(pd.Index(names)), dtype="int64")

    def name_column(self, category: Whole) -> dict[str, pd.Categorical]:
        """Return the column ``area_name`` for these category codes; no column if the frame has none."""
        return {} if self.names is None else {AREA_NAME: pd.Categorical.from_codes(category, dtype=self.names.dtype)}


def starts_of(groups: Whole | Flags) -> Flags:
    """Return True for each element that begins a run of equal elements."""
    starts = np.ones(len(groups), dtype="bool")
    np.not_equal(groups[1:], groups[:-1], out=starts[1:])
    return starts


def ends_of(groups: Whole | Flags) -> Flags:
    """Return True for each element that ends a run of equal elements."""
    return starts_of(groups[::-1])[::-1]


def nearest(flags: Flags) -> tuple[Whole, Whole]:
    """Return for each position the nearest True at or before it, and the nearest at or after it.

    Where there is none, these are -1 and the length.
    """
    position = np.arange(len(flags))
    before = np.maximum.accumulate(np.where(flags, position, -1))
    after = np.minimum.accumulate(np.where(flags, position, len(flags))[::-1])[::-1]
    return before, after


def known_at(values: npt.NDArray[Any], position: Whole) -> npt.NDArray[Any]:
    """Return the values at these positions; NaN or NaT where the position is -1."""
    missing = np.array("NaT", values.dtype) if values.dtype.kind == "M" else np.nan
    return np.append(values, missing)[position]


def read(frame: pd.DataFrame) -> Rents:
    """Check a frame and extract its points.

    Raises
    ------
    TypeError
        `frame` is not a DataFrame.
    ValueError
        `frame` does not have the rent shape.

    Warns
    -----
    DataWarning
        A series has different values on the same date, a date cannot be right, or a rent is not above zero.
    """
    dates = _checked(frame)
    days = day_numbers(dates)
    warn_of_dates(frame, days)
    suburb, names = suburbs_of(frame)
    values: Mapping[str, Values] = {kind: numbers(frame, kind) for kind in kinds_of(frame.columns)}
    if holds_levels(frame):
        values = above_zero(frame, values)
    keys = suburb * KEYS_PER_SUBURB + days
    order = None if (keys[1:] >= keys[:-1]).all() else np.argsort(keys, kind="stable")
    points = {kind: _points(column, suburb, days, order) for kind, column in values.items()}
    duplicated = {kind: found for kind, found in points.items() if found.is_replaced.any()}
    if duplicated:
        _warn_of_replaced(duplicated.values())
        points |= {kind: found.where(~found.is_replaced) for kind, found in duplicated.items()}
    return Rents(names, dates.unit, points)


def check_type(frame: pd.DataFrame) -> None:
    """Raise TypeError if `frame` is not a DataFrame."""
    if not isinstance(frame, pd.DataFrame):
        label = next((kind for kind in KINDS if kind == getattr(frame, "name", None)), "house")
        raise TypeError(
            f"Pass a frame of rents, as sp.rent() returns it, not {type(frame).__name__}. To pass one column of a "
            f"frame, use two pairs of brackets: frame[[{label!r}]]"
        )


def _checked(frame: pd.DataFrame) -> pd.DatetimeIndex:
    """Return the index of a frame of the rent shape; for any other frame, raise an error with the reason."""
    check_type(frame)
    columns = list(frame.columns)
    kinds = kinds_of(columns)
    wanted = [AREA_NAME, *kinds] if AREA_NAME in columns else kinds
    if has_unread_header(frame):
        raise ValueError(f"{SHAPE} {READ_HEADERS}")
    if not kinds:
        may_be_suburbs = columns and all(map(is_numeric_dtype, frame.dtypes))
        how = " If they are suburbs, pass frame.rename_axis(columns='area_name')" if may_be_suburbs else ""
        if kinds_of(str(label).lower() for label in columns):
            how = " Pass frame.rename(columns=str.lower)"
        raise ValueError(f"{SHAPE} Its columns are {listed(columns) or 'none'}.{how}")
    index = check_dates(frame)
    if GROUP in columns and AREA_NAME not in columns and len(frame):
        one = f"frame.loc[frame[{GROUP!r}] == {frame[GROUP].tolist()[0]!r}, {kinds}]"
        raise ValueError(f"This is a rent index of several groups, and this function takes one. Pass {one}")
    if len(columns) > len(wanted):
        raise ValueError(f"{SHAPE} Its columns are {listed(columns)}. {how_to_choose(frame, wanted)}")
    return index


def has_unread_header(frame: pd.DataFrame) -> bool:
    """Return True if a frame looks like a wide one whose second header row, or index, was read as data."""
    labels = [*frame.columns[:2]] if frame.index.name is None else [frame.index.name, *frame.columns[:1]]
    is_flat = labels[:1] == [PROPERTY_TYPE] and labels[-1] in PROPERTY_TYPES
    return is_flat or labels[:1] == [(PROPERTY_TYPE, AREA_NAME)]


def kinds_of(columns: Iterable[Any]) -> list[str]:
    """Return which of some columns hold rents: ``house``, ``unit``, or else ``rent``, of a type that is not named."""
    labels = set(columns)
    return [kind for kind in PROPERTY_TYPES if kind in labels] or [kind for kind in [RENT] if kind in labels]


def check_dates(frame: pd.DataFrame) -> pd.DatetimeIndex:
    """Return the index of a frame, or raise ValueError if it does not hold dates."""
    index = frame.index
    if not isinstance(index, pd.DatetimeIndex):
        how = how_to_date(frame)
        raise ValueError(f"{SHAPE} Its index is {type(index).__name__}, not DatetimeIndex. {how}")  # noqa: TRY004 - the argument is a frame
    return index


def suburbs_of(frame: pd.DataFrame) -> tuple[Whole, pd.Categorical | None]:
    """Return the suburb number of each row, in order of first appearance, and the names in that order.

    Raises
    ------
    ValueError
        A row has no ``area_name``.
    """
    if AREA_NAME not in frame.columns:
        return np.zeros(len(frame), dtype="int64"), None
    column = frame[AREA_NAME]
    names = column.array if isinstance(column.dtype, pd.CategoricalDtype) else _categorical(column)
    codes, first = pd.factorize(names.codes)
    if (first < 0).any():
        rows = [row_label(row) for row in frame.index[column.isna()]]
        raise ValueError(
            f"The frame has {counted(len(rows), 'row')} without an area_name ({listed(rows, str)}). Leave them out: "
            f"frame[frame[{AREA_NAME!r}].notna()]"
        )
    return codes.astype("int64"), pd.Categorical.from_codes(first, dtype=names.dtype)


def _categorical(column: pd.Series[Any]) -> pd.Categorical:
    return pd.Categorical(column, categories=column.dropna().unique())


def numbers(frame: pd.DataFrame, label: str, code: str | None = None) -> Values:
    """Return the column `label` as float64, with NaN for missing values.

    Raises
    ------
    ValueError
        The column does not hold numbers, or several columns have this label. The message converts the column that
        `code` is, by default that of ``frame``.
    """
    column = frame[label]
    if column.ndim > 1:
        raise ValueError(f"{label!r} is not one column of numbers, but {column.shape[1]} columns. Keep one of them.")
    if not is_numbers(column):
        how = how_to_convert_numbers(column, code or f"frame[{label!r}]")
        raise ValueError(f"{label!r} is not one column of numbers: it holds {not_numbers(column)}. {how}")
    return column.to_numpy("float64", na_value=np.nan)


def is_numbers(column: pd.Series[Any]) -> bool:
    """Return True if a column holds numbers or missing values only."""
    return infer_dtype(column, skipna=True) in _NUMBERS


def _points(values: Values, suburb: Whole, days: Whole, order: Whole | None) -> Points:
    """Return the rows that have a value, in `order`. Duplicate dates are still included."""
    has_value = ~np.isnan(values)
    rows = np.flatnonzero(has_value) if order is None else order[has_value[order]]
    return Points(suburb[rows], days[rows], values[rows], rows)


def _warn_of_replaced(series: Iterable[Points]) -> None:
    """Warn of dates with several different values. If the values are equal, nothing is lost."""
    days = [points.day[points.is_replaced & (points.value != np.roll(points.value, -1))] for points in series]
    dates = to_dates(np.unique(np.concatenate(days))).astype(str).tolist()
    if dates:
        warn(
            f"A series has several values on one date ({listed(dates)}), and the last one was used. If they belong to "
            "different suburbs, add a column area_name.",
            DataWarning,
        )
