"""Says in words why a value of a scorecard is to be read with care: few sales, a rent that stands still or is old.

Which sales are few is left to service.impacts, how long a rent may stand still to timeseries.cadence.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final

import pandas as pd

from suburb_pandas.frames.schema import marks_of
from suburb_pandas.plotting.measures import property_type_of, rests_on_sales
from suburb_pandas.plotting.rents.multiples import ENDED_EARLY_DAYS
from suburb_pandas.service.impacts import LIMITS
from suburb_pandas.timeseries.cadence import FLAT

_OK: Final = "ok"
_UNCHANGED: Final = "unchanged"
_OLD: Final = "rent of"
_STATUS: Final = "status:"
_UNKNOWN: Final = "sales not known"


def is_scorecard(frame: pd.DataFrame) -> bool:
    """Return True if a frame is a scorecard, or a part of one, by its attrs or by its columns."""
    return marks_of(frame).get("endpoint") == "scorecard" or {"sales_flag", "status"} <= {*frame.columns}


def flags_by_suburb(card: pd.DataFrame, by: str) -> list[str]:
    """Return the flags of each suburb that concern a column of a scorecard, in words; empty where there are none."""
    reasons = [*_sales(card, by), *_rents(card, by), *_statuses(card)]
    return ["; ".join(filter(None, row)) for row in zip(*reasons, strict=True)] if reasons else [""] * len(card)


def meanings(flags: Sequence[str]) -> Iterator[str]:
    """Yield sentences on what these flags mean."""
    words = {word for flag in flags for word in flag.split("; ")}
    if words & {*LIMITS}:
        few = "; ".join(f"{flag}: up to {most}" for flag, most in LIMITS.items())
        yield f"{few.capitalize()} sales, or as few on one side of the top driver."
    if any(word.startswith(_UNCHANGED) for word in words):
        yield f"Unchanged: the rent has not moved for {FLAT} days or more, which can mean few listings."
    if any(word.startswith(_OLD) for word in words):
        yield f"Rent of: the date of a rent that is more than {ENDED_EARLY_DAYS} days older than the newest."


def dates_note(card: pd.DataFrame, by: Hashable) -> str:
    """Return a sentence on the dates of the rents behind a column; empty if it is not about rents."""
    label = f"{property_type_of(by)}_rent_date"
    dates = card[label].dropna() if label in card.columns else pd.Series(dtype="M8[s]")
    if dates.empty:
        return ""
    days = dict.fromkeys(str(day.date()) for day in (dates.min(), dates.max()))
    return f"Rents as at {' to '.join(days)}."


def _sales(card: pd.DataFrame, by: str) -> Iterator[list[str]]:
    """Yield the flags of few sales, if the column rests on sales."""
    if rests_on_sales(by) and "sales_flag" in card.columns:
        flags = card["sales_flag"].astype("object").where(card["sales_flag"].notna(), _UNKNOWN)
        yield ["" if flag == _OK else str(flag) for flag in flags]


def _rents(card: pd.DataFrame, by: str) -> Iterator[list[str]]:
    """Yield the flags of rents that stand still or are old, if the column rests on rents of a property type."""
    days, dates = (f"{property_type_of(by)}_{name}" for name in ("unchanged_days", "rent_date"))
    if days in card.columns and days != by:
        yield [f"{_UNCHANGED} {day:.0f} days" if day >= FLAT else "" for day in card[days]]
    if dates in card.columns:
        is_old = card[dates].max() - card[dates] > pd.Timedelta(days=ENDED_EARLY_DAYS)
        yield [f"{_OLD} {date.date()}" if old else "" for date, old in zip(card[dates], is_old, strict=True)]


def _statuses(card: pd.DataFrame) -> Iterator[list[str]]:
    """Yield the status of each suburb whose responses did not both arrive with data."""
    if "status" in card.columns:
        yield ["" if status == _OK else f"{_STATUS} {status}" for status in card["status"]]
