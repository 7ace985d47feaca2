"""Summarises the data quality of each series: its age, its length, its cadence now and its flat runs.

The cadence is left to `stretches`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.calls import call_of
from suburb_pandas.frames.dates import Day, day_text, parse_day, to_dates, today
from suburb_pandas.frames.marks import FrameOrSeries, carry, marks_of
from suburb_pandas.frames.points import Points
from suburb_pandas.frames.rents import Rents, read_rents
from suburb_pandas.frames.schema import is_made_up
from suburb_pandas.sandbox import ANSWER_DATE
from suburb_pandas.timeseries.cadence import by_suburb
from suburb_pandas.timeseries.division import NAMES
from suburb_pandas.timeseries.stretches import FLAT, cadences_of

QUALITY_UNITS: Final = {
    "n_points": "points",
    "age_days": "days",
    "unchanged_days": "days",
    "longest_flat_days": "days",
    "share_flat_56d": "fraction",
    "max_step_pct": "per cent",
}
"""The units of the numbers of `quality`."""


def quality(frame: FrameOrSeries, asof: Day | None = None) -> pd.DataFrame:
    """Return the age, length, cadence and flat runs of each series of rents.

    A long flat run can mean that there were too few listings for the median to move, or that a value was carried
    forward. Growth of zero over such a run is no evidence of stability.

    Parameters
    ----------
    frame
        Rents in any layout: one suburb's frame, long, a panel (suburb and date as the index, in either order), tidy or
        wide, or one property type alone, as ``wide["house"]`` or as a Series with dates as its index. The column or
        level of suburbs may have any name that ``df.suburb`` finds. The frame may come from a file: see :func:`rent`. A
        time with a zone counts as its calendar day in Sydney.
    asof
        The date of the assessment; points after it are left out. A time with a zone counts as its calendar day in
        Sydney. By default today (UTC), or for made-up data the day of retrieval by the embedded sandbox's clock,
        2026-04-28: made-up data end two days before it.

    Returns
    -------
    pandas.DataFrame
        One row per suburb and property type, in the order of the categories of ``area_name``, or of the columns of a
        wide frame. Each of these is included, even without points. Columns, float64 and NaN where unknown unless
        another type is given:

        - ``area_name`` (categorical; unless the frame is of one suburb and does not name it)
        - ``property_type`` (text; NA for ``wide["house"]``, which does not say its own type)
        - ``first`` and ``last``: dates of the first and last point
        - ``n_points`` (int64)
        - ``cadence_now`` (text): cadence of the last stretch, as in :func:`cadence`
        - ``age_days``: days from the last point to ``asof``
        - ``unchanged_days``: days from the first to the last point of the final run of equal values
        - ``longest_flat_days``: days from the first to the last point of the longest run of equal values
        - ``share_flat_56d``: share of the days from first to last that lie in runs of equal values of 56 days or more.
          It is about all dates of the frame. To ask about the last years, leave out the rows before them; to ask
          whether a rent is flat now, use ``unchanged_days``.
        - ``max_step_pct``: largest change between neighbouring points, up or down, in per cent

    Warns
    -----
    DataWarning
        A series has different values on one date. Or a value is not above zero or not finite; it counts as missing. Or
        a date is before 1900, or after the day on which the data were retrieved (after today, if the frame does not say
        when that was).

    Raises
    ------
    TypeError, ValueError
        The frame is not one of rents, or its attrs say that it holds growth or counts. Or ``asof`` is not a date.

    See Also
    --------
    cadence : Return how often points arrive.
    growth : Compute growth, which a flat run makes zero.

    Examples
    --------
    >>> sp.quality(sp.rent("Quokka Bay"), asof="2026-05-03")[["property_type", "cadence_now", "age_days"]]
      property_type cadence_now  age_days
    0         house      weekly       7.0
    1          unit      weekly       7.0

    Find the series that are stale or mostly flat. A comparison with NaN is False, so ``~(age_days <= 31)`` also finds
    the series without points:

    >>> table = sp.quality(sp.rent(["Quokka Bay", "Woylie", "Cassava Grove"]))
    >>> is_stale, is_flat = ~(table["age_days"] <= 31), table["share_flat_56d"] > 0.5
    >>> table[is_stale | is_flat][["area_name", "property_type", "n_points", "share_flat_56d"]].round(2)
           area_name property_type  n_points  share_flat_56d
    2         Woylie         house       318            0.53
    3         Woylie          unit         0             NaN
    4  Cassava Grove         house       344            0.52
    5  Cassava Grove          unit       363            0.61
    """
    rents = read_rents(frame)
    until = _day_of_assessment(rents.layout.plain) if asof is None else parse_day(asof, "asof")
    tables = {kind: _quality(points.take(points.day <= until), until, rents) for kind, points in rents.points.items()}
    result = by_suburb(rents, tables, np.arange(len(rents.suburbs.categories)))
    operation = call_of(quality, asof=day_text(until))
    return carry(frame, result, unit=QUALITY_UNITS, operation=operation, dates=rents.dates)


def _day_of_assessment(frame: pd.DataFrame) -> int:
    """Return today, or for made-up data the day of retrieval, which the sandbox dates itself.

    Made-up data end on a fixed day, so its age today would only show how old this version of the package is.
    """
    marks = marks_of(frame)
    if not is_made_up(frame) or ", " in str(marks.get("source")):  # of several sources, some are real
        return today()
    return parse_day(str(marks.get("retrieved_at", ANSWER_DATE))[:10], "retrieved_at")


def _quality(points: Points, until: int, rents: Rents) -> pd.DataFrame:
    """Return the columns of `quality` for one property type, by the category codes of the suburbs."""
    first, last = points.first_and_last
    unchanged = points.days_unchanged().astype("float64")
    ends_run = np.roll(unchanged == 0, -1)
    flat = np.add.reduceat(np.where(ends_run & (unchanged >= FLAT), unchanged, 0), first)
    with np.errstate(divide="ignore", invalid="ignore"):
        changes = np.abs(points.value / np.roll(points.value, 1) - 1)
        share = flat / (points.day[last] - points.day[first])
    changes[points.is_first] = np.nan
    columns = {
        "first": to_dates(points.day[first], rents.date_resolution),
        "last": to_dates(points.day[last], rents.date_resolution),
        "n_points": last - first + 1,
        "cadence_now": NAMES[cadences_of(points)[last]],
        "age_days": (until - points.day[last]).astype("float64"),
        "unchanged_days": unchanged[last],
        "longest_flat_days": np.maximum.reduceat(unchanged, first),
        "share_flat_56d": share,
        "max_step_pct": 100 * np.fmax.reduceat(changes, first),
    }
    table = pd.DataFrame(columns, rents.category[points.suburb[first]]).astype({"cadence_now": "str"})
    table = table.reindex(range(len(rents.suburbs.categories)))
    return table.assign(n_points=table["n_points"].fillna(0).astype("int64"))
