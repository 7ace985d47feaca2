"""The options that all loaders share: their types, their checks, and how they show in help.

Times are read here, so that below only seconds and ISO 8601 are known.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from inspect import Parameter, signature
from typing import Any, Literal, TypedDict, TypeVar

import numpy as np
import pandas as pd

from .client import Client
from .quotes import Reuse

OnError = Literal["raise", "warn"]
Age = str | pd.Timedelta | Any
Moment = str | date | pd.Timestamp | np.datetime64

Function = TypeVar("Function", bound=Callable[..., Any])


class Options(TypedDict, total=False):
    """What all loaders take."""

    max_cents: int | None
    refresh: bool
    max_age: Age | None
    offline: bool
    retrieved_by: Moment | None
    errors: OnError
    progress: bool | None
    client: Client | None


class QuoteOptions(TypedDict, total=False):
    """What a quote takes."""

    refresh: bool
    max_age: Age | None
    client: Client | None


def with_options_of(model: Callable[..., Any]) -> Callable[[Function], Function]:
    """Let help and Tab show, in place of a function's ``**options``, the keyword options of another one."""
    options = [one for one in signature(model).parameters.values() if one.kind is Parameter.KEYWORD_ONLY]

    def show(function: Function) -> Function:
        shown = signature(function)
        own = [one for one in shown.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        named = {one.name for one in own}
        more = [one for one in options if one.name not in named]
        function.__signature__ = shown.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        return function

    return show


def reuse(*, refresh: bool = False, max_age: Age | None = None, retrieved_by: Moment | None = None) -> Reuse:
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


def _seconds(age: Age) -> float:
    try:
        seconds = float(pd.Timedelta(age).total_seconds())
    except (ValueError, TypeError):
        seconds = -1.0
    if not seconds >= 0 or isinstance(age, int | float):
        raise ValueError(f"max_age is a length of time such as '30D' or '12h', not {age!r}.")
    return seconds


def _moment(by: Moment) -> str:
    """Give a time as the store writes it. Without a time zone it is UTC, and a bare date means the end of that day."""
    try:
        moment = _end_of_day(by) if _is_bare(by) else pd.Timestamp(by)
    except (ValueError, TypeError):
        moment = None
    if moment is None or pd.isna(moment):
        raise ValueError(f"retrieved_by is a date or a time such as '2026-06-30', not {by!r}.")
    in_utc = moment.tz_localize(UTC) if moment.tzinfo is None else moment.tz_convert(UTC)
    return in_utc.to_pydatetime(warn=False).isoformat(timespec="microseconds")


def _is_bare(by: Moment) -> bool:
    """Whether that is a date without a time of day."""
    if isinstance(by, np.datetime64):
        by = str(by)
    return ":" not in by if isinstance(by, str) else not isinstance(by, datetime)


def _end_of_day(by: Moment) -> pd.Timestamp:
    """The end of the day that is named; of ``2026-06``, the end of the month."""
    return pd.Period(str(by)).end_time
