"""What the package's frames have in common: the names of columns, and the marks in ``attrs``.

The marks are plain JSON, so that they survive ``to_parquet``.
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
_THIN, _CAUTION = 10, 30
UNITS: Final = {"rent": "AUD per week", "impacts": "AUD"}


def mark(frame: pd.DataFrame, endpoint: str, source: str, unit: str | None, **fields: Any) -> None:
    """Write down what a frame is, where it came from, and in which unit its numbers are, if it is one."""
    frame.attrs[ATTRS] = {"endpoint": endpoint, "source": source, **({"unit": unit} if unit else {}), **fields}


def carry(frame: pd.DataFrame, result: pd.DataFrame, *, unit: str | None) -> pd.DataFrame:
    """Let what was made from a frame say the same, but for its unit; None where its columns have several."""
    result.attrs = deepcopy(frame.attrs)
    if ATTRS in result.attrs:
        result.attrs[ATTRS].pop("unit", None)
        result.attrs[ATTRS] |= {"unit": unit} if unit else {}
    return result


def marks_of(frame: pd.DataFrame) -> Mapping[str, Any]:
    """Give what a frame says of itself."""
    marks = frame.attrs.get(ATTRS)
    return marks if isinstance(marks, Mapping) else {}


def is_made_up(frame: pd.DataFrame) -> bool:
    """Whether a frame says of itself that its suburbs are made up."""
    marks = marks_of(frame)
    return bool(marks.get("made_up")) or marks.get("source") == "embedded"


def is_of_drivers(frame: pd.DataFrame) -> bool:
    """Whether a frame is of drivers, and not of rents."""
    return "premium_dollars" in frame.columns


def unit_of(frame: pd.DataFrame) -> str | None:
    """Give the unit that a frame says its numbers are in."""
    unit: str | None = marks_of(frame).get("unit")
    return unit


def sales_flag(n_sales: float) -> str | None:
    """Say so: ``thin`` to 10 sales, ``caution`` to 30, else ``ok``; None where the number is not known.

    The limits are those at which the New South Wales government's Rent and Sales Report suppresses a median (10 or
    fewer) and marks it (30 or fewer).
    """
    if isnan(n_sales):
        return None
    return "thin" if n_sales <= _THIN else "caution" if n_sales <= _CAUTION else "ok"
