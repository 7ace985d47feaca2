"""Decides which rents are stale, for scorecards and for the charts and tables of plotting."""

from typing import Final

import numpy as np
import numpy.typing as npt

STALE: Final = "stale"
"""The status of a suburb with a stale rent."""

STALE_DAYS: Final = 62
"""A rent is stale if it is more than this many days older than the newest rent beside it, of either property type."""


def newest(dates: npt.ArrayLike) -> np.datetime64:
    """Return the newest of some dates; NaT if there are none."""
    found: np.datetime64 = np.fmax.reduce(np.asarray(dates, "M8[D]"), axis=None, initial=np.datetime64("NaT", "D"))
    return found


def stale_before(dates: npt.ArrayLike) -> np.datetime64:
    """Return the day before which dates are stale beside the newest of them; NaT, which no date precedes, if none."""
    return newest(dates) - np.timedelta64(STALE_DAYS, "D")
