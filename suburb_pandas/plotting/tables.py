"""Styles frames of suburbs as tables: units in the headings, bars, and a caption that explains the marks.

pandas writes the HTML. The text of the cells is left to cells, the source to notes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from html import escape
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_float_dtype, is_numeric_dtype
from pandas.io.formats.style import Styler

from suburb_pandas.frames.schema import is_of_drivers, marks_of
from suburb_pandas.plotting.cells import (
    DASH,
    DAYS,
    FRACTION,
    HEAVY,
    INDEX,
    LIGHT,
    PER_CENT,
    evidence_note,
    form_of,
    holds_rents,
    is_wide,
    unit_of,
    write_date,
    write_rent_date,
    writer_of,
)
from suburb_pandas.plotting.flags import CAVEAT, OLD_RENT, has_stale_rents, is_scorecard, oldest_fresh, rent_dates
from suburb_pandas.plotting.measures import OWN_PRICES, is_yield
from suburb_pandas.plotting.notes import operations_note, source_note
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.timeseries.cadence import FLAT

Units = Mapping[Hashable, str | None]
"""The unit of each column of a frame, None where it is not known."""

MOST_ROWS: Final = 1000
"""The most rows of a styled table: each cell is a piece of HTML."""

_TITLES: Final = {FRACTION: "Growth of rents", INDEX: "Rent index"}
_TIMES: Final = {"retrieved_at", "at"}

_LONG: Final = 32  # letters of a text that is wrapped
_LONG_NAME: Final = 16  # letters of a heading that may be broken after an underscore

_BARS: Final = ("growth_1y_pct", "price_pct", "yield_pct", "premium_pct", "pct_of_median")
_BAR_COLOURS: Final = ["rgba(216, 96, 0, 0.4)", "rgba(24, 120, 180, 0.4)"]  # below and above zero, on any page
_BAR_SHARE: Final = 62.0  # per cent of a cell
_STYLES: Final[list[Any]] = [
    {"selector": "caption", "props": "caption-side: bottom; text-align: left; font-size: 0.9em; padding-top: 0.5em;"},
    {"selector": "th, td", "props": "padding: 0.25em 0.6em; white-space: nowrap;"},
    {"selector": "th", "props": "text-align: left; vertical-align: bottom;"},
    {"selector": "td", "props": "text-align: right; vertical-align: top; font-variant-numeric: tabular-nums;"},
    {"selector": "th.row_heading", "props": "vertical-align: top;"},
]
_SHORT_TEXT: Final[list[Any]] = [{"selector": "td", "props": "text-align: left;"}]
_LONG_TEXT: Final[list[Any]] = [
    {"selector": "td", "props": "text-align: left; white-space: normal; min-width: 20em; max-width: 30em;"}
]
_NUMBERS: Final[list[Any]] = [{"selector": "th", "props": "text-align: right; white-space: normal; max-width: 10em;"}]
# A height in per cent, as Styler.bar takes it, would be that of all lines of a row with a wrapped text.
_BAR: Final[list[Any]] = [
    {
        "selector": "td",
        "props": "background-repeat: no-repeat !important; background-size: 100% 1em !important; "
        "background-position: left 0.4em !important;",
    }
]


class _Table(Styler):
    """A Styler that is shown as the plain frame where there is no HTML.

    pandas shows the address of the object there, which differs from run to run.
    """

    def __repr__(self) -> str:
        return repr(self.data)  # type: ignore[attr-defined]  # missing in pandas-stubs


def style(frame: pd.DataFrame) -> Styler:
    """Return a frame of suburbs as a Styler.

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
    units: Units = {label: unit_of(frame, label) for label in frame.columns}
    writers: dict[Any, Any] = {label: writer_of(frame[label], unit) for label, unit in units.items()}
    if is_scorecard(frame):
        writers |= {label: partial(write_rent_date, fresh=oldest_fresh(frame)) for label in rent_dates(frame)}
    styler: Styler = (
        _Table(frame, uuid=_digest(frame)).format(writers, na_rep=DASH, escape="html").set_table_styles(_STYLES)
    )
    styler = styler.set_table_styles({label: _look_of(frame[label]) for label in frame.columns}, overwrite=False)
    styler = _headed(styler, frame, units)
    for labels in _bars(frame, units).values() if frame.index.is_unique else ():
        styler = styler.bar(
            subset=labels, axis=None, align="mid", color=_BAR_COLOURS, width=_BAR_SHARE, props="min-width: 7em;"
        )
        styler = styler.set_table_styles(dict.fromkeys(labels, _BAR), overwrite=False)
    return styler.set_caption(" ".join(filter(None, _caption(frame, units))))


