"""Builds frames of places, and of the lists of names that were loaded; finding places is left to find."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.loaders.frames import table
from suburb_pandas.names.gazetteer import NameList, Place

_LIST_DTYPES: Final = {
    "file": "str",
    "edition": "str",
    "names": "int64",
    "complete": "bool",
    "loaded_at": "datetime64[us, UTC]",
    "sha256": "str",
}


def candidates_frame(places: Iterable[Place]) -> pd.DataFrame:
    """Return one row per place, with its name in the first column; NaN where a value is not known."""
    return _texts(list(places), Place._fields[:-1])


def places_frame(places: Sequence[Place]) -> pd.DataFrame:
    """Return one row per place, with its name as the index and the origin of its values in the last column."""
    index = pd.Index([place.area_name for place in places], dtype="str", name=AREA_NAME)
    return _texts(places, Place._fields[1:]).set_index(index)


def lists_frame(lists: Iterable[NameList]) -> pd.DataFrame:
    """Return one row for each list of names that was loaded."""
    return table([dataclasses.asdict(name_list) for name_list in lists], _LIST_DTYPES)


def _texts(places: Sequence[Place], columns: Sequence[str]) -> pd.DataFrame:
    texts = {column: [getattr(place, column) or np.nan for place in places] for column in columns}
    return pd.DataFrame(texts, dtype="str")
