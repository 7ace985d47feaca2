"""``df.suburb``: the lookups of this package on a frame that has suburbs in it.

Doors, one line each. Where in the frame the suburbs are is `column`'s to find, and what their names bring `loaders`'.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final, NoReturn, Unpack

import pandas as pd

from . import books, loaders
from .column import suburbs_of
from .loaders import RentOptions
from .options import Options, QuoteOptions, with_options_of
from .quotes import Quote


class SuburbAccessor:
    """Lookups for the suburbs in a frame: their rents, and the price impacts of their amenities.

    The suburbs are in the column or index level that a method's ``column`` names. Without it they are in
    ``area_name``, if there is one, else in the one column or index level called, in any case, ``suburb``,
    ``suburb_name``, ``sal_name`` or ``locality``. They are taken in the order of the rows, each once; rows
    without a name are skipped with a `SkippedRowsWarning`.

    Nothing is looked up, computed or checked until a method is called.

    Parameters
    ----------
    frame
        The frame with the suburbs.
    """

    # No state: pandas makes accessors as it likes, so what one remembered would be there on some lines only.
    __slots__ = ("_frame",)

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    @with_options_of(loaders.rent)
    def rent(self, column: Hashable | None = None, **options: Unpack[RentOptions]) -> pd.DataFrame:
        """Weekly rents of the frame's suburbs.

        Parameters
        ----------
        column
            The column or index level that holds the names. Without it that is ``area_name``, else the one called
            ``suburb``, ``suburb_name``, ``sal_name`` or ``locality``.
        **options
            As for `suburb_pandas.rent`: ``layout``, ``max_cents``, ``refresh``, ``max_age``,
            ``offline``, ``retrieved_by``, ``errors``, ``progress``, ``client``.

        Returns
        -------
        DataFrame
            As `suburb_pandas.rent` gives for many suburbs. Index ``date``, the service's own dates, monthly or
            weekly, ascending within a suburb; columns ``area_name`` (categorical, suburbs in the frame's
            order), ``house`` and ``unit`` (float64, AUD per week). No rows for a frame of no rows.

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
            ``retrieved_by``, ``errors``, ``progress``, ``client``.

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
            ``retrieved_by``, ``errors``, ``progress``, ``client``.

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

    @with_options_of(books.quote)
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
            As for `suburb_pandas.quote`: ``refresh``, ``max_age``, ``client``.

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
        return books.quote(suburbs_of(self._frame, column), endpoints, **options)

    def __repr__(self) -> str:
        doors = " ".join(f".{name}()" for name in LOOKUPS)
        return f"<df.suburb: {doors} of its suburbs>"

    # On a frame without the column, `df.suburb` was an AttributeError before this package was there. Left to
    # Python, a mistyped column would now make `df["here"] = df.suburb == "Quokka Bay"` all False, without a word.
    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"df.suburb has no {name!r}: this frame has no column called 'suburb', so df.suburb offers "
            f"{', '.join(LOOKUPS)}.",
            name=name,
            obj=self,
        )

    def __eq__(self, other: object) -> NoReturn:
        raise AttributeError("There is nothing to compare: this frame has no column called 'suburb'.")

    def __ne__(self, other: object) -> NoReturn:
        self.__eq__(other)

    __hash__ = object.__hash__


# What is hung on a column called `suburb`. Methods for frames of the rent shape belong in a class of their own,
# as a Series has a `resample` and a `plot` already.
LOOKUPS: Final = tuple(name for name in vars(SuburbAccessor) if not name.startswith("_"))
