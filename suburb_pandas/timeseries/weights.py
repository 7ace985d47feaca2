"""Weights points by the days they represent, so that a mean over time does not depend on how often points arrive.

Cutting these days into calendar periods is left to `grid`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from suburb_pandas.timeseries.dates import Values, Whole, is_months_end, map_over_range, month_of, month_start
from suburb_pandas.timeseries.points import Points

_LONGEST = 31  # days
_WEEK = 7


def days_represented(points: Points, *, weekly: bool = False) -> Whole:
    """Return how many days each point represents. These days end with the point's own date.

    A point represents the days since the previous point of its series, up to a limit: its calendar month if it is dated
    a month's last day, otherwise 31 days. The first point of a series represents its calendar month if it is dated that
    month's last day; otherwise seven days, and none before its calendar month begins. If ``weekly``, the limit is seven
    days for every point.
    """
    first = points.is_first
    days = np.minimum(np.diff(points.day, prepend=0), map_over_range(_longest_of, points.day))
    days[first] = _days_of_first(points.day[first])
    return np.minimum(days, _WEEK) if weekly else days


def mean_before(points: Points, window: int) -> Values:
    """Return for each point the mean over the last `window` days up to and including its date.

    Only days that points represent are counted.
    """
    days = days_represented(points)
    begin = points.day - window
    first = points.after(points.suburb, begin)
    # Only the first point after a window's beginning can represent days before the window.
    outside = (days[first] - (points.day[first] - begin)).clip(0)
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, as in pandas
        total = _sums(days * points.value, first) - outside * points.value[first]
        means: Values = total / (_sums(days, first) - outside)
    return means


def _sums(amounts: npt.NDArray[Any], first: Whole) -> Values:
    """Return for each position the sum of the amounts from position `first` to it, both included."""
    spans = np.stack([first, np.arange(len(first)) + 1], axis=1).ravel()
    return np.add.reduceat(np.append(amounts, 0), spans)[::2]


def _longest_of(days: Whole) -> Whole:
    """Return the longest time a point can represent, in days: its calendar month for a month-end date, otherwise 31."""
    start = month_start(month_of(days))
    return np.where(is_months_end(days), days - start + 1, _LONGEST)


def _days_of_first(days: Whole) -> Whole:
    """Return how many days the first point of a series represents."""
    day_of_month = days - month_start(month_of(days)) + 1
    return np.where(is_months_end(days), day_of_month, np.minimum(_WEEK, day_of_month))
