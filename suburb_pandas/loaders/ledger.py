"""Reports costs and stored responses: the quote of a request, the ledger of calls, and the vintages of a suburb.

No function here makes a call. The calculation of a quote is left to purchasing.quote, reading the records to store.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.frames.dates import Length
from suburb_pandas.frames.suburbs import Beside, read_container, read_queries, repeated, select_suburbs, texts_of
from suburb_pandas.loaders.frames import UTC_TIME, table
from suburb_pandas.loaders.options import Options, Suburbs
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.names import sal
from suburb_pandas.names.matching import verdict
from suburb_pandas.names.written import Query
from suburb_pandas.purchasing.quote import Quote, make_quote, with_unresolved
from suburb_pandas.service import COMPOSITES, ENDPOINTS, endpoints_of
from suburb_pandas.service.calls import Call, Item, Response
from suburb_pandas.service.reading import read
from suburb_pandas.store.ledger import all_calls

_LEDGER_DTYPES: Final = {
    "at": UTC_TIME,
    "endpoint": "str",
    "area_name": "str",
    "outcome": "str",
    "cents": "int64",
    "http_status": "Int64",
    "request_id": "str",
    "source": "str",
}
_QUOTE: Final = "sp.quote({})"
_VINTAGE_DTYPES: Final = {
    "retrieved_at": UTC_TIME,
    "cents": "int64",
    "sha256": "str",
    "n_points": "Int64",
}


def quote(
    suburbs: Suburbs,
    endpoints: str | Iterable[str] = ("rent",),
    *,
    state: Beside = None,
    postcode: Beside = None,
    refresh: bool = False,
    max_age: Length | None = None,
    check_names: bool = True,
    client: Client | None = None,
) -> Quote:
    """Return the cost of a request. No call is made.

    A loader calculates its own quote in the same way before it buys.

    Parameters
    ----------
    suburbs
        One exact ABS SAL name, or many: a list, a Series or an Index. For a frame, use ``df.suburb.quote()``.
    endpoints
        ``"rent"``, ``"impacts"``, or several; ``"scorecard"`` stands for the endpoints that a scorecard needs.
        ``"resolve"`` stands for the look-ups that :func:`resolve` makes of the queries in ``suburbs``: those that the
        names known on this machine do not settle. ``"geocode"`` stands for one look-up of each query, as :func:`find`
        makes it.
    state, postcode
        With ``"resolve"``: as in :func:`resolve`. With ``"geocode"``: the states alone, one or one for each query.
    refresh, max_age, check_names, client
        As in :func:`rent`.

    Returns
    -------
    Quote
        ``calls``, ``cents`` and ``stored`` (numbers); ``duplicates``, ``unknown``, ``absent`` and ``unresolved``
        (tuples of names); ``refused`` (the cents that were charged, by name); ``argument``, the argument that allows
        the request to cost this much; ``line``, the call of :func:`set_limits` that raises cap and budget enough for
        the request. Its repr is a table, with the line if a limit is in the way.

    Raises
    ------
    InvalidName
        A value is not a name.
    TypeError
        As in :func:`rent`.
    ValueError
        A value is not an endpoint, no endpoint uses ``state`` or ``postcode``, or a state, a postcode or ``max_age``
        cannot be read.

    See Also
    --------
    set_limits : Change the cap and the budget.
    ledger : Return every call with its cost.

    Examples
    --------
    >>> sp.quote(["Saltbush Park", "Mangrove Steps"], "scorecard")
    Quote
      source      the embedded sandbox: made-up suburbs, free
      calls       4
      ...
    """
    suburbs = read_container(list(suburbs) if isinstance(suburbs, Iterator) else suburbs, "suburbs", _QUOTE)
    context, needed = request_context(client), _needed(endpoints)
    of_queries = [endpoint for endpoint in needed if endpoint in _OF_QUERIES]
    of_names = [endpoint for endpoint in needed if endpoint not in _OF_QUERIES]
    if (state is not None and not of_queries) or (postcode is not None and "resolve" not in needed):
        raise ValueError(
            f"Only 'resolve' and 'geocode' use a state, and only 'resolve' uses a postcode; this is for "
            f"{listed(needed)}. Nothing was sent."
        )
    context.warn_if_recording("A quote")
    items, known = list[Item](), partial(known_names.of_client, client)
    if of_names:
        names = select_suburbs(suburbs, _QUOTE, known=known).names
        items += [Item(endpoint, name) for name in names for endpoint in of_names]
    if of_queries:
        read = read_queries(texts_of(suburbs), state, postcode, None, known)
        queries = [query for query in read if query is not None]
        items += [item for endpoint in of_queries for item in _OF_QUERIES[endpoint](context, queries)]
    reuse = Options(refresh=refresh, max_age=max_age).reuse
    unconfirmed = make_quote(context, items, reuse, check_names=check_names)
    return dataclasses.replace(with_unresolved(context, unconfirmed), duplicates=repeated(suburbs))


def ledger(*, client: Client | None = None) -> pd.DataFrame:
    """Return every call and its cost, one row each, oldest first. No call is made.

    Parameters
    ----------
    client
        The client to use instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row for each call: ``at`` (datetime64, in UTC without a time zone), ``endpoint``, ``area_name`` (of a
        look-up, its query), ``outcome`` (``sent``, ``billed``, ``not_billed`` or ``unknown``), ``cents`` (int64; for
        ``sent`` and ``unknown`` the most it may have cost), ``http_status`` (Int64), ``request_id``, ``source``. The
        sum of ``cents`` is the most that the service can have charged, unless it sent prices that cannot be read: a
        `SuburbWarning` then names those calls.

    Raises
    ------
    StoreError
        The store cannot be read.

    See Also
    --------
    vintages : Return the stored responses of a suburb.
    quote : Return the cost of a request, without a call.

    Examples
    --------
    >>> with sp.Client(api_key="embedded") as client:
    ...     drivers = sp.impacts("Lantern Bay (NSW)", client=client)
    ...     sp.ledger(client=client)[["endpoint", "area_name", "outcome", "cents"]]
      endpoint          area_name outcome  cents
    0  impacts  Lantern Bay (NSW)  billed      0
    """
    context = request_context(client)
    context.warn_if_recording("The ledger")
    rows = context.store.read(all_calls)
    _warn_of_unread_prices([row for row in rows if row.price_header is not None])
    return table(rows, _LEDGER_DTYPES, lambda row, column: getattr(row if hasattr(row, column) else row.item, column))


def vintages(
    suburbs: Suburbs, endpoint: str = "rent", *, bodies: bool = False, client: Client | None = None
) -> pd.DataFrame:
    """Return a row for each stored response about a suburb, oldest first. No call is made.

    Each ``refresh`` adds a response, and none is ever removed.

    Parameters
    ----------
    suburbs
        One exact ABS SAL name, or many: a list, a Series or an Index. For ``"geocode"``, the queries of look-ups.
    endpoint
        ``"rent"``, ``"impacts"`` or ``"geocode"``.
    bodies
        Add the body of each response, as the service sent it.
    client
        The client to use instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row for each response: ``retrieved_at`` (datetime64, in UTC without a time zone), ``cents`` (int64),
        ``sha256`` (of the body), ``n_points`` (Int64: points of both series, drivers, or candidates; 0 for a response
        without data and for a refusal, NA for a response that breaks the specification). For many suburbs,
        ``area_name`` (text) is the first column, suburbs in the order given. With ``bodies``, ``body`` (text; bytes
        that are not UTF-8 are replaced) is the last one. To pass a time as ``retrieved_by``, take it from the frame: it
        needs its microseconds, which pandas may not show.

    Raises
    ------
    InvalidName
        A value is not a name.
    TypeError
        As in :func:`rent`.
    ValueError
        ``endpoint`` is not an endpoint.
    StoreError
        The store cannot be read.

    See Also
    --------
    revisions : Return the changes between stored responses.
    ledger : Return every call.

    Examples
    --------
    >>> sp.vintages("Lantern Bay (NSW)").columns.to_list()
    ['retrieved_at', 'cents', 'sha256', 'n_points']
    """
    if endpoint not in ENDPOINTS:
        raise ValueError(f"endpoint must be one of {listed(ENDPOINTS)}, not {endpoint!r}. Nothing was sent.")
    selection, context = select_suburbs(suburbs, "sp.vintages({})"), request_context(client)
    takes_a_query = ENDPOINTS[endpoint].takes_a_query
    items = [known_names.look_up(context, name) if takes_a_query else Item(endpoint, name) for name in selection.names]
    rows = [
        {
            "area_name": item.area_name,
            "retrieved_at": response.retrieved_at,
            "cents": response.cents,
            "sha256": response.sha256,
            "n_points": _count(item, response),
            "body": response.content.decode("utf-8", "replace") if bodies else "",
        }
        for item in items
        for response in context.vintages(item)
    ]
    first = {} if selection.one else {"area_name": "str"}
    return table(rows, {**first, **_VINTAGE_DTYPES, **({"body": "str"} if bodies else {})})


def _warn_of_unread_prices(rows: Sequence[Call]) -> None:
    if rows:
        warn(
            f"In {counted(len(rows), 'call')}, the service sent a price that cannot be read or believed, as for "
            f"{listed(rows, lambda row: f'{row.item.area_name!r} (X-Cost-Cents: {row.price_header!r})')}. The ledger "
            "lists such calls as unknown, at the last known price, although they may have cost more. Your account with "
            "the service shows what was charged.",
            SuburbWarning,
        )


def _needed(endpoints: str | Iterable[str]) -> tuple[str, ...]:
    """Return the endpoints to ask, each once; a composite such as ``scorecard`` stands for those that it needs."""
    names = [endpoints] if isinstance(endpoints, str) else list(endpoints)
    needs = [(name,) if name in _OF_QUERIES else endpoints_of(name) for name in names]
    if not names or not all(needs):
        known = listed(dict.fromkeys([*ENDPOINTS, *COMPOSITES, *_OF_QUERIES]))
        raise ValueError(f"endpoints must be one or more of {known}, not {listed(names) or 'none'}. Nothing was sent.")
    return tuple(dict.fromkeys(endpoint for need in needs for endpoint in need))


def _look_ups_of_resolve(context: RequestContext, queries: Iterable[Query]) -> Iterable[Item]:
    """Return the look-ups that ``resolve`` would make of these queries."""
    gazetteer = known_names.gazetteer_of(context)
    verdicts = {query: verdict(gazetteer, query) for query in queries if sal.is_name(query.text)}
    return known_names.look_ups(context, gazetteer, verdicts).values()


def _look_ups_of_find(context: RequestContext, queries: Iterable[Query]) -> Iterator[Item]:
    """Yield the look-up that ``find`` would make of each query."""
    for query in queries:
        sal.check_where("state", query.state)
        yield known_names.look_up(context, query.text, query.state)


_OF_QUERIES: Final = {"geocode": _look_ups_of_find, "resolve": _look_ups_of_resolve}
"""The endpoints that take queries, which need not be names, with the function that plans their look-ups."""


def _count(item: Item, response: Response) -> int | None:
    """Count the points or records in a response: 0 in a refusal, None in an unreadable one."""
    if response.is_refusal:
        return 0
    reading = read(item, response)
    return None if reading.problem else ENDPOINTS[item.endpoint].count(reading.payload)
