"""Recognises the layout in which rents come, and puts results into it again.

The layouts are:

- long: a row for each suburb and date, columns ``area_name``, ``house`` and ``unit``. A single suburb's frame is the
  same without ``area_name``. A property type that the frame does not name is in the column ``rent``.
- panel: long, with suburb and date as the levels of the index, in either order.
- tidy: a row for each value, columns ``date``, ``area_name``, ``property_type`` and ``rent``.
- wide: a row for each date, columns of the levels ``property_type`` and ``area_name``, or of ``area_name`` alone.
- a Series with dates as its index, or with suburbs and dates: one property type of a long frame or of a panel.

The column of suburbs may have any name that the accessor finds, and may be the index. A rent index is long: its groups
are in the place of suburbs. Files change frames: the index becomes a column, dates and names become text. These frames
are read, too. Reading the values is left to `rents`, making a tidy or a wide frame to `reshaping`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.frames.column import is_suburb_label, label_of
from suburb_pandas.frames.conversions import how_to_name_dates, is_numbers, not_numbers, to_numbers
from suburb_pandas.frames.dates import DATES, Whole, parse_dates, parse_whole_dates
from suburb_pandas.frames.marks import FrameOrSeries
from suburb_pandas.frames.points import known_at
from suburb_pandas.frames.reshaping import as_text, tidy, wide
from suburb_pandas.frames.schema import (
    AREA_NAME,
    COMPARED,
    DATE,
    GROUP,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    RENT_COLUMNS,
    is_index,
    rent_columns_of,
)
from suburb_pandas.messages import listed

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

    ``shape`` is that of ``plain``: a Series and a panel are long. ``levels`` are the labels in ``plain`` of the index
    levels that became columns, ``date_column`` is the position of the column of dates if there was one, ``suburb`` is
    the label that the column of suburbs had, and ``beside`` are other columns.
    """

    given: FrameOrSeries = field(repr=False)
    plain: pd.DataFrame = field(repr=False)
    shape: Literal["long", "tidy", "wide"]
    levels: Sequence[str] = ()
    date_column: int | None = None
    suburb: Hashable = AREA_NAME
    beside: Sequence[Hashable] = ()

    def check_detail(self) -> None:
        """Raise ValueError unless this layout has room for the columns of ``detail=True``: is long or a panel."""
        if self.shape != "long" or isinstance(self.given, pd.Series):
            raise ValueError(
                "detail=True adds columns, so it needs the long layout, which a loader returns unless layout= names "
                "another. Load these rents so, which is free where their responses are stored."
            )

    def check_beside(self) -> None:
        """Raise ValueError if a column or a level beside the rents has several values in the rows of a suburb."""
        beside = self.plain[[*self.beside]]
        lists = [label for label in beside if infer_dtype(beside[label]) == "mixed"]  # which have no hash
        suburbs = self.plain[AREA_NAME] if AREA_NAME in self.plain.columns else np.zeros(len(beside))
        counts = beside.astype(dict.fromkeys(lists, "str")).groupby(suburbs, observed=True).nunique(dropna=False)
        varying = [label for label in beside if (counts[label] > 1).any()]
        if varying:
            raise ValueError(
                f"Leave out {listed(varying)}: only columns and levels that are the same in all rows of a suburb can "
                "stand beside the rents."
            )

    def restore(self, result: pd.DataFrame) -> Any:
        """Return a long result, with dates as its index and suburbs in ``area_name``, in this layout."""
        if self.shape == "wide":
            return wide(result, self.plain.columns)
        made = tidy(result).set_index(DATE) if self.shape == "tidy" else result
        for label in self.beside:
            made[label] = self._of_suburbs(label, made)
        return self._as_given(made)

    def with_values(self, columns: Mapping[str, tuple[Whole, npt.NDArray[Any]]]) -> Any:
        """Return the rents with other values, and perhaps more columns, each with its places as in `Points`.

        A tidy row without a value is left out, and the others are numbered anew.
        """
        plain = self.plain
        if self.shape == "long":
            new = {label: _placed(place, values, len(plain)) for label, (place, values) in columns.items()}
            result = self._as_given(plain.assign(**new))
            return result if self.date_column is None else result.set_axis(self.given.index)
        place, rent = (np.concatenate(parts) for parts in zip(*columns.values(), strict=True))
        if self.shape == "wide":
            table = _placed(place, rent, plain.size).reshape(plain.shape[::-1]).T
            return pd.DataFrame(table, plain.index, plain.columns)
        return self._as_given(as_text(plain.assign(rent=_placed(place, rent, len(plain))).dropna(subset=[RENT])))

    def _of_suburbs(self, label: Hashable, result: pd.DataFrame) -> Any:
        """Return the value of a column beside the rents for each row of a result."""
        first, suburb = self.plain, np.zeros(len(result), dtype="int64")
        if AREA_NAME in first.columns:
            first = first.drop_duplicates(AREA_NAME)
            suburb = pd.Index(first[AREA_NAME]).get_indexer(pd.Index(result[AREA_NAME]))
        return first[label].array.take(suburb)

    def _as_given(self, result: pd.DataFrame) -> Any:
        """Return a long or tidy result with its dates and suburbs in columns or levels, and with labels, as given."""
        if self.levels:
            result = result.rename_axis(DATE).reset_index().set_index([*self.levels])
            result.index.names = self.given.index.names
        elif self.date_column is not None:
            dates, result = result.index, result.reset_index(drop=True)
            result.insert(min(self.date_column, len(result.columns)), DATE, dates)
        if isinstance(self.given, pd.Series):
            series = result.iloc[:, 0]
            series.name = self.given.name
            return series
        return result.rename(columns={AREA_NAME: self.suburb})


