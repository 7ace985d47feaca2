"""Joins rents to the rows of a user's frame: for each row, the last point known at its date."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.column import column_or_level
from suburb_pandas.loaders.loaders import rent
from suburb_pandas.messages import listed
from suburb_pandas.timeseries.dates import Length, Whole, day_numbers, no_dates, to_dates, whole_days
from suburb_pandas.timeseries.points import known_at, read

_NEVER: Final = -(10**9)
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
    """Join rents to the rows of a frame, as ``df.suburb.join_rent`` documents. ``options`` are those of a loader."""
    longest = None if tolerance is None else whole_days(tolerance, "tolerance")
    before = whole_days(lag, "lag")
    taken = [name for name in _COLUMNS if name in frame.columns]
    if taken:
        raise ValueError(f"The frame has {listed(taken)} already. Drop or rename them first; nothing was sent.")
    day = _days(frame, on) - before
    try:
        rents = rent(suburbs, **options)
    except SuburbError as error:
        if error.frame is not None:
            error.frame = _joined(frame, suburbs, day, longest, error.frame)
        raise
    return _joined(frame, suburbs, day, longest, rents)


def _joined(
    frame: pd.DataFrame,
    suburbs: pd.Series[Any] | pd.Index[Any],
    day: Whole,
    tolerance: int | None,
    rents: pd.DataFrame,
) -> pd.DataFrame:
    """Return a copy of the frame with the last point of each property type at or before each row's date."""
    known = read(rents)
    suburb = known.number_of(suburbs)
    result, latest = frame.copy(), no_dates(len(frame), known.unit)
    for kind, points in known.points.items():
        found = points.at_or_before(suburb, day, tolerance)
        result[_label(frame, f"{kind}_rent")] = known_at(points.value, found)
        latest = np.fmax(latest, known_at(to_dates(points.day, known.unit), found))
    result[_label(frame, "rent_date")] = latest
    return result


def _label(frame: pd.DataFrame, name: str) -> Hashable:
    """Return the label of a new column, with as many levels as the other labels have."""
    levels = frame.columns.nlevels
    return name if levels == 1 else (name, *[""] * (levels - 1))


def _days(frame: pd.DataFrame, on: Hashable) -> Whole:
    """Return the days of a column or index level of dates. A missing date comes before all others."""
    try:
        dates = pd.Index(column_or_level(frame, on, ValueError))
    except ValueError as problem:
        raise ValueError(f"{problem} on= names the one that holds the dates. Nothing was sent.") from None
    kind = "empty" if dates.isna().all() else infer_dtype(dates, skipna=True)
    if kind not in {"date", "datetime", "datetime64", "empty"}:
        raise ValueError(
            f"on={on!r} holds {kind}, not dates. Make dates of it first, with pd.to_datetime(...). Nothing was sent."
        )
    try:
        found = pd.DatetimeIndex(pd.to_datetime(dates)).tz_localize(None).normalize()
    except ValueError as problem:
        raise ValueError(f"on={on!r} holds dates that pandas cannot read: {problem}. Nothing was sent.") from None
    days, there = np.full(len(found), _NEVER), np.asarray(found.notna())
    days[there] = day_numbers(found[there])
    return days
