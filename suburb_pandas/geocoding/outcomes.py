"""Shows the outcome of each row of a request: names, a frame of rules and evidence, and warnings of doubtful rows.

The errors for rows that were not resolved are left to problems.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
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
from suburb_pandas.names.evidence import Says
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.matching import Fit
from suburb_pandas.names.written import Query, fold_region, is_capital, without_council_kind

PIN: Final = "pin"
LOOK_UP: Final = "look_up"
_REGIONS: Final = frozenset({"lga", "sa2", "sa3", "sa4"})
_SHOWN: Final = 5
_COUNCILS: Final = re.compile(r"(lga|council|local_government)(_?area)?(_?name)?(_?\d{2,4})?", re.IGNORECASE)
_FEWEST: Final = 5  # texts; a few suburbs have the name of a council

Rows = Sequence[Query | None]
"""The query of each row, None for a row without one."""


class Outcome(NamedTuple):
    """The name of a query, the rule that gave it and how the suburb fits; or the problem in a word, and its error."""

    area_name: str = ""
    rule: str = ""
    fit: Fit | None = None
    problem: str = ""
    error: SuburbError | None = None

    @classmethod
    def failed(cls, error: SuburbError) -> Outcome:
        """Return the outcome for an error, with the name of its class as the problem."""
        return cls(problem=type(error).__name__, error=error)

    @property
    def candidates(self) -> tuple[str, ...]:
        """The names from which a person can choose, likely ones first."""
        names: tuple[str, ...] = getattr(self.error, "candidates", ()) or getattr(self.error, "suggestions", ())
        return names


_MISSING: Final = Outcome(problem="missing")


def series(rows: Rows, index: pd.Index[Any], found: Mapping[Query, Outcome]) -> pd.Series[str]:
    """Return the name of each row, NA for a row that was not resolved."""
    names: dict[Query | None, str] = {query: one.area_name for query, one in found.items() if one.area_name}
    return pd.Series([names.get(query, np.nan) for query in rows], index=index, dtype="str", name=AREA_NAME)


def frame(rows: Rows, index: pd.Index[Any], found: Mapping[Query, Outcome]) -> pd.DataFrame:
    """Return how each row was resolved: columns of text, NA where a column does not apply."""
    shown: dict[Query | None, list[str]] = {query: _cells(one) for query, one in found.items()}
    shown[None] = _cells(_MISSING)
    columns = [AREA_NAME, "rule", "confirmed_by", "not_confirmed", "edition", "problem", "candidates"]
    cells = [[cell or np.nan for cell in shown[query]] for query in rows]
    return pd.DataFrame(cells, index=index, columns=columns, dtype="str")


def _cells(one: Outcome) -> list[str]:
    evidence = ["; ".join(_parts(one.fit, says)) if one.fit else "" for says in (Says.CONFIRMS, Says.NOTHING)]
    edition = (one.fit.place.edition if one.fit else None) or ""
    return [one.area_name, one.rule, *evidence, edition, one.problem, "; ".join(one.candidates)]


def _parts(fit: Fit, says: Says) -> list[str]:
    """Return the parts of a query whose comparison with the suburb had this result."""
    both = (fit.reading, fit.beside)
    states, postcodes = [one.state for one in both], [one.postcode for one in both]
    regions = [region for one in both for region in one.regions]
    given: dict[str, list[str] | list[str | None]] = {"state": states, "postcode": postcodes, "region": regions}
    kinds = (kind for kind, result in zip(given, fit.evidence, strict=True) if result is says)
    return [f"{kind} {value}" for kind in kinds for value in dict.fromkeys(given[kind]) if value is not None]


def warn_of_unchecked(context: RequestContext, rows: Rows, found: Mapping[Query, Outcome]) -> None:
    """Warn of resolved rows with a state, postcode or region that nothing known here could confirm or contradict."""
    fits = {query: one.fit for query, one in found.items() if one.fit and Says.NOTHING in one.fit.evidence}
    if not fits:
        return
    gazetteer, loaded = known_names.gazetteer_after(context), known_names.kinds_listed(context)
    kinds = {query: _unchecked(gazetteer, fit, loaded) for query, fit in fits.items()}
    affected = [query for query in rows if query is not None and kinds.get(query)]
    if not affected:
        return
    missing = set().union(*(kinds[query] for query in affected))
    what = [*sorted(missing & {"state", "postcode"}, reverse=True), *(["region"] if missing & _REGIONS else [])]
    shown = joined((quoted(query) for query in dict.fromkeys(affected)), most=_SHOWN)
    line = known_names.line_that_loads(context, missing)
    how = line and f"To check it, download the ABS's free files from abs.gov.au (ASGS Edition 3), and run {line}"
    if loaded.issuperset(missing):
        how = "The loaded files do not have it for these suburbs."
    warn(
        f"In {len(affected)} of {counted(len(rows), 'row')}, a {joined(what, 'or')} could not be checked here and was "
        f"ignored: {shown}. {how}".rstrip(),
        SuburbWarning,
    )


def _unchecked(gazetteer: Gazetteer, fit: Fit, loaded: Collection[str]) -> set[str]:
    """Return the kinds of information that would have to be known of a suburb to check its query."""
    kinds = {"state"} if fit.evidence.state is Says.NOTHING else set[str]()
    if fit.evidence.postcode is Says.NOTHING and (fit.place.postcode is None or "postcode" not in loaded):
        kinds.add("postcode")  # a table cannot say more about a postcode that it has for no suburb
    if fit.evidence.region is Says.NOTHING:
        for region in (*fit.reading.regions, *fit.beside.regions):
            kinds |= {"state"} if is_capital(region) else gazetteer.kinds_of_region(region) or {"lga"}
    return kinds


def warn_if_councils(context: RequestContext, queries: Sequence[Query], label: Hashable) -> None:
    """Warn if the queries of a column with this label may be councils: by the label, or by most of the texts."""
    called = label.replace(" ", "_") if isinstance(label, str) else ""
    texts, is_of_councils = list(dict.fromkeys(query.text for query in queries)), _COUNCILS.fullmatch(called)
    if called == AREA_NAME or is_common(called) or len(texts) < (1 if is_of_councils else _FEWEST):
        return
    suburb_of = _councils(known_names.gazetteer_of(context), queries)
    why = f"{len(suburb_of)} of {len(texts)} texts are names of councils"
    if is_of_councils:
        why = f"The column {label!r} seems to hold councils"
    elif len(suburb_of) <= len(texts) / 2:
        return
    known_names.carry(context, filter(None, suburb_of.values()))  # so that a replay knows these councils
    load = known_names.line_that_loads(context, {"lga"})
    warn(
        f"{why}, but each text was read as the name of a suburb. To list the suburbs of a council, run "
        f"{load and f'{load}, then '}sp.places(lga={[*suburb_of, *texts][0]!r})",
        SuburbWarning,
    )


def _councils(gazetteer: Gazetteer, queries: Sequence[Query]) -> dict[str, str]:
    """Return the texts that are names of councils, each with one suburb there; an empty text if none is known.

    A text with the kind of a council is one, and a text with a postcode is a suburb.
    """
    texts = dict.fromkeys(query.text for query in queries if query.postcode is None)
    found = {text: gazetteer.suburb_in["lga"].get(fold_region(text), "") for text in texts}
    return {text: suburb for text, suburb in found.items() if suburb or without_council_kind(text) != text}


def quoted(query: Query) -> str:
    """Return a query for a message: its quoted text, then its state, its postcode and its region."""
    where = f" in {query.state if query.state in sal.STATES else repr(query.state)}" if query.state else ""
    beside = [f"the postcode {query.postcode}"] if query.postcode else []
    beside += [f"the region {query.region!r}"] if query.region else []
    return f"{sal.shown(query.text)}{where}{' with ' if beside else ''}{' and '.join(beside)}"
