"""Traces a frame: compares its values with the responses that it can have come from, and says what was found.

Which values are compared is left to cells, series and parts, computing a frame again to recomputed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import pandas as pd

from suburb_pandas.client import provenance_log
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.provenance_log import Received, Vintage
from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.schema import (
    AREA_NAME,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    is_computed,
    marks_of,
    operations_of,
)
from suburb_pandas.messages import listed
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.tracing.candidates import Candidates
from suburb_pandas.tracing.cells import Cells, blocks_of, read_cells, suburbs_in
from suburb_pandas.tracing.checked import WAYS_ON, Checked
from suburb_pandas.tracing.parts import parts_joined_to, parts_of
from suburb_pandas.tracing.recomputed import computed_again
from suburb_pandas.tracing.records import check_records, is_same_table, lines_of
from suburb_pandas.tracing.series import check_series, is_same, reference_again

_GAZETTEER: Final = "gazetteer"


@dataclass(frozen=True, slots=True)
class Trace:
    """The responses behind a frame.

    ``lines`` yields a line for each number that the frame rests on, sorted, each once. ``is_vouched_for`` is True if
    the values of the frame were found in the responses, or computed again from them. Otherwise it was only made from
    them.
    """

    behind: Mapping[Item, Sequence[Vintage]]
    lines: Callable[[], Iterable[str]] = field(repr=False)
    is_vouched_for: bool


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
        raise TypeError(f"frame is a DataFrame that a loader gave, or a part of it, not {type(frame).__name__}.")
    if marks_of(frame).get("endpoint") == _GAZETTEER:
        raise ProvenanceError(
            "What is known of suburbs on this machine comes from no one response. The column origin of sp.places(...) "
            "says who knows it."
        )
    _check_labels(frame)
    candidates = Candidates(frame, context)
    if is_computed(frame):
        return _computed(frame, candidates, context)
    return _received(frame, candidates)


def _check_labels(frame: pd.DataFrame) -> None:
    """Raise `ProvenanceError` if several columns of a frame have the same name, so that neither can be meant."""
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ProvenanceError(f"This frame has several columns called {listed(repeated.unique(), str)}. {WAYS_ON}")


def _received(frame: pd.DataFrame, candidates: Candidates) -> Trace:
    """Trace a frame that holds what responses gave, by comparing every value."""
    asked = provenance_log.items_behind(frame)
    if not (asked or _names_suburbs(frame) or AREA_NAME in marks_of(frame)):
        raise ProvenanceError(
            "This frame does not say of which suburb its values are: it has no column area_name, and no attrs of a "
            f"loader. If it is of one suburb, add the name: sp.cite(frame.assign(area_name=name)). {WAYS_ON}"
        )
    checks = [*_of_series(frame, candidates), *(check_records(part, candidates) for part in parts_of(frame))]
    if not checks and not asked:
        raise ProvenanceError(
            "This frame has the values of no response: neither rents with their dates, nor drivers, a summary or a "
            f"scorecard. {WAYS_ON}"
        )
    for check in checks:
        check.raise_if_wrong()
    behind = {item: list(vintages) for check in checks for item, vintages in check.behind.items()}
    without_data = _without_data([item for item in asked if item not in behind], candidates)
    behind |= {item: [received.vintage] for item, received in without_data.items()}
    return Trace(_by_suburb(behind, asked), lambda: _lines(checks), is_vouched_for=True)


def _by_suburb(behind: Mapping[Item, Sequence[Vintage]], asked: Iterable[Item]) -> Mapping[Item, Sequence[Vintage]]:
    """Return the responses suburb by suburb, in the order in which they were asked for, else of the frame."""
    names = dict.fromkeys(item.area_name for item in (*asked, *behind))
    position = {name: number for number, name in enumerate(names)}
    return {item: behind[item] for item in sorted(behind, key=lambda item: position[item.area_name])}


def _lines(checks: Sequence[Checked]) -> Iterable[str]:
    """Return the sorted lines of all parts of a frame. Those of a nation's rents are too many to be held at once."""
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
        raise ProvenanceError(
            "The rents of this frame have no dates, neither as its index nor in a column called date, so they cannot "
            f"be found in the responses. {WAYS_ON}"
        )
    checks = [check_series(cells, endpoint, candidates) for endpoint, cells in readings]
    return [min(checks, key=lambda check: (check.n_wrong, len(check.unknown)))] if checks else []


