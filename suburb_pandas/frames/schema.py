"""Names the columns and the units of frames, and tells what a frame holds by its marks or, without marks, its columns.

The marks themselves are left to `marks`, building frames to loaders.frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import pandas as pd

from suburb_pandas.frames.marks import FrameOrSeries, has_operation, marks_of
from suburb_pandas.sandbox.country import BY_NAME

AREA_NAME: Final = "area_name"
DATE: Final = "date"
PROPERTY_TYPE: Final = "property_type"
PROPERTY_TYPES: Final = ("house", "unit")
RENT: Final = "rent"
RENT_UNIT: Final = "AUD per week"
GROWTH_UNIT: Final = "fraction"
INDEX_UNIT: Final = "index"
COUNT_UNIT: Final = "points"
GROUP: Final = "group"
"""The column of a rent index that names the group of suburbs."""

RENT_COLUMNS: Final = (*PROPERTY_TYPES, RENT)
"""The columns that hold rents. ``rent`` is of a property type that the frame does not name."""

COMPARED_ENDS: Final = ("_n", "_share", "_bridged")
"""The ends of the columns of a rent index on what was compared, after ``house``, ``unit`` or ``rent``."""

COMPARED: Final = tuple(kind + end for kind in RENT_COLUMNS for end in COMPARED_ENDS)
"""The columns of a rent index on the suburbs compared."""


def is_made_up(frame: FrameOrSeries) -> bool:
    """Return True if the marks of a frame or its column ``source`` say that its suburbs are made up.

    Excel and CSV files lose the marks. Then a name is enough: no real suburb has the name of a made-up one.
    """
    marks = marks_of(frame)
    if marks.get("made_up") or "embedded" in {marks.get("source"), *frame.get("source", ())}:
        return True
    return not marks and not set(BY_NAME).isdisjoint(_area_names(frame))


def _area_names(data: FrameOrSeries) -> Iterable[object]:
    """Return the distinct suburbs that a frame names in a column, in its index or in a level of its columns."""
    frame = data.to_frame() if isinstance(data, pd.Series) else data
    if AREA_NAME in frame.columns:
        return pd.unique(frame[AREA_NAME])
    axis = frame.index if AREA_NAME in frame.index.names else frame.columns
    return axis.unique(AREA_NAME) if AREA_NAME in axis.names else ()


def is_of_drivers(frame: pd.DataFrame) -> bool:
    """Return True if a frame holds drivers rather than rents."""
    return "premium_dollars" in frame.columns


def is_scorecard(frame: pd.DataFrame) -> bool:
    """Return True if a frame is a scorecard, or a part of one, by its attrs or by its columns."""
    return marks_of(frame).get("endpoint") == "scorecard" or {"sales_flag", "status"} <= {*frame.columns}


def rent_columns_of(columns: Iterable[Any]) -> list[str]:
    """Return which of some columns hold rents: ``house``, ``unit``, or else ``rent``, of a type that is not named."""
    labels = set(columns)
    return [kind for kind in PROPERTY_TYPES if kind in labels] or [kind for kind in [RENT] if kind in labels]


def is_index(data: FrameOrSeries) -> bool:
    """Return True if a frame is a rent index or was computed from one, by its marks or its columns."""
    return INDEX_UNIT in units_of(data) or has_operation(data, "rent_index")


def may_hold_rents(frame: FrameOrSeries) -> bool:
    """Return True unless the values of a frame are known to be anything other than rents or an index of them."""
    return units_of(frame) <= {RENT_UNIT, INDEX_UNIT, None}


def check_rents(frame: FrameOrSeries, *, or_index: bool = True) -> None:
    """Raise ValueError if a frame is known to hold growth or counts of points, which are no levels.

    An index is accepted unless `or_index` is False. A frame of no known unit is taken for rents.
    """
    refused = {GROWTH_UNIT: "growth", COUNT_UNIT: "counts of points", **({} if or_index else {INDEX_UNIT: "an index"})}
    for unit, what in refused.items():
        if unit in units_of(frame):
            raise ValueError(f"This frame holds {what}, not rents: pass the rents that it was computed from.")


def unit_of(frame: FrameOrSeries) -> str | None:
    """Return the unit of a frame's columns of rents; None if it is not known or they differ."""
    units = units_of(frame)
    return units.pop() if len(units) == 1 else None


def units_of(frame: FrameOrSeries) -> set[str | None]:
    """Return the units of a frame's columns of rents, with None for a unit that is not known.

    The marks name the units. A rent index that has lost its marks is known by its columns on what was compared.
    """
    unit = marks_of(frame).get("unit")
    labels = [frame.name] if isinstance(frame, pd.Series) else frame.columns
    kinds = [kind for kind in RENT_COLUMNS if kind in labels]
    if unit is None and any(all(kind + end in labels for end in COMPARED_ENDS) for kind in kinds):
        return {INDEX_UNIT}
    return {unit.get(kind) for kind in kinds} if isinstance(unit, Mapping) else {unit}
