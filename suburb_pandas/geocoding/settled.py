"""Builds the frame that shows how each row of a request was resolved: the rule, and the information behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from suburb_pandas.geocoding.problems import Problem, names_of
from suburb_pandas.names.evidence import Says
from suburb_pandas.names.matching import Fit
from suburb_pandas.names.readings import Query

COLUMNS: Final = ("area_name", "rule", "confirmed_by", "not_confirmed", "edition", "problem", "candidates")
PIN: Final = "pin"
LOOK_UP: Final = "look_up"
_NO_NAME: Final = "missing"  # the problem of a row without a text


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
