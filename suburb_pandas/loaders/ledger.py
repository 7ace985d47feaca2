"""Before a purchase and after it: what it would cost, what each call cost, and what is stored of a suburb.

No function here makes a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.session import current
from suburb_pandas.errors import ContractViolation
from suburb_pandas.frames.suburbs import repeated, select_suburbs
from suburb_pandas.loaders import frames
from suburb_pandas.loaders.options import reuse
from suburb_pandas.messages import listed
from suburb_pandas.names import sal
from suburb_pandas.purchasing.quote import Quote, confirm, plan
from suburb_pandas.service import endpoints as wire
from suburb_pandas.service.calls import GEOCODE, NEEDS, Item, Response
from suburb_pandas.timeseries.dates import Length


def quote(
    suburbs: str | Iterable[str],
    endpoints: str | Iterable[str] = ("rent",),
    *,
    refresh: bool = False,
    max_age: Length | None = None,
    check_names: bool = True,
    client: Client | None = None,
) -> Quote:
    """Say what a request would cost, without a call. The purchase of the same request runs this very plan.

    Parameters
    ----------
    suburbs
        One exact ABS SAL name, or many: a list, a Series or an Index. A frame has ``df.suburb.quote()``.
    endpoints
        ``"rent"``, ``"impacts"``, or several; ``"scorecard"`` means what a scorecard needs, and ``"geocode"`` what
        :func:`find` asks.
    refresh, max_age, check_names, client
        As in :func:`rent`.

    Returns
    -------
    Quote
        ``calls``, ``cents`` and ``stored`` (numbers); ``duplicates``, ``unknown`` and ``unresolved`` (tuples of names);
        ``argument``, which is what to pass so that the cap does not stop it. It shows as a table.

    Raises
    ------
    InvalidName
        Not a name.
    ValueError
        Not an endpoint.

    Examples
    --------
    >>> sp.quote(["Saltbush Park", "Mangrove Steps"], "scorecard")
    Quote
      source      the embedded sandbox: made-up suburbs, free
      calls       4
      ...
    """
    if isinstance(suburbs, Iterator):
        suburbs = list(suburbs)
    asked, client = select_suburbs(suburbs), current(client)
    needed = _needed(endpoints)
    items = [_item(client, endpoint, name) for name in asked.names for endpoint in needed]
    found = plan(client, items, reuse(refresh=refresh, max_age=max_age), check_names=check_names)
    return replace(confirm(client, found), duplicates=repeated(suburbs))


def ledger(*, client: Client | None = None) -> pd.DataFrame:
    """Give every call that the store knows of, oldest first. No call is made.

    Returns
    -------
    pandas.DataFrame
        One row a call: ``at`` (UTC), ``endpoint``, ``area_name``, ``outcome`` (``sent``, ``billed``,
        ``not_billed`` or ``unknown``), ``cents`` (int64; for ``sent`` and ``unknown`` what it may have cost),
        ``http_status`` (Int64), ``request_id``, ``source``.

    Raises
    ------
    StoreError
        The store cannot be read.

    Examples
    --------
    >>> with sp.Client(api_key="embedded") as client:
    ...     drivers = sp.impacts("Lantern Bay (NSW)", client=client)
    ...     sp.ledger(client=client)[["endpoint", "area_name", "outcome", "cents"]]
      endpoint          area_name outcome  cents
    0  impacts  Lantern Bay (NSW)  billed      0
    """
    return frames.ledger_frame(current(client).store.ledger())


def vintages(suburb: str, endpoint: str = "rent", *, client: Client | None = None) -> pd.DataFrame:
    """Give the stored responses of a suburb, oldest first: one is added by each ``refresh``. No call is made.

    Parameters
    ----------
    suburb
        One exact ABS SAL name.
    endpoint
        ``"rent"`` or ``"impacts"``.
    client
        Instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row a response: ``retrieved_at`` (UTC), ``cents`` (int64), ``sha256`` (of the body), ``n_points`` (Int64:
        points of both series, or drivers; 0 for an answer without data, NA for one that breaks the specification).

    Raises
    ------
    ValueError
        Not an endpoint.
    StoreError
        The store cannot be read.

    Examples
    --------
    >>> sp.vintages("Lantern Bay (NSW)").columns.to_list()
    ['retrieved_at', 'cents', 'sha256', 'n_points']
    """
    if endpoint not in wire.DECODERS:
        raise ValueError(f"endpoint is one of {listed(wire.DECODERS)}, not {endpoint!r}.")
    name, client = sal.check(suburb), current(client)
    found = client.kept.vintages(client.namespace, _item(client, endpoint, name))
    return frames.vintages_frame([(response, _count(endpoint, name, response)) for response in found])


def _needed(endpoints: str | Iterable[str]) -> tuple[str, ...]:
    given = [endpoints] if isinstance(endpoints, str) else list(endpoints)
    wrong = [endpoint for endpoint in given if endpoint not in NEEDS]
    if wrong or not given:
        raise ValueError(f"endpoints are {listed(NEEDS)}, not {listed(wrong) or 'none'}.")
    return tuple(dict.fromkeys(need for endpoint in given for need in NEEDS[endpoint]))


def _item(client: Client, endpoint: str, name: str) -> Item:
    return known_names.look_up(client, name) if endpoint == GEOCODE else Item(endpoint, name)


def _count(endpoint: str, name: str, response: Response) -> int | None:
    """How many points or drivers a response has; None if it cannot be read."""
    try:
        payload = wire.DECODERS[endpoint](response.body, name)
    except ContractViolation:
        return None
    if isinstance(payload, wire.Rent):
        return len(payload.house.days) + len(payload.unit.days)
    return len(payload.drivers) if isinstance(payload, wire.Impacts) else 0
