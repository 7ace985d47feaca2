"""Turns the outcome of resolving into names, a frame of rules and evidence, warnings of doubtful rows, and errors.

There is an error for each query that does not mean exactly one suburb, and one for a whole request. Matching queries is
left to names.matching. Raising the error, or warning instead, is left to resolve.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.did_you_mean import MOST_SUGGESTED_FOR, suggested
from suburb_pandas.errors import AmbiguousSuburb, BatchIncomplete, SuburbError, SuburbWarning, UnknownSuburb
from suburb_pandas.frames.column import is_suburb_label
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.messages import charged, counted, joined, warn
from suburb_pandas.names import sal
from suburb_pandas.names.evidence import Evidence, Says
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.matching import AMBIGUOUS, ELSEWHERE, SEVERAL, UNKNOWN, Fit, Verdict
from suburb_pandas.names.written import (
    Query,
    fold_region,
    is_unbounded_address,
    plainest,
    state_of,
    without_council_kind,
)
from suburb_pandas.service.statuses import GET_A_KEY

DECIDABLE: Final = frozenset({AMBIGUOUS, SEVERAL, ELSEWHERE, UNKNOWN})
"""The problems of queries that a person can decide."""

_COLUMNS: Final = (AREA_NAME, "rule", "confirmed_by", "not_confirmed", "edition", "problem", "candidates")
_SHOWN: Final = 5  # names or queries
_FEW: Final = 3
_MOST_LISTED: Final = 100
_SIGNS: Final = ("/", "&", ";", "|", "+", " and ", ",")  # between suburbs; the later ones can have other uses
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
    """The reason why a query has no name, in a word, and its error.

    ``names`` are those from which a person can choose, likely ones first. ``advice`` is for all queries of a request
    that have this problem.
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
    error: SuburbError | None


def series(rows: Rows, index: pd.Index[Any], outcome: Outcome) -> pd.Series[str]:
    """Return the name of each row, NA for a row that was not resolved."""
    resolved = outcome.resolved
    names = [resolved[query].area_name if query in resolved else np.nan for query in rows]
    return pd.Series(names, index=index, dtype="str", name=AREA_NAME)


def frame(rows: Rows, index: pd.Index[Any], outcome: Outcome) -> pd.DataFrame:
    """Return how each row was resolved: columns of text, NA where a column does not apply."""
    cells: dict[Query | None, list[str]] = {None: [*[""] * 5, "missing", ""]}
    for query, (name, rule, fit) in outcome.resolved.items():
        cells[query] = [name, rule, *[""] * 5]
        if fit is not None:
            cells[query][2:5] = _parts(fit, Says.CONFIRMS), _parts(fit, Says.NOTHING), fit.place.edition or ""
    for query, one in outcome.problems.items():
        cells[query] = [*[""] * 5, one.kind, "; ".join(one.names)]
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
    return [kind for kind, result in zip(Evidence._fields, fit.evidence, strict=True) if result is says]


def problems(
    context: RequestContext, gazetteer: Gazetteer, verdicts: Mapping[Query, Verdict], charges: Mapping[Query, int]
) -> Iterator[tuple[Query, Problem]]:
    """Yield each unresolved query with its problem. ``charges`` has the cents of each query that was looked up."""
    unresolved = {query: one for query, one in verdicts.items() if one.area_name is None}
    names = {query: tuple(place.area_name for place in one.candidates) for query, one in unresolved.items()}
    unknown = [query for query in names if not names[query]]
    names |= {query: suggested(gazetteer, query.text, state_of(query)) for query in unknown[:MOST_SUGGESTED_FOR]}
    load = ""
    if unknown:
        load = f"{GET_A_KEY}." if context.source == known_names.EMBEDDED else known_names.how_to_know_more(context)
    for query, verdict in unresolved.items():
        near, cents = names[query], charges.get(query, 0)
        what, way = explained(gazetteer, query.text, verdict, near)
        message = f"{_quoted(query)} {what}. {charged(cents)} {way or load or 'Check the spelling.'}"
        error: SuburbError
        if verdict.problem in {AMBIGUOUS, SEVERAL}:
            error = AmbiguousSuburb(message, candidates=near, cents=cents)
        else:
            error = UnknownSuburb(message, suggestions=near, cents=cents)
        advice = {SEVERAL: way, UNKNOWN: load}.get(verdict.problem, "")
        yield query, Problem(verdict.problem, error, near, advice)


