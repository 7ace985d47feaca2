"""The scorecard: one row a suburb with its rents and sales, each number with its date or flag."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.errors import NoSuburbColumn
from suburb_pandas.frames.column import labels_of, suburbs_of
from suburb_pandas.frames.schema import PROPERTY_TYPES, sales_flag
from suburb_pandas.loaders.batch import gather
from suburb_pandas.loaders.frames import long_series_frame, summary_frame
from suburb_pandas.loaders.loaders import Suburbs
from suburb_pandas.loaders.options import Moment, OnError, read_options
from suburb_pandas.loaders.outcome import BatchResult
from suburb_pandas.loaders.progress import Watch
from suburb_pandas.messages import listed
from suburb_pandas.timeseries.dates import Day, Length, Values, day_number, to_dates
from suburb_pandas.timeseries.growth import growth
from suburb_pandas.timeseries.points import known_at, numbers, read
from suburb_pandas.tracebacks import short_traceback

_WEEKS_A_YEAR: Final = 52
_TOLERANCE: Final = 31
_LAST_DAY: Final = 10**7


def scorecard(
    suburbs: Suburbs,
    *,
    at: Day | None = None,
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
    """Return what is known about each suburb in one row, from its rents and its impacts.

    No suburb is left out, and none raises an error: its ``status`` and a warning say what went wrong.

    Parameters
    ----------
    suburbs
        As in :func:`rent`.
    at
        Put all rents on one date: the last point at or before it, at most 31 days old. By default each suburb's last
        points, whatever their dates.
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
        ``house_rent`` (AUD per week), ``house_rent_date``, ``house_unchanged_days`` (the days that this rent has not
        changed, by the dates of its points), ``house_growth_1y_pct`` (per cent, from the last point at or before the
        same day a year earlier, at most 31 days older).

        ``median_price_all_sales`` (AUD; houses and units together), ``n_sales``, and ``sales_flag``: ``thin`` to 10
        sales, ``caution`` to 30, else ``ok``. ``house_rent_to_all_sales_price_pct`` is 52 weeks' rent over that median
        in per cent. It is not a yield, because the median is not of houses. With ``prices``, ``house_gross_yield_pct``
        is a yield: 52 weeks' rent over the price, in per cent, before all costs.

        ``total_premium`` (AUD) and ``total_premium_pct`` (of that median); ``top_driver``; ``retrieved_at`` (UTC, of
        the older of the two responses); ``source``; ``status`` (``ok``, ``no data`` if one of the two has none, or the
        name of the error). ``state`` comes first, from the names known on this machine or the suffix, else NA.

        Numbers are float64, NaN where there is none.

    Raises
    ------
    CapExceeded, BudgetExceeded, Unauthorized, PaymentRequired, NotStored, StoreError
        The request ended; ``.frame`` has the scorecard of the responses that had arrived.
    ValueError, NoSuburbColumn
        ``at`` or ``prices`` cannot be used. Nothing was sent.

    Notes
    -----
    The limits of ``sales_flag`` are those of the New South Wales government's Rent and Sales Report, which suppresses a
    median of 10 or fewer sales and marks one of 30 or fewer. A gross yield of 52 weeks' rent is the convention of the
    trade.

    Examples
    --------
    >>> card = sp.scorecard(["Lantern Bay (NSW)", "Emu Parade"], at="2026-03-31")
    >>> card[["state", "house_rent", "n_sales", "sales_flag", "status"]]
                      state  house_rent  n_sales sales_flag status
    area_name
    Lantern Bay (NSW)   NSW  ...
    """
    with short_traceback:
        day = None if at is None else day_number(at, "at")
        own = None if prices is None else _prices(prices)
        options = read_options(
            max_cents=max_cents,
            refresh=refresh,
            max_age=max_age,
            offline=offline,
            retrieved_by=retrieved_by,
            errors=errors,
            check_names=check_names,
            progress=progress,
            client=client,
        )
        found = gather("scorecard", suburbs, options)
        return found.finish(_card(found, day, own), raises=False)


def _card(found: BatchResult, day: int | None, own: pd.DataFrame | None) -> pd.DataFrame:
    """Return the rows of a scorecard."""
    names = found.selection.names
    rents, summary = _rents(found, day), summary_frame(found.payloads("impacts"), names)
    places = known_names.places(known_names.gazetteer_after(found.context), names)
    columns = {
        "state": _texts(place.state for place in places),
        **rents,
        "median_price_all_sales": summary["median_price"].to_numpy(),
        "n_sales": summary["n_sales"].to_numpy(),
        "sales_flag": _texts(map(sales_flag, summary["n_sales"])),
        **_ratios(rents, summary["median_price"], own),
        "total_premium": summary["total_premium"].to_numpy(),
        "total_premium_pct": _percent(summary["total_premium"], summary["median_price"]),
        "top_driver": _texts(_top_driver(found, name) for name in names),
        "retrieved_at": _retrieved_at(found),
        "source": _texts(_sources(found)),
        "status": _texts(found.statuses()),
    }
    return pd.DataFrame(columns).set_index(summary.index)


def _rents(found: BatchResult, day: int | None) -> dict[str, npt.NDArray[Any]]:
    """Return each suburb's last rents, or those as at a day."""
    names = found.selection.names
    frame = long_series_frame(found.payloads("rent"), names)
    known, grown = read(frame), growth(frame)
    suburb = known.number_of(pd.Index(names))
    by, tolerance = (_LAST_DAY, None) if day is None else (day, _TOLERANCE)
    columns: dict[str, npt.NDArray[Any]] = {}
    for kind, points in known.points.items():
        place = points.at_or_before(suburb, np.full(len(names), by), tolerance)
        columns |= {
            f"{kind}_rent": known_at(points.value, place),
            f"{kind}_rent_date": known_at(to_dates(points.day, known.unit), place),
            f"{kind}_unchanged_days": known_at(points.days_unchanged(), place),
            f"{kind}_growth_1y_pct": 100 * known_at(grown[kind].to_numpy()[points.row], place),
        }
    return columns


