"""Writes frames of suburbs as tables for people: headings in words, units, marks of doubt, small bars and a caption.

pandas writes the HTML of a styled frame, and notebook.result.table that of the picker, with the headings and cells of
this module. The words are left to words, the rule for old rents to values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from hashlib import sha256
from html import escape
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from pandas.io.formats.style import Styler

from suburb_pandas.frames.schema import AREA_NAME, RENT, is_of_drivers, marks_of
from suburb_pandas.plotting.look import format_number
from suburb_pandas.plotting.values import CAVEAT, OLD_RENT, dates_note, is_scorecard
from suburb_pandas.plotting.words import (
    OWN_PRICES,
    PER_CENT,
    Column,
    column_of,
    is_yield,
    operations_note,
    source_note,
    suburbs_in,
    title_of,
    with_unit,
)
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.impacts import LIMITS
from suburb_pandas.timeseries.cadence import FLAT
from suburb_pandas.timeseries.doubts import STALE
from suburb_pandas.timeseries.points import KINDS

MOST_ROWS: Final = 1000
"""The most rows of a styled table: each cell is a piece of HTML."""

DASH: Final = "\N{EN DASH}"
"""The sign for a missing value."""

DETAIL: Final = "detail"
"""The column with a sentence for each driver, which repeats the numbers of its row."""

_FLAGS: Final = {
    "thin": "\N{BLACK UP-POINTING TRIANGLE} thin",
    "caution": "\N{WHITE UP-POINTING TRIANGLE} caution",
    STALE: "\N{BLACK UP-POINTING TRIANGLE} stale",
}
"""The flags with their marks."""

_SALES: Final = f"{_FLAGS['thin']}: up to {LIMITS['thin']}; {_FLAGS['caution']}: up to {LIMITS['caution']} sales"
_MEANINGS: Final = {
    "sales_flag": f"{_SALES}.",
    "evidence": f"{_SALES} without the amenity.",
    "status": f"{_FLAGS[STALE]}: {OLD_RENT}.",
}
"""What the flags of a column mean."""

_MOST_COLUMNS: Final = 16  # fit into a page of 1,280 pixels
_LEFT_OUT: Final = ("_rent_date", "_base_date", "_price_pct", "retrieved_at", "source")  # of a table with more columns

_BAR_COLOURS: Final = ["rgba(216, 96, 0, 0.4)", "rgba(24, 120, 180, 0.4)"]  # below and above zero, on any page
# Bars are one line high: a height in per cent, as Styler.bar takes it, would be that of all lines of a wrapped text.
_STYLES: Final = {
    "": "font-size: 12px;",
    "caption": "caption-side: bottom; text-align: left; padding-top: 0.5em;",
    "th, td": "padding: 0.25em 0.4em; text-align: left; vertical-align: top; min-width: 6em; "
    "background-size: 100% 1em !important; background-position: left 0.4em !important; "
    "background-repeat: no-repeat !important;",
    "thead th": "vertical-align: bottom;",
    "thead th[colspan]": "text-align: left;",
    "th.row_heading": "min-width: 8em;",
}
_NUMBERS: Final[list[Any]] = [
    {"selector": "", "props": "text-align: right; font-variant-numeric: tabular-nums; min-width: 0;"}
]


def style(frame: pd.DataFrame, *, columns: Sequence[Hashable] | None = None, labels: bool = True) -> Styler:
    """Return a frame of suburbs as a Styler; the accessor describes it.

    Raises
    ------
    ValueError
        The frame has too many rows, or several columns of one name.
    """
    if len(frame) > MOST_ROWS or not frame.columns.is_unique:
        raise ValueError(
            f"A styled table has up to {MOST_ROWS:,} rows and no column twice, but this frame has {len(frame):,} rows "
            f"and {frame.columns.duplicated().sum()} columns twice. Style a part of it, as in "
            "frame.loc[:, ~frame.columns.duplicated()].head(100).suburb.style()"
        )
    wanted = [columns] if isinstance(columns, str) else columns
    shown = frame[_fitting(frame) if wanted is None else [*dict.fromkeys(wanted)]]
    is_wide = AREA_NAME in frame.columns.names
    words = {label: column_of(frame, RENT if is_wide else label) for label in shown}
    writers: dict[Any, Any] = {label: writer_of(shown[label], column) for label, column in words.items()}
    headings = {
        label: heading_of(column, column.heading if labels and not is_wide else label)
        for label, column in words.items()
    }
    styler = shown.style.set_uuid(sha256(shown.to_csv().encode()).hexdigest()[:8])  # a rerun writes the same
    styler.format(writers, na_rep=DASH, escape="html")
    for axis in (0, 1):
        styler.format_index(partial(_heading, headings=headings if axis else {}), axis=axis)
        styler.hide(axis=axis, names=True)
    styler.set_table_styles([{"selector": selector, "props": props} for selector, props in _STYLES.items()])
    styler.set_table_styles(dict.fromkeys(shown.select_dtypes("number"), _NUMBERS), overwrite=False)
    if isinstance(shown.index, pd.RangeIndex):
        styler.hide()
    _draw_bars(styler, shown, words)
    return styler.set_caption(escape(" ".join(filter(None, _caption(frame, shown, words))), quote=False))


def _heading(label: Hashable, headings: Mapping[Hashable, str]) -> str:
    """Return the heading of a column or a row as HTML, which may break after an underscore."""
    return escape(headings.get(label, _text(label))).replace("_", "_<wbr>")


def _fitting(frame: pd.DataFrame) -> list[Hashable]:
    """Return the columns that fit into a page: without dates, ratios and sources if there are too many, the first."""
    left_out = (DETAIL, *(_LEFT_OUT if frame.shape[1] > _MOST_COLUMNS else ()))
    return [label for label in frame if not str(label).endswith(left_out)][:_MOST_COLUMNS]


def _draw_bars(styler: Styler, shown: pd.DataFrame, words: Mapping[Hashable, Column]) -> None:
    """Draw bars for percentages. Columns of one measure share a scale."""
    shares = [
        label
        for label, column in words.items()
        if column.unit == PER_CENT and is_number(shown[label]) and shown[label].any()
    ]
    for measure in dict.fromkeys(words[label].measure for label in shares) if shown.index.is_unique else ():
        subset = [label for label in shares if words[label].measure == measure]
        styler.bar(subset, axis=None, align="mid", color=_BAR_COLOURS, width=50, props="min-width: 5em;")


def heading_of(column: Column, text: Hashable) -> str:
    """Return the heading of a column: its words or its label, with the unit."""
    return with_unit(str(text), (column.unit or "").replace(PER_CENT, "%"))


def is_number(column: pd.Series[Any]) -> bool:
    """Return True if the cells of a column are numbers, which stand on the right."""
    return is_numeric_dtype(column) and not is_bool_dtype(column)


def writer_of(values: pd.Series[Any], column: Column) -> Callable[[Any], str]:
    """Return the function that writes the cells of a column. Missing values are not passed to it.

    Numbers without a unit have no separators, because they may be years.
    """
    if not is_number(values):
        return _text
    decimals = column.decimals(column.factor * values.to_numpy("float64", na_value=np.nan))
    separator = "," if column.unit else ""
    return lambda value: format_number(column.factor * value, decimals).replace(",", separator)


def _text(value: Any) -> str:
    """Write a value other than a number: a flag with its mark, a date without a time of the day that is midnight."""
    if isinstance(value, date):
        return str(value)[:16].removesuffix(" 00:00")
    return _FLAGS.get(str(value), str(value))


def meanings(frame: pd.DataFrame) -> list[str]:
    """Return sentences on the flags that the cells of a frame have."""
    return [text for label, text in _MEANINGS.items() if not {*frame.get(label, ())}.isdisjoint(_FLAGS)]


def _caption(frame: pd.DataFrame, shown: pd.DataFrame, words: Mapping[Hashable, Column]) -> Iterator[str]:
    """Yield the sentences of the caption: the title, the measure, the columns, the meaning of the flags, the source."""
    if endpoint := ENDPOINTS.get(str(marks_of(frame).get("endpoint"))):
        yield f"{title_of(endpoint.title, suburbs_in(frame))}."
    is_wide = AREA_NAME in frame.columns.names
    yield next((f"{column.measure}." for label, column in words.items() if is_wide or label in KINDS), "")
    if len(words) < frame.shape[1]:
        yield f"{len(words)} of {frame.shape[1]} columns; columns= chooses."
    yield from meanings(shown)
    if (shown.filter(regex="unchanged_days$").select_dtypes("number") >= FLAT).any(axis=None):
        yield f"A rent that is unchanged for {FLAT} days or more can mean few listings."
    yield CAVEAT if is_of_drivers(frame) else ""
    yield dates_note(frame, "house_rent") if is_scorecard(frame) else ""
    yield operations_note(frame)
    yield source_note(frame)
    yield OWN_PRICES if any(map(is_yield, words)) else ""
