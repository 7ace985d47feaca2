"""Reads the cells of frames of the rent shape in any layout: the suburb, the date and the number of each cell.

It reads long, wide and tidy frames, a single suburb's frame, and any of these after a round trip through CSV, Excel or
Parquet. Comparing the cells with responses is left to series.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES, RENT, marks_of
from suburb_pandas.timeseries.dates import Flags, Values, Whole, parsed_dates

NO_DAY: Final = -(2**31)
"""The day number of a date that is missing or cannot be read."""

_KEYS_PER_SUBURB: Final = 2**32
_MANY_ROWS: Final = 100_000
_SUBURBS_OF_A_BLOCK: Final = 100
_TYPE: Final = "property_type"
_DATE: Final = "date"


class Places(NamedTuple):
    """The places of cells: the number of the suburb and the day of each cell, and a key that sorts by both."""

    suburb: Whole
    day: Whole
    key: Whole

    @classmethod
    def of(cls, suburb: Whole, day: Whole) -> Places:
        """Return the places of cells with these suburbs and days."""
        return cls(suburb, day, suburb * _KEYS_PER_SUBURB + (day - NO_DAY))

    def where(self, rows: Whole | Flags) -> Places:
        """Return some of the places."""
        return Places(self.suburb[rows], self.day[rows], self.key[rows])


class Column(NamedTuple):
    """The cells of one column: their places and their values.

    ``dtype`` is the dtype of the column's values. ``shows_gaps`` is True if NaN in it means that there is no value.
    """

    places: Places
    value: Values
    dtype: np.dtype[Any]
    shows_gaps: bool

    def where(self, rows: Whole | Flags) -> Column:
        """Return some of the cells."""
        return self._replace(places=self.places.where(rows), value=self.value[rows])


class Cells(NamedTuple):
    """The cells of a frame: its suburbs in order of their numbers, and its columns by label."""

    names: list[str]
    columns: Mapping[str, Column]

    @property
    def has_dates(self) -> bool:
        """True if a cell has a date, or if there are no cells."""
        days = [column.places.day for column in self.columns.values()]
        return not any(map(len, days)) or any((day != NO_DAY).any() for day in days)


def read_cells(frame: pd.DataFrame, *, tidy: str, labels: Iterable[str] = PROPERTY_TYPES) -> list[Cells]:
    """Return the cells of a frame: an empty list without cells, several readings if its property type is not named.

    Parameters
    ----------
    frame
        Any frame.
    tidy
        The column that holds the values of a tidy frame.
    labels
        The columns of numbers to read in a long frame.
    """
    levels = set(frame.columns.names)
    if levels == {AREA_NAME}:
        dated = frame.set_index(_DATE) if _DATE in frame.columns else frame
        return [_wide(dated, [(kind, name) for name in dated.columns]) for kind in PROPERTY_TYPES]
    if levels == {AREA_NAME, _TYPE}:
        types, names = (frame.columns.get_level_values(level) for level in (_TYPE, AREA_NAME))
        return [_wide(frame, list(zip(types, names, strict=True)))]
    if frame.columns.nlevels > 1:
        return []
    if {_TYPE, tidy} <= set(frame.columns):
        return [_tidy(frame, tidy)]
    found = [label for label in labels if label in frame.columns]
    return [_long(frame, found)] if found else []


def blocks_of(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Return a frame in blocks of a hundred suburbs each; as it is, if it is small or has no column of suburbs.

    A nation is checked three times as fast in blocks, because the intermediate arrays fit in the processor's cache.
    """
    if frame.columns.nlevels > 1 or AREA_NAME not in frame.columns or len(frame) < _MANY_ROWS:
        return [frame]
    codes = suburbs_in(frame).codes
    if (codes[1:] < codes[:-1]).any():
        order = np.argsort(codes, kind="stable")
        frame, codes = frame.take(order), codes[order]
    edges = np.searchsorted(codes, np.arange(-1, int(codes[-1]) + _SUBURBS_OF_A_BLOCK + 1, _SUBURBS_OF_A_BLOCK))
    return [frame.iloc[begin:end] for begin, end in pairwise(edges.tolist()) if begin < end]


def suburbs_in(frame: pd.DataFrame) -> pd.Categorical:
    """Return the suburb of each row: from a column or index level ``area_name``, else the one suburb of the attrs."""
    if AREA_NAME in frame.columns:
        return _categorical(frame[AREA_NAME])
    if AREA_NAME in frame.index.names:
        return _categorical(frame.index.get_level_values(AREA_NAME).to_series())
    name = marks_of(frame).get(AREA_NAME)
    return pd.Categorical([name] * len(frame), categories=[] if name is None else [name])


def _column(values: pd.Series[Any], places: Places) -> Column:
    """Return the values of a column as numbers: a date as days, True as 1, and text that is no number as infinity."""
    if values.dtype.kind == "M":
        days = parsed_dates(pd.DatetimeIndex(values)).to_numpy("M8[s]").astype("int64") / _SECONDS_A_DAY
        return Column(places, np.where(values.isna(), np.nan, days), np.dtype("float64"), shows_gaps=True)
    column = values if pd.api.types.is_numeric_dtype(values.dtype) else _parsed(values)
    dtype = getattr(column.dtype, "numpy_dtype", column.dtype)
    precision = dtype if isinstance(dtype, np.dtype) and dtype.kind == "f" else np.dtype("float64")
    return Column(places, column.to_numpy("float64", na_value=np.nan), precision, shows_gaps=True)


