"""Owns the one rule for the value between two points of a series.

A point is a level as at its date. So the path between two neighbouring points is a straight line in days, if they are
close enough together. On a point's date the value is the point. Elsewhere there is no value. Growth, means, smoothing
and filled values all read this line; calendar periods are left to `period_values`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from suburb_pandas.frames.dates import Length, Values, Whole, parse_length
from suburb_pandas.frames.points import Points

MAX_GAP: Final = 35
"""The most days between two neighbouring points that a line connects, unless the user sets another limit."""

COVERAGE: Final = 0.5
"""The least share of the days of a mean that must be on the line, unless the user sets another limit."""

_END: Final = (2**30, 0, 0.0, -1)  # sorts after every suburb


@dataclass(frozen=True, slots=True)
class Line:
    """The line through the points of one property type.

    It consists of one piece for each point. A piece ends on the date of its point. It begins the day after the point
    before it, or, if the two are too far apart, on the date of its own point. ``days`` and ``slope`` hold the length of
    each piece, in days, and the change of its value per day. The last of the ``points`` is of no suburb, so that each
    search finds a piece.
    """

    points: Points
    days: Whole
    slope: Values

    def at(self, suburb: Whole, day: Whole, before: Whole | float = np.inf) -> Values:
        """Return each suburb's value on a day, NaN where the line has none.

        With `before`, only points dated before that day count.
        """
        points = self.points
        piece = points.position_after(suburb, day - 1)
        ahead = points.day[piece] - day
        is_known = (points.suburb[piece] == suburb) & (ahead < self.days[piece]) & (points.day[piece] < before)
        return np.where(is_known, points.value[piece] - self.slope[piece] * ahead, np.nan)

    def mean(self, suburb: Whole, begin: Whole, until: Whole, before: Whole | float = np.inf) -> tuple[Values, Whole]:
        """Return each suburb's mean over its days on the line after `begin` up to `until`, and their number.

        A mean is NaN if there are no such days, or if `until` lies on the line to a point that is not dated before the
        day `before`.
        """
        first, outside, days_outside = self._next_piece(suburb, begin)
        last, inside, days_inside = self._next_piece(suburb, until)
        passed = np.append(0, np.cumsum(self.days))
        days = passed[last] - passed[first] + days_inside - days_outside
        totals = total_of(self.points.value, self.slope, self.days)
        between = np.where(first < last, np.add.reduceat(totals, np.column_stack([first, last]).ravel())[::2], 0)
        is_known = (days > 0) & ((days_inside == 0) | (self.points.day[last] < before))
        means = np.divide(between + inside - outside, days, out=np.full(len(days), np.nan), where=is_known)
        return means, days

    def _next_piece(self, suburb: Whole, day: Whole) -> tuple[Whole, Values, Whole]:
        """Return the first piece that ends after each day, the sum of its values up to the day, and their number.

        After a suburb's last point, this is a piece of the next suburb, of which no value counts.
        """
        points, piece = self.points, self.points.position_after(suburb, day)
        ahead, slope = points.day[piece] - day, self.slope[piece]
        days = np.where(points.suburb[piece] == suburb, (self.days[piece] - ahead).clip(0), 0)
        total = total_of(points.value[piece] - slope * ahead, slope, days)
        return piece, np.where(days, total, 0), days


def line_of(points: Points, max_gap: int | None = MAX_GAP) -> Line:
    """Return the line that connects neighbouring points at most `max_gap` days apart; None means no limit."""
    points = Points(*(np.append(values, end) for values, end in zip(points, _END, strict=True)))
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
    days = None if smooth is None else parse_length(smooth, "smooth")
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
