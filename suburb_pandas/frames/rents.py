"""Reads rents of every layout into points by property type, each with its suburb, its date and its value.

Recognising the layout is left to `layouts`, deciding which values are points to `points`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from suburb_pandas.frames.conversions import numbers, row_label
from suburb_pandas.frames.dates import Resolution, Whole, day_text, to_dates, to_days
from suburb_pandas.frames.layouts import Layout, layout_of
from suburb_pandas.frames.marks import ATTRS, FrameOrSeries, marks_of
from suburb_pandas.frames.points import Points, above_zero, points_of, warn_of_dates
from suburb_pandas.frames.schema import (
    AREA_NAME,
    DATE,
    INDEX_UNIT,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    check_rents,
    is_index,
    may_hold_rents,
    rent_columns_of,
)
from suburb_pandas.messages import counted, listed


@dataclass(frozen=True, slots=True)
class Cells:
    """The values of rents as a frame has them: suburb, date and value, by property type.

    ``names`` are the suburbs in the order of their numbers, or None if the frame does not name them. ``cells`` are the
    values in the order of the frame, with NaN where a row of a long frame has none.
    """

    layout: Layout
    names: pd.Categorical | None
    date_resolution: Resolution
    cells: Mapping[str, Points]

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
        dates = pd.DatetimeIndex(to_dates(day, self.date_resolution), name=DATE)
        return pd.DataFrame({**self.name_column(self.category[suburb]), **columns}).set_axis(dates)

    @property
    def rows(self) -> tuple[Whole, Whole]:
        """The suburb and the day of each value and of each gap of the frame, once or more."""
        cells = [*self.cells.values()]
        if self.layout.shape == "long":  # all types have its rows
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


@dataclass(frozen=True, slots=True)
class Rents(Cells):
    """The values of a frame, and ``points``: those that count, sorted by suburb and date."""

    points: Mapping[str, Points]


def read_rents(data: FrameOrSeries, *, or_index: bool = True) -> Rents:
    """Read the points of rents as `read` does, but refuse growth and counts, and an index unless `or_index` is True.

    Raises and warns as `read` does. ValueError is also raised for a frame that is refused.
    """
    cells = read_cells(data)
    check_rents(data, or_index=or_index)
    return _with_points(cells, data)


def read(data: FrameOrSeries) -> Rents:
    """Read the points of rents in any layout, or of growth or counts, of which a chart is drawn.

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
    return _with_points(read_cells(data), data)


def _with_points(found: Cells, data: FrameOrSeries) -> Rents:
    """Return the cells of a frame with the points among them, after checking what no layout tells."""
    layout = found.layout
    is_unnamed = found.names is None and layout.shape == "long"
    if isinstance(data, pd.Series) and is_unnamed and layout.plain.index.has_duplicates:
        raise ValueError(
            "Pass the frame that this Series is from: a Series names no suburbs, and this one has several values on "
            "one date."
        )
    if layout.beside:
        layout.check_beside()
    warn_of_dates(data, found.rows[1])
    values = above_zero(found.cells, found.names) if may_hold_rents(data) else found.cells
    return Rents(layout, found.names, found.date_resolution, found.cells, points_of(values))


def as_long(data: FrameOrSeries) -> pd.DataFrame:
    """Return rents of any layout as a long frame, or as a single suburb's frame, with the attrs of the rents.

    A long frame only gets dates as its index and suburbs in ``area_name``. The groups of a rent index are in the place
    of suburbs, without the columns on what was compared.
    """
    rents = read_cells(data)
    result = rents.layout.plain
    if rents.layout.shape != "long":
        cells = rents.cells.items()
        tables = [pd.DataFrame({"at": each.suburb, DATE: each.day, kind: each.value}) for kind, each in cells]
        table = pd.concat(tables).groupby(["at", DATE]).last()
        at, day = (table.index.get_level_values(level).to_numpy() for level in ("at", DATE))
        result = rents.frame(at, day, {kind: table[kind].array for kind in table.columns})
    result.attrs = {**data.attrs, ATTRS: {"unit": INDEX_UNIT, **marks_of(data)}} if is_index(data) else data.attrs
    return result


def read_cells(data: FrameOrSeries) -> Cells:
    """Read the values of rents in any layout as they are, in the order of the frame, beside any other columns.

    Raises what `read` raises.
    """
    layout = layout_of(data)
    plain = layout.plain
    dates = pd.DatetimeIndex(plain.index)
    days = to_days(dates)
    if layout.shape == "long":
        suburb, names = _suburbs_of(plain)
        place = np.arange(len(plain))
        cells = {kind: Points(suburb, days, numbers(plain, kind), place) for kind in rent_columns_of(plain.columns)}
    elif layout.shape == "tidy":
        names, cells = _cells_of(plain, days, PROPERTY_TYPES)
    else:
        columns = plain.columns
        kinds = rent_columns_of(columns.unique(PROPERTY_TYPE)) or PROPERTY_TYPES if columns.nlevels > 1 else [RENT]
        names, cells = _cells_of(_melted(plain), np.tile(days, len(columns)), kinds)
    return Cells(layout, names, dates.unit, cells)


def _cells_of(
    table: pd.DataFrame, days: Whole, kinds: Sequence[str]
) -> tuple[pd.Categorical | None, dict[str, Points]]:
    """Return the suburbs and the values of a table with a row for each value, dated by `days`."""
    values = numbers(table, RENT)
    place = np.flatnonzero(~np.isnan(values))
    known = table.iloc[place]
    suburb, names = _suburbs_of(known)
    rents = Points(suburb, days[place], values[place], place)
    if PROPERTY_TYPE not in table.columns:
        return names, {RENT: rents}
    types = known[PROPERTY_TYPE]
    unknown = types[~types.isin(PROPERTY_TYPES)].unique()
    if len(unknown):
        raise ValueError(f"property_type must be 'house' or 'unit', not {listed(unknown)}.")
    return names, {kind: rents.take((types == kind).to_numpy("bool")) for kind in kinds}


def _melted(plain: pd.DataFrame) -> pd.DataFrame:
    """Return a wide frame as a table with a row for each value, one column of the frame after the other."""
    columns = {}
    for level in map(str, plain.columns.names):
        labels = plain.columns.get_level_values(level).astype("str")
        columns[level] = pd.Categorical(labels, categories=labels.unique().rename(None)).repeat(len(plain))
    return pd.DataFrame({**columns, RENT: plain.to_numpy("float64", na_value=np.nan).ravel("F")})


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
