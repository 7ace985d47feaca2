"""How ``df.suburb`` gets on ``pandas.DataFrame`` without taking anything from a column called ``suburb``.

A frame with a column of that name gives the column, as pandas does, with the lookups hung on it; any other frame
gives the accessor.
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
    """The attribute ``suburb`` of ``DataFrame``: the column where there is one, else the accessor.

    pandas itself is answered as if the attribute were not there. So ``df.suburb = ...``, ``del df.suburb``,
    ``eval``, ``agg`` and an attribute of that name on one frame are all pandas' own code, with its warnings at
    the user's line. Rejected: a ``__set__`` of ours. It is one more step on the stack, which pandas would take
    for the user's, and it has to tell apart by hand when pandas writes a column, sets an attribute, or warns.
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
            _hang_lookups(column, frame, _row_labels(column.index))
        elif isinstance(column, pd.DataFrame):  # several columns of that name: the lookups say so, or take column=
            _hang_lookups(column, frame, column.columns)
        return column


def _asked_by_pandas() -> bool:
    """Whether it is a line of pandas that asks the caller for its attribute; there is none where C asks, as from R."""
    asking = sys._getframe(1).f_back  # noqa: SLF001 - what inspect.currentframe() wraps, at half its cost
    return asking is not None and str(asking.f_globals.get("__name__")).startswith("pandas.")


def install() -> None:
    """Put ``suburb`` on ``pandas.DataFrame``; a second time replaces the first."""
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
    """Whether pandas sets attributes the way `SuburbAttribute` relies on; else it would lose data in silence."""
    probe = pd.DataFrame({SUBURB: [0]})
    setattr(probe, SUBURB, 1)
    return SUBURB not in vars(probe)


def _hang_lookups(column: pd.Series[Any] | pd.DataFrame, frame: pd.DataFrame, taken: Collection[Hashable]) -> None:
    """Hang the lookups on this one Series or frame, but for names that are taken.

    Its class stays pandas', so that copies and pickles are as ever. They are bound to the frame, so that they find any
    of its columns. Rejected: binding them to the Series, which would cost pandas its warnings of chained assignment;
    and a weak reference to the frame, which is gone too early in ``df.head().suburb.rent()``.
    """
    accessor, attributes = SuburbAccessor(frame), vars(column)
    for name in LOOKUPS:
        # What the user put there stays: before pandas 3, the next `df.suburb` is the same object.
        method = getattr(accessor, name)
        if name not in taken and isinstance(attributes.get(name, method), MethodType):
            attributes[name] = method


def _row_labels(index: pd.Index[Any]) -> Sequence[str]:
    """The lookups' names that are row labels, which in pandas are attributes too: those win.

    To ask a large index is to scan it once, so there the lookups win.
    """
    if index.dtype.kind != "O" or len(index) > _SMALL_INDEX:
        return ()
    return [name for name in LOOKUPS if name in index]
