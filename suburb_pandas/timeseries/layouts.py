"""Recognises the layouts of rents, and converts a frame between the layout in which it came and the long one.

A frame of rents is long, tidy or wide, or it is one property type of a wide one, as in ``wide["house"]``. The modules
that compute take the long layout and leave the others to this one. Checking a long frame is left to `points`.

- long: a row for each suburb and date, columns ``area_name``, ``house`` and ``unit``. A single suburb's frame is the
  same without ``area_name``. A property type that the frame does not name is in the column ``rent``.
- tidy: a row for each value, columns ``date``, ``area_name``, ``property_type`` and ``rent``.
- wide: a row for each date, columns of the levels ``property_type`` and ``area_name``, or of ``area_name`` alone.

Files change frames: the index becomes a column, dates and names become text. These frames are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray
from pandas.api.types import infer_dtype

from suburb_pandas.frames.conversions import how_to_choose, how_to_convert_dates, not_dates, not_numbers, to_numbers
from suburb_pandas.frames.schema import (
    AREA_NAME,
    ATTRS,
    DATE,
    GROUP,
    INDEX_UNIT,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    marks_of,
    operations_of,
    units_of,
)
from suburb_pandas.messages import counted, listed
from suburb_pandas.timeseries.dates import Whole, day_numbers, parsed_dates
from suburb_pandas.timeseries.points import (
    KEYS_PER_SUBURB,
    KINDS,
    READ_HEADERS,
    SHAPE,
    check_dates,
    check_type,
    has_unread_header,
    is_numbers,
    kinds_of,
    numbers,
    starts_of,
    suburbs_of,
)

_ISO: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ](00:00(:00(\.0+)?)?|\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})))?"
)
_ROW_NUMBERS: Final = "Unnamed: 0"  # the name that pandas gives to a written index without a name

COMPARED: Final = ("_n", "_share", "_bridged")
"""The columns of a rent index on the suburbs compared; ``house``, ``unit`` or ``rent`` stands before."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a frame. It converts the frame to the long layout, and a long result to this layout.

    ``columns`` are those of a wide frame. ``date_at`` is the position of the column ``date``, None if the dates are the
    index.
    """

    frame: pd.DataFrame = field(repr=False)
    kind: Literal["long", "tidy", "wide"]
    columns: pd.Index[Any] | None = field(default=None, repr=False)
    date_at: int | None = None

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Layout:
        """Recognise the layout of a frame by its columns. A frame in no other layout counts as long.

        Raises
        ------
        TypeError
            `frame` is not a DataFrame.
        """
        check_type(frame)
        columns = frame.columns
        if columns.nlevels > 1 or columns.name == AREA_NAME:
            return cls(frame, "wide", columns.drop(DATE) if columns.nlevels == 1 and DATE in columns else columns)
        kind: Literal["long", "tidy"] = "tidy" if {PROPERTY_TYPE, RENT} <= set(columns) else "long"
        plain = frame.drop(columns=_ROW_NUMBERS) if len(columns) and columns[0] == _ROW_NUMBERS else frame
        has_column = DATE in plain.columns and not isinstance(plain.index, pd.DatetimeIndex)
        return cls(plain, kind, None, list(plain.columns).index(DATE) if has_column else None)

    def long(self) -> pd.DataFrame:
        """Return the frame in the long layout, or as a single suburb's frame; itself if it is that already.

        Raises
        ------
        ValueError
            Text is not a date, or the columns do not fit the layout.
        """
        frame = _on_dates(self.frame)
        if self.kind == "tidy":
            frame = _long_of_tidy(frame)
        elif self.kind == "wide":
            frame = _long_of_wide(frame, f"frame.set_index({DATE!r})" if DATE in self.frame.columns else "frame")
        if frame is not self.frame:
            frame.attrs = self.frame.attrs
        return frame

    def check_detail(self) -> None:
        """Raise ValueError unless this is the long layout, which alone has room for the columns of ``detail=True``."""
        if self.kind == "long":
            return
        if self.kind == "tidy":
            how = f"frame.pivot(index=['{DATE}', '{AREA_NAME}'], columns='{PROPERTY_TYPE}', values='{RENT}')"
            how = f"{how}.reset_index('{AREA_NAME}')"
        elif self.frame.columns.nlevels > 1:
            how = f"frame.stack('{AREA_NAME}', future_stack=True).reset_index('{AREA_NAME}')"
        else:
            how = "this, if it is of houses: frame.melt(ignore_index=False, value_name='house')"
        raise ValueError(f"detail=True needs the long layout, but this frame is {self.kind}. Pass {how}")

    def restore(self, result: pd.DataFrame) -> pd.DataFrame:
        """Return a long result in this layout."""
        if self.columns is not None:
            return wide(result, self.columns)
        if self.kind == "tidy":
            made = tidy(result)
            return made if self.date_at is not None else made.set_index(DATE)
        return result if self.date_at is None else _with_date_column(result, self.date_at)

    def restore_rows(self, result: pd.DataFrame) -> pd.DataFrame:
        """Return a long result with the rows of `long` in this layout. The rows of the frame are kept if possible."""
        restored = self.restore(result)
        if self.columns is not None:
            return restored.reindex(_on_dates(self.frame).index.unique().rename(DATE))
        return restored if self.kind == "tidy" or self.date_at is None else restored.set_axis(self.frame.index)


def as_long(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rents of any layout in the long one, or as a single suburb's frame. Such a frame is returned itself.

    Rows without a value are left out if the layout changes. Categories of ``area_name`` are kept.

    Raises
    ------
    TypeError
        `frame` is not a DataFrame.
    ValueError
        Text is not a date, or the columns do not fit the layout.
    """
    return Layout.of(frame).long()


