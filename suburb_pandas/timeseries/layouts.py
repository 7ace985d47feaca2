"""Reads rents of every layout into one table, and puts a result back into the layout in which the rents came.

The table has a value for each suburb, date and property type of a frame. The layouts are:

- long: a row for each suburb and date, columns ``area_name``, ``house`` and ``unit``. A single suburb's frame is the
  same without ``area_name``. A property type that the frame does not name is in the column ``rent``.
- panel: long, with suburb and date as the levels of the index, in either order.
- tidy: a row for each value, columns ``date``, ``area_name``, ``property_type`` and ``rent``.
- wide: a row for each date, columns of the levels ``property_type`` and ``area_name``, or of ``area_name`` alone.
- a Series with dates as its index, or with suburbs and dates: one property type of a long frame or of a panel.

The column of suburbs may have any name that the accessor finds. A rent index is long: its groups are in the place of
suburbs. Files change frames: the index becomes a column, dates and names become text. These frames are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.extensions import ExtensionArray
from pandas.api.types import infer_dtype, is_numeric_dtype

from suburb_pandas.frames.column import label_of
from suburb_pandas.frames.conversions import (
    how_to_convert_dates,
    how_to_date,
    not_dates,
    not_numbers,
    row_label,
    to_numbers,
)
from suburb_pandas.frames.schema import (
    AREA_NAME,
    ATTRS,
    DATE,
    GROUP,
    INDEX_UNIT,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    Rows,
    holds_levels,
    marks_of,
    operations_of,
    units_of,
)
from suburb_pandas.messages import counted, listed
from suburb_pandas.timeseries.dates import TimeUnit, Whole, day_numbers, day_text, parsed_dates, to_dates
from suburb_pandas.timeseries.doubts import above_zero, warn_of_dates
from suburb_pandas.timeseries.points import KEYS_PER_SUBURB, Points, is_numbers, known_at, numbers, without_replaced

_ISO: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ](00:00(:00(\.0+)?)?|\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})))?"
)
_ROW_NUMBERS: Final = "Unnamed: 0"  # the name that pandas gives to a written index without a name
_LEVELS: Final = {PROPERTY_TYPE, AREA_NAME}

KINDS: Final = (*PROPERTY_TYPES, RENT)
"""The columns that hold rents. ``rent`` is of a property type that the frame does not name."""

COMPARED: Final = tuple(f"{kind}{suffix}" for kind in KINDS for suffix in ("_n", "_share", "_bridged"))
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
class Layout:
    """The layout of rents: ``given`` as they came, and ``plain`` with dates as the index and suburbs in ``area_name``.

    ``kind`` is that of ``plain``, in which a Series and a panel are long frames. ``levels`` are the labels that the
    levels of a panel have in ``plain``, ``suburb`` is the label that the column of suburbs had, and ``beside`` are
    other columns.
    """

    given: Rows = field(repr=False)
    plain: pd.DataFrame = field(repr=False)
    kind: Literal["long", "tidy", "wide"]
    levels: Sequence[Hashable] = ()
    suburb: Hashable = AREA_NAME
    beside: Sequence[Hashable] = ()

    def check_detail(self) -> None:
        """Raise ValueError unless this layout has room for the columns of ``detail=True``."""
        if isinstance(self.given, pd.Series):
            how = f"frame.to_frame({kinds_of(self.plain.columns)[0]!r})"
        elif self.kind == "long":
            return
        elif self.kind == "tidy":
            how = f"frame.pivot(index=['{DATE}', '{AREA_NAME}'], columns='{PROPERTY_TYPE}', values='{RENT}')"
            how = f"{how}.reset_index('{AREA_NAME}')"
        elif self.plain.columns.nlevels > 1:
            how = f"frame.stack('{AREA_NAME}', future_stack=True).reset_index('{AREA_NAME}')"
        else:
            how = "this, if it is of houses: frame.melt(ignore_index=False, value_name='house')"
        name = "a Series" if isinstance(self.given, pd.Series) else self.kind
        raise ValueError(f"detail=True needs the long layout, but this frame is {name}. Pass {how}")

    def restore(self, result: pd.DataFrame) -> Any:
        """Return a long result, with dates as its index and suburbs in ``area_name``, in this layout."""
        if self.kind == "wide":
            return wide(result, self.plain.columns)
        made = tidy(result).set_index(DATE) if self.kind == "tidy" else result
        for label in self.beside:
            made[label] = self._of_suburbs(label, made)
        return self._as_given(made)

    def with_values(self, columns: Mapping[str, tuple[Whole, npt.NDArray[Any]]]) -> Any:
        """Return the rents with other values, and perhaps more columns, given by their places as `Points` has them.

        A tidy row without a value is left out, and the others are numbered anew.
        """
        plain = self.plain
        if self.kind == "wide":
            table, kind_of = np.full(plain.shape, np.nan), labels_in(plain.columns)[0]
            for kind, (row, values) in columns.items():
                own = np.flatnonzero(kind_of == kind)
                table[:, own] = _placed(row, values, len(plain) * len(own)).reshape(len(own), len(plain)).T
            return pd.DataFrame(table, plain.index, plain.columns)
        if self.kind == "tidy":
            rows, rents = (np.concatenate(parts) for parts in zip(*columns.values(), strict=True))
            rents = _placed(rows, rents, len(plain))
            # Text, because libraries such as seaborn and statsmodels use every category, even one without a row.
            texts = {label: "str" for label in (AREA_NAME, PROPERTY_TYPE) if label in plain.columns}
            return self._as_given(plain.astype(texts).assign(rent=rents)[~np.isnan(rents)])
        new = {label: _placed(row, values, len(plain)) for label, (row, values) in columns.items()}
        result = self._as_given(plain.assign(**new))
        return result if self._date_at() is None else result.set_axis(self.given.index)

    def _of_suburbs(self, label: Hashable, result: pd.DataFrame) -> Any:
        """Return the value of a column beside the rents for each row of a result."""
        first, suburb = self.plain, np.zeros(len(result), dtype="int64")
        if AREA_NAME in first.columns:
            first = first.drop_duplicates(AREA_NAME)
            suburb = pd.Index(first[AREA_NAME]).get_indexer(pd.Index(result[AREA_NAME]))
        return first[label].array.take(suburb)

    def _date_at(self) -> int | None:
        """Return the position of the column of dates among the rents as given; None if the dates are in the index."""
        given = self.given
        if isinstance(given, pd.Series) or self.levels or isinstance(given.index, pd.DatetimeIndex):
            return None
        labels = [label for label in given.columns if label != _ROW_NUMBERS]
        return labels.index(DATE) if DATE in labels else None

    def _as_given(self, result: pd.DataFrame) -> Any:
        """Return a long or tidy result with its dates and suburbs in columns or levels, and with labels, as given."""
        if self.levels:
            others = [label for label in self.levels if label != DATE]
            result = result.set_index(others, append=True).reorder_levels([*map(str, self.levels)])
            result.index.names = self.given.index.names
        elif (position := self._date_at()) is not None:
            dates, result = result.index, result.reset_index(drop=True)
            result.insert(min(position, len(result.columns)), DATE, dates)
        if isinstance(self.given, pd.Series):
            return result[kinds_of(result.columns)[0]].rename(cast("str", self.given.name))
        return result.rename(columns={AREA_NAME: self.suburb})


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

    @property
    def rows(self) -> tuple[Whole, Whole]:
        """The suburb and the day of each value and of each gap of the frame, once or more."""
        parts = [(each.suburb, each.day) for each in self.cells.values()]
        suburb, day = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return suburb, day

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
    dates = rents.layout.plain.index
    if isinstance(data, pd.Series) and rents.names is None and dates.has_duplicates:
        raise ValueError(
            "Pass the frame that this Series is from: a Series names no suburbs, and this one has several values on "
            f"{listed(dates[dates.duplicated()].unique(), lambda date: str(date)[:10])}."
        )
    if varying := _varying(rents.layout):
        wanted = [label for label in data.columns if label not in {*varying, *COMPARED}]
        raise ValueError(
            f"Pass frame[{wanted}], without {listed(varying)}: only columns that are the same in all rows of a suburb "
            "can stand beside the rents."
        )
    warn_of_dates(data, rents.rows[1])
    found = above_zero(rents.cells, rents.names) if holds_levels(data) else rents.cells
    points = without_replaced({kind: each.known() for kind, each in found.items()})
    return Rents(rents.layout, rents.names, rents.unit, rents.cells, points)


def read_cells(data: Rows) -> Rents:
    """Read the values of rents in any layout as they are, in the order of the frame, beside any other columns.

    Raises what `read` raises.
    """
    layout = _layout_of(data)
    dates = _check_dates(layout.plain)
    days = day_numbers(dates)
    names: pd.Categorical | None
    if layout.kind == "wide":
        _check_numbers(layout.plain, f"frame.set_index({DATE!r})" if DATE in data.columns else "frame")
        names, values = _of_wide(layout.plain, days)
    else:
        suburb, names = _suburbs_of(layout.plain)
        places = suburb, days, np.arange(len(days))
        read_rows = _of_tidy if layout.kind == "tidy" else _of_long
        values = read_rows(layout.plain, places)
    return Rents(layout, names, dates.unit, values, values)


def as_long(data: Rows) -> pd.DataFrame:
    """Return rents of any layout as a long frame, or as a single suburb's frame, with the attrs of the rents.

    A long frame only gets dates as its index and suburbs in ``area_name``. The groups of a rent index are in the place
    of suburbs, without the columns on what was compared.
    """
    rents = read_cells(data)
    result = rents.layout.plain
    if rents.layout.kind != "long":
        points = {kind: each.known() for kind, each in rents.cells.items()}
        keys = np.unique(np.concatenate([each.keys for each in points.values()]))
        suburb, day = np.divmod(keys, KEYS_PER_SUBURB)
        columns = rents.name_column(rents.category[suburb])
        for kind, each in points.items():
            columns[kind] = _placed(np.searchsorted(keys, each.keys), each.value, len(keys))
        result = pd.DataFrame(columns, pd.DatetimeIndex(to_dates(day, rents.unit), name=DATE))
    result.attrs = {**data.attrs, ATTRS: {"unit": INDEX_UNIT, **marks_of(data)}} if is_index(data) else data.attrs
    return result


def is_index(data: Rows) -> bool:
    """Return True if a frame is a rent index or was computed from one, by its marks or its columns."""
    return (
        INDEX_UNIT in units_of(data)
        or any(operation.startswith("rent_index(") for operation in operations_of(data))
        or any({kind, f"{kind}_n", f"{kind}_share"} <= {*getattr(data, "columns", ())} for kind in KINDS)
    )


def tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a long frame in the tidy layout: a row for each value, by suburb, then houses before units, then date."""
    suburb, names = _suburbs_of(frame)
    kinds = kinds_of(frame.columns)
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


