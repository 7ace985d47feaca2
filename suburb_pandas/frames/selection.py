"""Selects rents by date: parses ``start`` and ``end``, and keeps the rows of a long frame that are dated between them.

Parsing whole dates is left to `dates`. Layouts are left to `layouts`: rows are selected before a frame becomes wide.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.calls import call_of
from suburb_pandas.frames.dates import Day, day_text, parse_day, to_days
from suburb_pandas.frames.marks import SELECTION, carry, marks_of
from suburb_pandas.frames.schema import RENT_UNIT

_PERIOD: Final = re.compile(r"\d{4}(-\d{2})?")
_LAST_YEARS: Final = (
    " For the last five years, load all dates, at the same price, and paste: "
    "rents[rents.index > rents.index.max() - pd.DateOffset(years=5)]"
)


def select(frame: pd.DataFrame, start: Day | None = None, end: Day | None = None) -> pd.DataFrame:
    """Return the rows of a long frame that are dated from ``start`` to ``end``, both included; None means no limit.

    A year or a month means its first day as ``start``, and its last one as ``end``. Categories without rows are kept.

    Raises
    ------
    ValueError
        A limit is not a date, or ``start`` is after ``end``.
    """
    if start is None and end is None:
        return frame
    first = None if start is None else _day(start, "start", is_end=False)
    last = None if end is None else _day(end, "end", is_end=True)
    if first is not None and last is not None and first > last:
        raise ValueError(f"start is after end: {day_text(first)} is after {day_text(last)}. Nothing was sent.")
    days = to_days(pd.DatetimeIndex(frame.index))
    selected: pd.DataFrame = frame[days == np.clip(days, first, last)]
    limits = {name: day_text(day) for name, day in (("start", first), ("end", last)) if day is not None}
    unit = marks_of(frame).get("unit") or RENT_UNIT
    return carry(frame, selected, unit=unit, operation=call_of(select, SELECTION, **limits), dates=None)


def _day(limit: Day, name: str, *, is_end: bool) -> int:
    """Return the day that a limit means: of a year or a month the first one, or the last one if it is the end."""
    text = str(limit) if isinstance(limit, str | np.datetime64) else ""
    with suppress(ValueError):
        if _PERIOD.fullmatch(text):
            period = np.datetime64(text) + np.timedelta64(int(is_end), "M" if "-" in text else "Y")
            return int(period.astype("M8[D]").astype("int64")) - int(is_end)
        return parse_day(limit, name)
    raise ValueError(
        f"{name} must be an ISO 8601 date, such as '2021-05-31', '2021-05' or '2021', not {limit!r}. Nothing was sent."
        f"{_LAST_YEARS if name == 'start' else ''}"
    )