def is_index(frame: pd.DataFrame) -> bool:
    """Return True if a frame is a rent index or was computed from one, by its marks or its columns."""
    return (
        INDEX_UNIT in units_of(frame)
        or any(operation.startswith("rent_index(") for operation in operations_of(frame))
        or any({kind, f"{kind}_n", f"{kind}_share"} <= {*frame.columns} for kind in KINDS)
    )


def index_as_rents(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a rent index in the long layout: its groups as ``area_name``, without the columns on what was compared.

    Any other frame is returned itself.
    """
    if not isinstance(frame, pd.DataFrame) or not is_index(frame):
        return frame
    compared = [f"{kind}{suffix}" for kind in KINDS for suffix in COMPARED]
    result = frame.drop(columns=compared, errors="ignore").rename(columns={GROUP: AREA_NAME})
    marks = marks_of(frame)
    result.attrs = {**frame.attrs, ATTRS: {"unit": INDEX_UNIT, **marks}}
    return result


def tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a long frame in the tidy layout: a row for each value, by suburb, then houses before units, then date."""
    suburb, names = suburbs_of(frame)
    kinds = [kind for kind in PROPERTY_TYPES if kind in frame.columns]
    values = np.concatenate([numbers(frame, kind) for kind in kinds])
    given = np.flatnonzero(~np.isnan(values))
    kind, row = np.divmod(given, max(len(frame), 1))
    keys = (2 * suburb[row] + kind) * KEYS_PER_SUBURB + day_numbers(pd.DatetimeIndex(frame.index))[row]
    order = np.argsort(keys, kind="stable")
    row = row[order]
    result = pd.DataFrame(
        {
            DATE: frame.index[row],
            # Text, because libraries such as seaborn and statsmodels use every category, even one without a row.
            **({} if names is None else {AREA_NAME: _texts(list(names), suburb[row])}),
            PROPERTY_TYPE: _texts(kinds, kind[order]),
            RENT: values[given[order]],
        }
    )
    result.attrs = frame.attrs
    return result


def _texts(texts: Sequence[str], position: Whole) -> ExtensionArray:
    """Return the text at each position."""
    return pd.Series(texts, dtype="str").array.take(position)


def wide(frame: pd.DataFrame, columns: pd.Index[Any] | None = None) -> pd.DataFrame:
    """Return a long frame in the wide layout: one row per date, one column per (``property_type``, ``area_name``).

    A suburb without points has columns of NaN. With `columns`, these are the columns of the result.
    """
    names = frame[AREA_NAME].cat
    if columns is None:
        levels = [PROPERTY_TYPE, AREA_NAME]
        columns = pd.MultiIndex.from_product([list(PROPERTY_TYPES), names.categories], names=levels)
    kind_of, name_of = _labels(columns)
    kinds = kind_of.unique()
    dates, rows = np.unique(frame.index.to_numpy(), return_inverse=True)
    values, codes = np.full((len(dates), len(kinds), len(names.categories)), np.nan), names.codes.to_numpy()
    for number, kind in enumerate(kinds):
        column = numbers(frame, kind)
        known = ~np.isnan(column)
        values[rows[known], number, codes[known]] = column[known]
    chosen = values[:, kinds.get_indexer(kind_of), names.categories.get_indexer(name_of)]
    result = pd.DataFrame(chosen, index=pd.DatetimeIndex(dates, name=DATE), columns=columns)
    result.attrs = frame.attrs
    return result


def _long_of_tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a tidy frame in the long layout. A second value on the same date gets its own row."""
    columns = [label for label in (AREA_NAME, PROPERTY_TYPE, RENT) if label in frame.columns]
    if len(frame.columns) > len(columns):
        how = how_to_choose(frame, [DATE, *columns])
        raise ValueError(f"{SHAPE} Its columns are {listed(frame.columns)}. {how}")
    types, values, days = pd.Index(frame[PROPERTY_TYPE]), numbers(frame, RENT), day_numbers(check_dates(frame))
    kind = pd.Index(PROPERTY_TYPES, dtype="object").get_indexer(types.astype("object"))
    if (kind < 0).any():
        raise ValueError(f"property_type must be 'house' or 'unit', not {listed(types[kind < 0].unique())}.")
    suburb, names = suburbs_of(frame)
    order = np.flatnonzero(~np.isnan(values))
    keys = (suburb * KEYS_PER_SUBURB + days)[order]
    again = _repeats(2 * keys + kind[order])
    by_date = np.lexsort((again, keys)) if again.any() else np.argsort(keys, kind="stable")
    order, keys, again = order[by_date], keys[by_date], again[by_date]
    is_first = starts_of(keys) | starts_of(again)
    row, first = np.cumsum(is_first) - 1, order[is_first]
    result: dict[str, Any] = {} if names is None else {AREA_NAME: names.take(suburb[first])}
    for number, label in enumerate(PROPERTY_TYPES):
        own = kind[order] == number
        result[label] = np.full(len(first), np.nan)
        result[label][row[own]] = values[order[own]]
    return pd.DataFrame(result, index=frame.index[first].rename(DATE))


def _repeats(keys: Whole) -> Whole:
    """Return for each key how many equal ones come before it."""
    order = np.argsort(keys, kind="stable")
    position, starts = np.arange(len(keys)), starts_of(keys[order])
    result = np.empty_like(position)
    result[order] = position - np.maximum.accumulate(np.where(starts, position, 0))
    return result


def _long_of_wide(frame: pd.DataFrame, code: str) -> pd.DataFrame:
    """Return a wide frame in the long layout, by suburb in the order of the columns. Each row has a value."""
    kind_of, name_of = _labels(frame.columns)
    _check_labels(frame, kind_of, name_of)
    check_dates(frame)
    _check_numbers(frame, code)
    without_columns = PROPERTY_TYPES if frame.columns.nlevels > 1 else (RENT,)
    kinds, names = kind_of.unique() if len(kind_of) else pd.Index(without_columns), name_of.unique()
    values = frame.to_numpy()
    if values.dtype.kind != "f":  # whole numbers, or objects that are known to be numbers
        values = values.astype("float64" if values.dtype.kind in "iu" else "object")
    cube = np.full((len(names), len(frame), len(kinds)), np.nan, dtype=values.dtype)
    cube[names.get_indexer(name_of), :, kinds.get_indexer(kind_of)] = values.T
    number, row = np.nonzero(~pd.isna(cube).all(axis=2))
    area_name = pd.Categorical.from_codes(number, categories=names.astype("str").rename(None))
    columns = {kind: cube[number, row, kinds.get_loc(kind)] for kind in kinds_of(kinds)}
    return pd.DataFrame({AREA_NAME: area_name, **columns}, index=frame.index[row].rename(DATE))


def _labels(columns: pd.Index[Any]) -> tuple[pd.Index[Any], pd.Index[Any]]:
    """Return the property type and the suburb of each column of a wide frame; ``rent`` for a type without a name."""
    if set(columns.names) == {PROPERTY_TYPE, AREA_NAME}:
        return columns.get_level_values(PROPERTY_TYPE), columns.get_level_values(AREA_NAME)
    return pd.Index([RENT] * len(columns), dtype="object"), columns


def _check_labels(frame: pd.DataFrame, kind_of: pd.Index[Any], name_of: pd.Index[Any]) -> None:
    """Raise ValueError if the columns of a wide frame are not those of the layout, or if two are of the same series."""
    columns = frame.columns
    if has_unread_header(frame):
        raise ValueError(f"{SHAPE} {READ_HEADERS}")
    if columns.nlevels > 1 and set(columns.names) != {PROPERTY_TYPE, AREA_NAME}:
        raise ValueError(f"{SHAPE} The levels of its columns are called {listed(columns.names)}.")
    unknown = kind_of[~kind_of.isin(KINDS)].unique()
    if len(unknown):
        how = "Pass frame.set_index('date')" if (DATE, "") in columns else "Keep 'house' and 'unit' only."
        raise ValueError(f"{SHAPE} Its property types include {listed(unknown)}. {how}")
    n_nameless = int(np.sum(name_of.isna()))
    if n_nameless:
        raise ValueError(
            f"The frame has {counted(n_nameless, 'column')} without an area_name. Leave out such columns: "
            f"frame.loc[:, frame.columns.get_level_values({AREA_NAME!r}).notna()]"
        )
    if columns.has_duplicates:
        raise ValueError(
            f"The frame has more than one column for {listed(columns[columns.duplicated()].unique())}. To keep the "
            "first of each, pass frame.loc[:, ~frame.columns.duplicated()]"
        )


def _check_numbers(frame: pd.DataFrame, code: str) -> None:
    """Raise ValueError if a column of a wide frame does not hold numbers, with the line that converts every column."""
    for label, column in frame.items():
        if not is_numbers(column):
            raise ValueError(
                f"{label!r} is not one column of numbers: it holds {not_numbers(column)}. Convert all columns; what is "
                f"not plainly a number becomes NaN: frame = {code}.apply(lambda column: {to_numbers('column')})"
            )


def _on_dates(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with dates as its index, made from a column ``date`` or an index of text or date objects.

    A time with a zone becomes its calendar day in Sydney.
    """
    index = frame.index
    if isinstance(index, pd.DatetimeIndex):
        return frame if index.tz is None else frame.set_axis(parsed_dates(index), axis=0)
    if frame.columns.nlevels == 1 and DATE in frame.columns:
        return frame.drop(columns=DATE).set_axis(_dates_in_column(frame[DATE]), axis=0)
    if index.name not in {DATE, None}:
        return frame
    return frame.set_axis(_dates(index, "frame.index"), axis=0)


def _dates_in_column(column: pd.Series[Any]) -> pd.Index[Any]:
    """Return the dates of the column ``date``. The lines in its errors convert the column, not the index."""
    code = f"frame[{DATE!r}]"
    dates = _dates(pd.Index(column), code)
    if not isinstance(dates, pd.DatetimeIndex):
        how = how_to_convert_dates(column, code)
        raise ValueError(f"The column {DATE!r} holds no dates, but {not_dates(column)}. {how}")  # noqa: TRY004 - the argument is a frame
    missing = [*column.index[dates.isna()]]
    if missing:
        raise ValueError(
            f"A date is missing in row{'' if len(missing) == 1 else 's'} {listed(missing)}. Leave out the rows without "
            f"a date: frame[{code}.notna()]"
        )
    if (dates != dates.normalize()).any():
        raise ValueError(f"The dates have times of day. Remove the times: {code} = {code}.dt.normalize()")
    return dates


def _dates(values: pd.Index[Any], code: str) -> pd.Index[Any]:
    """Return dates that are date objects or ISO 8601 text as a DatetimeIndex; values of other types as they are.

    Raises
    ------
    ValueError
        They are other text; the message converts the values that `code` is.
    """
    kind = infer_dtype(values, skipna=True)
    if kind in {"date", "datetime", "datetime64"} or (kind == "empty" and not isinstance(values, pd.RangeIndex)):
        return parsed_dates(values).rename(DATE)
    if kind != "string":
        return values
    codes, texts = pd.factorize(values)
    wrong = pd.Index([text for text in texts if not _ISO.fullmatch(text)])
    if len(wrong):
        raise ValueError(
            f"The dates are text, but not ISO 8601 dates such as '2026-04-30': {not_dates(wrong)}. "
            f"{how_to_convert_dates(values, code)}"
        )
    return parsed_dates(texts).append(pd.DatetimeIndex([pd.NaT]))[codes].rename(DATE)


def _with_date_column(result: pd.DataFrame, position: int) -> pd.DataFrame:
    """Return a long result with its dates as a column."""
    restored = result.reset_index(drop=True)
    restored.insert(min(position, len(restored.columns)), DATE, result.index)
    return restored