def _digest(frame: pd.DataFrame) -> str:
    """Return the identifier of a table in its HTML: the same for the same frame, so that a rerun writes the same."""
    return sha256(frame.to_csv().encode()).hexdigest()[:8]


def _look_of(column: pd.Series[Any]) -> list[Any]:
    """Return the CSS of a column: numbers on the right, text on the left, and long text wrapped."""
    if is_numeric_dtype(column) and not is_bool_dtype(column):
        return _NUMBERS
    is_text = not is_datetime64_any_dtype(column) and not is_bool_dtype(column)
    return _LONG_TEXT if is_text and column.dropna().astype("str").str.len().max() > _LONG else _SHORT_TEXT


def _headed(styler: Styler, frame: pd.DataFrame, units: Units) -> Styler:
    """Write the units into the headings and dates into the index; leave out an index of row numbers."""
    if is_wide(frame):
        styler = styler.format_index(escape="html", axis=1)
    else:
        styler = styler.format_index(lambda label: _heading(label, units[label]), axis=1)
    if isinstance(frame.index, pd.RangeIndex) and frame.index.name is None:
        return styler.hide(axis="index")
    if isinstance(frame.index, pd.DatetimeIndex):
        return styler.format_index(partial(write_date, form=form_of(frame.index)), na_rep=DASH)
    return styler.format_index(escape="html", na_rep=DASH)


def _heading(label: Hashable, unit: str | None) -> str:
    """Return the heading of a column as HTML: its label with the unit."""
    unit = "UTC" if label in _TIMES else PER_CENT if unit == FRACTION else unit
    name = escape(str(label))
    if len(name) > _LONG_NAME:
        name = name.replace("_", "_<wbr>")
    return name if unit is None else f"{name} <span style='white-space: nowrap'>({escape(unit)})</span>"


def _bars(frame: pd.DataFrame, units: Units) -> dict[str, list[Hashable]]:
    """Return the columns that get bars, by measure. Columns of one measure share a scale."""
    groups: dict[str, list[Hashable]] = {}
    for label, unit in units.items():
        is_growth = unit == FRACTION and holds_rents(frame, label)
        measure = next((end for end in _BARS if str(label).endswith(end)), FRACTION if is_growth else None)
        if measure is not None and is_float_dtype(frame[label]):
            groups.setdefault(measure, []).append(label)
    return {
        measure: labels
        for measure, labels in groups.items()
        if frame[labels].notna().any(axis=None)
        and not np.isinf(frame[labels].to_numpy("float64", na_value=np.nan)).any()
    }


def _title(frame: pd.DataFrame, units: Units) -> str:
    """Return the title of a table as a sentence; empty if it is about neither rents nor drivers."""
    if is_scorecard(frame):
        return "Scorecard."
    impacts = ENDPOINTS["impacts"]
    if is_of_drivers(frame) or marks_of(frame).get("endpoint") == impacts.name:
        return f"{impacts.title}."
    shown = {unit for label, unit in units.items() if holds_rents(frame, label)}
    title = next((title for unit, title in _TITLES.items() if unit in shown), ENDPOINTS["rent"].title)
    return f"{title}." if shown else ""


def _caption(frame: pd.DataFrame, units: Units) -> Iterator[str]:
    """Yield the sentences of the caption: the title, the units, the meaning of the marks, and the source."""
    yield _title(frame, units)
    unit = next((unit for unit in units.values() if unit), None)
    if is_wide(frame) and unit is not None:
        yield f"All numbers are in {PER_CENT if unit == FRACTION else unit}."
    yield evidence_note(frame)
    days = [label for label in frame.columns if str(label).endswith(DAYS)]
    if any((frame[label] >= FLAT).any() for label in days):
        yield f"{LIGHT} beside a number of days: unchanged for {FLAT} days or more, which can mean few listings."
    if is_scorecard(frame) and has_stale_rents(frame):
        yield f"Stale, and {HEAVY} beside a date: {OLD_RENT}."
    if frame.isna().any(axis=None):
        yield f"A dash ({DASH}) means no value."
    if is_of_drivers(frame):
        yield CAVEAT
    yield operations_note(frame)
    yield escape(source_note(frame))
    if any(map(is_yield, frame.columns)):
        yield OWN_PRICES
