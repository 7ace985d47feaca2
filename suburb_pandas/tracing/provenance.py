"""Traces a frame: compares its values with the responses that it can have come from, and returns these responses.

The marks and the columns of a frame decide which claims are made. Making the claims is left to rents and rows,
comparing a claim with responses to check.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pandas as pd
from msgspec.structs import asdict
from pandas.api.types import is_integer_dtype

from suburb_pandas.client import provenance_log
from suburb_pandas.client.client import Client
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import NoSuburbColumn, ProvenanceError
from suburb_pandas.frames.column import label_of
from suburb_pandas.frames.marks import ATTRS, FrameOrSeries, joins_of, marks_of, operations_of, recent_operations
from suburb_pandas.frames.schema import AREA_NAME, DATE, PROPERTY_TYPES
from suburb_pandas.loaders.frames import SUMMARY_UNITS, UTC_TIME, table
from suburb_pandas.messages import listed
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Item, Response
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.geocode import GEOCODE
from suburb_pandas.tracing.check import Candidates, Checked, check
from suburb_pandas.tracing.claim import WAYS_ON, Claim, flat, ways_on
from suburb_pandas.tracing.rents import TABLES, claim_of_rents, claim_of_table, has_rents
from suburb_pandas.tracing.rows import (
    SCORECARD,
    claim_of_candidates,
    claim_of_card,
    claim_of_drivers,
    claim_of_join,
    claim_of_summary,
    columns_of_cards,
)

_GAZETTEER: Final = "gazetteer"
_OF_ROWS: Final = re.compile(r"Unnamed: \d+|index|level_\d+")
"""The columns that pandas makes of row numbers."""

_TEXTS: Final = {"label", "detail", "evidence"}
_OF_MANY: Final = {*(f"{kind}_rent" for kind in PROPERTY_TYPES), "state", "retrieved_at", "source", "status"}
"""Columns of scorecards that a user's own frame may have, too."""

_DTYPES: Final = {
    "endpoint": "str",
    "retrieved_at": UTC_TIME,
    "source": "str",
    "cents": "int64",
    "sha256": "str",
    "request_id": "str",
}


def provenance(frame: FrameOrSeries, *, client: Client | None = None) -> pd.DataFrame:
    """Check a frame value by value, and return the responses behind it. No call is made.

    Every value of rents, of drivers, of a summary or of a scorecard is compared with the responses that it could have
    come from: those of its loader, those that this process has used, and those in the store or on the cassette in use.
    It makes no difference if rows or columns are missing, if their order, dtype or layout has changed, or if the frame
    was saved to a file and read back. A rent that is NaN where the response has a number is refused in a long frame or
    a panel; in a wide or tidy one, it is no value. The column of suburbs is found as ``df.suburb`` finds it. Columns
    that no response has are not compared.

    If the attrs of a frame name operations, such as ``resample``, the frame is computed again from the responses, which
    are cut before each operation to the dates of its input. Columns that ``df.suburb.join_rent``, ``join_impacts`` and
    ``join_scorecard`` added are joined again. Numbers are compared with a tolerance of 1e-9. They may be rounded to the
    decimals that their column shows, from 0 to 6, unless that leaves nothing but zeros. A frame that cannot be computed
    again is refused, such as an index with your own weights, or one with values that were changed before or after an
    operation.

    Files such as CSV keep no attrs. Rents, drivers, summaries and scorecards that were read from one are compared all
    the same. Frames that were computed from rents are refused, so save them as Parquet.

    Parameters
    ----------
    frame
        A frame or a Series that a loader returned or that this package computed, or a part of one; or a frame of your
        own with joined columns.
    client
        The client to use instead of the default one; its store is searched.

    Returns
    -------
    pandas.DataFrame
        One row for each response, index ``area_name``: ``endpoint``, ``retrieved_at`` (datetime64, in UTC without a
        time zone), ``source``, ``cents`` (int64, the price of the response when it was bought), ``sha256`` (of its
        body), ``request_id``. A scorecard has two rows for each suburb.

    Raises
    ------
    ProvenanceError
        A value of the frame is in no response, the frame cannot be computed again, or nothing says which responses are
        behind it.
    TypeError
        ``frame`` is neither a frame nor a Series.

    See Also
    --------
    cite : Cite the data in a frame.
    vintages : Return the stored responses of a suburb.

    Examples
    --------
    >>> sp.provenance(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"]))["cents"].to_list()
    [0, 0]
    """
    behind = trace(frame, request_context(client)).behind
    pairs = [(item, response) for item, responses in behind.items() for response in responses]
    result = table([{"endpoint": item.endpoint, **asdict(response)} for item, response in pairs], _DTYPES)
    return result.set_index(pd.Index([item.area_name for item, _ in pairs], dtype="str", name=AREA_NAME))


