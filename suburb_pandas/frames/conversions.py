"""Writes the code that messages print for a frame as agencies publish it: for its numbers, its dates and its columns.

A value that is not plainly a number or a date becomes missing, because a guess would be silent: ``450-500`` and
``(450)`` hold no number that is certain. Which columns are refused is left to the modules that read frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

import pandas as pd
from pandas.api.types import is_bool, is_float_dtype, is_number, is_numeric_dtype

from suburb_pandas.frames.schema import AREA_NAME, DATE, PROPERTY_TYPES, RENT
from suburb_pandas.messages import joined
from suburb_pandas.names import sal

Way = Mapping[str, Any]
"""Options of ``pd.to_datetime``; of ``pd.to_timedelta`` for serials."""

_SHOWN: Final = 3
_AROUND_NUMBERS: Final = r"^[\s$]+|,(?=\d{3}\b)|\s+$"
"""Spaces of any kind, a dollar sign, and commas between thousands."""

_SERIAL: Final[Way] = {"unit": "D"}
_SERIAL_ZERO: Final = "1899-12-30"
_SERIALS: Final = (10_000, 99_999)  # 1927 to 2173, so that neither a year nor a month such as 202403 is a serial
_MONTHS: Final = ("%Y-%m", "%b %Y", "%B %Y", "%b-%Y", "%B-%Y", "%b-%y", "%m/%Y", "%Y%m")
_DAYS: Final = (
    *("%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y", "%d.%m.%Y", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S"),
    *("%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "ISO8601"),
)
_FORMATS: Final = (*_MONTHS, "%Y", "%Y%m%d", *_DAYS, "%m/%d/%Y")
"""Of those that read the most values, the first is used. ISO 8601 would date a month by its first day."""

_YEARS: Final = (1900, 2100)
_ZONE: Final = r"\d(?:Z|[+-]\d\d:?\d\d)$"
SYDNEY: Final = "Australia/Sydney"
"""The time zone of the calendar days. A time with a zone counts as its day there."""


def row_label(row: object) -> str:
    """Return the label of a row for a message: a date without its time."""
    return str(row.date()) if isinstance(row, pd.Timestamp) else repr(row)


def not_numbers(column: pd.Series[Any]) -> str:
    """Return the first values from which no number can be read, with their rows; if there are none, the first texts."""
    given = column.dropna()
    others = given[[not is_number(value) or is_bool(value) for value in given]]
    unread = others[pd.to_numeric(others.astype(str), errors="coerce").isna().to_numpy()]
    shown = (unread if len(unread) else others).drop_duplicates()
    pairs = zip(shown.tolist(), shown.index, strict=True)
    return joined((f"{sal.shown(value)} (row {row_label(row)})" for value, row in pairs), most=_SHOWN)


def not_dates(values: pd.Series[Any] | pd.Index[Any]) -> str:
    """Return the first values that are not dates."""
    others = [value for value in values.dropna().unique().tolist() if not isinstance(value, date)]
    return joined(map(sal.shown, others), most=_SHOWN)


def holds_numbers(column: pd.Series[Any]) -> bool:
    """Return True if the line of `to_numbers` reads a number from a column."""
    texts = column.astype(str).replace(_AROUND_NUMBERS, "", regex=True)
    return bool(pd.to_numeric(texts, errors="coerce").notna().any())


def to_numbers(code: str) -> str:
    """Return the expression that converts a column to numbers, for the expression of the column."""
    return f"pd.to_numeric({code}.astype(str).replace(r'{_AROUND_NUMBERS}', '', regex=True), errors='coerce')"


def how_to_convert_numbers(column: pd.Series[Any], code: str) -> str:
    """Return the sentence with the line that converts a column, for the expression of the column."""
    if not any(isinstance(value, str) for value in column.dropna().unique()):
        return "Put numbers in their place."
    return f"Convert it; what is not plainly a number becomes NaN: {code} = {to_numbers(code)}"


def how_to_convert_dates(values: pd.Series[Any] | pd.Index[Any], code: str) -> str:
    """Return the sentence with the line that converts values to dates, for their own expression."""
    expression = to_dates(values, code)
    if expression is None:
        return "Write them as dates."
    days = " to its last day" if "offsets" in expression else ""
    return f"Convert each{days}; what is not plainly a date becomes NaT: {code} = {expression}"


def how_to_date(frame: pd.DataFrame) -> str:
    """Return the sentence that says how to make the dates of a frame its index."""
    if are_dates(frame.index):
        return how_to_convert_dates(frame.index, "frame.index")
    others = [label for label in frame.columns if label not in {AREA_NAME, RENT, *PROPERTY_TYPES}]
    dated = [label for label in others if label == DATE or are_dates(frame[label])]
    return f"Pass frame.set_index({dated[0]!r})" if dated else "Make the dates its index, or a column called date."


def are_dates(values: pd.Series[Any] | pd.Index[Any]) -> bool:
    """Return True if one way of writing dates reads every value that is not missing."""
    given, _ = _as_written(values, "")
    way = _best(given, [_SERIAL, *_ways(given).values()])
    return way is not None and bool(_read(given, way).notna().all())


def to_dates(values: pd.Series[Any] | pd.Index[Any], code: str) -> str | None:
    """Return the expression that converts values to dates, for their own expression; None if no way reads any of them.

    Two ways of writing days are read together, because Excel's columns mix dates with text. Months and years are dated
    by their last day, when their values were first known.
    """
    given, as_text = _as_written(values, code)
    ways = _ways(given)
    way = _best(given, [_SERIAL, *ways.values()])
    if way is None:
        return None
    if way is _SERIAL:
        numbers = code if is_numeric_dtype(values) else f"pd.to_numeric({as_text}, errors='coerce')"
        return _expression(numbers, way)
    is_pair = way["format"] in _DAYS and "utc" not in way
    second = _best(given[_read(given, way).isna()], [ways[one] for one in _DAYS] if is_pair else [])
    if second is None:
        return _expression(as_text, way)
    as_text = f"{as_text}.to_series()" if code.endswith(".index") else as_text
    return f"{_expression(as_text, way)}.fillna({_expression(as_text, second)})"


def _as_written(values: pd.Series[Any] | pd.Index[Any], code: str) -> tuple[pd.Series[Any], str]:
    """Return the different values as text without spaces around it, and the expression for that."""
    given = pd.Series(values.dropna().unique().tolist())
    if is_float_dtype(given) and (given % 1 == 0).all():  # whole numbers beside a missing one
        return given.astype("Int64").astype(str), f"{code}.astype('Int64').astype(str)"
    as_text = code if all(isinstance(value, str) for value in given) else f"{code}.astype(str)"
    written = given.astype(str)
    texts = written.str.strip()
    return texts, as_text if texts.equals(written) else f"{as_text}.str.strip()"


def _ways(given: pd.Series[Any]) -> dict[str, Way]:
    """Return the ways to read dates as written; if any has a zone, all are read in UTC."""
    has_zone = bool(given.str.contains(_ZONE).any())
    return {one: {"format": one, **({"utc": True} if has_zone else {})} for one in _FORMATS}


def _best(values: pd.Series[Any], ways: Iterable[Way]) -> Way | None:
    """Return the first of the ways that read the most values; None if none reads any."""
    counts = [(int(_read(values, way).notna().sum()), way) for way in ways]
    most, way = max(counts, key=lambda pair: pair[0], default=(0, None))
    return way if most else None


def _read(values: pd.Series[Any], way: Way) -> pd.Series[Any]:
    """Return the dates that a way reads from values, NaT for dates that are outside any history of rents.

    Serials are read as whole numbers: before pandas 3, `pd.to_datetime` fails at random for floats that lack a value.
    """
    if way is _SERIAL:
        numbers = pd.to_numeric(values, errors="coerce").astype("float64")
        days = numbers.where(numbers.between(*_SERIALS)) // 1
        return pd.Timestamp(_SERIAL_ZERO) + pd.to_timedelta(days.astype("Int64"), **way)
    dates = pd.to_datetime(values, errors="coerce", **way)
    return dates.where(dates.dt.year.between(*_YEARS))


def _expression(code: str, way: Way) -> str:
    """Return the expression that reads dates in one way; a time with a zone as the time in Sydney, for its day."""
    if way is _SERIAL:
        return f"pd.Timestamp({_SERIAL_ZERO!r}) + pd.to_timedelta(({code} // 1).astype('Int64'), {_arguments(way)})"
    known_at = {**dict.fromkeys(_MONTHS, " + pd.offsets.MonthEnd(0)"), "%Y": " + pd.offsets.YearEnd(0)"}
    of_index = ".index" in code.partition("[")[0]  # what stands in brackets is a label, which can be any text
    in_sydney = f"{'' if of_index else '.dt'}.tz_convert({SYDNEY!r})" if "utc" in way else ""
    return f"pd.to_datetime({code}, {_arguments(way)}, errors='coerce'){in_sydney}{known_at.get(way['format'], '')}"


def _arguments(way: Way) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in way.items())
