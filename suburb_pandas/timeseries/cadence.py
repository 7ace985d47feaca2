"""Makes the table of how often points arrive: stretches of one cadence, and missing points.

The division into stretches is left to `division`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from suburb_pandas.frames.calls import call_of
from suburb_pandas.frames.dates import Resolution, Whole, to_dates
from suburb_pandas.frames.marks import FrameOrSeries, carry
from suburb_pandas.frames.points import Points, starts_of
from suburb_pandas.frames.rents import Rents, read_rents
from suburb_pandas.frames.schema import PROPERTY_TYPE, RENT
from suburb_pandas.timeseries.division import NAMES
from suburb_pandas.timeseries.stretches import cadences_of, missing


def cadence(frame: FrameOrSeries) -> pd.DataFrame:
    """Return how often each series has points, and how many points are missing.

    A stretch of a series is ``weekly``, ``fortnightly``, ``monthly`` or ``quarterly`` if at least two thirds of its
    steps, from one point to the next, are of that length: 6 to 8, 13 to 15, 28 to 31 or 89 to 92 days. Any other
    stretch is ``irregular``, and so is a single step; no point is missing in it. The notes say where a stretch begins
    and ends.

    Parameters
    ----------
    frame
        Rents in any layout: one suburb's frame, long, a panel (suburb and date as the index, in either order), tidy or
        wide, or one property type alone, as ``wide["house"]`` or as a Series with dates as its index. The column or
        level of suburbs may have any name that ``df.suburb`` finds. The frame may come from a file: see :func:`rent`. A
        time with a zone counts as its calendar day in Sydney.

    Returns
    -------
    pandas.DataFrame
        One row per stretch, ordered by suburb (in the order of their first rows), property type and date. A series
        without points has no row. Columns:

        - ``area_name`` (categorical; unless the frame is of one suburb and does not name it)
        - ``property_type`` (text; NA for ``wide["house"]``, which does not say its own type)
        - ``cadence``: ``weekly``, ``fortnightly``, ``monthly``, ``quarterly`` or ``irregular``
        - ``start`` and ``end``: dates of the first and last point; a point at which the cadence changes
          belongs to both stretches
        - ``n_points`` (int64): points from start to end
        - ``n_missing`` (int64): points missing within the steps; 0 for an irregular stretch. For each step, this is its
          length divided by 7, 14, 30.4375 or 91.3125 days, rounded (halves to even), minus one, but at least 0.

    Warns
    -----
    DataWarning
        A series has different values on one date. Or a value is not above zero or not finite; it counts as missing. Or
        a date is before 1900, or after the day on which the data were retrieved (after today, if the frame does not say
        when that was).

    Raises
    ------
    TypeError, ValueError
        The frame is not one of rents, or its attrs say that it holds growth or counts.

    See Also
    --------
    quality : Return the age, length and flat runs of each series.
    resample : Put rents on one calendar.

    Notes
    -----
    Missing points make steps longer; shorter steps are rarely an accident. So two weekly steps end a monthly stretch,
    but it takes five fortnightly steps in a row to end a weekly one. Where monthly points become weekly, a step that is
    neither belongs to the monthly stretch if it is longer than 31 days, and otherwise to the weekly one. Daily points
    are irregular.

    In figures, a series is divided into stretches at the least cost. A step that is longer than those of its stretch
    costs 6, and a shorter one 10, but 6 in a weekly stretch. Each step of an irregular stretch costs 2, and beginning
    with an irregular stretch costs 10. A change to a cadence with steps less than a quarter as long costs 11, a change
    to or from ``irregular`` 50, and any other change 29. Of equal costs, the last stretch has the shorter cadence, and
    each change is as late as possible; if that leaves a choice, the stretch before a change has the shorter cadence.

    Each stretch then gets the cadence that two thirds of its steps have. If there is none, or only one step, it is
    irregular. Neighbours of the same cadence become one stretch.

    Examples
    --------
    >>> sp.cadence(sp.rent("Cider Gum")).query("property_type == 'house'")[["cadence", "end", "n_missing"]]
       cadence        end  n_missing
    0  monthly 2022-08-28          0
    1   weekly 2026-04-26          1
    """
    rents = read_rents(frame)
    tables = {kind: _stretches(points, rents.date_resolution) for kind, points in rents.points.items()}
    result = by_suburb(rents, tables, rents.category)
    return carry(frame, result, unit="points", operation=call_of(cadence), dates=rents.dates)


def _stretches(points: Points, resolution: Resolution) -> pd.DataFrame:
    """Return the columns of `cadence` for one property type, by the numbers of the suburbs."""
    cadences = cadences_of(points)
    begins = points.is_first | starts_of(cadences)
    first = np.flatnonzero(begins)
    last = np.flatnonzero(np.roll(begins, -1))
    shared = ~points.is_first[first]  # True if the stretch also includes the last point of the stretch before it
    columns = {
        "cadence": NAMES[cadences[first]],
        "start": to_dates(points.day[first - shared], resolution),
        "end": to_dates(points.day[last], resolution),
        "n_points": last - first + 1 + shared,
        "n_missing": np.add.reduceat(missing(points, cadences), first),
    }
    return pd.DataFrame(columns, points.suburb[first]).astype({"cadence": "str"})


def by_suburb(rents: Rents, tables: dict[str, pd.DataFrame], category: Whole) -> pd.DataFrame:
    """Return tables by property type as one, sorted by their index, whose numbers are those of the categories given.

    A type that the frame does not name is NA.
    """
    for kind, table in tables.items():
        types = pd.Series(kind, table.index, dtype="str")
        table.insert(0, PROPERTY_TYPE, types.where(types != RENT))
    table = pd.concat(tables.values()).sort_index(kind="stable")
    return pd.DataFrame({**rents.name_column(category[table.index]), **table.reset_index(drop=True)})
