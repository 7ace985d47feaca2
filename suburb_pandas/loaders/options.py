"""The options that all loaders share: their types, their checks, and how they show in help.

Times are read here, so that below only seconds and ISO 8601 are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, Literal, TypedDict, TypeVar, cast

import numpy as np
import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.loaders.progress import Watch
from suburb_pandas.purchasing.quote import Reuse
from suburb_pandas.timeseries.dates import Length

OnError = Literal["raise", "warn"]
Moment = str | date | pd.Timestamp | np.datetime64

Function = TypeVar("Function", bound=Callable[..., Any])


class Options(TypedDict, total=False):
    """What all loaders take."""

    max_cents: int | None
    refresh: bool
    max_age: Length | None
    offline: bool
    retrieved_by: Moment | None
    errors: OnError
    check_names: bool
    progress: bool | Watch | None
    client: Client | None


class QuoteOptions(TypedDict, total=False):
    """What a quote takes."""

    refresh: bool
    max_age: Length | None
    check_names: bool
    client: Client | None


def with_options_of(*models: Callable[..., Any]) -> Callable[[Function], Function]:
    """Let help and Tab show, in place of a function's ``**options``, the keyword options of other ones."""
    every = [one for model in models for one in signature(model).parameters.values()]
    options = [one for one in every if one.kind is Parameter.KEYWORD_ONLY]

    def show(function: Function) -> Function:
        own = [one for one in signature(function).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        more = [one for one in options if one.name not in {mine.name for mine in own}]
        known = {one.name for one in [*own, *more]}

        @wraps(function)
        def checked(*arguments: Any, **named: Any) -> Any:
            if not named.keys() <= known:
                wrong, there = ", ".join(sorted(named.keys() - known)), ", ".join(sorted(known - {"self"}))
                named.clear()  # a traceback may show variables, and what was mistaken for an option be the key
                raise TypeError(f"{function.__name__}() has no option {wrong}; it has {there}.")
            return function(*arguments, **named)

        checked.__signature__ = Signature([*own, *more])  # type: ignore[attr-defined]
        return cast("Function", checked)

    return show


def reuse(*, refresh: bool = False, max_age: Length | None = None, retrieved_by: Moment | None = None) -> Reuse:
    """Read what of the stored will do.

    Raises
    ------
    ValueError
        ``max_age`` is no length of time, ``retrieved_by`` is no time, or it is given with one of the others.
    """
    if retrieved_by is None:
        return Reuse(refresh=bool(refresh), max_age=None if max_age is None else _seconds(max_age))
    if refresh or max_age is not None:
        raise ValueError("retrieved_by never buys, so it does not go with refresh or max_age.")
    return Reuse(by=_moment(retrieved_by))


def _seconds(age: Length) -> float:
    """Read a length of time that says its unit: pandas takes a bare number for nanoseconds."""
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
        raise ValueError(f"max_age is a length of time such as '30D' or '12h', not {age!r}.")
    return seconds


def _moment(by: Moment) -> str:
    """Give a time as the store writes it. Without a time zone it is UTC, and a bare date means the end of that day."""
    try:
        moment = None if not _is_time(by) else _end_of_day(by) if _is_bare(by) else pd.Timestamp(by)
    except ValueError:
        moment = None
    if moment is None or pd.isna(moment):
        raise ValueError(f"retrieved_by is a date or a time as ISO 8601 writes it, '2026-06-30', not {by!r}.")
    in_utc = moment.tz_localize(UTC) if moment.tzinfo is None else moment.tz_convert(UTC)
    return in_utc.to_pydatetime(warn=False).isoformat(timespec="microseconds")


def _is_time(by: Moment) -> bool:
    """Whether that is a time, and as text one that everybody reads alike: not 05/12/2026."""
    if isinstance(by, str):
        return re.match(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:.+)?)?$", by) is not None
    return isinstance(by, date | np.datetime64)


def _is_bare(by: Moment) -> bool:
    """Whether that is a date without a time of day."""
    if isinstance(by, np.datetime64):
        by = str(by)
    return ":" not in by if isinstance(by, str) else not isinstance(by, datetime)


def _end_of_day(by: Moment) -> pd.Timestamp:
    """The end of the day that is named; of ``2026-06``, the end of the month."""
    return pd.Period(str(by)).end_time
