"""Converts dates to whole days since 1970-01-01 and back, and parses dates and lengths of time that users write.

Computing with the days of a calendar is left to timeseries.calendar. Lengths are not parsed by pandas, because its
versions disagree about ``"1Y"`` and ``"3M"``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.frames.conversions import how_to_convert_dates, not_dates
from suburb_pandas.frames.schema import DATE
from suburb_pandas.messages import listed

Whole = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Length = str | timedelta | np.timedelta64
Day = str | date | np.datetime64
Resolution = Literal["s", "ms", "us", "ns"]

_EPOCH: Final = date(1970, 1, 1).toordinal()
_ZONE: Final = re.compile(r"\d:.*(Z|[+-]\d{2}:?\d{2})$")
_ISO: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ](00:00(:00(\.0+)?)?|\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})))?"
)
_AHEAD_OF_UTC: Final = timedelta(hours=11)

SYDNEY: Final = "Australia/Sydney"
"""The time zone of the calendar days. A time with a zone counts as its day there."""

DATES: Final = {"date", "datetime", "datetime64"}
"""What pandas infers of values that are dates."""

TICKS_A_DAY: Final = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
"""The length of a day in each resolution in which pandas stores dates."""


def parse_whole_dates(values: pd.Index[Any], code: str) -> pd.DatetimeIndex:
    """Parse dates without times of day, which are date objects or ISO 8601 text.

    Raises
    ------
    ValueError
        They are anything else. The message has the line that converts the values that `code` is.
    """
    codes, distinct = pd.factorize(values)
    distinct = pd.Index([*distinct]) if isinstance(distinct, pd.CategoricalIndex) else distinct
    inferred = infer_dtype(distinct)
    is_date = inferred in {*DATES, "empty"}
    wrong = [value for value in distinct if not (is_date or (inferred == "string" and _ISO.fullmatch(value)))]
    if wrong:
        raise ValueError(
            f"{code} holds no dates, or dates that are not written as '2026-04-30': {not_dates(pd.Index(wrong))}. "
            f"{how_to_convert_dates(values, code)}"
        )
    parsed = parse_dates(distinct)
    no_date = pd.DatetimeIndex([pd.NaT]).as_unit(parsed.unit)
    dates = pd.DatetimeIndex(parsed.append(no_date)[codes], name=DATE)
    to_days(dates, code)
    return dates


def parse_dates(values: pd.Index[Any], errors: Literal["raise", "coerce"] = "raise") -> pd.DatetimeIndex:
    """Parse dates, which may be objects or ISO 8601 text, each one with a time zone as in `in_sydney`.

    Raises
    ------
    ValueError
        A value is not a date, unless `errors` is ``"coerce"``: it is then missing.
    """
    if isinstance(values, pd.DatetimeIndex):
        return in_sydney(values)
    has_zone = np.array([_ZONE.search(str(value)) is not None for value in values], dtype="bool")
    dates = pd.DatetimeIndex(pd.to_datetime(values, format="ISO8601", errors=errors, utc=True))
    return dates.tz_localize(None).where(~has_zone, in_sydney(dates)) if has_zone.any() else dates.tz_localize(None)


def in_sydney(dates: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return dates with a time zone as their calendar days in Sydney, and dates without one as they are.

    A sale at midnight in Sydney that a database stored in UTC thus keeps its day.
    """
    return dates if dates.tz is None else dates.tz_convert(SYDNEY).tz_localize(None).normalize()


def to_days(index: pd.DatetimeIndex, code: str = "frame.index") -> Whole:
    """Convert an index of dates to days since 1970-01-01.

    Raises
    ------
    ValueError
        A date is missing or has a time of day. The message has the line that repairs the dates that `code` is.
    """
    if index.hasnans:
        rows = np.flatnonzero(index.isna()).tolist()
        raise ValueError(
            f"A date is missing in the rows {listed(rows)}, counted from 0. Leave out the rows without a date: "
            f"frame[{code}.notna()]"
        )
    ticks, a_day = index.to_numpy().view("int64"), TICKS_A_DAY[index.unit]
    days = ticks // a_day
    if (days * a_day != ticks).any():
        raise ValueError(
            f"The dates have times of day. Remove the times: {code} = pd.DatetimeIndex({code}).normalize()"
        )
    return days


def day_text(day: int) -> str:
    """Return a day since 1970-01-01 as an ISO 8601 date."""
    return str(to_dates(np.array([day]))[0])


def to_dates(days: Whole, resolution: Resolution | None = None) -> npt.NDArray[np.datetime64]:
    """Convert days since 1970-01-01 to dates, in days or in a resolution of pandas.

    For a date that the resolution cannot hold, pandas raises its own error. numpy would wrap around to another century.
    """
    dates = days.astype("M8[D]")
    return dates if resolution is None else pd.DatetimeIndex(dates.astype("M8[s]")).as_unit(resolution).to_numpy()


def no_dates(size: int, resolution: Resolution) -> npt.NDArray[np.datetime64]:
    """Return an array of missing dates."""
    return np.full(size, np.datetime64("NaT", "D"), dtype=f"M8[{resolution}]")


def parse_length(length: Length, name: str) -> int:
    """Parse a length of time as a number of days: ``"31D"``, ``"8W"``, or a timedelta of whole days.

    Raises
    ------
    ValueError
        `length` is none of these; the message calls it `name`.
    """
    if isinstance(length, str):
        if match := re.fullmatch(r"(\d{1,6}) ?([DW])", length):
            return int(match[1]) * (7 if match[2] == "W" else 1)
    elif isinstance(length, timedelta | np.timedelta64):
        with suppress(ValueError):  # numpy's months and years have no fixed length
            days = pd.Timedelta(length) / pd.Timedelta(days=1)
            if days >= 0 and days.is_integer():
                return int(days)
    raise ValueError(f"{name} must be a number of days or weeks, such as '31D' or '8W', not {length!r}.")


def parse_day(day: Day, name: str) -> int:
    """Parse a day as days since 1970-01-01: an ISO 8601 date such as ``"2026-06-30"``, a date or a Timestamp.

    A time with a zone counts as in `in_sydney`. Otherwise a time of day is ignored.

    Raises
    ------
    ValueError
        `day` is not a date; the message calls it `name`.
    """
    is_day = isinstance(day, date | np.datetime64) or (isinstance(day, str) and re.match(r"\d{4}-\d{2}-\d{2}", day))
    with suppress(ValueError, NotImplementedError):  # Python has no dates before the year 1
        if is_day:
            moment = pd.Timestamp(day)
            return (moment if moment.tz is None else moment.tz_convert(SYDNEY)).toordinal() - _EPOCH
    raise ValueError(f"{name} must be an ISO 8601 date, such as '2026-06-30', not {day!r}.")


def day_in_australia(moment: datetime) -> int:
    """Return the latest day anywhere in eastern Australia at a moment in UTC, as days since 1970-01-01.

    It is that of summer time, all year round: a date is in the future only if it is after this day.
    """
    return (moment + _AHEAD_OF_UTC).date().toordinal() - _EPOCH


def today() -> int:
    """Return today as days since 1970-01-01, in UTC like the other times of this package."""
    return datetime.now(UTC).date().toordinal() - _EPOCH
