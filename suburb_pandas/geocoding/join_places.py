"""Joins the locations of suburbs to the rows of a user's frame. Finding them is left to find, joining to loaders."""

from collections.abc import Hashable, Iterable
from functools import partial

import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.geocoding.find import places
from suburb_pandas.loaders.join import join_rows


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
        `suburb_pandas.places`: text (``state``, ``lga``, ``postcode``, ``sa2``, ``sa3``, ``sa4``, ``origin``),
        float64 (the shares) and Int64 (the counts). NaN or NA where nothing is known, or in a row without a name.

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
    return join_rows(frame, partial(places, client=client), columns, prefix, column)
