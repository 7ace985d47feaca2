"""Defines the names of columns, the units, and the marks in ``attrs`` that the package's frames share.

The marks name the content and the source of a frame, and the calls that made it, such as ``resample(freq="QE")``. They
are plain JSON, so that they survive ``to_parquet``. Building the frames is left to loaders.frames.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from copy import deepcopy
from datetime import timedelta
from inspect import signature
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from suburb_pandas.sandbox.country import BY_NAME

AREA_NAME: Final = "area_name"
DATE: Final = "date"
PROPERTY_TYPE: Final = "property_type"
PROPERTY_TYPES: Final = ("house", "unit")
RENT: Final = "rent"
ATTRS: Final = "suburb_pandas"
RENT_UNIT: Final = "AUD per week"
GROWTH_UNIT: Final = "fraction"
INDEX_UNIT: Final = "index"
COUNT_UNIT: Final = "points"
GROUP: Final = "group"
"""The column of a rent index that names the group of suburbs."""

KINDS: Final = (*PROPERTY_TYPES, RENT)
"""The columns that hold rents. ``rent`` is of a property type that the frame does not name."""

COMPARED_ENDS: Final = ("_n", "_share", "_bridged")
"""The ends of the columns of a rent index on what was compared, after ``house``, ``unit`` or ``rent``."""

COMPARED: Final = tuple(kind + end for kind in KINDS for end in COMPARED_ENDS)
"""The columns of a rent index on the suburbs compared."""

SMOOTH: Final = "smooth"
"""The mark of a scorecard that names the span of the means whose growth it has."""

SELECTION: Final = "rent"
"""The operation that selects dates: ``rent(start="2021-01-01")``. Any other operation computes values."""

LONGEST_MARKS: Final = 1000  # characters of JSON

Rows: TypeAlias = "pd.DataFrame | pd.Series[Any]"
"""Anything of pandas that has attrs."""

Unit = str | Mapping[str, str]
"""The unit of all numbers of a frame, or of each column that holds numbers."""

Result = TypeVar("Result", pd.DataFrame, "pd.Series[Any]")

_OPERATIONS: Final = "operations"
_DATES: Final = "input_dates"
_JOINED: Final = "joined"
_SUBURBS: Final = "suburbs"
_ROOM: Final = 100  # characters that are left for the next operation
_MOST_OPERATIONS: Final = 10
_OTHERS: Final = "..."
_LONGEST_TEXT: Final = 40  # characters

_REMEMBERED: Final = 8

_recent: list[Mapping[str, Any]] = []
"""The operations of the frames that were computed last, the newest first."""


def mark(frame: pd.DataFrame, endpoint: str, source: str, unit: Unit | None, **fields: Any) -> None:
    """Record the endpoint and the source of a frame, and the unit of its numbers if it has numbers.

    The operations that made the frame from other frames of this package are kept.
    """
    kept = {name: value for name, value in marks_of(frame).items() if name in {_OPERATIONS, _DATES}}
    frame.attrs[ATTRS] = {"endpoint": endpoint, "source": source, **({"unit": unit} if unit else {}), **fields, **kept}


def carry(frame: Rows, result: Result, *, unit: Unit, operation: str, dates: tuple[str, str] | None) -> Result:
    """Copy the ``attrs`` of a frame to a result made from it, with its own unit and the operation that made it.

    ``dates`` are the first and the last date of the frame, so that tracing can compute the result again; None for all.
    The operations are remembered, unless the frame has no source, as one that the package computes for itself.
    """
    operations = _dated_operations(frame)
    if _OTHERS not in operations_of(frame):
        operations.append((operation, list(dates) if dates else None))
    result.attrs = deepcopy(frame.attrs)
    result.attrs[ATTRS] = marks = _with_operations({**marks_of(result), "unit": unit}, operations)
    made: Mapping[str, Any] = {_OPERATIONS: marks[_OPERATIONS], _DATES: marks[_DATES]}
    if dates and marks.get("source") != "":
        _recent[:] = [made, *(others for others in _recent if others != made)][:_REMEMBERED]
    return result


def recent_operations() -> list[Mapping[str, Any]]:
    """Return the marks of the operations that this session applied last, because pandas drops attrs in a pivot."""
    return [*_recent]


def _with_operations(marks: Mapping[str, Any], operations: Sequence[tuple[str, Any]]) -> Mapping[str, Any]:
    """Return marks with the first ten operations, or fewer if they would become too long; ``...`` is for the others."""
    for number in range(min(len(operations), _MOST_OPERATIONS), -1, -1):
        shown = [*operations[:number], *[(_OTHERS, None)] * (number < len(operations))]
        found = {**marks, _OPERATIONS: [text for text, _ in shown], _DATES: [dates for _, dates in shown]}
        if len(json.dumps(found)) < LONGEST_MARKS:
            break
    return found


def mark_suburbs(frame: pd.DataFrame, names: Sequence[str], digest: str) -> None:
    """Record from which suburbs a marked frame was made, if it does not name them; for many, their number and digest.

    The names of more than about thirty suburbs would make the marks too long.
    """
    marks = dict(marks_of(frame))
    is_short = len(json.dumps({**marks, _SUBURBS: list(names)})) < LONGEST_MARKS - _ROOM
    marks[_SUBURBS] = list(names) if is_short else {"number": len(names), "sha256": digest}
    frame.attrs[ATTRS] = _with_operations(marks, _dated_operations(frame))


def suburbs_behind(frame: Rows) -> tuple[list[str], int, str]:
    """Return what the marks record of the suburbs behind a frame: their names, or none, their number and digest."""
    found = marks_of(frame).get(_SUBURBS, [])
    if isinstance(found, Mapping):
        return [], found["number"], found["sha256"]
    return [*found], len(found), ""


def marks_of(frame: Rows) -> Mapping[str, Any]:
    """Return the marks of a frame; empty if it has none."""
    marks = getattr(frame, "attrs", {}).get(ATTRS)
    return marks if isinstance(marks, Mapping) else {}


def means_in_words(frame: Rows) -> str:
    """Return what a scorecard's growth compares, such as ``means over 91 days``; empty if it is single values."""
    span = marks_of(frame).get(SMOOTH)
    return f"means over {str(span).removesuffix('D')} days" if span else ""


