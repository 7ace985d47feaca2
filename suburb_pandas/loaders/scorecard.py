"""Builds the scorecard: one row per suburb with its rents, growth, sales and premiums.

Buying both responses of each suburb is left to batch, the rule for stale rents to staleness, the search by date to
frames.points, and growth to timeseries.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.errors import DataWarning
from suburb_pandas.frames.column import suburbs_of_rows
from suburb_pandas.frames.conversions import numbers
from suburb_pandas.frames.dates import Day, Length, Values, Whole, day_text, parse_day, parse_length, to_dates
from suburb_pandas.frames.marks import SMOOTH, mark
from suburb_pandas.frames.points import known_at
from suburb_pandas.frames.rents import read
from suburb_pandas.frames.schema import PROPERTY_TYPES, RENT_UNIT
from suburb_pandas.loaders.answers import Answers
from suburb_pandas.loaders.batch import gather
from suburb_pandas.loaders.frames import long_series_frame, summary_frame, utc_times
from suburb_pandas.loaders.options import Moment, OnError, Options, Suburbs, Watch
from suburb_pandas.loaders.staleness import STALE, STALE_DAYS, newest, stale_before
from suburb_pandas.messages import captured_warnings, counted, listed, warn
from suburb_pandas.names.gazetteer import Place
from suburb_pandas.service.calls import Response
from suburb_pandas.service.impacts import Impacts, flag_of
from suburb_pandas.timeseries.growth import growth
from suburb_pandas.timeseries.line import window_days

_WEEKS_A_YEAR: Final = 52
_MOST_YIELD: Final = 30  # per cent
MAX_LAG_AT: Final = "31D"
_RENT_DATES: Final = [f"{kind}_rent_date" for kind in PROPERTY_TYPES]
_UNITS: Final = {
    "_rent": RENT_UNIT,
    "_days": "days",
    "_pct": "per cent",
    "n_sales": "sales",
    "median_price_all_sales": "AUD",
    "total_premium": "AUD",
}
"""The unit of each column of numbers, by the end of its label."""

AFTER_ALL_DAYS: Final = 10**7
"""A day number after the date of every point."""


def scorecard(
    suburbs: Suburbs,
    *,
    at: Day | None = None,
    max_lag: Length | None = None,
    smooth: Length | None = None,
    prices: pd.DataFrame | None = None,
    max_cents: int | None = None,
    refresh: bool = False,
    max_age: Length | None = None,
    offline: bool = False,
    retrieved_by: Moment | None = None,
    errors: OnError = "raise",
    check_names: bool = True,
    progress: bool | Watch | None = None,
    client: Client | None = None,
) -> pd.DataFrame:
    """Return one row for each suburb, with its rents, growth, sales and premiums.

    A suburb that fails keeps its row and raises no error: its ``status`` and a warning say what went wrong.

    Parameters
    ----------
    suburbs
        As in :func:`rent`.
    at
        Use each suburb's last rents dated at or before this date. A time with a zone counts as its calendar day in
        Sydney. By default, use its last rents, whatever their dates.
    max_lag
        The oldest that a rent may be, such as ``"62D"``, counted back from ``at``, or without ``at`` from the newest
        rent of the request. An older rent is left out, with its date, growth and yield. By default 31 days with ``at``,
        and any age without.
    smooth
        Compute the growth of means, each over this many days, such as ``"91D"``, as in :func:`growth`. By default the
        growth compares two single values, and so it is noisy: on one real series it moved by up to 1.2 percentage
        points from week to week. On the last date of that series it was 4.9 per cent, and with ``smooth="91D"`` 6.3 per
        cent. The attrs name the span, so growth of means cannot be traced after a file without attrs, such as CSV.
    prices
        A frame of your own with ``house_price`` or ``unit_price`` (AUD) or both, and the suburbs in a column or as its
        index. It adds the gross yields.
    max_cents, refresh, max_age, offline, retrieved_by, check_names, progress, client
        As in :func:`rent`.
    errors
        As in :func:`rent`, but only for responses that are not stored and may not be bought.

    Returns
    -------
    pandas.DataFrame
        Index ``area_name``, in the order given, each suburb once. For houses, and in the same way for units:
        ``house_rent`` (AUD per week), ``house_rent_date``, ``house_unchanged_days`` (the days for which the rent had
        been unchanged on that date), ``house_growth_1y_pct`` (per cent, as in :func:`growth`: from the value on the
        same day a year earlier, on the straight line between two points; with ``smooth``, from the mean up to that day
        to the mean up to the rent's date), ``house_growth_1y_base_date`` (datetime64: that day, NaT without growth).

        ``median_price_all_sales`` (AUD; houses and units together), ``n_sales`` (Int64), and ``sales_flag``, the flag
        of ``n_sales``: ``thin`` up to 10, ``caution`` up to 30, else ``ok``. A driver rests only on the sales without
        its amenity, which ``evidence`` in :func:`impacts` flags. ``house_rent_to_all_sales_price_pct`` is 52 weeks'
        rent over that median in per cent. It is not a yield, because the median is not only of houses. With ``prices``,
        ``house_gross_yield_pct`` is a yield: 52 weeks' rent over the price, in per cent, before all costs.

        ``total_premium`` (AUD) and ``total_premium_pct`` (per cent of that median); ``top_driver`` (the label of the
        first driver); ``retrieved_at`` (datetime64, in UTC without a time zone; of the older of the two responses);
        ``source``; ``status`` (``ok``, ``stale`` if one of the suburb's rents is more than 62 days older than the
        newest rent of the request, ``no data`` if one of the two responses has none, or the class of the error).
        ``state`` is the first column: as known on this machine or from the suffix of the name, otherwise NA.

        Other numbers are float64, NaN where there is none.

    Warns
    -----
    SuburbWarning
        A suburb failed.
    NoDataWarning
        The service has no rents or no impacts of a suburb.
    DataWarning
        As in :func:`rent` and :func:`impacts`. Or a rent is stale. Or ``prices`` has no row for a suburb, or a price
        that is not above zero or makes a gross yield of more than 30 per cent.
    SkippedRowsWarning, StaleDataWarning
        As in :func:`rent`.

    Raises
    ------
    CapExceeded, BudgetExceeded, Unauthorized, PaymentRequired, NotStored, StoreError
        The request could not be completed; ``.frame`` has the scorecard of the responses that had arrived.
    InvalidName, TypeError
        As in :func:`rent`; or ``prices`` is not a frame. Nothing was sent.
    ValueError, NoSuburbColumn
        An option or ``prices`` cannot be used. Nothing was sent.

    See Also
    --------
    df.suburb.join_scorecard : Add these columns to the rows of a frame.
    plot_scorecard : Draw one column of a scorecard as a ranked dot plot.
    plot_map : Draw a value of each suburb on a map.
    rent : The rent history of suburbs.
    impacts : The premium of each driver.

    Notes
    -----
    The limits of ``sales_flag`` are those of the New South Wales government's Rent and Sales Report, which suppresses a
    median of 10 or fewer sales and marks one of 30 or fewer. Gross yields are usually calculated from 52 weeks' rent.

    Examples
    --------
    >>> card = sp.scorecard(["Lantern Bay (NSW)", "Emu Parade"], at="2026-03-31")
    >>> card[["state", "house_rent", "n_sales", "sales_flag", "status"]]
                      state  house_rent  n_sales sales_flag status
    area_name
    Lantern Bay (NSW)   NSW  ...
    """
    options = Options.among(locals())
    day = None if at is None else parse_day(at, "at")
    if max_lag is None and day is not None:
        max_lag = MAX_LAG_AT
    lag = None if max_lag is None else parse_length(max_lag, "max_lag")
    window = window_days(smooth)
    own_prices = None if prices is None else _read_prices(prices)
    batch = gather("scorecard", suburbs, options)
    names = batch.selection.names
    card = card_of(
        batch.answers,
        batch.statuses(),
        known_names.located(batch.context, known_names.gazetteer_after(batch.context), names),
        dict.fromkeys(PROPERTY_TYPES, np.full(len(names), AFTER_ALL_DAYS if day is None else day)),
        left_out=None if lag is None else (day, lag),
        smooth=smooth,
        own_prices=own_prices,
        source=batch.source,
    )
    marks = {} if window is None else {SMOOTH: f"{window}D"}
    marks |= {} if day is None else {"at": day_text(day), "max_lag": f"{lag}D"}
    unit = {column: unit for column in map(str, card) for suffix, unit in _UNITS.items() if column.endswith(suffix)}
    finished = batch.finish(card, marks, unit=unit, raises=False)
    _warn_of_stale(finished)
    if own_prices is not None:
        _warn_of_prices(finished, own_prices)
    return finished


def card_of(
    answers: Answers,
    statuses: Mapping[str, str],
    places: Sequence[Place],
    until: Mapping[str, Whole],
    *,
    left_out: tuple[int | None, int] | None = None,
    smooth: Length | None = None,
    own_prices: pd.DataFrame | None = None,
    source: str = "",
) -> pd.DataFrame:
    """Return a scorecard, with a row for each place and its columns in their public order.

    Parameters
    ----------
    answers
        The responses about the suburbs.
    statuses
        The status of each suburb, by its name.
    places
        The place of each row.
    until
        The day of each row, by property type. The last rent dated on or before it is used.
    left_out
        A day and a number of days: rents that are more than this number older than the day are left out. If the day is
        None, it is that of the newest rent. By default no rent is left out.
    smooth
        The span of the means whose growth is computed. By default growth compares single values.
    own_prices
        The user's own prices, by suburb.
    source
        The source of a suburb without responses.
    """
    names, impacts = [place.area_name for place in places], answers.payloads("impacts")
    summary = summary_frame(impacts, names)
    rents = pd.DataFrame(_rents_at(answers.payloads("rent"), names, until, smooth), summary.index)
    if left_out is not None:
        _leave_out_old(rents, *left_out)
    columns = {
        "state": _texts(place.state for place in places),
        **rents,
        "median_price_all_sales": summary["median_price"].array,
        "n_sales": summary["n_sales"].array,
        "sales_flag": _texts(map(flag_of, summary["n_sales"].astype("float64"))),
        **_ratios(rents, summary["median_price"], own_prices),
        "total_premium": summary["total_premium"].array,
        "total_premium_pct": _percent(summary["total_premium"], summary["median_price"]),
        "top_driver": _texts(_top_driver(impacts.get(name)) for name in names),
        **_origins(names, answers, source),
        "status": _with_stale([statuses[name] for name in names], rents),
    }
    return pd.DataFrame(columns, summary.index)


def _rents_at(
    payloads: Mapping[str, Any], names: Sequence[str], until: Mapping[str, Whole], smooth: Length | None
) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of rents: each row's last point of a property type on or before its day in ``until``.

    With ``smooth``, the growth is that of means over this span.
    """
    frame = long_series_frame(payloads, names)
    mark(frame, "rent", "", RENT_UNIT)
    with captured_warnings():  # the request warns of dates that cannot be true
        parsed, grown = read(frame), growth(frame, smooth=smooth, detail=True)
    suburb_numbers = parsed.number_of(pd.Index(names))
    columns: dict[str, npt.NDArray[Any]] = {}
    for kind, points in parsed.points.items():
        position = points.position_at_or_before(suburb_numbers, until[kind])
        of_points = {
            "rent": points.value,
            "rent_date": to_dates(points.day, parsed.date_resolution),
            "unchanged_days": points.days_unchanged(),
            "growth_1y_pct": 100 * grown[kind].to_numpy()[points.place],
            "growth_1y_base_date": grown[f"{kind}_base_date"].to_numpy()[points.place],
        }
        columns |= {f"{kind}_{column}": known_at(values, position) for column, values in of_points.items()}
    return columns


def _leave_out_old(rents: pd.DataFrame, day: int | None, max_lag: int) -> None:
    """Remove rents that are older than ``max_lag`` days, counted back from ``day``, or else from the newest rent."""
    last = newest(rents[_RENT_DATES]) if day is None else to_dates(np.array([day]))[0]
    for kind in PROPERTY_TYPES:
        is_old = rents[f"{kind}_rent_date"] < last - np.timedelta64(max_lag, "D")
        rents.loc[is_old, rents.columns.str.startswith(kind)] = np.nan


def _with_stale(statuses: Sequence[str], rents: pd.DataFrame) -> Any:
    """Return the status of each row: ``stale`` instead of ``ok`` if one of its rents is."""
    dates = rents[_RENT_DATES]
    is_stale = (dates < stale_before(dates)).any(axis=1)
    pairs = zip(statuses, is_stale, strict=True)
    return _texts(STALE if stale and status == "ok" else status for status, stale in pairs)


def _warn_of_stale(card: pd.DataFrame) -> None:
    """Warn of the stale rents of a scorecard, with their dates."""
    dates = card[_RENT_DATES]
    limit = stale_before(dates)
    stale = [
        f"{kind} of {name!r} on {date.date()}"
        for kind, label in zip(PROPERTY_TYPES, _RENT_DATES, strict=True)
        for name, date in dates[label].items()
        if date < limit
    ]
    if stale:
        warn(
            f"Some rents are stale, more than {STALE_DAYS} days older than the newest rent of the request "
            f"({newest(dates)}): {listed(stale, str)}. They are used as they are; to leave such rents out, pass "
            f'max_lag="{STALE_DAYS}D"',
            DataWarning,
        )


def _ratios(rents: pd.DataFrame, median: "pd.Series[float]", own_prices: pd.DataFrame | None) -> dict[str, Values]:
    """Return a year's rent in per cent of the median of all sales, and of the user's own prices if there are any."""
    prices = {"rent_to_all_sales_price_pct": dict.fromkeys(PROPERTY_TYPES, median)}
    if own_prices is not None:
        own = own_prices.reindex(median.index)
        prices["gross_yield_pct"] = {kind: own[f"{kind}_price"] for kind in PROPERTY_TYPES}
    return {
        f"{kind}_{column}": _percent(rents[f"{kind}_rent"] * _WEEKS_A_YEAR, price)
        for column, by_kind in prices.items()
        for kind, price in by_kind.items()
    }


def _percent(part: "Values | pd.Series[float]", whole: "pd.Series[float]") -> Values:
    """Return a part in per cent of a whole; NaN where the whole is not above 0."""
    return np.asarray(100 * part / whole.where(whole > 0), dtype="float64")


def _top_driver(payload: Impacts | None) -> str | None:
    return payload.drivers[0].label if payload and payload.drivers else None


def _origins(names: Sequence[str], answers: Answers, source: str) -> dict[str, Any]:
    """Return the columns ``retrieved_at``, of each row's older response, and ``source``; this one without responses."""
    found: defaultdict[str, list[Response]] = defaultdict(list)
    for item, reading in answers.readings.items():
        found[item.area_name].append(reading.response)
    times = [min((one.retrieved_at for one in found[name]), default=None) for name in names]
    sources = [", ".join(sorted({one.source for one in found[name]})) or source for name in names]
    return {"retrieved_at": utc_times(times), "source": _texts(sources)}


def _texts(values: Iterable[str | None]) -> Any:
    return pd.Series(list(values), dtype="str").array


def _read_prices(prices: pd.DataFrame) -> pd.DataFrame:
    """Check the user's prices and return them by suburb, with both price columns.

    Raises
    ------
    TypeError, ValueError, NoSuburbColumn
        They cannot be used.
    """
    if not isinstance(prices, pd.DataFrame):
        raise TypeError(
            f"prices must be a frame with house_price, unit_price or both, not {type(prices).__name__}. Nothing was "
            "sent."
        )
    columns = [f"{kind}_price" for kind in PROPERTY_TYPES]
    given = [column for column in columns if column in prices.columns]
    if not given:
        raise ValueError(
            f"prices has neither house_price nor unit_price: its columns are {listed(prices.columns) or 'none'}. "
            "Nothing was sent; rename the column of prices."
        )
    by_name = pd.DataFrame(
        {column: numbers(prices, column, f"prices[{column!r}]") for column in given},
        index=suburbs_of_rows(prices, "prices"),
    )
    by_name = by_name[by_name.index.notna()]
    repeated = by_name.index[by_name.index.duplicated()]
    if len(repeated):
        raise ValueError(
            f"prices has several rows for {listed(repeated.unique())}. Nothing was sent; keep one for each suburb."
        )
    endless = by_name.index[np.isinf(by_name).any(axis=1)]
    if len(endless):
        raise ValueError(
            f"prices has infinite prices for {listed(endless)}. Nothing was sent; make unknown prices NaN: "
            'prices = prices.replace([float("inf"), float("-inf")], float("nan"))'
        )
    return by_name.reindex(columns=columns)


def _warn_of_prices(card: pd.DataFrame, prices: pd.DataFrame) -> None:
    """Warn of the suburbs of a scorecard that have no row in the user's prices, and of prices that cannot be true."""
    without = card.index[~card.index.isin(prices.index)]
    if len(without):
        warn(
            f"There is no row in prices, and so no gross yield, for {len(without)} of "
            f"{counted(len(card), 'suburb')}: {listed(without)}. Rows of prices are found by the exact name of "
            "a suburb, as df.suburb.resolve() returns it.",
            DataWarning,
        )
    found: list[str] = []
    for kind in PROPERTY_TYPES:
        price = prices[f"{kind}_price"].reindex(card.index)
        wrong = price[(price <= 0) | (card[f"{kind}_gross_yield_pct"] > _MOST_YIELD)]
        found += [f"{name!r} ({kind}: {value:,.10g})" for name, value in wrong.items()]
    if found:
        warn(
            "Some prices cannot be true, because they are not above zero or make a gross yield of more than "
            f"{_MOST_YIELD} per cent: {listed(found, str)}. If prices are in thousands, multiply them by 1000; if they "
            "are not known, make them NaN.",
            DataWarning,
        )
