"""Joins data to the rows of a user's frame: rents by the date of each row, summaries and scorecards by its suburb.

A row gets the last points at or before its own date, less a lag; or the columns of its suburb in a frame with one row
per suburb. Owns the labels of the new columns. Loading is left to loaders.loaders and loaders.scorecard, finding points
by date to frames.points, joining places to geocoding.places. ``df.suburb`` offers the joins as methods.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.calls import call_of
from suburb_pandas.frames.column import column_or_level, suburbs_of
from suburb_pandas.frames.conversions import how_to_convert_dates, not_dates
from suburb_pandas.frames.dates import (
    DATES,
    Length,
    Whole,
    day_text,
    no_dates,
    parse_dates,
    parse_day,
    parse_length,
    to_dates,
    to_days,
)
from suburb_pandas.frames.marks import mark_joined
from suburb_pandas.frames.points import known_at
from suburb_pandas.frames.rents import read
from suburb_pandas.frames.suburbs import as_names
from suburb_pandas.loaders.loaders import impact_summary, rent
from suburb_pandas.loaders.scorecard import scorecard
from suburb_pandas.messages import captured_warnings, listed

_NO_DATE: Final = -(10**9)  # a day number before all points, so that a row without a date finds none
JOINED_RENTS: Final = ("house_rent", "unit_rent", "rent_date")
"""The columns that `join_rent` adds."""


def join_rent(
    frame: pd.DataFrame,
    on: Hashable = "date",
    tolerance: Length | None = "31D",
    lag: Length = "0D",
    *,
    column: Hashable | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Add to each row the last rents dated at or before the row's date.

    Rents of houses and of units are found separately. No later point is used. However, a point may have been
    published later than its date, or revised since. ``lag`` allows for late publication, and ``retrieved_by``
    restricts the rents to responses that had been retrieved by a time.

    Parameters
    ----------
    frame
        The frame with the suburbs and the dates.
    on
        The column or index level that holds each row's date. A time with a zone counts as its calendar day in
        Sydney.
    tolerance
        The oldest that a point may be, such as ``"31D"``, counted from the row's date less ``lag``; None for any
        age.
    lag
        The fewest days from a point's date to the row's date, such as ``"14D"`` if rents are published two weeks
        after their date.
    column
        The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
        called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
    max_cents, refresh, max_age, offline, retrieved_by, errors, check_names, progress, client
        As in `suburb_pandas.rent`.

    Returns
    -------
    DataFrame
        A copy of the frame with the new columns at its end. Its class (a GeoDataFrame keeps its geometry and CRS),
        index, order and columns are unchanged, and its attrs name the call, for `cite`. The new columns are
        ``house_rent`` and ``unit_rent`` (float64, AUD per week) and ``rent_date`` (the later of their points' dates);
        NaN and NaT where there is no such point, no name or no date.

    Raises
    ------
    NoSuburbColumn
        The frame has no column or index level of suburbs, or several, or one in which every name is missing.
    ValueError
        There is no column ``on``, or it holds other values than dates; a length cannot be read; or the frame already
        has one of the new columns. Nothing was sent.
    CapExceeded, BudgetExceeded, BatchIncomplete
        As for `suburb_pandas.rent`, which lists further errors. ``.frame`` has all rows, with the rents so far.

    See Also
    --------
    rent : Return the rents as a frame of their own.
    join_scorecard : Join the last rents, whatever the dates of the rows.

    Examples
    --------
    >>> sales = pd.DataFrame({"suburb": ["Quokka Bay"], "date": [pd.Timestamp("2024-05-14")]})
    >>> sales.suburb.join_rent()["rent_date"].to_list()
    [Timestamp('2024-05-12 00:00:00')]
    """
    suburbs = as_names(suburbs_of(frame, column), partial(known_names.of_client, options.get("client")))
    oldest = None if tolerance is None else parse_length(tolerance, "tolerance")
    lag_days = parse_length(lag, "lag")
    _check_free(frame, JOINED_RENTS, "Drop or rename what is there first.")
    days = days_of(frame, on) - lag_days
    call = call_of(join_rent, on=on, tolerance=tolerance, lag=lag, column=column)
    return _join(partial(rent, suburbs, **options), partial(with_rents, frame, suburbs, days, oldest), call)


