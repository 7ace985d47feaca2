"""The names of suburbs, as frames: what the service finds for a text, and what is known of suburbs on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from os import PathLike
from pathlib import Path

import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.known_names import EMBEDDED
from suburb_pandas.client.session import current
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.frames.schema import mark
from suburb_pandas.frames.suburbs import SuburbSelection, select_suburbs
from suburb_pandas.geocoding import sal_file
from suburb_pandas.loaders import frames
from suburb_pandas.loaders.batch import load
from suburb_pandas.loaders.options import Moment
from suburb_pandas.loaders.progress import Watch
from suburb_pandas.messages import warn
from suburb_pandas.names import sal, search
from suburb_pandas.timeseries.dates import Length


def find(
    query: str,
    state: str | None = None,
    *,
    max_cents: int | None = None,
    refresh: bool = False,
    max_age: Length | None = None,
    offline: bool = False,
    retrieved_by: Moment | None = None,
    progress: bool | Watch | None = None,
    client: Client | None = None,
) -> pd.DataFrame:
    """Ask the service which suburbs a text may mean: one call at 1 cent, unless its answer is stored.

    Parameters
    ----------
    query
        Free text: a name, or part of one.
    state
        Only suburbs of that state or territory, in any spelling: ``"VIC"``, ``"Vic."``, ``"Victoria"``.
    max_cents, refresh, max_age, offline, retrieved_by, progress, client
        As in :func:`rent`.

    Returns
    -------
    pandas.DataFrame
        One row a candidate, in the service's order: ``area_name``, the exact name; ``state`` (``NSW``, ``VIC``,
        ...), ``lga``, ``postcode`` (four digits), ``sa2``, ``sa3``, ``sa4``. All are text, NaN where the service does
        not say. No rows where it finds nothing.

    Raises
    ------
    InvalidName
        Not a text to look up. Nothing was sent.
    ValueError
        Not a state.
    CapExceeded, BudgetExceeded, NotStored, Unreachable, ...
        As in :func:`rent`.

    Examples
    --------
    >>> sp.find("kestrel hill", state="Vic.")["area_name"].to_list()
    ['Kestrel Hill (Vic.)', 'Kestrel Hill Lower']
    """
    code, client = _state(state), current(client)
    item = known_names.look_up(client, query, code)
    found = load(
        item.endpoint,
        SuburbSelection((item.area_name,), one=True),
        max_cents=max_cents,
        refresh=refresh,
        max_age=max_age,
        offline=offline,
        retrieved_by=retrieved_by,
        progress=progress,
        client=client,
    )
    candidates = found.answers.geocode.payloads[item.area_name]
    return found.finish(frames.candidates_frame(map(known_names.place_of, candidates)))


def suggest(text: str, state: str | None = None, limit: int = 10, *, client: Client | None = None) -> pd.DataFrame:
    """Suggest suburbs for a text, from the names known on this machine. No call is made.

    Parameters
    ----------
    text
        What somebody has typed so far. Case, spaces, apostrophes, hyphens, ``Mt`` for ``Mount`` and ``Saint`` for
        ``St`` do not matter; a state or a postcode at the end is understood.
    state
        Leave out what is known to be in another state or territory.
    limit
        How many rows at the most.
    client
        Instead of the default one.

    Returns
    -------
    pandas.DataFrame
        Best first, with the columns of :func:`find`: names that are written in full, names that begin so, names with a
        word that does, and names that are a slip or a few away. Not one of them need be meant.

    Raises
    ------
    ValueError
        Not a state, or not a limit.

    Examples
    --------
    >>> sp.suggest("mt wonga", limit=1)["area_name"].to_list()
    ['Mount Wonga Wonga']
    """
    if not isinstance(text, str):
        raise TypeError(f"text is what somebody typed, not {type(text).__name__}.")
    if index(limit) < 0:
        raise ValueError(f"limit is a whole number of at least 0, not {limit}.")
    code, client = _state(state), current(client)
    return _known(frames.candidates_frame(search.suggest(known_names.of(client), text, code, limit)), client)


def places(suburbs: str | Iterable[str], *, client: Client | None = None) -> pd.DataFrame:
    """Say what is known on this machine of where suburbs are. No call is made.

    Parameters
    ----------
    suburbs
        One exact ABS SAL name, or many: a list, a Series or an Index. A frame has ``df.suburb.places()``.
    client
        Instead of the default one.

    Returns
    -------
    pandas.DataFrame
        Index ``area_name``, in the order given, each name once; columns ``state`` (``NSW``, ``VIC``, ...), ``lga``,
        ``postcode`` (four digits), ``sa2``, ``sa3``, ``sa4``, and ``origin``, which says who knows: ``geocode`` (a
        look-up), ``list`` (one that was loaded), ``response`` (an answer about it) or ``embedded`` (the embedded
        sandbox). All are text, NaN where nothing is known; :func:`find` learns more, for 1 cent.

    Raises
    ------
    InvalidName
        Not a name.

    Examples
    --------
    >>> sp.places(["Quokka Bay", "Woylie"])[["state", "sa4"]]
               state           sa4
    area_name
    Quokka Bay    WA   Marri Coast
    Woylie        WA  Inner Jarrah
    """
    client, asked = current(client), select_suburbs(suburbs).names
    return _known(frames.places_frame(known_names.places(known_names.of(client), asked)), client)


def load_gazetteer(
    path: str | PathLike[str],
    complete: bool | None = None,  # noqa: FBT001 - as the public contract has it
    *,
    client: Client | None = None,
) -> pd.DataFrame:
    """Load a list of suburb names into the store, for the live service and its sandbox. No call is made.

    With the ABS's full list most queries resolve for free, and nothing is asked for a name that there is not. The ABS
    publishes it with the ASGS, as the allocation file of Suburbs and Localities.

    Parameters
    ----------
    path
        A CSV file with the ABS's column ``SAL_NAME_2021`` and, for the states, ``STATE_NAME_2021``; or a text file with
        a name a line, in which only a name's suffix says its state.
    complete
        Whether no suburb is missing in it; by default if it has 15,000 names or more. A complete list takes the place
        of all that were loaded before; any other is added to them, or takes the place of one from a file of that name.
    client
        Instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row for each list that is loaded now: ``file``, ``edition`` (the year in the name of its column), ``names``
        (how many), ``complete``, ``loaded_at`` (UTC), ``sha256`` (of the file).

    Raises
    ------
    ValueError
        It is no such list; nothing was changed.
    OSError
        The file cannot be read.
    StoreError
        The store cannot be written.

    Examples
    --------
    >>> sp.load_gazetteer("SAL_2021_AUST.csv")  # doctest: +SKIP
    """
    client = current(client)
    new, rows = sal_file.read(Path(path).expanduser(), complete=complete)
    client.store.add_name_list(new, rows)
    if client.source == EMBEDDED:
        kept = (
            f"kept in the store {client.store.path} for"
            if client.settings.store
            else "gone with its temporary store; load it for"
        )
        warn(
            "The embedded sandbox has a list of its own, of made-up suburbs, and goes by no other. This list is "
            f"{kept} the live service or its sandbox, as in sp.connect(api_key='test').",
            SuburbWarning,
        )
    return frames.lists_frame(client.store.name_lists())


def _state(state: str | None) -> str | None:
    """Read an argument that is a state, if it is given.

    Raises
    ------
    ValueError
        It is none.
    """
    code = sal.state_code(state)
    if state is not None and code is None:
        raise ValueError(f"state is one of {', '.join(sal.STATES)} in any spelling, not {state!r}. Nothing was sent.")
    return code


def _known(frame: pd.DataFrame, client: Client) -> pd.DataFrame:
    """Mark a frame of what is known on this machine."""
    client.say_if_made_up()
    mark(frame, "gazetteer", client.source, None, **({"made_up": True} if client.source == EMBEDDED else {}))
    return frame
