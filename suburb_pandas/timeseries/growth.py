"""Growth by the calendar: each point against the one that stood a year, or any other span, before it."""

from __future__ import annotations

from typing import Final, TypedDict

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import carry
from suburb_pandas.timeseries.dates import Length, Step, Values, Whole, no_dates, to_dates, whole_days
from suburb_pandas.timeseries.points import Points, known_at, read
from suburb_pandas.timeseries.weights import mean_before

_DAYS_A_YEAR: Final = 365.25


class GrowthOptions(TypedDict, total=False):
    """What ``growth`` takes besides."""

    smooth: Length | None
    annualise: bool
    tolerance: Length | None
    detail: bool


def growth(
    frame: pd.DataFrame,
    over: str = "1Y",
    *,
    smooth: Length | None = None,
    annualise: bool = False,
    tolerance: Length | None = "31D",
    detail: bool = False,
) -> pd.DataFrame:
    """Give by how much each rent grew over a span of the calendar, as a fraction: 0.05 is five per cent.

    ``pct_change(12)`` counts rows, which are months here and weeks there. This goes back by the calendar: from a
    month's last day by months and years to a month's last day, from other dates to the same day of the month (or its
    last). The base is the last point at or before that date, so nothing later is looked at.

    A rent that has not moved for months can mean too few listings, and its growth of zero is no evidence of stability:
    see :func:`quality`.

    Parameters
    ----------
    frame
        A frame of the rent shape, of one suburb or long. Rows may be in any order.
    over
        A whole number and D, W, M or Y: ``"1Y"``, ``"3M"``, ``"52W"``, ``"91D"``.
    smooth
        Compare means by days instead of points: over as many days before each of the two points, their own dates
        included, such as ``"91D"``. The days are weighted as in :func:`resample`.
    annualise
        Give growth a year: ``(1 + growth) ** (365.25 / days) - 1``, with the days from base to point as they are, and
        the mean length of a calendar year.
    tolerance
        How much older than the date gone back to the base may be; older, and the growth is NaN. None for any age.
    detail
        Add the date of each base: ``house_base_date``, ``unit_base_date``.

    Returns
    -------
    pandas.DataFrame
        Index, rows and columns of the frame given, ``house`` and ``unit`` as fractions (float64), NaN where there is no
        point or no base.

    Raises
    ------
    TypeError, ValueError
        The frame is not of the rent shape, or a length cannot be read.

    Examples
    --------
    >>> sp.growth(sp.rent("Quokka Bay"), "1Y", detail=True).tail(1)[["house_base_date", "unit_base_date"]]
               house_base_date unit_base_date
    date
    2026-04-26      2025-04-20     2025-04-20
    """
    step = Step.read(over, "over")
    longest = None if tolerance is None else whole_days(tolerance, "tolerance")
    window = None if smooth is None else whole_days(smooth, "smooth")
    if window == 0:
        raise ValueError(f"smooth is at least one day, not {smooth!r}.")
    rents = read(frame)
    result = frame.copy()
    for kind, points in rents.points.items():
        base = points.at_or_before(points.suburb, step.before(points.day), longest)
        values = np.full(len(frame), np.nan)
        values[points.row] = _grown(points, base, window, annualise=annualise)
        result[kind] = values
        if detail:
            dates = no_dates(len(frame), rents.unit)
            dates[points.row] = known_at(to_dates(points.day, rents.unit), base)
            result[f"{kind}_base_date"] = dates
    return carry(frame, result, unit="fraction")


def _grown(points: Points, base: Whole, window: int | None, *, annualise: bool) -> Values:
    """Give the growth of each point over its base, NaN where that is -1."""
    level = points.value if window is None else mean_before(points, window)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        grown = np.where(base >= 0, level / level[base] - 1, np.nan)
        if annualise:
            grown = (1 + grown) ** (_DAYS_A_YEAR / (points.day - points.day[base])) - 1
    return grown
