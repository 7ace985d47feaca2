"""Makes the errors for queries that do not mean exactly one suburb: one for each query, and one for a whole request.

Matching queries is left to names.matching. Raising the error, or warning instead, is left to geocoding.resolve.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.did_you_mean import MOST_SUGGESTED_FOR, one_of, suggested
from suburb_pandas.errors import (
    AmbiguousSuburb,
    BatchIncomplete,
    NotStored,
    ServiceError,
    SuburbError,
    UnknownSuburb,
    Unreachable,
)
from suburb_pandas.geocoding.outcomes import Outcome, Rows, quoted
from suburb_pandas.messages import charged, counted, joined, listed, sentences
from suburb_pandas.names import sal
from suburb_pandas.names.evidence import states_at
from suburb_pandas.names.gazetteer import AREAS, Gazetteer, Place
from suburb_pandas.names.matching import AMBIGUOUS, ELSEWHERE, SEVERAL, UNKNOWN, Verdict, given_beside
from suburb_pandas.names.written import Query, is_unbounded_address, readings, state_of
from suburb_pandas.service.statuses import GET_A_KEY

DECIDABLE: Final = frozenset({AMBIGUOUS, SEVERAL, ELSEWHERE, UNKNOWN})
"""The problems of queries that a person can decide."""

_SIGNS: Final = re.compile("[,;/|&+\u2013\u2014]| and ", re.IGNORECASE)  # between suburbs, apart from hyphens
_NAMES_A_ROW = 5
_FEW = 3
_MOST_LISTED = 100
_IN_WORDS = {"elsewhere": "not in the place given", "several": "about several suburbs"}


def problems(
    context: RequestContext, verdicts: Mapping[Query, Verdict], charges: Mapping[Query, int]
) -> Iterator[tuple[Query, Outcome]]:
    """Yield each unresolved query with its problem. ``charges`` has the cents of each query that was looked up."""
    gazetteer = known_names.gazetteer_after(context)
    unknown = [query for query, found in verdicts.items() if found.problem == UNKNOWN]
    alike = [query for query in unknown if not verdicts[query].candidates][:MOST_SUGGESTED_FOR]
    suggestions = {query: suggested(gazetteer, query.text, state_of(query)) for query in alike}
    advice = (_how_to_go_on(context) if alike else "") or "Check the spelling."
    for query, verdict in verdicts.items():
        cost = charged(charges.get(query, 0))
        known_by = "to the service or on this machine" if query in charges else "on this machine"
        scope = f"in {gazetteer.said_by}" if gazetteer.knows_all_about(query.text) else f"known {known_by}"
        error: SuburbError
        if verdict.problem == AMBIGUOUS:
            error = _ambiguous(context, query, verdict, cost)
        elif verdict.problem == SEVERAL:
            error = _several(query, verdict, cost)
        elif verdict.problem == ELSEWHERE:
            error = _elsewhere(gazetteer, query, verdict, scope, cost)
        else:
            near = tuple(place.area_name for place in verdict.candidates) or suggestions.get(query, ())
            hint = _hint(gazetteer, query, near) or advice
            message = f"{quoted(query)} matches no suburb {scope}. {cost} {hint}"
            error = UnknownSuburb(message, suggestions=near)
        error.cents = charges.get(query, 0)
        yield query, Outcome(problem=verdict.problem, error=error)


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
    lines = (", ".join(filter(None, (one.area_name, one.state, one.lga, one.postcode))) for one in candidates)
    return AmbiguousSuburb(
        "\n  ".join([f"{quoted(query)} can mean {several}, and none was chosen{why}. {cost} {way}:", *lines]),
        candidates=tuple(place.area_name for place in candidates),
    )


def _several(query: Query, verdict: Verdict, cost: str) -> AmbiguousSuburb:
    names = tuple(place.area_name for place in verdict.candidates)
    shown = joined(names, most=_NAMES_A_ROW)
    return AmbiguousSuburb(
        f"{quoted(query)} is about several suburbs: {shown}. {cost} Give each one a row of its own: "
        f"{_how_to_split(query.text)}",
        candidates=names,
    )


def _how_to_split(text: str) -> str:
    """Return the code that makes a row of each suburb: it splits at the signs that stand between suburbs in a text."""
    signs = [*dict.fromkeys(_SIGNS.findall(text))] or ["-"]
    one_sign = f"[{''.join(sign for sign in signs if len(sign) == 1)}]"
    pattern = "|".join([one_sign, *(sign for sign in signs if len(sign) > 1)])
    split = repr(signs[0]) if len(signs) == 1 else f"{pattern!r}, regex=True"
    return f"df.assign(suburb=df['suburb'].str.split({split})).explode('suburb')"


def _elsewhere(gazetteer: Gazetteer, query: Query, verdict: Verdict, scope: str, cost: str) -> UnknownSuburb:
    given = (given_beside(query), *readings(query.text, gazetteer.is_region))
    kinds = {kind for one in given for region in one.regions for kind in gazetteer.kinds_of_region(region)}
    bases = {one.base for one in given}
    places = [place for place in verdict.candidates if sal.base_of(place.area_name) in bases]
    near = [place.area_name for place in verdict.candidates if place not in places]
    found = [f"{place.area_name} is in {_location(place, kinds)}" for place in places[:_NAMES_A_ROW]]
    if len(places) > _NAMES_A_ROW:
        more = len(places) - _NAMES_A_ROW
        found.append(f"and {counted(more, 'more suburb')} of that name {'lies' if more == 1 else 'lie'} elsewhere")
    postcode = next((one.postcode for one in given if one.postcode and sal.postcode(one.postcode)), None)
    if postcode and len(states := states_at(postcode)) < len(sal.STATES):
        found.append(f"and the postcode {postcode} is in {listed(sorted(states), str)}")
    if query.state not in {None, *sal.STATES}:
        found.append(f"and {query.state!r} is not a state")
    hint = f": did you mean {joined(near, 'or', most=_FEW)}?" if near else "."
    return UnknownSuburb(
        f"{quoted(query)} matches no suburb {scope}: {', '.join(found)}. {cost} Correct the state, the postcode or the "
        f"region, or use the exact name{hint}",
        suggestions=tuple(place.area_name for place in verdict.candidates),
    )


def _hint(gazetteer: Gazetteer, query: Query, near: tuple[str, ...]) -> str:
    if is_unbounded_address(query.text) and not gazetteer.knows_all_about(query.text):
        return "Put a comma between the street and the suburb."
    return f"Did you mean {one_of(gazetteer, query.text, near, state_of(query))}?" if near else ""


def _location(place: Place, kinds: Collection[str]) -> str:
    """Return where a place is: its areas of these kinds, its state and its postcode."""
    areas = [area for kind in AREAS if kind in kinds and (area := getattr(place, kind))]
    where = ", ".join([*areas, place.state or "a state not known here"])
    return f"{where} ({place.postcode})" if place.postcode else where


@dataclass(frozen=True, slots=True)
class Unresolved:
    """The rows of a request that were not resolved, as one error or one warning.

    Parameters
    ----------
    rows
        The query of each row.
    problems
        The outcome of each query that was not resolved.
    resolved
        The resolved name of each row, NA where there is none.
    cents
        The most that all look-ups may have cost.
    advice
        How to load a list, if there is none.
    pins
        The file of pins of the request, if it has one.
    in_pins
        True if that file has every query that a person can decide.
    """

    rows: Rows
    problems: Mapping[Query, Outcome]
    resolved: pd.Series[Any]
    cents: int
    advice: str
    pins: Path | None
    in_pins: bool

    @property
    def _errors(self) -> list[Any]:
        return [one.error for one in self.problems.values()]

    def error(self) -> SuburbError:
        """Return one error for all rows.

        It is ``AmbiguousSuburb`` if any row is ambiguous, else ``UnknownSuburb`` if any is unknown, else
        ``BatchIncomplete``. A request of one row gets the error of its query, unless a file of pins has that query.
        """
        if len(self.rows) == 1 and not self.in_pins:
            return self._attached_to(self._errors[0])
        message = self._message(".")
        ambiguous = [error.candidates for error in self._errors if isinstance(error, AmbiguousSuburb)]
        unknown = [error.suggestions for error in self._errors if isinstance(error, UnknownSuburb)]
        whole: SuburbError
        if ambiguous:
            whole = AmbiguousSuburb(message, candidates=_distinct(ambiguous), cents=self.cents)
        elif unknown:
            whole = UnknownSuburb(message, suggestions=_distinct(unknown), cents=self.cents)
        else:
            whole = BatchIncomplete(message, cents=self.cents)
            whole.retryable = any(error.retryable for error in self._errors)
        return self._attached_to(whole)

    def warning(self) -> str:
        """Return the text of one warning for all rows."""
        return self._message(" and are NA." if len(self._open_rows()) > 1 else " and is NA.")

    def ended_by(self, error: SuburbError) -> SuburbError:
        """Return the error that ended the look-ups, with the cost of all of them in place of that of its own call."""
        error = self._attached_to(error)
        if self.cents:
            what, *more = sentences(str(error))
            cost = f"The look-ups of this request cost up to {counted(self.cents, 'cent')}."
            error.args = (" ".join([what, cost, *more[-1:]]),)
        return error

    def _attached_to(self, error: SuburbError) -> SuburbError:
        """Return a copy of an error that carries the resolved names and all problems."""
        error = copy(error)  # the error can be one of the ``failures``, and must not contain itself
        numbers = self._open_rows()
        error.resolved, error.problems = self.resolved, self._table(self.resolved.index[numbers])
        error.failures = dict(zip(map(_label, self.problems), self._errors, strict=True))
        return error

    def _open_rows(self) -> list[int]:
        return [number for number, query in enumerate(self.rows) if query in self.problems]

    def _open_outcomes(self) -> list[tuple[Query, Outcome]]:
        return [(query, self.problems[query]) for query in self.rows if query and query in self.problems]

    def _table(self, index: pd.Index[Any]) -> pd.DataFrame:
        """Return a frame with each row's query, its problem, and its candidates or similar names.

        The column of regions is there if a query has one.
        """
        cells = [
            # Arrow takes no surrogates.
            [*(str(part or "").encode("utf-8", "replace").decode() for part in query), one.problem, _names(one)]
            for query, one in self._open_outcomes()
        ]
        columns = ["query", "state", "postcode", "region", "problem", "names"]
        table = pd.DataFrame(cells, index=index, columns=columns, dtype="str")
        return table if (table["region"] != "").any() else table.drop(columns="region")

    def _message(self, end: str) -> str:
        """Return the counts, the charge and the next step, then a line for each query."""
        kinds = Counter(one.problem for _, one in self._open_outcomes())
        number = kinds.total()
        what = ", ".join(f"{count} {_IN_WORDS.get(kind, kind)}" for kind, count in kinds.items())
        were = "was" if number == 1 else "were"
        start = f"{number} of {counted(len(self.rows), 'row')} {were} not resolved ({what}){end}"
        lines = [_line(query, one) for query, one in self.problems.items()]
        more = [f"and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
        start = f"{start} {self._cost()} {self._what_to_do()}"
        return "\n".join([start, *lines[:_MOST_LISTED], *more, *self._hints()])

    def _cost(self) -> str:
        if any(error.cents and isinstance(error, ServiceError | Unreachable) for error in self._errors):
            return f"The look-ups may have charged up to {counted(self.cents, 'cent')}."
        return charged(self.cents)

    def _what_to_do(self) -> str:
        if not any(one.problem in DECIDABLE for one in self.problems.values()):
            if any(error.retryable for error in self._errors):
                return "Run the same line again: the responses that arrived are stored."
            not_stored = next((error for error in self._errors if isinstance(error, NotStored)), None)
            return sentences(str(not_stored))[-1] if not_stored else "Correct these queries, or leave them out."
        if self.in_pins:
            where = f"The open queries are in {self.pins}"
            return f"{where}: fill in each empty area_name there, and run the same line again."
        where, line = "write them to a file", "pins='names.csv', append_pins=True"
        if self.pins is not None:
            where, line = f"append them to {self.pins}", "append_pins=True"
        return f"Correct these queries, or {where} and fill in each area_name there: {line}"

    def _hints(self) -> Iterator[str]:
        """Yield the lines below the queries: invalid states, how to split rows, and how to know more names."""
        invalid = dict.fromkeys(query.state for query in self.problems if query.state not in {None, *sal.STATES})
        if invalid:
            yield f"Not the name of a state: {listed(map(str, invalid))}"
        several = next((query.text for query, one in self.problems.items() if one.problem == SEVERAL), None)
        if several is not None:
            yield f"To give each suburb of a row such as {several!r} a row of its own: {_how_to_split(several)}"
        if self.advice and any(one.problem == UNKNOWN for one in self.problems.values()):
            yield self.advice


def _line(query: Query, one: Outcome) -> str:
    """Return a query with its problem, and its candidates or, if nobody can decide, its error."""
    what = _names(one) if one.problem in DECIDABLE else str(one.error)
    return ": ".join(filter(None, (quoted(query), one.problem, what)))


def _names(one: Outcome) -> str:
    """Return the first candidates of a query, and how many more there are."""
    more = [f"and {len(one.candidates) - _NAMES_A_ROW} more"] if len(one.candidates) > _NAMES_A_ROW else []
    return "; ".join([*one.candidates[:_NAMES_A_ROW], *more])


def _distinct(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in lists for name in names))


def _label(query: Query) -> str:
    """Return the key of a query in ``failures``: its text, then its state, postcode and region in brackets."""
    beside = " ".join(filter(None, query[1:]))
    return f"{query.text} [{beside}]" if beside else query.text
