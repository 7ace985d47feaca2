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
from pandas.api.types import infer_dtype

from suburb_pandas.frames.schema import AREA_NAME, DATE, PROPERTY_TYPES, RENT
from suburb_pandas.messages import joined
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
_ZONE: Final = r"\d:.*(?:Z|[+-]\d\d:?\d\d)\s*$"
SYDNEY: Final = "Australia/Sydney"
"""The time zone of the calendar days. A time with a zone counts as its day there."""


def row_label(row: object) -> str:
    """Return the label of a row for a message: a date without its time."""
    return str(row.date()) if isinstance(row, pd.Timestamp) else repr(row)


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
        how = how_to_convert_numbers(column, code or f"frame[{label!r}]")
        raise ValueError(f"{label!r} is not one column of numbers: it holds {not_numbers(column)}. {how}")
    return column.to_numpy("float64", na_value=np.nan)


def is_numbers(column: pd.Series[Any]) -> bool:
    """Return True if a column holds numbers or missing values only."""
    return infer_dtype(column, skipna=True) in _NUMBERS


def not_numbers(column: pd.Series[Any]) -> str:
    """Return the first values from which no number can be read, with their rows; if there are none, the first texts."""
    given = column.dropna()
    unread = given[pd.to_numeric(given.astype(str), errors="coerce").isna().to_numpy()]
    shown = (unread if len(unread) else given[[isinstance(value, str) for value in given]]).drop_duplicates()
    pairs = zip(shown.tolist(), shown.index, strict=True)
    return joined((f"{sal.shown(value)} (row {row_label(row)})" for value, row in pairs), most=_SHOWN)


def not_dates(values: pd.Series[Any] | pd.Index[Any]) -> str:
    """Return the first values that are not dates."""
    others = [value for value in values.dropna().unique().tolist() if not isinstance(value, date)]
    return joined(map(sal.shown, others), most=_SHOWN)


def to_numbers(code: str) -> str:
    """Return the expression that converts a column to numbers, for the expression of the column."""
    return f"pd.to_numeric({code}.astype(str).replace(r'{_AROUND_NUMBERS}', '', regex=True), errors='coerce')"


def how_to_convert_numbers(column: pd.Series[Any], code: str) -> str:
    """Return the sentence with the line that converts a column, for the expression of the column."""
    if not any(isinstance(value, str) for value in column.dropna().unique()):
        return "Put numbers in their place."
    return f"Convert it; what is not plainly a number becomes NaN: {code} = {to_numbers(code)}"


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
    utc = ", utc=True" if values.astype(str).str.contains(_ZONE).any() else ""
    options = f"format={written_as!r}, errors='coerce'{utc}"
    line = f"pd.to_datetime({code}.astype(str).str.strip().str.removesuffix('.0'), {options}){to_last_day}"
    if utc:
        line = f"pd.DatetimeIndex({line}).tz_convert({SYDNEY!r})"
    lost = f", and {joined(map(sal.shown, unread), most=_SHOWN)} to NaT" if unread else ""
    return f"Convert each{' to its last day' if to_last_day else ''}{lost}: {code} = {line}"


def how_to_date(frame: pd.DataFrame) -> str:
    """Return the sentence that says how to make the dates of a frame its index."""
    if are_dates(frame.index):
        return how_to_convert_dates(frame.index, "frame.index")
    others = [label for label in frame.columns if label not in {AREA_NAME, RENT, *PROPERTY_TYPES}]
    dated = [label for label in others if label == DATE or are_dates(frame[label])]
    return f"Pass frame.set_index({dated[0]!r})" if dated else "Make the dates its index, or a column called date."


def are_dates(values: pd.Series[Any] | pd.Index[Any]) -> bool:
    """Return True if one format reads every value that is not missing."""
    written_as, unread = _format_of(values)
    return written_as is not None and not unread


def _format_of(values: pd.Series[Any] | pd.Index[Any]) -> tuple[str | None, list[str]]:
    """Return the first of the formats that read the most values, None if none reads any; and the text of the others.

    Whole numbers beside a missing one lose their ``.0``. A format does not read years outside any history of rents.
    """
    given = pd.Series(values.dropna().unique().tolist(), dtype="object")
    texts = given.astype(str).str.strip().str.removesuffix(".0")
    unread = {}
    for written_as in _TO_LAST_DAY:
        dates = pd.to_datetime(texts, format=written_as, errors="coerce", utc=True)
        unread[written_as] = texts[~dates.dt.year.between(*_YEARS)].tolist()
    best = min(unread, key=lambda one: len(unread[one]))
    return (best if len(unread[best]) < len(texts) else None), unread[best]
