"""Returns frames of suburb names: candidates from the service, names known on this machine, and the loaded lists.

Reading a file of names is left to abs_files, frames of locations to places, the search to names.search, and the
gazetteer of a client to client.known_names.
"""

from collections.abc import Iterable, Sequence
from operator import index
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.context import RequestContext
from suburb_pandas.client.known_names import EMBEDDED
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.frames.dates import Length
from suburb_pandas.frames.marks import mark
from suburb_pandas.frames.suburbs import SuburbSelection
from suburb_pandas.geocoding import abs_files
from suburb_pandas.geocoding.abs_files import Source
from suburb_pandas.loaders.batch import gather_items
from suburb_pandas.loaders.frames import UTC_TIME, table
from suburb_pandas.loaders.options import Moment, Options, Watch
from suburb_pandas.messages import warn
from suburb_pandas.names import sal, search
from suburb_pandas.names.gazetteer import Place
from suburb_pandas.service.geocode import ENDPOINT, place_of
from suburb_pandas.store import names_table

_LIST_DTYPES: Final = {
    "file": "str",
    "edition": "str",
    "names": "int64",
    "complete": "bool",
    "loaded_at": UTC_TIME,
    "sha256": "str",
}


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
    """Ask the service which suburbs a text may mean. This makes one call, unless the response is stored.

    Parameters
    ----------
    query
        Free text: a name, or a part of one.
    state
        Only suburbs of that state or territory, in any spelling: ``"VIC"``, ``"Vic."``, ``"Victoria"``.
    max_cents, refresh, max_age, offline, retrieved_by, progress, client
        As in :func:`rent`.

    Returns
    -------
    pandas.DataFrame
        One row for each candidate, in the service's order: ``area_name``, the exact name; ``state`` (``NSW``, ``VIC``,
        ...), ``lga``, ``postcode`` (four digits), ``sa2``, ``sa3``, ``sa4``. All are text, NaN where the service
        has no value. No rows if it finds nothing.

    Raises
    ------
    InvalidName
        ``query`` cannot be looked up. Nothing was sent.
    ValueError
        ``state`` is not a state. Nothing was sent.
    CapExceeded, BudgetExceeded, NotStored, Unreachable, ...
        As in :func:`rent`.

    See Also
    --------
    suggest : Names similar to a text, free.
    resolve : Turn free text into suburb names.
    places : Where suburbs are: state, council, postcode and ABS areas.

    Examples
    --------
    >>> sp.find("kestrel hill", state="Vic.")["area_name"].to_list()
    ['Kestrel Hill (Vic.)', 'Kestrel Hill Lower']
    """
    options = Options.among(locals())
    code, context = sal.check_where("state", state), request_context(client)
    item = known_names.look_up(context, query, code)
    batch = gather_items(item.endpoint, [item], SuburbSelection((item.area_name,), one=True), context, options)
    batch.raise_for_one()
    return batch.finish(_candidates_frame(map(place_of, batch.answers.readings[item].payload)))


