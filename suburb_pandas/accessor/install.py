"""Installs ``df.suburb`` on ``pandas.DataFrame``. A column called ``suburb`` still behaves as an ordinary column.

On a frame with such a column, ``df.suburb`` is the column, as in pandas, with the lookup methods attached to it. On any
other frame it is the accessor. The methods themselves are left to suburb and rents.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Hashable, Sequence
from types import MethodType
from typing import Any, Final

import pandas as pd

from suburb_pandas.accessor.suburb import COLUMN_HELP, LOOKUPS, SuburbAccessor
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.frames.column import SUBURB
from suburb_pandas.messages import warn

_SMALL_INDEX: Final = 1000


class SuburbAttribute:
    """The attribute ``suburb`` of ``DataFrame``: the column if there is one, otherwise the accessor.

    The attribute is hidden from pandas' own code. So pandas handles ``df.suburb = ...``, ``del df.suburb``, ``eval``
    and ``agg`` in its own way, and its warnings point to the user's line. Rejected: a ``__set__`` in this class. pandas
    would take the stack frame of ``__set__`` for the user's line, and ``__set__`` would have to decide whether to write
    a column, set an attribute or warn.
    """

    def __get__(self, frame: pd.DataFrame | None, _owner: type[pd.DataFrame] | None = None) -> Any:
        if frame is None:
            return SuburbAccessor
        if _asked_by_pandas():
            raise AttributeError(f"{type(frame).__name__!r} object has no attribute {SUBURB!r}", name=SUBURB, obj=frame)
        try:
            column = frame.__getattr__(SUBURB)
        except AttributeError:
            return SuburbAccessor(frame)
        if isinstance(column, pd.Series):
            _attach_lookups(column, frame, _row_labels(column.index))
        elif isinstance(column, pd.DataFrame):  # several columns of that name: the lookups need column=
            _attach_lookups(column, frame, column.columns)
        return column


def _asked_by_pandas() -> bool:
    """Return True if pandas' own code reads the attribute. A caller in C, such as R's bridge, has no frame."""
    caller = sys._getframe(1).f_back  # noqa: SLF001 - inspect.currentframe() does the same at twice the cost
    return caller is not None and str(caller.f_globals.get("__name__")).startswith("pandas.")


def install() -> None:
    """Put ``suburb`` on ``pandas.DataFrame``. A second call replaces the attribute of the first."""
    existing = vars(pd.DataFrame).get(SUBURB)
    if existing is not None and type(existing).__module__ != __name__:
        warn(
            "suburb_pandas replaces the attribute 'suburb' that another library put on pandas.DataFrame.",
            SuburbWarning,
        )
    setattr(pd.DataFrame, SUBURB, SuburbAttribute())
    if not _columns_can_be_assigned():
        delattr(pd.DataFrame, SUBURB)
        warn(
            f"df.suburb is not available, because pandas {pd.__version__} would lose values that are assigned to a "
            'column called suburb. Use the functions of the package instead, as in sp.rent(df["suburb"])',
            SuburbWarning,
        )


def _columns_can_be_assigned() -> bool:
    """Return True if pandas sets attributes as `SuburbAttribute` expects. Otherwise data would be lost silently."""
    probe = pd.DataFrame({SUBURB: [0]})
    setattr(probe, SUBURB, 1)
    return SUBURB not in vars(probe)


def _attach_lookups(column: pd.Series[Any] | pd.DataFrame, frame: pd.DataFrame, taken: Collection[Hashable]) -> None:
    """Attach the lookups to this one object, except those with a name in ``taken``.

    The object keeps its pandas class, so copies and pickles are unchanged. The lookups are bound to the frame, so that
    they find any of its columns. Rejected: binding them to the Series, which would suppress pandas' warnings of chained
    assignment; and a weak reference to the frame, which would die too early in ``df.head().suburb.rent()``.

    Help on the object (``df.suburb?``) begins with the lookups. The help of its class is still pandas' own.
    """
    accessor, attributes = SuburbAccessor(frame), vars(column)
    if isinstance(column, pd.Series):
        attributes.setdefault("__doc__", COLUMN_HELP)
    for name in LOOKUPS:
        # An attribute that the user set is kept: before pandas 3, every `df.suburb` returns the same Series.
        method = getattr(accessor, name)
        if name not in taken and isinstance(attributes.get(name, method), MethodType):
            attributes[name] = method


def _row_labels(index: pd.Index[Any]) -> Sequence[str]:
    """Return the names of lookups that are also row labels. They stay attributes that return a row, as in pandas.

    A large index is not searched, because that takes a full scan. There the lookup takes precedence.
    """
    if index.dtype.kind != "O" or len(index) > _SMALL_INDEX:
        return ()
    return [name for name in LOOKUPS if name in index]
