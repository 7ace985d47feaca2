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
from suburb_pandas.plotting.measures import shown_values, why_no_yield
from suburb_pandas.timeseries.dates import Flags, Values
from suburb_pandas.timeseries.points import numbers

_DEFAULTS: Final = ("house_rent", "median_price")  # of a scorecard and of a summary
_SHAPES: Final = {"scorecard", "impacts"}
_CONVERSIONS: Final = {"polars": ".to_pandas()", "pyarrow": ".to_pandas()", "dask": ".compute()"}
_VALUE: Final = "value"  # the column of a Series without a name


@dataclass(frozen=True, slots=True)
class MapValues:
    """The values of a map.

    ``names`` are distinct. ``flags`` are ``thin``, ``caution``, ``ok`` or empty for each of them, and ``is_stale`` is
    True where the value rests on a stale rent. ``frame`` is the frame that holds the values, with its marks.
    """

    names: tuple[str, ...]
    values: Values
    column: Hashable
    flags: tuple[str, ...]
    is_stale: Flags
    frame: pd.DataFrame


def read(values: object, column: Hashable | None) -> MapValues:
    """Read one value for each suburb.

    Raises
    ------
    TypeError, ValueError, NoSuburbColumn, InvalidName
        As in `plot_map`.
    """
    frame = _frame(values)
    if frame.empty:
        raise ValueError("values has no suburbs: it has no rows or no columns.")
    label = _column(frame, column)
    names = pd.Series(list(_names(frame)), dtype="object")
    select_suburbs(names)  # warns of rows without a name, and refuses what cannot be one
    known = names.notna().to_numpy()
    chosen = frame[known]
    given = tuple(str(name) for name in names[known])
    if twice := repeated(given):
        raise ValueError(
            f"values has several rows for {listed(twice)}, but a map shows one value for each suburb. Keep one row for "
            "each, for example that of the last date."
        )
    code = "values" if isinstance(values, pd.Series) else f"values[{label!r}]"
    figures = numbers(chosen, label, code)  # type: ignore[arg-type]  # any label of a column
    if np.isinf(figures).any():
        endless = [name for name, figure in zip(given, figures, strict=True) if np.isinf(figure)]
        raise ValueError(
            f"The column {label!r} has infinite values, for {listed(endless)}. Make them NaN, or drop them."
        )
    figures = shown_values(chosen, label, figures)
    flags = tuple(flag or "" for flag in sales_flags(chosen, label, "values['n_sales']")) or ("",) * len(chosen)
    return MapValues(given, figures, label, flags, rests_on_stale_rent(chosen, label), chosen)


def _frame(values: object) -> pd.DataFrame:
    """Return a frame with the values, or raise for an object that is neither a frame nor a Series of pandas."""
    if isinstance(values, pd.Series):
        return values.to_frame(_VALUE if values.name is None else values.name)
    if isinstance(values, pd.DataFrame):
        return values
    if isinstance(values, Mapping):
        raise TypeError("values must be a Series or a frame by area_name, not a mapping. Pass pd.Series(values)")
    kind, library = type(values).__name__, type(values).__module__.partition(".")[0]
    what = f"{library}'s {kind}. Convert it: values{_CONVERSIONS[library]}" if library in _CONVERSIONS else f"{kind}."
    raise TypeError(f"values must be a pandas Series or frame by area_name, not {what}")


def _names(frame: pd.DataFrame) -> pd.Series[Any] | pd.Index[Any]:
    """Return the suburbs of the rows. They are in an index of text without a name if nothing else can hold them."""
    index = frame.index
    if not labels_of(frame) and index.nlevels == 1 and index.name is None and infer_dtype(index) == "string":
        return index
    return suburbs_of(frame, None)


def _column(frame: pd.DataFrame, column: Hashable | None) -> Hashable:
    """Return the column to draw: the named one, the only one with numbers, or the default for a known shape."""
    numeric = _numeric(frame)
    if column is not None:
        if column not in frame.columns:
            call = "sp.plot_map({}, boundaries, column={!r})"
            if is_scorecard(frame) and (reason := why_no_yield(column, numeric, call)):
                raise ValueError(reason)
            drawn = listed(numeric) or "none"
            raise ValueError(f"values has no column {column!r}. Its columns of numbers are {drawn}.")
        if is_bool_dtype(frame[column]):
            raise ValueError(f"The column {column!r} holds flags. A map shows numbers: values[{column!r}].astype(int)")
        return column
    if len(numeric) == 1:
        return numeric[0]
    if not numeric:
        texts = [label for label in frame.columns if holds_numbers(frame[label])] if frame.columns.is_unique else []
        how = f" If one holds numbers as text, name it, as in column={texts[0]!r}" if texts else ""
        raise ValueError(f"values has no column of numbers. Its columns are {listed(frame.columns)}.{how}")
    of_shape = [label for label in _DEFAULTS if label in numeric and marks_of(frame).get("endpoint") in _SHAPES]
    if of_shape:
        return of_shape[0]
    raise ValueError(
        f"values has several columns of numbers: {listed(numeric)}. Name the one to draw, as in column={numeric[0]!r}"
    )


def _numeric(frame: pd.DataFrame) -> Sequence[Hashable]:
    """Return the columns that hold numbers, without flags."""
    dtypes = frame.drop(columns=AREA_NAME, errors="ignore").dtypes
    return [label for label, dtype in dtypes.items() if is_numeric_dtype(dtype) and not is_bool_dtype(dtype)]
