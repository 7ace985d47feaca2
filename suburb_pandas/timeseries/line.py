"""Owns the one rule for the value between two points of a series.

A point is a level as at its date. So the path between two neighbouring points is a straight line in days, if they are
close enough together. On a point's date the value is the point. Elsewhere there is no value. Growth, means, smoothing
and filled values all read this line; calendar periods are left to `period_values`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from suburb_pandas.frames.dates import Length, Values, Whole, parse_length
from suburb_pandas.frames.points import Points

MAX_GAP: Final = 35
"""The most days between two neighbouring points that a line connects, unless the user sets another limit."""

COVERAGE: Final = 0.5
"""The least share of the days of a mean that must be on the line, unless the user sets another limit."""

_END: Final = (2**30, 0, 0.0, -1)  # sorts after every suburb


def line_of(points: Points, max_gap: int | None = MAX_GAP) -> Line:
    """Return the line that connects neighbouring points at most `max_gap` days apart; None means no limit."""
    points = Points(*(np.append(values, end) for values, end in zip(points, _END, strict=True)))
    days = np.diff(points.day, prepend=0)
    days[points.is_first | (days > (np.inf if max_gap is None else max_gap))] = 1
    return Line(points, days, np.diff(points.value, prepend=0) / days)


class _Part(NamedTuple):
    """The part of a piece up to a day: the number of the piece, and the sum and the number of its values."""

    piece: Whole
    total: Values
    days: Whole


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

    def at(self, suburb: Whole, day: Whole, known_before: Whole | float = np.inf) -> Values:
        """Return each suburb's value on a day, NaN where the line has none.

        Only points dated before the day `known_before` count.
        """
        points = self.points
        piece = points.position_after(suburb, day - 1)
        ahead = points.day[piece] - day
        is_on_line = (points.suburb[piece] == suburb) & (ahead < self.days[piece])
        is_known = is_on_line & (points.day[piece] < known_before)
        return np.where(is_known, points.value[piece] - self.slope[piece] * ahead, np.nan)

    def mean(
        self, suburb: Whole, after: Whole, until: Whole, known_before: Whole | float = np.inf
    ) -> tuple[Values, Whole]:
        """Return each suburb's mean over its days on the line after one day until another one, and their number.

        A mean is NaN if there are no such days, or if `until` lies on the line to a point that is not dated before the
        day `known_before`.
        """
        first, last = self._part_up_to(suburb, after), self._part_up_to(suburb, until)
        passed = np.append(0, np.cumsum(self.days))
        days = passed[last.piece] - passed[first.piece] + last.days - first.days
        totals = _total_of(self.points.value, self.slope, self.days)
        total = _sums_between(totals, first.piece, last.piece) + last.total - first.total
        is_known = (days > 0) & ((last.days == 0) | (self.points.day[last.piece] < known_before))
        return np.divide(total, days, out=np.full(len(days), np.nan), where=is_known), days

    def _part_up_to(self, suburb: Whole, day: Whole) -> _Part:
        """Return the part up to each day of the first piece that ends after it.

        After a suburb's last point, this is a piece of the next suburb, of which no value counts.
        """
        points, piece = self.points, self.points.position_after(suburb, day)
        ahead, slope = points.day[piece] - day, self.slope[piece]
        days = np.where(points.suburb[piece] == suburb, (self.days[piece] - ahead).clip(0), 0)
        total = _total_of(points.value[piece] - slope * ahead, slope, days)
        return _Part(piece, np.where(days, total, 0), days)


def _total_of(value: Values, slope: Values, days: Whole) -> Values:
    """Return the sum of the values of some days in a row on a line: from the value of the last day, and the slope."""
    return np.asarray(days * (value - slope * ((days - 1) / 2)))


def _sums_between(values: Values, first: Whole, last: Whole) -> Values:
    """Return the sum of the values from each position until the one before another, which may be the same."""
    # Each second sum is from one last position to the next first one. Differences of a running sum would be less exact.
    sums = np.add.reduceat(values, np.column_stack([first, last]).ravel())[::2]
    return np.where(first < last, sums, 0)


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
