"""Makes the errors for queries that do not mean exactly one suburb: one for each query, and one for a whole request.

Matching queries is left to names.matching. Raising the error, or warning instead, is left to
geocoding.resolve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.did_you_mean import MOST_SUGGESTED_FOR, one_of, suggested
from suburb_pandas.errors import (
    AmbiguousSuburb,
    BatchIncomplete,
    ContractViolation,
    NotStored,
    ServiceError,
    SuburbError,
    UnknownSuburb,
    Unreachable,
)
from suburb_pandas.messages import charged, counted, joined, listed, sentences
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import AREAS, Gazetteer, Place
from suburb_pandas.names.matching import Verdict, contradicted, given_beside, longer_names
from suburb_pandas.names.postcodes import states_at
from suburb_pandas.names.readings import (
    Query,
    asked,
    is_unbounded_address,
    may_hold_a_state,
    plainest,
    readings,
    state_of,
)
from suburb_pandas.service.statuses import GET_A_KEY

_CANDIDATE = ["area_name", "state", "lga", "postcode"]
_NAMES_A_ROW = 5
_FEW = 3
_LONGEST_QUERY = 40  # letters
_MOST_LISTED = 100
_DEFAULT_LIMIT = 10  # of sp.suggest
_IN_WORDS = {"elsewhere": "not in the place given"}
_CORRECT = "Correct these queries"
_APPEND = "pins='names.csv', append_pins=True"


class Problem(NamedTuple):
    """The reason why a query was not resolved, as one word, and its error."""

    kind: str
    error: SuburbError

    @classmethod
    def of(cls, error: SuburbError) -> Problem:
        """Return the problem for an error, with the name of its class as the reason."""
        return cls(type(error).__name__, error)


def problems(
    context: RequestContext, verdicts: Mapping[Query, Verdict], charges: Mapping[Query, int]
) -> Iterator[tuple[Query, Problem]]:
    """Yield each unresolved query with its problem. ``charges`` has the cents of each query that was looked up."""
    gazetteer = known_names.gazetteer_after(context)
    unknown = [query for query, verdict in verdicts.items() if not verdict.candidates][:MOST_SUGGESTED_FOR]
    suggestions = {query: _suggestions(gazetteer, query) for query in unknown}
    advice = (_how_to_go_on(context) if unknown else "") or "Check the spelling."
    for query, verdict in verdicts.items():
        cost = charged(charges.get(query, 0))
        if verdict.is_ambiguous:
            problem = Problem("ambiguous", _ambiguous(context, query, verdict, cost))
        else:
            near = suggestions.get(query, ())
            known_by = "to the service or on this machine" if query in charges else "on this machine"
            scope = f"in {gazetteer.said_by}" if gazetteer.knows_all_about(query.text) else f"known {known_by}"
            problem = _unknown(query, gazetteer, near, scope, cost=cost, advice=advice)
        problem.error.cents = charges.get(query, 0)
        yield query, problem


def _suggestions(gazetteer: Gazetteer, query: Query) -> tuple[str, ...]:
    """Return the names that begin with the text and lie in the place given if the text's own suburbs lie elsewhere.

    For a text that is no known name, similar names are returned.
    """
    if contradicted(gazetteer, query):
        return tuple(place.area_name for place in longer_names(gazetteer, query))
    return suggested(gazetteer, query.text, state_of(query))


def _how_to_go_on(context: RequestContext) -> str:
    """Return the advice for a query that is like no known name."""
    if context.source == "embedded":
        return f"{GET_A_KEY}."
    return known_names.how_to_know_more(context)


def _ambiguous(context: RequestContext, query: Query, verdict: Verdict, cost: str) -> AmbiguousSuburb:
    candidates = verdict.candidates
    why, way = "", "Add the state or the postcode, or use the exact name"
    if verdict.fit is not None:
        why = f", because it is not known here where {verdict.fit.place.area_name} is"
        load = known_names.line_that_loads(context, {"state"})
        way = f"Use the exact name without a state, postcode or region{load and f', or load the states with {load}'}"
    several = (
        f"{len(candidates)} suburbs"
        if len(candidates) > 1
        else "several suburbs, of which only the one below is known here"
    )
    columns = {column: [getattr(place, column) or "" for place in candidates] for column in _CANDIDATE}
    table = _aligned({column: texts for column, texts in columns.items() if any(texts)})
    return AmbiguousSuburb(
        f"{quoted(query)} can mean {several}, and none was chosen{why}. {cost} {way}:\n{table}",
        candidates=tuple(place.area_name for place in candidates),
    )


def _unknown(
    query: Query, gazetteer: Gazetteer, near: tuple[str, ...], scope: str, *, cost: str, advice: str
) -> Problem:
    elsewhere = contradicted(gazetteer, query)
    if elsewhere:
        given = (given_beside(query), *readings(query.text, gazetteer.is_region))
        kinds = {kind for one in given for region in one.regions for kind in gazetteer.kinds_of_region(region)}
        locations = [f"{place.area_name} is in {_location(place, kinds)}" for place in elsewhere[:_NAMES_A_ROW]]
        if len(elsewhere) > _NAMES_A_ROW:
            more = len(elsewhere) - _NAMES_A_ROW
            lie = "lies" if more == 1 else "lie"
            locations.append(f"and {counted(more, 'more suburb')} of that name {lie} elsewhere")
        postcodes = [one.postcode for one in given if one.postcode]
        postcode = next((one for one in postcodes if sal.postcode(one) == one), None)
        if postcode and len(states := states_at(postcode)) < len(sal.STATES):
            locations.append(f"and the postcode {postcode} is in {listed(sorted(states), str)}")
        if query.state not in {None, *sal.STATES}:
            locations.append(f"and {query.state!r} is not a state")
        hint = f": did you mean {joined(near, 'or', most=_FEW)}?" if near else "."
        message = (
            f"{quoted(query)} matches no suburb {scope}: {', '.join(locations)}. {cost} Correct the state, the "
            f"postcode or the region, or use the exact name{hint}"
        )
        names = (*near, *(place.area_name for place in elsewhere))
        return Problem("elsewhere", UnknownSuburb(message, suggestions=names))
    hint = f"Did you mean {one_of(gazetteer, query.text, near, state_of(query))}?" if near else advice
    if is_unbounded_address(query.text) and not gazetteer.knows_all_about(query.text):
        hint = "Put a comma between the street and the suburb."
    message = f"{quoted(query)} matches no suburb {scope}. {cost} {hint}"
    return Problem("unknown", UnknownSuburb(message, suggestions=near))


def _location(place: Place, kinds: Collection[str]) -> str:
    """Return where a place is: its areas of these kinds, its state and its postcode."""
    areas = [area for kind in AREAS if kind in kinds and (area := getattr(place, kind))]
    where = ", ".join([*areas, place.state or "a state not known here"])
    return f"{where} ({place.postcode})" if place.postcode else where


def quoted(query: Query) -> str:
    """Return a query for a message: its quoted text, then its state, its postcode and its region."""
    state = query.state if query.state in sal.STATES else repr(query.state)
    where = f" in {state}" if query.state else ""
    postcode = f"the postcode {query.postcode}" if query.postcode else ""
    region = f"the region {query.region!r}" if query.region else ""
    beside = " and ".join(filter(None, (postcode, region)))
    return f"{query.text!r}{where}{beside and ' with '}{beside}"


class Problems:
    """All problems of a request, as one error or one warning.

    Parameters
    ----------
    problem_of
        The problem of each query that was not resolved.
    rows
        The query of each row, None for a row without one.
    resolved
        The resolved name of each row, NA where there is none.
    how_to_know_more
        How to load a list, if there is none.
    pins
        The file of pins of the request, if it has one.
    in_pins
        True if that file has every query that a person can decide.
    """

    def __init__(
        self,
        problem_of: Mapping[Query, Problem],
        rows: Sequence[Query | None],
        resolved: pd.Series[Any],
        how_to_know_more: str,
        pins: Path | None = None,
        *,
        in_pins: bool = False,
    ) -> None:
        self._problem_of = problem_of
        self._how_to_know_more, self._pins, self._in_pins = how_to_know_more, pins, in_pins
        self._rows = rows
        self._resolved = resolved
        affected = [(number, query) for number, query in enumerate(rows) if query is not None and query in problem_of]
        self._queries = [query for _, query in affected]
        self._table = _table(problem_of, self._queries).set_index(resolved.index[[number for number, _ in affected]])

    def error(self, cents: int) -> SuburbError:
        """Return one error for all problems.

        It is ``AmbiguousSuburb`` if any row is ambiguous, else ``UnknownSuburb`` if any is unknown, else
        ``BatchIncomplete``. A request of one row gets the error of its query, unless a file of pins has that query.
        """
        errors = [problem.error for problem in self._problem_of.values()]
        if len(self._rows) == 1 and not self._in_pins:
            return self.attached_to(errors[0])
        message = self._message(f"{self._counts()}.", cents)
        ambiguous = [error for error in errors if isinstance(error, AmbiguousSuburb)]
        unknown = [error for error in errors if isinstance(error, UnknownSuburb)]
        whole: SuburbError
        if ambiguous:
            whole = AmbiguousSuburb(message, candidates=_distinct(error.candidates for error in ambiguous), cents=cents)
        elif unknown:
            whole = UnknownSuburb(message, suggestions=_distinct(error.suggestions for error in unknown), cents=cents)
        else:
            whole = BatchIncomplete(message, cents=cents)
            whole.retryable = any(error.retryable for error in errors)
        return self.attached_to(whole)

    def warning(self, cents: int) -> str:
        """Return the text of one warning for all problems."""
        return self._message(f"{self._counts()} and {'is' if len(self._queries) == 1 else 'are'} NA.", cents)

    def ended_by(self, error: SuburbError, cents: int) -> SuburbError:
        """Return the error that ended the look-ups, with the cost of all of them in place of that of its own call."""
        error = self.attached_to(error)
        if cents:
            what, *more = sentences(str(error))
            cost = f"The look-ups of this request cost up to {counted(cents, 'cent')}."
            error.args = (" ".join([what, cost, *more[-1:]]),)
        return error

    def attached_to(self, error: SuburbError) -> SuburbError:
        """Return a copy of an error that carries the resolved names and all problems."""
        error = copy(error)  # the error can be one of the ``failures``, and must not contain itself
        error.resolved, error.problems = self._resolved, self._table
        error.failures = {_label(query): problem.error for query, problem in self._problem_of.items()}
        return error

    def _counts(self) -> str:
        kinds = Counter(self._problem_of[query].kind for query in self._queries)
        listed = ", ".join(f"{number} {_IN_WORDS.get(kind, kind)}" for kind, number in kinds.items())
        were = "was" if len(self._queries) == 1 else "were"
        return f"{len(self._queries)} of {counted(len(self._rows), 'row')} {were} not resolved ({listed})"

    def _message(self, counts: str, cents: int) -> str:
        """Return a message: the counts, the charge, the next step, then the table and the lines below it."""
        start = f"{counts} {self._cost(cents)} {self._what_to_do()}"
        return "\n".join([start, self._listing(), *self._hints()])

    def _cost(self, cents: int) -> str:
        errors = [problem.error for problem in self._problem_of.values()]
        if any(error.cents and isinstance(error, ServiceError | Unreachable) for error in errors):
            return f"The look-ups may have charged up to {counted(cents, 'cent')}."
        return charged(cents)

    def _what_to_do(self) -> str:
        errors = [problem.error for problem in self._problem_of.values()]
        if not any(isinstance(error, AmbiguousSuburb | UnknownSuburb) for error in errors):
            if any(error.retryable for error in errors):
                return "Run the same line again: the responses that arrived are stored."
            not_stored = next((error for error in errors if isinstance(error, NotStored)), None)
            if not_stored is not None:
                return sentences(str(not_stored))[-1]
            return "Correct these queries, or leave them out."
        if self._in_pins:
            where = f"The open queries are in {self._pins}"
            return f"{where}: fill in each empty area_name there, and run the same line again."
        if self._pins is not None:
            return f"{_CORRECT}, or append them to {self._pins} and fill in each area_name there: append_pins=True"
        return f"{_CORRECT}, or write them to a file and fill in each area_name there: {_APPEND}"

    def _hints(self) -> Iterator[str]:
        """Yield the lines below the table: invalid states, how to see all candidates, and how to know more names."""
        invalid = dict.fromkeys(query.state for query in self._problem_of if query.state not in {None, *sal.STATES})
        if invalid:
            yield f"Not the name of a state: {listed(map(str, invalid))}"
        cut = (query for query, problem in self._problem_of.items() if len(names_of(problem.error)) > _NAMES_A_ROW)
        if (first := next(cut, None)) is not None:
            kind, error = self._problem_of[first]
            state = None if kind == "elsewhere" else state_of(first)  # those that are elsewhere are in other states
            text = first.text if may_hold_a_state(first.text) else plainest(first.text)[0]
            limit = f", limit={len(names_of(error))}" if len(names_of(error)) > _DEFAULT_LIMIT else ""
            line = f"sp.suggest({text!r}{f', {state!r}' if state else ''}{limit})"
            yield f"To see all candidates for {first.text!r}, run {line}"
        if self._how_to_know_more and any(problem.kind == "unknown" for problem in self._problem_of.values()):
            yield self._how_to_know_more
        stored = (query for query, one in self._problem_of.items() if one.error.is_stored)
        if (first := next(stored, None)) is not None:
            text, state = asked(first)
            is_unreadable = isinstance(self._problem_of[first].error, ContractViolation)
            why = "whose response cannot be read" if is_unreadable else "which was refused"
            line = f"sp.find({text!r}{f', {state!r}' if state else ''}, refresh=True)"
            yield f"To repeat the look-up of {first.text!r}, {why}, run {line}"

    def _listing(self) -> str:
        """Return a table of the queries that were not resolved, each once, for a message."""
        shown = _table(self._problem_of, list(self._problem_of)[:_MOST_LISTED])
        shown = shown.loc[:, (shown != "").any()]
        shown["query"] = [
            text if len(text) <= _LONGEST_QUERY else f"{text[:_LONGEST_QUERY]}..." for text in shown["query"]
        ]
        more = f"\nand {len(self._problem_of) - len(shown)} more" if len(self._problem_of) > len(shown) else ""
        return f"{_aligned({str(column): shown[column].to_list() for column in shown})}{more}"


def _table(problem_of: Mapping[Query, Problem], queries: Sequence[Query]) -> pd.DataFrame:
    """Return a frame with a row for each query: its parts, its problem, and its candidates or similar names.

    The column of regions is there if a query has one.
    """
    columns = {
        "query": [query.text.encode("utf-8", "replace").decode() for query in queries],  # Arrow takes no surrogates
        "state": [query.state or "" for query in queries],
        "postcode": [query.postcode or "" for query in queries],
        "region": [query.region or "" for query in queries],
        "problem": [problem_of[query].kind for query in queries],
        "names": [_names(problem_of[query].error) for query in queries],
    }
    if not any(columns["region"]):
        del columns["region"]
    return pd.DataFrame(columns, dtype="str")


def names_of(error: SuburbError) -> tuple[str, ...]:
    """Return the candidates of an error, or else the similar names."""
    names: tuple[str, ...] = getattr(error, "candidates", ()) or getattr(error, "suggestions", ())
    return names


def _names(error: SuburbError) -> str:
    names = names_of(error)
    more = f"; and {len(names) - _NAMES_A_ROW} more" if len(names) > _NAMES_A_ROW else ""
    return "; ".join(names[:_NAMES_A_ROW]) + more


def _distinct(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in lists for name in names))


def _label(query: Query) -> str:
    """Return the key of a query in ``failures``: its text, then its state, postcode and region in brackets."""
    beside = " ".join(filter(None, query[1:]))
    return f"{query.text} [{beside}]" if beside else query.text


def _aligned(columns: Mapping[str, Sequence[str]]) -> str:
    """Format columns of texts, each with its name above it, aligned on the left."""
    padded = []
    for name, texts in columns.items():
        width = max(map(len, (name, *texts)))
        padded.append([text.ljust(width) for text in (name, *texts)])
    return "\n".join("  ".join(line).rstrip() for line in zip(*padded, strict=True))
