"""Reads the options that all loaders share, and checks them before anything is bought.

Lengths of time and dates become seconds and ISO 8601 here, so that the folders below need not parse them.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Literal

import numpy as np
import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.client.context import Reuse
from suburb_pandas.loaders.progress import Watch
from suburb_pandas.settings import whole_number
from suburb_pandas.timeseries.dates import Length

OnError = Literal["raise", "warn"]
Moment = str | date | pd.Timestamp | np.datetime64


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The checked options of a loader.

    ``cap`` is ``max_cents``. ``ages_matter`` is True if old responses cause a warning, as they do in a request that may
    buy and has no ``max_age``.
    """

    cap: int | None = None
    reuse: Reuse = field(default_factory=Reuse)
    ages_matter: bool = True
    offline: bool = False
    on_error: OnError = "raise"
    check_names: bool = True
    progress: bool | Watch | None = None
    client: Client | None = None


def read_options(
    *,
    max_cents: int | None = None,
    refresh: bool = False,
    max_age: Length | None = None,
    offline: bool = False,
    retrieved_by: Moment | None = None,
    errors: OnError = "raise",
    check_names: bool = True,
    progress: bool | Watch | None = None,
    client: Client | None = None,
) -> Options:
    """Check the options of a loader.

    Raises
    ------
    ValueError
        An option has an invalid value, or contradicts another one.
    SettingsError
        ``max_cents`` is not a whole number of at least 0.
    """
    if errors not in {"raise", "warn"}:
        raise ValueError(f"errors must be 'raise' or 'warn', not {errors!r}. Nothing was sent.")
    if offline and refresh:
        raise ValueError("offline never buys, so it cannot be combined with refresh. Nothing was sent.")
    reuse = read_reuse(refresh=refresh, max_age=max_age, retrieved_by=retrieved_by)
    return Options(
        cap=None if max_cents is None else whole_number("max_cents", max_cents),
        reuse=reuse,
        ages_matter=max_age is None and retrieved_by is None and not offline,
        offline=offline,
        on_error=errors,
        check_names=check_names,
        progress=progress,
        client=client,
    )


def read_reuse(*, refresh: bool = False, max_age: Length | None = None, retrieved_by: Moment | None = None) -> Reuse:
    """Convert the options that decide which stored responses may be used.

    Raises
    ------
    ValueError
        ``max_age`` is not a length of time, ``retrieved_by`` is not a time, or ``retrieved_by`` is given together with
        ``refresh`` or ``max_age``.
    """
    if retrieved_by is None:
        return Reuse(refresh=bool(refresh), max_age=None if max_age is None else _seconds(max_age))
    if refresh or max_age is not None:
        raise ValueError("retrieved_by never buys, so it cannot be combined with refresh or max_age. Nothing was sent.")
    return Reuse(by=read_moment(retrieved_by, "retrieved_by", is_end=True))


def _seconds(age: Length) -> float:
    """Return a length of time in seconds. A number without a unit is refused: pandas reads it as nanoseconds."""
    if isinstance(age, str):
        has_unit = any(letter.isalpha() for letter in age)
    elif isinstance(age, np.timedelta64):
        has_unit = np.datetime_data(age)[0] != "generic"
    else:
        has_unit = isinstance(age, timedelta)
    try:
        seconds = float(pd.Timedelta(age).total_seconds()) if has_unit else -1.0
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        raise ValueError(f"max_age must be a length of time such as '30D' or '12h', not {age!r}. Nothing was sent.")
    return seconds


def read_moment(by: Moment, argument: str, *, is_end: bool) -> str:
    """Return a time as the store writes it. Without a time zone it is UTC.

    A bare date means the end of that day if ``is_end`` is True, else its beginning.

    Raises
    ------
    ValueError
        ``by`` is not a time.
    """
    with suppress(ValueError, OverflowError):  # a date that no calendar has, or that UTC moves beyond the last year
        if _is_time(by):
            moment = _end_of_day(by) if _is_bare(by) and is_end else pd.Timestamp(by)
            in_utc = moment.tz_localize(UTC) if moment.tzinfo is None else moment.tz_convert(UTC)
            return in_utc.to_pydatetime(warn=False).isoformat(timespec="microseconds")
    raise ValueError(
        f"{argument} must be a date or a time in ISO 8601, such as '2026-06-30', not {by!r}. Nothing was sent."
    )


def _is_time(by: Moment) -> bool:
    """Return True for a date or a time. Text has to be ISO 8601: 05/12/2026 can mean May or December."""
    if isinstance(by, str):
        return re.match(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:.+)?)?$", by) is not None
    return isinstance(by, date | np.datetime64) and not pd.isna(by)


def _is_bare(by: Moment) -> bool:
    """Return True for a date without a time of day."""
    if isinstance(by, np.datetime64):
        by = str(by)
    return ":" not in by if isinstance(by, str) else not isinstance(by, datetime)


def _end_of_day(by: Moment) -> pd.Timestamp:
    """Return the end of a day; for ``2026-06``, the end of the month."""
    return pd.Period(str(by)).end_time
