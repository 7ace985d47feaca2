"""The calendar frequencies that rents can be put on: which period a day falls into, and how periods are labelled.

Names and labels are pandas'. A period is a whole number: weeks and months are counted from 1970.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from suburb_pandas.timeseries.dates import Whole, month_of, month_start, once_each

_WEEKDAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WIDTHS: Final = {"M": 1, "Q": 3, "Y": 12}
_WEEKS: Final = re.compile(rf"W(?:-({'|'.join(_WEEKDAYS)}))?")
_OF_MONTHS: Final = re.compile(rf"([MQY])([SE])(?:-({'|'.join(_MONTHS)}))?")
_THURSDAY: Final = _WEEKDAYS.index("THU")  # what 1970-01-01 was


@dataclass(frozen=True, slots=True)
class Frequency:
    """A calendar frequency of pandas.

    ``months`` is how many a period has, 0 for weeks. ``phase`` says where periods begin: for months the number of the
    first one's first month, for weeks its first day.
    """

    name: str
    months: int
    phase: int
    labels_start: bool

    @property
    def is_weekly(self) -> bool:
        """Whether a period is a week."""
        return not self.months

    def number(self, days: Whole) -> Whole:
        """Give the period that each day falls into."""
        if self.is_weekly:
            return (days - self.phase) // 7
        return once_each(lambda some: (month_of(some) - self.phase) // self.months, days)

    def first_day(self, numbers: Whole) -> Whole:
        """Give the first day of each period."""
        if self.is_weekly:
            return numbers * 7 + self.phase
        return once_each(lambda some: month_start(some * self.months + self.phase), numbers)

    def label(self, numbers: Whole) -> Whole:
        """Give the day that pandas labels each period with: its first, or its last."""
        return self.first_day(numbers) if self.labels_start else self.first_day(numbers + 1) - 1


def frequency(freq: object) -> Frequency:
    """Read a calendar frequency of pandas, from weeks up.

    Raises
    ------
    ValueError
        It is none of them.
    """
    name = str(getattr(freq, "freqstr", freq))
    week, months = _WEEKS.fullmatch(name), _OF_MONTHS.fullmatch(name)
    if week:
        return Frequency(name, 0, _WEEKDAYS.index(week[1] or "SUN") + 1 - _THURSDAY, labels_start=False)
    if months and not (months[1] == "M" and months[3]):
        return _of_months(name, *months.groups())
    raise ValueError(
        "freq is one of pandas' calendar frequencies from weeks up: 'W' or 'W-MON' to 'W-SUN', 'MS', 'ME', 'QS', "
        "'QE', 'YS', 'YE', and the last four also anchored, as in 'QE-FEB' or 'YE-JUN'; not "
        f"{freq!r}."
    )


def _of_months(name: str, letter: str, end: str, anchor: str | None) -> Frequency:
    """Make one whose periods are months: an S anchors their first month, an E their last."""
    at_start = end == "S"
    anchored = _MONTHS.index(anchor or ("JAN" if at_start else "DEC"))
    width = _WIDTHS[letter]
    return Frequency(name, width, (anchored + (not at_start)) % width, labels_start=at_start)
