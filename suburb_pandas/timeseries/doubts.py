"""Decides which rents are doubtful: dates that cannot be right, values that are no rents, and stale rents.

Several values on one date are left to `points`, which decides which of them counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from suburb_pandas.errors import DataWarning
from suburb_pandas.frames.schema import Rows, is_computed, marks_of
from suburb_pandas.messages import listed, warn
from suburb_pandas.timeseries.dates import Whole, day_in_australia, day_number, day_text, to_dates
from suburb_pandas.timeseries.points import Points

EARLIEST: Final = day_number("1900-01-01", "the earliest date")
"""The earliest date that can be right."""

STALE: Final = "stale"
"""The status of a suburb with a stale rent."""

STALE_DAYS: Final = 62
"""A rent is stale if it is more than this many days older than the newest rent beside it, of either property type."""


def warn_of_dates(frame: Rows, days: Whole) -> None:
    """Warn of dates before 1900, and of dates after the day of retrieval, or after today if that is not known.

    The day is the one in Australia, where a date can begin before it does in UTC. The labels of a computed frame are
    not checked: the label of an open period can be in the future.
    """
    if not len(days) or is_computed(frame):
        return
    retrieved = pd.to_datetime(str(marks_of(frame).get("retrieved_at", "")), utc=True, errors="coerce")
    when, moment = "today", datetime.now(UTC)
    if isinstance(retrieved, pd.Timestamp):
        when, moment = "the day of retrieval", retrieved
    latest = day_in_australia(moment)
    if days.min() >= EARLIEST and days.max() <= latest:
        return
    wrong = np.unique(days[(days < EARLIEST) | (days > latest)])
    limit = f"after {when}, {day_text(latest)} in Australia"
    warn(
        f"Some dates are before 1900 or {limit}: {listed(to_dates(wrong).astype(str).tolist())}. "
        "They are used unchanged; leave out the rows whose dates are wrong.",
        DataWarning,
    )


def above_zero(values: Mapping[str, Points], names: pd.Categorical | None) -> Mapping[str, Points]:
    """Return the values that are above zero and finite, and warn of the others. ``names`` are the suburbs."""
    kept, found = dict(values), []
    for kind, each in values.items():
        is_wrong = (each.value <= 0) | np.isinf(each.value)
        if is_wrong.any():
            kept[kind] = each.where(~is_wrong)
            for suburb, day, value, _ in zip(*each.where(is_wrong), strict=True):
                where = "" if names is None else f" in {names[suburb]!r}"
                found.append(f"{kind} of {value:.10g} on {day_text(day)}{where}")
    if found:
        warn(
            f"Not above zero or not finite, so taken for missing: {listed(found, str)}. If the frame holds changes, "
            "not rents, compute these after this step instead.",
            DataWarning,
        )
    return kept


def newest(dates: npt.ArrayLike) -> np.datetime64:
    """Return the newest of some dates; NaT if there are none."""
    found: np.datetime64 = np.fmax.reduce(np.asarray(dates, "M8[D]"), axis=None, initial=np.datetime64("NaT", "D"))
    return found


def stale_before(dates: npt.ArrayLike) -> np.datetime64:
    """Return the day before which dates are stale beside the newest of them; NaT, which no date precedes, if none."""
    return newest(dates) - np.timedelta64(STALE_DAYS, "D")
