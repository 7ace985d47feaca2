"""Reads the suburbs of a request: one name, a list, a Series or an Index, as distinct names in the order given.

Finding the column of a frame is left to frames.column, reading containers of other libraries to frames.containers, and
the rules for a name to names.sal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from suburb_pandas.errors import InvalidName, SkippedRowsWarning
from suburb_pandas.frames.containers import read_container
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.names import sal


@dataclass(frozen=True, slots=True)
class SuburbSelection:
    """The distinct suburbs of a request. ``one`` is True if a single name was given; a list of one name is a list."""

    names: tuple[str, ...]
    one: bool


def select_suburbs(suburbs: object, call: str = "sp.rent({})", argument: str = "suburbs") -> SuburbSelection:
    """Read the argument ``suburbs`` of a loader.

    In a Series or an Index, rows without a name are skipped with a warning. ``call`` is the user's call, as messages
    show it, with ``{}`` for the argument.

    Raises
    ------
    InvalidName
        A value is not text, cannot be a name, or is missing from a list.
    TypeError
        The argument is a frame, the groups of a frame, a mapping, or a set, which has no order.
    """
    suburbs = read_container(suburbs, argument, call)
    if isinstance(suburbs, pd.Series | pd.Index):
        return SuburbSelection(_unique(_present(suburbs)), one=False)
    if isinstance(suburbs, set | frozenset):
        raise TypeError("A set has no order. Nothing was sent. Pass a list: sorted(suburbs)")
    if isinstance(suburbs, Iterable) and not isinstance(suburbs, str | bytes | bytearray | memoryview):
        return SuburbSelection(_unique(suburbs), one=False)
    return SuburbSelection((sal.check(suburbs),), one=True)


def repeated(suburbs: object) -> tuple[str, ...]:
    """Return the names that a list, a Series or an Index holds more than once, in the order in which they repeat."""
    if isinstance(suburbs, str) or not isinstance(suburbs, Iterable):
        return ()
    given = pd.Series(list(suburbs), dtype="object").dropna()
    return tuple(given[given.duplicated()].unique())


def _unique(suburbs: Iterable[object]) -> tuple[str, ...]:
    """Check each distinct name and return them. A long list may hold few names, so each is checked only once."""
    given = list(suburbs)
    with suppress(TypeError):  # an unhashable value; `check` refuses it with a clear message
        given = list(dict.fromkeys(given))
    return tuple(sal.check(name) for name in given)


def _present(suburbs: pd.Series[Any] | pd.Index[Any]) -> Iterable[object]:
    """Return the distinct values that are not missing, and warn of the rows without one.

    Duplicates are dropped first, because a million rows may hold twelve names.
    """
    if isinstance(suburbs, pd.MultiIndex):
        raise InvalidName(
            "A MultiIndex has several values per row. Nothing was sent. Pass one level: index.get_level_values(0)"
        )
    try:
        values = list(suburbs.unique())
    except TypeError:  # an unhashable value, as in `_unique`
        values = list(suburbs)
    present = pd.Series(values, dtype="object").dropna()
    if len(present) < len(values):
        missing = np.asarray(suburbs.isna())
        rows = suburbs.index[missing].tolist() if isinstance(suburbs, pd.Series) else np.flatnonzero(missing).tolist()
        warn_of_skipped(rows, len(suburbs))
    return list(present)


def warn_of_skipped(rows: Sequence[object], n_rows: int) -> None:
    """Warn of rows without a name. ``rows`` are their labels."""
    has, were, row = ("has", "was", "row") if len(rows) == 1 else ("have", "were", "rows")
    warn(
        f"{len(rows)} of {counted(n_rows, 'row')} {has} no suburb name and {were} skipped: {row} {listed(rows)}.",
        SkippedRowsWarning,
    )
