"""Computes growth over calendar spans: each point against the value on the line a year, or another span, earlier.

The value between two points and means along the line are left to `line`, spans of the calendar to `calendar`.
"""

from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from suburb_pandas.frames.calls import call_of
from suburb_pandas.frames.dates import Length, Resolution, Values, Whole, parse_length
from suburb_pandas.frames.marks import Result, carry
from suburb_pandas.frames.points import Points
from suburb_pandas.frames.rents import read_rents
from suburb_pandas.frames.schema import GROWTH_UNIT, RENT_UNIT, unit_of
from suburb_pandas.messages import listed
from suburb_pandas.timeseries.calendar import Span
from suburb_pandas.timeseries.line import COVERAGE, MAX_GAP, Line, coverage_limit, line_of, window_days

Base = Literal["linear", "last"]

BASE_DETAILS: Final = ("_base", "_base_date", "_days")
"""The columns that show the base of each growth, by the ends of their labels."""

_NO_DAY: Final = -(10**9)  # before every point


class _Options(NamedTuple):
    """The checked options of growth. ``max_gap`` and ``window`` are in days; no window means single points."""

    span: Span
    base: Base
    max_gap: int
    window: int | None
    min_coverage: float
    annualise: bool


def growth(
    frame: Result,
    over: str = "1Y",
    *,
    base: Base = "linear",
    max_gap: Length = f"{MAX_GAP}D",
    smooth: Length | None = None,
    min_coverage: float = COVERAGE,
    annualise: bool = False,
    detail: bool = False,
) -> Result:
    """Return the growth of each rent over a calendar span, as a fraction: 0.05 is five per cent.

    ``pct_change(12)`` counts rows, whether they are months or weeks apart. This function goes back by the calendar
    instead. With months and years, it goes from a month's last day to a month's last day, and from any other date to
    the same day of the month (or the month's last day, if the month is shorter). The value on that date is the base.

    A point is a level as at its date. So the value on a date between two neighbouring points is on the straight line in
    days between them. Both must be dated before the point whose growth is computed. ``base="last"`` takes the last
    point at or before the date. That point is usually older than the date, so the growth of rising rents is overstated,
    most of all where monthly points change to weekly ones.

    So a point that is dated later changes no growth. An earlier point that is revised, removed or added does. In a
    frame of ``resample(how="mean")``, the next point changes the last mean, and so its growth. With labels at the start
    of periods (``MS``, ``QS``, ``YS``), a growth is dated before the data that it comes from.

    Rents resampled with the default ``partial="keep"`` end in a period that is still open. Its growth compares the part
    of a period with a whole one; ``partial="drop"`` in the resampling leaves it out.

    A rent that has not moved for months can mean that there were too few listings. Its growth of zero is no evidence of
    stability: see :func:`quality`.

    Parameters
    ----------
    frame
        Rents in any layout: one suburb's frame, long, a panel (suburb and date as the index, in either order), tidy or
        wide, or one property type alone, as ``wide["house"]`` or as a Series with dates as its index. The column or
        level of suburbs may have any name that ``df.suburb`` finds. Other columns have to be the same in all rows of a
        suburb, and come back with the result. Rows may be in any order. The frame may come from a file: see
        :func:`rent`. A time with a zone counts as its calendar day in Sydney. Or an index from :func:`rent_index`, also
        of several groups.
    over
        A whole number up to 9999 and D, W, M or Y: ``"1Y"``, ``"3M"``, ``"52W"``, ``"91D"``.
    base
        ``"linear"``: the value on the line between the points around the date. ``"last"``: the last point at or before
        the date.
    max_gap
        With ``base="linear"``: the most days between two neighbouring points that a line connects. With
        ``base="last"``: the most days from the base to the date; the line of means then connects points up to 35 days
        apart. Beyond it, growth is NaN.
    smooth
        Compare means instead of single values. Each is the mean along the line over this many days, such as ``"91D"``,
        up to and including the date of the point or its base. Two single values make noisy growth: on one real series,
        growth over a year moved by up to 1.2 percentage points from week to week. If the base's date is on the line
        between two points and the later one is not dated before the point itself, growth is NaN even if the windows
        meet ``min_coverage``.
    min_coverage
        With ``smooth``: the least share of a window's days that must be on the line, from 0 to 1. Below it, growth is
        NaN. A mean uses only the days on the line, so growth can be inaccurate where a window is only partly covered:
        in the first year of a series, and beside gaps. ``min_coverage=1`` accepts complete windows only.
    annualise
        Return growth per year, compounded. A span of months or years compounds by its months: ``(1 + growth) ** (12 /
        months) - 1``. So a quarter's growth is taken to the fourth power, as the ABS and the RBA do, and a year's stays
        as it is. A span of days or weeks compounds by the days from base to point: ``(1 + growth) ** (365.25 / days) -
        1``, where 365.25 is the mean length of a calendar year.
    detail
        Add columns that show the base of each growth. This needs a long frame, a panel or one suburb's frame.

    Returns
    -------
    pandas.DataFrame
        The index, rows and columns of ``frame``, with ``house`` and ``unit`` as fractions (float64), never infinite.
        They are NaN where there is no point or no base.

        For an index, the columns are ``group``, if it has one, and the growth of each index. Columns such as
        ``house_n`` are left out.

        A tidy frame gives a tidy one, with a row for each known growth, in the column ``rent``. Its rows are numbered
        anew, so join it to the rents by ``date``, ``area_name`` and ``property_type``.

        ``detail`` adds these columns for each property type, here for houses. Their values are missing where there is
        no growth:

        - ``house_base`` (float64, in the unit of ``frame``): the value on the base's date, or with ``smooth`` the mean
        - ``house_base_date`` (datetime64): the base's date; with ``base="last"``, the date of the last point
        - ``house_days`` (float64): days from the base to the point

    Warns
    -----
    DataWarning
        A series has different values on one date. Or a value is not above zero or not finite; it counts as missing. Or
        a date is before 1900, or after the day on which the data were retrieved (after today, if the frame does not say
        when that was).

    Raises
    ------
    TypeError, ValueError
        The frame is not one of rents, or its attrs say that it holds growth or counts. Or an option has an unknown
        value, cannot be parsed or needs another layout.

    See Also
    --------
    resample : Put rents on one calendar.
    quality : Return how long rents were unchanged.

    Examples
    --------
    >>> sp.growth(sp.rent("Quokka Bay"), "1Y", detail=True).tail(1)[["house_base_date", "house_days"]]
               house_base_date  house_days
    date
    2026-04-26      2025-04-26       365.0
    """
    if base not in get_args(Base):
        raise ValueError(f"base must be one of {listed(get_args(Base))}, not {base!r}.")
    window = window_days(smooth)
    longest, least = parse_length(max_gap, "max_gap"), coverage_limit(min_coverage)
    options = _Options(Span.parse(over, "over"), base, longest, window, least, annualise)
    rents = read_rents(frame)
    if detail:
        rents.layout.check_detail()
    unit = unit_of(frame) or RENT_UNIT
    columns: dict[str, tuple[Whole, npt.NDArray[Any]]] = {}
    units: dict[str, str] = {}
    for kind, points in rents.points.items():
        parts = [_grown(points.take(block), options, rents.date_resolution) for block in points.blocks()]
        for suffix in ("", *BASE_DETAILS) if detail else [""]:
            columns[f"{kind}{suffix}"] = points.place, np.concatenate([part[suffix] for part in parts])
        units |= {kind: GROWTH_UNIT, f"{kind}_base": unit, f"{kind}_days": "days"}
    operation = call_of(
        growth,
        over=over,
        base=base,
        max_gap=max_gap,
        smooth=smooth,
        min_coverage=min_coverage,
        annualise=annualise,
        detail=detail,
    )
    grown: Result = rents.layout.with_values(columns)
    unit_of_result = units if detail else GROWTH_UNIT
    return carry(frame, grown, unit=unit_of_result, operation=operation, dates=rents.dates)


