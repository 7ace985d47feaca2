"""Writes the flags of a scorecard in words: few sales, an unchanged rent, an old rent.

The limits of few sales are left to service.impacts, the limit for an unchanged rent to timeseries.cadence, the rule for
an old rent to timeseries.doubts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype

from suburb_pandas.frames.schema import PROPERTY_TYPES, marks_of
from suburb_pandas.plotting.measures import property_type_of, rests_on_sales
from suburb_pandas.service.impacts import LIMITS, flag_of
from suburb_pandas.timeseries.cadence import FLAT
from suburb_pandas.timeseries.dates import Flags
from suburb_pandas.timeseries.doubts import STALE, STALE_DAYS, stale_before
from suburb_pandas.timeseries.points import numbers

_OF_DRIVERS: Final = {"coverage_pct", "premium_dollars", "pct_of_median"}
_OK: Final = "ok"
_UNCHANGED: Final = "unchanged"
_OLD: Final = "rent of"
_STATUS: Final = "status:"
_UNKNOWN: Final = "sales not known"

OLD_RENT: Final = f"the rent is more than {STALE_DAYS} days older than the newest rent"
"""What it means that a rent is stale, as a clause."""


def is_scorecard(frame: pd.DataFrame) -> bool:
    """Return True if a frame is a scorecard, or a part of one, by its attrs or by its columns."""
    return marks_of(frame).get("endpoint") == "scorecard" or {"sales_flag", "status"} <= {*frame.columns}


def flags_by_suburb(card: pd.DataFrame, by: str) -> list[str]:
    """Return the flags of each suburb that concern a column of a scorecard, in words; empty where there are none."""
    reasons = [*_sales(card, by), *_rents(card, by), *_statuses(card, by)]
    return ["; ".join(filter(None, row)) for row in zip(*reasons, strict=True)] if reasons else [""] * len(card)


def sales_flags(frame: pd.DataFrame, column: Hashable, code: str) -> list[str | None]:
    """Return the flag of the sales behind each value of a column, None where their number is not known.

    The list is empty if the column does not rest on sales, or if the frame has neither flags nor numbers of sales.
    ``code`` is the column of numbers of sales in the line to paste that a message may have.
    """
    if rests_on_sales(column):
        label = "evidence" if column in _OF_DRIVERS else "sales_flag"
        if label in frame.columns:
            return [None if pd.isna(flag) else str(flag) for flag in frame[label]]
        if "n_sales" in frame.columns:
            return [flag_of(sales) for sales in numbers(frame, "n_sales", code)]
    return []


def meanings(flags: Sequence[str]) -> Iterator[str]:
    """Yield sentences on the meaning of these flags."""
    words = {word for flag in flags for word in flag.split("; ")}
    if words & {*LIMITS}:
        few = "; ".join(f"{flag}: up to {most}" for flag, most in LIMITS.items())
        yield f"{few.capitalize()} sales."
    if any(word.startswith(_UNCHANGED) for word in words):
        yield f"Unchanged: the rent has not moved for {FLAT} days or more, which can mean few listings."
    if any(word.startswith(_OLD) for word in words):
        yield f"Flag with a date: {OLD_RENT}."


def rent_dates(card: pd.DataFrame) -> list[str]:
    """Return the columns of a scorecard with the dates of rents."""
    labels = [label for label in (f"{kind}_rent_date" for kind in PROPERTY_TYPES) if label in card.columns]
    return [label for label in labels if is_datetime64_any_dtype(card[label])]  # from a file, dates are text


def oldest_fresh(card: pd.DataFrame) -> np.datetime64:
    """Return the day before which the rents of a scorecard are stale, of both property types together."""
    return stale_before(card[rent_dates(card)].to_numpy("M8[D]"))


def has_stale_rents(card: pd.DataFrame) -> bool:
    """Return True if a scorecard has a stale rent, by its dates or by a status."""
    return bool((card[rent_dates(card)] < oldest_fresh(card)).any(axis=None)) or STALE in {*card.get("status", ())}


def rests_on_stale_rent(card: pd.DataFrame, by: Hashable) -> Flags:
    """Return True for each suburb for which a column rests on a stale rent."""
    label = f"{property_type_of(by)}_rent_date"
    if label not in rent_dates(card):
        return np.zeros(len(card), dtype="bool")
    return np.asarray(card[label] < oldest_fresh(card))


def dates_note(card: pd.DataFrame, by: Hashable) -> str:
    """Return a sentence on the dates of the rents behind a column; empty if it is not about rents."""
    label = f"{property_type_of(by)}_rent_date"
    dates = card[label].dropna() if label in card.columns else pd.Series(dtype="M8[s]")
    if dates.empty:
        return ""
    days = dict.fromkeys(str(day.date()) for day in (dates.min(), dates.max()))
    return f"Rents as at {' to '.join(days)}."


def _sales(card: pd.DataFrame, by: str) -> Iterator[list[str]]:
    """Yield the flags of few sales, if the column depends on sales and their numbers are in the scorecard."""
    if flags := sales_flags(card, by, "card['n_sales']"):
        yield ["" if flag == _OK else flag or _UNKNOWN for flag in flags]


def _rents(card: pd.DataFrame, by: str) -> Iterator[list[str]]:
    """Yield the flags of unchanged and of old rents, if the column depends on rents of a property type."""
    days, dates = (f"{property_type_of(by)}_{name}" for name in ("unchanged_days", "rent_date"))
    if days in card.columns and days != by:
        yield [f"{_UNCHANGED} {day:.0f} days" if day >= FLAT else "" for day in card[days]]
    if dates in rent_dates(card):
        is_old = rests_on_stale_rent(card, by)
        yield [f"{_OLD} {date.date()}" if old else "" for date, old in zip(card[dates], is_old, strict=True)]


def _statuses(card: pd.DataFrame, by: str) -> Iterator[list[str]]:
    """Yield the status of each suburb unless it is ok.

    A stale rent has a flag with its date, and concerns no other columns. So ``stale`` is only a flag of columns of
    rents without such dates, for example if all suburbs of a part of a scorecard are stale.
    """
    if "status" in card.columns:
        is_dated = (card[rent_dates(card)] < oldest_fresh(card)).any(axis=1)
        is_known = is_dated | (property_type_of(by) is None)
        is_hidden = (card["status"] == _OK) | ((card["status"] == STALE) & is_known)
        yield [
            "" if hidden else f"{_STATUS} {status}" for status, hidden in zip(card["status"], is_hidden, strict=True)
        ]
