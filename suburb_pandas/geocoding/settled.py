"""Shows how each row of a request was resolved: a frame of rules and evidence, and a warning of unchecked parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.geocoding.problems import Problem, names_of, quoted
from suburb_pandas.messages import counted, joined, warn
from suburb_pandas.names.evidence import Says
from suburb_pandas.names.gazetteer import Gazetteer, regions_of
from suburb_pandas.names.matching import Fit
from suburb_pandas.names.readings import Query, is_capital

COLUMNS: Final = ("area_name", "rule", "confirmed_by", "not_confirmed", "edition", "problem", "candidates")
PIN: Final = "pin"
LOOK_UP: Final = "look_up"
_NO_NAME: Final = "missing"  # the problem of a row without a text
_REGIONS: Final = frozenset({"lga", "sa2", "sa3", "sa4"})
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Settled:
    """The name of a query, the rule that gave it, and how the suburb fits the query, unless it was pinned."""

    area_name: str
    rule: str
    fit: Fit | None = None


def frame(
    rows: Sequence[Query | None],
    index: pd.Index[Any],
    settled: Mapping[Query, Settled],
    problems: Mapping[Query, Problem],
) -> pd.DataFrame:
    """Return one row for each query, with the columns `COLUMNS`: text, NA where a column does not apply."""
    distinct = dict.fromkeys(rows)
    values = {query: _row(query, settled, problems) for query in distinct}
    columns = {column: [values[query].get(column) or float("nan") for query in rows] for column in COLUMNS}
    return pd.DataFrame(columns, index=index, dtype="str")


def warn_of_unchecked(
    context: RequestContext, gazetteer: Gazetteer, rows: Sequence[Query | None], settled: Mapping[Query, Settled]
) -> None:
    """Warn of resolved rows with a state, postcode or region that nothing known here could confirm or contradict."""
    in_doubt = {query: one.fit for query, one in settled.items() if one.fit and Says.NOTHING in one.fit.evidence}
    if not in_doubt:
        return
    loaded = known_names.kinds_listed(context)
    kinds = {query: _unchecked(gazetteer, fit, loaded) for query, fit in in_doubt.items()}
    affected = [query for query in rows if query is not None and kinds.get(query)]
    if not affected:
        return
    missing = set().union(*(kinds[query] for query in affected))
    what = [kind for kind in ("state", "postcode") if kind in missing] + (["region"] if missing & _REGIONS else [])
    shown = joined((quoted(query) for query in dict.fromkeys(affected)), most=_SHOWN)
    warn(
        f"In {len(affected)} of {counted(len(rows), 'row')}, a {joined(what, 'or')} could not be checked here and was "
        f"ignored: {shown}. {_how_to_check(context, missing, loaded)}".rstrip(),
        SuburbWarning,
    )


def _unchecked(gazetteer: Gazetteer, fit: Fit, loaded: Collection[str]) -> set[str]:
    """Return the kinds of information that would have to be known of a suburb to check its query."""
    place, evidence = fit.place, fit.evidence
    kinds = {"state"} if evidence.state is Says.NOTHING else set()
    if evidence.postcode is Says.NOTHING and (place.postcode is None or "postcode" not in loaded):
        kinds.add("postcode")  # a table cannot say more about a postcode that it has for no suburb
    if evidence.region is Says.NOTHING:
        for region in (*fit.reading.regions, *fit.beside.regions):
            own = {kind for kind, _ in regions_of(place)}
            kinds |= {"state"} if is_capital(region) else gazetteer.kinds_of_region(region) - own or {"lga"}
    return kinds


def _how_to_check(context: RequestContext, missing: Collection[str], loaded: set[str]) -> str:
    if loaded.issuperset(missing):
        return "The loaded files do not have it for these suburbs."
    line = known_names.line_that_loads(context, missing)
    return line and f"To check it, download the ABS's free files from abs.gov.au (ASGS Edition 3), and run {line}"


def _row(query: Query | None, settled: Mapping[Query, Settled], problems: Mapping[Query, Problem]) -> dict[str, str]:
    if query is None:
        return {"problem": _NO_NAME}
    if query in problems:
        kind, error = problems[query]
        return {"problem": kind, "candidates": "; ".join(names_of(error))}
    found = settled[query]
    row = {"area_name": found.area_name, "rule": found.rule}
    if found.fit is not None:
        row["confirmed_by"] = "; ".join(_parts(found.fit, Says.CONFIRMS))
        row["not_confirmed"] = "; ".join(_parts(found.fit, Says.NOTHING))
        row["edition"] = found.fit.place.edition or ""
    return row


def _parts(fit: Fit, says: Says) -> Iterator[str]:
    """Yield the parts of a query whose comparison with the suburb had this result."""
    both = (fit.reading, fit.beside)
    if fit.evidence.state is says:
        yield from _named("state", (one.state for one in both))
    if fit.evidence.postcode is says:
        yield from _named("postcode", (one.postcode for one in both))
    if fit.evidence.region is says:
        yield from _named("region", (region for one in both for region in one.regions))


def _named(kind: str, values: Iterable[str | None]) -> Iterator[str]:
    return (f"{kind} {value}" for value in dict.fromkeys(values) if value is not None)
