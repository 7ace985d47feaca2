"""Compares two tables of values: that of a frame with the one that the responses give.

A value of a frame is right if the responses give it in the same place: the same suburb, and the same date, label or
other key. Making the tables is left to claims.
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

from suburb_pandas.timeseries.dates import Flags, Values, Whole, in_sydney, parsed_dates, to_dates

_CLOSE: Final = 1e-9
_MOST_DECIMALS: Final = 6


class Table(NamedTuple):
    """Values by place.

    ``suburb`` is the number of each row's suburb, -1 if it has none, and ``key`` identifies the place of the row, of
    which ``place`` is the rest in words: a day or a label. ``columns`` are the values. ``shows_gaps`` is True if NaN in
    them means that there is no value.
    """

    suburb: Whole
    key: Whole
    place: npt.NDArray[Any]
    columns: Mapping[str, Any]
    shows_gaps: bool = True

    def where(self, rows: Flags | Whole) -> Table:
        """Return some of the rows."""
        columns = {label: values[rows] for label, values in self.columns.items()}
        return Table(self.suburb[rows], self.key[rows], self.place[rows], columns, self.shows_gaps)

    def place_of(self, row: int) -> str:
        """Return the place of a row in words, after the name of its suburb; empty if that is all."""
        place = self.place[row]
        return (
            f"on {to_dates(np.array([place]))[0]}"
            if self.place.dtype.kind == "i"
            else f"for {place!r}"
            if place
            else ""
        )


@dataclass(slots=True)
class Comparison:
    """A table beside the values that the responses have in its places.

    By column, ``expected`` has these values, and ``wrong`` is True for the rows that differ from them. ``rounded`` is
    True if some values are right only as rounded ones. ``is_known`` is True for the rows whose place has a response.
    """

    table: Table = field(repr=False)
    expected: dict[str, Any] = field(repr=False)
    wrong: dict[str, Flags] = field(repr=False)
    rounded: bool
    is_known: Flags = field(repr=False)

    @property
    def wrong_rows(self) -> Flags:
        """True for the rows that differ in some column."""
        wrong: Flags = np.logical_or.reduce([*self.wrong.values(), np.zeros(len(self.table.key), dtype="bool")])
        return wrong

    def adopt(self, rows: Whole, other: Comparison, *, anew: bool) -> bool:
        """Take what another comparison of some rows has right for these rows; with ``anew``, for all of them.

        Return True if it explains a value. It explains that a value is missing only if it has a row in that place.
        Otherwise every older, shorter response would explain why the newest values are missing.
        """
        is_used = False
        for label, flags in other.wrong.items():
            is_shown = other.is_known | ~is_missing(other.table.columns[label])
            right = ~flags & (anew | (self.wrong[label][rows] & is_shown))
            self.wrong[label][rows[right]] = False
            self.expected[label] = _with(self.expected[label], rows[right], other.expected[label], right)
            is_used |= bool(right.any())
        self.rounded |= other.rounded and is_used
        return is_used


def _with(values: Any, rows: Whole, others: Any, chosen: Flags) -> Any:
    """Return a copy of values with some of others in these rows."""
    result = values.copy()
    result[rows] = others[chosen]
    return result


def key_of(suburb: Whole, parts: Sequence[npt.NDArray[Any]]) -> Whole:
    """Return the key of rows from the numbers of their suburbs and from further numbers or texts."""
    joined = suburb.astype("str").astype("object")
    for part in parts:
        joined = joined + "\t" + part.astype("str").astype("object")
    return pd.util.hash_array(joined, categorize=True).view("int64")


def compare(table: Table, reference: Table) -> Comparison:
    """Compare a table with a reference. Of several rows of the reference in the place of a row, any one counts."""
    best: Comparison | None = None
    for position in _positions(table.key, reference.key):
        found = _beside(table, reference, position)
        if best is None:
            best = found
            continue
        better = best.wrong_rows & ~found.wrong_rows
        for label in best.wrong:
            best.wrong[label] = np.where(better, False, best.wrong[label])
            best.expected[label] = np.where(better, found.expected[label], best.expected[label])
        best.rounded |= found.rounded and bool(better.any())
    assert best is not None  # noqa: S101 - there is always a first position
    return best


def _positions(key: Whole, reference: Whole) -> list[Whole]:
    """Return the position in the reference of each key, -1 if there is none; again for further rows of the same key."""
    if np.array_equal(key, reference):  # a frame as it was loaded: ten times faster than the search
        return [np.arange(len(key))]
    order = np.argsort(reference, kind="stable")
    first, after = (np.searchsorted(reference, key, side, sorter=order) for side in ("left", "right"))
    order = np.append(order, -1)
    depth = max(int((after - first).max(initial=1)), 1)
    return [np.where(first + nth < after, order[np.minimum(first + nth, len(reference))], -1) for nth in range(depth)]


def _beside(table: Table, reference: Table, position: Whole) -> Comparison:
    """Compare each row of a table with the row of the reference at a position."""
    expected, wrong, rounded = {}, {}, False
    is_same_place = len(position) == len(reference.key) and np.array_equal(position, np.arange(len(position)))
    for label, values in table.columns.items():
        given = reference.columns[label]
        expected[label] = given if is_same_place else _taken(given, position)
        wrong[label], is_rounded = _differs(values, expected[label], shows_gaps=table.shows_gaps)
        rounded |= is_rounded
    return Comparison(table, expected, wrong, rounded, position >= 0)


def _taken(values: Any, position: Whole) -> Any:
    """Return the values at positions, missing where the position is -1."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return np.append(values, np.nan)[position]
    return pd.Series(values).array.take(position, allow_fill=True)


