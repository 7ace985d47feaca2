"""Resolving: from what people wrote for suburbs to the names that are meant, or to an error that says what can be.

It owns the order of things: what was decided before, then what is known here, then one look-up a query. Which name is
meant is resolution's to say, what to say where none is, unresolved's; and that a look-up is quoted, capped and kept is
purchase's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, Unpack

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.session import current
from suburb_pandas.errors import InvalidName, NotStored, SuburbError, SuburbWarning
from suburb_pandas.frames.queries import Beside, Rows, read, texts_of
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.frames.suburbs import SuburbSelection
from suburb_pandas.geocoding.pins import Pins, append_to, read_pins
from suburb_pandas.geocoding.problems import Problem, Problems, problems
from suburb_pandas.loaders.batch import gather
from suburb_pandas.loaders.options import OnError, with_options_of
from suburb_pandas.messages import listed, warn
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer
from suburb_pandas.names.matching import can_be_meant, verdict
from suburb_pandas.names.sal import Query
from suburb_pandas.service.calls import Item
from suburb_pandas.timeseries.dates import Length


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


@dataclass(slots=True)
class _Decisions:
    """What became of each query: its name, or its error.

    Of each look-up that was answered, ``said`` has the names and ``charges`` the cents; ``cents`` is what all may have
    cost, and ``stopped`` what ended them, if anything did.
    """

    names: dict[Query, str] = field(default_factory=dict)
    problems: dict[Query, Problem] = field(default_factory=dict)
    stopped: SuburbError | None = None
    said: dict[Query, set[str]] = field(default_factory=dict)
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
) -> pd.Series[str]:
    """Resolve rows, as :func:`resolve` says."""
    if errors not in {"raise", "warn"}:
        raise ValueError(f"errors is 'raise' or 'warn', not {errors!r}.")
    if append_pins and pins is None:
        raise ValueError("append_pins needs the file, as in pins='names.csv'.")
    path = None if pins is None else Path(pins).expanduser()
    decided = read_pins(path, appending=append_pins) if path else Pins({})
    client = current(client)
    client.say_if_made_up()
    buying = Buying(max_cents=max_cents, refresh=refresh, max_age=max_age, offline=offline, progress=progress)
    pinned = {query: name for query in rows.distinct if (name := decided.name_for(query))}
    if pinned:
        _warn_of_pins(known_names.of(client), pinned, path)
    found = _decide(client, [query for query in rows.distinct if query not in pinned], buying)
    if path and append_pins and found.names:
        append_to(path, decided, found.names)
    found.names |= pinned
    resolved = _series(rows, found.names)
    _raise_or_warn(rows, found, resolved, errors)
    return resolved


@with_options_of(resolve_rows)
def resolve(
    queries: str | Iterable[str], state: Beside = None, postcode: Beside = None, **options: Unpack[ResolveOptions]
) -> pd.Series[str]:
    """Give the exact suburb name that each query means. Where that is not just one, it is an error, never a guess.

    A query means a name if it is that name; or its base, where no other suburb in the country has it; or its base with
    a state or a postcode, where no other suburb there has it. State and postcode may stand at the end of the query, or
    beside it. Case, repeated and outer spaces, apostrophes, dots, hyphens for spaces, ``Mt`` for ``Mount`` and
    ``Saint`` for ``St`` are overlooked; whether there is a space is not. A state or a postcode that nothing known here
    confirms resolves nothing.

    With a full list (:func:`load_gazetteer`, and always on made-up suburbs) nothing is asked of the service. Without
    one, each query that can mean a suburb, and that what is known here does not settle, is looked up once, for 1 cent;
    those that ask the same in other words share a look-up.

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
        Called ``area_name``, text, a row for each query; index ``query``, so that it is no column of a frame's: for
        that there is ``df.suburb.resolve()``. NA for a missing query, which is skipped with a `SkippedRowsWarning`.

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
    texts = texts_of(queries)
    rows = read(texts, state, postcode)
    return resolve_rows(Rows(rows, pd.Index(list(texts), name="query")), **options)


