"""Writes frames of suburbs as tables for people: headings in words, units, marks of doubt and a caption.

pandas writes the HTML, for the picker too. The words for columns and sources are left to words, those for flags and
dates to values.
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

from suburb_pandas.frames.column import suburbs_in
from suburb_pandas.frames.marks import marks_of
from suburb_pandas.frames.schema import AREA_NAME, RENT, RENT_COLUMNS, is_of_drivers, is_scorecard
from suburb_pandas.loaders.staleness import STALE
from suburb_pandas.plotting.look import format_number
from suburb_pandas.plotting.values import dates_note, meanings
from suburb_pandas.plotting.words import (
    CAVEAT,
    OWN_PRICES,
    PER_CENT,
    Column,
    column_of,
    is_yield,
    operations_note,
    source_note,
    title_of,
    with_unit,
)
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.timeseries.stretches import FLAT

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

_MOST_COLUMNS: Final = 16  # fit into a page of 1,280 pixels
_LEFT_OUT: Final = ("_rent_date", "_base_date", "_price_pct", "retrieved_at", "source")  # of a table with more columns

_STYLES: Final = {
    "": "font-size: 12px;",
    "caption": "caption-side: bottom; text-align: left; padding-top: 0.5em;",
    "th, td": "padding: 0.25em 0.4em; text-align: left; vertical-align: top; min-width: 6em;",
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
    KeyError
        ``columns`` has a label that the frame does not have.
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
    described = {label: column_of(frame, RENT if is_wide else label) for label in shown}
    writers: Any = {label: writer_of(shown[label], column) for label, column in described.items()}
    headings: dict[Any, str] = {
        label: with_unit(
            column.heading if labels and not is_wide else str(label), (column.unit or "").replace(PER_CENT, "%")
        )
        for label, column in described.items()
    }
    styler = shown.style.set_uuid(sha256(shown.to_csv().encode()).hexdigest()[:8])  # a rerun writes the same
    styler.format(writers, na_rep=DASH, escape="html").format_index(_text, escape="html")
    # A heading may break after an underscore.
    styler.format_index(lambda label: escape(headings.get(label, str(label))).replace("_", "_<wbr>"), axis=1)
    styler.hide(names=True).hide(axis=1, names=True)
    styler.set_table_styles([{"selector": selector, "props": props} for selector, props in _STYLES.items()])
    styler.set_table_styles(dict.fromkeys(shown.select_dtypes("number"), _NUMBERS), overwrite=False)
    if isinstance(shown.index, pd.RangeIndex):
        styler.hide()
    return styler.set_caption(escape(" ".join(filter(None, _caption(frame, shown, described))), quote=False))


def _fitting(frame: pd.DataFrame) -> list[Hashable]:
    """Return the columns that fit into a page: without dates, ratios and sources if there are too many, the first.

    A ``status`` always fits, because the other values of its row may be missing.
    """
    left_out = (DETAIL, *(_LEFT_OUT if frame.shape[1] > _MOST_COLUMNS else ()))
    columns = [label for label in frame if not str(label).endswith(left_out)]
    status = [label for label in columns[_MOST_COLUMNS:] if label == "status"]
    return columns[: _MOST_COLUMNS - len(status)] + status


def writer_of(values: pd.Series[Any], column: Column) -> Callable[[Any], str]:
    """Return the function that writes the cells of a column. Missing values are not passed to it.

    Numbers without a unit have no separators, because they may be years.
    """
    if is_bool_dtype(values) or not is_numeric_dtype(values):
        return _text
    decimals = column.decimals(column.factor * values.to_numpy("float64", na_value=np.nan))
    separator = "," if column.unit else ""
    return lambda value: format_number(column.factor * value, decimals).replace(",", separator)


def _text(value: Any) -> str:
    """Write a value other than a number: a flag with its mark, a date without a time of the day that is midnight."""
    if isinstance(value, date):
        return str(value)[:16].removesuffix(" 00:00")
    return _FLAGS.get(str(value), str(value))


def flag_notes(frame: pd.DataFrame) -> list[str]:
    """Return sentences on the flags that the cells of a frame have."""
    flags = [str(flag) for flag in frame.filter(items=["sales_flag", "status"]).to_numpy().flat]
    days = frame.filter(regex="unchanged_days$").select_dtypes("number")
    if (days >= FLAT).any(axis=None):
        flags.append("unchanged")
    return [*meanings(flags), *meanings(map(str, frame.get("evidence", ())), "sales without the amenity")]


def _caption(frame: pd.DataFrame, shown: pd.DataFrame, described: Mapping[Hashable, Column]) -> Iterator[str]:
    """Yield the sentences of the caption: the title, the measure, the columns, the meaning of the flags, the source."""
    if endpoint := ENDPOINTS.get(str(marks_of(frame).get("endpoint"))):
        yield f"{title_of(endpoint.title, suburbs_in(frame))}."
    is_wide = AREA_NAME in frame.columns.names
    yield next((f"{column.subtitle}." for label, column in described.items() if is_wide or label in RENT_COLUMNS), "")
    if len(described) < frame.shape[1]:
        yield f"{len(described)} of {frame.shape[1]} columns; columns= chooses."
    yield from flag_notes(shown)
    yield CAVEAT if is_of_drivers(frame) else ""
    yield dates_note(frame, "house_rent") if is_scorecard(frame) else ""
    yield operations_note(frame)
    yield source_note(frame)
    yield OWN_PRICES if any(map(is_yield, described)) else ""
