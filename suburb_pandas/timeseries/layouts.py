"""Reads rents of every layout into one table.

The table has a value for each suburb, date and property type of a frame. The layouts are:

- long: a row for each suburb and date, columns ``area_name``, ``house`` and ``unit``. A single suburb's frame is the
  same without ``area_name``. A property type that the frame does not name is in the column ``rent``.
- panel: long, with suburb and date as the levels of the index, in either order.
- tidy: a row for each value, columns ``date``, ``area_name``, ``property_type`` and ``rent``.
- wide: a row for each date, columns of the levels ``property_type`` and ``area_name``, or of ``area_name`` alone.
- a Series with dates as its index, or with suburbs and dates: one property type of a long frame or of a panel.

The column of suburbs may have any name that the accessor finds, and may be the index. A rent index is long: its groups
are in the place of suburbs. Files change frames: the index becomes a column, dates and names become text. These frames
are read, too. Putting a result back into the layout of its rents is left to `restoring`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.frames.column import is_common, label_of
from suburb_pandas.frames.conversions import (
    how_to_date,
    is_numbers,
    not_numbers,
    numbers,
    row_label,
    to_numbers,
)
from suburb_pandas.frames.schema import (
    AREA_NAME,
    ATTRS,
    COMPARED_ENDS,
    DATE,
    GROUP,
    INDEX_UNIT,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    Rows,
    has_operation,
    holds_levels,
    marks_of,
    units_of,
)
from suburb_pandas.messages import counted, listed
from suburb_pandas.timeseries.dates import (
    DATES,
    TimeUnit,
    Whole,
    day_numbers,
    day_text,
    parsed_dates,
    read_dates,
    to_dates,
)
from suburb_pandas.timeseries.points import Points, above_zero, points_of, warn_of_dates
from suburb_pandas.timeseries.restoring import Layout

KINDS: Final = (*PROPERTY_TYPES, RENT)
"""The columns that hold rents. ``rent`` is of a property type that the frame does not name."""

COMPARED: Final = tuple(kind + end for kind in KINDS for end in COMPARED_ENDS)
"""The columns of a rent index on the suburbs compared."""

SHAPE: Final = (
    "This is not a frame of rents, which is long (dates as index; columns house, unit or both, and area_name for "
    "several suburbs), a panel (index of suburb and date), tidy (columns date, area_name, property_type, rent) or wide "
    "(dates as index; column levels property_type and area_name, or area_name alone)."
)
"""The first sentence of the error for any other frame."""

READ_HEADERS: Final = (
    "It looks like a wide frame from a file that was read without its second header row or without its index. Read "
    "both, with read_csv or read_excel: pd.read_excel(path, header=[0, 1], index_col=0)"
)
"""The sentences on a frame for which `has_unread_header` is True."""


@dataclass(frozen=True, slots=True)
class Rents:
    """The rents of a frame as one table: suburb, date and value, by property type.

    ``names`` are the suburbs in the order of their numbers, or None if the frame does not name them. ``unit`` is the
    unit in which the frame stores dates. ``cells`` are the values of the frame in its own order, with NaN where a row
    of a long frame has none; ``points`` are the values that count, sorted.
    """

    layout: Layout
    names: pd.Categorical | None
    unit: TimeUnit
    cells: Mapping[str, Points]
    points: Mapping[str, Points]

    @property
    def suburbs(self) -> pd.Categorical[Any]:
        """The names of the suburbs by their numbers; a single empty one if the frame does not name them."""
        return pd.Categorical([""]) if self.names is None else self.names

    @property
    def category(self) -> Whole:
        """The category code of each suburb in ``area_name``."""
        return self.suburbs.codes.astype("int64")

    def frame(self, suburb: Whole, day: Whole, columns: Mapping[str, Any]) -> pd.DataFrame:
        """Return a long frame with these columns, for rows of these suburbs and days."""
        dates = pd.DatetimeIndex(to_dates(day, self.unit), name=DATE)
        return pd.DataFrame({**self.name_column(self.category[suburb]), **columns}).set_axis(dates)

    @property
    def rows(self) -> tuple[Whole, Whole]:
        """The suburb and the day of each value and of each gap of the frame, once or more."""
        cells = [*self.cells.values()]
        if self.layout.kind == "long":  # all types have its rows
            return cells[0].suburb, cells[0].day
        return np.concatenate([each.suburb for each in cells]), np.concatenate([each.day for each in cells])

    @property
    def dates(self) -> tuple[str, str] | None:
        """The first and the last date of the frame, as ISO 8601 text; None without dates."""
        _, days = self.rows
        return (day_text(int(days.min())), day_text(int(days.max()))) if len(days) else None

    def number_of(self, names: pd.Series[Any] | pd.Index[Any]) -> Whole:
        """Return the number of each named suburb, or -1 if the frame has no row for it."""
        return np.asarray(pd.Index(np.asarray(self.names)).get_indexer(pd.Index(names)), dtype="int64")

    def name_column(self, category: Whole) -> dict[str, Any]:
        """Return the column ``area_name`` for these category codes; no column if the frame has none."""
        return {} if self.names is None else {AREA_NAME: pd.Categorical.from_codes(category, dtype=self.names.dtype)}


def read(data: Rows) -> Rents:
    """Read the points of rents in any layout.

    Raises
    ------
    TypeError
        `data` is neither a frame nor a Series.
    ValueError
        `data` has no layout of rents, or does not hold dates and numbers where the layout has them.

    Warns
    -----
    DataWarning
        A series has different values on the same date, a date cannot be right, or a rent is not above zero.
    """
    rents = read_cells(data)
    is_unnamed = rents.names is None and rents.layout.kind == "long"
    if isinstance(data, pd.Series) and is_unnamed and rents.layout.plain.index.has_duplicates:
        raise ValueError(
            "Pass the frame that this Series is from: a Series names no suburbs, and this one has several values on "
            "one date."
        )
    if rents.layout.beside:
        rents.layout.check_beside()
    warn_of_dates(data, rents.rows[1])
    found = above_zero(rents.cells, rents.names) if holds_levels(data) else rents.cells
    return Rents(rents.layout, rents.names, rents.unit, rents.cells, points_of(found))


def read_cells(data: Rows) -> Rents:
    """Read the values of rents in any layout as they are, in the order of the frame, beside any other columns.

    Raises what `read` raises.
    """
    layout = _layout_of(data)
    plain = layout.plain
    days = day_numbers(pd.DatetimeIndex(plain.index))
    if layout.kind == "long":
        suburb, names = _suburbs_of(plain)
        row = np.arange(len(plain))
        cells = {kind: Points(suburb, days, numbers(plain, kind), row) for kind in kinds_of(plain.columns)}
    elif layout.kind == "tidy":
        names, cells = _cells_of(plain, days, PROPERTY_TYPES)
    else:
        columns = plain.columns
        kinds = kinds_of(columns.unique(PROPERTY_TYPE)) or PROPERTY_TYPES if columns.nlevels > 1 else [RENT]
        names, cells = _cells_of(_melted(plain), np.tile(days, len(columns)), kinds)
    return Rents(layout, names, pd.DatetimeIndex(plain.index).unit, cells, cells)


def _cells_of(
    table: pd.DataFrame, days: Whole, kinds: Sequence[str]
) -> tuple[pd.Categorical | None, dict[str, Points]]:
    """Return the suburbs and the values of a table with a row for each value, dated by `days`."""
    values = numbers(table, RENT)
    row = np.flatnonzero(~np.isnan(values))
    known = table.iloc[row]
    suburb, names = _suburbs_of(known)
    rents = Points(suburb, days[row], values[row], row)
    if PROPERTY_TYPE not in table.columns:
        return names, {RENT: rents}
    types = known[PROPERTY_TYPE]
    unknown = types[~types.isin(PROPERTY_TYPES)].unique()
    if len(unknown):
        raise ValueError(f"property_type must be 'house' or 'unit', not {listed(unknown)}.")
    return names, {kind: rents.where((types == kind).to_numpy("bool")) for kind in kinds}


def _melted(plain: pd.DataFrame) -> pd.DataFrame:
    """Return a wide frame as a table with a row for each value, one column of the frame after the other."""
    columns = {}
    for level in map(str, plain.columns.names):
        labels = plain.columns.get_level_values(level).astype("str")
        columns[level] = pd.Categorical(labels, categories=labels.unique().rename(None)).repeat(len(plain))
    return pd.DataFrame({**columns, RENT: plain.to_numpy("float64", na_value=np.nan).ravel("F")})


def as_long(data: Rows) -> pd.DataFrame:
    """Return rents of any layout as a long frame, or as a single suburb's frame, with the attrs of the rents.

    A long frame only gets dates as its index and suburbs in ``area_name``. The groups of a rent index are in the place
    of suburbs, without the columns on what was compared.
    """
    rents = read_cells(data)
    result = rents.layout.plain
    if rents.layout.kind != "long":
        cells = rents.cells.items()
        tables = [pd.DataFrame({"at": each.suburb, DATE: each.day, kind: each.value}) for kind, each in cells]
        table = pd.concat(tables).groupby(["at", DATE]).last()
        at, day = (table.index.get_level_values(level).to_numpy() for level in ("at", DATE))
        result = rents.frame(at, day, {kind: table[kind].array for kind in table.columns})
    result.attrs = {**data.attrs, ATTRS: {"unit": INDEX_UNIT, **marks_of(data)}} if is_index(data) else data.attrs
    return result


def is_index(data: Rows) -> bool:
    """Return True if a frame is a rent index or was computed from one, by its marks or its columns."""
    return INDEX_UNIT in units_of(data) or has_operation(data, "rent_index")


def kinds_of(columns: Iterable[Any]) -> list[str]:
    """Return which of some columns hold rents: ``house``, ``unit``, or else ``rent``, of a type that is not named."""
    labels = set(columns)
    return [kind for kind in PROPERTY_TYPES if kind in labels] or [kind for kind in [RENT] if kind in labels]


def has_unread_header(frame: pd.DataFrame) -> bool:
    """Return True if a frame looks like a wide one whose second header row, or index, was read as data."""
    labels = [*frame.columns[:2]] if frame.index.name is None else [frame.index.name, *frame.columns[:1]]
    is_flat = labels[:1] == [PROPERTY_TYPE] and labels[-1] in PROPERTY_TYPES
    is_repeated = any(f"{kind}.1" in frame.columns for kind in PROPERTY_TYPES)  # as pandas calls a second such column
    return is_flat or is_repeated or labels[:1] == [(PROPERTY_TYPE, AREA_NAME)]


def _layout_of(data: Rows) -> Layout:
    """Recognise the layout of rents by their columns and index."""
    if isinstance(data, pd.Series):
        frame = data.to_frame(data.name if data.name in {*KINDS} else RENT)
    elif isinstance(data, pd.DataFrame):
        frame = data
    else:
        raise TypeError(f"Pass a frame or a Series of rents, not {type(data).__name__}.")
    if has_unread_header(frame):
        raise ValueError(f"{SHAPE} {READ_HEADERS}")
    if not frame.columns.is_unique:
        repeated = listed(frame.columns[frame.columns.duplicated()].unique())
        raise ValueError(
            f"The frame has more than one column called {repeated}. To keep the first of each, pass "
            "frame.loc[:, ~frame.columns.duplicated()]"
        )
    if frame.columns.nlevels > 1 or frame.columns.name == AREA_NAME:
        frame = frame.rename_axis(columns=_names_of_levels(frame.columns))
        plain = _on_dates(frame)
        _check_wide(plain, f"frame.set_index({DATE!r})" if DATE in frame.columns else "frame")
        return Layout(data, plain, "wide")
    return _layout_of_rows(data, frame)


def _names_of_levels(columns: pd.Index[Any]) -> list[str]:
    """Return the names of the levels of wide columns. A pivot does not name the level of the columns that it takes."""
    names = [AREA_NAME if is_common(str(name)) else name for name in columns.names]
    return [PROPERTY_TYPE if name is None and AREA_NAME in names else str(name) for name in names]


def _layout_of_rows(data: Rows, frame: pd.DataFrame) -> Layout:
    """Recognise a layout that has a column for the suburbs, or levels of the index for suburbs and dates."""
    frame = frame.drop(columns=["Unnamed: 0", *(COMPARED if is_index(data) else ())], errors="ignore")
    frame, levels = _without_levels(frame)
    suburb = GROUP if is_index(data) and GROUP in frame.columns else label_of(frame) or AREA_NAME
    is_tidy = {PROPERTY_TYPE, RENT} <= {*frame.columns}
    rents = [PROPERTY_TYPE, RENT] if is_tidy else kinds_of(frame.columns)
    if not rents:
        raise ValueError(
            f"{SHAPE} Its columns are {listed(frame.columns) or 'none'}. If they are suburbs, pass "
            "frame.rename_axis(columns='area_name')"
        )
    plain = _on_dates(frame).rename(columns={suburb: AREA_NAME})
    has_date_column = DATE in frame.columns and DATE not in plain.columns
    plain.attrs = data.attrs
    return Layout(
        data,
        plain,
        "tidy" if is_tidy else "long",
        levels=[AREA_NAME if label == suburb else label for label in levels],
        date_column=[*frame.columns].index(DATE) if has_date_column and not levels else None,
        suburb=suburb,
        beside=[label for label in plain.columns if label not in {AREA_NAME, *rents}],
    )


def _without_levels(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return a frame with columns in place of the levels of its index, and their labels, if they hold the suburbs.

    In a panel, the only level beside the dates holds the suburbs if it is text, whatever it is called, unless it holds
    property types.
    """
    index, suburb = frame.index, label_of(frame)
    labels = [f"level_{at}" if name is None else str(name) for at, name in enumerate(index.names)]
    dates = [
        at
        for at in range(index.nlevels)
        if labels[at] == DATE or infer_dtype(index.get_level_values(at), skipna=True) in DATES
    ]
    if index.nlevels > 1 and len(dates) == 1:
        labels[dates[0]] = DATE
        for at in range(index.nlevels):
            if len(index) and {*index.unique(at)} <= {*PROPERTY_TYPES}:
                labels[at] = PROPERTY_TYPE
        other = 1 - dates[0]
        is_text = infer_dtype(index.get_level_values(other)) in {"string", "categorical"}
        if suburb is None and not labels[2:] and is_text and labels[other] != PROPERTY_TYPE:
            labels[other] = AREA_NAME
    elif suburb not in labels or DATE not in frame.columns:
        return frame, []
    return frame.reset_index(names=labels), labels


