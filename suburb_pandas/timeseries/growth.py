"""Computes growth over calendar spans: each point against the last one known a year, or another span, earlier.

Means over days are left to `weights`, and calendar steps to `dates`.
"""

from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import carry
from suburb_pandas.timeseries.dates import Length, Step, Values, Whole, no_dates, to_dates, whole_days
from suburb_pandas.timeseries.points import Points, known_at, read
from suburb_pandas.timeseries.weights import mean_before

_DAYS_A_YEAR: Final = 365.25


def growth(
    frame: pd.DataFrame,
    over: str = "1Y",
    *,
    smooth: Length | None = None,
    annualise: bool = False,
    tolerance: Length | None = "31D",
    detail: bool = False,
) -> pd.DataFrame:
    """Return the growth of each rent over a calendar span, as a fraction: 0.05 is five per cent.

    ``pct_change(12)`` counts rows, whether they are months or weeks apart. This function goes back by the calendar
    instead. Months and years lead from a month's last day to a month's last day, and from any other date to the same
    day of the month (or the month's last day, if the month is shorter). The base is the last point on or before that
    target date, so no later point is used.

    A rent that has not moved for months can mean that there were too few listings. Its growth of zero is no evidence of
    stability: see :func:`quality`.

    Parameters
    ----------
    frame
        A frame of the rent shape, of one suburb or long. Rows may be in any order.
    over
        A whole number and D, W, M or Y: ``"1Y"``, ``"3M"``, ``"52W"``, ``"91D"``.
    smooth
        Compare means over days instead of single points, such as ``"91D"``: each mean is over that many days up to and
        including the date of the point or its base. Days are weighted as in :func:`resample`.
    annualise
        Return growth per year: ``(1 + growth) ** (365.25 / days) - 1``, where ``days`` is the actual number of days
        from base to point, and 365.25 is the mean length of a calendar year.
    tolerance
        How much older than the target date the base may be, such as ``"31D"``. If it is older, growth is NaN. None
        allows any age.
    detail
        Add the date of each base: ``house_base_date``, ``unit_base_date``.

    Returns
    -------
    pandas.DataFrame
        The index, rows and columns of ``frame``, with ``house`` and ``unit`` as fractions (float64). They are NaN where
        there is no point or no base.

    Raises
    ------
    TypeError, ValueError
        The frame does not have the rent shape, or ``over``, ``smooth`` or ``tolerance`` cannot be parsed.

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
        values[points.row] = _growth_over_base(points, base, window, annualise=annualise)
        result[kind] = values
        if detail:
            dates = no_dates(len(frame), rents.unit)
            dates[points.row] = known_at(to_dates(points.day, rents.unit), base)
            result[f"{kind}_base_date"] = dates
    return carry(frame, result, unit="fraction")


def _growth_over_base(points: Points, base: Whole, window: int | None, *, annualise: bool) -> Values:
    """Return the growth of each point over its base, NaN where the position of the base is -1."""
    level = points.value if window is None else mean_before(points, window)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        grown = np.where(base >= 0, level / level[base] - 1, np.nan)
        if annualise:
            grown = (1 + grown) ** (_DAYS_A_YEAR / (points.day - points.day[base])) - 1
    return grown
