"""Frames: what the service's answers look like as pandas frames. It owns index, columns and dtypes.

Pure functions from decoded answers to frames: no call, no store, no warning.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec.structs import asdict

from suburb_pandas.client.provenance_log import Vintage
from suburb_pandas.frames.schema import PROPERTY_TYPES
from suburb_pandas.names.gazetteer import NameList, Place
from suburb_pandas.service.calls import CallRow, Response, subject_of
from suburb_pandas.service.endpoints import Driver, Impacts
from suburb_pandas.service.rent_columns import History, joined
from suburb_pandas.timeseries.dates import TICKS_A_DAY, Unit

_DRIVER_DTYPES = {
    "label": "str",
    "coverage_pct": "float64",
    "premium_dollars": "int64",
    "pct_of_median": "float64",
    "detail": "str",
}
_LEDGER_DTYPES = {
    "at": "datetime64[us, UTC]",
    "endpoint": "str",
    "area_name": "str",
    "outcome": "str",
    "cents": "int64",
    "http_status": "Int64",
    "request_id": "str",
    "source": "str",
}
_PROVENANCE_DTYPES = {
    "retrieved_at": "datetime64[us, UTC]",
    "source": "str",
    "cents": "int64",
    "sha256": "str",
    "request_id": "str",
}
_VINTAGE_DTYPES = {"retrieved_at": "datetime64[us, UTC]", "cents": "int64", "sha256": "str", "n_points": "Int64"}
_LIST_DTYPES = {
    "file": "str",
    "edition": "str",
    "names": "int64",
    "complete": "bool",
    "loaded_at": "datetime64[us, UTC]",
    "sha256": "str",
}
_RENT_COLUMNS = pd.Index(PROPERTY_TYPES)
_NO_RENTS = History()
_SUMMARY_COLUMNS = ["n_sales", "median_price", "total_premium", "n_drivers", "sum_drivers"]


def rent_frame(history: History) -> pd.DataFrame:
    """Give one suburb's rents: index ``date``; columns ``house``, ``unit``."""
    found = joined([history])
    return pd.DataFrame(found.rents.T, _date_index(found.days), _RENT_COLUMNS.view(), copy=False)


def long_rent_frame(found: Mapping[str, History], names: Sequence[str]) -> pd.DataFrame:
    """Give many suburbs' rents below one another: index ``date``; columns ``area_name``, ``house``, ``unit``.

    Each of ``names`` is a category, also one without points.
    """
    histories = [found.get(name, _NO_RENTS) for name in names]
    every = joined(histories)
    area_names = _area_names(names, [one.rows for one in histories])
    columns = {"area_name": area_names, **dict(zip(PROPERTY_TYPES, every.rents, strict=True))}
    return pd.DataFrame(columns, _date_index(every.days), copy=False)


