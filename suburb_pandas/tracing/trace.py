"""Traces a frame: compares its values with the responses that it can have come from, and returns these responses.

Finding what a frame claims is left to claims, comparing a claim to check, and the digest to digest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import pandas as pd

from suburb_pandas.client import provenance_log
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.schema import AREA_NAME, ATTRS, Rows, marks_of, recent_operations
from suburb_pandas.messages import listed
from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.envelope import Missing
from suburb_pandas.timeseries.layouts import KINDS, READ_HEADERS, has_unread_header
from suburb_pandas.tracing.candidates import Candidates
from suburb_pandas.tracing.check import LOST, WAYS_ON, Checked, check
from suburb_pandas.tracing.claim import flat
from suburb_pandas.tracing.claims import claims_of

_GAZETTEER: Final = "gazetteer"
_OF_ROWS: Final = re.compile(r"Unnamed: \d+|index|level_\d+")
"""The columns that pandas makes of row numbers."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The responses behind a frame.

    ``data`` is the frame, ``checks`` are its parts beside the responses, and ``unchecked`` the columns that were
    compared with nothing.
    """

    data: Rows = field(repr=False)
    behind: Mapping[Item, Sequence[Response]]
    checks: Sequence[Checked] = field(repr=False)
    unchecked: Sequence[str] = ()

    @property
    def is_rounded(self) -> bool:
        """True if some values are those received only after rounding."""
        return any(each.is_rounded for each in self.checks)


def trace(data: Rows, context: RequestContext | None) -> Trace:
    """Return the responses behind a frame, among those that this process has used and those of a store or cassette.

    Raises
    ------
    ProvenanceError
        A value of the frame is in no response, or nothing says which responses are behind the frame.
    TypeError
        ``data`` is neither a frame nor a Series.
    """
    if not isinstance(data, pd.DataFrame | pd.Series):
        raise TypeError(
            f"frame must be a DataFrame that a loader returned, or a part of one, not {type(data).__name__}."
        )
    if marks_of(data).get("endpoint") == _GAZETTEER:
        raise ProvenanceError(
            "A frame of sp.places(...) does not come from a single response, so it cannot be traced. Its column origin "
            "says where each row comes from."
        )
    _raise_if_unreadable(data)
    try:
        return _traced(data, context)
    except ProvenanceError:
        is_pivot = isinstance(data, pd.DataFrame) and [*data.columns.names] == [AREA_NAME] and not marks_of(data)
        for marks in recent_operations() if is_pivot else ():
            marked = data.copy(deep=False)
            marked.attrs = {ATTRS: marks}
            with suppress(ProvenanceError):
                return _traced(marked, context)
        raise


def _traced(data: Rows, context: RequestContext | None) -> Trace:
    """Trace a frame that names the operations that made it."""
    candidates = Candidates(data, context)
    checks = [check(claim, candidates) for claim in claims_of(data, context)]
    asked = provenance_log.behind(data)
    if not checks and not asked:
        raise ProvenanceError(
            "This frame has nothing that can be compared with responses: neither rents with their dates, nor drivers, "
            f"a summary or a scorecard, in the columns of the package. {WAYS_ON}"
        )
    behind: dict[Item, dict[Response, None]] = {}
    for each in checks:
        for item, readings in each.behind.items():
            behind.setdefault(item, {}).update(dict.fromkeys(reading.response for reading in readings))
    for item, reading in asked.items():
        if item not in behind and isinstance(reading.payload, Missing):  # it leaves no row in the frame
            behind[item] = {reading.response: None}
    return Trace(data, _by_suburb(behind, asked), checks, _unchecked(data, checks))


def _raise_if_unreadable(data: Rows) -> None:
    """Raise `ProvenanceError` if columns have the same name, or a file lost what the frame needs."""
    if isinstance(data, pd.Series):
        return
    repeated = data.columns[data.columns.duplicated()]
    if len(repeated):
        raise ProvenanceError(f"This frame has several columns called {listed(repeated.unique(), str)}. {WAYS_ON}")
    if has_unread_header(data):
        raise ProvenanceError(f"This frame does not say which suburbs its values are about. {READ_HEADERS}")
    if marks_of(data):
        return
    is_index = any({f"{level}_n", f"{level}_share"} <= {*data.columns} for level in KINDS)
    is_joined = {"rent_date", "house_rent"} <= {*data.columns} and "house_rent_date" not in data.columns
    if is_index or is_joined:
        again = 'sp.rent_index(sp.resample(rents, "QE"))' if is_index else "df.suburb.join_rent()"
        raise ProvenanceError(
            f"This frame has the columns of {again.partition('(')[0]}, but no attrs that say how they were made. "
            f"{LOST} Or compute it again, as in {again}."
        )


def _unchecked(data: Rows, checks: Sequence[Checked]) -> list[str]:
    """Return the columns that were compared with nothing, such as those of the user's own."""
    if isinstance(data, pd.Series) or data.columns.nlevels > 1 or data.columns.name == AREA_NAME:
        return []
    known = {AREA_NAME, *(label for each in checks for label in each.claim.columns)}
    soft = [label for each in checks for label in each.unchecked]
    others = [label for label in flat(data).columns if label not in known and not _OF_ROWS.fullmatch(str(label))]
    return [*map(str, others), *soft]


def _by_suburb(behind: Mapping[Item, Iterable[Response]], asked: Iterable[Item]) -> dict[Item, list[Response]]:
    """Return the responses suburb by suburb, in the order of the request; without a request, in that of the frame."""
    names = dict.fromkeys(item.area_name for item in (*asked, *behind))
    position = {name: number for number, name in enumerate(names)}
    return {item: list(behind[item]) for item in sorted(behind, key=lambda item: position[item.area_name])}
