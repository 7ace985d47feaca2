"""Finds what a frame claims, by its marks and its columns: the parts of it that responses can prove.

Making the claims is left to rents and rows, comparing them with responses to check.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Final

import pandas as pd

from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import NoSuburbColumn, ProvenanceError
from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES, Rows, joins_of, marks_of, operations_of
from suburb_pandas.loaders.frames import SUMMARY_UNITS
from suburb_pandas.service import ENDPOINTS, endpoints_of
from suburb_pandas.service.geocode import GEOCODE
from suburb_pandas.tracing.claim import Claim, flat
from suburb_pandas.tracing.recomputed import NOT_REPEATED
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

_TEXTS: Final = {"label", "detail", "evidence"}
_OF_MANY: Final = {*(f"{kind}_rent" for kind in PROPERTY_TYPES), "state", "retrieved_at", "source", "status"}
"""Columns of scorecards that frames of the user's own may have, too."""


def claims_of(data: Rows, context: RequestContext | None) -> list[Claim]:
    """Return the parts of a frame that responses can prove. A frame can have several, because data can be joined."""
    claims: list[Claim] = []
    try:
        for call in reversed(joins_of(data)):  # of two joins of the same columns, the user renamed those of the first
            claim = claim_of_join(data, call, context)
            taken = {label for each in claims for label in each.columns}
            claims += [] if taken.intersection(claim.table.columns) else [claim]
        if not claims or "endpoint" in marks_of(data):
            claims += _own_claims(data, {label for claim in claims for label in claim.columns}, context)
    except (ValueError, NoSuburbColumn) as problem:  # of a frame that no reader takes
        raise ProvenanceError(str(problem)) from None
    return [claim for claim in claims if claim.table.columns]


def _own_claims(data: Rows, taken: set[Hashable], context: RequestContext | None) -> list[Claim]:
    """Return the parts that the marks and the columns of a frame tell, without the columns that are taken."""
    operations, endpoint = operations_of(data), marks_of(data).get("endpoint")
    last = "".join(operations[-1:]).partition("(")[0]
    if last in TABLES:
        return [claim_of_table(data, last, context)]
    of_series = endpoint is None or any(ENDPOINTS[name].shape == "series" for name in endpoints_of(str(endpoint))[:1])
    claims = [claim_of_rents(data, context)] if of_series and endpoint != SCORECARD and has_rents(data) else []
    if operations and not claims:
        raise ProvenanceError(NOT_REPEATED)
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
    if of_summary := [label for label in SUMMARY_UNITS if label in found]:
        others.append(("impacts", claim_of_summary(rows, of_summary)))
    # In a frame of another endpoint, such columns may as well be of the user's own.
    is_own = endpoint is not None
    return [*claims, *(replace(claim, is_optional=is_own and name != endpoint) for name, claim in others)]
