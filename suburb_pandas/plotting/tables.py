"""Writes frames of suburbs as tables for people: headings in words, units, marks of doubt, small bars and a caption.

pandas writes the HTML of a styled frame, and notebook.result.table that of the picker, with the headings and cells of
this module. The words are left to words, the rule for old rents to flags.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from html import escape
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from pandas.io.formats.style import Styler

from suburb_pandas.frames.schema import AREA_NAME, RENT, is_of_drivers, marks_of, means_in_words
from suburb_pandas.plotting.flags import CAVEAT, OLD_RENT, has_stale_rents, is_scorecard, oldest_fresh
from suburb_pandas.plotting.look import format_number
from suburb_pandas.plotting.words import (
    OWN_PRICES,
    PER_CENT,
    Column,
    column_of,
    is_yield,
    operations_note,
    property_type_of,
    source_note,
    suburbs_in,
    title_of,
)
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.impacts import LIMITS
from suburb_pandas.timeseries.cadence import FLAT
from suburb_pandas.timeseries.points import KINDS

MOST_ROWS: Final = 1000
"""The most rows of a styled table: each cell is a piece of HTML."""

DASH: Final = "\N{EN DASH}"
"""The sign for a missing value."""

DETAIL: Final = "detail"
"""The column with a sentence for each driver, which repeats the numbers of its row."""

_MARKS: Final = {"thin": "\N{BLACK UP-POINTING TRIANGLE}", "caution": "\N{WHITE UP-POINTING TRIANGLE}"}
_HEAVY, _LIGHT = _MARKS.values()

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
    if len(frame) > MOST_ROWS:
        raise ValueError(
            f"This frame has {len(frame):,} rows, but a styled table has up to {MOST_ROWS:,}. Style a part of it, as "
            f"in frame.head(100).suburb.style()"
        )
    if not frame.columns.is_unique:
        raise ValueError(
            "This frame has several columns with the same name. Style the first of each, as in "
            "frame.loc[:, ~frame.columns.duplicated()].suburb.style()"
        )
    shown = frame[_fitting(frame) if columns is None else [*columns]]
    is_wide = AREA_NAME in frame.columns.names
    words = {label: column_of(frame, RENT if is_wide else label) for label in shown}
    writers: dict[Any, Any] = {label: writer_of(frame, label, column) for label, column in words.items()}
    headings = {} if is_wide else {label: heading_of(label, column, labels=labels) for label, column in words.items()}
    styler = shown.style.set_uuid(sha256(shown.to_csv().encode()).hexdigest()[:8])  # a rerun writes the same
    styler.format(writers, na_rep=DASH, escape="html").format_index(lambda label: escape(_text(label)))
    styler.format_index(lambda label: escape(headings.get(label, str(label))).replace("_", "_<wbr>"), axis=1)
    styler.hide(names=True).hide(names=True, axis=1)
    styler.set_table_styles([{"selector": selector, "props": props} for selector, props in _STYLES.items()])
    styler.set_table_styles(dict.fromkeys(shown.select_dtypes("number"), _NUMBERS), overwrite=False)
    if isinstance(shown.index, pd.RangeIndex):
        styler.hide()
    _draw_bars(styler, shown, words)
    return styler.set_caption(" ".join(filter(None, _caption(frame, shown, words))))


def _fitting(frame: pd.DataFrame) -> list[Hashable]:
    """Return the columns that fit into a page: without dates, ratios and sources if there are too many, the first."""
    kept = [label for label in frame if label != DETAIL]
    if len(kept) > _MOST_COLUMNS:
        kept = [label for label in kept if not str(label).endswith(_LEFT_OUT)]
    return kept[:_MOST_COLUMNS]


def _draw_bars(styler: Styler, shown: pd.DataFrame, words: Mapping[Hashable, Column]) -> None:
    """Draw bars for percentages with a measure of their own. Columns of one measure share a scale."""
    measures = {column.measure for column in words.values() if column.measure.endswith(f", {PER_CENT}")}
    for measure in sorted(measures) if shown.index.is_unique else ():
        subset = [label for label, column in words.items() if column.measure == measure and is_number(shown[label])]
        if shown[subset].any(axis=None):
            styler.bar(subset, axis=None, align="mid", color=_BAR_COLOURS, width=50, props="min-width: 5em;")


def heading_of(label: Hashable, column: Column, *, labels: bool = True) -> str:
    """Return the heading of a column in words with their unit, or its label with the unit in brackets."""
    if not labels:
        return f"{label} ({column.unit})" if column.unit else str(label)
    unit = "%" if column.unit == PER_CENT else column.unit or ""
    return column.heading if unit.casefold() in column.heading.casefold() else f"{column.heading}, {unit}"


def is_number(column: pd.Series[Any]) -> bool:
    """Return True if the cells of a column are numbers, which stand on the right."""
    return is_numeric_dtype(column) and not is_bool_dtype(column)


def writer_of(frame: pd.DataFrame, label: Hashable, column: Column) -> Callable[[Any], str]:
    """Return the function that writes the cells of a column. Missing values are not passed to it."""
    name = str(label).removeprefix(f"{property_type_of(label)}_")
    fresh = oldest_fresh(frame) if name == "rent_date" and is_scorecard(frame) else None
    write = _number_writer(frame[label], column) if is_number(frame[label]) else _text
    return lambda value: " ".join(filter(None, [_mark(name, value, fresh), write(value)]))


def _mark(name: str, value: Any, fresh: np.datetime64 | None) -> str:
    """Return the mark of a value that needs care, by the name of its column without the property type."""
    if name in {"sales_flag", "evidence"}:
        return _MARKS.get(value, "")
    if name == "unchanged_days":
        return _LIGHT if value >= FLAT else ""
    is_old = fresh is not None and pd.to_datetime(value, errors="coerce") < fresh  # from a file, dates are text
    return _HEAVY if is_old or (name == "status" and value != "ok") else ""


def _number_writer(values: pd.Series[Any], column: Column) -> Callable[[Any], str]:
    """Return the function that writes the numbers of a column. Those without a unit may be years: no separators."""
    decimals = column.decimals(column.factor * values.to_numpy("float64", na_value=np.nan))
    separator = "," if column.unit else ""
    return lambda value: format_number(column.factor * value, decimals).replace(",", separator)


def _text(value: Any) -> str:
    """Write a value other than a number: a date with the time of the day unless it is midnight, a Boolean in words."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    return str(value)[:16].removesuffix(" 00:00") if isinstance(value, date) else str(value)