_SECONDS_A_DAY: Final = 86_400


def _parsed(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return objects or text as numbers. A value that is no number becomes infinity, which no response has."""
    plain = values.astype("object")
    plain = plain.mask(plain == "nan")  # NaN that was converted to text
    parsed = pd.to_numeric(plain, errors="coerce").astype("float64")
    return parsed.mask(parsed.isna() & plain.notna(), np.inf)


def _long(frame: pd.DataFrame, labels: Iterable[str]) -> Cells:
    names, places = _rows(frame)
    return Cells(names, {label: _column(frame[label], places) for label in labels})


def _tidy(frame: pd.DataFrame, label: str) -> Cells:
    names, places = _rows(frame)
    values = _column(frame[label], places)
    numbers, kinds = pd.factorize(frame[_TYPE].astype("object"), use_na_sentinel=False)
    return Cells(names, {str(kind): values.where(numbers == number) for number, kind in enumerate(kinds)})


def _rows(frame: pd.DataFrame) -> tuple[list[str], Places]:
    """Return the suburbs that have rows, and the place of each row."""
    names = suburbs_in(frame)
    is_present = np.zeros(len(names.categories) + 1, dtype="bool")
    is_present[names.codes] = True  # the last one is for rows without a suburb
    number = np.append(np.cumsum(is_present[:-1]) - 1, -1)
    present = names.categories[is_present[:-1]]
    return list(map(str, present)), Places.of(number[names.codes], _days(frame))


def _wide(frame: pd.DataFrame, labels: list[tuple[Any, Any]]) -> Cells:
    """Read columns of dates by suburbs. NaN only means that another suburb has a value on that date."""
    day = _days(frame)
    names = list(dict.fromkeys(str(name) for _, name in labels))
    number = {name: position for position, name in enumerate(names)}
    parts: dict[str, list[Column]] = {}
    for position, (kind, name) in enumerate(labels):
        places = Places.of(np.full(len(frame), number[str(name)]), day)
        values = _column(frame.iloc[:, position], places)._replace(shows_gaps=False)
        parts.setdefault(str(kind), []).append(values.where(~np.isnan(values.value)))
    return Cells(names, {kind: _joined(columns) for kind, columns in parts.items()})


def _joined(columns: list[Column]) -> Column:
    """Return several columns as one. It has their coarsest dtype, in which all values can be compared."""
    suburb, day, key = (np.concatenate(arrays) for arrays in zip(*[column.places for column in columns], strict=True))
    value = np.concatenate([column.value for column in columns])
    coarsest = min((column.dtype for column in columns), key=lambda dtype: dtype.itemsize)
    return Column(Places(suburb, day, key), value, coarsest, columns[0].shows_gaps)


def _categorical(values: pd.Series[Any]) -> pd.Categorical:
    array = values.array
    if isinstance(array, pd.Categorical):
        return array
    plain = values.astype("object")
    return pd.Categorical(plain, categories=plain.dropna().unique())


def _days(frame: pd.DataFrame) -> Whole:
    """Return the date of each row as days since 1970-01-01; `NO_DAY` where there is none."""
    dates = _dates(frame)
    return np.full(len(frame), NO_DAY) if dates is None else days_of(dates)


def first_day(frame: pd.DataFrame) -> int | None:
    """Return the first date in a frame, as days since 1970-01-01, even if its row has no values; None without dates."""
    days = _days(frame)
    known = days[days != NO_DAY]
    return int(known.min()) if len(known) else None


def has_values(frame: pd.DataFrame) -> bool:
    """Return True if a cell of a frame has a value."""
    columns = [column for cells in read_cells(frame, tidy=RENT) for column in cells.columns.values()]
    return any(not np.isnan(column.value).all() for column in columns)


def days_of(values: pd.Index[Any]) -> Whole:
    """Return dates, which may be objects or text, as days since 1970-01-01; `NO_DAY` for any other value."""
    dates = _parsed_dates(values)
    seconds: npt.NDArray[np.int64] = dates.to_numpy("M8[s]").astype("int64")
    days = seconds // _SECONDS_A_DAY
    return np.where(np.asarray(dates.isna()) | (days * _SECONDS_A_DAY != seconds), NO_DAY, days)


def _dates(frame: pd.DataFrame) -> pd.DatetimeIndex | None:
    """Return the dates of a frame: an index or level of dates, else an index, level or column called ``date``."""
    levels = [frame.index.get_level_values(number) for number in range(frame.index.nlevels)]
    columns = [pd.Index(frame[_DATE])] if frame.columns.nlevels == 1 and _DATE in frame.columns else []
    for values in [*levels, *columns]:
        if isinstance(values, pd.DatetimeIndex):
            return parsed_dates(values)
    called = [values for values in [*levels, *columns] if values.name == _DATE or _holds_dates(values)]
    return _parsed_dates(called[0]) if called else None


def _holds_dates(values: pd.Index[Any]) -> bool:
    """Return True if an index holds dates as objects, as one joined from dates and numbers does."""
    return values.dtype == "object" and any(isinstance(value, date) for value in values)


def _parsed_dates(values: pd.Index[Any]) -> pd.DatetimeIndex:
    """Return dates that are objects or ISO 8601 text, as in a CSV file; NaT for any other value."""
    if not isinstance(values, pd.DatetimeIndex):
        values = pd.Index([None if pd.isna(value) else str(value) for value in values], dtype="object")
    return parsed_dates(values, errors="coerce")
