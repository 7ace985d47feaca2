"""Computes with days of the calendar: their months, and spans such as a year, by which growth goes back.

Reading dates is left to frames.dates. Periods such as quarters are left to `periods`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from suburb_pandas.frames.dates import Flags, Whole, to_dates

_SPAN: Final = re.compile(r"(\d{1,4}) ?([DWMY])")


class Span(NamedTuple):
    """A span of the calendar, in days or in months; the other number is 0."""

    days: int
    months: int

    @classmethod
    def parse(cls, text: object, name: str) -> Span:
        """Parse a span such as ``"1Y"``, ``"6M"``, ``"52W"`` or ``"91D"``.

        Raises
        ------
        ValueError
            `text` is not a span; the message calls it `name`.
        """
        match = _SPAN.fullmatch(text) if isinstance(text, str) else None
        if match is None or int(match[1]) == 0:
            meant = f"{text}M" if isinstance(text, int) else str(text).upper()
            how = f" Write {meant!r}." if _SPAN.fullmatch(meant) and meant.strip("0 DWMY") else ""
            raise ValueError(
                f"{name} must be a number of days (D), weeks (W), months (M) or years (Y), such as '1Y', '6M' or "
                f"'91D', not {text!r}.{how}"
            )
        days, months = {"D": (1, 0), "W": (7, 0), "M": (0, 1), "Y": (0, 12)}[match[2]]
        return cls(int(match[1]) * days, int(match[1]) * months)

    def back_from(self, days: Whole) -> Whole:
        """Return the day one span before each day. Months and years map month ends to month ends."""
        return (
            map_over_range(lambda values: months_before(values, self.months), days) if self.months else days - self.days
        )


def months_before(days: Whole, number: int | Whole) -> Whole:
    """Return the day `number` calendar months before each day, or after it if `number` is negative.

    A month's last day maps to a month's last day. Any other day maps to the same day of the month, or to the month's
    last day if the month is shorter.
    """
    months = month_of(days)
    day_of_month = days - month_start(months)
    last = month_start(months - number + 1) - 1
    return np.where(is_months_end(days), last, np.minimum(month_start(months - number) + day_of_month, last))


def is_months_end(days: Whole) -> Flags:
    """Return True for each day that is the last of its month."""
    return np.equal(days + 1, month_start(month_of(days) + 1))


def month_of(days: Whole) -> Whole:
    """Return the month of each day, counted from January 1970."""
    return to_dates(days).astype("M8[M]").astype("int64")


def month_start(months: Whole) -> Whole:
    """Return the first day of each month."""
    return months.astype("M8[M]").astype("M8[D]").astype("int64")


def map_over_range(function: Callable[[Whole], Whole], numbers: Whole) -> Whole:
    """Apply a function to whole numbers, once for each number in their range.

    Calendar conversions are slow, and many points fall on few dates. So the results are looked up in a table of the
    range, unless that table would be longer than `numbers`.
    """
    if not len(numbers) or np.ptp(numbers) > len(numbers):
        return function(numbers)
    low, high = int(numbers.min()), int(numbers.max())
    return function(np.arange(low, high + 1))[numbers - low]
