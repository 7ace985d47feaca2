"""Returns the locations of suburbs that are known on this machine, as a frame or beside the rows of a user's frame.

The gazetteer of a client is left to client.known_names, and joining rows to loaders.join.
"""

from collections.abc import Hashable, Iterable
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.client import known_names
from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.frames.suburbs import select_suburbs
from suburb_pandas.geocoding.find import marked
from suburb_pandas.loaders.frames import table
from suburb_pandas.loaders.join import join_rows
from suburb_pandas.messages import warn
from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import AREAS, PART, Area, Gazetteer, Place, areas_of
from suburb_pandas.names.written import fold_region

_MOST_RECORDED: Final = 500  # suburbs of one frame; a cassette is no place for a whole list
_DTYPES: Final = {
    **dict.fromkeys((AREA_NAME, "state", *AREAS), "str"),
    **{f"{area}_share": "float64" for area in AREAS},
    "dwellings": "Int64",
    "persons": "Int64",
    "sal_code": "str",
    "origin": "str",
}


def places(
    suburbs: str | Iterable[str] | None = None,
    *,
    state: str | None = None,
    lga: str | None = None,
    sa4: str | None = None,
    postcode: str | float | None = None,
    client: Client | None = None,
) -> pd.DataFrame:
    """Return the state, council, postcode and ABS areas of suburbs, as known on this machine. No call is made.

    The result has one row for each suburb and the names as its index. To add locations to the rows of a frame, use
    ``df.suburb.join_places()``. ``df["lga"] = sp.places(df["suburb"])["lga"]`` gives NaN in every row, because pandas
    compares the frame's row labels with the names.

    Parameters
    ----------
    suburbs
        One exact ABS SAL name, or many: a list, a Series or an Index. For a frame, use ``df.suburb.places()``. By
        default all known suburbs, sorted by name, except the ABS's special names for people outside all suburbs.
    state, lga, sa4, postcode
        Keep only suburbs that are known to lie there, at least in part. A state in any spelling; the name of a council
        or an SA4 in upper or lower case, without regard to a council's kind, as in ``Parramatta (C)``; a postcode as
        text or a number. Without ``suburbs``, a `SuburbWarning` says how to list the areas if no suburb is known to lie
        in that council or SA4.
    client
        The client to use instead of the default one.

    Returns
    -------
    pandas.DataFrame
        Index ``area_name``, in the order given, each name once. The columns are text, NaN where nothing is known:
        ``state`` (``NSW``, ``VIC``, ...), ``lga``, ``postcode`` (four digits), ``sa2``, ``sa3``, ``sa4``. If a suburb
        lies in several areas of one kind, the area with its largest part is shown, and ``lga_share``,
        ``postcode_share``, ``sa2_share``, ``sa3_share``, ``sa4_share`` (float64, 0 to 1) are the size of that part.
        ``dwellings`` and ``persons`` (Int64) are counts. Shares and counts come from files (:func:`load_gazetteer`);
        the embedded sandbox makes up counts, but no shares. ``sal_code`` is the ABS's code from a loaded list, as its
        DataPacks write it (``SAL10490``). ``origin`` says how the suburb became known: ``geocode`` (a look-up),
        ``list`` (a loaded list), ``response`` (a response about the suburb), ``sandbox`` (a suburb that the key
        ``test`` covers) or ``embedded`` (the embedded sandbox).

    Raises
    ------
    InvalidName
        A value is not a name.
    TypeError
        ``lga`` or ``sa4`` is not text, or ``suburbs`` is of a type that :func:`rent` does not take either.
    ValueError
        ``state`` is not a state, or ``postcode`` not a postcode.

    See Also
    --------
    df.suburb.join_places : Add locations to the rows of a frame.
    find : Ask the service for candidates.
    load_gazetteer : Load a list of names with their areas.

    Examples
    --------
    >>> sp.places(["Quokka Bay", "Woylie"])[["state", "sa4"]]
               state           sa4
    area_name
    Quokka Bay    WA   Marri Coast
    Woylie        WA  Inner Jarrah
    >>> sp.places(lga="Curlew Shores", postcode=2535).index.to_list()
    ['Gannet Steps', 'Lantern Bay (NSW)', 'Lantern Bay Junction', 'Tern Island Park']
    """
    for area in (lga, sa4):
        if not isinstance(area, str | None):
            raise TypeError(f"lga and sa4 must be names of areas, not {type(area).__name__}.")
    in_state = sal.check_where("state", state)
    areas = {"postcode": sal.check_where("postcode", postcode), "lga": lga, "sa4": sa4}
    where = [_either(kind, area) for kind, area in areas.items() if area is not None]
    context = request_context(client)
    gazetteer = known_names.gazetteer_of(context)
    if suburbs is None:
        names = sorted({*gazetteer} - sal.SPECIAL)
    else:
        names = list(select_suburbs(suburbs, "sp.places({})", known=lambda: gazetteer).names)
    found = [
        place
        for place in known_names.places(gazetteer, names)
        if in_state in {None, place.state} and not any(area.isdisjoint(areas_of(place)) for area in where)
    ]
    if suburbs is None and not found:
        known_names.warn_if_nothing_is_known(context)
        if not known_names.how_to_know_more(context):
            _warn_if_unknown(gazetteer, lga, sa4)
    if suburbs is None and len(found) > _MOST_RECORDED:
        context.warn_if_recording(f"A frame of {len(found)} suburbs")
    else:
        found = known_names.located(context, gazetteer, [place.area_name for place in found])
    return marked(_frame(found), context)