def _suburbs_of(frame: pd.DataFrame) -> tuple[Whole, pd.Categorical | None]:
    """Return the suburb number of each row, in order of first appearance, and the names in that order.

    Raises
    ------
    ValueError
        A row has no ``area_name``.
    """
    if AREA_NAME not in frame.columns:
        return np.zeros(len(frame), dtype="int64"), None
    column = frame[AREA_NAME]
    is_categorical = isinstance(column.dtype, pd.CategoricalDtype)
    names = column.array if is_categorical else pd.Categorical(column, categories=column.dropna().unique())
    codes, first = pd.factorize(names.codes)
    if (first < 0).any():
        rows = [row_label(row) for row in frame.index[column.isna()]]
        raise ValueError(
            f"The frame has {counted(len(rows), 'row')} without an area_name ({listed(rows, str)}). Leave them out: "
            f"frame[frame[{AREA_NAME!r}].notna()]"
        )
    return codes.astype("int64"), pd.Categorical.from_codes(first, dtype=names.dtype)


def _check_wide(plain: pd.DataFrame, code: str) -> None:
    """Raise ValueError if a wide frame has other column levels than the layout, or does not hold numbers.

    `code` is the expression of the frame with dates as its index.
    """
    columns = plain.columns
    if columns.nlevels > 1 and set(columns.names) != {PROPERTY_TYPE, AREA_NAME}:
        raise ValueError(
            f"{SHAPE} The levels of its columns are called {listed(columns.names)}. If they hold property types and "
            "suburbs, pass frame.rename_axis(columns=['property_type', 'area_name'])"
        )
    if columns.get_level_values(AREA_NAME).hasnans:
        raise ValueError(
            "A column has no area_name. Leave it out: "
            f"frame.loc[:, frame.columns.get_level_values({AREA_NAME!r}).notna()]"
        )
    for label, column in plain.items():
        if not is_numbers(column):
            raise ValueError(
                f"{label!r} is not one column of numbers: it holds {not_numbers(column)}. Convert all columns; what is "
                f"not plainly a number becomes NaN: frame = {code}.apply(lambda column: {to_numbers('column')})"
            )


def _on_dates(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with dates as its index, made from a column ``date`` or an index of text or date objects.

    A time with a zone becomes its calendar day in Sydney.
    """
    index, label = frame.index, DATE if frame.columns.nlevels == 1 else (DATE, "")
    if isinstance(index, pd.DatetimeIndex):
        return frame.set_axis(parsed_dates(index), axis=0)
    if label in frame.columns:
        dates = pd.Index(frame[label], dtype=frame[label].dtype)  # given, because pandas 2 warns if it infers one
        return frame.drop(columns=[label]).set_axis(read_dates(dates, f"frame[{DATE!r}]"))
    if infer_dtype(index, skipna=True) not in {*DATES, "string", "empty"}:
        raise ValueError(f"{SHAPE} Its index is {type(index).__name__}, not DatetimeIndex. {how_to_date(frame)}")
    return frame.set_axis(read_dates(index, "frame.index"), axis=0)