def layout_of(data: FrameOrSeries) -> Layout:
    """Recognise the layout of rents by their columns and index.

    Raises
    ------
    TypeError, ValueError
        It is neither a frame nor a Series, or has no layout of rents.
    """
    if isinstance(data, pd.Series):
        frame = data.to_frame(data.name if data.name in {*RENT_COLUMNS} else RENT)
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
    names = [AREA_NAME if is_suburb_label(str(name)) else name for name in columns.names]
    return [PROPERTY_TYPE if name is None and AREA_NAME in names else str(name) for name in names]


def _layout_of_rows(data: FrameOrSeries, frame: pd.DataFrame) -> Layout:
    """Recognise a layout that has a column for the suburbs, or levels of the index for suburbs and dates."""
    frame = frame.drop(columns=["Unnamed: 0", *(COMPARED if is_index(data) else ())], errors="ignore")
    frame, levels = _without_levels(frame)
    suburb = GROUP if is_index(data) and GROUP in frame.columns else label_of(frame) or AREA_NAME
    is_tidy = {PROPERTY_TYPE, RENT} <= {*frame.columns}
    rents = [PROPERTY_TYPE, RENT] if is_tidy else rent_columns_of(frame.columns)
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
        return frame.set_axis(parse_dates(index), axis=0)
    if label in frame.columns:
        dates = pd.Index(frame[label], dtype=frame[label].dtype)  # given, because pandas 2 warns if it infers one
        return frame.drop(columns=[label]).set_axis(parse_whole_dates(dates, f"frame[{DATE!r}]"))
    if infer_dtype(index, skipna=True) not in {*DATES, "string", "empty"}:
        raise ValueError(f"{SHAPE} Its index is {type(index).__name__}, not DatetimeIndex. {how_to_name_dates(frame)}")
    return frame.set_axis(parse_whole_dates(index, "frame.index"), axis=0)


def has_unread_header(frame: pd.DataFrame) -> bool:
    """Return True if a frame looks like a wide one whose second header row, or index, was read as data."""
    labels = [*frame.columns[:2]] if frame.index.name is None else [frame.index.name, *frame.columns[:1]]
    is_flat = labels[:1] == [PROPERTY_TYPE] and labels[-1] in PROPERTY_TYPES
    is_repeated = any(f"{kind}.1" in frame.columns for kind in PROPERTY_TYPES)  # as pandas calls a second such column
    return is_flat or is_repeated or labels[:1] == [(PROPERTY_TYPE, AREA_NAME)]


def _placed(place: Whole, values: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Return values at their places among `size` ones, which are missing elsewhere."""
    result = known_at(values, np.full(size, -1))
    result[place] = values
    return result
