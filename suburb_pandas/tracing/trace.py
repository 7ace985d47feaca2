"""Traces a frame: compares its values with the responses that it can have come from, and returns these responses.

Reading and comparing the values is left to cells, series and parts, computing a frame again to recomputed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import pandas as pd
from pandas.api.types import is_numeric_dtype

from suburb_pandas.client import provenance_log
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.schema import (
    AREA_NAME,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    is_computed,
    marks_of,
    operations_of,
    suburbs_behind,
)
from suburb_pandas.messages import counted, listed
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.reading import Reading
from suburb_pandas.timeseries.selection import DateRange
from suburb_pandas.tracing.candidates import Candidates
from suburb_pandas.tracing.cells import Cells, blocks_of, first_day, has_values, read_cells, suburbs_in
from suburb_pandas.tracing.checked import WAYS_ON, Checked
from suburb_pandas.tracing.indices import ends_in_rent_index, first_difference
from suburb_pandas.tracing.parts import parts_joined_to, parts_of
from suburb_pandas.tracing.recomputed import computed_again
from suburb_pandas.tracing.records import check_records, is_same_table, lines_of
from suburb_pandas.tracing.series import check_series, is_same, reference_again
from suburb_pandas.tracing.unmarked import (
    raise_if_pivoted,
    raise_if_unmarked_index,
    raise_if_unmarked_result,
    raise_if_unread_header,
)

_GAZETTEER: Final = "gazetteer"
_OF_RENTS: Final = (*PROPERTY_TYPES, *(name for name, one in ENDPOINTS.items() if one.shape == "series"))
_OF_ROWS: Final = re.compile(r"Unnamed: \d+|index|level_\d+")
"""The columns that pandas makes of row numbers."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The responses behind a frame.

    ``lines`` yields a sorted line for each number behind the frame, each once. ``is_vouched_for`` is True if the values
    of the frame were found in the responses, or computed again from them. Otherwise the frame was made from these
    responses, but its values are not proven. ``unchecked`` are the columns of numbers that were compared with nothing.
    ``operations`` are the calls that make the frame of the responses, if they were found by computing it again.
    """

    behind: Mapping[Item, Sequence[Response]]
    lines: Callable[[], Iterable[str]] = field(repr=False)
    is_vouched_for: bool
    unchecked: Sequence[str] = ()
    operations: Sequence[str] = ()


def trace(frame: pd.DataFrame, context: RequestContext | None) -> Trace:
    """Return the responses behind a frame, among those that this process has used and those of a store or cassette.

    Raises
    ------
    ProvenanceError
        A value of the frame is in no response, or nothing says which responses are behind the frame.
    TypeError
        ``frame`` is not a frame.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(
            f"frame must be a DataFrame that a loader returned, or a part of one, not {type(frame).__name__}."
        )
    if marks_of(frame).get("endpoint") == _GAZETTEER:
        raise ProvenanceError(
            "A frame of sp.places(...) does not come from a single response, so it cannot be traced. Its column origin "
            "says where each row comes from."
        )
    _check_labels(frame)
    candidates = Candidates(frame, context)
    if is_computed(frame):
        return _computed(frame, candidates, context)
    return _received(frame, candidates)


def _check_labels(frame: pd.DataFrame) -> None:
    """Raise `ProvenanceError` if several columns of a frame have the same name, so that it is ambiguous."""
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ProvenanceError(f"This frame has several columns called {listed(repeated.unique(), str)}. {WAYS_ON}")


def _received(frame: pd.DataFrame, candidates: Candidates) -> Trace:
    """Trace a frame of values from responses, by comparing every value."""
    asked = provenance_log.behind(frame)
    raise_if_unmarked_index(frame)
    raise_if_unread_header(frame)
    if not (asked or _names_suburbs(frame) or AREA_NAME in marks_of(frame)):
        raise ProvenanceError(
            "This frame does not say which suburb its values are about: it has no column area_name, and no attrs of a "
            f"loader. If it is about one suburb, add the name: sp.cite(frame.assign(area_name=name)). {WAYS_ON}"
        )
    parts = parts_of(frame)
    checks = [*_of_series(frame, candidates), *(check_records(part, candidates) for part in parts)]
    if not checks and not asked:
        raise_if_pivoted(frame)
        raise ProvenanceError(
            "This frame has nothing that can be compared with responses: neither rents with their dates, nor drivers, "
            f"a summary or a scorecard. {WAYS_ON}"
        )
    for check in checks:
        check.raise_if_wrong()
    behind = {item: list(vintages) for check in checks for item, vintages in check.behind.items()}
    without_data = _without_data([item for item in asked if item not in behind], candidates)
    behind |= {item: [received.response] for item, received in without_data.items()}
    unchecked = _unchecked(frame, [*_OF_RENTS, *(column for part in parts for column in part.rows.columns)])
    return Trace(_by_suburb(behind, asked), lambda: _lines(checks), is_vouched_for=True, unchecked=unchecked)


