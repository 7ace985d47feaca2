"""Compares two tables of values: that of a frame with the one that the responses give.

A value of a frame is right if the responses give it in the same place: the same suburb, and the same date, label or
other key. Making the tables is left to rents and rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from suburb_pandas.frames.dates import Flags, Values, Whole, in_sydney, parse_dates, to_dates

_CLOSE: Final = 1e-9
_MOST_DECIMALS: Final = 6

NO_DAY: Final = -(2**31)
"""The day number of a date that is missing or cannot be read."""


class Table(NamedTuple):
    """Values by place.

    ``suburb`` is the number of each row's suburb, -1 if it has none. ``key`` identifies the place of the row, and
    ``place`` is its day or label, for messages. ``columns`` are the values. ``shows_gaps`` is True if NaN claims that
    there is no value. ``how`` are the calls that computed the values from responses.
    """

    suburb: Whole
    key: Whole
    place: npt.NDArray[Any]
    columns: Mapping[str, Any]
    shows_gaps: bool = True
    how: Sequence[str] = ()

    def where(self, rows: Flags | Whole) -> Table:
        """Return some of the rows."""
        columns = {label: values[rows] for label, values in self.columns.items()}
        return Table(self.suburb[rows], self.key[rows], self.place[rows], columns, self.shows_gaps)

    def place_of(self, row: int) -> str:
        """Return the day or the label of a row in words, to follow the name of its suburb; empty if it has neither."""
        place = self.place[row]
        if self.place.dtype.kind == "i":
            return "without a date" if place == NO_DAY else f"on {to_dates(np.array([place]))[0]}"
        return f"for {place!r}" if place else ""


@dataclass(slots=True)
class Comparison:
    """A table beside the values that the responses have in its places.

    By column, ``expected`` has these values, and ``wrong`` is True for the rows that differ from them. ``is_known`` is
    True for the rows whose place is in the responses, and ``is_rounded`` for those that are right only as rounded
    values. ``decimals`` has the decimals to which the values of a column may be rounded. ``how`` are the calls that
    computed the values.
    """

    table: Table = field(repr=False)
    expected: dict[str, Any] = field(repr=False)
    wrong: dict[str, Flags] = field(repr=False)
    is_known: Flags = field(repr=False)
    is_rounded: Flags = field(repr=False)
    how: Sequence[str] = ()
    decimals: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def wrong_rows(self) -> Flags:
        """True for the rows that differ in some column."""
        wrong: Flags = np.logical_or.reduce([*self.wrong.values(), np.zeros(len(self.table.key), dtype="bool")])
        return wrong

    @property
    def n_wrong(self) -> int:
        """The number of values that differ."""
        return sum(int(flags.sum()) for flags in self.wrong.values())

    def take_right(self, rows: Whole, other: Comparison, *, anew: bool) -> bool:
        """Take the values that another comparison of these rows has right and this one has not; return True if any.

        With ``anew``, take all of its values. Otherwise, take none in a place that it lacks: every older, shorter
        response would explain why the newest values are missing.
        """
        taken = {label: np.ones(len(rows), dtype="bool") for label in other.wrong}
        if anew:
            self.is_rounded[rows] = False
            self.how = [max(*each, key=len) for each in zip(self.how, other.how, strict=True)]
        else:
            taken = {label: self.wrong[label][rows] & ~flags & other.is_known for label, flags in other.wrong.items()}
        self.take(rows, other, taken)
        is_taken: Flags = np.logical_or.reduce([*taken.values()])
        self.is_rounded[rows] |= other.is_rounded & is_taken
        return bool(is_taken.any())

    def take(self, rows: Whole, other: Comparison, taken: Mapping[str, Flags]) -> None:
        """Take some of the values that another comparison has found for these rows."""
        for label, flags in taken.items():
            self.wrong[label][rows[flags]] = other.wrong[label][flags]
            self.expected[label] = _with(self.expected[label], rows[flags], other.expected[label][flags])

    def round_off(self, decimals: Mapping[str, int | None] | None) -> None:
        """Accept wrong values that are right if rounded to their column's decimals, by default to those that it shows.

        For some rows of a frame, the decimals have to be given, because only a whole column shows them.
        """
        columns = self.table.columns
        differing = [label for label, flags in self.wrong.items() if flags.any()]
        if decimals is None:
            asked = columns if differing else ()
            decimals = {label: _decimals_of(columns[label], self.expected[label].dtype) for label in asked}
        self.decimals = decimals
        for label in differing:
            shown, expected, flags = decimals.get(label), self.expected[label], self.wrong[label]
            if shown is not None:
                is_near = flags & _is_near(columns[label], expected, 0.5 * 10.0**-shown)
                self.wrong[label], self.is_rounded = flags & ~is_near, self.is_rounded | is_near

    def refuse_rounded(self) -> None:
        """Count the rows that are right only as rounded values as wrong."""
        self.wrong = {label: flags | self.is_rounded for label, flags in self.wrong.items()}
        self.is_rounded = np.zeros_like(self.is_rounded)


def compare(table: Table, reference: Table, decimals: Mapping[str, int | None] | None = None) -> Comparison:
    """Compare a table with a reference. Of several rows of the reference in the place of a row, any one counts.

    Values may be rounded to the ``decimals`` of their column, by default to those that the table shows.
    """
    first, *others = _positions(table.key, reference.key)
    found = _beside(table, reference, first)
    for position in others:
        rows = np.flatnonzero(found.wrong_rows)
        other = _beside(table.where(rows), reference, position[rows])
        found.take(rows, other, dict.fromkeys(other.wrong, ~other.wrong_rows))
    found.round_off(decimals)
    return found


def _with(values: Any, rows: Whole, others: Any) -> Any:
    """Return a copy of values with others in these rows."""
    result = values.copy()
    result[rows] = others
    return result


def key_of(suburb: Whole, parts: Sequence[npt.NDArray[Any]]) -> Whole:
    """Return the key of rows from the numbers of their suburbs and from further numbers or texts."""
    joined = suburb.astype("str").astype("object")
    for part in parts:
        joined = joined + "\t" + part.astype("str").astype("object")
    return pd.util.hash_array(joined, categorize=True).view("int64")


def _positions(key: Whole, reference: Whole) -> list[Whole]:
    """Return the position in the reference of each key, -1 if there is none; again for further rows of the same key."""
    order = np.argsort(reference, kind="stable")
    first, after = (np.searchsorted(reference, key, side, sorter=order) for side in ("left", "right"))
    order = np.append(order, -1)
    depth = int((after - first).max(initial=1))
    return [np.where(first + nth < after, order[np.minimum(first + nth, len(reference))], -1) for nth in range(depth)]


def _beside(table: Table, reference: Table, position: Whole) -> Comparison:
    """Compare each row of a table with the row of the reference at a position."""
    expected = {label: _taken(reference.columns[label], position) for label in table.columns}
    wrong = {
        label: _differs(values, expected[label], shows_gaps=table.shows_gaps) for label, values in table.columns.items()
    }
    is_known = position >= 0
    return Comparison(table, expected, wrong, is_known, np.zeros(len(is_known), dtype="bool"), reference.how)


def _taken(values: Any, position: Whole) -> Any:
    """Return the values at positions, missing where the position is -1."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return np.append(values, np.nan)[position]
    return pd.Series(values).array.take(position, allow_fill=True)


