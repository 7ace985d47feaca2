"""Makes the claims of rents, of frames computed from them, and of tables such as that of `cadence` or an index.

Computing such frames again from responses is left to recomputed, comparing them to check.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import date
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from suburb_pandas.client import provenance_log
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.column import label_of
from suburb_pandas.frames.dates import Whole
from suburb_pandas.frames.layouts import has_unread_header
from suburb_pandas.frames.marks import (
    FrameOrSeries,
    has_operation,
    is_computed,
    marks_of,
    operations_of,
    suburbs_behind,
)
from suburb_pandas.frames.points import KEYS_PER_SUBURB
from suburb_pandas.frames.rents import Cells, read_cells
from suburb_pandas.frames.schema import (
    AREA_NAME,
    COMPARED,
    DATE,
    GROUP,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    RENT_COLUMNS,
    is_index,
    rent_columns_of,
)
from suburb_pandas.loaders.frames import long_series_frame
from suburb_pandas.messages import counted, listed
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.timeseries.growth import BASE_DETAILS
from suburb_pandas.timeseries.period_values import DETAILS
from suburb_pandas.timeseries.quality import QUALITY_UNITS
from suburb_pandas.tracing.claim import (
    WAYS_ON,
    Claim,
    Received,
    flat,
    names_of,
    numbered,
    payloads_of,
    table_of,
    ways_on,
)
from suburb_pandas.tracing.recomputed import OPERATIONS, computed_again, parsed
from suburb_pandas.tracing.tables import Table

_DETAILED: Final = {kind + end for kind in RENT_COLUMNS for end in (*DETAILS, *BASE_DETAILS)}
_COLUMNS: Final = {
    "cadence": {"cadence", "start", "end", "n_points", "n_missing"},
    "quality": {"first", "last", "cadence_now", *QUALITY_UNITS},
    "rent_index": {*RENT_COLUMNS, *COMPARED},
}
TABLES: Final[dict[str, tuple[str, ...]]] = {
    "cadence": (PROPERTY_TYPE, "start"),
    "quality": (PROPERTY_TYPE,),
    "rent_index": (GROUP, DATE),
}
"""The operations that return tables without a layout of rents, with the columns that identify a row of a suburb."""


def has_rents(data: FrameOrSeries) -> bool:
    """Return True if a frame has dates and the columns of rents, or if the index of a Series has more than suburbs."""
    if isinstance(data, pd.Series):
        return data.index.nlevels > 1 or label_of(data.to_frame("")) is None
    if has_unread_header(data):  # the reader says how to read it
        return True
    if data.columns.nlevels > 1 or data.columns.name == AREA_NAME:
        return bool({AREA_NAME, PROPERTY_TYPE} & {*data.columns.names})
    index, label = data.index, label_of(data)
    has_suburbs = label is not None and label in index.names
    is_dated = index.nlevels > 1 or not (has_suburbs or is_integer_dtype(index.dtype))
    return bool(rent_columns_of(data.columns)) and (is_dated or DATE in data.columns)


def claim_of_rents(data: FrameOrSeries, context: RequestContext | None) -> Claim:
    """Return the claim of rents as loaded, or as they were resampled or grown."""
    rents = read_cells(_dated(data))
    is_whole, endpoints = is_index(data), _endpoint_of(data)
    if is_whole and not has_operation(data, "rent_index"):
        raise ProvenanceError(f"Nothing says how this index was made. {ways_on(marks_of(data))}")
    has_details = any(call.endswith("detail=True)") for call in operations_of(data)[-1:])
    own = rents.names
    if own is None:
        own = pd.Categorical([""] if is_whole else names_of(rents.layout.plain).unique())
    labels = pd.Index([*map(str, own)], dtype="object")
    table = _table_of(rents, np.arange(len(labels)), details=has_details)

    def make(received: Received) -> Table:
        frame = long_series_frame(payloads_of(received), list(received))
        frame, how = computed_again(data, frame, endpoints[0], context)
        again = read_cells(frame)
        number = np.zeros(1, "int64")
        if again.names is not None:
            number = labels.get_indexer(pd.Index([*map(str, again.names)], dtype="object"))
        return _table_of(again, number, details=has_details)._replace(how=how)

    names = _suburbs_of_index(data) if is_whole else [*labels]
    of_layout = {"tidy": [PROPERTY_TYPE, RENT], "wide": getattr(data, "columns", [])}
    taken: list[Hashable] = [*of_layout.get(rents.layout.shape, table.columns), *_dates_and_suburbs(rents)]
    if not is_whole or _has_groups(data):
        taken.append(GROUP if is_whole else AREA_NAME)
    return Claim(names, endpoints, _by_type(table), make, taken, is_whole=is_whole, of_values=not is_computed(data))


def _has_groups(data: FrameOrSeries) -> bool:
    """Return True if a frame is an index by groups, or was computed from one."""
    return any("by" in parsed(call, OPERATIONS)[1] for call in operations_of(data))


def _by_type(table: Table) -> list[Table]:
    """Return a table; if its rents are of a type that it does not name, return one table for each property type."""
    if not any(label.startswith(RENT) for label in table.columns):
        return [table]
    columns = table.columns.items()
    return [
        table._replace(columns={label.replace(RENT, kind, 1): values for label, values in columns})
        for kind in PROPERTY_TYPES
    ]


def _dates_and_suburbs(rents: Cells) -> list[Hashable]:
    """Return the column or the level of the index that holds the dates, or the levels of a panel."""
    index, levels = rents.layout.given.index, rents.layout.levels
    if levels:
        return [
            name for name, label in zip(index.names, levels, strict=True) if label in {AREA_NAME, DATE, PROPERTY_TYPE}
        ]
    return [index.name or DATE] if isinstance(index, pd.DatetimeIndex) else [DATE]


def claim_of_table(data: FrameOrSeries, operation: str, context: RequestContext | None) -> Claim:
    """Return the claim of a table without a layout of rents, which an operation returned."""
    rows, is_whole, endpoints = flat(data), has_operation(data, "rent_index"), _endpoint_of(data)
    keys = [key for key in TABLES[operation] if key != GROUP or _has_groups(data)]
    lost = {*keys} - {*rows.columns}
    if lost and operation == "rent_index":
        raise ProvenanceError(f"This index has lost {listed(lost)}, so its rows cannot be compared. {WAYS_ON}")
    keys = [key for key in keys if key not in lost]
    keys += [AREA_NAME] if operation != "rent_index" and _has_groups(data) else []  # groups in the place of suburbs
    columns = [label for label in rows.columns if label in _COLUMNS[operation]]
    if any(label.startswith(PROPERTY_TYPES) for label in columns):  # then `rent` is a column of the user's own
        columns = [label for label in columns if not label.startswith(RENT)]
    if operation == "quality":  # a category without rows has no point, whatever the responses have
        says_something = rows[columns].ne(0) | np.array([label != "n_points" for label in columns])
        has_points = (rows[columns].notna() & says_something).any(axis=1).to_numpy()
        rows = rows[has_points] if has_points.any() else rows
    names = _suburbs_of_index(data) if is_whole else numbered(names_of(rows))[1]

    def table(frame: pd.DataFrame, columns: Sequence[str]) -> Table:
        suburb = np.zeros(len(frame), dtype="int64") if is_whole else numbered(names_of(frame), names)[0]
        return table_of(frame, suburb, keys, columns)

    def make(received: Received) -> Table:
        long = long_series_frame(payloads_of(received), list(received))
        frame, how = computed_again(data, long, endpoints[0], context)
        again = flat(frame)
        return table(again, [label for label in again.columns if label in _COLUMNS[operation]])._replace(how=how)

    is_unnamed = PROPERTY_TYPE in keys and bool(rows[PROPERTY_TYPE].isna().any())
    variants = [rows.assign(**{PROPERTY_TYPE: kind}) for kind in PROPERTY_TYPES] if is_unnamed else [rows]
    tables = [each for variant in variants for each in _by_type(table(variant, columns))]
    return Claim(names, endpoints, tables, make, [*columns, *keys, *([] if is_whole else [AREA_NAME])], is_whole)


def _dated(data: FrameOrSeries) -> FrameOrSeries:
    """Return rents with dates as index or column, without the rows that a merge adds for suburbs without rents."""
    if isinstance(data, pd.Series) or isinstance(data.index, pd.DatetimeIndex | pd.MultiIndex):
        return data
    if data.columns.nlevels > 1 or data.columns.name == AREA_NAME:
        return data
    rows = data if data.index.name in {None, DATE} else flat(data)
    empty = np.flatnonzero(rows[rent_columns_of(rows.columns)].isna().all(axis=1))
    dates = (rows[DATE] if DATE in rows.columns else rows.index.to_series()).iloc[empty]
    is_added = dates.isna() | ~dates.map(lambda value: isinstance(value, date | str)).astype("bool")
    if label := label_of(rows.reset_index(drop=True)):
        is_added |= rows[label].iloc[empty].isna().to_numpy()
    return rows.iloc[np.delete(np.arange(len(rows)), empty[is_added])] if is_added.any() else rows


def _table_of(rents: Cells, number: Whole, *, details: bool) -> Table:
    """Return the table of rents, whose suburbs get these numbers. Only a long frame shows gaps."""
    plain, cells, is_long = rents.layout.plain, rents.cells, rents.layout.shape == "long"
    if is_long:
        first = next(iter(cells.values()))
        suburb, day = first.suburb, first.day
        columns: dict[str, Any] = {kind: each.value for kind, each in cells.items()}
        columns |= {label: plain[label].array for label in plain.columns if details and label in _DETAILED}
    else:
        rows = pd.concat(
            pd.DataFrame({AREA_NAME: each.suburb, DATE: each.day, kind: each.value}) for kind, each in cells.items()
        )
        suburb, day, columns = rows[AREA_NAME].to_numpy(), rows[DATE].to_numpy(), {k: rows[k].to_numpy() for k in cells}
    suburb = number[suburb]
    return Table(suburb, suburb * KEYS_PER_SUBURB + day, day, columns, shows_gaps=is_long)


def _suburbs_of_index(data: FrameOrSeries) -> list[str]:
    """Return the suburbs behind an index of rents: those of its marks, or those that this session has logged."""
    names, number, digest = suburbs_behind(data)
    found = names or [item.area_name for item in provenance_log.items_of(digest) or provenance_log.behind(data)]
    if digest and not found:
        raise ProvenanceError(
            f"This index was made from the rents of {counted(number, 'suburb')}, too many to be named in the attrs of "
            "a frame, and this session has not made an index of the same suburbs. Cite the rents that it was made "
            'from; or make it again, as in sp.rent_index(sp.rent(names, freq="QE")), which is free where the responses '
            "are stored, and then cite this frame."
        )
    return found or [*names_of(flat(data)).dropna().unique()]


def _endpoint_of(data: FrameOrSeries) -> tuple[str, ...]:
    """Return the endpoint that rents can have come from: the one that the marks name, else ``rent``."""
    own = [name for name in endpoints_of(str(marks_of(data).get("endpoint"))) if ENDPOINTS[name].shape == "series"]
    return (*own, "rent")[:1]