def explained(gazetteer: Gazetteer, text: str, verdict: Verdict, near: Sequence[str]) -> tuple[str, str]:
    """Return why a text means no suburb, as the end of a sentence, and the advice about it, if there is any."""
    places = ((one.area_name, one.state, one.lga, one.postcode) for one in verdict.candidates)
    lines = "".join(f"\n  {', '.join(filter(None, place))}" for place in places)
    if verdict.problem == SEVERAL:
        return f"is about several suburbs ({joined(near, most=_SHOWN)})", _how_to_split(text)
    if verdict.problem == ELSEWHERE:
        what = "matches no suburb, because its state, postcode or region contradicts each suburb of that name"
        return what, f"Correct it, or use the exact name:{lines}"
    if verdict.problem == AMBIGUOUS:
        what = f"can mean several suburbs{', of which only one is known here' if len(near) == 1 else ''}"
        return what, f"Add a state or postcode that tells them apart, or use an exact name and nothing else:{lines}"
    where = f"in {gazetteer.said_by}" if gazetteer.knows_all_about(text) else "known here"
    way = f"Did you mean {joined(near, 'or', most=_FEW)}?" if near else ""
    if is_unbounded_address(text) and where == "known here":
        way = "Put a comma between the street and the suburb."
    return f"matches no suburb {where}", way


def _how_to_split(text: str) -> str:
    """Return the advice to split a text, and all others, at the sign in it that stands between suburbs."""
    name = plainest(text).base
    sign = next((sign for sign in _SIGNS if sign in name), "-")
    written = next((letter for letter in text if sal.one_form(letter) == sign), sign)
    split = f"df['suburb'].str.split({written!r})"
    return f"Give each suburb a row of its own: df.assign(suburb={split}).explode('suburb')"