@dataclass(frozen=True, slots=True)
class Trace:
    """The responses behind a frame.

    ``data`` is the frame, ``checks`` are its parts beside the responses, and ``unchecked`` the columns that were not
    checked.
    """

    data: FrameOrSeries = field(repr=False)
    behind: Mapping[Item, Sequence[Response]]
    checks: Sequence[Checked] = field(repr=False)
    unchecked: Sequence[str] = ()

    @property
    def is_rounded(self) -> bool:
        """True if some values agree with the responses only after rounding."""
        return any(each.found.is_rounded.any() for each in self.checks)


def trace(data: FrameOrSeries, context: RequestContext | None) -> Trace:
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
            f"frame must be a DataFrame or Series of data that a loader returned, not {type(data).__name__}."
        )
    if marks_of(data).get("endpoint") == _GAZETTEER:
        raise ProvenanceError(
            "A frame of sp.places(...) does not come from a single response, so it cannot be traced. Its column origin "
            "says where each row comes from."
        )
    try:
        if isinstance(data, pd.DataFrame) and not data.columns.is_unique:
            repeated = data.columns[data.columns.duplicated()].unique()
            raise ProvenanceError(f"This frame has several columns called {listed(repeated, str)}. {WAYS_ON}")
        return _traced_if_pivoted(data, context)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
        raise ProvenanceError(
            f"This frame or its attrs are not as this package writes them, so it cannot be compared: {problem!r}. "
            f"{WAYS_ON}"
        ) from None


def _traced_if_pivoted(data: FrameOrSeries, context: RequestContext | None) -> Trace:
    """Trace a frame; a pivot, whose attrs pandas drops, also by the operations that this session applied last."""
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


def _traced(data: FrameOrSeries, context: RequestContext | None) -> Trace:
    """Trace a frame by its marks and its columns."""
    candidates, asked, checks = Candidates(data, context), provenance_log.behind(data), []
    for claim in claims_of(data, context):
        with suppress(ProvenanceError) if claim.is_optional else nullcontext():
            checks.append(check(claim, candidates))
    if not checks:
        raise ProvenanceError(
            "This frame has nothing that can be compared with responses: neither rents with their dates, nor drivers, "
            f"a summary or a scorecard, in the columns of the package. {ways_on(candidates.marks)}"
        )
    behind: dict[Item, dict[Response, None]] = {}
    for each in checks:
        for item, readings in each.behind.items():
            behind.setdefault(item, {}).update(dict.fromkeys(reading.response for reading in readings))
    for item, reading in asked.items():
        if isinstance(reading.payload, Missing):  # it leaves no row in the frame
            behind[item] = {reading.response: None}
    return Trace(data, _by_suburb(behind, asked), checks, _unchecked(data, checks))


def _unchecked(data: FrameOrSeries, checks: Sequence[Checked]) -> list[str]:
    """Return the columns and levels that were not checked, such as the user's own.

    A level or a column that numbers the rows is left out. If a level has the label of a column, the level was not read.
    """
    known = {label for each in checks for label in each.claim.columns}
    columns: Any = () if isinstance(data, pd.Series) else data.columns
    if AREA_NAME in known and isinstance(data, pd.DataFrame):
        with suppress(NoSuburbColumn):
            known |= {label_of(data) or AREA_NAME}
    unread = []
    for at, name in enumerate(data.index.names):
        level = data.index.get_level_values(at)
        label = DATE if name is None and isinstance(level, pd.DatetimeIndex) else name
        if (label not in known or label in columns) and not (label is None and is_integer_dtype(level.dtype)):
            unread.append(str(label or "unnamed level"))
    unread += [str(label) for label in columns if label not in known and not _are_row_numbers(label, data[label])]
    return [*unread, *(label for each in checks for label in each.unchecked)]


