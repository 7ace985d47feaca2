"""Defines the methods of ``df.suburb`` for a frame of rents: calendar, cadence, quality, growth, index and chart.

Each method only passes its arguments on to timeseries, loaders or plotting. They are a class of their own because a
column called ``suburb`` does not get them: a Series has a ``resample`` of its own.
"""

from typing import TYPE_CHECKING, Any

import pandas as pd

from suburb_pandas.accessor.frame import FrameAccessor
from suburb_pandas.loaders.rent_index import rent_index
from suburb_pandas.plotting.plots import plot
from suburb_pandas.timeseries.cadence import cadence, quality
from suburb_pandas.timeseries.dates import Day, Length
from suburb_pandas.timeseries.growth import Base, growth
from suburb_pandas.timeseries.line import COVERAGE
from suburb_pandas.timeseries.resample import Fill, How, Partial, resample

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from matplotlib.axes import Axes
    from pandas.io.formats.style import Styler

    from suburb_pandas.client.client import Client
    from suburb_pandas.loaders.rent_index import By, Weights


class RentAccessor(FrameAccessor):
    """Methods for a frame of rents. None of them makes a call."""

    __slots__ = ()

    def resample(
        self,
        freq: str,
        *,
        how: How = "last",
        fill: Fill | None = None,
        max_gap: Length | None = None,
        partial: Partial = "keep",
        min_coverage: float | None = None,
        max_lag: Length | None = None,
        detail: bool = False,
    ) -> pd.DataFrame:
        """Return these rents resampled to one calendar.

        Parameters
        ----------
        freq
            A pandas frequency from weeks upwards, such as ``"ME"``, ``"QE"`` or ``"YE-JUN"``.
        how, fill, max_gap, partial, min_coverage, max_lag, detail
            As in `suburb_pandas.resample`.

        Returns
        -------
        DataFrame
            As `suburb_pandas.resample` returns: index ``date``, the labels of the periods; ``area_name`` for many
            suburbs, ``house`` and ``unit`` (float64, AUD per week). A tidy or wide frame gives one of its own layout.

        Raises
        ------
        ValueError
            The frame is not one of rents, or an option has an invalid value.

        See Also
        --------
        suburb_pandas.resample : The same for a frame that is passed, with all options explained.

        Examples
        --------
        >>> sp.rent("Quokka Bay").suburb.resample("QE", how="mean").index[-1]
        Timestamp('2026-06-30 00:00:00')
        """
        return resample(
            self._frame,
            freq,
            how=how,
            fill=fill,
            max_gap=max_gap,
            partial=partial,
            min_coverage=min_coverage,
            max_lag=max_lag,
            detail=detail,
        )

    def cadence(self) -> pd.DataFrame:
        """Return how often the points of these rents arrive.

        Returns
        -------
        DataFrame
            As `suburb_pandas.cadence` returns: one row for each stretch, with ``cadence``, ``start``, ``end``,
            ``n_points`` and ``n_missing``.

        Raises
        ------
        ValueError
            The frame is not one of rents.

        See Also
        --------
        suburb_pandas.cadence : The same for a frame that is passed.

        Examples
        --------
        >>> sp.rent("Woylie").suburb.cadence()["cadence"].to_list()
        ['monthly', 'weekly']
        """
        return cadence(self._frame)

    def quality(self, asof: Day | None = None) -> pd.DataFrame:
        """Return the age, length, cadence and flat runs of these rents.

        Parameters
        ----------
        asof
            The date of the assessment; later points are left out. A time with a zone counts as its calendar day in
            Sydney. By default today (UTC), for made-up data 2026-04-28.

        Returns
        -------
        DataFrame
            As `suburb_pandas.quality` returns: one row for each suburb and property type.

        Raises
        ------
        ValueError
            The frame is not one of rents, or ``asof`` is not a date.

        See Also
        --------
        suburb_pandas.quality : The same for a frame that is passed, with all options explained.

        Examples
        --------
        >>> sp.rent("Quokka Bay").suburb.quality(asof="2026-05-03")["age_days"].to_list()
        [7.0, 7.0]
        """
        return quality(self._frame, asof)

    def growth(
        self,
        over: str = "1Y",
        *,
        base: Base = "linear",
        max_gap: Length = "35D",
        smooth: Length | None = None,
        min_coverage: float = COVERAGE,
        annualise: bool = False,
        detail: bool = False,
    ) -> pd.DataFrame:
        """Return the growth of these rents over a calendar span.

        Parameters
        ----------
        over
            A whole number and D, W, M or Y: ``"1Y"``, ``"3M"``, ``"52W"``, ``"91D"``.
        base, max_gap, smooth, min_coverage, annualise, detail
            As in `suburb_pandas.growth`.

        Returns
        -------
        DataFrame
            As `suburb_pandas.growth` returns: the frame's own rows and columns, ``house`` and ``unit`` as fractions
            (float64). A tidy or wide frame gives one of its own layout.

        Raises
        ------
        ValueError
            The frame is not one of rents, or a length cannot be read.

        See Also
        --------
        suburb_pandas.growth : The same for a frame that is passed, with all options explained.

        Examples
        --------
        >>> sp.rent("Quokka Bay").suburb.growth("5Y", annualise=True).tail(1).round(3)
                    house   unit
        date
        2026-04-26  0.067  0.074
        """
        return growth(
            self._frame,
            over,
            base=base,
            max_gap=max_gap,
            smooth=smooth,
            min_coverage=min_coverage,
            annualise=annualise,
            detail=detail,
        )

    def rent_index(
        self,
        by: "By | None" = None,
        weights: "Weights | None" = None,
        base: Day | None = None,
        *,
        client: "Client | None" = None,
    ) -> pd.DataFrame:
        """Return a like-for-like index of these rents, for all suburbs or for each group of them.

        Parameters
        ----------
        by, weights, base, client
            As in `suburb_pandas.rent_index`.

        Returns
        -------
        DataFrame
            As `suburb_pandas.rent_index` returns: index ``date``; ``group`` with ``by``; ``house`` and ``unit``
            (float64, 100 at the base), and for each of them the number and the share of the suburbs compared, and how
            many of them were missing before.

        Raises
        ------
        ValueError
            The frame is not on one calendar or holds no rents, or an argument does not fit its suburbs or dates.

        See Also
        --------
        suburb_pandas.rent_index : The same for a frame that is passed, with the rule behind it.

        Examples
        --------
        >>> rents = sp.rent(["Quokka Bay", "Woylie"], freq="YE", partial="drop")
        >>> rents.suburb.rent_index(base="2022-12-31")["house"].tail(1).round(1)
        date
        2025-12-31    122.4
        Name: house, dtype: float64
        """
        return rent_index(self._frame, by, weights, base, client=client)

    def plot(self, ax: "Axes | None" = None, *, footnote: bool = True, **options: Any) -> "Axes":
        """Draw this frame of rents or of drivers, or this scorecard.

        Parameters
        ----------
        ax
            The Axes to draw on; by default a new figure.
        footnote
            Whether the notes and the source are shown at the foot.
        **options
            Options of the function that draws: ``title`` and ``figsize``; ``property_type``, ``kind`` and ``highlight``
            for rents; ``kind`` for drivers; ``by`` and ``highlight`` for a scorecard.

        Returns
        -------
        matplotlib.axes.Axes
            As `suburb_pandas.plot_scorecard` returns for a scorecard, `suburb_pandas.plot_impacts` for a frame of
            drivers, and `suburb_pandas.plot_rent` for any other.

        Raises
        ------
        ValueError
            The frame has none of these shapes, or more suburbs than fit.

        See Also
        --------
        suburb_pandas.plot_rent : The same for a frame of rents that is passed.
        suburb_pandas.plot_impacts : The same for a frame of drivers.
        suburb_pandas.plot_scorecard : The same for a scorecard.
        style : Return the frame as a table with units.

        Examples
        --------
        >>> sp.impacts("Quokka Bay").suburb.plot().figure.get_suptitle()
        'Amenity price impacts in Quokka Bay'
        """
        return plot(self._frame, ax, footnote=footnote, **options)

    def style(self, *, columns: "Sequence[Hashable] | None" = None, labels: bool = True) -> "Styler":
        """Return this scorecard, or this frame of rents or of drivers, as a table for people to read.

        Headings are words with their units, as in the charts. Numbers with a unit have thousands separators,
        percentages one decimal, money and counts none. A mark stands beside each flag, and a dash for a missing value.
        The caption has the title and the operations in words, explains the flags, names the source, and says if data
        are made up.

        Parameters
        ----------
        columns
            The columns to show, in this order. By default all of them, up to 16, so that a page of 1,280 pixels holds
            the table. A table of more columns has no dates of rents and of growth, no ratios to the price of all sales,
            no ``source`` and no ``retrieved_at``, and then the first 16. The sentence ``detail`` of each driver is left
            out unless asked. The caption says how many columns are shown.
        labels
            Whether the headings are words. With ``labels=False`` they are the labels of the frame with the unit. A
            frame in the wide layout keeps its labels, which are suburbs.

        Returns
        -------
        pandas.io.formats.style.Styler
            A notebook shows it as HTML, and ``to_html()`` returns the HTML as text, the same for the same frame. It
            needs no script and no network. It holds the chosen columns, with their values and labels unchanged.

        Raises
        ------
        ValueError
            The frame has more than 1,000 rows, or several columns of one name.
        KeyError
            ``columns`` has a label that the frame does not have.

        See Also
        --------
        plot : Draw the frame.

        Examples
        --------
        >>> card = sp.scorecard(["Quokka Bay", "Woylie"])
        >>> "House rent, AUD per week" in card.suburb.style().to_html()
        True
        >>> card.suburb.style(columns=["house_rent", "sales_flag"]).data.columns.to_list()
        ['house_rent', 'sales_flag']
        """
        from suburb_pandas.plotting import tables  # noqa: PLC0415 - matplotlib is slow to import

        return tables.style(self._frame, columns=columns, labels=labels)
