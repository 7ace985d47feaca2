"""Joins rents to the rows of a user's frame: each row gets the last points at or before its own date, less a lag.

Loading the rents is left to loaders.loaders, finding points by date to timeseries.points.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.column import column_or_level
from suburb_pandas.loaders.join_rows import existing_columns, label_of
from suburb_pandas.loaders.loaders import rent
from suburb_pandas.messages import listed
from suburb_pandas.timeseries.dates import Length, Whole, day_numbers, no_dates, parsed_dates, to_dates, whole_days
from suburb_pandas.timeseries.points import known_at, read

_IN_WORDS: Final = {"string": "text", "integer": "integers", "floating": "numbers"}
_NO_DATE: Final = -(10**9)  # a day number before all points, so that a row without a date finds none
_COLUMNS: Final = ("house_rent", "unit_rent", "rent_date")


def join_rent(
    frame: pd.DataFrame,
    suburbs: pd.Series[Any] | pd.Index[Any],
    *,
    on: Hashable,
    tolerance: Length | None,
    lag: Length,
    **options: Any,
) -> pd.DataFrame:
    """Join rents to the rows of a frame, as ``df.suburb.join_rent`` documents. ``options`` are passed to `rent`."""
    tolerance_days = None if tolerance is None else whole_days(tolerance, "tolerance")
    lag_days = whole_days(lag, "lag")
    existing = existing_columns(frame, _COLUMNS)
    if existing:
        them = "it" if len(existing) == 1 else "them"
        raise ValueError(f"The frame has {listed(existing)} already. Drop or rename {them} first; nothing was sent.")
    days = _days(frame, on) - lag_days
    try:
        rents = rent(suburbs, **options)
    except SuburbError as error:
        if error.frame is not None:
            error.frame = _joined(frame, suburbs, days, tolerance_days, error.frame)
        raise
    return _joined(frame, suburbs, days, tolerance_days, rents)


def _joined(
    frame: pd.DataFrame,
    suburbs: pd.Series[Any] | pd.Index[Any],
    days: Whole,
    tolerance: int | None,
    rents: pd.DataFrame,
) -> pd.DataFrame:
    """Return a copy of the frame with the last point of each property type at or before each row's day in ``days``."""
    parsed = read(rents)
    suburb_numbers = parsed.number_of(suburbs)
    result, latest = frame.copy(), no_dates(len(frame), parsed.unit)
    for kind, points in parsed.points.items():
        position = points.at_or_before(suburb_numbers, days, tolerance)
        result[label_of(frame, f"{kind}_rent")] = known_at(points.value, position)
        latest = np.fmax(latest, known_at(to_dates(points.day, parsed.unit), position))
    result[label_of(frame, "rent_date")] = latest
    return result


def _days(frame: pd.DataFrame, on: Hashable) -> Whole:
    """Return the day number of each date in a column or index level; `_NO_DATE` for a missing date."""
    try:
        dates = pd.Index(column_or_level(frame, on, ValueError))
    except ValueError as problem:
        raise ValueError(f"{problem} Nothing was sent; pass on= with the column of dates.") from None
    kind = "empty" if dates.isna().all() else infer_dtype(dates, skipna=True)
    if kind not in {"date", "datetime", "datetime64", "empty"}:
        raise ValueError(
            f"on={on!r} holds {_IN_WORDS.get(kind, f'{kind} values')}, not dates. Nothing was sent; convert it to "
            "dates first, with pd.to_datetime(...)"
        )
    try:
        index = parsed_dates(dates).normalize()
    except ValueError as problem:
        raise ValueError(f"on={on!r} holds dates that pandas cannot read: {problem}. Nothing was sent.") from None
    days, present = np.full(len(index), _NO_DATE), np.asarray(index.notna())
    days[present] = day_numbers(index[present])
    return days
