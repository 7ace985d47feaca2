"""Defines the methods of ``df.suburb`` about the names in a frame, and about the cost of loading their data.

Each method only passes its arguments on, to geocoding or to loaders.ledger.
"""

from collections.abc import Hashable, Iterable
from os import PathLike
from typing import Literal, overload

import pandas as pd

from suburb_pandas.accessor.frame import FrameAccessor
from suburb_pandas.client.client import Client
from suburb_pandas.frames.column import column_or_level, queries_of, suburbs_of
from suburb_pandas.frames.queries import Rows, read
from suburb_pandas.geocoding import find
from suburb_pandas.geocoding.resolve import resolve_rows
from suburb_pandas.loaders import ledger
from suburb_pandas.loaders.options import OnError
from suburb_pandas.purchasing.quote import Quote
from suburb_pandas.timeseries.dates import Length


class NamingAccessor(FrameAccessor):
    """Methods about the names in a frame."""

    __slots__ = ()

    @overload
    def resolve(
        self,
        state: Hashable | None = None,
        postcode: Hashable | None = None,
        *,
        region: Hashable | None = None,
        column: Hashable | None = None,
        detail: Literal[False] = False,
        pins: str | PathLike[str] | None = None,
        append_pins: bool = False,
        errors: OnError = "raise",
        max_cents: int | None = None,
        refresh: bool = False,
        max_age: Length | None = None,
        offline: bool = False,
        progress: bool | None = None,
        client: Client | None = None,
    ) -> "pd.Series[str]": ...

    @overload
    def resolve(
        self,
        state: Hashable | None = None,
        postcode: Hashable | None = None,
        *,
        region: Hashable | None = None,
        column: Hashable | None = None,
        detail: Literal[True],
        pins: str | PathLike[str] | None = None,
        append_pins: bool = False,
        errors: OnError = "raise",
        max_cents: int | None = None,
        refresh: bool = False,
        max_age: Length | None = None,
        offline: bool = False,
        progress: bool | None = None,
        client: Client | None = None,
    ) -> pd.DataFrame: ...

    def resolve(
        self,
        state: Hashable | None = None,
        postcode: Hashable | None = None,
        *,
        region: Hashable | None = None,
        column: Hashable | None = None,
        detail: bool = False,
        pins: str | PathLike[str] | None = None,
        append_pins: bool = False,
        errors: OnError = "raise",
        max_cents: int | None = None,
        refresh: bool = False,
        max_age: Length | None = None,
        offline: bool = False,
        progress: bool | None = None,
        client: Client | None = None,
    ) -> "pd.Series[str] | pd.DataFrame":
        """Return the exact suburb name for each row, as in ``df["area_name"] = df.suburb.resolve()``.

        The queries are in the column called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS
        calls it (``SAL_NAME21``), even if there already is an ``area_name``. Running the line again can therefore fill
        in names that were missing.

        Parameters
        ----------
        state, postcode, region
            The columns or index levels that hold each row's state, postcode, and council or ABS area, if there are any.
        column
            The column or index level that holds the queries.
        detail, pins, append_pins, errors
            As in `suburb_pandas.resolve`.
        max_cents, refresh, max_age, offline, progress, client
            As in `suburb_pandas.rent`.

        Returns
        -------
        Series
            Named ``area_name``, text, on the frame's own index. Rows without a name are NA, with a
            `SkippedRowsWarning`.
        DataFrame
            With ``detail=True``, on the same index: how each row was resolved, as `suburb_pandas.resolve` returns it.

        Raises
        ------
        AmbiguousSuburb, UnknownSuburb
            As for `suburb_pandas.resolve`, which lists further errors; ``.resolved`` has the resolved rows.
        NoSuburbColumn
            The frame has no column or index level of suburbs, or several, or one in which every name is missing.
        ValueError
            There is no column for ``state``, ``postcode`` or ``region``. Nothing was sent.

        See Also
        --------
        suburb_pandas.resolve : The same for queries in a list or a Series.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["lantern bay", "Quokka  bay"], "region": ["Tas", None]})
        >>> frame.suburb.resolve(state="region").to_list()
        ['Lantern Bay (Tas.)', 'Quokka Bay']
        """
        queries, frame = queries_of(self._frame, column), self._frame
        states, postcodes, regions = (
            None if label is None else column_or_level(frame, label, ValueError) for label in (state, postcode, region)
        )
        return resolve_rows(
            Rows(read(queries, states, postcodes, regions), frame.index),
            label=queries.name,
            detail=detail,
            pins=pins,
            append_pins=append_pins,
            errors=errors,
            max_cents=max_cents,
            refresh=refresh,
            max_age=max_age,
            offline=offline,
            progress=progress,
            client=client,
        )

    def places(self, column: Hashable | None = None, *, client: Client | None = None) -> pd.DataFrame:
        """Return the locations of the frame's suburbs, as far as they are known on this machine. No call is made.

        The result has one row for each suburb and the names as its index. To add locations to the frame's own rows, use
        ``df.suburb.join_places()``: ``df["lga"] = df.suburb.places()["lga"]`` is NaN in every row, because pandas
        matches the labels of the rows with the names.

        Parameters
        ----------
        column
            The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
            called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
        client
            The client to use instead of the default one.

        Returns
        -------
        DataFrame
            As `suburb_pandas.places` returns: index ``area_name``; columns ``state``, ``lga``, ``postcode``, ``sa2``,
            ``sa3``, ``sa4`` and ``origin``, text; the shares of the areas, float64; ``dwellings`` and ``persons``,
            Int64. NaN or NA where nothing is known.

        Raises
        ------
        NoSuburbColumn
            The frame has no column or index level of suburbs, or several, or one in which every name is missing.

        See Also
        --------
        join_places : Add the locations to the frame's own rows.
        suburb_pandas.places : Return the known suburbs of a state, a council, an SA4 or a postcode.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["Quokka Bay", "Woylie", "Quokka Bay"]})
        >>> frame.suburb.places()["sa4"].to_dict()
        {'Quokka Bay': 'Marri Coast', 'Woylie': 'Inner Jarrah'}
        """
        return find.places(suburbs_of(self._frame, column), client=client)

    def quote(
        self,
        endpoints: str | Iterable[str] = ("rent",),
        *,
        state: Hashable | None = None,
        postcode: Hashable | None = None,
        column: Hashable | None = None,
        refresh: bool = False,
        max_age: Length | None = None,
        check_names: bool = True,
        client: Client | None = None,
    ) -> Quote:
        """Return the cost of loading data about the frame's suburbs. No call is made.

        Parameters
        ----------
        endpoints
            ``"rent"``, ``"impacts"``, or several; ``"scorecard"`` stands for the endpoints that a scorecard needs, and
            ``"resolve"`` for the look-ups that :meth:`resolve` makes.
        state, postcode
            With ``"resolve"``: the columns or index levels that hold each row's state and postcode.
        column
            The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
            called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
            With ``"resolve"``, the one that holds the queries, as in :meth:`resolve`.
        refresh, max_age, check_names, client
            As in `suburb_pandas.rent`.

        Returns
        -------
        Quote
            As `suburb_pandas.quote` returns.

        Raises
        ------
        NoSuburbColumn
            The frame has no column or index level of suburbs, or several, or one in which every name is missing.
        ValueError
            There is no column for ``state`` or ``postcode``, or no endpoint uses it.

        See Also
        --------
        suburb_pandas.quote : The same for names in a list, a Series or an Index.

        Examples
        --------
        >>> frame = pd.DataFrame({"suburb": ["Bogong Rise", "Spinifex Landing"]})
        >>> frame.suburb.quote(["rent", "impacts"]).calls
        4
        """
        frame = self._frame
        endpoints = endpoints if isinstance(endpoints, str) else list(endpoints)
        suburbs = queries_of(frame, column) if "resolve" in endpoints else suburbs_of(frame, column)
        states, postcodes = (
            None if label is None else column_or_level(frame, label, ValueError) for label in (state, postcode)
        )
        return ledger.quote(
            suburbs,
            endpoints,
            state=states,
            postcode=postcodes,
            refresh=refresh,
            max_age=max_age,
            check_names=check_names,
            client=client,
        )
