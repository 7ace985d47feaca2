"""Resolves free text into suburb names, or into an error that lists the possible names.

Owns the order of the steps: pins, then the names known on this machine, then one look-up for each query that is still
unresolved. The rule for a match is left to names.matching, the choice of look-ups to client.known_names, their purchase
to loaders, and the frames, warnings and errors to outcomes.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from os import PathLike
from typing import Any, Literal, overload

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import InvalidName, NotStored, SuburbError, SuburbWarning
from suburb_pandas.frames.dates import Length
from suburb_pandas.frames.suburbs import Beside, SuburbSelection, Texts, read_queries, texts_of
from suburb_pandas.geocoding import outcomes
from suburb_pandas.geocoding.outcomes import DECIDABLE, Outcome, Problem, Resolved
from suburb_pandas.geocoding.pins import Pins, append_to, read_pins
from suburb_pandas.loaders.batch import gather_items
from suburb_pandas.loaders.options import OnError, Options
from suburb_pandas.messages import warn
from suburb_pandas.names import sal
from suburb_pandas.names.matching import Verdict, rule, verdict
from suburb_pandas.names.written import Query
from suburb_pandas.service.geocode import GEOCODE, places_of
from suburb_pandas.settings import expand_home


@overload
def resolve(
    queries: str | Iterable[str],
    state: Beside = None,
    postcode: Beside = None,
    *,
    region: Beside = None,
    detail: Literal[False] = False,
    pins: str | PathLike[str] | None = None,
    append_pins: bool = False,
    errors: OnError = "raise",
    max_cents: int | None = None,
    refresh: bool = False,
    max_age: Length | None = None,
    offline: bool = False,
    progress: bool | None = None,
    client: Client | None = None,
) -> "pd.Series[str]": ...


@overload
def resolve(
    queries: str | Iterable[str],
    state: Beside = None,
    postcode: Beside = None,
    *,
    region: Beside = None,
    detail: Literal[True],
    pins: str | PathLike[str] | None = None,
    append_pins: bool = False,
    errors: OnError = "raise",
    max_cents: int | None = None,
    refresh: bool = False,
    max_age: Length | None = None,
    offline: bool = False,
    progress: bool | None = None,
    client: Client | None = None,
) -> pd.DataFrame: ...


def resolve(
    queries: str | Iterable[str],
    state: Beside = None,
    postcode: Beside = None,
    *,
    region: Beside = None,
    detail: bool = False,
    pins: str | PathLike[str] | None = None,
    append_pins: bool = False,
    errors: OnError = "raise",
    max_cents: int | None = None,
    refresh: bool = False,
    max_age: Length | None = None,
    offline: bool = False,
    progress: bool | None = None,
    client: Client | None = None,
) -> "pd.Series[str] | pd.DataFrame":
    """Return the exact suburb name for each query. A query that fits several suburbs, or none, raises an error.

    A query resolves to a suburb if it is the suburb's exact name. It also resolves if it is the base of a name (the
    name without its brackets), and exactly one suburb with that base fits the state, postcode, council or ABS area
    that was given. These parts can stand before or after the name in the query, or in the arguments. Case, repeated
    and outer spaces, apostrophes and dots are ignored, and so are a street address with a number in front and a
    footnote mark behind. A hyphen counts as a space, ``Mt`` as ``Mount`` and ``Saint`` as ``St``. Spaces within a name
    are not ignored.

    Abbreviations such as ``Nth`` or ``N``, ``Pt`` (Point or Port) and ``Jn`` are written out in every way, digits as
    words, and ``O Halloran`` as ``O'Halloran``. Such a query resolves if the complete list has exactly one of these
    names. Names in other words are never chosen, only shown as candidates: ``East Bentleigh`` for Bentleigh East, and
    the name before ``CBD``. A text about several suburbs, such as ``Prahran-Windsor``, never resolves.

    A state, postcode or region can confirm a suburb or contradict it. A part that cannot be checked on this machine
    does neither: ``St Kilda VIC 3182`` resolves even if the suburb's postcode is not known. A `SuburbWarning` lists
    such rows and the file to load, and ``detail=True`` shows the part in ``not_confirmed``. But if nothing tells where
    a suburb is, a longer name in the given state keeps the row open: ``Avalon`` in NSW can mean Avalon Beach.

    If the postcode of a suburb is not known, Australia Post's ranges say in which states the given postcode can lie. A
    range never chooses among several suburbs, but it rules out a suburb in another state. The same holds for a postcode
    that the loaded table has for no suburb, such as one for post boxes.

    Queries that may be councils are read as suburbs, with a `SuburbWarning` that shows :func:`places`: if their column
    is called ``LGA``, ``lga_name`` or ``council``, or if most of at least five texts are names of councils and the
    column is not called after suburbs. A council's kind in brackets, as in ``Parramatta (C)``, is ignored.

    No look-up is needed for made-up suburbs, or once the full list is loaded (:func:`load_gazetteer`). Otherwise the
    service is asked once about each query that the names known on this machine do not resolve. Different spellings of
    a query share a look-up.

    Parameters
    ----------
    queries
        One text, or many: a list, a Series (of pandas, polars, dask or pyarrow) or an Index. For a frame, use
        ``df.suburb.resolve()``.
    state, postcode
        One value for all queries, or one for each, where a missing value is ignored. States in any spelling, postcodes
        as text or numbers. A row whose own state or postcode cannot be read stays unresolved.
    region
        The council, SA2, SA3 or SA4 of the queries, by name, in the same way.
    detail
        Return a frame that shows how each row was resolved.
    pins
        A CSV file of earlier decisions, with the columns ``query``, ``state``, ``postcode`` and ``area_name``, and
        ``region`` if you use it. Its names take precedence over all rules, and are compared with no list. A row with
        an empty ``area_name`` is an open query, still to be decided.
    append_pins
        Append the new resolutions to the file of ``pins``, which is created if needed. Queries that fit several suburbs
        or none are appended too, with an empty ``area_name`` and their ``candidates``: fill in the names and run the
        same line again.
    errors
        ``"raise"``, or ``"warn"`` to leave NA in unresolved rows.
    max_cents, refresh, max_age, offline, progress, client
        As in :func:`rent`.

    Returns
    -------
    pandas.Series
        Named ``area_name``, text, one row for each query, index ``query``. To assign a column of a frame, use
        ``df.suburb.resolve()``, which keeps the frame's index. A missing query is NA, with a `SkippedRowsWarning`. In a
        Series, a text such as ``n.a.``, ``-`` or ``Unknown`` counts as missing, unless it is a known name.
    pandas.DataFrame
        With ``detail=True``: the same index, and columns of text, NA where a column does not apply. ``; `` separates
        several values. With ``errors="warn"``, unresolved rows are included.

        - ``area_name``, and the ``edition`` of the list that has the name.
        - ``rule``: ``exact`` (the query is the name), ``base``, ``base_state``, ``council`` or ``postcode`` (the part
          that was needed so that only one suburb fits), ``abbreviation``, ``pin`` or ``look_up``.
        - ``confirmed_by``: the parts of the query that are known to be true of the suburb. ``not_confirmed``: those
          that cannot be checked on this machine.
        - ``candidates`` of an unresolved row, and its ``problem``: ``ambiguous`` (more than one suburb fits),
          ``several`` (the query names several suburbs), ``elsewhere`` (suburbs of that name exist, but not in the given
          place), ``unknown`` (no known name fits), ``missing`` (there is no query), or the name of an error.

    Raises
    ------
    AmbiguousSuburb
        At least one query can mean more than one suburb, or names several. ``.candidates`` has their names,
        ``.resolved`` the resolved rows, and ``.problems`` a row for each unresolved query.
    UnknownSuburb
        A query matches no known suburb. ``.suggestions`` has similar names, without those known to be in another state
        than the query's; ``.resolved`` and ``.problems`` are as above.
    InvalidName
        A query is not text, or a list of queries holds a missing value or a text for one. Nothing was sent.
    TypeError
        An argument is a whole frame (of any library), a mapping, the groups of a frame, or a set. Nothing was sent.
    ValueError, FileNotFoundError
        The state or the postcode for all queries, or the file of pins, cannot be read; a list beside the queries has
        another length or index; or ``append_pins`` has no file. Nothing was sent.
    CapExceeded, BudgetExceeded, NotStored, BatchIncomplete, ...
        Look-ups failed, or the request ended before all were made; ``.resolved`` has the resolved rows.

    See Also
    --------
    suggest : Names similar to a text, free.
    find : The service's candidates for a query.
    load_gazetteer : Load a list of suburb names, such as the ABS's.

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
    return resolve_rows(
        texts,
        (state, postcode, region),
        pd.Index(list(texts), name="query"),
        detail=detail,
        pins=pins,
        append_pins=append_pins,
        errors=errors,
        max_cents=max_cents,
        refresh=refresh,
        max_age=max_age,
        offline=offline,
        progress=progress,
        client=client,
    )