def _unchecked(frame: pd.DataFrame, checked: Iterable[Hashable]) -> Sequence[str]:
    """Return the columns of numbers that were compared with nothing, such as those of the user's own."""
    if frame.columns.nlevels > 1 or frame.columns.name == AREA_NAME:
        return []
    known = {*checked, AREA_NAME}
    return [
        str(label)
        for label, dtype in frame.dtypes.items()
        if label not in known and is_numeric_dtype(dtype) and not _OF_ROWS.fullmatch(str(label))
    ]


def _by_suburb(behind: Mapping[Item, Sequence[Response]], asked: Iterable[Item]) -> Mapping[Item, Sequence[Response]]:
    """Return the responses suburb by suburb, in the order of the request; without a request, in that of the frame."""
    names = dict.fromkeys(item.area_name for item in (*asked, *behind))
    position = {name: number for number, name in enumerate(names)}
    return {item: behind[item] for item in sorted(behind, key=lambda item: position[item.area_name])}


def _lines(checks: Sequence[Checked]) -> Iterable[str]:
    """Return the sorted lines of all parts of a frame. A single part yields them, because a nation has too many."""
    return checks[0].lines() if len(checks) == 1 else sorted({line for check in checks for line in check.lines()})


def _of_series(frame: pd.DataFrame, candidates: Candidates) -> list[Checked]:
    """Compare the cells of the rent shape, if there are any, with the endpoint whose responses explain most of them."""
    blocks = blocks_of(frame)
    readings = [
        (endpoint, cells)
        for endpoint in _series_endpoints(frame)
        for cells in zip(*[read_cells(block, tidy=endpoint) for block in blocks], strict=True)
    ]
    if readings and not any(block.has_dates for _, cells in readings for block in cells):
        raise_if_pivoted(frame)
        raise ProvenanceError(
            "The rents of this frame have no dates, neither as its index nor in a column called date, so they cannot "
            f"be found in the responses. {WAYS_ON}"
        )
    checks = [check_series(cells, endpoint, candidates) for endpoint, cells in readings]
    if not checks:
        return []
    best = min(checks, key=lambda check: (check.n_wrong, len(check.unknown)))
    raise_if_unmarked_result(frame, best)
    return [best]


def _series_endpoints(frame: pd.DataFrame) -> list[str]:
    """Return the endpoints that cells of the rent shape can have come from: that of the attrs, else all series."""
    own = [name for name in endpoints_of(str(marks_of(frame).get("endpoint"))) if ENDPOINTS[name].shape == "series"]
    return own or [name for name, endpoint in ENDPOINTS.items() if endpoint.shape == "series"]


def _without_data(items: Iterable[Item], candidates: Candidates) -> Mapping[Item, Reading]:
    """Return the responses without data to a loader's request: they leave no row in its frame."""
    first = candidates.first(items)
    return {item: received for item, received in first.items() if isinstance(received.payload, Missing)}


def _computed(frame: pd.DataFrame, candidates: Candidates, context: RequestContext | None) -> Trace:
    """Trace a frame that this package computed, by computing it again. Data that were joined to it are compared."""
    items = _items_named(frame)
    first = candidates.first(items)
    behind = {item: [first[item].response] for item in items if item in first}
    parts = parts_joined_to(frame)
    joined = [check_records(part, candidates) for part in parts]
    for check in joined:
        check.raise_if_wrong()
    _raise_if_not_known(frame, items, behind)
    endpoint = items[0].endpoint if items else ""
    tried = ((calls, _computed_again(frame, calls, first, context)) for calls in _calls_to_try(frame) if behind)
    proof = next((one for one in tried if any(_is_part_of(frame, table, endpoint) for table in one[1])), None)
    if proof is None and behind:
        _raise_if_no_index_of(frame, _computed_again(frame, operations_of(frame), first, context))
    if proof is None and ("endpoint" not in marks_of(frame) or not behind):
        raise ProvenanceError(
            f"This frame was computed, and its values do not follow from the responses that are known here. {WAYS_ON}"
        )

    def lines() -> Iterable[str]:
        own = {line for item in behind for line in lines_of(item, first[item].payload)}
        return sorted(own.union(*(check.lines() for check in joined)))

    operations, again = proof or ([], [])
    own = _compared(frame, again, endpoint) if proof else frame.columns
    unchecked = _unchecked(frame, [*own, *(column for part in parts for column in part.rows.columns)])
    return Trace(_with_joined(behind, joined), lines, proof is not None, unchecked, operations)


def _calls_to_try(frame: pd.DataFrame) -> Iterator[Sequence[str]]:
    """Yield the calls that can have made a frame: its operations, then with a cut at its first date before each one.

    The attrs do not name the cut if the rents were cut by hand, or before a file that keeps no attrs. A frame without
    values proves nothing about its rents, so no cut is tried for it.
    """
    operations = operations_of(frame)
    yield operations
    day = first_day(frame)
    if day is None or not has_values(frame):
        return
    cut = DateRange(start=day, end=None).operation
    for position in range(len(operations)):
        yield [*operations[:position], cut, *operations[position:]]