def is_made_up(frame: Rows) -> bool:
    """Return True if the marks of a frame or its column ``source`` say that its suburbs are made up.

    Excel and CSV files lose the marks. Then a name is enough: no real suburb has the name of a made-up one.
    """
    marks = marks_of(frame)
    if marks.get("made_up") or "embedded" in {marks.get("source"), *frame.get("source", ())}:
        return True
    return not marks and not set(BY_NAME).isdisjoint(_area_names(frame))


def _area_names(data: Rows) -> Iterable[object]:
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


def operations_of(frame: Rows) -> list[str]:
    """Return the calls that made a frame from the loaded data, the first one first."""
    return [*marks_of(frame).get(_OPERATIONS, ())]


def input_dates_of(frame: Rows) -> list[Any]:
    """Return the first and the last date of the input of each operation; None where the marks do not name them."""
    number = len(operations_of(frame))
    return [*marks_of(frame).get(_DATES, ()), *[None] * number][:number]


def _dated_operations(frame: Rows) -> list[tuple[str, Any]]:
    return [*zip(operations_of(frame), input_dates_of(frame), strict=True)]


def joins_of(frame: Rows) -> list[str]:
    """Return the calls that joined data to the rows of a frame."""
    return [*marks_of(frame).get(_JOINED, ())]


def mark_joined(frame: pd.DataFrame, call: str | None) -> pd.DataFrame:
    """Record which call joined data to the rows of a frame, and return the frame; None for data that is not traced."""
    if call:
        frame.attrs = {**frame.attrs, ATTRS: {**marks_of(frame), _JOINED: [*joins_of(frame), call]}}
    return frame


