"""Parses the calendar frequencies of pandas, and computes which period a day falls in and which day labels a period.

It also finds the frequency whose labels are given dates. Names and labels are those of pandas. Periods have whole
numbers, counted from about 1970.
Computing the value of a period is left to `period_values`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

import numpy as np

from suburb_pandas.timeseries.dates import Whole, is_months_end, map_over_range, month_of, month_start

_WEEKDAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WIDTHS: Final = {"M": 1, "Q": 3, "Y": 12}
_COARSEST_FIRST: Final = sorted(_WIDTHS.items(), key=itemgetter(1), reverse=True)
_WEEKS: Final = re.compile(rf"W(?:-({'|'.join(_WEEKDAYS)}))?")
_OF_MONTHS: Final = re.compile(rf"([MQY])([SE])(?:-({'|'.join(_MONTHS)}))?")
_LAST_DAYS: Final = {"M": "ME", "Q": "QE", "Y": "YE", "A": "YE"}
_THURSDAY: Final = _WEEKDAYS.index("THU")  # the weekday of 1970-01-01, day 0


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

    @property
    def is_weekly(self) -> bool:
        """True if periods are weeks."""
        return not self.months

    def number(self, days: Whole) -> Whole:
        """Return the number of the period that each day falls in."""
        if self.is_weekly:
            return (days - self.phase) // 7
        return map_over_range(lambda values: (month_of(values) - self.phase) // self.months, days)

    def first_day(self, numbers: Whole) -> Whole:
        """Return the first day of each period."""
        if self.is_weekly:
            return numbers * 7 + self.phase
        return map_over_range(lambda values: month_start(values * self.months + self.phase), numbers)

    def label(self, numbers: Whole) -> Whole:
        """Return the day that pandas labels each period with: its first or its last."""
        return self.first_day(numbers) if self.labels_start else self.first_day(numbers + 1) - 1


def frequency(freq: object) -> Frequency:
    """Parse a calendar frequency of pandas: weeks, months, quarters or years.

    Raises
    ------
    ValueError
        `freq` is not one of these.
    """
    name = str(getattr(freq, "freqstr", freq))
    week, months = _WEEKS.fullmatch(name), _OF_MONTHS.fullmatch(name)
    if week:
        return Frequency(name, 0, _WEEKDAYS.index(week[1] or "SUN") + 1 - _THURSDAY, labels_start=False)
    if months and not (months[1] == "M" and months[3]):
        return _of_months(name, *months.groups())
    raise ValueError(
        "freq must be a calendar frequency of pandas: 'W' (or 'W-MON' to 'W-SUN'), 'MS', 'ME', 'QS', 'QE', 'YS' or "
        f"'YE', not {freq!r}.{_what_to_write(name)} Quarters and years can be anchored, as in 'QE-FEB' or 'YE-JUN'."
    )


def frequency_of(days: Whole) -> Frequency | None:
    """Return the coarsest frequency that has all these days as labels, or None if there is none."""
    months, starts = month_of(days), month_start(month_of(days))
    for end, is_label in (("E", is_months_end(days)), ("S", days == starts)):
        if is_label.all():
            letter = next(letter for letter, width in _COARSEST_FIRST if len(np.unique(months % width)) <= 1)
            anchor = f"-{_MONTHS[months[0] % 12]}" if letter != "M" and len(months) else ""
            return frequency(f"{letter}{end}{anchor}")
    weekdays = np.unique((days + _THURSDAY) % 7)
    return frequency(f"W-{_WEEKDAYS[weekdays[0]]}") if len(weekdays) == 1 else None


def _what_to_write(name: str) -> str:
    """Return the sentence with the frequency that is meant: ``QE`` for ``Q``, as older versions of pandas wrote it."""
    letter, dash, anchor = name.upper().partition("-")
    meant = f"{_LAST_DAYS.get(letter, letter)}{dash}{anchor}"
    return f" Write {meant!r}." if _WEEKS.fullmatch(meant) or _OF_MONTHS.fullmatch(meant) else ""


def _of_months(name: str, letter: str, end: str, anchor: str | None) -> Frequency:
    """Return a frequency in months. With S the anchor is the first month of a year or quarter, with E the last."""
    at_start = end == "S"
    anchored = _MONTHS.index(anchor or ("JAN" if at_start else "DEC"))
    width = _WIDTHS[letter]
    return Frequency(name, width, (anchored + (not at_start)) % width, labels_start=at_start)
