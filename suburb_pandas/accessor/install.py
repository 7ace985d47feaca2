"""Puts ``df.suburb`` on ``pandas.DataFrame`` without taking anything from a column called ``suburb``.

On a frame with a column of that name, ``df.suburb`` is the column, as in pandas, with the lookups attached to it. On
any other frame it is the accessor. The methods themselves are left to suburb and rents.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Hashable, Sequence
from types import MethodType
from typing import Any, Final

import pandas as pd

from suburb_pandas.accessor.suburb import LOOKUPS, SuburbAccessor
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.frames.column import SUBURB
from suburb_pandas.messages import warn

_SMALL_INDEX: Final = 1000


class SuburbAttribute:
    """The attribute ``suburb`` of ``DataFrame``: the column if there is one, otherwise the accessor.

    When pandas itself asks for it, the attribute does not exist. So ``df.suburb = ...``, ``del df.suburb``, ``eval``,
    ``agg`` and an attribute of that name on one frame run pandas' own code, with its warnings at the user's line.
    Rejected: a ``__set__`` of ours. It would be one more frame on the stack, which pandas would take for the user's,
    and it would have to decide whether to write a column, set an attribute, or warn.
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
        elif isinstance(column, pd.DataFrame):  # several columns of that name: the lookups raise, or take column=
            _attach_lookups(column, frame, column.columns)
        return column


def _asked_by_pandas() -> bool:
    """Return True if a line of pandas asks for the attribute. C code, as called from R, has no line."""
    asking = sys._getframe(1).f_back  # noqa: SLF001 - inspect.currentframe() does the same at twice the cost
    return asking is not None and str(asking.f_globals.get("__name__")).startswith("pandas.")


def install() -> None:
    """Put ``suburb`` on ``pandas.DataFrame``. A second call replaces the first one's attribute."""
    there = vars(pd.DataFrame).get(SUBURB)
    if there is not None and type(there).__module__ != __name__:
        warn(
            "suburb_pandas replaces the attribute 'suburb' that another library put on pandas.DataFrame.",
            SuburbWarning,
        )
    setattr(pd.DataFrame, SUBURB, SuburbAttribute())
    if not _columns_can_be_assigned():
        delattr(pd.DataFrame, SUBURB)
        warn(
            f"df.suburb is not there: pandas {pd.__version__} would lose what is assigned to such a column. "
            "The functions of suburb_pandas work: give them df['suburb'].",
            SuburbWarning,
        )


def _columns_can_be_assigned() -> bool:
    """Return True if pandas sets attributes as `SuburbAttribute` expects. Otherwise data would be lost silently."""
    probe = pd.DataFrame({SUBURB: [0]})
    setattr(probe, SUBURB, 1)
    return SUBURB not in vars(probe)


def _attach_lookups(column: pd.Series[Any] | pd.DataFrame, frame: pd.DataFrame, taken: Collection[Hashable]) -> None:
    """Attach the lookups to this one Series or frame, except for names that are taken.

    Its class stays pandas' own, so copies and pickles are unchanged. The lookups are bound to the frame, so that they
    find any of its columns. Rejected: binding them to the Series, which would suppress pandas' warnings of chained
    assignment; and a weak reference to the frame, which is dead too early in ``df.head().suburb.rent()``.
    """
    accessor, attributes = SuburbAccessor(frame), vars(column)
    for name in LOOKUPS:
        # An attribute that the user set stays: before pandas 3, the next `df.suburb` is the same object.
        method = getattr(accessor, name)
        if name not in taken and isinstance(attributes.get(name, method), MethodType):
            attributes[name] = method


def _row_labels(index: pd.Index[Any]) -> Sequence[str]:
    """Return the names of lookups that are row labels too. In pandas a row label is an attribute, and it wins.

    A large index is not searched, because that takes a full scan; there the lookup wins.
    """
    if index.dtype.kind != "O" or len(index) > _SMALL_INDEX:
        return ()
    return [name for name in LOOKUPS if name in index]
