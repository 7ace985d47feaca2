"""Joins data to the rows of a user's frame: rents by the date of each row, summaries and scorecards by its suburb.

A row gets the last points at or before its own date, less a lag; or the columns of its suburb in a frame with one row
per suburb. Owns the labels of the new columns. Loading is left to loaders.loaders and loaders.scorecard, finding points
by date to timeseries.points, joining places to geocoding.join_places.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.column import column_or_level, suburbs_of
from suburb_pandas.frames.conversions import how_to_convert_dates, not_dates
from suburb_pandas.loaders.loaders import impact_summary, rent
from suburb_pandas.loaders.scorecard import scorecard
from suburb_pandas.messages import captured_warnings, listed
from suburb_pandas.timeseries.dates import Length, Whole, day_numbers, no_dates, parsed_dates, to_dates, whole_days
from suburb_pandas.timeseries.layouts import read
from suburb_pandas.timeseries.points import known_at

_IN_WORDS: Final = {"string": "text", "integer": "integers", "floating": "numbers"}
_NO_DATE: Final = -(10**9)  # a day number before all points, so that a row without a date finds none
_COLUMNS: Final = ("house_rent", "unit_rent", "rent_date")


def join_rent(
    frame: pd.DataFrame,
    suburbs: pd.Series[Any] | pd.Index[Any],
    *,
    on: Hashable,
    tolerance: Length | None,
    lag: Length,
    **options: Any,
) -> pd.DataFrame:
    """Join rents to the rows of a frame, as ``df.suburb.join_rent`` documents. ``options`` are passed to `rent`."""
    tolerance_days = None if tolerance is None else whole_days(tolerance, "tolerance")
    lag_days = whole_days(lag, "lag")
    existing = existing_columns(frame, _COLUMNS)
    if existing:
        them = "it" if len(existing) == 1 else "them"
        raise ValueError(f"The frame has {listed(existing)} already. Drop or rename {them} first; nothing was sent.")
    days = _days(frame, on) - lag_days
    try:
        rents = rent(suburbs, **options)
    except SuburbError as error:
        if error.frame is not None:
            error.frame = _with_rents(frame, suburbs, days, tolerance_days, error.frame)
        raise
    return _with_rents(frame, suburbs, days, tolerance_days, rents)


def _with_rents(
    frame: pd.DataFrame,
    suburbs: pd.Series[Any] | pd.Index[Any],
    days: Whole,
    tolerance: int | None,
    rents: pd.DataFrame,
) -> pd.DataFrame:
    """Return a copy of the frame with the last point of each property type at or before each row's day in ``days``."""
    with captured_warnings():  # the request has warned of dates that cannot be true
        parsed = read(rents)
    suburb_numbers = parsed.number_of(suburbs)
    result, latest = frame.copy(), no_dates(len(frame), parsed.unit)
    for kind, points in parsed.points.items():
        position = points.at_or_before(suburb_numbers, days, tolerance)
        result[label_of(frame, f"{kind}_rent")] = known_at(points.value, position)
        latest = np.fmax(latest, known_at(to_dates(points.day, parsed.unit), position))
    result[label_of(frame, "rent_date")] = latest
    return result


def _days(frame: pd.DataFrame, on: Hashable) -> Whole:
    """Return the day number of each date in a column or index level; `_NO_DATE` for a missing date."""
    try:
        values = column_or_level(frame, on, ValueError)
        dates = pd.Index(values, dtype=values.dtype)  # given, because pandas 2 warns of the dtypes that it infers
    except ValueError as problem:
        raise ValueError(f"{problem} Nothing was sent; pass on= with the column of dates.") from None
    kind = "empty" if dates.isna().all() else infer_dtype(dates, skipna=True)
    if kind not in {"date", "datetime", "datetime64", "empty"}:
        what = _IN_WORDS.get(kind, f"{kind} values")
        raise ValueError(
            f"on={on!r} holds {what}, not dates: {not_dates(dates)}. Nothing was sent. "
            f"{_how_to_convert(frame, on, dates)}"
        )
    try:
        index = parsed_dates(dates).normalize()
    except ValueError as problem:
        raise ValueError(f"on={on!r} holds dates that pandas cannot read: {problem}. Nothing was sent.") from None
    days, present = np.full(len(index), _NO_DATE), np.asarray(index.notna())
    days[present] = day_numbers(index[present])
    return days


def _how_to_convert(frame: pd.DataFrame, on: Hashable, values: pd.Index[Any]) -> str:
    """Return the sentence that says how to make dates of a column or of an index level."""
    if on in frame.columns:
        return how_to_convert_dates(values, f"df[{on!r}]")
    if frame.index.nlevels > 1:
        return f"Make the level a column first: df = df.reset_index({on!r})"
    return how_to_convert_dates(values, "df.index")