def _are_row_numbers(label: Hashable, values: pd.Series[Any]) -> bool:
    """Return True if a column is named as pandas names row numbers, and has them."""
    return _OF_ROWS.fullmatch(str(label)) is not None and np.array_equal(values, np.arange(len(values)))


def _by_suburb(behind: Mapping[Item, Iterable[Response]], asked: Iterable[Item]) -> dict[Item, list[Response]]:
    """Return the responses suburb by suburb, in the order of the request; without a request, in that of the frame."""
    names = dict.fromkeys(item.area_name for item in (*asked, *behind))
    position = {name: number for number, name in enumerate(names)}
    return {item: list(behind[item]) for item in sorted(behind, key=lambda item: position[item.area_name])}


def claims_of(data: FrameOrSeries, context: RequestContext | None) -> list[Claim]:
    """Return the parts of a frame that responses can prove. A frame can have several, because data can be joined."""
    claims: list[Claim] = []
    try:
        for call in reversed(joins_of(data)):  # if two joins added the same columns, the user renamed the first ones
            taken = {label for each in claims for label in each.columns}
            claim = claim_of_join(data, call, context)
            claims[:0] = [] if claim is None or taken.intersection(claim.table.columns) else [claim]
        if not claims or "endpoint" in marks_of(data):
            claims[:0] = _own_claims(data, {label for claim in claims for label in claim.columns}, context)
    except (ValueError, NoSuburbColumn) as problem:  # of a frame that no reader takes
        raise ProvenanceError(str(problem)) from None
    return [claim for claim in claims if claim.table.columns]


def _own_claims(data: FrameOrSeries, taken: set[Hashable], context: RequestContext | None) -> list[Claim]:
    """Return the claims that follow from the marks and the columns of a frame, without the columns that are taken."""
    operations, endpoint = operations_of(data), marks_of(data).get("endpoint")
    last = "".join(operations[-1:]).partition("(")[0]
    if last in TABLES:
        return [claim_of_table(data, last, context)]
    of_series = endpoint is None or any(ENDPOINTS[name].shape == "series" for name in endpoints_of(str(endpoint))[:1])
    claims = [claim_of_rents(data, context)] if of_series and endpoint != SCORECARD and has_rents(data) else []
    if operations and not claims:  # it has lost its rents or their dates
        return []
    if isinstance(data, pd.DataFrame) and (data.columns.nlevels > 1 or data.columns.name == AREA_NAME):
        return claims
    rows = flat(data)
    if endpoint == GEOCODE:
        return [claim_of_candidates(rows)]
    taken |= {label for claim in claims for label in claim.columns}
    rows = rows.drop(columns=[label for label in rows.columns if label in taken and label != AREA_NAME])
    found, others = {*rows.columns}, []
    for name, one in ENDPOINTS.items():
        if one.shape == "rows" and found & ({*one.columns} - _TEXTS):
            others.append((name, claim_of_drivers(rows, name)))
    of_cards = {*columns_of_cards()}
    if endpoint == SCORECARD or found & (of_cards - _OF_MANY - {*SUMMARY_UNITS}):
        others.append((SCORECARD, claim_of_card(rows, context)))
        found -= of_cards
    if of_summary := [label for label in SUMMARY_UNITS if label in found]:
        others.append(("impacts", claim_of_summary(rows, of_summary)))
    # In a frame of another endpoint, such columns may as well be of the user's own.
    is_own = endpoint is not None
    return [*claims, *(replace(claim, is_optional=is_own and name != endpoint) for name, claim in others)]
