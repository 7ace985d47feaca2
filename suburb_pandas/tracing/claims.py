"""Finds what a frame claims, by its marks and its columns: the parts of it that responses can prove.

Making the claims is left to rents and rows, comparing them with responses to check.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import pandas as pd

from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import NoSuburbColumn, ProvenanceError
from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES, Rows, joins_of, marks_of, operations_of
from suburb_pandas.loaders.frames import SUMMARY_UNITS
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.geocode import GEOCODE
from suburb_pandas.tracing.claim import Claim, flat
from suburb_pandas.tracing.recomputed import JOINS, parsed
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
        if isinstance(data, pd.DataFrame) and data.columns.nlevels == 1:
            claims += [claim_of_join(data, parsed(call, JOINS), context) for call in joins_of(data)]
        if not claims or "endpoint" in marks_of(data):
            claims += _own_claims(data, {label for claim in claims for label in claim.columns}, context)
    except (ValueError, NoSuburbColumn) as problem:  # of a frame that no reader takes
        raise ProvenanceError(str(problem)) from None
    return [claim for claim in claims if any(table.columns for table in claim.tables.values())]


def _own_claims(data: Rows, taken: set[Hashable], context: RequestContext | None) -> list[Claim]:
    """Return the parts that the marks and the columns of a frame tell, without the columns that are taken."""
    last = "".join(operations_of(data)[-1:]).partition("(")[0]
    if last in TABLES:
        return [claim_of_table(data, last, context)]
    claims = [claim_of_rents(data, context)] if has_rents(data) else []
    if isinstance(data, pd.DataFrame) and (data.columns.nlevels > 1 or data.columns.name == AREA_NAME):
        return claims
    rows = flat(data)
    if marks_of(data).get("endpoint") == GEOCODE:
        return [claim_of_candidates(rows)]
    taken |= {label for claim in claims for label in claim.columns}
    rows = rows.drop(columns=[label for label in rows.columns if label in taken and label != AREA_NAME])
    found = {*rows.columns}
    for name, one in ENDPOINTS.items():
        if one.shape == "rows" and found & ({*one.columns} - _TEXTS):
            claims.append(claim_of_drivers(rows, name))
    of_cards = {*columns_of_cards()}
    if marks_of(data).get("endpoint") == SCORECARD or found & (of_cards - _OF_MANY - {*SUMMARY_UNITS}):
        claims.append(claim_of_card(rows, context))
        found -= of_cards
    of_summary = [label for label in SUMMARY_UNITS if label in found]
    return [*claims, *([claim_of_summary(rows, of_summary)] if of_summary else [])]
