"""Owns the columns that ``detail=True`` adds to a resampled frame: their names and units, and how to read or drop them.

Their values are computed by `resample`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import PROPERTY_TYPES, Unit
from suburb_pandas.timeseries.dates import Flags
from suburb_pandas.timeseries.points import check_type

DETAILS: Final = ("n", "last", "coverage", "open", "filled", "unchanged_days")
"""The columns that show how the values of one property type were obtained; ``house_`` or ``unit_`` stands before."""

_UNITS: Final = {"_n": "points", "_coverage": "fraction", "_unchanged_days": "days"}


def units_of_details(unit: str, kinds: Iterable[str]) -> Unit:
    """Return the unit of each column of numbers in a frame with these columns; `unit` is that of its values."""
    return {kind + suffix: each for kind in kinds for suffix, each in {"": unit, **_UNITS}.items()}


def without_details(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of the rent shape without these columns.

    Raises
    ------
    TypeError
        `frame` is not a DataFrame.
    """
    check_type(frame)
    return frame.drop(columns=[f"{kind}_{name}" for kind in PROPERTY_TYPES for name in DETAILS], errors="ignore")


def flags_of(frame: pd.DataFrame, label: str) -> Flags:
    """Return one of these columns that holds True and False; False for all rows of a frame that does not have it."""
    return frame[label].to_numpy("bool") if label in frame.columns else np.zeros(len(frame), dtype="bool")
