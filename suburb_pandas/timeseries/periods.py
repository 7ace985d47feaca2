"""Parses the calendar frequencies of pandas, and computes which period a day falls in and which day labels a period.

It also finds the frequency whose labels are given dates. Names and labels are those of pandas. Periods have whole
numbers, counted from about 1970.
Computing the value of a period is left to `period_values`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from suburb_pandas.frames.dates import Whole
from suburb_pandas.timeseries.calendar import map_over_range, month_of, month_start

_WEEKDAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WIDTHS: Final = {"Y": 12, "Q": 3, "M": 1}
_LAST_DAYS: Final = {"M": "ME", "Q": "QE", "Y": "YE", "A": "YE"}
_THURSDAY: Final = _WEEKDAYS.index("THU")  # the weekday of 1970-01-01, day 0
_COARSEST_FIRST: Final = [
    *(f"{prefix}-{month}" for prefix in ("YE", "YS", "QE", "QS") for month in _MONTHS),
    *("ME", "MS"),
    *(f"W-{weekday}" for weekday in _WEEKDAYS),
]


@dataclass(frozen=True, slots=True)
class Frequency:
    """A calendar frequency of pandas, such as ``"W-SUN"`` or ``"QE-FEB"``.

    ``months`` is the number of months in a period, or 0 if periods are weeks. ``phase`` is where period 0 begins: its
    first month, counted from January 1970, or for weeks its first day, counted from 1970-01-01.
    """

    name: str
    months: int
    phase: int
    labels_start: bool

    def number(self, days: Whole) -> Whole:
        """Return the number of the period that each day falls in."""
        if not self.months:
            return (days - self.phase) // 7
        return map_over_range(lambda values: (month_of(values) - self.phase) // self.months, days)

    def first_day(self, numbers: Whole) -> Whole:
        """Return the first day of each period."""
        if not self.months:
            return numbers * 7 + self.phase
        return map_over_range(lambda values: month_start(values * self.months + self.phase), numbers)

    def last_day(self, numbers: Whole) -> Whole:
        """Return the last day of each period."""
        return self.first_day(numbers + 1) - 1

    def label(self, numbers: Whole) -> Whole:
        """Return the day that pandas labels each period with: its first or its last."""
        return self.first_day(numbers) if self.labels_start else self.last_day(numbers)


def frequency_of(days: Whole) -> Frequency | None:
    """Return the coarsest frequency that has all these days as labels, or None if there is none."""
    found = map(frequency, _COARSEST_FIRST)
    return next((each for each in found if (each.label(each.number(days)) == days).all()), None)


def frequency(freq: object) -> Frequency:
    """Parse a calendar frequency of pandas: weeks, months, quarters or years.

    Raises
    ------
    ValueError
        `freq` is not one of these.
    """
    name = str(getattr(freq, "freqstr", freq))
    prefix, dash, anchor = name.partition("-")
    letter, at_start = prefix[:1], prefix[1:] == "S"
    if prefix == "W" and (anchor in _WEEKDAYS or not dash):
        return Frequency(name, 0, _WEEKDAYS.index(anchor or "SUN") + 1 - _THURSDAY, labels_start=False)
    if re.fullmatch("[MQY][SE]", prefix) and (not dash or (letter != "M" and anchor in _MONTHS)):
        # With S the anchor is the first month of a year or quarter, with E the last.
        first = _MONTHS.index(anchor or "JAN") if at_start else _MONTHS.index(anchor or "DEC") + 1
        return Frequency(name, _WIDTHS[letter], first % _WIDTHS[letter], labels_start=at_start)
    raise ValueError(
        "freq must be a calendar frequency of pandas: 'W' (or 'W-MON' to 'W-SUN'), 'MS', 'ME', 'QS', 'QE', 'YS' or "
        f"'YE', not {freq!r}.{_what_to_write(name)} Quarters and years can be anchored, as in 'QE-FEB' or 'YE-JUN'."
    )


def _what_to_write(name: str) -> str:
    """Return the sentence with the frequency that is meant: ``QE`` for ``Q``, as older versions of pandas wrote it."""
    letter, dash, anchor = name.upper().partition("-")
    meant = f"{_LAST_DAYS.get(letter, letter)}{dash}{anchor}"
    with suppress(ValueError):
        return f" Write {frequency(meant).name!r}." if meant != name else ""
    return ""