def _invalid(text: str) -> InvalidName | None:
    """Give the error for a text that cannot be looked up."""
    try:
        sal.check(text)
    except InvalidName as problem:
        return problem
    return None


def _decide(client: Client, queries: Sequence[Query], buying: Buying) -> _Decisions:
    """Decide on each query by what is known here, and on the rest after a look-up of each."""
    found, gazetteer = _Decisions(), known_names.of(client)
    found.problems = {query: Problem.of(error) for query in queries if (error := _invalid(query.text))}
    verdicts = {query: verdict(gazetteer, query) for query in queries if query not in found.problems}
    undecided = [query for query, one in verdicts.items() if one.area_name is None]
    _look_up(client, [] if gazetteer.complete else filter(can_be_meant, undecided), found, buying)
    known_names.put_on_cassette(client, [one.area_name for one in verdicts.values() if one.area_name is not None])
    gazetteer = known_names.after(client)
    verdicts |= {query: verdict(gazetteer, query, found=names_) for query, names_ in found.said.items()}
    for query, one in verdicts.items():
        if one.area_name is not None:
            found.names[query] = one.area_name
    rest = {query: one for query, one in verdicts.items() if one.area_name is None and query not in found.problems}
    found.problems |= dict(problems(client, rest, found.charges))
    return found


def _look_up(client: Client, queries: Iterable[Query], found: _Decisions, buying: Buying) -> None:
    """Look queries up, and note what the service said, what it cost, and what went wrong.

    Queries that ask the same in other words share a look-up.
    """
    first: dict[known_names.Asked, Item] = {}
    items: dict[Query, Item] = {}
    for query in queries:
        text = _without_postcode(query.text)
        item = known_names.look_up(client, text, query.state)
        items[query] = first.setdefault(known_names.asks(text, query.state), item)
    asked = SuburbSelection(tuple(dict.fromkeys(item.area_name for item in items.values())), one=False)
    brought = gather("geocode", asked, client=client, **buying)
    result = brought.result
    found.stopped = result.stopped
    found.cents = sum(result.cents.values())
    found.cents += sum(error.cents for item, error in result.failures.items() if item not in result.cents)
    for query, item in items.items():
        if item in result.failures:
            found.problems[query] = Problem.of(result.failures[item])
        elif item in brought.answers.vintages:
            candidates = brought.answers.geocode.payloads[item.area_name]
            found.said[query] = {place.area_name for place in known_names.places_of(candidates)}
            found.charges[query] = result.cents.get(item, 0)
        elif result.stopped is not None:
            found.problems[query] = Problem.of(result.stopped)


def _without_postcode(text: str) -> str:
    """Leave the postcode out that a text ends in: the others of the name are to be found too, to tell them apart."""
    rest, _, last = text.rpartition(" ")
    return rest.rstrip(" ,") if rest.strip(" ,") and len(last) == len("2000") and sal.postcode(last) else text


def _warn_of_pins(gazetteer: Gazetteer, pinned: Mapping[Query, str], path: Path | None) -> None:
    """Warn of names that were decided on and that there are not, as far as a complete gazetteer goes."""
    absent = {name for name in pinned.values() if gazetteer.complete and name not in gazetteer}
    if absent:
        warn(
            f"{path} decides on {listed(sorted(absent))}, and no suburb is called so, by {gazetteer.said_by}. They are "
            "given as they are; mind the spelling.",
            SuburbWarning,
        )


def _series(rows: Rows, known: dict[Query, str]) -> pd.Series[str]:
    values = [known.get(query, float("nan")) if query else float("nan") for query in rows.queries]
    return pd.Series(values, index=rows.index, dtype="str", name=AREA_NAME)


def _raise_or_warn(rows: Rows, found: _Decisions, resolved: pd.Series[Any], errors: OnError) -> None:
    """Say which rows were not resolved, and why."""
    if not found.problems:
        return
    every = Problems(found.problems, rows.queries, resolved)
    if found.stopped is not None and not (errors == "warn" and isinstance(found.stopped, NotStored)):
        raise every.attached_to(found.stopped)
    if errors == "raise":
        raise every.error(found.cents)
    warn(every.warning(found.cents), SuburbWarning)
