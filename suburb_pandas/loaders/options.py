"""Reads the options that all loaders share, and checks them before anything is bought.

Lengths of time and dates become seconds and ISO 8601 here, so that the folders below need not parse them.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import numpy as np
import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.client.context import Reuse
from suburb_pandas.settings import whole_number
from suburb_pandas.timeseries.dates import Length

OnError = Literal["raise", "warn"]
Suburbs = str | Iterable[str]
Watch = Callable[..., Iterable[Any]]
"""A function that wraps an iterable as a progress bar does: it takes items and their number, and yields the items."""

Moment = str | date | pd.Timestamp | np.datetime64


@dataclass(slots=True, kw_only=True)
class Options:
    """The options that all loaders share, checked when they are put together.

    Raises
    ------
    ValueError
        An option has an invalid value, or contradicts another one.
    SettingsError
        ``max_cents`` is not a whole number of at least 0.
    """

    max_cents: int | None = None
    refresh: bool = False
    max_age: Length | None = None
    offline: bool = False
    retrieved_by: Moment | None = None
    errors: OnError = "raise"
    check_names: bool = True
    progress: bool | Watch | None = None
    client: Client | None = None
    reuse: Reuse = field(init=False)

    def __post_init__(self) -> None:
        """Check the options, and decide which stored responses may be used."""
        if self.errors not in {"raise", "warn"}:
            raise ValueError(f"errors must be 'raise' or 'warn', not {self.errors!r}. Nothing was sent.")
        if self.offline and self.refresh:
            raise ValueError("offline never buys, so it cannot be combined with refresh. Nothing was sent.")
        if self.retrieved_by is None:
            self.reuse = Reuse(bool(self.refresh), None if self.max_age is None else _seconds(self.max_age))
        elif self.refresh or self.max_age is not None:
            raise ValueError(
                "retrieved_by never buys, so it cannot be combined with refresh or max_age. Nothing was sent."
            )
        else:
            self.reuse = Reuse(by=read_moment(self.retrieved_by, "retrieved_by", is_end=True))
        if self.max_cents is not None:
            self.max_cents = whole_number("max_cents", self.max_cents)

    @property
    def ages_matter(self) -> bool:
        """True if old responses cause a warning, as they do in a request that may buy and has no ``max_age``."""
        return self.max_age is None and self.retrieved_by is None and not self.offline


def _seconds(age: Length) -> float:
    """Return a length of time in seconds. A number without a unit is refused: pandas reads it as nanoseconds."""
    is_length = isinstance(age, timedelta | np.timedelta64) and "generic" not in str(age)
    with suppress(ValueError):
        if any(map(str.isalpha, age)) if isinstance(age, str) else is_length:
            seconds = pd.Timedelta(age).total_seconds()
            if seconds >= 0:
                return float(seconds)
    raise ValueError(f"max_age must be a length of time such as '30D' or '12h', not {age!r}. Nothing was sent.")


def read_moment(by: Moment, argument: str, *, is_end: bool) -> str:
    """Return a time as the store writes it. Without a time zone it is UTC.

    A bare date means the end of that day if ``is_end`` is True, else its beginning.

    Raises
    ------
    ValueError
        ``by`` is not a time.
    """
    text = str(by) if isinstance(by, str | np.datetime64) else None
    if text is not None:  # in ISO 8601, because 05/12/2026 can mean May or December
        is_time, is_bare = re.match(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:.+)?)?$", text) is not None, ":" not in text
    else:
        is_time, is_bare = isinstance(by, date) and not pd.isna(by), not isinstance(by, datetime)
    with suppress(ValueError, OverflowError):  # a date that no calendar has, or that UTC moves beyond the last year
        if is_time:
            moment = pd.Period(str(by)).end_time if is_bare and is_end else pd.Timestamp(by)
            in_utc = moment.tz_localize(UTC) if moment.tzinfo is None else moment.tz_convert(UTC)
            return in_utc.to_pydatetime(warn=False).isoformat(timespec="microseconds")
    raise ValueError(
        f"{argument} must be a date or a time in ISO 8601, such as '2026-06-30', not {by!r}. Nothing was sent."
    )
