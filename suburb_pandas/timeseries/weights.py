"""How many days each point speaks for: what makes a mean over time independent of how often points come."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suburb_pandas.timeseries.dates import Values, Whole, is_months_end, month_of, month_start, once_each
from suburb_pandas.timeseries.points import Points

_LONGEST = 31
_WEEK = 7


def days_spoken_for(points: Points, *, weekly: bool = False) -> Whole:
    """Give how many days each point speaks for, which end with its own date.

    They are the days since the previous point of its series, but at most its calendar month if it is dated a month's
    last day, else 31 days. A series' first point speaks for its calendar month if it is dated that month's last day,
    else for seven days, and for none before its own calendar month. ``weekly`` allows nobody more than seven.
    """
    first = points.is_first
    days = np.minimum(np.diff(points.day, prepend=0), once_each(_longest, points.day))
    days[first] = _first(points.day[first])
    return np.minimum(days, _WEEK) if weekly else days


def mean_before(points: Points, window: int) -> Values:
    """Give for each point the mean over the days up to its date, so many of them as ``window`` says, its own included.

    The days are those that points speak for. Those after the first in a window lie in it whole.
    """
    days = days_spoken_for(points)
    begin = points.day - window
    first = points.after(points.suburb, begin)
    too_many = (days[first] - (points.day[first] - begin)).clip(0)
    with np.errstate(invalid="ignore"):  # infinite values
        total = _sums(days * points.value, first) - too_many * points.value[first]
        means: Values = total / (_sums(days, first) - too_many)
    return means


def _sums(amounts: npt.NDArray[Any], first: Whole) -> Values:
    """Sum for each place the amounts from another place to it, both included."""
    spans = np.stack([first, np.arange(len(first)) + 1], axis=1).ravel()
    return np.add.reduceat(np.append(amounts, 0), spans)[::2]


def _longest(days: Whole) -> Whole:
    """Give how many days a point of that date can speak for: its calendar month at a month's end, else 31 days."""
    start = month_start(month_of(days))
    return np.where(is_months_end(days), days - start + 1, _LONGEST)


def _first(days: Whole) -> Whole:
    """Give how many days a first point of that date speaks for."""
    day_of_month = days - month_start(month_of(days)) + 1
    return np.where(is_months_end(days), day_of_month, np.minimum(_WEEK, day_of_month))
