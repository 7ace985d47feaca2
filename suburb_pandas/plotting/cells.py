"""Writes the values of frames of suburbs as text for the cells of tables.

Numbers have their unit's decimals and separators, dates no time of day, flags a mark. Whole tables are left to tables,
and the picker's table to notebook.result.table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from math import isfinite
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

from suburb_pandas.frames.schema import AREA_NAME, RENT_UNIT, is_of_drivers, marks_of
from suburb_pandas.plotting.composition.text import decimals_of, format_number
from suburb_pandas.service.impacts import LIMITS
from suburb_pandas.timeseries.cadence import FLAT
from suburb_pandas.timeseries.points import KINDS

DASH: Final = "\N{EN DASH}"
"""The sign for a missing value."""

HEAVY, LIGHT = "\N{BLACK UP-POINTING TRIANGLE}", "\N{WHITE UP-POINTING TRIANGLE}"
"""The marks of values that need much care, and of those that need some."""

PER_CENT, FRACTION, INDEX = "per cent", "fraction", "index"
"""Units that a table writes in a way of their own."""

DAYS: Final = "_unchanged_days"
"""The end of the name of a column with the days without a change."""

FLAGS: Final = {"sales_flag", "evidence"}
"""The columns with the flag of the number of sales behind a figure."""

_MARKS: Final = {"thin": HEAVY, "caution": LIGHT}
_STATUS: Final = "status"
_PLAIN: Final = 10_000  # from here on, numbers without a unit have separators; smaller ones may be years


def unit_of(frame: pd.DataFrame, label: Hashable) -> str | None:
    """Return the unit of a column by the marks of a frame; None if they do not have it, and for the user's columns."""
    unit = marks_of(frame).get("unit")
    if isinstance(unit, Mapping):
        return unit.get(label)
    return unit if holds_rents(frame, label) and isinstance(unit, str) else None


def is_wide(frame: pd.DataFrame) -> bool:
    """Return True if the columns of a frame are suburbs, so that they all have the same unit."""
    return frame.columns.nlevels > 1 or frame.columns.name == AREA_NAME


def holds_rents(frame: pd.DataFrame, label: Hashable) -> bool:
    """Return True if a column holds rents or values computed from them, such as growth, rather than dates or counts."""
    return label in KINDS or is_wide(frame)


def writer_of(column: pd.Series[Any], unit: str | None) -> Callable[[Any], str]:
    """Return the function that writes the cells of a column. Missing values are not passed to it."""
    label = str(column.name)
    if is_bool_dtype(column):
        return lambda value: "yes" if value else "no"
    if is_datetime64_any_dtype(column):
        return partial(write_date, form=form_of(pd.DatetimeIndex(column)))
    if is_numeric_dtype(column):
        values = column.to_numpy("float64", na_value=np.nan)
        return partial(
            _write_number,
            decimals=_decimals(values, unit),
            is_fraction=unit == FRACTION,
            is_flag=label.endswith(DAYS),
            separates=unit is not None or bool((abs(values) >= _PLAIN).any()),
        )
    if label in FLAGS:
        return lambda word: f"{_MARKS.get(word, '')} {word}".strip()
    if label == _STATUS:
        return lambda word: word if word == "ok" else f"{HEAVY} {word}"
    return str


def _decimals(values: Any, unit: str | None) -> int:
    """Return how many decimals all numbers of a column get."""
    if unit in {PER_CENT, FRACTION}:
        return 1
    return decimals_of(values, 2 if unit is None else 1 if unit in {RENT_UNIT, INDEX} else 0)


def _write_number(value: float, *, decimals: int, is_fraction: bool, is_flag: bool, separates: bool) -> str:
    """Write a number: a fraction in per cent, thousands with separators, many days without a change with a mark."""
    number = 100 * float(value) if is_fraction else float(value)
    if not isfinite(number):
        return str(number)
    text = format_number(number, decimals)
    if not separates:
        text = text.replace(",", "")
    return f"{LIGHT} {text}" if is_flag and number >= FLAT else text


def form_of(dates: pd.DatetimeIndex) -> str:
    """Return the format of dates, with the time of the day if it is not always midnight."""
    known = dates[dates.notna()]
    return "%Y-%m-%d" if (known == known.normalize()).all() else "%Y-%m-%d %H:%M"


def write_date(value: pd.Timestamp, *, form: str) -> str:
    """Write a date in a format that `form_of` returned."""
    return value.strftime(form)


def write_rent_date(value: pd.Timestamp, *, fresh: np.datetime64) -> str:
    """Write the date of a rent, with a mark if the rent is stale: dated before ``fresh``."""
    text = write_date(value, form="%Y-%m-%d")
    return f"{HEAVY} {text}" if value < fresh else text


def evidence_note(frame: pd.DataFrame) -> str:
    """Return a sentence on the marks of the flags of few sales in a frame; empty if it has none of them."""
    flags = {flag for label in FLAGS & {*frame.columns} for flag in frame[label].dropna()}
    words = [f"{mark} {flag}: up to {LIMITS[flag]}" for flag, mark in _MARKS.items() if flag in flags]
    which = "sales without the amenity" if is_of_drivers(frame) else "sales"
    return f"{'; '.join(words)} {which}." if words else ""