def resolve_rows(
    texts: Texts,
    beside: tuple[Beside, Beside, Beside],
    index: "pd.Index[Any]",
    *,
    detail: bool,
    pins: str | PathLike[str] | None,
    append_pins: bool,
    client: Client | None,
    **buying: Any,
) -> "pd.Series[str] | pd.DataFrame":
    """Resolve texts, as :func:`resolve` documents.

    ``beside`` has their states, postcodes and regions, ``index`` is that of the result, and ``buying`` has the options
    for `Options`.
    """
    if append_pins and pins is None:
        raise ValueError("append_pins=True needs the path of a file, as in pins='names.csv'.")
    rows = read_queries(texts, *beside, partial(known_names.of_client, client))
    queries = dict.fromkeys(query for query in rows if query is not None)
    options = Options(**buying)
    path = None if pins is None else expand_home(pins)
    pin_file = read_pins(path, appending=append_pins) if path else Pins()
    context = request_context(client)
    outcomes.warn_if_councils(context, queries, getattr(texts, "name", None))
    pinned = {query: name for query in queries if (name := pin_file.name_for(query))}
    outcome = _decide(context, [query for query in queries if query not in pinned], options)
    if path and append_pins:
        decided = {query: one.area_name for query, one in outcome.resolved.items()}
        undecided = {query: one.names for query, one in outcome.problems.items() if one.kind in DECIDABLE}
        append_to(path, decided, undecided)
    outcome.resolved.update({query: Resolved(name, "pin") for query, name in pinned.items()})
    if not detail:
        outcomes.warn_of_unchecked(context, rows, outcome)
    names = outcomes.series(rows, index, outcome)
    if outcome.problems:
        if options.errors == "raise" or not isinstance(outcome.error, NotStored | None):
            raise outcomes.error_of(rows, names, outcome, path)
        warn(outcomes.summary(rows, outcome, path, ", and area_name is NA there"), SuburbWarning)
    return outcomes.frame(rows, index, outcome) if detail else names


