"""``df.suburb``: the lookups of this package on a frame that has suburbs in it.

Doors, one line each. Where in the frame the suburbs are is `column`'s to find, and what their names bring `loaders`'.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final, NoReturn, Unpack

import pandas as pd

from suburb_pandas.accessor.rents import RentAccessor
from suburb_pandas.client.client import Client
from suburb_pandas.frames.column import column_or_level, queries_of, suburbs_of
from suburb_pandas.frames.queries import Rows, read
from suburb_pandas.geocoding import find
from suburb_pandas.geocoding.resolve import ResolveOptions, resolve_rows
from suburb_pandas.loaders import ledger, loaders
from suburb_pandas.loaders.batch import gather
from suburb_pandas.loaders.join import join_rent
from suburb_pandas.loaders.loaders import RentOptions
from suburb_pandas.loaders.options import Options, QuoteOptions, with_options_of
from suburb_pandas.loaders.scorecard import ScorecardOptions, scorecard
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.timeseries.dates import Length


class SuburbAccessor(RentAccessor):
    """Lookups for the suburbs in a frame: their rents, and the price impacts of their amenities.

    The suburbs are in the column or index level that a method's ``column`` names. Without it they are in
    ``area_name``, if there is one, else in the one column or index level called, in any case, ``suburb``,
    ``suburb_name``, ``sal_name`` or ``locality``. They are taken in the order of the rows, each once; rows
    without a name are skipped with a `SkippedRowsWarning`.

    A frame of rents, as ``rent()`` gives, can besides be put on one calendar (``resample()``) and be asked for its
    ``cadence()``, ``quality()`` and ``growth()``; ``plot()`` draws it, or a frame of drivers.

    Nothing is looked up, computed or checked until a method is called.

    Parameters
    ----------
    frame
        The frame with the suburbs.
    """

    # No state: pandas makes accessors as it likes, so what one remembered would be there on some lines only.
    __slots__ = ()

    @with_options_of(loaders.rent)
    def rent(self, column: Hashable | None = None, **options: Unpack[RentOptions]) -> pd.DataFrame:
        """Weekly rents of the frame's suburbs.

        Parameters
        ----------
        column
            The column or index level that holds the names. Without it that is ``area_name``, else the one called
            ``suburb``, ``suburb_name``, ``sal_name`` or ``locality``.
        **options
            As for `suburb_pandas.rent`: ``freq``, ``how``, ``fill``, ``max_gap``, ``partial``, ``min_coverage``,
            ``layout``, ``max_cents``, ``refresh``, ``max_age``, ``offline``, ``retrieved_by``, ``errors``,
            ``check_names``, ``progress``, ``client``.

        Returns
        -------
        DataFrame
            As `suburb_pandas.rent` gives for many suburbs. Index ``date``, the service's own dates, monthly or
            weekly, or those of ``freq``, ascending within a suburb; columns ``area_name`` (categorical, suburbs in the
            frame's order), ``house`` and ``unit`` (float64, AUD per week). No rows for a frame of no rows.

        Raises
        ------
        NoSuburbColumn
            If the frame does not say where its suburbs are, or has not one name there.
        CapExceeded, BudgetExceeded, BatchIncomplete
            As `suburb_pandas.rent` does, with its other errors.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["Bilby Heights", "Quokka Bay"], "sold": [3, 5]})
        >>> list(frame.suburb.rent().columns)
        ['area_name', 'house', 'unit']
        """
        return loaders.rent(suburbs_of(self._frame, column), **options)

    @with_options_of(loaders.impacts)
    def impacts(self, column: Hashable | None = None, **options: Unpack[Options]) -> pd.DataFrame:
        """What the absence of amenities was worth in the frame's suburbs.

        Parameters
        ----------
        column
            The column or index level that holds the names. Without it that is ``area_name``, else the one called
            ``suburb``, ``suburb_name``, ``sal_name`` or ``locality``.
        **options
            As for `suburb_pandas.impacts`: ``max_cents``, ``refresh``, ``max_age``, ``offline``,
            ``retrieved_by``, ``errors``, ``check_names``, ``progress``, ``client``.

        Returns
        -------
        DataFrame
            As `suburb_pandas.impacts` gives for many suburbs: a row a driver, largest premium first within a
            suburb; columns ``area_name`` (categorical), ``label``, ``coverage_pct`` (per cent of recent sales),
            ``premium_dollars`` (AUD), ``pct_of_median`` (per cent) and ``detail``. An unlisted driver is not a
            zero.

        Raises
        ------
        NoSuburbColumn
            If the frame does not say where its suburbs are, or has not one name there.
        CapExceeded, BudgetExceeded, BatchIncomplete
            As `suburb_pandas.impacts` does, with its other errors.

        Examples
        --------
        >>> frame = pd.DataFrame({"place": ["Bilby Heights"]})
        >>> list(frame.suburb.impacts(column="place").columns)
        ['area_name', 'label', 'coverage_pct', 'premium_dollars', 'pct_of_median', 'detail']
        """
        return loaders.impacts(suburbs_of(self._frame, column), **options)

    @with_options_of(loaders.impact_summary)
    def impact_summary(self, column: Hashable | None = None, **options: Unpack[Options]) -> pd.DataFrame:
        """What the absence of amenities was worth, in one row a suburb.

        Parameters
        ----------
        column
            The column or index level that holds the names. Without it that is ``area_name``, else the one called
            ``suburb``, ``suburb_name``, ``sal_name`` or ``locality``.
        **options
            As for `suburb_pandas.impact_summary`: ``max_cents``, ``refresh``, ``max_age``, ``offline``,
            ``retrieved_by``, ``errors``, ``check_names``, ``progress``, ``client``.

        Returns
        -------
        DataFrame
            As `suburb_pandas.impact_summary` gives: index ``area_name``; columns ``n_sales``, ``median_price``
            (AUD), ``total_premium`` (AUD), ``n_drivers`` and ``sum_drivers`` (AUD; need not equal
            ``total_premium``).

        Raises
        ------
        NoSuburbColumn
            If the frame does not say where its suburbs are, or has not one name there.
        CapExceeded, BudgetExceeded, BatchIncomplete
            As `suburb_pandas.impact_summary` does, with its other errors.

        Examples
        --------
        >>> frame = pd.DataFrame({"sold": [3]}, index=pd.Index(["Quokka Bay"], name="locality"))
        >>> list(frame.suburb.impact_summary().index)
        ['Quokka Bay']
        """
        return loaders.impact_summary(suburbs_of(self._frame, column), **options)

    @with_options_of(scorecard)
    def scorecard(self, column: Hashable | None = None, **options: Unpack[ScorecardOptions]) -> pd.DataFrame:
        """What is known of each of the frame's suburbs, in one row a suburb.

        Parameters
        ----------
        column
            The column or index level that holds the names. Without it that is ``area_name``, else the one called
            ``suburb``, ``suburb_name``, ``sal_name`` or ``locality``.
        **options
            As for `suburb_pandas.scorecard`: ``at``, ``prices``, ``max_cents``, ``refresh``, ``max_age``,
            ``offline``, ``retrieved_by``, ``errors``, ``check_names``, ``progress``, ``client``.

        Returns
        -------
        DataFrame
            As `suburb_pandas.scorecard` gives: index ``area_name``; the last rents with their dates and growth, the
            median price and number of sales, the premiums, and ``status``.

        Raises
        ------
        NoSuburbColumn
            If the frame does not say where its suburbs are, or has not one name there.
        CapExceeded, BudgetExceeded
            As `suburb_pandas.scorecard` does, with its other errors. What went wrong with one suburb is its ``status``.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["Quokka Bay", "Emu Parade"]})
        >>> frame.suburb.scorecard()["sales_flag"].to_list()
        ['caution', 'thin']
        """
        return scorecard(suburbs_of(self._frame, column), **options)

    @with_options_of(gather)
    def join_rent(
        self,
        on: Hashable = "date",
        tolerance: Length | None = "31D",
        lag: Length = "0D",
        *,
        column: Hashable | None = None,
        **options: Unpack[Options],
    ) -> pd.DataFrame:
        """Rents beside the frame's own rows: for each the last points dated at or before its date.

        Houses and units are looked up each on their own. Nothing dated later is used; but a point may have been
        published later than its date says, or revised since. ``lag`` allows for the first, and ``retrieved_by`` gives
        what had been retrieved by a time, for who needs what was known then.

        Parameters
        ----------
        on
            The column or index level that holds each row's date.
        tolerance
            How old a point may be, such as ``"31D"``; None for any age.
        lag
            How long before the row's date a point must be dated at the latest.
        column
            The column or index level that holds the names. Without it that is ``area_name``, else the one called
            ``suburb``, ``suburb_name``, ``sal_name`` or ``locality``.
        **options
            As for `suburb_pandas.impacts`: ``max_cents``, ``refresh``, ``max_age``, ``offline``,
            ``retrieved_by``, ``errors``, ``check_names``, ``progress``, ``client``.

        Returns
        -------
        DataFrame
            A copy of the frame, index and order as they are, with ``house_rent`` and ``unit_rent`` (float64, AUD per
            week) and ``rent_date`` (the later of their points' dates); NaN and NaT where there is no such point, no
            name or no date.

        Raises
        ------
        NoSuburbColumn
            If the frame does not say where its suburbs are, or has not one name there.
        ValueError
            ``on`` holds no dates, a length cannot be read, or the frame has such a column already. Nothing was sent.
        CapExceeded, BudgetExceeded, BatchIncomplete
            As `suburb_pandas.rent` does, with its other errors; ``.frame`` has the rows with the rents that arrived.

        Examples
        --------
        >>> sales = pd.DataFrame({"suburb": ["Quokka Bay"], "date": [pd.Timestamp("2024-05-14")]})
        >>> sales.suburb.join_rent()["rent_date"].to_list()
        [Timestamp('2024-05-12 00:00:00')]
        """
        names = suburbs_of(self._frame, column)
        return join_rent(self._frame, names, on=on, tolerance=tolerance, lag=lag, **options)

    @with_options_of(resolve_rows)
    def resolve(
        self,
        state: Hashable | None = None,
        postcode: Hashable | None = None,
        *,
        column: Hashable | None = None,
        **options: Unpack[ResolveOptions],
    ) -> pd.Series[str]:
        """The exact suburb name that each row means, so that ``df["area_name"] = df.suburb.resolve()``.

        What is to be resolved is read from the column called ``suburb``, ``suburb_name``, ``sal_name`` or
        ``locality`` even where there is an ``area_name`` already: to run the line again heals what was missing.

        Parameters
        ----------
        state, postcode
            The columns or index levels that hold each row's state and postcode, if there are any.
        column
            The column or index level that holds the queries.
        **options
            As for `suburb_pandas.resolve`: ``pins``, ``append_pins``, ``errors``, ``max_cents``, ``refresh``,
            ``max_age``, ``offline``, ``progress``, ``client``.

        Returns
        -------
        Series
            Called ``area_name``, text, on the frame's own index; NA in rows without a name, which are skipped with a
            `SkippedRowsWarning`.

        Raises
        ------
        AmbiguousSuburb, UnknownSuburb
            As `suburb_pandas.resolve` does, with its other errors; ``.resolved`` has the rows that were resolved.
        NoSuburbColumn
            If the frame does not say where its suburbs are, or has not one name there.
        ValueError
            If there is no column of that state or postcode. Nothing was sent.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["lantern bay", "Quokka  bay"], "region": ["Tas", None]})
        >>> frame.suburb.resolve(state="region").to_list()
        ['Lantern Bay (Tas.)', 'Quokka Bay']
        """
        queries, frame = queries_of(self._frame, column), self._frame
        states = None if state is None else column_or_level(frame, state, ValueError)
        postcodes = None if postcode is None else column_or_level(frame, postcode, ValueError)
        return resolve_rows(Rows(read(queries, states, postcodes), frame.index), **options)

    def places(self, column: Hashable | None = None, *, client: Client | None = None) -> pd.DataFrame:
        """What is known on this machine of where the frame's suburbs are. No call is made.

        Parameters
        ----------
        column
            The column or index level that holds the names. Without it that is ``area_name``, else the one called
            ``suburb``, ``suburb_name``, ``sal_name`` or ``locality``.
        client
            Instead of the default one.

        Returns
        -------
        DataFrame
            As `suburb_pandas.places` gives: index ``area_name``; columns ``state``, ``lga``, ``postcode``, ``sa2``,
            ``sa3``, ``sa4`` and ``origin``, all text, NaN where nothing is known.

        Raises
        ------
        NoSuburbColumn
            If the frame does not say where its suburbs are, or has not one name there.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["Quokka Bay", "Woylie"], "sold": [3, 5]})
        >>> frame.join(frame.suburb.places(), on="suburb").groupby("sa4")["sold"].sum().to_dict()
        {'Inner Jarrah': 5, 'Marri Coast': 3}
        """
        return find.places(suburbs_of(self._frame, column), client=client)

    @with_options_of(ledger.quote)
    def quote(
        self,
        endpoints: str | Iterable[str] = ("rent",),
        *,
        column: Hashable | None = None,
        **options: Unpack[QuoteOptions],
    ) -> Quote:
        """What looking the frame's suburbs up would cost. No call is made.

        Parameters
        ----------
        endpoints
            ``"rent"``, ``"impacts"``, or several; ``"scorecard"`` means what a scorecard needs.
        column
            The column or index level that holds the names. Without it that is ``area_name``, else the one called
            ``suburb``, ``suburb_name``, ``sal_name`` or ``locality``.
        **options
            As for `suburb_pandas.quote`: ``refresh``, ``max_age``, ``check_names``, ``client``.

        Returns
        -------
        Quote
            As `suburb_pandas.quote` gives.

        Raises
        ------
        NoSuburbColumn
            If the frame does not say where its suburbs are, or has not one name there.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["Bogong Rise", "Spinifex Landing"]})
        >>> frame.suburb.quote(["rent", "impacts"]).calls
        4
        """
        return ledger.quote(suburbs_of(self._frame, column), endpoints, **options)

    def __repr__(self) -> str:
        return f"<df.suburb: {', '.join(DOORS)}>"

    # On a frame without the column, `df.suburb` was an AttributeError before this package was there. Left to
    # Python, a mistyped column would now make `df["here"] = df.suburb == "Quokka Bay"` all False, without a word.
    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"df.suburb has no {name!r}: this frame has no column called 'suburb', so df.suburb offers "
            f"{', '.join(DOORS)}.",
            name=name,
            obj=self,
        )

    def __eq__(self, other: object) -> NoReturn:
        raise AttributeError("There is nothing to compare: this frame has no column called 'suburb'.")

    def __ne__(self, other: object) -> NoReturn:
        self.__eq__(other)

    __hash__ = object.__hash__


# What is hung on a column called `suburb`: not what a RentAccessor has, as a Series has a `resample` already.
LOOKUPS: Final = tuple(name for name in vars(SuburbAccessor) if not name.startswith("_"))
DOORS: Final = (*LOOKUPS, *(name for name in vars(RentAccessor) if not name.startswith("_")))
