"""Builds frames of places, and of the lists of names that were loaded; finding places is left to find."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.loaders.frames import UTC_TIME, table
from suburb_pandas.names.gazetteer import AREAS, NameList, Place

_LIST_DTYPES: Final = {
    "file": "str",
    "edition": "str",
    "names": "int64",
    "complete": "bool",
    "loaded_at": UTC_TIME,
    "sha256": "str",
}

_CANDIDATE: Final = ("area_name", "state", "lga", "postcode", "sa2", "sa3", "sa4")
_PLACE_DTYPES: Final = {
    **dict.fromkeys(_CANDIDATE[1:], "str"),
    **{f"{area}_share": "float64" for area in AREAS},
    "dwellings": "Int64",
    "persons": "Int64",
    "origin": "str",
}


def candidates_frame(places: Iterable[Place]) -> pd.DataFrame:
    """Return one row per place, with its name in the first column; NaN where a value is not known."""
    found = list(places)
    texts = {column: [getattr(place, column) or np.nan for place in found] for column in _CANDIDATE}
    return pd.DataFrame(texts, dtype="str")  # at once, because a picker asks at every keystroke


def places_frame(places: Sequence[Place]) -> pd.DataFrame:
    """Return one row per place, with its name as the index and the origin of its values in the last column."""
    index = pd.Index([place.area_name for place in places], dtype="str", name=AREA_NAME)
    return table(list(map(_row, places)), _PLACE_DTYPES).set_index(index)


def _row(place: Place) -> dict[str, Any]:
    return {field: np.nan if value in (None, "") else value for field, value in place._asdict().items()}


def lists_frame(lists: Iterable[NameList]) -> pd.DataFrame:
    """Return one row for each list of names that was loaded."""
    return table([dataclasses.asdict(name_list) for name_list in lists], _LIST_DTYPES)
