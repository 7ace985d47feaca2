"""Defines a claim, a part of a frame that responses can prove, and reads the suburbs and the rows of a frame for it.

Making the claims of a frame is left to rents and rows, comparing them with responses to check.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.column import label_of
from suburb_pandas.frames.dates import Whole
from suburb_pandas.frames.marks import FrameOrSeries, marks_of
from suburb_pandas.frames.schema import AREA_NAME, DATE
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.reading import Reading
from suburb_pandas.tracing.tables import Table, days_in, key_of

Combination = tuple[Reading, ...]
"""One response of each endpoint about a suburb."""

Received = Mapping[str, Combination]
"""The responses about suburbs, by name."""

WAYS_ON: Final = (
    "Cite the frame as it was loaded, as in sp.cite(sp.rent(...)), which is free where the responses are stored; or "
    "describe in your own words what was done to this frame."
)
"""The last sentence of most errors: two ways to cite the data."""

_LOST: Final = (
    "If the frame was computed, a merge, a concat or a file such as CSV or Excel has lost how: put the attrs back, "
    'frame.attrs = computed.attrs, or save the frame as Parquet, frame.to_parquet("frame.parquet").'
)
_DAYS: Final = (DATE, "start")


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of a frame that responses can prove.

    ``names`` are its suburbs by number, ``endpoints`` those of the responses about each, and ``state`` is that of a
    look-up. ``tables`` has the table of its values; if the part does not name its property type, it has one for each
    type, of which one has to agree. ``make`` makes such a table from responses. ``columns`` are those of the frame that
    the part takes. ``is_whole`` is True if all suburbs together give each value, as in an index. ``of_values`` is True
    if the digest is that of the values, not that of all numbers in the responses. Values in the columns ``soft`` may
    differ from the responses: such a column then counts as not checked. If an optional claim differs elsewhere, all its
    columns do.
    """

    names: Sequence[str]
    endpoints: Sequence[str]
    tables: Sequence[Table] = field(repr=False)
    make: Callable[[Received], Table] = field(repr=False)
    columns: Sequence[Hashable]
    is_whole: bool = False
    of_values: bool = False
    state: str | None = None
    soft: Sequence[str] = ()
    is_optional: bool = False

    @property
    def table(self) -> Table:
        """The values; of several tables, the first."""
        return self.tables[0]

    def items_of(self, name: str) -> list[Item]:
        """Return the items of the responses about a suburb."""
        return [Item(endpoint, name, self.state) for endpoint in self.endpoints]


def ways_on(marks: Mapping[str, Any]) -> str:
    """Return the ways to cite the data of a frame with these marks; if it has none, first the ways to restore them."""
    return WAYS_ON if marks else f"{_LOST} {WAYS_ON}"


def flat(data: FrameOrSeries) -> pd.DataFrame:
    """Return a frame with its named index levels and its dates as columns, and with its suburbs in ``area_name``."""
    frame = data.to_frame() if isinstance(data, pd.Series) else data
    if isinstance(frame.index, pd.DatetimeIndex) and frame.index.name is None and DATE not in frame.columns:
        frame = frame.rename_axis(DATE)
    frame = frame.reset_index([name for name in frame.index.names if name is not None and name not in frame.columns])
    label = label_of(frame.reset_index(drop=True))
    return frame.rename(columns={label: AREA_NAME}) if label else frame


def names_of(rows: pd.DataFrame) -> pd.Series[Any]:
    """Return the suburb of each row, from ``area_name``, else the one suburb of the marks."""
    if AREA_NAME in rows.columns:
        return rows[AREA_NAME].astype("object")
    name = marks_of(rows).get(AREA_NAME)
    if name is None and len(rows):
        raise ProvenanceError(
            "This frame does not say which suburb its values are about. If it is about one suburb, add the name: "
            "frame.assign(area_name=name), or for a Series series.to_frame('house').assign(area_name=name). "
            f"{_LOST}"
        )
    return pd.Series([name] * len(rows), rows.index, dtype="object")


def numbered(names: pd.Series[Any], order: Sequence[str] | None = None) -> tuple[Whole, list[str]]:
    """Return the number of each row's suburb, -1 for none, and the suburbs in the order of their numbers."""
    texts = pd.Index(names.map(str, na_action="ignore"), dtype="object")
    known = list(dict.fromkeys(texts.dropna())) if order is None else list(order)
    return np.asarray(pd.Index(known, dtype="object").get_indexer(texts), "int64"), known


def table_of(rows: pd.DataFrame, suburb: Whole, keys: Sequence[str], columns: Sequence[str]) -> Table:
    """Return the rows of a frame as a table. The columns ``keys`` tell the rows of a suburb apart: texts, or days."""
    parts: list[Any] = []
    for key in keys:
        texts = rows[key].astype("object").where(rows[key].notna(), "").map(str)
        parts.append(days_in(rows[key]) if key in _DAYS else texts.to_numpy("object"))
    place = parts[-1] if parts else np.full(len(rows), "", dtype="object")
    return Table(suburb, key_of(suburb, parts), place, {column: rows[column].array for column in columns})


def payloads_of(received: Received) -> dict[str, Any]:
    """Return the payloads of the first endpoint, without the responses that have no data."""
    found = {name: combination[0].payload for name, combination in received.items()}
    return {name: payload for name, payload in found.items() if not isinstance(payload, Missing)}