def _prices(prices: pd.DataFrame) -> pd.DataFrame:
    """Return the prices by suburb."""
    if not isinstance(prices, pd.DataFrame):
        raise TypeError(f"prices is a frame with house_price and unit_price, not {type(prices).__name__}.")
    columns = [f"{kind}_price" for kind in PROPERTY_TYPES]
    given = [column for column in columns if column in prices.columns]
    if not given:
        raise ValueError(f"prices has neither house_price nor unit_price: its columns are {listed(prices.columns)}.")
    by_name = pd.DataFrame({column: numbers(prices, column) for column in given}, index=_suburbs_of_prices(prices))
    by_name = by_name[by_name.index.notna()]
    again = by_name.index[by_name.index.duplicated()]
    if len(again):
        raise ValueError(f"prices has several rows of {listed(again.unique())}. Leave one for each suburb.")
    return by_name.reindex(columns=columns)


def _suburbs_of_prices(prices: pd.DataFrame) -> "pd.Index[Any]":
    """Return the suburbs of a frame of prices: from a column or level named for them, else from an index of text."""
    labels, names = labels_of(prices), prices.index
    if len(labels) == 1:
        names = pd.Index(suburbs_of(prices, labels[0]))
    if len(labels) == 1 or (not labels and infer_dtype(names.astype("object")) == "string"):
        return names
    which = f"{listed(labels)} can all be their suburbs" if labels else "nothing in it is called area_name or suburb"
    raise NoSuburbColumn(f"prices does not say whose they are: {which}. Make the names its index, and drop the rest.")


def _ratios(
    rents: Mapping[str, npt.NDArray[Any]], median: "pd.Series[float]", own: pd.DataFrame | None
) -> dict[str, Values]:
    """Return a year's rents in per cent of the median of all sales, and of the user's own prices if there are any."""
    years = {kind: pd.Series(rents[f"{kind}_rent"] * _WEEKS_A_YEAR, median.index) for kind in PROPERTY_TYPES}
    found = {f"{kind}_rent_to_all_sales_price_pct": _percent(year, median) for kind, year in years.items()}
    if own is not None:
        prices = own.reindex(median.index)
        found |= {f"{kind}_gross_yield_pct": _percent(year, prices[f"{kind}_price"]) for kind, year in years.items()}
    return found


def _percent(part: "pd.Series[float]", whole: "pd.Series[float]") -> Values:
    """Return a part in per cent of a whole; NaN where the whole is not above 0."""
    return np.asarray(100 * part / whole.where(whole > 0), dtype="float64")


def _top_driver(found: BatchResult, name: str) -> str | None:
    payload = found.payloads("impacts").get(name)
    return payload.drivers[0].label if payload and payload.drivers else None


def _sources(found: BatchResult) -> list[str]:
    """Return the sources of each suburb's responses; for one without responses, the source of the request."""
    sources: dict[str, set[str]] = {}
    for item, vintage in found.answers.vintages.items():
        sources.setdefault(item.area_name, set()).add(vintage.source)
    other = found.source
    return [", ".join(sorted(sources[name])) if name in sources else other for name in found.selection.names]


def _retrieved_at(found: BatchResult) -> pd.DatetimeIndex:
    """Return for each suburb when the older of its responses was retrieved."""
    times: dict[str, str] = {}
    for item, vintage in found.answers.vintages.items():
        times[item.area_name] = min(vintage.retrieved_at, times.get(item.area_name, vintage.retrieved_at))
    return pd.DatetimeIndex([times.get(name) for name in found.selection.names], dtype="datetime64[us, UTC]")


def _texts(values: Iterable[str | None]) -> "pd.Series[str]":
    return pd.Series(list(values), dtype="str")
