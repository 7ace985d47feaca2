"""How ``df.suburb`` gets on ``pandas.DataFrame`` without taking anything from a column called ``suburb``.

A frame with a column of that name gives the column, as pandas does, with the lookups hung on it; any other frame
gives the accessor.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Hashable, Sequence
from types import MethodType
from typing import Any, Final

import pandas as pd

from .accessor import LOOKUPS, SuburbAccessor
from .column import AREA_NAME
from .errors import NoSuburbColumn, SuburbWarning
from .messages import warn

NAME: Final = "suburb"
_SMALL_INDEX: Final = 1000


class _Glimpse:
    """What the lookups on a column remember of its frame: as little as can be.

    Rejected: a reference to the frame. Before pandas 3 a frame caches its columns, so that each frame asked for
    ``.suburb`` would be a cycle, its memory held until the garbage collector runs; and on any pandas
    ``names = pd.read_csv(path).suburb`` would hold the whole file. Rejected too: a weak reference alone, as in
    ``df.head().suburb.rent()`` nothing holds the frame any more when ``rent`` is called. A reference to the
    Series, or to a second one on the same values, would cost pandas its chained-assignment warnings and writes.
    The values alone are what the column holds anyway.
    """

    __slots__ = ("_frame", "_held", "columns", "index")

    def __init__(self, frame: pd.DataFrame, column: pd.Series[Any]) -> None:
        self.columns = frame.columns
        self.index = column.index
        self._frame = weakref.ref(frame)
        self._held = {NAME: column._values}  # noqa: SLF001 - `.array` takes eight times as long
        if AREA_NAME in self.columns and isinstance(names := frame[AREA_NAME], pd.Series):
            self._held[AREA_NAME] = names._values  # noqa: SLF001 - as above

    def __getitem__(self, label: Hashable) -> Any:
        if label in self._held:
            return pd.Series(self._held[label], index=self.index, name=label, copy=False)
        frame = self._frame()
        if frame is None or label not in frame.columns:
            raise NoSuburbColumn(
                f"The frame that had a column {label!r} is gone. Keep it in a variable: "
                f"df = ..., then df.suburb.rent(column={label!r})."
            )
        return frame[label]


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
            raise AttributeError(f"{type(frame).__name__!r} object has no attribute {NAME!r}", name=NAME, obj=frame)
        try:
            column = frame.__getattr__(NAME)
        except AttributeError:
            return SuburbAccessor(frame)
        if isinstance(column, pd.Series):
            _hang_lookups(column, frame)
        return column


def _asked_by_pandas() -> bool:
    """Whether it is a line of pandas that asks the caller for its attribute; there is none where C asks, as from R."""
    asking = sys._getframe(1).f_back  # noqa: SLF001 - what inspect.currentframe() wraps, at half its cost
    return asking is not None and str(asking.f_globals.get("__name__")).startswith("pandas.")


def install() -> None:
    """Put ``suburb`` on ``pandas.DataFrame``; a second time replaces the first."""
    there = vars(pd.DataFrame).get(NAME)
    if there is not None and type(there).__module__ != __name__:
        warn(
            "suburb_pandas replaces the attribute 'suburb' that another library put on pandas.DataFrame.",
            SuburbWarning,
        )
    setattr(pd.DataFrame, NAME, SuburbAttribute())
    if not _columns_can_be_assigned():
        delattr(pd.DataFrame, NAME)
        warn(
            f"df.suburb is not there: pandas {pd.__version__} would lose what is assigned to such a column. "
            "The functions of suburb_pandas work: give them df['suburb'].",
            SuburbWarning,
        )


def _columns_can_be_assigned() -> bool:
    """Whether pandas sets attributes the way `SuburbAttribute` relies on; else it would lose data in silence."""
    probe = pd.DataFrame({NAME: [0]})
    setattr(probe, NAME, 1)
    return NAME not in vars(probe)


def _hang_lookups(column: pd.Series[Any], frame: pd.DataFrame) -> None:
    """Hang the lookups on this one Series; its class stays pandas', so that copies and pickles are as ever."""
    accessor, attributes = SuburbAccessor(_Glimpse(frame, column)), vars(column)
    taken = _row_labels(column.index)
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