def suggest(text: str, state: str | None = None, limit: int = 10, *, client: Client | None = None) -> pd.DataFrame:
    """Suggest suburbs for a typed text, from the names known on this machine. No call is made.

    Parameters
    ----------
    text
        The text typed so far. Case, spaces, apostrophes, dots and hyphens are ignored, and so is the difference between
        ``Mt`` and ``Mount`` or ``Saint`` and ``St``. Abbreviations such as ``Nth`` and ``Jct`` are written out, and a
        compass word may stand at either end. A state or a postcode at the end is recognised.
    state
        Leave out suburbs that are known to be in another state or territory.
    limit
        The largest number of rows.
    client
        The client to use instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row for each suggestion, with the columns of :func:`find`. The best come first: names equal to the text;
        names that begin with it; names with a later word that begins with it; the suburbs with that postcode, or in
        the council of that name; then names that differ by a few typing slips. A complete word comes before a longer
        one. The right suburb need not be among them. If nothing is found because no list is loaded, a warning says how
        to load one.

    Raises
    ------
    TypeError
        ``text`` is not text, or ``limit`` is not a whole number.
    ValueError
        ``state`` is not a state, or ``limit`` is negative.

    See Also
    --------
    find : The service's candidates for a query.
    resolve : Turn free text into suburb names.
    places : Where suburbs are: state, council, postcode and ABS areas.

    Examples
    --------
    >>> sp.suggest("mt wonga", limit=1)["area_name"].to_list()
    ['Mount Wonga Wonga']
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {type(text).__name__}.")
    if index(limit) < 0:
        raise ValueError(f"limit must be at least 0, not {limit}.")
    context = request_context(client)
    found = search.suggest(known_names.gazetteer_of(context), text, sal.check_where("state", state), limit)
    if not found and text.strip() and limit:
        known_names.warn_if_nothing_is_known(context)
    return _suggested(context, found)


def suggestions(text: str, limit: int, *, client: Client | None = None) -> tuple[pd.DataFrame, int]:
    """Return the suggestions of `suggest` for a text, and how many there are without the limit. No call is made.

    Only the returned rows are recorded on a cassette.
    """
    context = request_context(client)
    gazetteer = known_names.gazetteer_of(context)
    found = search.suggest(gazetteer, text, limit=len(gazetteer))
    return _suggested(context, found[:limit]), len(found)


def _suggested(context: RequestContext, found: Sequence[Place]) -> pd.DataFrame:
    """Return suggested places as a frame, and record their names."""
    known_names.carry(context, [place.area_name for place in found])
    return marked(_candidates_frame(found), context)


def load_gazetteer(
    list: Source,  # noqa: A002 - as the public contract has it
    complete: bool | None = None,  # noqa: FBT001 - as the public contract has it
    *,
    with_: Source | Iterable[Source] = (),
    client: Client | None = None,
) -> pd.DataFrame:
    """Load a list of suburb names, such as the ABS's, from a file or a frame. No call is made.

    The list is kept in the store and is used for the live service and its sandbox. With the ABS's full list, queries
    are resolved without a look-up, and no data are requested for a name that does not exist.

    The ABS publishes its files at abs.gov.au, under ASGS Edition 3. The list of names is the allocation file of Suburbs
    and Localities (``SAL_2021_AUST.xlsx``). ``with_`` also reads the allocation files of other areas
    (``LGA_2021_AUST.xlsx``, ``POA_2021_AUST.xlsx``), the mesh block counts and the correspondences.

    Parameters
    ----------
    list
        One of these:

        - The ABS's allocation file, as ``.xlsx`` (needs the extra ``suburb_pandas[excel]``) or as CSV. It has 368,000
          rows, which are read much faster from CSV.
        - A DataFrame or GeoDataFrame, such as the ABS's boundaries.
        - A text file with one name on each line. Only the suffix of a name then gives its state.

        In a file or frame of the ABS, the column of names is ``SAL_NAME_2021``, ``SAL_NAME21`` or the like, in upper or
        lower case. Its year is the edition. With the column of codes (``SAL_CODE_2021``), frames that have only codes,
        such as the ABS's DataPacks, find their suburbs.
    complete
        True if the list has every suburb. By default a list of 15,000 names or more counts as complete. A complete list
        replaces all lists that were loaded before. Any other list is added to them, or replaces the one from a file of
        the same name.
    with_
        One or more tables that add areas and counts to the names of the list. They add no names. A correspondence from
        SAL to other areas always works. Allocation files of other areas and mesh block counts need a list with mesh
        blocks. The columns that are read are ``LGA_NAME_2021``, ``POA_NAME_2021``, ``SA2_NAME_2021``,
        ``SA3_NAME_2021``, ``SA4_NAME_2021``, ``Dwelling`` and ``Person``. If a suburb lies in several areas of one
        kind, the one with the largest share is kept. The share is ``RATIO_FROM_TO``. In a table without that column, it
        is an area's part of the suburb's persons, or else of its dwellings, its square kilometres or its rows.
    client
        The client to use instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row for each list that is now loaded: ``file``, ``edition`` (such as ``SAL 2021``), ``names`` (the number of
        names), ``complete``, ``loaded_at`` (datetime64, in UTC without a time zone), ``sha256`` (of the file or files).
        In the replay of a cassette, nothing is read: the rows are those of the recording.

    Raises
    ------
    ValueError
        The list or a table cannot be read. Nothing was changed.
    TypeError
        ``list`` or a table is neither a path nor a frame.
    ImportError
        A file is an Excel workbook, and openpyxl is not installed.
    OSError
        A file cannot be read.
    StoreError
        The store cannot be written.

    See Also
    --------
    places : Where suburbs are: state, council, postcode and ABS areas.
    suggest : Names similar to a text, free.
    resolve : Turn free text into suburb names.

    Examples
    --------
    >>> sp.load_gazetteer("SAL_2021_AUST.xlsx", with_="LGA_2021_AUST.xlsx")  # doctest: +SKIP
    """
    context = request_context(client)
    if not context.replayed:
        listed = abs_files.read(list, with_, complete=complete)
        context.store.write(names_table.add, *listed)
        known_names.gazetteer_of(context)  # builds the search index and stores it
        known_names.carry(context, ())
        if context.source == EMBEDDED:
            warn(
                "The embedded sandbox does not use this list, because it has its own list of made-up suburbs. To use "
                "it, load it again after you connect to the live service or its sandbox, as in "
                "sp.connect(api_key='test')",
                SuburbWarning,
            )
    return table(context.name_lists(), _LIST_DTYPES, getattr)


def marked(frame: pd.DataFrame, context: RequestContext) -> pd.DataFrame:
    """Mark a frame of names known on this machine and return it, after a warning if they are made up."""
    context.warn_if_made_up()
    made_up = {"made_up": True} if context.source == EMBEDDED else {}
    mark(frame, "gazetteer", context.source, None, **made_up)
    return frame


def _candidates_frame(places: Iterable[Place]) -> pd.DataFrame:
    """Return one row per place, with its name in the first column; NaN where a value is not known."""
    cells = [[getattr(place, column) or np.nan for column in ENDPOINT.columns] for place in places]
    # Rejected: `table`, which is slower. A picker asks at every keystroke.
    return pd.DataFrame(cells, columns=[*ENDPOINT.columns], dtype="str")
