"""Reads columns of numbers, and writes the code that messages print for the numbers, dates and columns of a frame as
agencies publish it.

A value that is not plainly a number becomes missing, because a guess would be silent: ``450-500`` and ``(450)`` hold
no number that is certain. Which columns are refused is left to the modules that read frames.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import infer_dtype, is_number

from suburb_pandas.messages import joined, listed
from suburb_pandas.names import sal

_SHOWN: Final = 3
_NUMBERS: Final = {"floating", "integer", "mixed-integer-float", "integer-na", "decimal", "empty"}
_AROUND_NUMBERS: Final = r"^[\s$]+|,(?=\d{3}\b)|\s+$"
"""Spaces of any kind, a dollar sign, and commas between thousands."""


def numbers(frame: pd.DataFrame, label: str, code: str | None = None) -> npt.NDArray[np.float64]:
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
        code = code or f"frame[{label!r}]"
        raise ValueError(
            f"{label!r} is not one column of numbers: it holds {not_numbers(column)}. Convert it; what is not plainly "
            f"a number becomes NaN: {code} = {to_numbers(code)}"
        )
    return column.to_numpy("float64", na_value=np.nan)


def is_numbers(column: pd.Series[Any]) -> bool:
    """Return True if a column holds numbers or missing values only."""
    values = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
    return infer_dtype(values, skipna=True) in _NUMBERS


def not_numbers(column: pd.Series[Any]) -> str:
    """Return the first values that are not numbers, with their rows."""
    given = column.dropna()
    others = given[
        [not is_number(value) or isinstance(value, bool | complex | np.complexfloating) for value in given]
    ].drop_duplicates()
    return joined((f"{sal.shown(value)} (row {row_label(row)})" for row, value in others.items()), most=_SHOWN)


def row_label(row: object) -> str:
    """Return the label of a row for a message: a date without its time."""
    return str(row.date()) if isinstance(row, pd.Timestamp) else repr(row)


def not_dates(values: pd.Series[Any] | pd.Index[Any]) -> str:
    """Return the first values that are not dates."""
    others = [value for value in values.dropna().unique().tolist() if not isinstance(value, date)]
    return joined(map(sal.shown, others), most=_SHOWN)


def to_numbers(code: str) -> str:
    """Return the expression that converts a column to numbers, for the expression of the column."""
    return f"pd.to_numeric({code}.astype(str).replace(r'{_AROUND_NUMBERS}', '', regex=True), errors='coerce')"


def how_to_convert_dates(code: str) -> str:
    """Return the sentence with a line that converts values to dates, for their own expression.

    Rejected: a line with the format in which they are written, because a message would have to guess it.
    """
    return (
        "Convert them by the format in which they are written, perhaps 'ISO8601'; for months, add "
        "pd.offsets.MonthEnd(0), because their values are known at their end: "
        f"{code} = pd.to_datetime({code}, format='%d/%m/%Y')"
    )


def how_to_name_dates(frame: pd.DataFrame) -> str:
    """Return the sentence that says how to name the column of dates, or how to date periods."""
    if isinstance(frame.index, pd.PeriodIndex):
        return "Date each period by its last day: frame.set_axis(frame.index.to_timestamp(how='end').normalize())"
    return (
        f"Make the dates its index, or a column called date; of the columns {listed(frame.columns)}, rename that of "
        "dates: frame.rename(columns={'...': 'date'})"
    )
