"""Writes the words that charts share: the suburbs, the source of the data, and the operations that made it.

The explanation of lines and bars is left to the modules that draw them, the arrangement of all words to composition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from suburb_pandas.client import provenance_log
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.schema import (
    AREA_NAME,
    GROUP,
    is_computed,
    is_made_up,
    marks_of,
    operations_in_words,
)
from suburb_pandas.messages import listed
from suburb_pandas.plotting.composition.colours import COLOURS
from suburb_pandas.tracing.trace import trace

_NAMED: Final = 2  # the most suburbs that a title names; of more suburbs, it has the number
_LETTERS: Final = 45  # of two names; if they are longer, the title has the number

_SOURCES: Final = {
    "embedded": "the embedded sandbox",
    "sandbox": "the property data service, under its sandbox key",
    "live": "the property data service",
}


def suburbs_in(frame: pd.DataFrame) -> list[str | None]:
    """Return the suburbs that have rows in a frame.

    A frame without a column ``area_name`` holds one suburb: its name comes from the attrs, or is None if they lack it.
    """
    if AREA_NAME not in frame.columns:
        return [marks_of(frame).get("area_name")]
    names: list[str | None] = [str(name) for name in frame[AREA_NAME].dropna().unique()]
    return names or [None]


def check_number(names: Sequence[str | None], most: int = len(COLOURS), *, of_groups: bool = False) -> None:
    """Raise ValueError if there are more suburbs, or groups of an index, than a chart takes."""
    if len(names) > most:
        what, column = ("groups", GROUP) if of_groups else ("suburbs", AREA_NAME)
        raise ValueError(
            f"This frame has {len(names)} {what}, but this kind of chart shows up to {most}. Choose some, as in "
            f"frame[frame['{column}'].isin([{listed(names[:2])}])]"
        )


def rows_of(frame: pd.DataFrame, name: str | None) -> pd.DataFrame:
    """Return the rows of one suburb; all rows if ``name`` is None or the frame has no column ``area_name``."""
    return frame if name is None or AREA_NAME not in frame.columns else frame[frame[AREA_NAME].astype(str) == name]


def missing_suburbs_note(frame: pd.DataFrame, present: Sequence[str | None]) -> str:
    """Return a sentence that names the requested suburbs that are not among those present; empty if there are none.

    A wide frame has a column for each requested suburb. For other frames, the requested suburbs are known only if the
    frame is exactly as a loader returned it. For a slice of such a frame the sentence is empty.
    """
    if present in ([], [None]):
        return ""
    if AREA_NAME in frame.columns.names:
        requested = [*map(str, frame.columns.get_level_values(AREA_NAME).unique())]
    else:
        requested = [item.area_name for item in provenance_log.behind(frame)]
    return without_data_note([name for name in requested if name not in present])


def without_data_note(names: Sequence[str]) -> str:
    """Return a sentence that names the suburbs without data; empty if there are none."""
    return f"Without data: {listed(names, str)}." if names else ""


def operations_note(frame: pd.DataFrame) -> str:
    """Return a sentence that names the operations that made a frame from the loaded data; empty if there are none."""
    operations = operations_in_words(frame)
    return f"{'Computed' if is_computed(frame) else 'Selected'} with {operations}." if operations else ""


def title_of(what: str, names: Sequence[str | None], noun: str = "suburbs") -> str:
    """Return the title of a chart: its subject, and its suburbs or groups."""
    known = [name for name in names if name is not None]
    named = " and ".join(known)
    if len(known) > _NAMED or (len(known) > 1 and len(named) > _LETTERS):
        named = f"{len(known):,} {noun}"
    return f"{what} in {named}" if named else what


def source_note(*frames: pd.DataFrame) -> str:
    """Return a sentence on the source of frames and the dates of retrieval, as far as they are known."""
    made_up = "made-up data of " if any(map(is_made_up, frames)) else ""
    named = [source for frame in frames for source in str(marks_of(frame).get("source")).split(", ")]
    sources = [_SOURCES[source] for source in dict.fromkeys(named) if source in _SOURCES]
    if not sources:
        return "The source of this data is not known." if not made_up else "Made-up data; its source is not known."
    days = sorted({time[:10] for frame in frames for time in _retrieval_times(frame, marks_of(frame))})
    when = f"retrieved {' to '.join(dict.fromkeys([days[0], days[-1]]))}" if days else "retrieval date not known"
    return f"Source: {made_up}{' and '.join(sources)}, {when}."


def _retrieval_times(frame: pd.DataFrame, marks: Mapping[str, Any]) -> Iterable[str]:
    """Return the retrieval times of the responses behind a frame; nothing if they cannot be known."""
    if "retrieved_at" in marks:
        return [marks["retrieved_at"]]
    try:
        behind = trace(frame, None).behind
    except SuburbError:
        return []
    return [vintage.retrieved_at for vintages in behind.values() for vintage in vintages]
