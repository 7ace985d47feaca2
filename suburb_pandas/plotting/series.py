"""Reads the series that a chart of rents draws: the points of one suburb and property type, and the form of each step.

Cadence and gaps are computed by timeseries. Drawing is left to lines, the choice of series to rents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.schema import PROPERTY_TYPES, is_resampled, marks_of
from suburb_pandas.timeseries.cadence import FLAT, Steps, steps
from suburb_pandas.timeseries.dates import Flags, to_dates
from suburb_pandas.timeseries.period_values import flags_of, without_details
from suburb_pandas.timeseries.points import Points, read

DOTTED: Final = ("quarterly", "irregular")
"""The cadences whose points are drawn as dots on the line."""

_DAYS_IN_YEAR: Final = 366
_DETAILS_OF_GROWTH: Final = ("base", "base_date", "days")


@dataclass(frozen=True, slots=True)
class Series:
    """One property type of one suburb.

    ``cadence`` and ``stroke`` are the form of each step: how often points arrive, and ``plain``, ``flat`` or
    ``filled``. ``is_break`` is True for each step that is drawn without a line, ``is_open`` for each point of an open
    period.
    """

    name: str | None
    kind: str
    points: Points
    cadence: npt.NDArray[Any]
    stroke: npt.NDArray[Any]
    is_break: Flags
    is_open: Flags

    def __bool__(self) -> bool:
        """Return True if the series has points."""
        return bool(len(self.points.day))

    def scaled(self, factor: float) -> Series:
        """Return this series with all values multiplied by a factor."""
        return replace(self, points=replace(self.points, value=factor * self.points.value))

    @property
    def dates(self) -> npt.NDArray[np.datetime64]:
        """The dates of the points."""
        return to_dates(self.points.day)

    @property
    def forms(self) -> Iterator[tuple[str, str, Flags]]:
        """The forms that the lines of the series have: cadence, stroke, and the steps in this form."""
        for cadence, stroke in sorted({*zip(self.cadence, self.stroke, strict=True)}):
            selected = ~self.is_break & (self.cadence == cadence) & (self.stroke == stroke)
            if selected.any():
                yield cadence, stroke, selected

    @property
    def changes(self) -> Flags:
        """True for each point at which steps of one cadence change to those of another."""
        regular = (self.cadence != "irregular") & ~self.points.is_first
        changes: Flags = regular & _before(regular) & np.append(self.cadence[1:] != self.cadence[:-1], False)
        return changes

    @property
    def dots(self) -> Flags:
        """True for each point that is drawn as a dot: without a line on either side, or on a line of few points."""
        dotted = np.isin(self.cadence, DOTTED) & ~self.is_break
        is_alone: Flags = self.is_break & np.append(self.is_break, True)[1:]
        return is_alone | dotted | _before(dotted)


def read_series(frame: pd.DataFrame) -> list[Series]:
    """Return the series of a frame in the long layout: all suburbs of one property type after another."""
    details = [f"{kind}_{name}" for kind in PROPERTY_TYPES for name in _DETAILS_OF_GROWTH]
    rents = read(without_details(frame).drop(columns=details, errors="ignore"))
    names = [marks_of(frame).get("area_name")] if rents.names is None else [*map(str, rents.names)]
    return [
        _series(name, kind, points.where(points.suburb == number), frame)
        for kind, points in rents.points.items()
        for number, name in enumerate(names)
    ]


def _series(name: str | None, kind: str, points: Points, frame: pd.DataFrame) -> Series:
    """Return one series, whose points are at their rows of a frame."""
    found = steps(points)
    is_filled = flags_of(frame, f"{kind}_filled")[points.row]
    is_flat = found.is_flat & _are_unchanged(found, points, frame, kind)
    stroke = np.where(is_filled | np.append(False, is_filled)[:-1], "filled", np.where(is_flat, "flat", "plain"))
    is_open = flags_of(frame, f"{kind}_open")[points.row]
    return Series(name, kind, points, found.cadence, stroke, _breaks(points, found), is_open)


def _are_unchanged(found: Steps, points: Points, frame: pd.DataFrame, kind: str) -> Flags:
    """Return True for each step whose points are known to have been unchanged, not only equal.

    The label of a period is not the date of a point: two equal quarters may hold points that are a few weeks apart. So
    a resampled frame needs its column of unchanged days, and quarterly or irregular steps of any other frame are not
    known.
    """
    label = f"{kind}_unchanged_days"
    if label in frame.columns:
        return frame[label].to_numpy("float64", na_value=np.nan)[points.row] >= FLAT
    return ~np.isin(found.cadence, DOTTED) & (not is_resampled(frame))


def _breaks(points: Points, found: Steps) -> Flags:
    """Return True for each step without a line: the step to a first point, and a step with missing points.

    All steps of a series of years are irregular. An irregular step counts as one with missing points if it is longer
    than one and a half times the median irregular step, or longer than one and a half years.
    """
    days = np.diff(points.day, prepend=0)
    irregular = (found.cadence == "irregular") & ~points.is_first
    usual = min(np.median(days[irregular]), _DAYS_IN_YEAR) if irregular.any() else _DAYS_IN_YEAR
    breaks: Flags = points.is_first | found.is_gap | (irregular & (days > usual * 3 / 2))
    return breaks


def _before(steps: Flags) -> Flags:
    """Return True for each point that a selected step leads away from."""
    return np.append(steps[1:], False)[: len(steps)]