def _differs(values: Any, expected: Any, *, shows_gaps: bool) -> tuple[Flags, bool]:
    """Return True for values that are not the expected ones, and whether some are right only as rounded ones."""
    if not (is_numeric_dtype(expected.dtype) or is_datetime64_any_dtype(expected.dtype)):
        return np.asarray(_as_text(values) != _as_text(expected)), False
    given, right = numbers_of(values, expected.dtype), numbers_of(expected, expected.dtype)
    if np.array_equal(given, right, equal_nan=True):
        return np.zeros(len(given), dtype="bool"), False
    is_missing = np.isnan(given)
    kind = getattr(values.dtype, "numpy_dtype", values.dtype)
    relative = np.finfo(kind).eps if isinstance(kind, np.dtype) and kind.kind == "f" else 0
    far = _is_far(given, right, max(_CLOSE, float(relative)))
    wrong = np.where(is_missing, ~np.isnan(right) & shows_gaps, far)
    if not wrong.any() or (decimals := _decimals(given)) is None or (np.abs(np.nan_to_num(given)) <= _CLOSE).all():
        return wrong, False
    still = wrong & ~(_is_within(given, right, 0.5 * 10.0**-decimals) & ~is_missing)
    return still, bool((wrong & ~still).any())


def _is_far(given: Values, right: Values, relative: float) -> Flags:
    """Return True for numbers that differ by more than a relative tolerance, or from a missing number."""
    with np.errstate(invalid="ignore", over="ignore"):
        far: Flags = ~(np.abs(given - right) <= relative * np.maximum(1, np.abs(right))) & (given != right)
    return far


def _is_within(given: Values, right: Values, half: float) -> Flags:
    """Return True for numbers that are no further from the right ones than rounding takes them."""
    with np.errstate(invalid="ignore"):
        return np.abs(given - right) <= half * (1 + _CLOSE) + _CLOSE * np.abs(right)


def _decimals(values: Values) -> int | None:
    """Return how many decimals numbers show, from 0 to 6; None if they show more."""
    finite = values[np.isfinite(values)]
    for decimals in range(_MOST_DECIMALS + 1):
        if (np.abs(finite - np.round(finite, decimals)) <= _CLOSE * np.maximum(1, np.abs(finite))).all():
            return decimals
    return None


def numbers_of(values: Any, like: Any) -> Values:
    """Return values as numbers: a time as microseconds, and text that is no number as infinity, which is never right.

    ``like`` is the dtype of the numbers that they are compared with.
    """
    if is_datetime64_any_dtype(like):
        times = pd.to_datetime(pd.Series(values).astype("object"), errors="coerce", format="ISO8601")
        micros = times.to_numpy("M8[us]").view("int64").astype("float64")
        return np.where(times.isna(), np.where(pd.isna(values), np.nan, np.inf), micros)
    if isinstance(values, np.ndarray) and values.dtype == "float64":
        return values
    if is_numeric_dtype(values.dtype):
        return np.asarray(pd.Series(values).to_numpy("float64", na_value=np.nan))
    plain = pd.Series(values).astype("object")
    plain = plain.mask(plain == "nan")  # NaN that was converted to text
    parsed = pd.to_numeric(plain, errors="coerce").to_numpy("float64", na_value=np.nan)
    return np.where(np.isnan(parsed) & plain.notna(), np.inf, parsed)


def days_in(column: pd.Series[Any], missing: int = -(2**31)) -> Whole:
    """Return dates, perhaps as objects or ISO 8601 text, as days since 1970-01-01; ``missing`` for any other value."""
    plain = pd.Index([None if pd.isna(value) else value if isinstance(value, date) else str(value) for value in column])
    dates = (
        parsed_dates(plain, errors="coerce") if not is_datetime64_any_dtype(column.dtype) else pd.DatetimeIndex(column)
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
