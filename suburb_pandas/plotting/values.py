"""Reads the suburbs of a frame, one number for each, and its flags in words: few sales, an unchanged or an old rent.

Finding the column of suburbs is left to frames.column, the limits of few sales to service.impacts, that of an unchanged
rent to timeseries.stretches, the rule for an old rent to loaders.staleness.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.errors import NoSuburbColumn
from suburb_pandas.frames.column import label_of, suburbs_of
from suburb_pandas.frames.conversions import numbers
from suburb_pandas.frames.dates import parse_dates
from suburb_pandas.frames.schema import AREA_NAME, DATE, PROPERTY_TYPES, is_made_up
from suburb_pandas.frames.suburbs import repeated, select_suburbs
from suburb_pandas.loaders.staleness import STALE, STALE_DAYS, stale_before
from suburb_pandas.messages import listed
from suburb_pandas.plotting.words import Column, column_of, is_count, period_of, property_type_of
from suburb_pandas.service.impacts import ENDPOINT as IMPACTS
from suburb_pandas.service.impacts import LIMITS, flag_of
from suburb_pandas.timeseries.stretches import FLAT

_DEFAULTS: Final = ("house_rent", "median_price")  # of a scorecard and of a summary
_OK: Final = "ok"
_DATE: Final = "_rent_date"

OLD_RENT: Final = f"the rent is more than {STALE_DAYS} days older than the newest rent"
"""What it means that a rent is stale, as a clause."""

_MEANINGS: Final = {
    "thin|caution": f"Thin: up to {LIMITS['thin']}; caution: up to {LIMITS['caution']} {{}}.",
    "unchanged": f"Unchanged: the rent has not moved for {FLAT} days or more, which can mean few listings.",
    STALE: f"Stale: {OLD_RENT}.",
}
"""What flags mean, by patterns of their words. The braces stand for the kind of sales."""


class SuburbValues(NamedTuple):
    """One number for each suburb.

    ``table`` has a row for each suburb: its ``value`` in the unit of ``column``, and its flags as `read_flags` returns
    them. ``frame`` has the same rows with all columns and marks.
    """

    table: pd.DataFrame
    label: Hashable
    column: Column
    frame: pd.DataFrame

    @property
    def is_made_up(self) -> bool:
        """True if the marks, the source or the name of a suburb say that the data is made up."""
        return is_made_up(self.frame) or is_made_up(self.table.rename_axis(AREA_NAME))


def read_values(values: object, label: Hashable | None) -> SuburbValues:
    """Read a column of a frame, or a Series. Without a label, the only column of numbers or a usual one is read.

    Raises
    ------
    TypeError, ValueError
        This is not a frame or a Series of pandas with one number for each suburb.
    NoSuburbColumn
        No column or index level holds the suburbs, or several can.

    Warns
    -----
    SkippedRowsWarning
        Some rows have no name.
    """
    code = None
    if isinstance(values, pd.Series):
        code, name = "values", values.name or "value"
        values, label = values.to_frame(name), name if label is None else label
    if not isinstance(values, pd.DataFrame):
        raise TypeError(f"Pass a frame or a Series of pandas by area_name, not {type(values).__name__}.")
    if not values.columns.is_unique:
        raise ValueError("The frame has columns of one name. Keep the first: frame.loc[:, ~frame.columns.duplicated()]")
    label = _label(values, label)
    names = pd.Series([*_names(values)], dtype="object")
    select_suburbs(names)  # warns of rows without a name, and refuses what cannot be one
    frame, names = values[names.notna().to_numpy()], names.dropna()
    if twice := repeated(names):
        raise ValueError(
            f"The frame has several rows for {listed(twice)}, but a chart shows one value for each suburb. Keep one "
            "row for each, for example that of the last date."
        )
    figures = numbers(frame, label, code)  # type: ignore[arg-type]  # any label of a column
    column = column_of(frame, label)
    value = np.where(np.isfinite(figures), column.factor * figures, np.nan)
    table = read_flags(frame, label).assign(value=value).set_axis(names)
    return SuburbValues(table, label, column, frame)


def _label(frame: pd.DataFrame, label: Hashable | None) -> Hashable:
    """Return the label of the column to read, or raise if the frame does not have it or has several to choose from."""
    known = [*frame.select_dtypes("number")]
    usual = known if len(known) == 1 else [each for each in _DEFAULTS if each in known]
    if label is None and usual:
        return usual[0]
    if label in frame.columns:
        return label
    how = f"Its columns of numbers are {listed(known) or 'none'}."
    if "yield" in str(label):
        how += " A scorecard has yields only if it is made with your own prices: sp.scorecard(suburbs, prices=prices)"
    raise ValueError(f"Name a column of the frame, not {label!r}. {how}")


def _names(frame: pd.DataFrame) -> pd.Series | pd.Index:
    """Return the suburbs of the rows. They are in an index of text without a name if nothing else can hold them."""
    if label := label_of(frame):
        return suburbs_of(frame, label)
    if frame.index.names == [None] and infer_dtype(frame.index) == "string":
        return frame.index
    raise NoSuburbColumn(
        "No column or index level of the frame is called area_name or suburb. Name the one that holds the suburbs: "
        "frame.rename(columns={'...': 'suburb'})"
    )


def read_flags(frame: pd.DataFrame, label: Hashable) -> pd.DataFrame:
    """Read the flags of each row that concern a column: all of them in words, and two of them alone.

    ``flags`` is empty for a row without any. ``sales_flag`` is that of its sales: ``ok`` if the column does not rest on
    sales. ``is_stale`` is True if the column rests on a stale rent.

    A stale rent has a flag with its date, and concerns no other columns. So the status ``stale`` is only a flag of
    columns of rents without such dates, for example if all suburbs of a part of a scorecard are stale. Any other status
    is about a response that did not arrive, and a value rests on one that did.
    """
    type_, sales = property_type_of(label), _sales_flags(frame, label)
    dates = pd.DataFrame({each: dates_in(frame, f"{each}{_DATE}") for each in (*PROPERTY_TYPES, type_)})
    is_old, unchanged = dates < stale_before(dates), f"{type_}_unchanged_days"
    own = frame.reindex(columns=[unchanged, "status"])
    days, status = pd.Series(numbers(own, unchanged), frame.index), own["status"]
    is_undated = (status == STALE) & ~is_old.any(axis=1) & (type_ != "")
    flags = {
        "{}": sales.where(sales != _OK),
        "unchanged {:.0f} days": days.where(days >= FLAT),
        "stale rent of {:%Y-%m-%d}": dates[type_].where(is_old[type_]),
        "status: {}": status.where(is_undated),
    }
    in_words = [
        "; ".join(text.format(value) for text, value in zip(flags, row, strict=True) if pd.notna(value))
        for row in zip(*flags.values(), strict=True)
    ]
    return pd.DataFrame({"sales_flag": sales, "is_stale": is_old[type_], "flags": in_words}, frame.index)


def _sales_flags(frame: pd.DataFrame, label: Hashable) -> pd.Series[str]:
    """Return the flag of the sales behind each value of a column, ``ok`` if it does not rest on sales."""
    flags = frame.get("evidence" if label in IMPACTS.columns else "sales_flag")
    if flags is None and "n_sales" in frame.columns:
        flags = pd.Series([*map(flag_of, numbers(frame, "n_sales"))], frame.index)
    if flags is None or not rests_on_sales(label):
        return pd.Series(_OK, frame.index)
    return flags.astype("object").fillna("sales not known")


def rests_on_sales(label: Hashable) -> bool:
    """Return True if few sales make a column uncertain. That is any column except rents, yields and counts."""
    return not is_count(label) and ("price" in str(label) or not property_type_of(label))


def meanings(flags: Iterable[str], sales: str = "sales") -> list[str]:
    """Return sentences on the meaning of these flags, of which some are about a kind of sales."""
    shown = "; ".join(flags)
    return [meaning.format(sales) for flag, meaning in _MEANINGS.items() if re.search(rf"\b({flag})\b", shown)]


def dates_note(card: pd.DataFrame, by: Hashable) -> str:
    """Return a sentence on the dates of the rents behind a column; empty if it is not about rents."""
    if not (type_ := property_type_of(by)):
        return ""
    named = [label for label in (f"{type_}{_DATE}", "rent_date", DATE) if label in card.columns]
    dates = dates_in(card, named[0]) if named else card.index if isinstance(card.index, pd.DatetimeIndex) else []
    days = period_of(map(str, pd.Index(dates).dropna()))
    return f"Rents as at {days}." if days else ""


def dates_in(frame: pd.DataFrame, label: str) -> pd.Series[Any]:
    """Return a column of dates, all missing if there is none. A file may have made text of them."""
    column = frame.reindex(columns=[label])[label]
    try:
        return pd.Series(parse_dates(pd.Index(column, dtype="object")), column.index)
    except ValueError:
        raise ValueError(
            f"The column {label!r} holds values that are not dates like 2026-04-26, such as "
            f"{column.dropna().tolist()[0]!r}. "
            f"If the day is first, convert it: frame[{label!r}] = pd.to_datetime(frame[{label!r}], dayfirst=True)"
        ) from None
