"""Reads columns of numbers, and writes the code that messages print for the numbers, dates and columns of a frame as
agencies publish it.

A value that is not plainly a number or a date becomes missing, because a guess would be silent: ``450-500`` and
``(450)`` hold no number that is certain. Which columns are refused is left to the modules that read frames.
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

_MONTHS: Final = ("%Y-%m", "%b %Y", "%B %Y", "%b-%Y", "%B-%Y", "%b-%y", "%m/%Y", "%Y%m")
_DAYS: Final = (
    *("%Y%m%d", "%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y", "%d.%m.%Y", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S"),
    *("%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "ISO8601", "%m/%d/%Y"),
)
_TO_LAST_DAY: Final = {
    **dict.fromkeys(_MONTHS, " + pd.offsets.MonthEnd(0)"),
    "%Y": " + pd.offsets.YearEnd(0)",
    **dict.fromkeys(_DAYS, ""),
}
"""The formats of dates, with the code that goes from the first day of a month or a year to its last.

Of those that read the most values, the first is used. ISO 8601 would date a month by its first day.
"""

_YEARS: Final = (1950, 2100)  # outside them is no history of rents, but a rent such as 1200 that is read as a year


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


def how_to_convert_dates(values: pd.Series[Any] | pd.Index[Any], code: str) -> str:
    """Return the sentence with the line that converts values to dates, for their own expression.

    Months and years are dated by their last day, when their values were first known.
    """
    written_as, unread = _format_of(values)
    if written_as is None:
        # pandas 2 computes with leftovers in memory for a missing float, hence the whole numbers
        numbers = f"(pd.to_numeric({code}, errors='coerce') // 1).astype('Int64')"
        return (
            "Write them as dates. If they are days as Excel counts them, convert them: "
            f"{code} = pd.to_datetime({numbers}, unit='D', origin='1899-12-30', errors='coerce')"
        )
    to_last_day = _TO_LAST_DAY[written_as]
    lost = f", and {joined(map(sal.shown, unread), most=_SHOWN)} to NaT" if unread else ""
    texts = f"{code}.astype(str).str.strip().str.removesuffix('.0')"
    line = f"pd.to_datetime({texts}, format={written_as!r}, errors='coerce'){to_last_day}"
    return f"Convert each{' to its last day' if to_last_day else ''}{lost}: {code} = {line}"


def how_to_name_dates(frame: pd.DataFrame) -> str:
    """Return the sentence that says how to name the column of dates, or how to date periods."""
    if isinstance(frame.index, pd.PeriodIndex):
        return "Date each period by its last day: frame.set_axis(frame.index.to_timestamp(how='end').normalize())"
    return (
        f"Make the dates its index, or a column called date; of the columns {listed(frame.columns)}, rename that of "
        "dates: frame.rename(columns={'...': 'date'})"
    )


def _format_of(values: pd.Series[Any] | pd.Index[Any]) -> tuple[str | None, list[str]]:
    """Return the first of the formats that read the most values, None if none reads any; and the text of the others.

    Whole numbers beside a missing one lose their ``.0``. A format does not read years outside any history of rents.
    """
    texts = pd.Series(values).dropna().astype(str).str.strip().str.removesuffix(".0").drop_duplicates()
    unread = {}
    for written_as in _TO_LAST_DAY:
        dates = pd.to_datetime(texts, format=written_as, errors="coerce", utc=True)
        unread[written_as] = texts[~dates.dt.year.between(*_YEARS)].tolist()
    best = min(unread, key=lambda one: len(unread[one]))
    return (best if len(unread[best]) < len(texts) else None), unread[best]