def wide(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn a long rent frame to dates by (``property_type``, ``area_name``); a suburb without points is all NaN."""
    names = frame["area_name"].cat
    dates, rows = np.unique(frame.index.to_numpy(), return_inverse=True)
    values = np.full((len(dates), 2, len(names.categories)), np.nan)
    values[rows, :, names.codes.to_numpy()] = frame[list(PROPERTY_TYPES)].to_numpy()
    columns = pd.MultiIndex.from_product([PROPERTY_TYPES, names.categories], names=["property_type", "area_name"])
    return pd.DataFrame(
        values.reshape(len(dates), len(columns)), index=pd.DatetimeIndex(dates, name="date"), columns=columns
    )


def drivers_frame(impacts: Impacts) -> pd.DataFrame:
    """Give one suburb's drivers, a row each, in the service's order."""
    return _drivers(impacts.drivers)


def long_drivers_frame(found: Mapping[str, Impacts], names: Sequence[str]) -> pd.DataFrame:
    """Give many suburbs' drivers below one another, with ``area_name`` first."""
    lists = [found[name].drivers if name in found else () for name in names]
    frame = _drivers([driver for drivers in lists for driver in drivers])
    area_names = _area_names(names, [len(drivers) for drivers in lists])
    return pd.DataFrame({"area_name": area_names, **frame})


def summary_frame(found: Mapping[str, Impacts], names: Sequence[str]) -> pd.DataFrame:
    """Give one row a suburb: the answer's own totals, and the drivers' number and sum. NaN where there is none."""
    rows = [_summary(found[name]) if name in found else [np.nan] * len(_SUMMARY_COLUMNS) for name in names]
    index = pd.Index(list(names), dtype="str", name="area_name")
    values = np.array(rows, dtype="float64").reshape(len(rows), len(_SUMMARY_COLUMNS))
    return pd.DataFrame(values, index=index, columns=_SUMMARY_COLUMNS)


def ledger_frame(rows: Iterable[CallRow]) -> pd.DataFrame:
    """Give the ledger, one row a call, oldest first."""
    return _table([dataclasses.asdict(row) for row in rows], _LEDGER_DTYPES)


def vintages_frame(found: Iterable[tuple[Response, int | None]]) -> pd.DataFrame:
    """Give the responses of a suburb, each with how many points it has, one row a response."""
    rows = [
        {"retrieved_at": response.retrieved_at, "cents": response.cents, "sha256": response.sha256, "n_points": count}
        for response, count in found
    ]
    return _table(rows, _VINTAGE_DTYPES)


def provenance_frame(found: Mapping[str, Vintage]) -> pd.DataFrame:
    """Give the response behind each suburb: index ``area_name``."""
    frame = _table([asdict(vintage) for vintage in found.values()], _PROVENANCE_DTYPES)
    return frame.set_index(pd.Index(list(map(subject_of, found)), dtype="str", name="area_name"))


def candidates_frame(places: Iterable[Place]) -> pd.DataFrame:
    """Give places one row each, their names in the first column; NaN for what is not known."""
    return _places(list(places), Place._fields[:-1])


def places_frame(places: Sequence[Place]) -> pd.DataFrame:
    """Give what is known of places: index ``area_name``, and who knows it in the last column."""
    index = pd.Index([place.area_name for place in places], dtype="str", name="area_name")
    return _places(places, Place._fields[1:]).set_index(index)


def lists_frame(lists: Iterable[NameList]) -> pd.DataFrame:
    """Give the lists of names that were loaded, one row each."""
    return _table([dataclasses.asdict(one) for one in lists], _LIST_DTYPES)


def names_in(frame: pd.DataFrame) -> list[str]:
    """Give the suburbs that a frame of many has values of, wherever it has their names."""
    if "area_name" in frame.columns:
        names = pd.Index(frame["area_name"].unique())
    elif "area_name" in frame.columns.names:
        names = frame.columns[frame.notna().any()].get_level_values("area_name")
    elif "area_name" in frame.index.names:
        names = frame.index[frame.notna().any(axis=1)].get_level_values("area_name")
    else:
        return []
    return list(names.dropna().unique())


def _date_index(days: npt.NDArray[np.int32]) -> pd.DatetimeIndex:
    """Give the index of a rent frame, of the unit that pandas gives for dates."""
    unit = _date_unit()
    ticks = np.multiply(days, TICKS_A_DAY[unit], dtype="int64")  # which takes a fifth of the time of numpy's own cast
    return pd.DatetimeIndex(ticks.view(f"M8[{unit}]"), name="date", copy=False)


@cache
def _date_unit() -> Unit:
    """The unit that ``pd.to_datetime`` gives for dates: equal dates of another unit would be another index."""
    return pd.to_datetime(["2000-01-01"]).unit


def _drivers(drivers: Sequence[Driver]) -> pd.DataFrame:
    columns = {column: [getattr(driver, column) for driver in drivers] for column in _DRIVER_DTYPES}
    if not drivers:
        return pd.DataFrame({column: pd.Series([], dtype=dtype) for column, dtype in _DRIVER_DTYPES.items()})
    # Texts as lists, of which pandas makes the same as with a dtype, several times as fast.
    return pd.DataFrame(
        {
            column: values if _DRIVER_DTYPES[column] == "str" else np.array(values, dtype=_DRIVER_DTYPES[column])
            for column, values in columns.items()
        }
    )


def _summary(impacts: Impacts) -> list[float]:
    premiums = [driver.premium_dollars for driver in impacts.drivers]
    return [impacts.n_sales, impacts.median_price, impacts.total_premium, len(premiums), sum(premiums)]


def _places(places: Sequence[Place], columns: Sequence[str]) -> pd.DataFrame:
    texts = {column: [getattr(place, column) or np.nan for place in places] for column in columns}
    return pd.DataFrame(texts, dtype="str")


def _table(rows: Sequence[Mapping[str, Any]], dtypes: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        {column: pd.Series([row[column] for row in rows], dtype=dtype) for column, dtype in dtypes.items()}
    )


def _area_names(names: Sequence[str], counts: Sequence[int]) -> pd.Categorical:
    codes = np.repeat(np.arange(len(names), dtype=np.min_scalar_type(-len(names))), counts)
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(names), dtype="str"), validate=False)
