"""Makes the errors for queries that do not mean exactly one suburb: one for each query, and one for a whole request.

Matching queries is left to names.matching. Raising the error, or warning instead, is left to geocoding.resolve.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Final

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.did_you_mean import MOST_SUGGESTED_FOR, suggested
from suburb_pandas.errors import AmbiguousSuburb, BatchIncomplete, SuburbError, UnknownSuburb
from suburb_pandas.geocoding.outcomes import Outcome, Problem, Rows, quoted, with_location
from suburb_pandas.messages import charged, counted, joined
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.matching import AMBIGUOUS, ELSEWHERE, SEVERAL, UNKNOWN, Verdict
from suburb_pandas.names.written import Query, state_of
from suburb_pandas.service.statuses import GET_A_KEY

DECIDABLE: Final = frozenset({AMBIGUOUS, SEVERAL, ELSEWHERE, UNKNOWN})
"""The problems of queries that a person can decide."""

_SIGNS: Final = re.compile("[,;/|&+\u2013\u2014]| and ", re.IGNORECASE)  # between suburbs, apart from hyphens
_NAMES_A_ROW = 5
_FEW = 3
_MOST_LISTED = 100
_IN_WORDS = {"elsewhere": "not in the place given", "several": "about several suburbs"}


def problems(
    context: RequestContext, gazetteer: Gazetteer, verdicts: Mapping[Query, Verdict], charges: Mapping[Query, int]
) -> Iterator[tuple[Query, Problem]]:
    """Yield each unresolved query with its problem. ``charges`` has the cents of each query that was looked up."""
    names = {query: tuple(place.area_name for place in one.candidates) for query, one in verdicts.items()}
    unknown = [query for query in names if not names[query]]
    names |= {query: suggested(gazetteer, query.text, state_of(query)) for query in unknown[:MOST_SUGGESTED_FOR]}
    load = _how_to_know_more(context) if unknown else ""
    for query, verdict in verdicts.items():
        near, cents = names[query], charges.get(query, 0)
        what, way = _explained(gazetteer, query, verdict, near)
        message = f"{quoted(query)} {what}. {charged(cents)} {way or load or 'Check the spelling.'}"
        error: SuburbError
        if verdict.problem in {AMBIGUOUS, SEVERAL}:
            error = AmbiguousSuburb(message, candidates=near, cents=cents)
        else:
            error = UnknownSuburb(message, suggestions=near, cents=cents)
        advice = {SEVERAL: way, UNKNOWN: load}.get(verdict.problem, "")
        yield query, Problem(verdict.problem, error, near, advice)


def _how_to_know_more(context: RequestContext) -> str:
    """Return the advice for a query that matches no known name."""
    return f"{GET_A_KEY}." if context.source == known_names.EMBEDDED else known_names.how_to_know_more(context)


def _explained(gazetteer: Gazetteer, query: Query, verdict: Verdict, near: Sequence[str]) -> tuple[str, str]:
    """Return why a query means no suburb, as the end of a sentence, and what to do about its text, if that is known."""
    places = ((one.area_name, one.state, one.lga, one.postcode) for one in verdict.candidates)
    lines = "".join(f"\n  {', '.join(filter(None, place))}" for place in places)
    if verdict.problem == SEVERAL:
        return f"is about several suburbs: {joined(near, most=_NAMES_A_ROW)}", _how_to_split(query.text)
    if verdict.problem == ELSEWHERE:
        what = "matches no suburb: its state, postcode or region contradicts each suburb of that name"
        return what, f"Correct it, or use the exact name:{lines}"
    if verdict.problem == AMBIGUOUS:
        several = "several suburbs, of which only the one below is known here"
        what = f"can mean {several if len(near) == 1 else f'{len(near)} suburbs'}, and none was chosen"
        if verdict.fit is None:
            return what, f"Add the state or the postcode, or use the exact name:{lines}"
        why = f"because it is not known here where {verdict.fit.place.area_name} is"
        return f"{what}, {why}", f"Use the exact name without a state, postcode or region:{lines}"
    where = f"in {gazetteer.said_by}" if gazetteer.knows_all_about(query.text) else "known here"
    return f"matches no suburb {where}", f"Did you mean {joined(near, 'or', most=_FEW)}?" if near else ""


def _how_to_split(text: str) -> str:
    """Return the advice to split a text, and all others, at the first sign in it that stands between suburbs."""
    sign = _SIGNS.search(text)
    split = f"df['suburb'].str.split({sign.group() if sign else '-'!r})"
    return f"Give each suburb a row of its own: df.assign(suburb={split}).explode('suburb')"


def summary(rows: Rows, outcome: Outcome, pins: Path | None, then: str = "") -> str:
    """Return the text of one error or warning for all rows: the counts, the cost, and a line for each unresolved query.

    ``pins`` is the file of pins of the request.
    """
    problems = outcome.problems
    kinds = Counter(problems[query].kind for query in rows if query in problems)
    what = ", ".join(f"{count} {_IN_WORDS.get(kind, kind)}" for kind, count in kinds.items())
    were = "was" if kinds.total() == 1 else "were"
    cost = charged(outcome.cents)
    if outcome.cents and _is_retryable(outcome):
        cost = f"The look-ups may have charged up to {counted(outcome.cents, 'cent')}."
    start = f"{kinds.total()} of {counted(len(rows), 'row')} {were} not resolved ({what}){then}. {cost}"
    if DECIDABLE.intersection(kinds):
        start = f"{start} Correct these queries, or {_how_to_decide(pins)}"
    lines = [_line(query, one) for query, one in problems.items()]
    more = [f"and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
    advice = dict.fromkeys(one.advice for one in problems.values() if one.advice)
    return "\n".join([start, *lines[:_MOST_LISTED], *more, *advice])


def _how_to_decide(pins: Path | None) -> str:
    """Return how to choose names for the queries that a person can decide."""
    if pins is None:
        return "write them to a file and fill in each area_name there: pins='names.csv', append_pins=True"
    return f"fill in each empty area_name in {pins} and run the same line again; append_pins=True adds them there."


def _is_retryable(outcome: Outcome) -> bool:
    return any(one.error.retryable for one in outcome.problems.values())


def _line(query: Query, one: Problem) -> str:
    """Return a query with its problem, and its candidates or, if nobody can decide, its error."""
    what = _first(one.names) if one.kind in DECIDABLE else str(one.error)
    return ": ".join(filter(None, (quoted(query), one.kind, what)))


def _first(names: Sequence[str]) -> str:
    """Return the first of several names, and how many more there are."""
    more = [f"and {len(names) - _NAMES_A_ROW} more"] if len(names) > _NAMES_A_ROW else []
    return "; ".join([*names[:_NAMES_A_ROW], *more])


def error_of(rows: Rows, names: pd.Series[Any], outcome: Outcome, pins: Path | None) -> SuburbError:
    """Return the error of a request, with the resolved names and all problems. The options are those of `summary`.

    It is the error that ended the request, if one did. A request of one row gets the error of its query.
    """
    errors = {with_location(query.text, query): one.error for query, one in outcome.problems.items()}
    # An error of a query is copied, because it is one of the ``failures``, and must not contain itself.
    if outcome.stopped is not None:
        error = copy(outcome.stopped)
        if outcome.cents:
            cost = f"The look-ups of this request cost up to {counted(outcome.cents, 'cent')}"
            error.args = (f"{cost}; the request ended early: {error}",)
    elif len(rows) == 1:
        error = copy(*errors.values())
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
