"""What to say of queries that mean no one suburb: an error for each, and one that speaks for all rows of a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from . import frames
from .errors import AmbiguousSuburb, BatchIncomplete, SuburbError, UnknownSuburb
from .gazetteer import Gazetteer, Place
from .hints import one_of, suggested
from .messages import charged
from .names import STATES, parse
from .resolution import Query, Verdict

_SHOWN = ["area_name", "state", "lga", "postcode"]
_NAMES_A_ROW = 4
_ROWS = 100


def problem(gazetteer: Gazetteer, query: Query, verdict: Verdict, cents: int) -> SuburbError:
    """Give the error for one query that means no one suburb, after a look-up if one was made for so many cents."""
    if verdict.is_ambiguous:
        return _ambiguous(query, verdict.candidates, cents)
    if verdict.unconfirmed:
        return _unconfirmed(query, verdict.candidates[0], cents)
    near = suggested(gazetteer, query.text)
    hint = f"Did you mean {one_of(gazetteer, query.text, near)}?" if near else ""
    who = gazetteer.said_by if gazetteer.complete else "the service and what is known here"
    return UnknownSuburb(
        f"No suburb can be meant by {_told(query)}, by {who}. {charged(cents)} {hint}".strip(),
        suggestions=near,
        cents=cents,
    )


def report(
    problems: Mapping[Query, SuburbError], rows: Sequence[Query | None], resolved: pd.Series[Any], cents: int
) -> SuburbError:
    """Give the one error for all rows that were not resolved: ambiguous if one is, else unknown if one is."""
    if len(rows) == 1:
        ((_, error),) = problems.items()
    else:
        error = _for_all(problems, rows, cents)
    return attach(error, problems, rows, resolved)


def attach(
    error: SuburbError, problems: Mapping[Query, SuburbError], rows: Sequence[Query | None], resolved: pd.Series[Any]
) -> SuburbError:
    """Let an error carry what was resolved, and each row that was not."""
    error.resolved, error.problems = resolved, _table(problems, rows, resolved.index)
    error.failures = {", ".join(filter(None, query)): found for query, found in problems.items()}
    return error


def _ambiguous(query: Query, candidates: Sequence[Place], cents: int) -> AmbiguousSuburb:
    if len(candidates) == 1:
        what = f"{_told(query)} can mean several suburbs, of which this one is known here"
    else:
        what = f"{_told(query)} can mean {len(candidates)} suburbs"
    table = frames.candidates_frame(candidates)[_SHOWN].dropna(axis="columns", how="all")
    return AmbiguousSuburb(
        f"{what}, and none was chosen. {charged(cents)} Say which by its state or its postcode, or write its exact "
        f"name:\n{table.to_string(index=False, na_rep='')}",
        candidates=tuple(place.area_name for place in candidates),
        cents=cents,
    )


def _unconfirmed(query: Query, only: Place, cents: int) -> UnknownSuburb:
    base = parse(only.area_name).base
    return UnknownSuburb(
        f"{_told(query)} can only be {only.area_name}, but nothing known here says that this is where it is. "
        f"{charged(cents)} Write the exact name alone if it is meant; sp.find({base!r}) asks the service where it is, "
        "for 1 cent.",
        suggestions=(only.area_name,),
        unconfirmed=True,
        cents=cents,
    )


def _told(query: Query) -> str:
    """Say what was asked: the text, and what stood beside it."""
    where = f" in {query.state}" if query.state in STATES else f" in {query.state!r}" if query.state else ""
    return f"{query.text!r}{where}{f' with the postcode {query.postcode}' if query.postcode else ''}"


def _for_all(problems: Mapping[Query, SuburbError], rows: Sequence[Query | None], cents: int) -> SuburbError:
    affected = [problems[query] for query in rows if query is not None and query in problems]
    kinds = ", ".join(f"{number} {kind}" for kind, number in Counter(map(_word, affected)).items())
    message = (
        f"{len(affected)} of {len(rows)} rows were not resolved ({kinds}). "
        f"{charged(cents)} What was is in .resolved, and each row that was not in .problems; correct them, or decide "
        f"on them in a file for pins=.\n{_listing(problems)}"
    )
    ambiguous = [error for error in problems.values() if isinstance(error, AmbiguousSuburb)]
    unknown = [error for error in problems.values() if isinstance(error, UnknownSuburb)]
    if ambiguous:
        every = dict.fromkeys(name for error in ambiguous for name in error.candidates)
        return AmbiguousSuburb(message, candidates=tuple(every), cents=cents)
    if unknown:
        every = dict.fromkeys(name for error in unknown for name in error.suggestions)
        return UnknownSuburb(message, suggestions=tuple(every), cents=cents)
    error = BatchIncomplete(message, cents=cents)
    error.retryable = any(found.retryable for found in problems.values())
    return error


def _listing(problems: Mapping[Query, SuburbError]) -> str:
    """List each query that was not resolved, once."""
    table = _table(problems, list(problems), pd.RangeIndex(len(problems))).drop_duplicates()
    shown = table.replace("", None).dropna(axis="columns", how="all").fillna("").head(_ROWS)
    more = f"\nand {len(table) - len(shown)} more" if len(table) > len(shown) else ""
    return f"{shown.to_string(index=False)}{more}"


def _table(problems: Mapping[Query, SuburbError], rows: Sequence[Query | None], index: pd.Index[Any]) -> pd.DataFrame:
    """Give the rows that were not resolved, and for each what can be or may have been meant."""
    found = [(number, query) for number, query in enumerate(rows) if query is not None and query in problems]
    columns = {
        "query": [query.text for _, query in found],
        "state": [query.state or "" for _, query in found],
        "postcode": [query.postcode or "" for _, query in found],
        "problem": [_word(problems[query]) for _, query in found],
        "names": [_names(problems[query]) for _, query in found],
    }
    return pd.DataFrame(columns, index=index[[number for number, _ in found]], dtype="str")


def _word(error: SuburbError) -> str:
    if isinstance(error, UnknownSuburb):
        return "unconfirmed" if error.unconfirmed else "unknown"
    return "ambiguous" if isinstance(error, AmbiguousSuburb) else type(error).__name__


def _names(error: SuburbError) -> str:
    every = getattr(error, "candidates", ()) or getattr(error, "suggestions", ())
    more = f"; and {len(every) - _NAMES_A_ROW} more" if len(every) > _NAMES_A_ROW else ""
    return "; ".join(every[:_NAMES_A_ROW]) + more