def join_impacts(
    frame: pd.DataFrame,
    columns: str | Iterable[str] | None = None,
    prefix: str = "",
    *,
    column: Hashable | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Add to each row the number of sales, median price and premiums of its suburb.

    Each suburb is bought once, however many rows it has.

    Parameters
    ----------
    frame
        The frame with the suburbs.
    columns
        The columns to add: one of those that ``impact_summary`` returns, or a list of them. By default all.
    prefix
        Text before each new name, as in ``"impacts_"``.
    column
        The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
        called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
    max_cents, refresh, max_age, offline, retrieved_by, errors, check_names, progress, client
        As in `suburb_pandas.rent`.

    Returns
    -------
    DataFrame
        A copy of the frame with the new columns at its end. Its class (a GeoDataFrame keeps its geometry and CRS),
        index, order and columns are unchanged, and its attrs name the call, for `cite`. The new columns have the names
        and dtypes of `suburb_pandas.impact_summary`: ``n_sales`` and ``n_drivers`` (Int64), ``median_price``,
        ``total_premium`` and ``sum_drivers`` (float64, AUD). NaN or NA for a suburb without data, or in a row without a
        name.

    Raises
    ------
    NoSuburbColumn
        The frame has no column or index level of suburbs, or several, or one in which every name is missing.
    ValueError
        The frame already has one of the new columns, or ``columns`` names an unknown one. Nothing was sent.
    CapExceeded, BudgetExceeded, BatchIncomplete
        As for `suburb_pandas.impact_summary`, which lists further errors. ``.frame`` has all rows, with the
        summaries so far.

    See Also
    --------
    impact_summary : Return the summaries as a frame of their own, one row for each suburb.
    impacts : Return a row for each driver.

    Examples
    --------
    >>> sales = pd.DataFrame({"suburb": ["Quokka Bay", None], "sold": [3, 5]}, index=["a", "b"])
    >>> sales[:1].suburb.join_impacts("n_sales", prefix="bay_").columns.to_list()
    ['suburb', 'sold', 'bay_n_sales']
    """
    load, client = partial(impact_summary, **options), options.get("client")
    return join_rows(frame, load, columns, prefix, column, client=client, join=join_impacts)


def join_scorecard(
    frame: pd.DataFrame,
    columns: str | Iterable[str] | None = None,
    prefix: str = "",
    *,
    column: Hashable | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Add to each row the scorecard of its suburb: rents, growth, sales and premiums.

    Each suburb is bought once, however many rows it has. All rows of a suburb get the same values; for rents by
    the date of each row, use ``join_rent``.

    Parameters
    ----------
    frame
        The frame with the suburbs.
    columns
        The columns to add: one of those that ``scorecard`` returns, or a list of them. By default all.
    prefix
        Text before each new name, as in ``"card_"``.
    column
        The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
        called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
    at, max_lag, smooth, prices, errors
        As in `suburb_pandas.scorecard`. Gross yields need ``prices``.
    max_cents, refresh, max_age, offline, retrieved_by, check_names, progress, client
        As in `suburb_pandas.rent`.

    Returns
    -------
    DataFrame
        A copy of the frame with the new columns at its end. Its class (a GeoDataFrame keeps its geometry and CRS),
        index, order and columns are unchanged, and its attrs name the call, for `cite`. The new columns have the names,
        dtypes and units of `suburb_pandas.scorecard`: the last rents (AUD per week) with their dates and growth (per
        cent), the median price (AUD) and number of sales, the premiums, and ``status``. NaN, NaT or NA where nothing is
        known, or in a row without a name.

    Raises
    ------
    NoSuburbColumn
        The frame has no column or index level of suburbs, or several, or one in which every name is missing.
    ValueError
        The frame already has one of the new columns, or an argument cannot be used. Nothing was sent.
    CapExceeded, BudgetExceeded
        As for `suburb_pandas.scorecard`, which lists further errors. ``.frame`` has all rows, with the scorecard so
        far. The error of one suburb is the ``status`` of its rows.

    See Also
    --------
    scorecard : Return the scorecard as a frame of its own, one row for each suburb.
    join_rent : Join the rents at the date of each row.

    Examples
    --------
    >>> sales = pd.DataFrame({"suburb": ["Quokka Bay", "Emu Parade", "Quokka Bay"], "sold": [3, 5, 4]})
    >>> sales.suburb.join_scorecard(["n_sales", "sales_flag"])["sales_flag"].to_list()
    ['caution', 'thin', 'caution']
    """
    recorded = {option: options.get(option) for option in ("at", "max_lag", "smooth")}
    if recorded["at"] is not None:
        recorded["at"] = day_text(parse_day(recorded["at"], "at"))
    load, client = partial(scorecard, **options), options.get("client")
    return join_rows(frame, load, columns, prefix, column, client=client, join=join_scorecard, **recorded)


def join_rows(
    frame: pd.DataFrame,
    load: Callable[[Any], pd.DataFrame],
    columns: str | Iterable[str] | None,
    prefix: str,
    column: Hashable | None,
    *,
    client: Client | None = None,
    join: Callable[..., Any] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Return a copy of a frame with the columns that ``load`` returns for its suburbs, all or those in ``columns``.

    ``load`` uses ``client``. It is first called for no suburbs. That makes no call, checks the options, and shows which
    columns exist. ``join`` is the function whose call, with these ``options``, is put on record for `cite`; None for
    places, which are not cited.

    Raises
    ------
    NoSuburbColumn
        No column or index level of the frame holds the suburbs.
    ValueError
        ``columns`` names an unknown column or none, or the frame has one of that name already.
    """
    suburbs = as_names(suburbs_of(frame, column), partial(known_names.of_client, client))
    known = list(load([]).columns)
    given = [columns] if isinstance(columns, str) else columns
    names = known if given is None else list(dict.fromkeys(given))
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(
            f"columns must name some of {', '.join(known)}, not {unknown or names}. Nothing was sent. To name the "
            "frame's own column of suburbs, pass column=."
        )
    _check_free(frame, [prefix + name for name in names], "A prefix keeps the new columns apart, as in prefix='new_'.")
    chosen = None if given is None else names
    call = call_of(join, columns=chosen, prefix=prefix, column=column, **options) if join else None

    def add(rows: pd.DataFrame) -> pd.DataFrame:
        found = rows[names].reindex(pd.Index(suburbs, dtype="object"))
        return _with_columns(frame, {prefix + name: found[name].array for name in names})

    return _join(partial(load, suburbs), add, call)


def _join(
    load: Callable[[], pd.DataFrame], add: Callable[[pd.DataFrame], pd.DataFrame], call: str | None
) -> pd.DataFrame:
    """Load a frame and return it joined by ``add``, with the call on record. The frame of an error is joined, too."""
    try:
        loaded = load()
    except SuburbError as error:
        if error.frame is not None:
            error.frame = mark_joined(add(error.frame), call)
        raise
    return mark_joined(add(loaded), call)


def with_rents(
    frame: pd.DataFrame,
    suburbs: "pd.Series[Any] | pd.Index[Any]",
    days: Whole,
    tolerance: int | None,
    rents: pd.DataFrame,
) -> pd.DataFrame:
    """Return a copy of a frame with the last point of each property type at or before the day of each row.

    Parameters
    ----------
    frame
        The frame whose rows get the rents.
    suburbs, days
        The suburb of each row, and its day as `days_of` returns it.
    tolerance
        The most days from a point to the day of the row; None for no limit.
    rents
        A long frame of the rents of these suburbs.
    """
    with captured_warnings():  # the request has warned of dates that cannot be true
        parsed = read(rents)
    numbers = parsed.number_of(suburbs)
    columns: dict[str, Any] = {}
    latest = no_dates(len(frame), parsed.date_resolution)
    for kind, points in parsed.points.items():
        position = points.position_at_or_before(numbers, days, tolerance)
        columns[f"{kind}_rent"] = known_at(points.value, position)
        latest = np.fmax(latest, known_at(to_dates(points.day, parsed.date_resolution), position))
    return _with_columns(frame, {**columns, "rent_date": latest})


def _with_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return a copy of a frame with new columns; their labels have as many levels as those of the frame."""
    result, empty = frame.copy(), [""] * (frame.columns.nlevels - 1)
    for name, values in columns.items():
        result[(name, *empty) if empty else name] = values
    return result


def _check_free(frame: pd.DataFrame, names: Iterable[str], way_out: str) -> None:
    """Raise ``ValueError`` if a frame already has columns, or top labels of its columns, of these names."""
    existing = [name for name in names if name in frame.columns]
    if existing:
        raise ValueError(f"The frame has {listed(existing)} already, and nothing was sent. {way_out}")


def days_of(frame: pd.DataFrame, on: Hashable) -> Whole:
    """Return the day number of each date in a column or index level, and one before all points for a missing date.

    Raises
    ------
    ValueError
        There is no such column or level, or it holds other values than dates.
    """
    try:
        values = column_or_level(frame, on, ValueError)
    except ValueError as problem:
        raise ValueError(f"{problem} Nothing was sent; pass on= with the column of dates.") from None
    dates = pd.Index(values, dtype=values.dtype)  # given, because pandas 2 warns of the dtypes that it infers
    if not dates.isna().all() and infer_dtype(dates, skipna=True) not in DATES:
        is_column = on in frame.columns
        repair = how_to_convert_dates(dates, f"df[{on!r}]") if is_column else f"Use df = df.reset_index({on!r})"
        raise ValueError(f"on={on!r} holds other values than dates: {not_dates(dates)}. Nothing was sent. {repair}")
    parsed = parse_dates(dates).normalize()
    days = np.full(len(parsed), _NO_DATE)
    days[parsed.notna()] = to_days(parsed.dropna())
    return days
