"""Reads one number for each suburb with its flags, for ranked charts and maps.

Finding the column of suburbs is left to frames.column, the rules for flags to flags.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.errors import NoSuburbColumn
from suburb_pandas.frames.column import labels_of, suburbs_of
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.frames.suburbs import repeated, select_suburbs
from suburb_pandas.messages import listed
from suburb_pandas.plotting.flags import flags_of
from suburb_pandas.plotting.words import Column, column_of, is_yield
from suburb_pandas.timeseries.points import numbers

_DEFAULTS: Final = ("house_rent", "median_price")  # of a scorecard and of a summary


@dataclass(frozen=True, slots=True)
class SuburbValues:
    """One number for each suburb.

    ``table`` has a row for each suburb: its ``value`` in the unit of ``column``, and its flags as `flags_of` returns
    them. ``frame`` has the same rows with all columns and marks.
    """

    table: pd.DataFrame
    label: Hashable
    column: Column
    frame: pd.DataFrame


def read(values: object, label: Hashable | None) -> SuburbValues:
    """Read a column of a frame, or a Series. Without a label, the only column of numbers or a usual one is read.

    Raises
    ------
    TypeError, ValueError
        This is not a frame or a Series of pandas with one number for each suburb.
    NoSuburbColumn
        No column or index level holds the suburbs, or several can.

    Warns
    -----
    SkippedRowsWarning
        Some rows have no name.
    """
    code = "values" if isinstance(values, pd.Series) else None
    if isinstance(values, pd.Series):
        values = values.to_frame(values.name or "value")
    if not isinstance(values, pd.DataFrame):
        raise TypeError(f"Pass a frame or a Series of pandas by area_name, not {type(values).__name__}.")
    label = _label(values, label)
    names = pd.Series([*_names(values)], dtype="object")
    select_suburbs(names)  # warns of rows without a name, and refuses what cannot be one
    frame, names = values[names.notna().to_numpy()], names.dropna()
    if twice := repeated(names):
        raise ValueError(
            f"The frame has several rows for {listed(twice)}, but a chart shows one value for each suburb. Keep one "
            "row for each, for example that of the last date."
        )
    figures = numbers(frame, label, code)  # type: ignore[arg-type]  # any label of a column
    column = column_of(frame, label)
    value = np.where(np.isfinite(figures), column.factor * figures, np.nan)
    table = flags_of(frame, label).assign(value=value).set_axis(names)
    return SuburbValues(table, label, column, frame)


def _label(frame: pd.DataFrame, label: Hashable | None) -> Hashable:
    """Return the label of the column to read, or raise if the frame does not have it or has several to choose from."""
    known = [each for each in frame.select_dtypes("number") if each != AREA_NAME]
    usual = known if len(known) == 1 else [each for each in _DEFAULTS if each in known]
    if label is None and usual:
        return usual[0]
    if label in frame.columns:
        return label
    how = "A scorecard has yields only if it is made with your own prices: sp.scorecard(suburbs, prices=prices)"
    if "yield" not in str(label).casefold() or any(map(is_yield, known)):
        how = f"Its columns of numbers are {listed(known) or 'none'}."
    raise ValueError(f"Name a column of the frame, not {label!r}. {how}")


def _names(frame: pd.DataFrame) -> pd.Series | pd.Index:
    """Return the suburbs of the rows. They are in an index of text without a name if nothing else can hold them."""
    if labels_of(frame):
        return suburbs_of(frame, None)
    if frame.index.names == [None] and infer_dtype(frame.index) == "string":
        return frame.index
    raise NoSuburbColumn(
        "No column or index level of the frame is called area_name or suburb. Name the one that holds the suburbs: "
        "frame.rename(columns={'...': 'suburb'})"
    )