def _with_joined(
    behind: Mapping[Item, Sequence[Response]], joined: Iterable[Checked]
) -> Mapping[Item, Sequence[Response]]:
    """Return the responses behind a computed frame and behind the data joined to it, each once."""
    found = {item: dict.fromkeys(vintages) for item, vintages in behind.items()}
    for check in joined:
        for item, vintages in check.behind.items():
            found.setdefault(item, {}).update(dict.fromkeys(vintages))
    return _by_suburb({item: list(vintages) for item, vintages in found.items()}, ())


def _items_named(frame: pd.DataFrame) -> list[Item]:
    """Return the items of the suburbs that a computed frame names, otherwise the items that it was attributed to."""
    (endpoint, *_) = _series_endpoints(frame)
    if AREA_NAME in frame.columns.names:
        names = list(frame.columns[frame.notna().any()].get_level_values(AREA_NAME).unique())
    else:
        names = list(suburbs_in(frame).dropna().unique())
    on_record, _, digest = suburbs_behind(frame)
    items = [Item(endpoint, str(name)) for name in names or on_record]
    return items or list(provenance_log.items_of(digest) or provenance_log.behind(frame))


def _raise_if_not_known(frame: pd.DataFrame, items: Sequence[Item], behind: Collection[Item]) -> None:
    """Raise `ProvenanceError` if the suburbs of a computed frame, or the responses about some, are not known here."""
    _, number, digest = suburbs_behind(frame)
    if digest and not items:
        raise ProvenanceError(
            f"This index was made from the rents of {counted(number, 'suburb')}, too many to be named in the attrs of "
            "a frame, and this session has not made an index of the same suburbs. Cite the rents that it was made "
            'from; or make it again, as in sp.rent_index(sp.rent(names, freq="QE")), which is free where the responses '
            "are stored, and then cite this frame."
        )
    Checked({}, list, 0, [], [item.area_name for item in items if item not in behind]).raise_if_wrong()


def _raise_if_no_index_of(frame: pd.DataFrame, again: Sequence[pd.DataFrame]) -> None:
    """Raise `ProvenanceError` if an index was computed again, and has other steps."""
    differences = [first_difference(frame, table) for table in again] if ends_in_rent_index(frame) else []
    if differences and all(differences):
        raise ProvenanceError(
            f"This index is not the one that the responses of its suburbs give: {differences[0]}. If the rents were "
            "cut or changed before the index was made, cite the rents as they were loaded, as in sp.cite(sp.rent(...)),"
            " and say in your own words what was done to them."
        )


def _computed_again(
    frame: pd.DataFrame,
    operations: Sequence[str],
    first: Mapping[Item, Reading],
    context: RequestContext | None,
) -> list[pd.DataFrame]:
    """Return what operations make of the responses behind a frame, for each property type that it can have."""
    payloads = {
        item.area_name: received.payload
        for item, received in first.items()
        if not isinstance(received.payload, Missing)
    }
    (endpoint,) = {item.endpoint for item in first}
    one = AREA_NAME in marks_of(frame) and not _names_suburbs(frame)
    found = [
        computed_again(operations, endpoint, payloads, one=one, kind=kind, context=context)
        for kind in _kinds_to_try(frame)
    ]
    return [again for again in found if again is not None]


def _kinds_to_try(frame: pd.DataFrame) -> Sequence[str | None]:
    """Return the property types that a computed table can have; None if it names its types."""
    has_types = PROPERTY_TYPE in frame.columns
    is_unnamed = bool(frame[PROPERTY_TYPE].isna().any()) if has_types else RENT in _columns_with_units(frame)
    return PROPERTY_TYPES if is_unnamed else (None,)


def _columns_with_units(frame: pd.DataFrame) -> Collection[str]:
    """Return the columns that the attrs of a computed table name, even columns that were removed since."""
    unit = marks_of(frame).get("unit")
    return unit if isinstance(unit, Mapping) else []


def _names_suburbs(frame: pd.DataFrame) -> bool:
    return AREA_NAME in [*frame.columns.names, *frame.columns, *frame.index.names]


def _is_part_of(frame: pd.DataFrame, again: pd.DataFrame, endpoint: str) -> bool:
    """Return True if each value of a frame is in the one that was computed again."""
    if not isinstance(again.index, pd.DatetimeIndex) or suburbs_in(again).isna().all():
        return is_same_table(frame, again)
    labels = [column for column in again.columns if column != AREA_NAME]
    (reference,) = read_cells(again, tidy=endpoint, labels=labels)
    return any(_is_same_cells(cells, reference) for cells in read_cells(frame, tidy=endpoint, labels=labels))


def _compared(frame: pd.DataFrame, again: Iterable[pd.DataFrame], endpoint: str) -> list[Hashable]:
    """Return the columns of a frame that are compared with those computed again; of a tidy one, only its values."""
    tables = list(again)
    is_tidy = {PROPERTY_TYPE, endpoint} <= set(frame.columns)
    if is_tidy and not any(PROPERTY_TYPE in table.columns for table in tables):
        return [endpoint]
    return [column for table in tables for column in table.columns]


def _is_same_cells(cells: Cells, reference: Cells) -> bool:
    return is_same(cells, reference_again(reference, cells.names))
