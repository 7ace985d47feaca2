"""Reads frames of drivers for charts: their figures, and the reliability of each.

Drawing is left to impacts and heatmap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from suburb_pandas.frames.schema import marks_of
from suburb_pandas.messages import listed
from suburb_pandas.service.impacts import LIMITS
from suburb_pandas.timeseries.points import numbers

COLUMNS: Final = ("label", "premium_dollars", "pct_of_median", "coverage_pct")
"""The columns that a frame of drivers must have; all but the first hold numbers."""

CAVEAT: Final = (
    "A premium compares the sales without the amenity with comparable suburbs that have it. It is not the effect of "
    "removing an amenity."
)

THIN: Final = f"at most {LIMITS['thin']} sales are without the amenity"
"""What thin evidence for a premium means, as part of a sentence."""


def read_drivers(drivers: pd.DataFrame) -> pd.DataFrame:
    """Return the drivers with their figures as float64, largest premium first."""
    if not isinstance(drivers, pd.DataFrame):
        raise TypeError(f"Pass a frame of drivers, as sp.impacts() returns it, not {type(drivers).__name__}.")
    missing = [column for column in COLUMNS if column not in drivers.columns]
    if missing:
        raise ValueError(f"This is not a frame of drivers, as sp.impacts() returns it: it has no {listed(missing)}.")
    figures = {column: numbers(drivers, column, f"drivers[{column!r}]") for column in COLUMNS[1:]}
    return drivers.assign(**figures).sort_values("premium_dollars", ascending=False, kind="stable")


def n_sales_of(drivers: pd.DataFrame, name: str | None) -> int | None:
    """Return the number of recent sales of a suburb, None if the frame does not say."""
    marks = marks_of(drivers)
    number: int | None = marks.get("n_sales", marks.get("n_sales_by_suburb", {}).get(name))
    return number


def is_thin(driver: Mapping[Any, Any]) -> bool:
    """Return True if few sales are without the amenity."""
    return str(driver.get("evidence")) == "thin"
