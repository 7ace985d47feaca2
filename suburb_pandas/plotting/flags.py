"""Writes the flags of a scorecard in words: few sales, an unchanged rent, an old rent.

The limits of few sales are left to service.impacts, the limit for an unchanged rent to timeseries.cadence, the rule for
an old rent to timeseries.doubts.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import PROPERTY_TYPES, marks_of
from suburb_pandas.plotting.words import dates_in, property_type_of, rests_on_sales
from suburb_pandas.service.impacts import LIMITS, flag_of
from suburb_pandas.timeseries.cadence import FLAT
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
    r"\b(thin|caution)\b": f"Thin: up to {LIMITS['thin']}; caution: up to {LIMITS['caution']} sales.",
    "unchanged": f"Unchanged: the rent has not moved for {FLAT} days or more, which can mean few listings.",
    "rent of": f"Flag with a date: {OLD_RENT}.",
}
"""What flags mean, by patterns of their words."""


def is_scorecard(frame: pd.DataFrame) -> bool:
    """Return True if a frame is a scorecard, or a part of one, by its attrs or by its columns."""
    return marks_of(frame).get("endpoint") == "scorecard" or {"sales_flag", "status"} <= {*frame.columns}


def flags_of(frame: pd.DataFrame, label: Hashable) -> pd.DataFrame:
    """Return the flags of each row that concern a column, in words, and two of them alone.

    ``words`` is empty for a row without flags. ``flag`` is that of its sales: ``ok`` if the column does not rest on
    sales. ``is_stale`` is True if the column rests on a stale rent.

    A stale rent has a flag with its date, and concerns no other columns. So the status ``stale`` is only a flag of
    columns of rents without such dates, for example if all suburbs of a part of a scorecard are stale.
    """
    kind, is_old, sales = property_type_of(label), _is_stale(frame), _sales_flags(frame, label)
    is_stale = is_old[kind] if kind else is_old.any(axis=1) & False
    unchanged, dates = f"{kind}_unchanged_days", dates_in(frame, f"{kind}{_DATE}")
    days = numbers(frame, unchanged).tolist() if unchanged in frame.columns else [0] * len(frame)
    status = frame["status"].fillna(_OK) if "status" in frame.columns else [_OK] * len(frame)
    hidden = {_OK} if kind else {_OK, STALE}
    words = [
        (
            f"{flag}" * (flag != _OK),
            f"unchanged {number:.0f} days" * (number >= FLAT),
            f"rent of {str(date)[:10]}" * old,
            f"status: {state}" * (state not in hidden and (state != STALE or not dated)),
        )
        for flag, number, date, old, state, dated in zip(
            sales, days, dates, is_stale, status, is_old.any(axis=1), strict=True
        )
    ]
    joined = ["; ".join(filter(None, row)) for row in words]
    return pd.DataFrame({"flag": sales, "is_stale": is_stale, "words": joined}, frame.index)


def _sales_flags(frame: pd.DataFrame, label: Hashable) -> pd.Series[str]:
    """Return the flag of the sales behind each value of a column, ``ok`` if it does not rest on sales."""
    flags = frame.get("evidence" if label in _OF_DRIVERS else "sales_flag")
    if flags is None and "n_sales" in frame.columns:
        flags = pd.Series([*map(flag_of, numbers(frame, "n_sales"))], frame.index)
    if flags is None or not rests_on_sales(label):
        return pd.Series(_OK, frame.index)
    return flags.astype("object").fillna("sales not known")


def meanings(flags: Iterable[str]) -> list[str]:
    """Return sentences on the meaning of these flags."""
    words = "; ".join(flags)
    return [meaning for pattern, meaning in _MEANINGS.items() if re.search(pattern, words)]


def oldest_fresh(card: pd.DataFrame) -> np.datetime64:
    """Return the day before which the rents of a scorecard are stale, of both property types together."""
    return stale_before(_dates(card).to_numpy("M8[D]"))


def has_stale_rents(card: pd.DataFrame) -> bool:
    """Return True if a scorecard has a stale rent, by its dates or by a status."""
    return bool(_is_stale(card).any(axis=None)) or STALE in {*card.get("status", ())}


def dates_note(card: pd.DataFrame, by: Hashable) -> str:
    """Return a sentence on the dates of the rents behind a column; empty if it is not about rents."""
    days = sorted({str(day)[:10] for day in dates_in(card, f"{property_type_of(by)}{_DATE}").dropna()})
    return f"Rents as at {' to '.join(dict.fromkeys(days[:1] + days[-1:]))}." if days else ""


def _dates(card: pd.DataFrame) -> pd.DataFrame:
    """Return the dates of the rents of a scorecard by property type. A file may have made text of them."""
    return pd.DataFrame({kind: dates_in(card, f"{kind}{_DATE}") for kind in PROPERTY_TYPES})


def _is_stale(card: pd.DataFrame) -> pd.DataFrame:
    return _dates(card) < oldest_fresh(card)
