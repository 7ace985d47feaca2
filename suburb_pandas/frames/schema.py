"""Defines what the package's frames share: the names of columns, the units, and the marks in ``attrs``.

The marks say what a frame holds and where it came from. They are plain JSON, so that they survive ``to_parquet``.
Building the frames is left to loaders.frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from math import isnan
from typing import Any, Final

import pandas as pd

AREA_NAME: Final = "area_name"
PROPERTY_TYPES: Final = ("house", "unit")
ATTRS: Final = "suburb_pandas"
_THIN, _CAUTION = 10, 30  # recent sales


def mark(frame: pd.DataFrame, endpoint: str, source: str, unit: str | None, **fields: Any) -> None:
    """Record the endpoint and the source of a frame, and the unit of its numbers if they have one unit."""
    frame.attrs[ATTRS] = {"endpoint": endpoint, "source": source, **({"unit": unit} if unit else {}), **fields}


def carry(frame: pd.DataFrame, result: pd.DataFrame, *, unit: str | None) -> pd.DataFrame:
    """Copy the ``attrs`` of a frame to a result made from it, but with its own unit; None if it has several."""
    result.attrs = deepcopy(frame.attrs)
    if ATTRS in result.attrs:
        result.attrs[ATTRS].pop("unit", None)
        result.attrs[ATTRS] |= {"unit": unit} if unit else {}
    return result


def marks_of(frame: pd.DataFrame) -> Mapping[str, Any]:
    """Return the marks of a frame; empty if it has none."""
    marks = frame.attrs.get(ATTRS)
    return marks if isinstance(marks, Mapping) else {}


def is_made_up(frame: pd.DataFrame) -> bool:
    """Return True if the marks of a frame say that its suburbs are made up."""
    marks = marks_of(frame)
    return bool(marks.get("made_up")) or marks.get("source") == "embedded"


def is_of_drivers(frame: pd.DataFrame) -> bool:
    """Return True if a frame holds drivers rather than rents."""
    return "premium_dollars" in frame.columns


def unit_of(frame: pd.DataFrame) -> str | None:
    """Return the unit of a frame's numbers, or None if its marks have no unit."""
    unit: str | None = marks_of(frame).get("unit")
    return unit


def sales_flag(n_sales: float) -> str | None:
    """Return ``thin`` up to 10 sales, ``caution`` up to 30, otherwise ``ok``; None if the number is not known.

    The limits are those at which the New South Wales government's Rent and Sales Report suppresses a median (10 or
    fewer) and marks it (30 or fewer).
    """
    if isnan(n_sales):
        return None
    return "thin" if n_sales <= _THIN else "caution" if n_sales <= _CAUTION else "ok"
