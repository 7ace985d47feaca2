"""Selects rents by date: parses ``start`` and ``end``, and keeps the rows of a long frame that are dated between them.

Parsing whole dates is left to `dates`. Layouts are left to `layouts`: rows are selected before a frame becomes wide.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import RENT_UNIT, SELECTION, carry, marks_of
from suburb_pandas.timeseries.dates import Day, day_number, day_numbers, day_text

_PERIOD: Final = re.compile(r"\d{4}(-\d{2})?")
_LAST_YEARS: Final = (
    " For the last five years, load all dates, at the same price, and paste: "
    "rents[rents.index > rents.index.max() - pd.DateOffset(years=5)]"
)


@dataclass(frozen=True, slots=True)
class DateRange:
    """The days from ``start`` to ``end``, both included, as days since 1970-01-01; None for no limit."""

    start: int | None
    end: int | None

    @classmethod
    def read(cls, start: Day | None, end: Day | None) -> DateRange | None:
        """Parse the limits of a range; None if there are none. A year or a month means its first and its last day.

        Raises
        ------
        ValueError
            A limit is not a date, or ``start`` is after ``end``.
        """
        if start is None and end is None:
            return None
        first = None if start is None else _day(start, "start", is_end=False)
        last = None if end is None else _day(end, "end", is_end=True)
        if first is not None and last is not None and first > last:
            raise ValueError(f"start is after end: {day_text(first)} is after {day_text(last)}. Nothing was sent.")
        return cls(first, last)

    @property
    def operation(self) -> str:
        """The selection as text, for the marks of a frame: ``rent(start="2021-01-01")``."""
        limits = {"start": self.start, "end": self.end}
        shown = [f'{name}="{day_text(day)}"' for name, day in limits.items() if day is not None]
        return f"{SELECTION}({', '.join(shown)})"


def select(frame: pd.DataFrame, dates: DateRange) -> pd.DataFrame:
    """Return the rows of a long frame that are dated in a range. Categories without rows are kept."""
    days = day_numbers(pd.DatetimeIndex(frame.index))
    inside = days == np.clip(days, dates.start, dates.end)
    unit = marks_of(frame).get("unit") or RENT_UNIT
    selected: pd.DataFrame = frame[inside]
    return carry(frame, selected, unit=unit, operation=dates.operation, dates=None)


def _day(limit: Day, name: str, *, is_end: bool) -> int:
    """Return the day that a limit means: of a year or a month the first one, or the last one if it is the end."""
    text = str(limit) if isinstance(limit, str | np.datetime64) else ""
    with suppress(ValueError):
        if _PERIOD.fullmatch(text):
            period = np.datetime64(text) + np.timedelta64(int(is_end), "M" if "-" in text else "Y")
            return int(period.astype("M8[D]").astype("int64")) - int(is_end)
        return day_number(limit, name)
    raise ValueError(
        f"{name} must be an ISO 8601 date, such as '2021-05-31', '2021-05' or '2021', not {limit!r}. Nothing was sent."
        f"{_LAST_YEARS if name == 'start' else ''}"
    )