def _grown(points: Points, options: _Options, resolution: Resolution) -> dict[str, npt.NDArray[Any]]:
    """Return the growth of each point of one property type, and its details by the ends of their labels."""
    base_day, max_gap = options.span.back_from(points.day), options.max_gap
    if options.base == "last":  # then max_gap is about the age of the base, and not about the line of means
        position = points.position_at_or_before(points.suburb, base_day, options.max_gap)
        base_day, max_gap = np.where(position >= 0, points.day[position], _NO_DAY), MAX_GAP
    line = line_of(points, max_gap)
    base_value = _level(line, points.suburb, base_day, points.day, options)
    now = _level(line, points.suburb, points.day, points.day + 1, options)
    days, months = points.day - base_day, options.span.months
    times_a_year = 1 if not options.annualise else 12 / months if months else 365.25 / days
    with np.errstate(over="ignore"):
        grown = (now / base_value) ** times_a_year - 1
    is_known = np.isfinite(grown) & np.isfinite(base_value)
    return {
        "": np.where(is_known, grown, np.nan),
        "_base": np.where(is_known, base_value, np.nan),
        "_base_date": np.where(is_known, base_day.astype("M8[D]"), np.datetime64("NaT", "D")).astype(
            f"M8[{resolution}]"
        ),
        "_days": np.where(is_known, days, np.nan),
    }


def _level(line: Line, suburb: Whole, day: Whole, known_before: Whole, options: _Options) -> Values:
    """Return each suburb's value on the line on a day, or its mean over the window up to that day."""
    if options.window is None:
        return line.at(suburb, day, known_before)
    means, days = line.mean(suburb, day - options.window, day, known_before)
    return np.where(days / options.window < options.min_coverage, np.nan, means)
