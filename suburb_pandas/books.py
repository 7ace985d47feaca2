"""Before a purchase and after it: what it would cost, what each call cost, and which responses a frame came from.

No function here makes a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from . import frames, knowledge, names, quotes, served, wire
from .batch import NEEDS
from .calls import GEOCODE, Item, Response
from .client import Client, current
from .dates import Length
from .errors import ContractViolation, SuburbError
from .messages import listed
from .options import reuse
from .quotes import Quote
from .served import Subject, Vintage
from .shapes import marks_of
from .wanted import repeated, wanted


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
    asked, client = wanted(suburbs), current(client)
    needed = _needed(endpoints)
    items = [_item(client, endpoint, name) for name in asked.names for endpoint in needed]
    found = quotes.plan(client, items, reuse(refresh=refresh, max_age=max_age), check_names=check_names)
    return replace(quotes.confirm(client, found), duplicates=repeated(suburbs))


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
    name, client = names.check(suburb), current(client)
    found = client.store.vintages(client.shelf, _item(client, endpoint, name))
    return frames.vintages_frame([(response, _count(endpoint, name, response)) for response in found])


def provenance(frame: pd.DataFrame, *, client: Client | None = None) -> pd.DataFrame:
    """Give the responses that a frame of this package came from. No call is made.

    A single suburb's frame says itself which one it is. Of a frame of many, that a loader gave, this process knows it
    for as long as that frame lives. What was made from one goes by its suburbs' names and what this process has served
    of each, as long as that was a single vintage; so does a frame that came from elsewhere.

    Parameters
    ----------
    frame
        What a loader gave, or a part of it.
    client
        Instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row a suburb, index ``area_name``: ``retrieved_at`` (UTC), ``source``, ``cents`` (int64, what that response
        cost when it was bought), ``sha256`` (of its body), ``request_id``.

    Raises
    ------
    SuburbError
        It cannot be known.
    TypeError
        Not a frame.

    Examples
    --------
    >>> sp.provenance(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"]))["cents"].to_list()
    [0, 0]
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame is a DataFrame that a loader gave, or a part of it, not {type(frame).__name__}.")
    attrs = marks_of(frame)
    if not {"endpoint", "source"} <= set(attrs):
        raise SuburbError(
            "This frame does not say that it came from suburb_pandas: its attrs were lost, or it was made elsewhere. "
            "Load it again; what is stored costs nothing."
        )
    if attrs["endpoint"] == "gazetteer":
        raise SuburbError(
            "What is known of suburbs on this machine comes from no one response. The column origin of sp.places(...) "
            "says who knows it."
        )
    if attrs["endpoint"] not in wire.DECODERS:
        raise SuburbError(
            "A scorecard is made of two responses for each suburb. Ask for the provenance of sp.rent(...) or of "
            "sp.impacts(...) of the same suburbs: what is stored costs nothing."
        )
    behind = served.behind(frame)
    if behind is None and "area_name" in attrs:
        behind = {attrs["area_name"]: _recorded(attrs, current(client))}
    elif behind is None:
        behind = _served(attrs, frames.names_in(frame), current(client))
    return frames.provenance_frame(behind)


def _needed(endpoints: str | Iterable[str]) -> tuple[str, ...]:
    given = [endpoints] if isinstance(endpoints, str) else list(endpoints)
    wrong = [endpoint for endpoint in given if endpoint not in NEEDS]
    if wrong or not given:
        raise ValueError(f"endpoints are {listed(NEEDS)}, not {listed(wrong) or 'none'}.")
    return tuple(dict.fromkeys(need for endpoint in given for need in NEEDS[endpoint]))


def _item(client: Client, endpoint: str, name: str) -> Item:
    return knowledge.look_up(client, name) if endpoint == GEOCODE else Item(endpoint, name)


def _count(endpoint: str, name: str, response: Response) -> int | None:
    """How many points or drivers a response has; None if it cannot be read."""
    try:
        payload = wire.DECODERS[endpoint](response.body, name)
    except ContractViolation:
        return None
    if isinstance(payload, wire.Rent):
        return len(payload.house or ()) + len(payload.unit or ())
    return len(payload.drivers) if isinstance(payload, wire.Impacts) else 0


def _recorded(attrs: Mapping[str, Any], client: Client) -> Vintage:
    """Give the response that a single suburb's frame names."""
    name = attrs["area_name"]
    item = Item.look_up(name, attrs.get("state")) if attrs["endpoint"] == GEOCODE else Item(attrs["endpoint"], name)
    subject = Subject(attrs["source"], *item)
    known = served.served(subject, client.store.path)
    if subject.source == client.source:
        stored = client.store.vintages(client.shelf, item)
        known |= {Vintage.of(response, subject.source) for response in stored}
    for vintage in known:
        if (vintage.sha256, vintage.retrieved_at) == (attrs.get("sha256"), attrs.get("retrieved_at")):
            return vintage
    raise SuburbError(
        f"The response that this frame of {name!r} came from is not in the store of this client, nor was "
        "it served by this process. Connect with the store that it was loaded from."
    )


def _served(attrs: Mapping[str, Any], suburbs: Iterable[str], client: Client) -> dict[str, Vintage]:
    """Give what this process served of each suburb, as long as that is one response."""
    subjects = {name: Subject(attrs["source"], attrs["endpoint"], name) for name in suburbs}
    every = {name: served.served(subject, client.store.path) for name, subject in subjects.items()}
    if not every:
        raise SuburbError("This frame does not say of which suburbs it is: nothing in it is called area_name.")
    several = [name for name, vintages in every.items() if len(vintages) > 1]
    none = [name for name, vintages in every.items() if not vintages]
    if several or none:
        what = f"several vintages of {listed(several)}" if several else f"nothing of {listed(none)}"
        raise SuburbError(
            f"Which responses this frame came from cannot be known: this process has served {what}. "
            "Load the suburbs again, which is free, and ask for the provenance of the very frame that comes."
        )
    return {name: vintage for name, (vintage,) in every.items()}
