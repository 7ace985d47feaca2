"""``df.suburb`` on a frame of the rent shape: its calendar, cadence, quality and growth. Doors, one line each.

They are apart from the lookups because they are not hung on a column called ``suburb``: a Series has a ``resample``.
"""

from __future__ import annotations

from typing import Unpack

import pandas as pd

from .cadence import cadence, quality
from .dates import Day
from .growth import GrowthOptions, growth
from .options import with_options_of
from .resampling import ResampleOptions, resample


class RentAccessor:
    """What a frame of rents can be asked for without a look-up: nothing here makes a call."""

    # No state, as in SuburbAccessor.
    __slots__ = ("_frame",)

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    @with_options_of(resample)
    def resample(self, freq: str, **options: Unpack[ResampleOptions]) -> pd.DataFrame:
        """Put these rents on one calendar, as `suburb_pandas.resample` does.

        Examples
        --------
        >>> sp.rent("Quokka Bay").suburb.resample("QE", how="mean").index[-1]
        Timestamp('2026-06-30 00:00:00')
        """
        return resample(self._frame, freq, **options)

    def cadence(self) -> pd.DataFrame:
        """Say how often their points come, as `suburb_pandas.cadence` does.

        Examples
        --------
        >>> sp.rent("Woylie").suburb.cadence()["cadence"].to_list()
        ['monthly', 'weekly']
        """
        return cadence(self._frame)

    def quality(self, asof: Day | None = None) -> pd.DataFrame:
        """Say how old, how long and how lively they are, as `suburb_pandas.quality` does.

        Examples
        --------
        >>> sp.rent("Quokka Bay").suburb.quality(asof="2026-05-03")["age_days"].to_list()
        [7.0, 7.0]
        """
        return quality(self._frame, asof)

    @with_options_of(growth)
    def growth(self, over: str = "1Y", **options: Unpack[GrowthOptions]) -> pd.DataFrame:
        """Give by how much they grew, as `suburb_pandas.growth` does.

        Examples
        --------
        >>> sp.rent("Quokka Bay").suburb.growth("5Y", annualise=True).tail(1).round(3)
                    house   unit
        date
        2026-04-26  0.068  0.073
        """
        return growth(self._frame, over, **options)