def _differs(values: Any, expected: Any, *, shows_gaps: bool) -> Flags:
    """Return True for values that are not the expected ones, nor these in 32 bits."""
    like = expected.dtype
    if not (is_numeric_dtype(like) or is_datetime64_any_dtype(like)):
        return np.asarray(_as_text(values) != _as_text(expected))
    given, right = _numbers_of(values, like), _numbers_of(expected, like)
    if np.array_equal(given, right, equal_nan=True):
        return np.zeros(len(given), dtype="bool")
    with np.errstate(invalid="ignore", over="ignore"):
        is_near = np.abs(given - right) <= _CLOSE * np.maximum(1, np.abs(right))
        is_close = given == right if is_datetime64_any_dtype(like) else is_near | (given == right.astype("float32"))
    return np.where(np.isnan(given), ~np.isnan(right) & shows_gaps, ~is_close)


def _is_near(values: Any, expected: Any, distance: float) -> Flags:
    """Return True for numbers that are at most ``distance`` from the expected ones."""
    given, right = _numbers_of(values, expected.dtype), _numbers_of(expected, expected.dtype)
    with np.errstate(invalid="ignore"):
        near: Flags = np.abs(given - right) <= distance + _CLOSE * np.abs(right)
    return near


def _decimals_of(values: Any, like: Any) -> int | None:
    """Return how many decimals the numbers of a column show, from 0 to 6; None if they show more, or only zeros."""
    if not is_numeric_dtype(like):
        return None
    numbers = _numbers_of(values, like)
    finite = numbers[np.isfinite(numbers)]
    if (np.abs(finite) <= _CLOSE).all():
        return None
    for decimals in range(_MOST_DECIMALS + 1):
        if (np.abs(finite - np.round(finite, decimals)) <= _CLOSE * np.maximum(1, np.abs(finite))).all():
            return decimals
    return None


def _numbers_of(values: Any, like: Any) -> Values:
    """Return values as numbers: a time as microseconds, and text that is no number as infinity, which is never right.

    ``like`` is the dtype of the numbers that they are compared with.
    """
    if is_datetime64_any_dtype(like):
        times = pd.to_datetime(pd.Series(values).astype("object"), errors="coerce", format="ISO8601")
        micros = times.to_numpy("M8[us]").view("int64").astype("float64")
        return np.where(times.isna(), np.where(pd.isna(values), np.nan, np.inf), micros)
    if isinstance(values, np.ndarray) and values.dtype == "float64":
        return values
    if is_numeric_dtype(values.dtype) and values.dtype.kind != "c":
        return np.asarray(pd.Series(values).to_numpy("float64", na_value=np.nan))
    plain = pd.Series(values).astype("object")
    if values.dtype.kind == "c":
        return np.full(len(plain), np.inf)
    parsed = pd.to_numeric(plain, errors="coerce").to_numpy("float64", na_value=np.nan)
    return np.where(np.isnan(parsed) & plain.notna(), np.inf, parsed)


def days_in(column: pd.Series[Any], missing: int = NO_DAY) -> Whole:
    """Return dates, perhaps as objects or ISO 8601 text, as days since 1970-01-01; ``missing`` for any other value."""
    plain = pd.Index([None if pd.isna(value) else value if isinstance(value, date) else str(value) for value in column])
    dates = (
        parse_dates(plain, errors="coerce") if not is_datetime64_any_dtype(column.dtype) else pd.DatetimeIndex(column)
    )
    dates = in_sydney(dates)
    is_day = dates.notna() & (dates == dates.normalize())
    return np.where(is_day, dates.to_numpy("M8[D]").astype("int64"), missing)


def is_missing(values: Any) -> Flags:
    """Return True for missing values."""
    return (
        np.isnan(values) if isinstance(values, np.ndarray) and values.dtype.kind == "f" else np.asarray(pd.isna(values))
    )


def _as_text(values: Any) -> npt.NDArray[Any]:
    """Return values as text, empty for a missing one."""
    plain = pd.Series(values).astype("object")
    return plain.where(plain.notna(), "").astype("str").to_numpy("object")
