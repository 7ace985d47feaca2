"""Finds the cadence of each step of a series, the points that are missing, flat runs, and when the next point is due.

Dividing the steps of a series among the cadences is left to `division`, a table of the stretches to `cadence`.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.frames.dates import Flags, Whole
from suburb_pandas.frames.points import Points
from suburb_pandas.timeseries.calendar import is_months_end, months_before
from suburb_pandas.timeseries.division import (
    DAYS,
    IRREGULAR,
    MEAN_DAYS,
    MONTHLY,
    MONTHS,
    NAMES,
    WEEKLY,
    divide,
    is_monthly,
)

FLAT: Final = 56
"""The number of days from which an unchanged value counts as flat."""


class Steps(NamedTuple):
    """The step to each point from the one before it.

    ``cadence`` is the cadence of the stretch that the step is in. ``is_gap`` is True where points are missing within
    the step. ``is_flat`` is True where the step belongs to a run of equal values of `FLAT` days or more. Both are False
    for the first point of a suburb, because it has no step.
    """

    cadence: npt.NDArray[Any]
    is_gap: Flags
    is_flat: Flags


def steps(points: Points) -> Steps:
    """Return the steps between the points of one property type."""
    cadences = cadences_of(points)
    unchanged = points.days_unchanged()
    run = np.cumsum(unchanged == 0)
    is_flat = (unchanged > 0) & (pd.Series(unchanged).groupby(run).transform("max") >= FLAT).to_numpy()
    return Steps(NAMES[cadences], missing(points, cadences) > 0, is_flat)


def cadences_of(points: Points) -> Whole:
    """Return the number of the cadence of the stretch that the step to each point is in.

    The first point of a series has the cadence of the first stretch.
    """
    return divide(np.diff(points.day, prepend=0), points.is_first)


def missing(points: Points, cadences: Whole) -> Whole:
    """Return how many points are missing within the step to each point."""
    gaps = np.rint(np.diff(points.day, prepend=0) / MEAN_DAYS[cadences]) - 1
    return np.where(points.is_first, 0, gaps.clip(0)).astype("int64")


def due_before(points: Points, cadences: Whole) -> Whole:
    """Return, for each suburb that has points, the day on which a point before its first one was due.

    It is one step of the first cadence earlier. If the first step is monthly, so is the step before it: a single one is
    no stretch, although the points may have been monthly until then.
    """
    first, last = points.first_and_last
    step = np.diff(points.day, append=0)[first]
    cadence = np.where(is_monthly(step), MONTHLY, cadences[first])
    return _one_step_from(points.day[first], cadence, step, -1, is_single=first == last)


def due_after(points: Points, cadences: Whole) -> Whole:
    """Return, for each suburb that has points, the day on which the next point is due: one step after its last one."""
    first, last = points.first_and_last
    step = np.diff(points.day, prepend=0)[last]
    return _one_step_from(points.day[last], cadences[last], step, 1, is_single=first == last)


def _one_step_from(
    day: Whole, cadence: Whole, own_step: Whole, direction: Literal[1, -1], *, is_single: Flags
) -> Whole:
    """Return the day one step before or after the first or last point of each suburb, by its cadence.

    An irregular stretch repeats its own step. A single point counts as monthly if it is dated a month's last day,
    otherwise as weekly.
    """
    cadence = np.where(is_single, np.where(is_months_end(day), MONTHLY, WEEKLY), cadence)
    days = np.where(cadence == IRREGULAR, own_step, DAYS[cadence])
    return months_before(day + direction * days, -direction * MONTHS[cadence])
