"""Defines the methods of ``df.suburb`` that join data to the frame's own rows, in a copy with more columns.

Each method only passes its arguments on, to loaders or to geocoding. Loading data as frames of their own is left to
loading and naming.
"""

from collections.abc import Hashable, Iterable

import pandas as pd

from suburb_pandas.accessor.frame import FrameAccessor
from suburb_pandas.client.client import Client
from suburb_pandas.frames.column import suburbs_of
from suburb_pandas.geocoding.join_places import join_places
from suburb_pandas.loaders.join import join_impacts, join_rent, join_scorecard
from suburb_pandas.loaders.options import Moment, OnError
from suburb_pandas.loaders.progress import Watch
from suburb_pandas.timeseries.dates import Day, Length


class JoiningAccessor(FrameAccessor):
    """Methods that join data to the rows of a frame. They have the same options as the loaders."""

    __slots__ = ()

    def join_rent(
        self,
        on: Hashable = "date",
        tolerance: Length | None = "31D",
        lag: Length = "0D",
        *,
        column: Hashable | None = None,
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
        """Add to each row the last rents dated at or before the row's date.

        Rents of houses and of units are found separately. No later point is used. However, a point may have been
        published later than its date, or revised since. ``lag`` allows for late publication, and ``retrieved_by``
        restricts the rents to responses that had been retrieved by a time.

        Parameters
        ----------
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
            index, order, columns and attrs are unchanged. The new columns are ``house_rent`` and ``unit_rent``
            (float64, AUD per week) and ``rent_date`` (the later of their points' dates); NaN and NaT where there is no
            such point, no name or no date.

        Raises
        ------
        NoSuburbColumn
            The frame has no column or index level of suburbs, or several, or one in which every name is missing.
        ValueError
            ``on`` holds no dates, a length cannot be read, or the frame already has one of the new columns. Nothing was
            sent.
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
        return join_rent(
            self._frame,
            suburbs_of(self._frame, column),
            on=on,
            tolerance=tolerance,
            lag=lag,
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

    def join_places(
        self,
        columns: str | Iterable[str] | None = None,
        prefix: str = "",
        *,
        column: Hashable | None = None,
        client: Client | None = None,
    ) -> pd.DataFrame:
        """Add to each row the location of its suburb, as far as it is known on this machine. No call is made.

        Parameters
        ----------
        columns
            The columns to add: one of those that ``places`` returns, or a list of them. By default all.
        prefix
            Text before each new name, as in ``"abs_"``.
        column
            The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
            called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
        client
            The client to use instead of the default one.

        Returns
        -------
        DataFrame
            A copy of the frame with the new columns at its end. Its class (a GeoDataFrame keeps its geometry and CRS),
            index, order, columns and attrs are unchanged. The new columns have the names and dtypes of
            `suburb_pandas.places`: text (``state``, ``lga``, ``postcode``, ``sa2``, ``sa3``, ``sa4``, ``origin``),
            float64 (the shares) and Int64 (the counts). NaN or NA where nothing is known, or in a row without a name.

        Raises
        ------
        NoSuburbColumn
            The frame has no column or index level of suburbs, or several, or one in which every name is missing.
        ValueError
            The frame already has one of the new columns, or ``columns`` names an unknown one.

        See Also
        --------
        places : Return the locations as a frame of their own, one row for each suburb.
        resolve : Return the exact name of each row's suburb, if the rows have free text.

        Examples
        --------
        >>> sales = pd.DataFrame({"suburb": ["Woylie", "Quokka Bay", "Woylie"], "sold": [3, 5, 4]})
        >>> sales.suburb.join_places(["state", "sa4"])
               suburb  sold state           sa4
        0      Woylie     3    WA  Inner Jarrah
        1  Quokka Bay     5    WA   Marri Coast
        2      Woylie     4    WA  Inner Jarrah
        """
        return join_places(self._frame, columns, prefix, column=column, client=client)

    def join_impacts(
        self,
        columns: str | Iterable[str] | None = None,
        prefix: str = "",
        *,
        column: Hashable | None = None,
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
        """Add to each row the number of sales, median price and premiums of its suburb.

        Each suburb is bought once, however many rows it has.

        Parameters
        ----------
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
            index, order, columns and attrs are unchanged. The new columns have the names and dtypes of
            `suburb_pandas.impact_summary`: ``n_sales`` and ``n_drivers`` (Int64), ``median_price``, ``total_premium``
            and ``sum_drivers`` (float64, AUD). NaN or NA for a suburb without data, or in a row without a name.

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
        return join_impacts(
            self._frame,
            columns,
            prefix,
            column=column,
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

    def join_scorecard(
        self,
        columns: str | Iterable[str] | None = None,
        prefix: str = "",
        *,
        column: Hashable | None = None,
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
        """Add to each row the scorecard of its suburb: rents, growth, sales and premiums.

        Each suburb is bought once, however many rows it has. All rows of a suburb get the same values; for rents by
        the date of each row, use ``join_rent``.

        Parameters
        ----------
        columns
            The columns to add: one of those that ``scorecard`` returns, or a list of them. By default all.
        prefix
            Text before each new name, as in ``"card_"``.
        column
            The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
            called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
        at, max_lag, smooth, prices, errors
            As in `suburb_pandas.scorecard`. Only with ``prices`` are there gross yields. The frame does not
            name the span of ``smooth``, so `cite` refuses its growth: cite the scorecard itself.
        max_cents, refresh, max_age, offline, retrieved_by, check_names, progress, client
            As in `suburb_pandas.rent`.

        Returns
        -------
        DataFrame
            A copy of the frame with the new columns at its end. Its class (a GeoDataFrame keeps its geometry and CRS),
            index, order, columns and attrs are unchanged. The new columns have the names, dtypes and units of
            `suburb_pandas.scorecard`: the last rents (AUD per week) with their dates and growth (per cent), the median
            price (AUD) and number of sales, the premiums, and ``status``. NaN, NaT or NA where nothing is known, or in
            a row without a name.

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
        return join_scorecard(
            self._frame,
            columns,
            prefix,
            column=column,
            at=at,
            max_lag=max_lag,
            smooth=smooth,
            prices=prices,
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
