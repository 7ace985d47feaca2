"""Resolving: from what people wrote for suburbs to the names that are meant, or to an error that says what can be.

It owns the order of things: what was decided before, then what is known here, then one look-up a query. Which name is
meant is resolution's to say, what to say where none is, unresolved's; and that a look-up is quoted, capped and kept is
purchase's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack

import pandas as pd

from . import knowledge, names, unresolved
from . import pins as pin_file
from .batch import gather
from .calls import Item
from .client import Client, current
from .dates import Length
from .errors import InvalidName, NotStored, SkippedRowsWarning, SuburbError, SuburbWarning
from .lookups import look_up
from .messages import listed, warn
from .options import OnError, with_options_of
from .resolution import Query, verdict
from .shapes import AREA_NAME
from .wanted import Wanted

Texts: TypeAlias = "Sequence[Any] | pd.Series[Any] | pd.Index[Any]"
Beside = str | float | Iterable[Any] | None


class Buying(TypedDict, total=False):
    """What look-ups are bought under."""

    max_cents: int | None
    refresh: bool
    max_age: Length | None
    offline: bool
    progress: bool | None


class ResolveOptions(Buying, total=False):
    """What ``resolve`` takes besides the queries."""

    pins: str | PathLike[str] | None
    append_pins: bool
    errors: OnError
    client: Client | None


@dataclass(frozen=True, slots=True)
class Rows:
    """What is to be resolved, row for row; None where there is nothing to resolve."""

    queries: Sequence[Query | None]
    index: pd.Index[Any]

    @property
    def distinct(self) -> list[Query]:
        """Each query once."""
        return list(dict.fromkeys(query for query in self.queries if query))


@dataclass(slots=True)
class _Decisions:
    """What became of each query: its name, or its error.

    ``charges`` has what each look-up cost that was answered, ``cents`` what all may have cost, and ``stopped`` what
    ended them, if anything did.
    """

    names: dict[Query, str] = field(default_factory=dict)
    problems: dict[Query, SuburbError] = field(default_factory=dict)
    stopped: SuburbError | None = None
    charges: dict[Query, int] = field(default_factory=dict)
    cents: int = 0


def resolve_rows(
    rows: Rows,
    *,
    pins: str | PathLike[str] | None = None,
    append_pins: bool = False,
    errors: OnError = "raise",
    max_cents: int | None = None,
    refresh: bool = False,
    max_age: Length | None = None,
    offline: bool = False,
    progress: bool | None = None,
    client: Client | None = None,
) -> pd.Series[Any]:
    """Resolve rows, as :func:`resolve` says."""
    if errors not in {"raise", "warn"}:
        raise ValueError(f"errors is 'raise' or 'warn', not {errors!r}.")
    if append_pins and pins is None:
        raise ValueError("append_pins needs the file, as in pins='names.csv'.")
    path = None if pins is None else Path(pins).expanduser()
    decided = pin_file.read(path, appending=append_pins) if path else pin_file.Pins({})
    client = current(client)
    client.say_if_made_up()
    buying = Buying(max_cents=max_cents, refresh=refresh, max_age=max_age, offline=offline, progress=progress)
    pinned = {query: name for query in rows.distinct if (name := decided.name_for(query))}
    found = _decide(client, [query for query in rows.distinct if query not in pinned], buying)
    if path and append_pins and found.names:
        pin_file.append(path, decided, found.names)
    found.names |= pinned
    resolved = _series(rows, found.names)
    _raise_or_warn(rows, found, resolved, errors)
    return resolved


@with_options_of(resolve_rows)
def resolve(
    queries: str | Iterable[str], state: Beside = None, postcode: Beside = None, **options: Unpack[ResolveOptions]
) -> pd.Series[Any]:
    """Give the exact suburb name that each query means. Where that is not just one, it is an error, never a guess.

    A query means a name if it is that name; or its base, where no other suburb in the country has it; or its base with
    a state or a postcode, where no other suburb there has it. State and postcode may stand at the end of the query, or
    beside it. Case, repeated and outer spaces, apostrophes, dots, hyphens for spaces, ``Mt`` for ``Mount`` and
    ``Saint`` for ``St`` are overlooked; whether there is a space is not. A state or a postcode that nothing known here
    confirms resolves nothing.

    With a full list (:func:`load_gazetteer`, and always on made-up suburbs) nothing is asked of the service. Without
    one, each query that what is known here does not settle is looked up once, for 1 cent.

    Parameters
    ----------
    queries
        One text, or many: a list, a Series or an Index. A frame has ``df.suburb.resolve()``.
    state, postcode
        One for all queries, or one for each; missing ones say nothing. States in any spelling, postcodes as text or
        numbers.
    pins
        A CSV file of what was decided before, read first: ``query``, ``state``, ``postcode``, ``area_name``.
    append_pins
        Add to that file what is resolved now, and begin it where there is none.
    errors
        ``"raise"``, or ``"warn"`` to leave NA where nothing is resolved.
    max_cents, refresh, max_age, offline, progress, client
        As in :func:`rent`.

    Returns
    -------
    pandas.Series
        Called ``area_name``, text, a row for each query; index ``query``. NA for a missing query, which is skipped with
        a `SkippedRowsWarning`.

    Raises
    ------
    AmbiguousSuburb
        More than one suburb can be meant, of at least one query. ``.candidates`` has their names; ``.resolved`` what
        was resolved, and ``.problems`` a row for each query that was not.
    UnknownSuburb
        None can be meant, as far as is known; ``.suggestions`` has what is written similarly. As above, besides.
    InvalidName
        A query is not text, or is missing from a list. Nothing was sent.
    ValueError, FileNotFoundError
        A state, a postcode or the file of pins cannot be read. Nothing was sent.
    CapExceeded, BudgetExceeded, NotStored, BatchIncomplete, ...
        What ended or spoiled the look-ups; with ``.resolved``.

    Examples
    --------
    >>> sp.resolve(["quokka bay", "Mt Wonga Wonga NSW", "lantern bay tas"])
    query
    quokka bay                   Quokka Bay
    Mt Wonga Wonga NSW    Mount Wonga Wonga
    lantern bay tas      Lantern Bay (Tas.)
    Name: area_name, dtype: ...
    """
    if isinstance(queries, pd.DataFrame):
        raise TypeError("A frame was given for queries. Its own accessor finds the column: df.suburb.resolve().")
    if isinstance(queries, set | frozenset | bytes) or not isinstance(queries, Iterable):
        raise TypeError(f"queries is a text, a list, a Series or an Index, not {type(queries).__name__}.")
    given: Texts = queries if isinstance(queries, pd.Series | pd.Index) else _listed(queries)
    return resolve_rows(read_rows(given, state, postcode, pd.Index(list(given), name="query")), **options)


def _listed(queries: str | Iterable[Any]) -> list[Any]:
    return [queries] if isinstance(queries, str) else list(queries)


def read_rows(queries: Texts, state: Beside, postcode: Beside, index: pd.Index[Any]) -> Rows:
    """Put what was written in each row together with the state and the postcode beside it.

    Raises
    ------
    InvalidName
        Something that is not text was written; or in a list, nothing.
    ValueError
        What stands beside it does not fit, or is one for all rows and cannot be read.
    """
    states = _beside("state", state, queries)
    postcodes = _beside("postcode", postcode, queries)
    may_lack = isinstance(queries, pd.Series | pd.Index)
    found = [
        None if may_lack and (pd.isna(text) or text == "") else Query(_text(text), *where)
        for text, *where in zip(queries, states, postcodes, strict=True)
    ]
    labels = queries.index if isinstance(queries, pd.Series) else range(len(found))
    missing = [label for label, query in zip(labels, found, strict=True) if query is None]
    if missing:
        warn(
            f"{len(missing)} of {len(found)} rows have no suburb name and were skipped: {listed(missing)}.",
            SkippedRowsWarning,
        )
    return Rows(found, index)


def _text(written: object) -> str:
    """Give what was written, with its spaces in order."""
    if isinstance(written, str):
        return " ".join(written.split())
    raise InvalidName(f"What is to be resolved is text, and {written!r} is not. Nothing was sent.")


def _invalid(text: str) -> InvalidName | None:
    """Give the error for a text that cannot be looked up."""
    try:
        names.check(text)
    except InvalidName as problem:
        return problem
    return None


def _beside(what: str, given: Beside, queries: Texts) -> Sequence[str | None]:
    """Give the state or the postcode of each row, as our own columns have it; what cannot be read, as it is."""
    read = names.state_code if what == "state" else names.postcode
    if given is None or isinstance(given, str | float | Real):
        one = None if given is None else read(given)
        if given is not None and one is None:
            raise ValueError(f"{given!r} is no {what}. Nothing was sent.")
        return [one] * len(queries)
    every = list(given)
    differs = isinstance(given, pd.Series) and isinstance(queries, pd.Series) and not given.index.equals(queries.index)
    if len(every) != len(queries) or differs:
        raise ValueError(f"{what} is one for all queries, or one for each of the {len(queries)}, in their order.")
    blank = [pd.isna(value) or (isinstance(value, str) and not value.strip()) for value in every]
    return [None if none else read(value) or str(value) for value, none in zip(every, blank, strict=True)]


def _decide(client: Client, queries: Sequence[Query], buying: Buying) -> _Decisions:
    """Decide on each query by what is known here, and on the rest after a look-up of each."""
    found, gazetteer = _Decisions(), knowledge.of(client)
    found.problems = {query: problem for query in queries if (problem := _invalid(query.text))}
    verdicts = {query: verdict(gazetteer, query) for query in queries if query not in found.problems}
    open_ = [query for query, one in verdicts.items() if one.area_name is None]
    if open_ and not gazetteer.complete:
        _look_up(client, open_, found, buying)
        gazetteer = knowledge.of(client)
        verdicts |= {query: verdict(gazetteer, query, asked=query in found.charges) for query in open_}
    for query, one in verdicts.items():
        if one.area_name is not None:
            found.names[query] = one.area_name
            found.problems.pop(query, None)
        elif query not in found.problems:
            found.problems[query] = unresolved.problem(gazetteer, query, one, found.charges.get(query, 0))
    return found


def _look_up(client: Client, queries: Sequence[Query], found: _Decisions, buying: Buying) -> None:
    """Look each query up, unless that cannot help, and note what it cost or what went wrong.

    Queries that differ in nothing but what is overlooked mean the same, and share a look-up.
    """
    items: dict[Query, Item] = {}
    first: dict[tuple[str, str | None], Item] = {}
    for query in queries:
        if query.state in {None, *names.STATES}:
            item = look_up(query.text, query.state)
            items[query] = first.setdefault((names.fold(query.text), query.state), item)
    asked = Wanted(tuple(dict.fromkeys(item.area_name for item in items.values())), one=False)
    haul = gather("geocode", asked, client=client, **buying).haul
    found.stopped = haul.stopped
    found.cents = sum(haul.cents.values()) + sum(error.cents for error in haul.failures.values())
    for query, item in items.items():
        if item in haul.failures:
            found.problems[query] = haul.failures[item]
        elif item in haul.responses:
            found.charges[query] = haul.cents.get(item, 0)
        elif haul.stopped is not None:
            found.problems[query] = haul.stopped


def _series(rows: Rows, known: dict[Query, str]) -> pd.Series[Any]:
    values = [known.get(query, float("nan")) if query else float("nan") for query in rows.queries]
    return pd.Series(values, index=rows.index, dtype="str", name=AREA_NAME)


def _raise_or_warn(rows: Rows, found: _Decisions, resolved: pd.Series[Any], errors: OnError) -> None:
    """Say which rows were not resolved, and why."""
    if not found.problems:
        return
    if found.stopped is not None and not (errors == "warn" and isinstance(found.stopped, NotStored)):
        raise unresolved.attach(copy(found.stopped), found.problems, rows.queries, resolved)
    error = unresolved.report(found.problems, rows.queries, resolved, found.cents)
    if errors == "raise":
        raise error
    warn(str(error), SuburbWarning)
