"""The loaders: suburbs in, frames out.

They own which frame each gives for one suburb and for many. How the answers come, and what becomes of suburbs that
failed, is batch's; index, columns and dtypes are left to frames.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, Unpack, cast

import pandas as pd

from suburb_pandas.loaders import frames
from suburb_pandas.loaders.batch import gather, load
from suburb_pandas.loaders.options import Options, with_options_of
from suburb_pandas.messages import listed
from suburb_pandas.timeseries.resample import Calendar, resampled, rule

Suburbs = str | Iterable[str]
Layout = Literal["long", "wide"]

_SMALL: Final = 600  # characters that attrs have room for


class _PassedOn(Calendar, Options, total=False):
    """What ``rent`` takes without looking at it."""


class RentOptions(_PassedOn, total=False):
    """What ``rent`` takes besides the suburbs."""

    freq: str | None
    layout: Layout


@with_options_of(rule, gather)
def rent(
    suburbs: Suburbs,
    *,
    freq: str | None = None,
    layout: Layout = "long",
    **options: Unpack[_PassedOn],
) -> pd.DataFrame:
    """Give the history of advertised median rents, for houses and for units, in AUD per week.

    What is stored is not bought again. A point is a level as at its date: older ones are at month ends, recent ones
    can be weekly. Without ``freq`` they are given as they come; with it they are put on one calendar.

    Parameters
    ----------
    suburbs
        One exact ABS SAL name, or many: a list, a Series or an Index. A frame has ``df.suburb.rent()``.
    freq
        A calendar frequency of pandas, from weeks up, such as ``"ME"`` or ``"QE"``; see :func:`resample`.
    how, fill, max_gap, partial, min_coverage
        With ``freq``: as in :func:`resample`. By default a period has its last point.
    layout
        ``"long"``, or ``"wide"`` for dates by property type and suburb.
    max_cents
        The most that this request may cost, in cents; by default the client's own cap.
    refresh
        Buy again what is stored; the older response is kept as a vintage.
    max_age
        Buy again only what was bought longer ago, as in ``"30D"`` (whatever ``pd.Timedelta`` takes). Without it what is
        stored is used however old it is, with a `StaleDataWarning` beyond 30 days.
    offline
        Use only what is stored; what is not is a `NotStored`.
    retrieved_by
        Use the newest response that had been retrieved by that time, and never buy: a time (without a zone it is UTC),
        or a date, which means the end of that day.
    errors
        For many suburbs of which some fail: ``"raise"`` or ``"warn"``.
    check_names
        Ask nothing for a name that the gazetteer, where it is complete, does not have. A list of names may be older
        than the service's: ``False`` asks all the same.
    progress
        A progress bar: ``True``, ``False``, or where there are several calls and someone watching. Or a function that
        is given what comes, and how many calls there are, and gives it on.
    client
        Instead of the default one.

    Returns
    -------
    pandas.DataFrame
        For one suburb: index ``date`` (DatetimeIndex, ascending, no time zone; with ``freq`` the labels of its
        periods); columns ``house``, ``unit`` (float64, AUD per week, or points for ``how="count"``; NaN where there is
        none). For many: ``area_name`` (categorical) before them, suburbs in the order given, each once. Wide: columns
        (``property_type``, ``area_name``). ``attrs["suburb_pandas"]`` says what the frame is and where it came from.

    Raises
    ------
    InvalidName
        Before any call: not a name.
    UnknownSuburb, NoData, Forbidden, Unauthorized, PaymentRequired, RateLimited, Rejected, ServiceError, Unreachable
        For one suburb, what went wrong with it.
    BatchIncomplete
        Some of many failed; ``.frame`` has the others and ``.failures`` the error of each.
    ContractViolation
        The answer breaks the service's specification.
    CapExceeded, BudgetExceeded
        It would cost too much, and nothing was sent; or the service charged more than was quoted.
    NotStored
        It may not be bought (``offline``, ``retrieved_by``) and is not stored.
    StoreError
        The store cannot be used; nothing is bought that cannot be kept.
    ValueError
        An option is none of these, or is about a calendar and there is no ``freq``. Nothing was sent.

    Examples
    --------
    >>> sp.rent("Lantern Bay (NSW)", freq="QE", how="mean").index[-1]
    Timestamp('2026-06-30 00:00:00')

    >>> sp.rent("Lantern Bay (NSW)").tail(2)
                house   unit
    date
    2026-04-19  ...
    2026-04-26  ...

    >>> sp.rent(["Quokka Bay", "Bilby Heights"], layout="wide")["house"].columns.to_list()
    ['Quokka Bay', 'Bilby Heights']
    """
    if layout not in {"long", "wide"}:
        raise ValueError(f"layout is 'long' or 'wide', not {layout!r}.")
    calendar, shared = _parted(options)
    if freq is None and calendar:
        raise ValueError(f"{listed(calendar)}: without freq, as in freq='ME', there is no calendar. Nothing was sent.")
    onto = None if freq is None else rule(freq, **calendar)
    found = load("rent", suburbs, **shared)
    rents, names = found.answers.rent.payloads, found.selection.names
    if found.selection.one and layout == "long":
        frame = frames.rent_frame(rents[names[0]])
    else:
        frame = frames.long_rent_frame(rents, names)
    if onto is not None:
        frame = resampled(frame, onto)
    return found.finish(frames.wide(frame) if layout == "wide" else frame, unit=onto.unit if onto else None)


def _parted(options: Mapping[str, Any]) -> tuple[Calendar, Options]:
    """Part what resampling takes from what all loaders take."""
    calendar = {name: value for name, value in options.items() if name in Calendar.__annotations__}
    shared = {name: value for name, value in options.items() if name not in calendar}
    return cast("Calendar", calendar), cast("Options", shared)


@with_options_of(gather)
def impacts(
    suburbs: Suburbs,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Give the amenity price impacts: what sales without an amenity nearby fetched more than comparable ones with it.

    Drivers need not add up to the suburb's total premium, and an amenity that is not listed is not a zero.

    Parameters
    ----------
    suburbs
        As in :func:`rent`.
    **options
        As in :func:`rent`: ``max_cents``, ``refresh``, ``max_age``, ``offline``, ``retrieved_by``, ``errors``,
        ``check_names``, ``progress``, ``client``.

    Returns
    -------
    pandas.DataFrame
        One row a driver, in the service's order, largest premium first: ``label``; ``coverage_pct`` (float64, per
        cent of the recent sales, those without the amenity); ``premium_dollars`` (int64, AUD); ``pct_of_median``
        (float64, the premium in per cent of the median price); ``detail``. For many suburbs ``area_name``
        (categorical) before them. ``attrs["suburb_pandas"]`` has a single suburb's ``n_sales``, ``median_price``
        and ``total_premium``; of a few suburbs it has ``n_sales_by_suburb``.

    Raises
    ------
    SuburbError
        As in :func:`rent`.

    Examples
    --------
    >>> sp.impacts("Lantern Bay (NSW)").columns.to_list()
    ['label', 'coverage_pct', 'premium_dollars', 'pct_of_median', 'detail']
    """
    found = load("impacts", suburbs, **options)
    payloads, names = found.answers.impacts.payloads, found.selection.names
    if not found.selection.one:
        sales = {name: int(payload.n_sales) for name, payload in payloads.items()}
        totals = {"n_sales_by_suburb": sales} if len(json.dumps(sales)) < _SMALL else {}
        return found.finish(frames.long_drivers_frame(payloads, names), totals)
    payload = payloads[names[0]]
    fields = ("n_sales", "median_price", "total_premium")
    return found.finish(frames.drivers_frame(payload), {field: int(getattr(payload, field)) for field in fields})


@with_options_of(gather)
def impact_summary(
    suburbs: Suburbs,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Give the amenity price impacts in one row a suburb, from the same responses as :func:`impacts`.

    Parameters
    ----------
    suburbs
        As in :func:`rent`.
    **options
        As in :func:`rent`: ``max_cents``, ``refresh``, ``max_age``, ``offline``, ``retrieved_by``, ``errors``,
        ``check_names``, ``progress``, ``client``.

    Returns
    -------
    pandas.DataFrame
        Index ``area_name``, in the order given; columns, all float64, NaN for a suburb without data: ``n_sales``
        (recent sales), ``median_price`` and ``total_premium`` (AUD), ``n_drivers``, ``sum_drivers`` (AUD; it may
        differ from ``total_premium``).

    Raises
    ------
    SuburbError
        As in :func:`rent`.

    Examples
    --------
    >>> sp.impact_summary(["Lantern Bay (NSW)", "Quokka Bay"]).index.to_list()
    ['Lantern Bay (NSW)', 'Quokka Bay']
    """
    found = load("impacts", suburbs, **options)
    return found.finish(frames.summary_frame(found.answers.impacts.payloads, found.selection.names))
