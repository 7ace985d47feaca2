"""Writes the flags of a scorecard in words: few sales, an unchanged rent, an old rent.

The limits of few sales are left to service.impacts, the limit for an unchanged rent to timeseries.cadence, the rule for
an old rent to timeseries.doubts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype

from suburb_pandas.frames.schema import PROPERTY_TYPES, marks_of
from suburb_pandas.plotting.words import dates_in, property_type_of, rests_on_sales
from suburb_pandas.service.impacts import LIMITS, flag_of
from suburb_pandas.timeseries.cadence import FLAT
from suburb_pandas.timeseries.dates import Flags
from suburb_pandas.timeseries.doubts import STALE, STALE_DAYS, stale_before
from suburb_pandas.timeseries.points import numbers

_OF_DRIVERS: Final = {"coverage_pct", "premium_dollars", "pct_of_median"}
_OK: Final = "ok"
_DATE: Final = "_rent_date"

CAVEAT: Final = (
    "A premium compares the sales without the amenity with comparable suburbs that have it. It is not the effect of "
    "removing an amenity."
)

OLD_RENT: Final = f"the rent is more than {STALE_DAYS} days older than the newest rent"
"""What it means that a rent is stale, as a clause."""

_MEANINGS: Final = {
    **dict.fromkeys(LIMITS, f"Thin: up to {LIMITS['thin']}; caution: up to {LIMITS['caution']} sales."),
    "unchanged": f"Unchanged: the rent has not moved for {FLAT} days or more, which can mean few listings.",
    "rent": f"Flag with a date: {OLD_RENT}.",
}
"""What flags mean, by their first words."""


def is_scorecard(frame: pd.DataFrame) -> bool:
    """Return True if a frame is a scorecard, or a part of one, by its attrs or by its columns."""
    return marks_of(frame).get("endpoint") == "scorecard" or {"sales_flag", "status"} <= {*frame.columns}


def flags_by_suburb(card: pd.DataFrame, by: str) -> list[str]:
    """Return the flags of each suburb that concern a column of a scorecard, in words; empty where there are none.

    A stale rent has a flag with its date, and concerns no other columns. So the status ``stale`` is only a flag of
    columns of rents without such dates, for example if all suburbs of a part of a scorecard are stale.
    """
    kind, status = property_type_of(by), card.get("status", pd.Series(_OK, card.index)).fillna(_OK)
    sales = sales_flags(card, by, "card['n_sales']") or [_OK] * len(card)
    days = f"{kind}_unchanged_days"
    unchanged = numbers(card, days) if days in card.columns and days != by else np.zeros(len(card))
    dates, is_old = dates_in(card, f"{kind}{_DATE}"), rests_on_stale_rent(card, by)
    is_shown = (status != _OK) & ~((status == STALE) & (_is_stale(card).any(axis=1) | (kind is None)))
    reasons = (
        ["" if flag == _OK else flag or "sales not known" for flag in sales],
        [f"unchanged {number:.0f} days" if number >= FLAT else "" for number in unchanged],
        [f"rent of {date:%Y-%m-%d}" if old else "" for date, old in zip(dates, is_old, strict=True)],
        [f"status: {each}" if shown else "" for each, shown in zip(status, is_shown, strict=True)],
    )
    return ["; ".join(filter(None, flags)) for flags in zip(*reasons, strict=True)]


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


def meanings(flags: Iterable[str]) -> list[str]:
    """Return sentences on the meaning of these flags."""
    words = {word.partition(" ")[0] for flag in flags for word in flag.split("; ")}
    return [*dict.fromkeys(meaning for word, meaning in _MEANINGS.items() if word in words)]


def rent_dates(card: pd.DataFrame) -> list[str]:
    """Return the columns of a scorecard with the dates of rents, unless a file made text of them."""
    labels = [label for label in (f"{kind}{_DATE}" for kind in PROPERTY_TYPES) if label in card.columns]
    return [label for label in labels if is_datetime64_any_dtype(card[label])]


def oldest_fresh(card: pd.DataFrame) -> np.datetime64:
    """Return the day before which the rents of a scorecard are stale, of both property types together."""
    return stale_before(_dates(card).to_numpy("M8[D]"))


def has_stale_rents(card: pd.DataFrame) -> bool:
    """Return True if a scorecard has a stale rent, by its dates or by a status."""
    return bool(_is_stale(card).any(axis=None)) or STALE in {*card.get("status", ())}


def rests_on_stale_rent(card: pd.DataFrame, by: Hashable) -> Flags:
    """Return True for each suburb for which a column rests on a stale rent."""
    return np.asarray(_is_stale(card).get(property_type_of(by), [False] * len(card)))


def dates_note(card: pd.DataFrame, by: Hashable) -> str:
    """Return a sentence on the dates of the rents behind a column; empty if it is not about rents."""
    dates = dates_in(card, f"{property_type_of(by)}{_DATE}").dropna()
    days = dict.fromkeys(str(day)[:10] for day in (dates.min(), dates.max()))
    return f"Rents as at {' to '.join(days)}." if len(dates) else ""


def _dates(card: pd.DataFrame) -> pd.DataFrame:
    """Return the dates of the rents of a scorecard by property type. A file may have made text of them."""
    return pd.DataFrame({kind: dates_in(card, f"{kind}{_DATE}") for kind in PROPERTY_TYPES})


def _is_stale(card: pd.DataFrame) -> pd.DataFrame:
    return _dates(card) < oldest_fresh(card)
