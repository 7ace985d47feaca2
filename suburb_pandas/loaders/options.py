"""Reads the options that all loaders share, checks them before anything is bought, and makes the progress bar.

Lengths of time and dates become seconds and ISO 8601 here, so that the folders below need not parse them.
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, date, timedelta
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.client.context import Reuse
from suburb_pandas.frames.dates import Length
from suburb_pandas.settings import checked, in_ci

OnError = Literal["raise", "warn"]
Suburbs = str | Iterable[str]
Watch = Callable[..., Iterable[Any]]
"""A function that wraps an iterable as a progress bar does: it takes items and their number, and yields the items."""

Moment = str | date | pd.Timestamp | np.datetime64

DELAY = 0.5
"""The seconds after which an automatic bar appears, so that a quick request shows none."""


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

    @classmethod
    def among(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the options among the arguments of a loader, as its ``locals()`` has them."""
        return cls(**{option.name: arguments[option.name] for option in fields(cls) if option.name in arguments})

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
            self.max_cents = checked("max_cents", self.max_cents)

    @property
    def ages_matter(self) -> bool:
        """True if old responses cause a warning, as they do in a request that may buy and has no ``max_age``."""
        return self.max_age is None and self.retrieved_by is None and not self.offline


def _seconds(age: Length) -> float:
    """Return a length of time in seconds. A number without a unit is refused: pandas reads it as nanoseconds."""
    is_length = isinstance(age, timedelta | np.timedelta64)
    with suppress(ValueError):
        if any(map(str.isalpha, age)) if isinstance(age, str) else is_length:
            seconds = pd.Timedelta(age).total_seconds()
            if seconds >= 0:
                return float(seconds)
    raise ValueError(f"max_age must be a length of time such as '30D' or '12h', not {age!r}. Nothing was sent.")


def read_moment(by: Moment, argument: str, *, is_end: bool) -> str:
    """Return a time as the store writes it. Without a time zone it is UTC.

    A bare date or month means its end if ``is_end`` is True, else its beginning.

    Raises
    ------
    ValueError
        ``by`` is not a time.
    """
    text = str(by) if isinstance(by, str | date | np.datetime64) else ""
    with suppress(ValueError, OverflowError):  # a date that no calendar has, or that UTC moves beyond the last year
        # In ISO 8601, because 05/12/2026 can mean May or December.
        if re.match(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:.+)?)?$", text):
            moment = pd.Period(text).end_time if is_end and ":" not in text else pd.Timestamp(text)
            in_utc = moment.tz_localize(UTC) if moment.tzinfo is None else moment.tz_convert(UTC)
            return in_utc.to_pydatetime(warn=False).isoformat(timespec="microseconds")
    raise ValueError(
        f"{argument} must be a date or a time in ISO 8601, such as '2026-06-30', not {by!r}. Nothing was sent."
    )


def bar(label: str, *, show: bool | Watch | None) -> Watch:
    """Return a function that wraps items in a bar; with ``show=None`` only for several calls, and if `is_watched`."""

    def watch(items: Iterable[Any], total: int) -> Iterable[Any]:
        if callable(show):
            return _in_bar_of_user(show, items, total)
        if not (show if show is not None else total > 1 and is_watched()):
            return items
        from tqdm.auto import tqdm  # noqa: PLC0415 - slow to import, and most requests need no bar

        shown: Iterable[Any] = tqdm(items, total=total, desc=label, unit="call", delay=0 if show else DELAY)
        return shown

    return watch


def _in_bar_of_user(show: Watch, items: Iterable[Any], total: int) -> Iterable[Any]:
    """Return items as a user's function wraps them. It gets their number as ``total=`` if it accepts that name."""
    try:
        inspect.signature(show).bind(items, total=total)
    except (TypeError, ValueError):  # it has no such argument, or no signature
        return show(items, total)
    return show(items, total=total)


def is_watched() -> bool:
    """Return True in a notebook or a terminal, unless the variable ``CI`` is set."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    in_notebook = shell is not None and "IPKernelApp" in shell.config
    return not in_ci() and (in_notebook or (sys.stderr is not None and sys.stderr.isatty()))