def summary(rows: Rows, outcome: Outcome, pins: Path | None, then: str = "") -> str:
    """Return the text of one error or warning for all rows: the counts, the cost, and a line for each unresolved query.

    ``pins`` is the file of pins of the request.
    """
    problems = outcome.problems
    kinds = Counter(problems[query].kind for query in rows if query in problems)
    what = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    were = "was" if kinds.total() == 1 else "were"
    cost = charged(outcome.cents)
    if outcome.cents and _is_retryable(outcome):
        cost = f"The look-ups may have charged up to {counted(outcome.cents, 'cent')}."
    start = f"{kinds.total()} of {counted(len(rows), 'row')} {were} not resolved ({what}){then}. {cost}"
    if DECIDABLE.intersection(kinds):
        how = "write them to a file and fill in each area_name there: pins='names.csv', append_pins=True"
        if pins is not None:
            how = f"fill in each empty area_name in {pins} and run the same line again, with append_pins=True"
        start = f"{start} Correct these queries, or {how}"
    lines = [_line(query, one) for query, one in problems.items()]
    more = [f"and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
    advice = {one.kind: one.advice for one in problems.values() if one.advice}
    return "\n".join([start, *lines[:_MOST_LISTED], *more, *advice.values()])


def _is_retryable(outcome: Outcome) -> bool:
    return any(one.error.retryable for one in outcome.problems.values())


def _line(query: Query, one: Problem) -> str:
    """Return a query with its problem, and its candidates or, if nobody can decide, its error."""
    what = _first(one.names) if one.kind in DECIDABLE else str(one.error)
    return ": ".join(filter(None, (_quoted(query), one.kind, what)))


def _first(names: Sequence[str]) -> str:
    """Return the first of several names, and how many more there are."""
    more = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return "; ".join([*names[:_SHOWN], *more])


def error_of(rows: Rows, names: pd.Series[Any], outcome: Outcome, pins: Path | None) -> SuburbError:
    """Return the error of a request, with the resolved names and all problems. ``pins`` is its file of pins.

    It is the error that ended the request, if one did. A request of one row without pins gets the error of its query.
    """
    errors = {_with_location(query.text, query): one.error for query, one in outcome.problems.items()}
    # An error of a query is copied, because it is one of the ``failures``, and must not contain itself.
    if outcome.error is not None:
        error = copy(outcome.error)
        if outcome.cents:
            cost = f"The look-ups of this request cost up to {counted(outcome.cents, 'cent')}"
            error.args = (f"{cost}; the request ended early: {error}",)
    elif len(rows) == 1 and pins is None:
        (only,) = errors.values()
        error = copy(only)
    else:
        error = _of_all(outcome, summary(rows, outcome, pins))
    error.resolved, error.problems, error.failures = names, _table(rows, names.index, outcome.problems), errors
    return error


def _of_all(outcome: Outcome, message: str) -> SuburbError:
    """Return one error: of ambiguous queries if there are any, else of unknown ones, else of failed look-ups."""
    names: dict[type[SuburbError], dict[str, None]] = {}
    for one in outcome.problems.values():
        names.setdefault(type(one.error), {}).update(dict.fromkeys(one.names))
    if AmbiguousSuburb in names:
        return AmbiguousSuburb(message, candidates=tuple(names[AmbiguousSuburb]), cents=outcome.cents)
    if UnknownSuburb in names:
        return UnknownSuburb(message, suggestions=tuple(names[UnknownSuburb]), cents=outcome.cents)
    error = BatchIncomplete(message, cents=outcome.cents)
    error.retryable = _is_retryable(outcome)
    return error


def _table(rows: Rows, index: pd.Index[Any], problems: Mapping[Query, Problem]) -> pd.DataFrame:
    """Return a frame with each row's query, its problem, and its candidates or similar names.

    The column of regions is there if a query has one.
    """
    cells = [
        # Arrow takes no surrogates.
        [*(str(part or "").encode("utf-8", "replace").decode() for part in query), one.kind, _first(one.names)]
        for query in rows
        if query and (one := problems.get(query))
    ]
    columns = ["query", "state", "postcode", "region", "problem", "names"]
    table = pd.DataFrame(cells, index=index[[query in problems for query in rows]], columns=columns, dtype="str")
    return table if (table["region"] != "").any() else table.drop(columns="region")


def warn_of_unchecked(context: RequestContext, rows: Rows, outcome: Outcome) -> None:
    """Warn of resolved rows with a state, postcode or region that nothing known here could confirm or contradict."""
    resolved = outcome.resolved.items()
    unchecked = {query: kinds for query, one in resolved if one.fit and (kinds := _unchecked(one.fit))}
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
        f"ignored: {joined(map(_quoted, unchecked), most=_SHOWN)}. {how}",
        SuburbWarning,
    )


def _unchecked(fit: Fit) -> list[str]:
    """Return the parts of a query that were not checked, without a postcode that no suburb has, as for post boxes."""
    return [kind for kind in _kinds(fit, Says.NOTHING) if kind != "postcode" or fit.place.postcode is None]


def warn_if_councils(context: RequestContext, queries: Collection[Query], label: Hashable) -> None:
    """Warn if the queries of a column with this label may be councils: by the label, or by most of the texts.

    A text with the kind of a council, as in ``Parramatta (C)``, is the name of one. A text beside which a postcode was
    given is not.
    """
    called, texts = str(label).replace(" ", "_"), list(dict.fromkeys(query.text for query in queries))
    fewest = 1 if _COUNCILS.fullmatch(called) else _FEWEST
    if called == AREA_NAME or is_suburb_label(called) or len(texts) < fewest:
        return
    suburb_in = known_names.gazetteer_of(context).suburb_in
    found = {
        query.text: suburb_in.get(("lga", fold_region(query.text)), "") for query in queries if query.postcode is None
    }
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


def _quoted(query: Query) -> str:
    """Return a query for a message: its quoted text, then its state, postcode and region in brackets."""
    return _with_location(sal.shown(query.text), query)


def _with_location(text: str, query: Query) -> str:
    """Return a text with the state, postcode and region of a query in brackets."""
    beside = " ".join(filter(None, query[1:]))
    return f"{text} [{beside}]" if beside else text
