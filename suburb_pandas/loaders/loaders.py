"""Loads rents and amenity price impacts of suburbs as frames.

Owns the frame that each loader returns for one suburb and for many. Finding, buying and decoding responses is left to
batch, the index, columns and dtypes of the frames to loaders.frames.
"""

import json
from typing import Final, Literal

import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.frames.dates import Day, Length
from suburb_pandas.frames.marks import marks_of
from suburb_pandas.frames.reshaping import panel, tidy, wide
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.frames.selection import select
from suburb_pandas.loaders.batch import load
from suburb_pandas.loaders.frames import SUMMARY_UNITS, frame_of_many, long_series_frame, series_frame, summary_frame
from suburb_pandas.loaders.options import Moment, OnError, Options, Suburbs, Watch
from suburb_pandas.messages import captured_warnings, listed
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.timeseries.resample import Fill, How, Partial, resample

Layout = Literal["long", "panel", "tidy", "wide"]

_LAYOUTS: Final = {"panel": panel, "tidy": tidy, "wide": wide}
_OF_FREQ: Final = ("how", "fill", "max_gap", "partial", "min_coverage", "max_lag")
_LONGEST_ATTRS: Final = 600  # characters of JSON


def rent(
    suburbs: Suburbs,
    *,
    freq: str | None = None,
    how: How | None = None,
    fill: Fill | None = None,
    max_gap: Length | None = None,
    partial: Partial | None = None,
    min_coverage: float | None = None,
    max_lag: Length | None = None,
    start: Day | None = None,
    end: Day | None = None,
    layout: Layout = "long",
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
    """Return the median advertised rents of suburbs by date, for houses and units, in AUD per week.

    A stored response is not bought again. Each point is the median rent as at its date. Older points are at month ends,
    and recent ones can be weekly. Without ``freq``, the points are returned as they are; with it, they are resampled to
    one calendar.

    Parameters
    ----------
    suburbs
        One exact ABS SAL name, or many: a list, a Series or an Index. For a frame, use ``df.suburb.rent()``; for a
        column, ``sp.rent(df["suburb"])``. A Series of polars, dask or pyarrow is read as one of pandas.
    freq
        A pandas frequency from weeks upwards, such as ``"ME"`` or ``"QE"``; see :func:`resample`. With ``MS``, ``QS``
        and ``YS``, labels are dated before the data they summarise.
    how, fill, max_gap, partial, min_coverage, max_lag
        With ``freq``: as in :func:`resample`. None means its default: the value of a period is its last point.
    start, end
        Return only the dates from ``start`` to ``end``, both included: ISO 8601 text or a date. A time with a zone
        counts as its calendar day in Sydney. A year or a month (``"2021"``, ``"2021-05"``) starts on its first day and
        ends on its last. A span such as ``"5Y"`` is refused. For the last five years, load all dates and select them:
        ``rents[rents.index > rents.index.max() - pd.DateOffset(years=5)]``. The price does not depend on the dates.
        Dates are selected after any resampling, by their labels: with ``MS``, ``QS`` and ``YS``, a period counts by its
        first day. A suburb without a date in the range keeps its category, and its columns of NaN in the wide layout.
    layout
        ``"long"``: one row for each suburb and date; ``"panel"``: the same with suburb and date as the index;
        ``"tidy"``: one row for each value; or ``"wide"``: one row for each date, one column for each property type and
        suburb.
    max_cents
        The cap: the most that this request may cost, in cents. By default the cap of the client.
    refresh
        Buy responses again even if they are stored. The older responses are kept as vintages.
    max_age
        Buy again only if the stored response is older, as in ``"30D"`` (any length with a unit that ``pd.Timedelta``
        reads). Without it, a stored response is used however old it is.
    offline
        Use only stored responses. If one is missing, raise `NotStored`.
    retrieved_by
        Use the newest responses retrieved at or before that time, and never buy. A time is in UTC unless it has a time
        zone; a date or a month means its end.
    errors
        If some of many suburbs fail: ``"raise"`` an error, or ``"warn"`` and return the others.
    check_names
        ``True`` does not ask the service about a name that a complete gazetteer does not have. ``False`` asks anyway,
        because a loaded list of names may be older than the service's own.
    progress
        ``True`` or ``False`` for a progress bar; by default there is one for several calls in a notebook or a terminal.
        Or a function that wraps the calls as a bar does: ``tqdm.tqdm``, or your own that yields the items it is given.
        It is called with the items, and with their number as ``total=`` if it accepts that name, else as the second
        argument.
    client
        The client to use instead of the default one.

    Returns
    -------
    pandas.DataFrame
        For one suburb: index ``date`` (DatetimeIndex, ascending, no time zone; with ``freq`` the labels of its
        periods); columns ``house``, ``unit`` (float64, AUD per week, or points for ``how="count"``; NaN where there is
        no value). For many: ``area_name`` (categorical) as the first column, suburbs in the order given, each once.

        Panel: index ``area_name``, ``date``; columns ``house``, ``unit``, also for one suburb.

        Tidy: columns ``date``, ``area_name`` and ``property_type`` (text) and ``rent`` (float64), also for one suburb;
        rows numbered from 0, none without a value; suburbs in the order given, houses before units, dates ascending.

        Wide: index ``date``; columns (``property_type``, ``area_name``), float64.

        ``attrs["suburb_pandas"]`` has the endpoint, source and unit, and the operations of ``freq``, ``start`` and
        ``end``; for one suburb also ``area_name``, ``retrieved_at`` and ``sha256``.

    Warns
    -----
    SkippedRowsWarning
        A Series or an Index has rows without a name.
    StaleDataWarning
        Stored responses are more than 30 days old, and the request has no ``max_age``, ``offline`` or ``retrieved_by``.
    NoDataWarning
        Some of many suburbs have no data: the response says so, or its series are both empty.
    DataWarning
        Points were left out because they cannot be read; or rents cannot be true: a value that is not above zero, a
        tenfold step between neighbouring points, or a date before 1900 or after the day of retrieval in Australia. They
        are loaded as they came; computations take a rent that is not above zero for missing. Or points came out of
        order or twice, or were revised since they were stored.

    Raises
    ------
    InvalidName
        A value is not a name, or is missing from a list. Nothing was sent.
    TypeError
        ``suburbs`` is a whole frame (of any library), a mapping, the groups of a frame, or a set. Nothing was sent.
    SettingsError
        ``max_cents`` or a setting cannot be used. Or the variable ``CI`` is set, and no limit was given. Nothing was
        sent.
    UnknownSuburb, NoData, Forbidden, Unauthorized, PaymentRequired, RateLimited, Rejected, ServiceError, Unreachable
        The error of a single suburb. `Unauthorized` and `PaymentRequired` also end a request for many, and
        `UnknownSuburb` is raised if a complete gazetteer has none of the names. A refusal (403, 404 or 422) that was
        charged is stored, and raised again at no cost until ``refresh=True``.
    BatchIncomplete
        Some of many suburbs failed; ``.frame`` has the others, ``.failures`` the error of each.
    ContractViolation
        The response about a single suburb breaks the service's specification. Or a price that the service sent cannot
        be read, and the rest was not sent.
    CapExceeded, BudgetExceeded
        The request would cost too much, and nothing more was sent. Or the service charged more than was quoted, and the
        rest was not sent.
    NotStored
        A response is not stored and may not be bought: with ``offline`` or ``retrieved_by``, in the replay of a
        cassette, or if ``SUBURB_RERUN`` is set.
    StoreError
        The store cannot be used, and nothing more is bought. A response that was bought but could not be stored is in
        ``.frame``, and this session stores it as soon as it can.
    ValueError
        An option has an invalid value, or needs ``freq``, or ``start`` is after ``end``: nothing was sent. Or the
        periods of ``freq`` would be more than 50 million rows: the responses are stored.

    See Also
    --------
    resample : Put rents on one calendar.
    growth : Compute the growth of rents over a calendar span.
    quote : Return the cost of a request, without a call.
    cite : Cite the data in a frame.

    Notes
    -----
    The dates of a long frame of many suburbs ascend within each suburb, not over all of them. So a slice such as
    ``rents.loc["2021-05":]`` raises pandas' KeyError. Use ``start="2021-05"``, or select from the frame with
    ``rents[rents.index >= "2021-05"]``.

    The column ``area_name`` of a long frame has a category for each suburb of the request, also after you cut the frame
    down to a few suburbs. seaborn would list all of them in a legend, and statsmodels would make a variable of each. So
    remove the others first: ``few["area_name"] = few["area_name"].cat.remove_unused_categories()``. Or load the tidy
    layout, where ``area_name`` is text. To add rents to a frame of your own by date, use ``df.suburb.join_rent``;
    ``pd.merge_asof`` refuses ``by=`` columns whose categories differ.

    A frame that was written with ``to_csv``, ``to_excel`` or ``to_parquet`` can be read back as usual, and given to
    :func:`resample`, :func:`growth`, :func:`cadence`, :func:`quality`, :func:`rent_index` and :func:`cite`. Dates may
    be a column, and text if it is ISO 8601. A time with a zone counts as its calendar day in Sydney. Read a wide frame
    with ``pd.read_csv(path, header=[0, 1], index_col=0)``, or with ``pd.read_excel`` and the same options.

    Neither CSV nor Excel files keep the name of the columns of ``wide["house"]``: put it back with
    ``frame.rename_axis(columns="area_name")``. They do not keep the attrs either, so :func:`cite` no longer knows how a
    frame was computed, or which suburb a frame of one suburb is about. Add the suburb with
    ``frame.assign(area_name="Quokka Bay")``, or write the tidy layout, which has it in a column.

    Examples
    --------
    >>> sp.rent(["Quokka Bay", "Bilby Heights"], start="2026-04-20", layout="tidy")
            date      area_name property_type    rent
    0 2026-04-26     Quokka Bay         house  ...
    ...

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
    arguments = locals()
    if layout not in ("long", *_LAYOUTS):  # a tuple, because a user may pass a list, which has no hash
        raise ValueError(f"layout must be 'long', 'panel', 'tidy' or 'wide', not {layout!r}. Nothing was sent.")
    given = {option: arguments[option] for option in _OF_FREQ if arguments[option] is not None}
    if freq is None and given:
        raise ValueError(f"{listed(given, str)} cannot be used without freq, as in freq='ME'. Nothing was sent.")

    def put_on_dates(frame: pd.DataFrame) -> pd.DataFrame:
        with captured_warnings():  # `finish` warns of dates that cannot be true
            resampled = frame if freq is None else resample(frame, freq, **given)
        return select(resampled, start, end)

    if freq is not None or start is not None or end is not None:
        put_on_dates(long_series_frame({}, []))  # a mistake is found before anything is bought
    batch = load("rent", suburbs, Options.among(arguments))
    payloads, names = batch.answers.payloads("rent"), batch.selection.names
    without_names = batch.selection.one and layout == "long"
    frame = series_frame(payloads[names[0]]) if without_names else long_series_frame(payloads, names)
    frame = put_on_dates(frame)
    unit = marks_of(frame).get("unit")
    return batch.finish(_LAYOUTS[layout](frame) if layout in _LAYOUTS else frame, unit=unit)


def impacts(
    suburbs: Suburbs,
    *,
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
    """Return amenity price impacts: for each amenity, the premium of sales without it nearby.

    A premium compares the sales without the amenity in this suburb with comparable suburbs that have it. It does not
    compare the sales of this suburb with one another. The service does not tell the size of its comparison group, so no
    judgement on that side is possible. The premiums of the drivers need not add up to the suburb's total premium. An
    amenity that is not listed has no known premium, not a premium of zero.

    Parameters
    ----------
    suburbs
        As in :func:`rent`.
    max_cents, refresh, max_age, offline, retrieved_by, errors, check_names, progress, client
        As in :func:`rent`.

    Returns
    -------
    pandas.DataFrame
        One row for each driver, in the service's order, largest premium first:

        - ``label`` (text): the driver, such as ``no pub nearby``
        - ``coverage_pct`` (float64): the percentage of recent sales that are without the amenity
        - ``premium_dollars`` (int64, AUD)
        - ``pct_of_median`` (float64): the premium in per cent of the median price
        - ``n_absent``, ``n_present`` (Int64): about how many recent sales are without and with the amenity (see Notes).
          The first is ``coverage_pct`` of ``n_sales``, rounded; the second is the rest. NA where ``coverage_pct`` or
          ``n_sales`` is impossible
        - ``evidence`` (text): ``thin`` if ``n_absent`` is at most 10, ``caution`` if it is at most 30, else ``ok``; NA
          where ``n_absent`` is NA. ``n_present`` has no flag, because the premium does not rest on these sales
        - ``detail`` (text): the service's sentence about the driver

        For many suburbs ``area_name`` (categorical) is the first column. ``attrs["suburb_pandas"]`` has a single
        suburb's ``n_sales``, ``median_price`` and ``total_premium``; for a few suburbs it has ``n_sales_by_suburb``.

    Warns
    -----
    DataWarning
        The service sent impossible values: a coverage outside 0 to 100, a negative number of sales, a percentage that
        the dollars and the median contradict by more than rounding, or the same label twice. Or values were revised
        since they were stored.
    NoDataWarning
        Some of many suburbs have no data; or the service lists no drivers for a suburb, whose response has data.
    SkippedRowsWarning, StaleDataWarning
        As in :func:`rent`.

    Raises
    ------
    SuburbError, TypeError, ValueError
        As in :func:`rent`.

    See Also
    --------
    impact_summary : Sales, median price and total premium, one row per suburb.
    plot_impacts : Draw amenity price impacts.
    scorecard : Rents, growth, sales and premiums, one row per suburb.
    quote : The cost of a request, worked out without a call.

    Notes
    -----
    The service does not state how it rounds ``coverage_pct``. If it rounds to tenths, as the embedded sandbox does,
    ``n_absent`` and ``n_present`` are exact for up to 1,000 sales, and off by at most ``n_sales / 2000``, rounded, for
    more. If it rounds to whole per cents, they are exact for up to 100 sales, and off by at most ``n_sales / 200``,
    rounded, for more.

    Examples
    --------
    >>> sp.impacts("Lantern Bay (NSW)").columns.to_list()
    ['label', 'coverage_pct', 'premium_dollars', 'pct_of_median', 'n_absent', 'n_present', 'evidence', 'detail']

    In a narrow terminal, ``detail`` pushes the premiums out of view. Print the other columns, or some of them:

    >>> drivers = sp.impacts("Lantern Bay (NSW)").drop(columns="detail")
    >>> drivers[["label", "premium_dollars", "pct_of_median", "evidence"]].head(2)
                           label  premium_dollars  pct_of_median evidence
    0  no late-night shop nearby            64800            4.5       ok
    1              no pub nearby            56100            3.9       ok
    """
    return load_frame("impacts", suburbs, Options.among(locals()))


def impact_summary(
    suburbs: Suburbs,
    *,
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
    """Return the number of sales, median price and total premium of each suburb.

    They come from the same responses as :func:`impacts`.

    Parameters
    ----------
    suburbs
        As in :func:`rent`.
    max_cents, refresh, max_age, offline, retrieved_by, errors, check_names, progress, client
        As in :func:`rent`.

    Returns
    -------
    pandas.DataFrame
        Index ``area_name``, in the order given. Columns: ``n_sales`` (Int64, recent sales), ``median_price`` and
        ``total_premium`` (float64, AUD), ``n_drivers`` (Int64), ``sum_drivers`` (float64, AUD; it may differ from
        ``total_premium``). They are NA or NaN for a suburb without data.

    Warns
    -----
    DataWarning, SkippedRowsWarning, StaleDataWarning
        As in :func:`impacts`.
    NoDataWarning
        Some of many suburbs have no data.

    Raises
    ------
    SuburbError, TypeError, ValueError
        As in :func:`rent`.

    See Also
    --------
    impacts : The premium of each driver.
    df.suburb.join_impacts : Add these columns to the rows of a frame.
    scorecard : Rents, growth, sales and premiums, one row per suburb.
    plot_map : Draw a value of each suburb on a map.

    Examples
    --------
    >>> sp.impact_summary(["Lantern Bay (NSW)", "Quokka Bay"]).index.to_list()
    ['Lantern Bay (NSW)', 'Quokka Bay']
    """
    batch = load("impacts", suburbs, Options.among(locals()), "impact_summary")
    frame = summary_frame(batch.answers.payloads("impacts"), batch.selection.names)
    return batch.finish(frame, unit=SUMMARY_UNITS)


def load_frame(endpoint: str, suburbs: Suburbs, options: Options) -> pd.DataFrame:
    """Return the frame of any endpoint that is about suburbs, in the shape that its record in `ENDPOINTS` has."""
    batch, record = load(endpoint, suburbs, options), ENDPOINTS[endpoint]
    payloads, names = batch.answers.payloads(endpoint), batch.selection.names
    frame = frame_of_many(record, payloads, names)
    if batch.selection.one:
        return batch.finish(frame.drop(columns=AREA_NAME), record.attrs_of_one(payloads[names[0]]))
    attrs = record.attrs_of_many(payloads).items()
    return batch.finish(frame, {name: value for name, value in attrs if len(json.dumps(value)) < _LONGEST_ATTRS})
