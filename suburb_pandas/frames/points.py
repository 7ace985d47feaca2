"""Holds points of rents by property type, finds points by date, and decides which of them are doubtful.

A series is one property type of one suburb. A point is a value of a series on a date; if a series has several values on
one date, only the last one is a point. A rent or an index that is not above zero is no value. Reading the points of a
frame is left to `rents`, computing with them to timeseries.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.errors import DataWarning
from suburb_pandas.frames.dates import Flags, Values, Whole, day_in_australia, day_text, parse_day, to_dates
from suburb_pandas.frames.marks import FrameOrSeries, is_computed, marks_of
from suburb_pandas.messages import listed, warn

KEYS_PER_SUBURB: Final = 2**32
"""Larger than any day number, so that ``suburb * KEYS_PER_SUBURB + day`` sorts by suburb, then by day."""

_SUBURBS_OF_A_BLOCK: Final = 100
_NO_SUBURB: Final = -2  # -1 is the number of a name that a frame does not have

EARLIEST: Final = parse_day("1900-01-01", "the earliest date")
"""The earliest date that can be right."""


class Points(NamedTuple):
    """Values of one property type: those of a frame as it came, or points, sorted by suburb and date.

    ``suburb`` numbers the suburbs in the order in which they first appear in the frame, ``day`` counts days from
    1970-01-01, and ``place`` is where the frame has each value: its row, or in a wide frame its place in the columns of
    the type, which are taken one after the other.
    """

    suburb: Whole
    day: Whole
    value: Values
    place: Whole

    @property
    def is_first(self) -> Flags:
        """True for the first point of each suburb."""
        return starts_of(self.suburb)

    @property
    def first_and_last(self) -> tuple[Whole, Whole]:
        """The positions of the first and of the last point of each suburb."""
        first = np.flatnonzero(self.is_first)
        return first, np.append(first, len(self.day))[1:] - 1

    @property
    def keys(self) -> Whole:
        """A number for each point, by which points sort by suburb, then by date."""
        return self.suburb * KEYS_PER_SUBURB + self.day

    def blocks(self) -> list[slice]:
        """Return slices of a hundred suburbs each.

        Computing block by block is quicker, because the intermediate arrays then fit in the processor's cache.
        """
        edges = [0, *np.flatnonzero(self.is_first)[_SUBURBS_OF_A_BLOCK::_SUBURBS_OF_A_BLOCK].tolist(), len(self.day)]
        return [slice(begin, end) for begin, end in pairwise(edges)]

    def take(self, selected: Flags | Whole | slice) -> Points:
        """Return the points for which `selected` is True, or those at positions or in a slice."""
        return Points(self.suburb[selected], self.day[selected], self.value[selected], self.place[selected])

    def position_at_or_before(self, suburb: Whole, day: Whole, tolerance: int | None = None) -> Whole:
        """Return the position of each suburb's last point on or before a day; -1 if there is none.

        It is also -1 if that point is more than `tolerance` days older than the day.
        """
        position = self.position_after(suburb, day) - 1
        is_of_suburb = np.append(self.suburb, _NO_SUBURB)[position] == suburb
        is_recent = True if tolerance is None else day - np.append(self.day, 0)[position] <= tolerance
        return np.where(is_of_suburb & is_recent, position, -1)

    def position_after(self, suburb: Whole, day: Whole) -> Whole:
        """Return the position of each suburb's first point after a day; if there is none, of the next point of all."""
        return np.searchsorted(self.keys, suburb * KEYS_PER_SUBURB + day, side="right")

    def days_unchanged(self) -> Whole:
        """Return how many days the value of each point had been unchanged by its date; 0 for a new value."""
        changed = self.is_first
        changed[1:] |= self.value[1:] != self.value[:-1]
        return self.day - self.day[np.maximum.accumulate(np.where(changed, np.arange(len(changed)), 0))]


def points_of(cells: Mapping[str, Points]) -> Mapping[str, Points]:
    """Return the values that are points, sorted by suburb and date, and warn of dates with several different values."""
    found, replaced = {}, [np.empty(0, dtype="int64")]
    for kind, each in cells.items():
        is_missing = np.isnan(each.value)
        points = each.take(~is_missing) if is_missing.any() else each
        keys = points.keys
        if not (keys[1:] > keys[:-1]).all():  # one comparison tells that nothing is to be sorted or replaced
            points = points.take(np.argsort(keys, kind="stable"))
            is_point = ends_of(points.keys)
            replaced.append(points.day[~is_point & (points.value != np.roll(points.value, -1))])
            points = points.take(is_point)
        found[kind] = points
    dates = to_dates(np.unique(np.concatenate(replaced))).astype(str).tolist()
    if dates:
        warn(
            f"A series has several values on one date ({listed(dates)}), and the last one was used. If they belong to "
            "different suburbs, add a column area_name.",
            DataWarning,
        )
    return found


def above_zero(values: Mapping[str, Points], names: pd.Categorical | None) -> Mapping[str, Points]:
    """Return the values that are above zero and finite, and warn of the others. ``names`` are the suburbs."""
    kept, found = dict(values), []
    for kind, each in values.items():
        is_wrong = (each.value <= 0) | np.isinf(each.value)
        if is_wrong.any():
            kept[kind] = each.take(~is_wrong)
            for suburb, day, value, _ in zip(*each.take(is_wrong), strict=True):
                in_suburb = "" if names is None else f" in {names[suburb]!r}"
                found.append(f"{kind} of {value:.10g} on {day_text(day)}{in_suburb}")
    if found:
        warn(
            f"Not above zero or not finite, so taken for missing: {listed(found, str)}. If the frame holds changes, "
            "not rents, compute these after this step instead.",
            DataWarning,
        )
    return kept


def warn_of_dates(frame: FrameOrSeries, days: Whole) -> None:
    """Warn of dates before 1900, and of dates after the day of retrieval, or after today if that is not known.

    The day is the one in Australia, where a date can begin before it does in UTC. The labels of a computed frame are
    not checked: the label of an open period can be in the future.
    """
    if not len(days) or is_computed(frame):
        return
    retrieved = pd.to_datetime(str(marks_of(frame).get("retrieved_at", "")), utc=True, errors="coerce")
    when, moment = "today", datetime.now(UTC)
    if isinstance(retrieved, pd.Timestamp):
        when, moment = "the day of retrieval", retrieved
    latest = day_in_australia(moment)
    if days.min() >= EARLIEST and days.max() <= latest:
        return
    wrong = np.unique(days[(days < EARLIEST) | (days > latest)])
    limit = f"after {when}, {day_text(latest)} in Australia"
    warn(
        f"Some dates are before 1900 or {limit}: {listed(to_dates(wrong).astype(str).tolist())}. "
        "They are used unchanged; leave out the rows whose dates are wrong.",
        DataWarning,
    )


def ends_of(groups: Whole | Flags) -> Flags:
    """Return True for each element that ends a run of equal elements."""
    return starts_of(groups[::-1])[::-1]


def starts_of(groups: Whole | Flags | Values) -> Flags:
    """Return True for each element that begins a run of equal elements."""
    starts = np.ones(len(groups), dtype="bool")
    np.not_equal(groups[1:], groups[:-1], out=starts[1:])
    return starts


def known_at(values: npt.NDArray[Any], position: Whole) -> npt.NDArray[Any]:
    """Return the values at these positions; NaN or NaT where the position is -1."""
    missing = np.array("NaT", values.dtype) if values.dtype.kind == "M" else np.nan
    return np.append(values, missing)[position]
