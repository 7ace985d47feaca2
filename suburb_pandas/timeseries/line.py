"""Owns the one rule for the value between two points of a series.

A point is a level as at its date. So the path between two neighbouring points is a straight line in days, if they are
close enough together. On a point's date the value is the point. Elsewhere there is no value. Growth, means, smoothing
and filled values all read this line; cutting it into calendar periods is left to `grid`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from suburb_pandas.timeseries.dates import Length, Values, Whole, whole_days
from suburb_pandas.timeseries.points import Points

MAX_GAP: Final = 35
"""The most days between two neighbouring points that a line connects, unless the user sets another limit."""

COVERAGE: Final = 0.5
"""The least share of the days of a mean that must be on the line, unless the user sets another limit."""


@dataclass(frozen=True, slots=True)
class Line:
    """The line through the points of one property type.

    It consists of one piece for each point. A piece ends on the date of its point. It begins the day after the point
    before it, or, if the two are too far apart, on the date of its own point. ``days`` and ``slope`` hold the length of
    each piece, in days, and the change of its value per day.
    """

    points: Points
    days: Whole
    slope: Values

    def at(self, suburb: Whole, day: Whole, before: Whole | None = None) -> Values:
        """Return each suburb's value on a day, NaN where the line has none.

        With `before`, only points dated before that day count.
        """
        points = self.points
        if not len(points.day):
            return np.full(len(day), np.nan)
        piece = points.at_or_after(suburb, day)
        ahead = points.day[piece] - day
        is_known = (piece >= 0) & (ahead < self.days[piece])
        if before is not None:
            is_known &= points.day[piece] < before
        return np.where(is_known, points.value[piece] - self.slope[piece] * ahead, np.nan)

    def mean(self, suburb: Whole, until: Whole, window: int, before: Whole) -> tuple[Values, Values]:
        """Return each suburb's mean over the last `window` days up to a day, and the share of them on the line.

        There must be a point on or after that day. A mean is NaN if the day lies on the line to a point that is not
        dated before the day `before`.
        """
        begin = until - window
        first, last = self.points.at_or_after(suburb, begin + 1), self.points.at_or_after(suburb, until)
        outside, days_outside = self._begin_of(first, begin)
        inside, days_inside = self._begin_of(last, until)
        passed = np.append(0, np.cumsum(self.days))
        days = passed[last] - passed[first] + days_inside - days_outside
        bounds = np.column_stack([first, last]).ravel()
        totals = np.append(total_of(self.points.value, self.slope, self.days), 0)
        between = np.where(first < last, np.add.reduceat(totals, bounds)[::2], 0)
        is_known = (days > 0) & ((days_inside == 0) | (self.points.day[last] < before))
        means = np.divide(between + inside - outside, days, out=np.full(len(days), np.nan), where=is_known)
        return means, days / window

    def _begin_of(self, piece: Whole, until: Whole) -> tuple[Values, Whole]:
        """Return the sum of the values of each piece up to a day, and the number of these days.

        The day is not after the piece.
        """
        days = (until - self.points.day[piece] + self.days[piece]).clip(0)
        slope = self.slope[piece]
        value = self.points.value[piece] - slope * (self.points.day[piece] - until)
        return np.where(days, total_of(value, slope, days), 0), days


def line_of(points: Points, max_gap: int | None = MAX_GAP) -> Line:
    """Return the line that connects neighbouring points at most `max_gap` days apart; None means no limit."""
    days = np.diff(points.day, prepend=0)
    days[points.is_first | (days > (np.inf if max_gap is None else max_gap))] = 1
    slope = np.diff(points.value, prepend=0) / days
    slope[days == 1] = 0.0
    return Line(points, days, slope)


def total_of(value: Values, slope: Values, days: Whole) -> Values:
    """Return the sum of the values of some days in a row on a line: from the value of the last day, and the slope."""
    return np.asarray(days * (value - slope * ((days - 1) / 2)))


def window_days(smooth: Length | None) -> int | None:
    """Parse ``smooth``, the span of a mean, as a number of days; None for single values.

    Raises
    ------
    ValueError
        It is not a length, or is shorter than a day.
    """
    days = None if smooth is None else whole_days(smooth, "smooth")
    if days == 0:
        raise ValueError(f"smooth must be at least one day, not {smooth!r}.")
    return days


def coverage_limit(min_coverage: object) -> float:
    """Check ``min_coverage``, the least share of the days of a mean that must be on the line.

    Raises
    ------
    ValueError
        It is not a number from 0 to 1.
    """
    if not isinstance(min_coverage, int | float | np.number) or not 0 <= min_coverage <= 1:
        raise ValueError(f"min_coverage must be a share of days, from 0 to 1, not {min_coverage!r}.")
    return float(min_coverage)
