"""Reads the suburbs of a request: one name, a list, a Series or an Index, as distinct names in the order given.

A Series of another library is converted to pandas without an import of that library. Whatever is no list of values,
such as a frame, a mapping or a set, is refused. Finding the column of a frame is left to frames.column, the rules for a
name to names.sal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Sequence, ValuesView
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray
from pandas.api.types import is_scalar

from suburb_pandas.errors import InvalidName, SkippedRowsWarning
from suburb_pandas.frames.column import SUBURB
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.names import sal

_LISTS: Final = (Sequence, Iterator, KeysView, ValuesView, np.ndarray, ExtensionArray, pd.Series, pd.Index)


@dataclass(frozen=True, slots=True)
class SuburbSelection:
    """The distinct suburbs of a request. ``one`` is True if a single name was given; a list of one name is a list."""

    names: tuple[str, ...]
    one: bool


def select_suburbs(suburbs: Any, call: str = "sp.rent({})", argument: str = "suburbs") -> SuburbSelection:
    """Read the argument ``suburbs`` of a loader.

    In a Series or an Index, rows without a name are skipped with a warning. ``call`` is the user's call, as messages
    show it, with ``{}`` for the argument.

    Raises
    ------
    InvalidName
        A value is not text, cannot be a name, or is missing from a list.
    TypeError
        The argument is neither text nor a list of values, as in `read_container`.
    """
    suburbs = read_container(suburbs, argument, call)
    if is_scalar(suburbs):
        return SuburbSelection((sal.check(suburbs),), one=True)
    names: Any
    if isinstance(suburbs, pd.Series | pd.Index):
        names = _present(pd.Series(suburbs, dtype=suburbs.dtype))
    else:
        names = pd.Series(list(suburbs), dtype="object")
    with suppress(TypeError):  # a value that cannot be hashed; `check` refuses it with a clear message
        names = names.unique()
    return SuburbSelection(tuple(map(sal.check, names)), one=False)


def read_container(given: Any, argument: str, call: str, label: str = SUBURB) -> Any:
    """Return a scalar or a list of values unchanged, and a Series of another library as a Series or Index of pandas.

    An array without dimensions becomes the value in it.

    Parameters
    ----------
    given
        The value of the argument.
    argument
        The name of the argument.
    call
        The user's call, with ``{}`` for the argument, as the message shows it: ``sp.rent({})``.
    label
        The label of a column in that call.

    Raises
    ------
    InvalidName
        The object is a MultiIndex.
    TypeError
        The object is anything else: a frame, ``df.suburb`` without such a column, groups, a mapping, a set.
    """
    if isinstance(given, pd.MultiIndex):
        raise InvalidName(
            "A MultiIndex has several values per row. Nothing was sent. Pass one level: index.get_level_values(0)"
        )
    if isinstance(given, np.ndarray) and not given.ndim:
        return given.item()
    if isinstance(given, _LISTS) or is_scalar(given):
        return given
    values = _of_other_library(given)
    if values is None:
        raise TypeError(
            f"{argument} must be text, a list, a Series or an Index, not {type(given).__name__}. Nothing was sent. "
            f"Pass a list or one column, as in {call.format(f'df[{label!r}]')} if only one is called {label}; "
            "df.suburb has methods for whole frames."
        )
    return values


def _of_other_library(given: Any) -> Any:
    """Return a Series of another library as a Series, or as an Index if it has no index; None if it is no Series."""
    kind = type(given)
    if hasattr(kind, "to_list"):  # polars, whose `to_pandas` needs pyarrow
        return pd.Index(given.to_list(), dtype="object")
    if hasattr(kind, "to_pandas") and not hasattr(kind, "columns"):  # pyarrow, xarray
        values = given.to_pandas()
        return pd.Index(values) if isinstance(values, pd.Series) else None
    is_one_column = hasattr(kind, "compute") and getattr(given, "ndim", None) == 1  # dask
    return given.compute() if is_one_column else None


def repeated(suburbs: object) -> tuple[str, ...]:
    """Return the names that a list, a Series or an Index holds more than once, in the order in which they repeat."""
    if isinstance(suburbs, str) or not isinstance(suburbs, Iterable):
        return ()
    given = pd.Series(list(suburbs), dtype="object").dropna()
    return tuple(given[given.duplicated()].unique())


def _present(names: pd.Series[Any]) -> pd.Series[Any]:
    """Return the names that are not missing, and warn of the rows without one."""
    missing = names.isna()
    if missing.any():
        warn_of_skipped(names.index[missing].tolist(), len(names))
    return names[~missing]


def warn_of_skipped(rows: Sequence[object], n_rows: int) -> None:
    """Warn of rows without a name. ``rows`` are their labels."""
    has, were, row = ("has", "was", "row") if len(rows) == 1 else ("have", "were", "rows")
    warn(
        f"{len(rows)} of {counted(n_rows, 'row')} {has} no suburb name and {were} skipped: {row} {listed(rows)}.",
        SkippedRowsWarning,
    )
