"""Reads the series that a chart of rents draws: the points of one suburb and property type, and how each step is drawn.

Cadence and gaps are computed by timeseries. Drawing is left to lines, the choice of series to chart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES, is_resampled
from suburb_pandas.messages import captured_warnings
from suburb_pandas.timeseries.cadence import FLAT, Steps, steps
from suburb_pandas.timeseries.dates import Flags, to_dates
from suburb_pandas.timeseries.period_values import flags_of, without_details
from suburb_pandas.timeseries.periods import frequency_of
from suburb_pandas.timeseries.points import Points, read

CADENCES: Final = ("quarterly", "monthly", "fortnightly", "weekly", "irregular")
"""The cadences of steps, in the order in which they are drawn."""

DOTTED: Final = {"quarterly", "irregular"}
"""The cadences whose points are drawn as dots on the line."""

STROKES: Final[Mapping[str, Any]] = {"plain": "-", "flat": (0, (2.2, 1.2)), "filled": (0, (0.7, 0.9))}
"""The line style of each kind of step."""

_CALENDARS: Final = {3: "quarterly", 12: "yearly"}  # by the months of a period
_DAYS_IN_YEAR: Final = 366
_DETAILS_OF_GROWTH: Final = ("base", "base_date", "days")


@dataclass(frozen=True, slots=True)
class Series:
    """One series of one suburb.

    ``breaks`` is True for each step that is drawn without a line, ``is_filled`` for each point with a filled value,
    and ``is_open`` for each point of an open period.
    """

    points: Points
    steps: Steps
    breaks: Flags
    is_filled: Flags
    is_open: Flags

    def scaled(self, factor: float) -> Series:
        """Return this series with all values multiplied by a factor."""
        return replace(self, points=replace(self.points, value=factor * self.points.value))

    @property
    def dates(self) -> npt.NDArray[np.datetime64]:
        """The dates of the points."""
        return to_dates(self.points.day)

    @property
    def styles(self) -> Iterator[tuple[str, str, Flags]]:
        """The line styles of the series: cadence, kind of stroke, and the steps in this style."""
        to_filled = self.is_filled | np.append(False, self.is_filled)[:-1]
        strokes = np.where(to_filled, "filled", np.where(self.steps.is_flat, "flat", "plain"))
        for cadence in CADENCES:
            for stroke in STROKES:
                selected = ~self.breaks & (self.steps.cadence == cadence) & (strokes == stroke)
                if selected.any():
                    yield cadence, stroke, selected

    @property
    def changes(self) -> Flags:
        """True for each point at which steps of one cadence change to those of another."""
        regular = (self.steps.cadence != "irregular") & ~self.points.is_first
        changes: Flags = (
            regular
            & np.append(regular[1:], False)
            & np.append(self.steps.cadence[1:] != self.steps.cadence[:-1], False)
        )
        return changes

    @property
    def isolated(self) -> Flags:
        """True for each point without a line on either side."""
        isolated: Flags = self.breaks & np.append(self.breaks, True)[1:]
        return isolated


Group = Mapping[str, Series]
"""The series of one panel, by label."""


def without_other_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without the columns that ``detail=True`` added, in resampling or with growth."""
    return without_details(frame).drop(
        columns=[f"{kind}_{name}" for kind in PROPERTY_TYPES for name in _DETAILS_OF_GROWTH], errors="ignore"
    )


def read_series(frame: pd.DataFrame, kinds: Iterable[str]) -> dict[str, Series]:
    """Return the series of one suburb by property type."""
    with captured_warnings():  # draw() has read the whole frame, with a warning about duplicate dates
        points = read(without_other_columns(frame).drop(columns=AREA_NAME, errors="ignore")).points
    steps_of = {kind: _with_known_flats(steps(points[kind]), points[kind], frame, kind) for kind in kinds}
    return {
        kind: Series(
            points[kind],
            steps_of[kind],
            _breaks(points[kind], steps_of[kind]),
            flags_of(frame, f"{kind}_filled")[points[kind].row],
            flags_of(frame, f"{kind}_open")[points[kind].row],
        )
        for kind in kinds
    }


def common_calendar(series: Iterable[Series]) -> str | None:
    """Return ``quarterly`` or ``yearly`` if all points are on such a calendar, and most a single period apart."""
    days = [each.points.day for each in series]
    found = frequency_of(np.unique(np.concatenate(days)))
    if found is None or found.months not in _CALENDARS:
        return None
    steps = np.concatenate([np.diff(found.number(each)) for each in days])
    return _CALENDARS[found.months] if len(steps) and np.median(steps) == 1 else None


def _with_known_flats(steps: Steps, points: Points, frame: pd.DataFrame, kind: str) -> Steps:
    """Return steps that are flat only where the points themselves were unchanged for so long.

    The label of a period is not the date of a point: two equal quarters may hold points that are a few weeks apart. So
    a resampled frame needs its column of unchanged days, and quarterly or irregular steps of any other frame are not
    flat.
    """
    label = f"{kind}_unchanged_days"
    if label in frame.columns:
        is_known = frame[label].to_numpy("float64", na_value=np.nan)[points.row] >= FLAT
    elif is_resampled(frame):
        is_known = np.zeros(len(points.row), dtype="bool")
    else:
        is_known = ~np.isin(steps.cadence, [*DOTTED])
    return replace(steps, is_flat=steps.is_flat & is_known)


def _breaks(points: Points, steps: Steps) -> Flags:
    """Return True for each step without a line: the step to a first point, and a step with missing points.

    All steps of a series of years are irregular. An irregular step counts as one with missing points if it is longer
    than one and a half times the median irregular step, or longer than one and a half years.
    """
    days = np.diff(points.day, prepend=0)
    irregular = (steps.cadence == "irregular") & ~points.is_first
    usual = min(np.median(days[irregular]), _DAYS_IN_YEAR) if irregular.any() else _DAYS_IN_YEAR
    breaks: Flags = points.is_first | steps.is_gap | (irregular & (days > usual * 3 / 2))
    return breaks