def _series_endpoints(frame: pd.DataFrame) -> list[str]:
    """Return the endpoints from which cells of the rent shape can have come: that of the attrs, else all series."""
    own = [name for name in endpoints_of(str(marks_of(frame).get("endpoint"))) if ENDPOINTS[name].shape == "series"]
    return own or [name for name, endpoint in ENDPOINTS.items() if endpoint.shape == "series"]


def _without_data(items: Iterable[Item], candidates: Candidates) -> Mapping[Item, Received]:
    """Return the responses without data about items that a loader was asked for: they leave no row in its frame."""
    first = candidates.first(items)
    return {item: received for item, received in first.items() if isinstance(received.payload, Missing)}


def _computed(frame: pd.DataFrame, candidates: Candidates, context: RequestContext | None) -> Trace:
    """Trace a frame that this package computed, by computing it again. Data that were joined to it are compared."""
    items = _items_named(frame)
    first = candidates.first(items)
    behind = {item: [first[item].vintage] for item in items if item in first}
    joined = [check_records(part, candidates) for part in parts_joined_to(frame)]
    for check in joined:
        check.raise_if_wrong()
    is_vouched_for = len(behind) == len(items) > 0 and _is_same_again(frame, first, context)
    if not is_vouched_for and ("endpoint" not in marks_of(frame) or not behind):
        raise ProvenanceError(
            "This frame was computed, and not from responses that are known here: it differs from what they give. "
            f"{WAYS_ON}"
        )

    def lines() -> Iterable[str]:
        own = {line for item in behind for line in lines_of(item, first[item].payload)}
        return sorted(own.union(*(check.lines() for check in joined)))

    return Trace(_with_joined(behind, joined), lines, is_vouched_for)


def _with_joined(
    behind: Mapping[Item, Sequence[Vintage]], joined: Iterable[Checked]
) -> Mapping[Item, Sequence[Vintage]]:
    """Return the responses behind a computed frame and behind what was joined to it, each once."""
    found = {item: dict.fromkeys(vintages) for item, vintages in behind.items()}
    for check in joined:
        for item, vintages in check.behind.items():
            found.setdefault(item, {}).update(dict.fromkeys(vintages))
    return _by_suburb({item: list(vintages) for item, vintages in found.items()}, ())


def _items_named(frame: pd.DataFrame) -> list[Item]:
    """Return the items of the suburbs that a computed frame names, else those to which it was attributed."""
    (endpoint, *_) = _series_endpoints(frame)
    if AREA_NAME in frame.columns.names:
        names = list(frame.columns[frame.notna().any()].get_level_values(AREA_NAME).unique())
    else:
        names = list(suburbs_in(frame).dropna().unique())
    return [Item(endpoint, str(name)) for name in names] or list(provenance_log.items_behind(frame))


def _is_same_again(frame: pd.DataFrame, first: Mapping[Item, Received], context: RequestContext | None) -> bool:
    payloads = {
        item.area_name: received.payload
        for item, received in first.items()
        if not isinstance(received.payload, Missing)
    }
    (endpoint,) = {item.endpoint for item in first}
    one = AREA_NAME in marks_of(frame) and not _names_suburbs(frame)
    for kind in _kinds_to_try(frame):
        again = computed_again(operations_of(frame), endpoint, payloads, one=one, kind=kind, context=context)
        if again is not None and _is_part_of(frame, again, endpoint):
            return True
    return False


def _kinds_to_try(frame: pd.DataFrame) -> Sequence[str | None]:
    """Return the property types of which a computed table can be, if it is of one that it does not name; else None."""
    has_types = PROPERTY_TYPE in frame.columns
    is_unnamed = bool(frame[PROPERTY_TYPE].isna().any()) if has_types else {RENT, f"{RENT}_n"} <= set(frame.columns)
    return PROPERTY_TYPES if is_unnamed else (None,)


def _names_suburbs(frame: pd.DataFrame) -> bool:
    return AREA_NAME in [*frame.columns.names, *frame.columns, *frame.index.names]


def _is_part_of(frame: pd.DataFrame, again: pd.DataFrame, endpoint: str) -> bool:
    """Return True if each value of a frame is in the one that was computed again."""
    if not isinstance(again.index, pd.DatetimeIndex) or suburbs_in(again).isna().all():
        return is_same_table(frame, again)
    labels = [column for column in again.columns if column != AREA_NAME]
    (reference,) = read_cells(again, tidy=endpoint, labels=labels)
    return any(_is_same_cells(cells, reference) for cells in read_cells(frame, tidy=endpoint, labels=labels))


def _is_same_cells(cells: Cells, reference: Cells) -> bool:
    return is_same(cells, reference_again(reference, cells.names))
