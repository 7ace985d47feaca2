"""Defines the methods of ``df.suburb`` that load data about the frame's suburbs.

Each method only passes its arguments on to loaders. Joining data to the frame's own rows is left to joining.
"""

from collections.abc import Hashable

import pandas as pd

from suburb_pandas.accessor.frame import FrameAccessor
from suburb_pandas.client.client import Client
from suburb_pandas.frames.column import suburbs_of
from suburb_pandas.loaders import loaders
from suburb_pandas.loaders.options import Moment, OnError
from suburb_pandas.loaders.progress import Watch
from suburb_pandas.loaders.scorecard import scorecard
from suburb_pandas.timeseries.dates import Day, Length
from suburb_pandas.timeseries.resample import Fill, How, Partial


class LoadingAccessor(FrameAccessor):
    """Methods that load data about the suburbs in a frame. They have the same options as the loaders."""

    __slots__ = ()

    def rent(
        self,
        column: Hashable | None = None,
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
        layout: loaders.Layout = "long",
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
        """Return the median advertised rents of the frame's suburbs, by date.

        Parameters
        ----------
        column
            The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
            called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
        freq, how, fill, max_gap, partial, min_coverage, max_lag, start, end, layout
            As in `suburb_pandas.rent`.
        max_cents, refresh, max_age, offline, retrieved_by, errors, check_names, progress, client
            As in `suburb_pandas.rent`.

        Returns
        -------
        DataFrame
            As `suburb_pandas.rent` returns for many suburbs: index ``date`` (the service's own dates, or
            those of ``freq``), ascending within a suburb; columns ``area_name`` (categorical, suburbs in
            the frame's order), ``house`` and ``unit`` (float64, AUD per week). Other layouts are as in
            `suburb_pandas.rent`. No rows for a frame without rows.

        Raises
        ------
        NoSuburbColumn
            The frame has no column or index level of suburbs, or several, or one in which every name is missing.
        CapExceeded, BudgetExceeded, BatchIncomplete
            As for `suburb_pandas.rent`, which lists further errors.

        See Also
        --------
        suburb_pandas.rent : The same for names in a list, a Series or an Index.
        join_rent : Put rents beside dated rows.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["Bilby Heights", "Quokka Bay"], "sold": [3, 5]})
        >>> list(frame.suburb.rent().columns)
        ['area_name', 'house', 'unit']
        """
        return loaders.rent(
            suburbs_of(self._frame, column),
            freq=freq,
            how=how,
            fill=fill,
            max_gap=max_gap,
            partial=partial,
            min_coverage=min_coverage,
            max_lag=max_lag,
            start=start,
            end=end,
            layout=layout,
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

    def impacts(
        self,
        column: Hashable | None = None,
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
        """Return the amenity price impacts of the frame's suburbs.

        Parameters
        ----------
        column
            The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
            called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
        max_cents, refresh, max_age, offline, retrieved_by, errors, check_names, progress, client
            As in `suburb_pandas.rent`.

        Returns
        -------
        DataFrame
            As `suburb_pandas.impacts` returns for many suburbs: one row for each driver, largest premium first within a
            suburb; columns ``area_name`` (categorical), ``label``, ``coverage_pct`` (per cent of recent sales),
            ``premium_dollars`` (AUD), ``pct_of_median`` (per cent), ``n_absent`` and ``n_present`` (about how many
            sales are without and with the amenity), ``evidence`` (by ``n_absent``) and ``detail``. A driver that
            is not listed has no known premium, not a premium of zero.

        Raises
        ------
        NoSuburbColumn
            The frame has no column or index level of suburbs, or several, or one in which every name is missing.
        CapExceeded, BudgetExceeded, BatchIncomplete
            As for `suburb_pandas.impacts`, which lists further errors.

        See Also
        --------
        suburb_pandas.impacts : The same for names in a list, a Series or an Index.
        join_impacts : Put the summary of the impacts beside the rows.

        Examples
        --------
        >>> frame = pd.DataFrame({"place": ["Bilby Heights"]})
        >>> list(frame.suburb.impacts(column="place").columns)
        ['area_name', 'label', 'coverage_pct', ..., 'n_absent', 'n_present', 'evidence', 'detail']
        """
        return loaders.impacts(
            suburbs_of(self._frame, column),
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

    def impact_summary(
        self,
        column: Hashable | None = None,
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
        """Return the number of sales, median price and total premium of each of the frame's suburbs.

        Parameters
        ----------
        column
            The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
            called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
        max_cents, refresh, max_age, offline, retrieved_by, errors, check_names, progress, client
            As in `suburb_pandas.rent`.

        Returns
        -------
        DataFrame
            As `suburb_pandas.impact_summary` returns: index ``area_name``; columns ``n_sales``, ``median_price``
            (AUD), ``total_premium`` (AUD), ``n_drivers`` and ``sum_drivers`` (AUD; need not equal
            ``total_premium``).

        Raises
        ------
        NoSuburbColumn
            The frame has no column or index level of suburbs, or several, or one in which every name is missing.
        CapExceeded, BudgetExceeded, BatchIncomplete
            As for `suburb_pandas.impact_summary`, which lists further errors.

        See Also
        --------
        suburb_pandas.impact_summary : The same for names in a list, a Series or an Index.
        join_impacts : Put these columns beside the rows.

        Examples
        --------
        >>> frame = pd.DataFrame({"sold": [3]}, index=pd.Index(["Quokka Bay"], name="locality"))
        >>> list(frame.suburb.impact_summary().index)
        ['Quokka Bay']
        """
        return loaders.impact_summary(
            suburbs_of(self._frame, column),
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

    def scorecard(
        self,
        column: Hashable | None = None,
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
        """Return one row for each of the frame's suburbs, with its rents, growth, sales and premiums.

        Parameters
        ----------
        column
            The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
            called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
        at, max_lag, smooth, prices, errors
            As in `suburb_pandas.scorecard`.
        max_cents, refresh, max_age, offline, retrieved_by, check_names, progress, client
            As in `suburb_pandas.rent`.

        Returns
        -------
        DataFrame
            As `suburb_pandas.scorecard` returns: index ``area_name``; the last rents with their dates and growth, the
            median price and number of sales, the premiums, and ``status``.

        Raises
        ------
        NoSuburbColumn
            The frame has no column or index level of suburbs, or several, or one in which every name is missing.
        CapExceeded, BudgetExceeded
            As for `suburb_pandas.scorecard`, which lists further errors. The error of one suburb is its ``status``.

        See Also
        --------
        suburb_pandas.scorecard : The same for names in a list, a Series or an Index.
        join_scorecard : Put these columns beside the rows.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["Quokka Bay", "Emu Parade"]})
        >>> frame.suburb.scorecard()["sales_flag"].to_list()
        ['caution', 'thin']
        """
        return scorecard(
            suburbs_of(self._frame, column),
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
