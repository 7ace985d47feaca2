"""Joins the locations of suburbs to the rows of a user's frame. Finding them is left to find, joining to loaders."""

from collections.abc import Hashable, Iterable
from functools import partial

import pandas as pd

from suburb_pandas.client.client import Client
from suburb_pandas.geocoding.find import places
from suburb_pandas.loaders.join import RowJoin


def join_places(
    frame: pd.DataFrame,
    columns: str | Iterable[str] | None,
    prefix: str,
    *,
    column: Hashable | None,
    client: Client | None,
) -> pd.DataFrame:
    """Join the locations of a frame's suburbs, as ``df.suburb.join_places`` documents."""
    join = RowJoin("join_places", "abs_", columns, prefix, column)
    return join.join(frame, partial(places, client=client))