def evidence_note(frame: pd.DataFrame) -> str:
    """Return a sentence on the marks of the flags of few sales in a frame; empty if it has none of them."""
    flags = {*frame.get("sales_flag", ()), *frame.get("evidence", ())}
    words = [f"{mark} {flag}: up to {LIMITS[flag]}" for flag, mark in _MARKS.items() if flag in flags]
    which = "sales without the amenity" if is_of_drivers(frame) else "sales"
    return f"{'; '.join(words)} {which}." if words else ""


def _caption(frame: pd.DataFrame, shown: pd.DataFrame, words: Mapping[Hashable, Column]) -> Iterator[str]:
    """Yield the sentences of the caption: the title, the measure, the columns, the meaning of the marks, the source."""
    endpoint = ENDPOINTS.get(str(marks_of(frame).get("endpoint")))
    title = "Scorecard" if is_scorecard(frame) else endpoint.title if endpoint else ""
    yield escape(f"{title_of(title, suburbs_in(frame))}.") if title else ""
    is_wide = AREA_NAME in frame.columns.names
    yield next((f"{column.measure}." for label, column in words.items() if is_wide or label in KINDS), "")
    if len(words) < frame.shape[1]:
        yield f"{len(words)} of {frame.shape[1]} columns; columns= chooses."
    if (means := means_in_words(frame)) and "growth" in str([*words]):
        yield f"Growth compares {means}."
    yield evidence_note(shown)
    if (shown.filter(regex="unchanged_days$") >= FLAT).any(axis=None):
        yield f"{_LIGHT} beside a number of days: unchanged for {FLAT} days or more, which can mean few listings."
    if is_scorecard(frame) and has_stale_rents(shown):
        yield f"Stale, or {_HEAVY} beside a date: {OLD_RENT}."
    if shown.isna().any(axis=None):
        yield f"A dash ({DASH}) means no value."
    yield CAVEAT if is_of_drivers(frame) else ""
    yield operations_note(frame)
    yield escape(source_note(frame))
    yield OWN_PRICES if any(map(is_yield, words)) else ""
