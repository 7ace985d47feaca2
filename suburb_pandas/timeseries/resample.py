"""Resamples rents to weeks, months, quarters or years, without bias between monthly and weekly points.

The rows of the result and their values are left to `period_values`.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy.typing as npt

from suburb_pandas.frames.calls import call_of
from suburb_pandas.frames.dates import Length, parse_length
from suburb_pandas.frames.marks import Result, carry
from suburb_pandas.frames.rents import read_rents
from suburb_pandas.frames.schema import COUNT_UNIT, RENT_UNIT, unit_of
from suburb_pandas.messages import listed
from suburb_pandas.timeseries.line import COVERAGE, MAX_GAP, coverage_limit
from suburb_pandas.timeseries.period_values import Options, PeriodValues, grid_of, is_kept, units_with_details
from suburb_pandas.timeseries.periods import frequency

How = Literal["last", "mean", "median", "count"]
Fill = Literal["ffill", "linear"]
Partial = Literal["keep", "drop"]


def resample(
    frame: Result,
    freq: str,
    *,
    how: How = "last",
    fill: Fill | None = None,
    max_gap: Length | None = None,
    partial: Partial = "keep",
    min_coverage: float | None = None,
    max_lag: Length | None = None,
    detail: bool = False,
) -> Result:
    """Put rents on weeks, months, quarters or years, without bias between monthly and weekly points.

    The ``resample("QE").mean()`` of pandas gives a weekly point as much weight as a monthly one, so weekly data
    dominate. ``ffill`` makes values up, and ``asfreq`` drops points. Here the value of a period is its last point, or
    with ``how="mean"`` the mean over its days.

    A point is a level as at its date. So between two neighbouring points of a series at most 35 days apart, the value
    of a day is on the straight line between them. On a point's date it is the point. A day that is neither a point's
    date nor between two such points has no value. The mean of a period is taken over its days that have a value. An
    extra point on the line does not change it. The mean interpolates: a week between two monthly points has a mean
    although no point is dated in it.

    The days between a period's last point and the next point are part of its mean. So the mean of a past period can
    change once more, when the next point arrives. Without ``fill``, ``last`` uses no later point.

    Parameters
    ----------
    frame
        Rents in any layout: one suburb's frame, long, a panel (suburb and date as the index, in either order), tidy or
        wide, or one property type alone, as ``wide["house"]`` or as a Series with dates as its index. The column or
        level of suburbs may have any name that ``df.suburb`` finds. Other columns have to be the same in all rows of a
        suburb, and come back with the result. Rows may be in any order. The frame may come from a file: see
        :func:`rent`. A time with a zone counts as its calendar day in Sydney.
    freq
        A calendar frequency of pandas: ``W`` or an anchored week such as ``W-MON``; ``MS``, ``ME``, ``QS``, ``QE``,
        ``YS`` or ``YE``. Quarters and years may be anchored, as in ``QE-FEB``, or ``YE-JUN`` for financial years.
        With ``MS``, ``QS`` and ``YS`` the label of a period is its first day, so it is dated before the data that it
        summarises. To join values to events by date, use a frequency whose label is the last day.
    how
        ``"last"``: the last point dated in the period. ``"mean"``: the mean over the period's days on the line.
        ``"median"``: the median of the points dated in the period. ``"count"``: the number of these points. Except for
        the count, a value is NaN where there is no such point or day.
    fill
        Fill empty periods between two points: those that have no value without ``fill``. ``"linear"`` takes the value
        on the line at the period's last day, or for ``how="mean"`` the mean over all its days. ``"ffill"`` repeats the
        value of the period before. The points on either side of the last day must be at most ``max_gap`` apart, so that
        in a gap all periods without points are filled, or none. A mean is filled only if all days of its period lie
        between such points. By default nothing is filled.
    max_gap
        With ``fill``: the most days between the two points on either side of a gap that is filled, such as ``"62D"``.
        By default 35 days for ``"linear"``, and no limit for ``"ffill"``.
    partial
        ``"drop"`` removes the values of open periods, after filling. A period is open if the series' next point is due
        in it: one step of its latest cadence after its last point. ``"drop"`` also removes a first period that begins
        more than one step of the series before its first point. The first or last row of a suburb is removed if it has
        no points left.
    min_coverage
        For ``how="mean"``: the least share of a period's days that must be on the line, from 0 to 1. Below it the
        value is NaN. By default 0.5.
    max_lag
        For ``how="last"``: the most days from the last point to the end of its period, such as ``"10D"``. Beyond it
        the period is empty, and ``fill`` may fill it. By default no limit.
    detail
        Add columns that show how each value was obtained. This needs a long frame, a panel or one suburb's frame.

    Returns
    -------
    pandas.DataFrame
        One row for each period of a suburb, from its first point to its last, of either property type. The index
        ``date`` holds the labels that pandas gives the periods. Columns as in ``frame``: ``house`` and ``unit``
        (float64, AUD per week, or a number of points for ``how="count"``), preceded for a long frame by ``area_name``
        (categorical; suburbs in the order of their first rows).

        Any other layout is returned as such: a Series has the same name, a panel the same levels. Tidy: one row for
        each value, in a column that is called ``rent`` whatever its unit. Wide: the columns of ``frame``, and one row
        for each label. A suburb without values keeps its category in a long or tidy frame, and its columns of NaN in a
        wide one.

        ``detail`` adds for each property type, here houses:

        - ``house_n`` (int64): points dated in the period; with 0, a mean is that of the line between earlier and later
          points
        - ``house_last`` (datetime64): date of the last of these points; with ``MS``, ``QS`` and ``YS`` it is after the
          label
        - ``house_coverage`` (float64): share of the period's days on the line, before filling
        - ``house_open`` (bool): True if the period is open
        - ``house_filled`` (bool): True if the value was filled
        - ``house_unchanged_days`` (float64): days for which the value had been unchanged at that last point

    Warns
    -----
    DataWarning
        A series has different values on one date. Or a value is not above zero or not finite; it counts as missing. Or
        a date is before 1900, or after the day on which the data were retrieved (after today, if the frame does not say
        when that was).

    Raises
    ------
    TypeError, ValueError
        The frame is not one of rents, or its attrs say that it holds growth or counts. An option has an unknown value
        or does not fit another option or the layout. Or the result would have more than 50 million rows.

    See Also
    --------
    rent : Load rents, and resample them at once with ``freq``.
    growth : Compute growth from the points as they are.
    cadence : Return how often points arrive.

    Examples
    --------
    >>> rents = sp.rent("Quokka Bay")
    >>> sp.resample(rents, "QE", how="mean", partial="drop").tail(1)
                house ...
    date
    2026-03-31 ...

    >>> sp.resample(rents, "2W")
    Traceback (most recent call last):
        ...
    ValueError: freq must be a calendar frequency of pandas: ...
    """
    for option, given, known in (
        ("how", how, get_args(How)),
        ("fill", fill, (None, *get_args(Fill))),
        ("partial", partial, get_args(Partial)),
    ):
        if given not in known:
            raise ValueError(f"{option} must be one of {listed(known)}, not {given!r}.")
    if max_gap is not None and fill is None:
        raise ValueError("max_gap limits the gaps that are filled, so it needs fill='ffill' or fill='linear'.")
    if fill is not None and how not in {"last", "mean"}:
        raise ValueError(f"how={how!r} uses only the points in a period and fills nothing. Leave out fill={fill!r}")
    for option, limit, limited in (("min_coverage", min_coverage, "mean"), ("max_lag", max_lag, "last")):
        if limit is not None and how != limited:
            raise ValueError(f"{option} applies to how={limited!r} only, not to how={how!r}.")
    usual_gap = MAX_GAP if fill == "linear" else None
    parsed = frequency(freq)
    options = Options(
        frequency=parsed,
        how=how,
        fill=fill,
        max_gap=usual_gap if max_gap is None else parse_length(max_gap, "max_gap"),
        drops_partial=partial == "drop",
        min_coverage=coverage_limit(COVERAGE if min_coverage is None else min_coverage),
        max_lag=None if max_lag is None else parse_length(max_lag, "max_lag"),
        detail=detail,
        operation=call_of(
            resample,
            freq=parsed.name,
            how=how,
            fill=fill,
            max_gap=max_gap,
            partial=partial,
            min_coverage=min_coverage,
            max_lag=max_lag,
            detail=detail,
        ),
    )
    return _resampled(frame, options)


def _resampled(frame: Result, options: Options) -> Result:
    """Resample a frame by checked options."""
    rents = read_rents(frame)
    if options.detail:
        rents.layout.check_detail()
    grid = grid_of(rents, options.frequency)
    values = {kind: PeriodValues(points, grid, options) for kind, points in rents.points.items()}
    columns: dict[str, npt.NDArray[Any]] = {kind: each.value for kind, each in values.items()}
    if options.detail:
        for kind, each in values.items():
            columns |= {kind + suffix: column for suffix, column in each.details(rents.date_resolution).items()}
    result = rents.frame(grid.suburb, grid.label, columns)
    if options.drops_partial:
        result = result[is_kept(grid, values.values())]
    unit = COUNT_UNIT if options.how == "count" else unit_of(frame) or RENT_UNIT
    units = units_with_details(unit, values) if options.detail else unit
    restored: Result = rents.layout.restore(result)
    return carry(frame, restored, unit=units, operation=options.operation, dates=rents.dates)