def wide(frame: pd.DataFrame, columns: pd.Index[Any] | None = None) -> pd.DataFrame:
    """Return a long frame in the wide layout: one row per date, one column per (``property_type``, ``area_name``).

    A suburb without points has columns of NaN. With `columns`, these are the columns of the result.
    """
    names = frame[AREA_NAME].cat
    if columns is None:
        levels = [PROPERTY_TYPE, AREA_NAME]
        columns = pd.MultiIndex.from_product([list(PROPERTY_TYPES), names.categories], names=levels)
    kind_of, name_of = labels_in(columns)
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


def panel(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a long frame as a panel: the index has the levels ``area_name`` and ``date``."""
    return frame.set_index(AREA_NAME, append=True).swaplevel()


def kinds_of(columns: Iterable[Any]) -> list[str]:
    """Return which of some columns hold rents: ``house``, ``unit``, or else ``rent``, of a type that is not named."""
    labels = set(columns)
    return [kind for kind in PROPERTY_TYPES if kind in labels] or [kind for kind in [RENT] if kind in labels]


def labels_in(columns: pd.Index[Any]) -> tuple[pd.Index[Any], pd.Index[Any]]:
    """Return the property type and the suburb of each column of a wide frame; ``rent`` for a type without a name."""
    if set(columns.names) == _LEVELS:
        return columns.get_level_values(PROPERTY_TYPE), columns.get_level_values(AREA_NAME)
    return pd.Index([RENT] * len(columns), dtype="object"), columns


def has_unread_header(frame: pd.DataFrame) -> bool:
    """Return True if a frame looks like a wide one whose second header row, or index, was read as data."""
    labels = [*frame.columns[:2]] if frame.index.name is None else [frame.index.name, *frame.columns[:1]]
    is_flat = labels[:1] == [PROPERTY_TYPE] and labels[-1] in PROPERTY_TYPES
    return is_flat or labels[:1] == [(PROPERTY_TYPE, AREA_NAME)]


def _layout_of(data: Rows) -> Layout:
    """Recognise the layout of rents by their columns and index."""
    if isinstance(data, pd.Series):
        frame = data.to_frame(data.name if data.name in KINDS else RENT)
    elif isinstance(data, pd.DataFrame):
        frame = data
    else:
        raise TypeError(f"Pass a frame or a Series of rents, not {type(data).__name__}.")
    if has_unread_header(frame):
        raise ValueError(f"{SHAPE} {READ_HEADERS}")
    if frame.columns.nlevels > 1 or frame.columns.name == AREA_NAME:
        _check_labels(frame.columns.drop(DATE) if frame.columns.nlevels == 1 and DATE in frame else frame.columns)
        return Layout(data, _on_dates(frame), "wide")
    if not frame.columns.is_unique:
        raise ValueError(f"{SHAPE} Its columns are {listed(frame.columns)}, of which some have the same name.")
    if unneeded := {_ROW_NUMBERS, *(COMPARED if is_index(data) else ())} & {*frame.columns}:
        frame = frame.drop(columns=[*unneeded])
    frame, levels = _without_levels(frame)
    suburb = GROUP if is_index(data) and GROUP in frame.columns else label_of(frame) or AREA_NAME
    plain = _on_dates(frame)
    plain = plain if suburb == AREA_NAME else plain.rename(columns={suburb: AREA_NAME})
    plain.attrs = data.attrs
    kind: Literal["long", "tidy"] = "tidy" if {PROPERTY_TYPE, RENT} <= {*plain.columns} else "long"
    rents = [PROPERTY_TYPE, RENT] if kind == "tidy" else _kinds_in(plain)
    beside = [label for label in plain.columns if label not in {AREA_NAME, *rents}]
    labels = [AREA_NAME if label == suburb else label for label in levels]
    return Layout(data, plain, kind, labels, suburb, beside)


def _without_levels(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Hashable]]:
    """Return a panel with dates as its index and its other levels as columns, and the labels of all its levels.

    A level of texts holds the suburbs, whatever it is called, if it is the only other one. Other frames have no levels.
    """
    index = frame.index
    dates = [at for at in range(index.nlevels) if _holds_dates(index.get_level_values(at))]
    if index.nlevels == 1 or len(dates) != 1:
        return frame, []
    labels: list[Hashable] = list(index.names)
    labels[dates[0]] = DATE
    others = [at for at in range(index.nlevels) if at != dates[0]]
    texts = [at for at in others if infer_dtype(index.get_level_values(at)) in {"string", "categorical"}]
    if len(others) == len(texts) == 1 and label_of(frame.reset_index(drop=True)) is None:
        labels[texts[0]] = AREA_NAME
    result = frame.set_axis(index.get_level_values(dates[0]).rename(DATE))
    for at, label in enumerate(labels):
        if label != DATE:
            result.insert(0, label, index.get_level_values(at))
    return result, labels


def _holds_dates(level: pd.Index[Any]) -> bool:
    """Return True if a level of an index holds dates, or is called ``date``."""
    return level.name == DATE or infer_dtype(level, skipna=True) in {"date", "datetime", "datetime64"}


def _kinds_in(plain: pd.DataFrame) -> list[str]:
    """Return the columns of rents of a long frame, or raise ValueError if it has none."""
    columns = list(plain.columns)
    kinds = kinds_of(columns)
    if not kinds:
        may_be_suburbs = columns and all(map(is_numeric_dtype, plain.dtypes))
        how = " If they are suburbs, pass frame.rename_axis(columns='area_name')" if may_be_suburbs else ""
        if kinds_of(str(label).lower() for label in columns):
            how = " Pass frame.rename(columns=str.lower)"
        raise ValueError(f"{SHAPE} Its columns are {listed(columns) or 'none'}.{how}")
    return kinds


def _varying(layout: Layout) -> list[Hashable]:
    """Return the columns beside the rents that have several values in the rows of a suburb."""
    plain, beside = layout.plain, layout.beside
    suburb = pd.factorize(plain[AREA_NAME])[0] if AREA_NAME in plain.columns else np.zeros(len(plain), dtype="int64")
    pairs = {label: pd.DataFrame({0: suburb, 1: pd.factorize(plain[label])[0]}).drop_duplicates() for label in beside}
    return [label for label, found in pairs.items() if found[0].duplicated().any()]


def _check_dates(plain: pd.DataFrame) -> pd.DatetimeIndex:
    """Return the index of a frame, or raise ValueError if it does not hold dates."""
    index = plain.index
    if not isinstance(index, pd.DatetimeIndex):
        raise ValueError(f"{SHAPE} Its index is {type(index).__name__}, not DatetimeIndex. {how_to_date(plain)}")  # noqa: TRY004 - the argument is a frame
    return index


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


def _of_long(plain: pd.DataFrame, places: tuple[Whole, Whole, Whole]) -> dict[str, Points]:
    """Return the values of a long frame, whose rows have these suburbs, days and numbers."""
    suburb, day, row = places
    return {kind: Points(suburb, day, numbers(plain, kind), row) for kind in kinds_of(plain.columns)}


def _of_tidy(plain: pd.DataFrame, places: tuple[Whole, Whole, Whole]) -> dict[str, Points]:
    """Return the values of a tidy frame, whose rows have these suburbs, days and numbers."""
    types, values = pd.Index(plain[PROPERTY_TYPE]).astype("object"), numbers(plain, RENT)
    unknown = types[~types.isin(PROPERTY_TYPES)].unique()
    if len(unknown):
        raise ValueError(f"property_type must be 'house' or 'unit', not {listed(unknown)}.")
    suburb, day, row = places
    rents = Points(suburb, day, values, row)
    return {kind: rents.where(np.asarray(types == kind) & ~np.isnan(values)) for kind in PROPERTY_TYPES}


def _of_wide(plain: pd.DataFrame, days: Whole) -> tuple[pd.Categorical, dict[str, Points]]:
    """Return the suburbs that have values in a wide frame, in the order of its columns, and the values."""
    kind_of, name_of = labels_in(plain.columns)
    names = name_of.unique().astype("str").rename(None)
    kinds = kind_of.unique() if len(kind_of) else PROPERTY_TYPES if plain.columns.nlevels > 1 else [RENT]
    table, values = plain.to_numpy("float64", na_value=np.nan), {}
    for kind in kinds_of(kinds):
        own = np.flatnonzero(kind_of == kind)
        column = table[:, own].T.ravel()
        row = np.flatnonzero(~np.isnan(column))
        at, date = np.divmod(row, max(len(plain), 1))
        values[kind] = Points(name_of.unique().get_indexer(name_of[own])[at], days[date], column[row], row)
    used, number = np.unique(np.concatenate([each.suburb for each in values.values()]), return_inverse=True)
    edges = np.cumsum([len(each.suburb) for each in values.values()])[:-1]
    numbered = zip(values.items(), np.split(number, edges), strict=True)
    renumbered = {kind: Points(own, each.day, each.value, each.row) for (kind, each), own in numbered}
    return pd.Categorical.from_codes(used, categories=names), renumbered


def _check_labels(columns: pd.Index[Any]) -> None:
    """Raise ValueError if the columns of a wide frame are not those of the layout, or if two are of the same series."""
    kind_of, name_of = labels_in(columns)
    if columns.nlevels > 1 and set(columns.names) != _LEVELS:
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
    """Raise ValueError if a column of a wide frame does not hold numbers, with the line that converts every column.

    `code` is the expression of the frame with dates as its index.
    """
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


def _texts(texts: Sequence[str], position: Whole) -> ExtensionArray:
    """Return the text at each position."""
    return pd.Series(texts, dtype="str").array.take(position)


def _placed(row: Whole, values: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Return values at their places among `size` ones, which are missing elsewhere."""
    result = known_at(values, np.full(size, -1))
    result[row] = values
    return result