def _either(kind: str, area: str) -> set[Area]:
    """Return an area in both ways in which a suburb can lie in it: with its largest part, or with another part."""
    return {(kind, fold_region(area)), (PART, fold_region(area))}


def _frame(places: Iterable[Place]) -> pd.DataFrame:
    """Return one row per place, with its name as the index and the origin of its values in the last column."""
    rows = [
        {field: np.nan if value in (None, "") else value for field, value in one._asdict().items()} for one in places
    ]
    return table(rows, _DTYPES).set_index(AREA_NAME)


def _warn_if_unknown(gazetteer: Gazetteer, lga: str | None, sa4: str | None) -> None:
    """Warn of each area in which no place of a gazetteer lies."""
    for kind, area in {"lga": lga, "sa4": sa4}.items():
        if area is not None and _either(kind, area).isdisjoint(gazetteer.suburb_in):
            listing = f'To list every {kind} that is known here: sp.places()["{kind}"].unique()'
            warn(f"No suburb is known to lie in {kind}={area!r}. {listing}", SuburbWarning)


def join_places(
    frame: pd.DataFrame,
    columns: str | Iterable[str] | None = None,
    prefix: str = "",
    *,
    column: Hashable | None = None,
    client: Client | None = None,
) -> pd.DataFrame:
    """Add to each row the location of its suburb, as far as it is known on this machine. No call is made.

    Parameters
    ----------
    frame
        The frame with the suburbs.
    columns
        The columns to add: one of those that ``places`` returns, or a list of them. By default all.
    prefix
        Text before each new name, as in ``"abs_"``.
    column
        The column or index level that holds the names. By default ``area_name`` if there is one, otherwise the one
        called ``suburb``, ``suburb_name``, ``sal_name``, ``locality``, or as the ABS calls it (``SAL_NAME21``).
    client
        The client to use instead of the default one.

    Returns
    -------
    DataFrame
        A copy of the frame with the new columns at its end. Its class (a GeoDataFrame keeps its geometry and CRS),
        index, order, columns and attrs are unchanged. The new columns have the names and dtypes of
        `suburb_pandas.places`: text (``state``, ``lga``, ``postcode``, ``sa2``, ``sa3``, ``sa4``, ``sal_code``,
        ``origin``), float64 (the shares) and Int64 (the counts). NaN or NA where nothing is known, or in a row without
        a name.

    Raises
    ------
    NoSuburbColumn
        The frame has no column or index level of suburbs, or several, or one in which every name is missing.
    ValueError
        The frame already has one of the new columns, or ``columns`` names an unknown one.

    See Also
    --------
    places : Return the locations as a frame of their own, one row for each suburb.
    resolve : Return the exact name of each row's suburb, if the rows have free text.

    Examples
    --------
    >>> sales = pd.DataFrame({"suburb": ["Woylie", "Quokka Bay", "Woylie"], "sold": [3, 5, 4]})
    >>> sales.suburb.join_places(["state", "sa4"])
           suburb  sold state           sa4
    0      Woylie     3    WA  Inner Jarrah
    1  Quokka Bay     5    WA   Marri Coast
    2      Woylie     4    WA  Inner Jarrah
    """
    return join_rows(frame, partial(places, client=client), columns, prefix, column, client=client)
