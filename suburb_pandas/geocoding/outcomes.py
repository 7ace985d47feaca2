"""Shows the outcome of a request: names, a frame of rules and evidence, and warnings of doubtful rows.

The errors for rows that were not resolved are left to problems.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import SuburbError, SuburbWarning
from suburb_pandas.frames.column import is_common
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.messages import counted, joined, warn
from suburb_pandas.names import sal
from suburb_pandas.names.evidence import Evidence, Says
from suburb_pandas.names.matching import Fit
from suburb_pandas.names.written import Query, fold_region, without_council_kind

_COLUMNS: Final = (AREA_NAME, "rule", "confirmed_by", "not_confirmed", "edition", "problem", "candidates")
_SHOWN: Final = 5
_COUNCILS: Final = re.compile(r"(lga|council|local_government)(_?area)?(_?name)?(_?\d{2,4})?", re.IGNORECASE)
_FEWEST: Final = 5  # texts; a few suburbs have the name of a council

Rows = Sequence[Query | None]
"""The query of each row, None for a row without one."""


class Resolved(NamedTuple):
    """The name of a query, the rule that gave it, and how the suburb fits."""

    area_name: str
    rule: str
    fit: Fit | None = None


class Problem(NamedTuple):
    """Why a query has no name, in a word, and its error.

    ``names`` are those from which a person can choose, likely ones first. ``advice`` is what to do about all queries of
    a request that have this problem.
    """

    kind: str
    error: SuburbError
    names: tuple[str, ...] = ()
    advice: str = ""


class Outcome(NamedTuple):
    """The outcome of each query of a request, the most that its look-ups may have cost, and the error that ended it."""

    resolved: dict[Query, Resolved]
    problems: dict[Query, Problem]
    cents: int
    stopped: SuburbError | None


def series(rows: Rows, index: pd.Index[Any], outcome: Outcome) -> pd.Series[str]:
    """Return the name of each row, NA for a row that was not resolved."""
    resolved = outcome.resolved
    names = [resolved[query].area_name if query in resolved else np.nan for query in rows]
    return pd.Series(names, index=index, dtype="str", name=AREA_NAME)


def frame(rows: Rows, index: pd.Index[Any], outcome: Outcome) -> pd.DataFrame:
    """Return how each row was resolved: columns of text, NA where a column does not apply."""
    nothing = [""] * 5
    cells: dict[Query | None, list[str]] = {None: [*nothing, "missing", ""]}
    for query, (name, rule, fit) in outcome.resolved.items():
        evidence = [_parts(fit, Says.CONFIRMS), _parts(fit, Says.NOTHING), fit.place.edition or ""] if fit else nothing
        cells[query] = [name, rule, *evidence[:3], "", ""]
    for query, one in outcome.problems.items():
        cells[query] = [*nothing, one.kind, "; ".join(one.names)]
    shown = pd.DataFrame([cells[query] for query in rows], index=index, columns=_COLUMNS, dtype="str")
    return shown.mask(shown == "")


def _parts(fit: Fit, says: Says) -> str:
    """Return the parts of a query whose comparison with the suburb had this result, with their values."""
    parts = []
    for kind in _kinds(fit, says):
        for one in (fit.reading, fit.beside):
            values = one.regions if kind == "region" else [getattr(one, kind)]
            parts += [f"{kind} {value}" for value in values if value]
    return "; ".join(dict.fromkeys(parts))


def _kinds(fit: Fit, says: Says) -> list[str]:
    """Return the parts of a query whose comparison with the suburb had this result: state, postcode or region."""
    return [kind for kind, result in fit.evidence._asdict().items() if result is says]


def warn_of_unchecked(context: RequestContext, rows: Rows, outcome: Outcome) -> None:
    """Warn of resolved rows with a state, postcode or region that nothing known here could confirm or contradict."""
    fits = {query: one.fit for query, one in outcome.resolved.items() if one.fit and Says.NOTHING in one.fit.evidence}
    unchecked = {query: kinds for query, fit in fits.items() if (kinds := _unchecked(fit))}
    if not unchecked:
        return
    number = sum(query in unchecked for query in rows)
    kinds = [kind for kind in Evidence._fields if any(kind in one for one in unchecked.values())]
    line = known_names.line_that_loads(context, {"lga" if kind == "region" else kind for kind in kinds})
    how = "The loaded files do not have it for these suburbs."
    if line:
        how = f"To check it, download the ABS's free files from abs.gov.au (ASGS Edition 3), and run {line}"
    warn(
        f"In {number} of {counted(len(rows), 'row')}, a {joined(kinds, 'or')} could not be checked here and was "
        f"ignored: {joined(map(quoted, unchecked), most=_SHOWN)}. {how}",
        SuburbWarning,
    )


def _unchecked(fit: Fit) -> list[str]:
    """Return the parts of a query that were not checked, without a postcode that no suburb has, as for post boxes."""
    return [kind for kind in _kinds(fit, Says.NOTHING) if kind != "postcode" or fit.place.postcode is None]


def warn_if_councils(context: RequestContext, queries: Collection[Query], label: Hashable) -> None:
    """Warn if the queries of a column with this label may be councils: by the label, or by most of the texts.

    A text with the kind of a council, as in ``Parramatta (C)``, is the name of one. A text with a postcode is not.
    """
    called, texts = str(label).replace(" ", "_"), list(dict.fromkeys(query.text for query in queries))
    fewest = 1 if _COUNCILS.fullmatch(called) else _FEWEST
    if called == AREA_NAME or is_common(called) or len(texts) < fewest:
        return
    suburb_in = known_names.gazetteer_of(context).suburb_in["lga"]
    found = {query.text: suburb_in.get(fold_region(query.text), "") for query in queries if query.postcode is None}
    councils = {text: suburb for text, suburb in found.items() if suburb or without_council_kind(text) != text}
    if fewest == _FEWEST and len(councils) <= len(texts) / 2:
        return
    known_names.carry(context, filter(None, councils.values()))  # so that a replay knows these councils
    load = known_names.line_that_loads(context, {"lga"})
    warn(
        "The texts seem to be names of councils, but each was read as the name of a suburb. To list the suburbs of a "
        f"council, run {load and f'{load}, then '}sp.places(lga={[*councils, *texts][0]!r})",
        SuburbWarning,
    )


def quoted(query: Query) -> str:
    """Return a query for a message: its quoted text, then its state, postcode and region in brackets."""
    return with_location(sal.shown(query.text), query)


def with_location(text: str, query: Query) -> str:
    """Return a text with the state, postcode and region of a query in brackets."""
    beside = " ".join(filter(None, query[1:]))
    return f"{text} [{beside}]" if beside else text