def _decide(context: RequestContext, queries: Sequence[Query], options: Options) -> Outcome:
    """Resolve queries by the names known on this machine, then look up the remaining ones and resolve them again."""
    first = known_names.gazetteer_of(context)
    verdicts, failures = dict[Query, Verdict](), dict[Query, SuburbError]()
    for query in queries:
        try:
            sal.check(query.text)
            verdicts[query] = verdict(first, query)
        except InvalidName as invalid:
            failures[query] = invalid
    known_names.record_verdicts(context, first, verdicts)
    items = known_names.look_ups(context, first, verdicts)
    distinct = list(dict.fromkeys(items.values()))
    selection = SuburbSelection(tuple(item.area_name for item in distinct), one=False)
    batch = gather_items(GEOCODE, distinct, selection, context, options)
    result, now = batch.result, known_names.gazetteer_after(context)
    for query, item in items.items():
        reading = batch.answers.readings.get(item)
        if reading is not None and item not in result.failures:
            verdicts[query] = verdict(now, query, found={place.area_name for place in places_of(reading.payload)})
        elif error := result.failures.get(item) or result.error:
            failures[query] = error
            del verdicts[query]
    cents = {item: error.cents for item, error in result.failures.items()} | result.cents
    charges = {query: cents.get(item, 0) for query, item in items.items()}
    resolved = {
        query: Resolved(one.area_name, "look_up" if query in items else rule(first, one.fit), one.fit)
        for query, one in verdicts.items()
        if one.area_name and one.fit
    }
    unresolved = {query: Problem(type(error).__name__, error) for query, error in failures.items()}
    unresolved |= outcomes.problems(context, now, verdicts, charges)
    return Outcome(resolved, unresolved, sum(cents.values()), result.error)
