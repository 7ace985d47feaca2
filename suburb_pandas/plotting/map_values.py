"""Reads the values of a map: one number for each suburb, and the evidence behind it.

Finding the column of suburbs is left to frames.column, boundaries to boundaries.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_bool_dtype, is_numeric_dtype

from suburb_pandas.frames.column import labels_of, suburbs_of
from suburb_pandas.frames.conversions import holds_numbers
from suburb_pandas.frames.schema import AREA_NAME, marks_of
from suburb_pandas.frames.suburbs import repeated, select_suburbs
from suburb_pandas.messages import listed
from suburb_pandas.plotting.flags import is_scorecard, rests_on_stale_rent, sales_flags
from suburb_pandas.plotting.words import Column, column_of, why_no_yield
from suburb_pandas.timeseries.points import numbers

_DEFAULTS: Final = ("house_rent", "median_price")  # of a scorecard and of a summary
_VALUE: Final = "value"  # the column of a Series without a name


@dataclass(frozen=True, slots=True)
class MapValues:
    """The values of a map.

    ``table`` has a row for each suburb: its ``value`` in the unit of ``column``, the ``flag`` of its evidence, and
    ``is_stale``, which is True if it rests on a stale rent. ``frame`` has the same rows with all columns and marks.
    """

    table: pd.DataFrame
    label: Hashable
    column: Column
    frame: pd.DataFrame


def read(values: object, label: Hashable | None) -> MapValues:
    """Read one value for each suburb, as `plot_map` describes it."""
    frame = _frame(values)
    if frame.empty:
        raise ValueError("values has no suburbs: it has no rows or no columns.")
    label = _label(frame) if label is None else _checked(frame, label)
    names = pd.Series(list(_names(frame)), dtype="object")
    select_suburbs(names)  # warns of rows without a name, and refuses what cannot be one
    frame, names = frame[names.notna().to_numpy()], names.dropna().astype(str)
    if twice := repeated(names):
        raise ValueError(
            f"values has several rows for {listed(twice)}, but a map shows one value for each suburb. Keep one row for "
            "each, for example that of the last date."
        )
    code = "values" if isinstance(values, pd.Series) else f"values[{label!r}]"
    figures = numbers(frame, label, code)  # type: ignore[arg-type]  # any label of a column
    if np.isinf(figures).any():
        endless = listed(names[np.isinf(figures)])
        raise ValueError(f"The column {label!r} has infinite values, for {endless}. Make them NaN, or drop them.")
    column = column_of(frame, label)
    table = {
        "value": column.factor * figures,
        "flag": sales_flags(frame, label, "values['n_sales']") or "",
        "is_stale": rests_on_stale_rent(frame, label),
    }
    return MapValues(pd.DataFrame(table, pd.Index(names.to_list(), dtype="object")), label, column, frame)


def _frame(values: object) -> pd.DataFrame:
    """Return a frame with the values, or raise for an object that is neither a frame nor a Series of pandas."""
    if isinstance(values, pd.Series):
        return values.to_frame(_VALUE if values.name is None else values.name)
    if isinstance(values, pd.DataFrame):
        return values
    how = ". Convert it: values.to_pandas()" if hasattr(values, "to_pandas") else "."
    how = ". Pass pd.Series(values)" if isinstance(values, Mapping) else how
    raise TypeError(f"values must be a pandas Series or frame by area_name, not {type(values).__name__}{how}")


def _names(frame: pd.DataFrame) -> pd.Series[Any] | pd.Index[Any]:
    """Return the suburbs of the rows. They are in an index of text without a name if nothing else can hold them."""
    index = frame.index
    if not labels_of(frame) and index.nlevels == 1 and index.name is None and infer_dtype(index) == "string":
        return index
    return suburbs_of(frame, None)


def _checked(frame: pd.DataFrame, label: Hashable) -> Hashable:
    """Return the label that the user named, or raise if it is not one of a column of numbers."""
    if label not in frame.columns:
        numeric = _numeric(frame)
        call = "sp.plot_map({}, boundaries, column={!r})"
        if is_scorecard(frame) and (reason := why_no_yield(label, numeric, call)):
            raise ValueError(reason)
        raise ValueError(f"values has no column {label!r}. Its columns of numbers are {listed(numeric) or 'none'}.")
    if is_bool_dtype(frame[label]):
        raise ValueError(f"The column {label!r} holds flags. A map shows numbers: values[{label!r}].astype(int)")
    return label


def _label(frame: pd.DataFrame) -> Hashable:
    """Return the label of the only column of numbers, or of the default of a known frame."""
    numeric = _numeric(frame)
    is_known = is_scorecard(frame) or marks_of(frame).get("endpoint") == "impacts"
    found = numeric if len(numeric) == 1 else [label for label in _DEFAULTS if is_known and label in numeric]
    if found:
        return found[0]
    if numeric:
        raise ValueError(
            f"values has several columns of numbers: {listed(numeric)}. Name the one to draw, as in "
            f"column={numeric[0]!r}"
        )
    texts = [label for label in frame.columns if holds_numbers(frame[label])] if frame.columns.is_unique else []
    how = f" If one holds numbers as text, name it, as in column={texts[0]!r}" if texts else ""
    raise ValueError(f"values has no column of numbers. Its columns are {listed(frame.columns)}.{how}")


def _numeric(frame: pd.DataFrame) -> Sequence[Hashable]:
    """Return the columns that hold numbers, without flags."""
    dtypes = frame.drop(columns=AREA_NAME, errors="ignore").dtypes
    return [label for label, dtype in dtypes.items() if is_numeric_dtype(dtype) and not is_bool_dtype(dtype)]
