"""Compares an index of rents with the one computed again from the responses of its suburbs.

An index says how rents moved, so it may have another base, and be rounded, but each of its steps has to be the same.
Computing it again is left to recomputed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import DATE, GROUP, operations_of
from suburb_pandas.timeseries.dates import Values, to_dates
from suburb_pandas.timeseries.layouts import KINDS
from suburb_pandas.tracing.cells import NO_DAY, days_of

_CLOSE: Final = 1e-9
_MOST_DECIMALS: Final = 6


def ends_in_rent_index(frame: pd.DataFrame) -> bool:
    """Return True if the last operation on the record of a frame is `rent_index`."""
    return any(operation.startswith("rent_index(") for operation in operations_of(frame)[-1:])


def first_difference(index: pd.DataFrame, again: pd.DataFrame) -> str | None:
    """Return the first value of an index that is not in line with the one computed again; None if all values are.

    Rounded values are in line. So are the levels of a series that were all multiplied by one factor, as they are in an
    index of rents that begin later. A single date has no step, so it has to have the same level.
    """
    own, reference = _dated(index), _dated(again)
    if own is None or reference is None or not set(_columns(own)) & set(_columns(reference)):
        return "it has no dates, or none of the columns of an index"
    tolerance = {column: _rounding(own[column].to_numpy("float64", na_value=np.nan)) for column in _columns(own)}
    groups = dict(_series_of(reference))
    for group, series in _series_of(own):
        candidates = [groups[group]] if group in groups else list(groups.values())
        found = [_difference(series, candidate, tolerance) for candidate in candidates]
        if all(found):
            return found[0]
    return None


def _dated(index: pd.DataFrame) -> pd.DataFrame | None:
    """Return an index with its dates as a column of days; None if it has no dates."""
    plain = index.reset_index(drop=index.index.names == [None])
    if index.columns.nlevels > 1 or DATE not in plain.columns:
        return None
    return plain.assign(**{DATE: days_of(pd.Index(plain[DATE]))})


def _columns(index: pd.DataFrame) -> list[str]:
    """Return the columns that hold the numbers of an index."""
    known = {f"{level}{suffix}" for level in KINDS for suffix in ("", "_n", "_share", "_bridged")}
    return [column for column in index.columns if column in known]


def _series_of(index: pd.DataFrame) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield the rows of each group, by its name; without names, the runs of rows in which the dates ascend."""
    if GROUP in index.columns:
        yield from ((str(group), rows) for group, rows in index.groupby(index[GROUP].astype("str"), sort=False))
    else:
        runs = (index[DATE].diff() <= 0).cumsum()
        yield from (((None, number), rows) for number, (_, rows) in enumerate(index.groupby(runs)))


def _difference(own: pd.DataFrame, again: pd.DataFrame, tolerance: dict[str, float]) -> str | None:
    """Return the first value of a series that is not in line with another one, as text."""
    expected = again.drop_duplicates(DATE).set_index(DATE).reindex(own[DATE])
    days, is_rebased = own[DATE].to_numpy(), False
    for column in sorted(set(_columns(own)) & set(expected.columns), key=lambda label: label not in KINDS):
        values, reference = (table[column].to_numpy("float64", na_value=np.nan) for table in (own, expected))
        if column in KINDS:
            factor = _factor(values, reference, tolerance[column])
            is_rebased |= factor != 1
        elif is_rebased:  # the step to its first date, and the suburbs that have no later rows, are not compared
            continue
        else:
            factor = 1.0
        wrong = _is_off(values, reference * factor, tolerance[column])
        if wrong.any():
            row = int(np.argmax(wrong))
            when = "a missing date" if days[row] == NO_DAY else str(to_dates(days[row : row + 1])[0])
            return f"{column} on {when} is {values[row]:g}, but the responses give {reference[row] * factor:g}"
    return None


def _factor(values: Values, reference: Values, tolerance: float) -> float:
    """Return the factor of another base: 1 if the levels are the same, or if there is no step to compare."""
    ratios = values / reference
    ratios = ratios[np.isfinite(ratios)]
    if len(ratios) < 2 or not _is_off(values, reference, tolerance).any():  # noqa: PLR2004 - a step has two ends
        return 1.0
    lowest, highest = ((values + sign * tolerance) / reference for sign in (-1, 1))
    low, high = float(np.nanmax(lowest)), float(np.nanmin(highest))
    return (low + high) / 2 if low <= high * (1 + _CLOSE) else float(np.median(ratios))


def _is_off(values: Values, expected: Values, tolerance: float) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return True for values that differ by more than rounding explains, and where only one of the two is missing."""
    is_missing = np.isnan(values) | np.isnan(expected)
    distance = np.abs(np.where(is_missing, 0, values - expected))
    is_far = distance > tolerance + 2 * _CLOSE * np.abs(np.where(is_missing, 0, expected))
    return np.where(is_missing, np.isnan(values) != np.isnan(expected), is_far)


def _rounding(values: Values) -> float:
    """Return half of the last decimal that any of the values has; 0 if they have more than six."""
    finite = values[np.isfinite(values)]
    for decimals in range(_MOST_DECIMALS + 1):
        if (np.abs(finite - np.round(finite, decimals)) <= _CLOSE * np.maximum(1, np.abs(finite))).all():
            return 0.5 * 10.0**-decimals
    return 0.0
