"""``df.suburb`` on a frame of the rent shape: its calendar, cadence, quality, growth and chart. Doors, one line each.

They are apart from the lookups because they are not hung on a column called ``suburb``: a Series has a ``resample``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import pandas as pd

from suburb_pandas.loaders.options import with_options_of
from suburb_pandas.plotting.plots import plot
from suburb_pandas.timeseries.cadence import cadence, quality
from suburb_pandas.timeseries.dates import Day
from suburb_pandas.timeseries.growth import GrowthOptions, growth
from suburb_pandas.timeseries.resample import ResampleOptions, resample

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RentAccessor:
    """What a frame of rents can be asked for without a look-up: nothing here makes a call."""

    # No state, as in SuburbAccessor.
    __slots__ = ("_frame",)

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    @with_options_of(resample)
    def resample(self, freq: str, **options: Unpack[ResampleOptions]) -> pd.DataFrame:
        """These rents on one calendar.

        Parameters
        ----------
        freq
            A calendar frequency of pandas, from weeks up, such as ``"ME"``, ``"QE"`` or ``"YE-JUN"``.
        **options
            As for `suburb_pandas.resample`: ``how``, ``fill``, ``max_gap``, ``partial``, ``min_coverage``, ``detail``.

        Returns
        -------
        DataFrame
            As `suburb_pandas.resample` gives: index ``date``, the labels of the periods; ``area_name`` for many
            suburbs, ``house`` and ``unit`` (float64, AUD per week).

        Raises
        ------
        ValueError
            If the frame is not of the rent shape, or an option is none of these.

        Examples
        --------
        >>> sp.rent("Quokka Bay").suburb.resample("QE", how="mean").index[-1]
        Timestamp('2026-06-30 00:00:00')
        """
        return resample(self._frame, freq, **options)

    def cadence(self) -> pd.DataFrame:
        """How often the points of these rents come.

        Returns
        -------
        DataFrame
            As `suburb_pandas.cadence` gives: one row a stretch, with ``cadence`` (``monthly``, ``weekly`` or
            ``irregular``), ``start``, ``end``, ``n_points`` and ``n_missing``.

        Raises
        ------
        ValueError
            If the frame is not of the rent shape.

        Examples
        --------
        >>> sp.rent("Woylie").suburb.cadence()["cadence"].to_list()
        ['monthly', 'weekly']
        """
        return cadence(self._frame)

    def quality(self, asof: Day | None = None) -> pd.DataFrame:
        """How old, how long and how lively these rents are.

        Parameters
        ----------
        asof
            The date to judge by: points after it are left out. By default today (UTC).

        Returns
        -------
        DataFrame
            As `suburb_pandas.quality` gives: one row a suburb and property type.

        Raises
        ------
        ValueError
            If the frame is not of the rent shape, or ``asof`` is no date.

        Examples
        --------
        >>> sp.rent("Quokka Bay").suburb.quality(asof="2026-05-03")["age_days"].to_list()
        [7.0, 7.0]
        """
        return quality(self._frame, asof)

    @with_options_of(growth)
    def growth(self, over: str = "1Y", **options: Unpack[GrowthOptions]) -> pd.DataFrame:
        """By how much these rents grew over a span of the calendar.

        Parameters
        ----------
        over
            A whole number and D, W, M or Y: ``"1Y"``, ``"3M"``, ``"52W"``, ``"91D"``.
        **options
            As for `suburb_pandas.growth`: ``smooth``, ``annualise``, ``tolerance``, ``detail``.

        Returns
        -------
        DataFrame
            As `suburb_pandas.growth` gives: the frame's own rows and columns, ``house`` and ``unit`` as fractions
            (float64).

        Raises
        ------
        ValueError
            If the frame is not of the rent shape, or a length cannot be read.

        Examples
        --------
        >>> sp.rent("Quokka Bay").suburb.growth("5Y", annualise=True).tail(1).round(3)
                    house   unit
        date
        2026-04-26  0.068  0.073
        """
        return growth(self._frame, over, **options)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw this frame of rents or of drivers.

        Parameters
        ----------
        ax
            The Axes to draw on; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            As `suburb_pandas.plot_rent` or `suburb_pandas.plot_impacts` gives, whichever the frame is for.

        Raises
        ------
        ValueError
            If the frame is of neither shape, or of more than eight suburbs.

        Examples
        --------
        >>> sp.impacts("Quokka Bay").suburb.plot().get_title()
        'Quokka Bay'
        """
        return plot(self._frame, ax)
