"""Owns the marks in ``attrs`` of this package's frames: their source, their unit, and the calls that made them.

They are plain JSON, so that they survive ``to_parquet``. Writing a call as text is left to `calls`, telling what a
frame without marks holds to `schema`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, TypeAlias, TypeVar

import pandas as pd

ATTRS: Final = "suburb_pandas"
SMOOTH: Final = "smooth"
"""The mark of a scorecard that names the span of the means whose growth it has."""

SELECTION: Final = "rent"
"""The operation that selects dates: ``rent(start="2021-01-01")``. Any other operation computes values."""

LONGEST_MARKS: Final = 1000  # characters of JSON

FrameOrSeries: TypeAlias = "pd.DataFrame | pd.Series[Any]"
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
_REMEMBERED: Final = 8

_recent: list[Mapping[str, Any]] = []
"""The marks of the operations that were remembered last, the newest first."""


def mark(frame: pd.DataFrame, endpoint: str, source: str, unit: Unit | None, **fields: Any) -> None:
    """Record the endpoint and the source of a frame, and the unit of its numbers if it has numbers.

    The operations that made the frame from other frames of this package are kept.
    """
    kept = {name: value for name, value in marks_of(frame).items() if name in {_OPERATIONS, _DATES}}
    frame.attrs[ATTRS] = {"endpoint": endpoint, "source": source, **({"unit": unit} if unit else {}), **fields, **kept}


def carry(frame: FrameOrSeries, result: Result, *, unit: Unit, operation: str, dates: tuple[str, str] | None) -> Result:
    """Copy the ``attrs`` of a frame to a result made from it, with its own unit and the operation that made it.

    ``dates`` are the first and the last date of the frame, so that tracing can compute the result again; None for all.
    The operations are remembered for `recent_operations`.
    """
    operations = _dated_operations(frame)
    if _OTHERS not in operations_of(frame):
        operations.append((operation, list(dates) if dates else None))
    result.attrs = deepcopy(frame.attrs)
    result.attrs[ATTRS] = _with_operations({**marks_of(result), "unit": unit}, operations)
    _remember(result)
    return result


def _remember(result: FrameOrSeries) -> None:
    """Remember the operations that made a result.

    They are of no use if the dates of the last input are not known, or the frame has no source, as one that the package
    computes for itself.
    """
    marks = marks_of(result)
    made: Mapping[str, Any] = {name: marks.get(name) for name in (_OPERATIONS, _DATES)}
    if any(input_dates_of(result)[-1:]) and marks.get("source") != "":
        _recent[:] = [made, *(others for others in _recent if others != made)][:_REMEMBERED]


def mark_suburbs(frame: pd.DataFrame, names: Sequence[str], digest: str) -> None:
    """Record from which suburbs a marked frame was made, if it does not name them; for many, their number and digest.

    The names of more than about thirty suburbs would make the marks too long.
    """
    marks = dict(marks_of(frame))
    is_short = len(json.dumps({**marks, _SUBURBS: list(names)})) < LONGEST_MARKS - _ROOM
    marks[_SUBURBS] = list(names) if is_short else {"number": len(names), "sha256": digest}
    frame.attrs[ATTRS] = _with_operations(marks, _dated_operations(frame))


def _with_operations(marks: Mapping[str, Any], operations: Sequence[tuple[str, Any]]) -> Mapping[str, Any]:
    """Return marks with the first ten operations, or fewer if they would become too long; ``...`` is for the others."""
    for number in range(min(len(operations), _MOST_OPERATIONS), -1, -1):
        shown = [*operations[:number], *[(_OTHERS, None)] * (number < len(operations))]
        found = {**marks, _OPERATIONS: [text for text, _ in shown], _DATES: [dates for _, dates in shown]}
        if len(json.dumps(found)) < LONGEST_MARKS:
            break
    return found


def recent_operations() -> list[Mapping[str, Any]]:
    """Return the marks of the operations remembered last, the newest first, because pandas drops attrs in a pivot."""
    return [*_recent]


def suburbs_behind(frame: FrameOrSeries) -> tuple[list[str], int, str]:
    """Return what the marks record of the suburbs behind a frame: their names, or none, their number and digest."""
    found = marks_of(frame).get(_SUBURBS, [])
    if isinstance(found, Mapping):
        return [], found["number"], found["sha256"]
    return [*found], len(found), ""


def mark_joined(frame: pd.DataFrame, call: str | None) -> pd.DataFrame:
    """Record which call joined data to the rows of a frame, and return the frame; None for data that is not traced."""
    if call:
        frame.attrs = {**frame.attrs, ATTRS: {**marks_of(frame), _JOINED: [*joins_of(frame), call]}}
    return frame


def joins_of(frame: FrameOrSeries) -> list[str]:
    """Return the calls that joined data to the rows of a frame."""
    return [*marks_of(frame).get(_JOINED, ())]


def is_computed(frame: FrameOrSeries) -> bool:
    """Return True if the values of a frame were computed, rather than loaded and at most selected by date."""
    return any(not operation.startswith(f"{SELECTION}(") for operation in operations_of(frame))


def has_operation(frame: FrameOrSeries, name: str) -> bool:
    """Return True if a function of this name is among the calls that made a frame."""
    return any(operation.startswith(f"{name}(") for operation in operations_of(frame))


def means_in_words(frame: FrameOrSeries) -> str:
    """Return what a scorecard's growth compares, such as ``means over 91 days``; empty if it is single values."""
    span = marks_of(frame).get(SMOOTH)
    return f"means over {str(span).removesuffix('D')} days" if span else ""


def _dated_operations(frame: FrameOrSeries) -> list[tuple[str, Any]]:
    return [*zip(operations_of(frame), input_dates_of(frame), strict=True)]


def input_dates_of(frame: FrameOrSeries) -> list[Any]:
    """Return the first and the last date of the input of each operation; None where the marks do not name them."""
    number = len(operations_of(frame))
    return [*marks_of(frame).get(_DATES, ()), *[None] * number][:number]


def operations_of(frame: FrameOrSeries) -> list[str]:
    """Return the calls that made a frame from the loaded data, the first one first."""
    return [*marks_of(frame).get(_OPERATIONS, ())]


def marks_of(frame: FrameOrSeries) -> Mapping[str, Any]:
    """Return the marks of a frame; empty if it has none."""
    marks = getattr(frame, "attrs", {}).get(ATTRS)
    return marks if isinstance(marks, Mapping) else {}