def is_computed(frame: Rows) -> bool:
    """Return True if the values of a frame were computed, rather than loaded and at most selected by date."""
    return any(not operation.startswith(f"{SELECTION}(") for operation in operations_of(frame))


def is_resampled(frame: Rows) -> bool:
    """Return True if the dates of a frame are the labels of periods, by its marks."""
    return has_operation(frame, "resample")


def has_operation(frame: Rows, name: str) -> bool:
    """Return True if a function of this name is among the calls that made a frame."""
    return any(operation.startswith(f"{name}(") for operation in operations_of(frame))


def units_of(frame: Rows) -> set[str | None]:
    """Return the units of a frame's columns of rents, with None for a unit that is not known.

    The marks name the units. A rent index that has lost its marks is known by its columns on what was compared.
    """
    unit = marks_of(frame).get("unit")
    labels = [frame.name] if isinstance(frame, pd.Series) else frame.columns
    kinds = [kind for kind in KINDS if kind in labels]
    if unit is None and any(all(kind + end in labels for end in COMPARED_ENDS) for kind in kinds):
        return {INDEX_UNIT}
    return {unit.get(kind) for kind in kinds} if isinstance(unit, Mapping) else {unit}


def kinds_of(columns: Iterable[Any]) -> list[str]:
    """Return which of some columns hold rents: ``house``, ``unit``, or else ``rent``, of a type that is not named."""
    labels = set(columns)
    return [kind for kind in PROPERTY_TYPES if kind in labels] or [kind for kind in [RENT] if kind in labels]


def is_index(data: Rows) -> bool:
    """Return True if a frame is a rent index or was computed from one, by its marks or its columns."""
    return INDEX_UNIT in units_of(data) or has_operation(data, "rent_index")


def holds_levels(frame: Rows) -> bool:
    """Return True unless the values of a frame are known to be anything other than rents or an index of them."""
    return units_of(frame) <= {RENT_UNIT, INDEX_UNIT, None}


def check_rents(
    frame: Rows, instead: str = "pass the rents that it was computed from", *, or_index: bool = True
) -> None:
    """Raise ValueError if a frame is known to hold growth or counts of points, which are no levels.

    An index is accepted unless `or_index` is False. A frame of no known unit is taken for rents. `instead` ends the
    message.
    """
    refused = {GROWTH_UNIT: "growth", COUNT_UNIT: "counts of points", **({} if or_index else {INDEX_UNIT: "an index"})}
    for unit, what in refused.items():
        if unit in units_of(frame):
            raise ValueError(f"This frame holds {what}, not rents: {instead}.")


def unit_of(frame: Rows) -> str | None:
    """Return the unit of a frame's columns ``house`` and ``unit``; None if it is not known or they differ."""
    units = units_of(frame)
    return units.pop() if len(units) == 1 else None


def call_of(function: Callable[..., Any], **arguments: object) -> str:
    """Return a call of a function as text: the arguments that differ from its defaults, and the first one given.

    An argument that is neither a scalar nor a list of texts appears as its type and length: ``<Series of 300>``.
    """
    defaults = {name: parameter.default for name, parameter in signature(function).parameters.items()}
    first = next(iter(arguments), None)
    shown = [
        f"{name}={_text(value)}"
        for name, value in arguments.items()
        if _text(value) != _text(defaults.get(name)) or (name == first and value is not None)
    ]
    return f"{function.__name__}({', '.join(shown)})"


def _text(value: object) -> str:
    """Return a scalar or a list of texts as Python code; anything else, or a long text, as its type and length."""
    if isinstance(value, timedelta | np.timedelta64):
        value = f"{pd.Timedelta(value).days}D"
    elif isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if is_list or (isinstance(value, str) and len(value) <= _LONGEST_TEXT):
        return json.dumps(value, ensure_ascii=False)
    size = f" of {len(value)}" if isinstance(value, Sized) else ""
    return f"<{type(value).__name__}{size}>"