@dataclass(frozen=True, slots=True)
class RowJoin:
    """The arguments of a join that are about the user's frame.

    ``columns`` are the columns to add, None for all. ``column`` holds the suburbs. ``method`` is the method of
    ``df.suburb`` that was called, and ``usual_prefix`` the prefix that its errors suggest.
    """

    method: str
    usual_prefix: str
    columns: str | Iterable[str] | None
    prefix: str
    column: Hashable | None

    def join(self, frame: pd.DataFrame, load: Callable[[Any], pd.DataFrame]) -> pd.DataFrame:
        """Return a copy of a frame with the columns that ``load`` returns for its suburbs.

        ``load`` is first called for no suburbs. That makes no call, checks the options, and shows which columns exist.

        Raises
        ------
        NoSuburbColumn
            No column or index level of the frame holds the suburbs.
        TypeError, ValueError
            ``columns`` or ``prefix`` cannot be used, or the frame has a column of that name already.
        """
        suburbs = suburbs_of(frame, self.column)
        labels = self._labels(frame, list(load([]).columns))
        try:
            rows = load(suburbs)
        except SuburbError as error:
            if error.frame is not None:
                error.frame = _joined(frame, suburbs, labels, error.frame)
            raise
        return _joined(frame, suburbs, labels, rows)

    def _labels(self, frame: pd.DataFrame, known: Sequence[str]) -> Mapping[str, Hashable]:
        """Return the label in the joined frame of each column to add, or raise if one cannot be added."""
        if not isinstance(self.prefix, str):
            raise TypeError(
                f"prefix must be text, as in prefix={self.usual_prefix!r}, not {type(self.prefix).__name__}. Nothing "
                "was sent."
            )
        wanted = self._wanted(known)
        existing = existing_columns(frame, wanted, self.prefix)
        if existing:
            raise ValueError(
                f"The frame has {listed(existing)} already, and nothing was sent. With a prefix, the frame keeps both: "
                f"{self._line(wanted, self._free_prefix(frame, wanted))}"
            )
        return {name: label_of(frame, self.prefix + name) for name in wanted}

    def _wanted(self, known: Sequence[str]) -> list[str]:
        """Return the names of the columns to add. Raise if ``columns`` repeats one, or one is not among ``known``."""
        given = self._read_columns()
        wanted = known if given is None else given
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise ValueError(
                f"{self.method} has no column {listed(unknown)}: its columns are {', '.join(known)}. Nothing was sent. "
                "To name the frame's own column of suburbs, pass column=."
            )
        if not wanted or len({*wanted}) < len(wanted):
            raise ValueError(
                f"columns must name at least one column, and none twice, unlike {given!r}. Nothing was sent."
            )
        return list(wanted)

    def _read_columns(self) -> list[str] | None:
        """Return ``columns`` as a list. It may be a generator, so this is called once."""
        if self.columns is None or isinstance(self.columns, str):
            return None if self.columns is None else [self.columns]
        if isinstance(self.columns, set | frozenset | bytes) or not isinstance(self.columns, Iterable):
            kind = type(self.columns).__name__
            raise TypeError(f"columns must be one name or a list of names, not {kind}. Nothing was sent.")
        return list(self.columns)

    def _free_prefix(self, frame: pd.DataFrame, wanted: Sequence[str]) -> str:
        """Return the usual prefix; if the frame has such names, the prefix with the first number that avoids this."""
        usual = self.usual_prefix
        numbered = (f"{usual.removesuffix('_')}{number}_" for number in count(2))
        is_taken = existing_columns(frame, wanted, usual)
        return next(prefix for prefix in numbered if not existing_columns(frame, wanted, prefix)) if is_taken else usual

    def _line(self, wanted: Sequence[str], prefix: str) -> str:
        """Return the user's call with that prefix."""
        shown = [] if self.columns is None else [repr(self.columns if isinstance(self.columns, str) else wanted)]
        shown += [f'prefix="{prefix}"', *([] if self.column is None else [f"column={self.column!r}"])]
        return f"df.suburb.{self.method}({', '.join(shown)})"


def join_impacts(
    frame: pd.DataFrame, columns: str | Iterable[str] | None, prefix: str, *, column: Hashable | None, **options: Any
) -> pd.DataFrame:
    """Join summaries of impacts, as ``df.suburb.join_impacts`` documents. ``options`` are passed to the loader."""
    join = RowJoin("join_impacts", "impacts_", columns, prefix, column)
    return join.join(frame, partial(impact_summary, **options))


def join_scorecard(
    frame: pd.DataFrame, columns: str | Iterable[str] | None, prefix: str, *, column: Hashable | None, **options: Any
) -> pd.DataFrame:
    """Join scorecards, as ``df.suburb.join_scorecard`` documents. ``options`` are passed to the loader."""
    join = RowJoin("join_scorecard", "card_", columns, prefix, column)
    return join.join(frame, partial(scorecard, **options))


def existing_columns(frame: pd.DataFrame, names: Iterable[str], prefix: str = "") -> list[str]:
    """Return the names, with their prefix, that a frame has as columns, or as top labels of its columns."""
    return [prefix + name for name in names if prefix + name in frame.columns]


def label_of(frame: pd.DataFrame, name: str) -> Hashable:
    """Return the label of a new column, padded to as many levels as the frame's columns have."""
    levels = frame.columns.nlevels
    return name if levels == 1 else (name, *[""] * (levels - 1))


def _joined(
    frame: pd.DataFrame,
    suburbs: pd.Series[Any] | pd.Index[Any],
    labels: Mapping[str, Hashable],
    rows: pd.DataFrame,
) -> pd.DataFrame:
    """Return a copy of the frame, with the columns that each row's suburb has in ``rows``; missing for other rows."""
    found = rows[list(labels)].reindex(pd.Index(suburbs, dtype="object"))
    result = frame.copy()
    for name, label in labels.items():
        result[label] = found[name].array
    return result
