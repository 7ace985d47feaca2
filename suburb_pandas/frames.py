"""Frames: what the service's answers look like as pandas frames. It owns index, columns and dtypes.

Pure functions from decoded answers to frames: no call, no store, no warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .calls import LedgerRow, Response, subject_of
from .dates import EPOCH
from .gazetteer import Place
from .name_lists import NameList
from .served import Vintage
from .shapes import PROPERTY_TYPES, date_index
from .wire import Driver, Impacts, Point, Rent

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
_SUMMARY_COLUMNS = ["n_sales", "median_price", "total_premium", "n_drivers", "sum_drivers"]


@dataclass(frozen=True, slots=True)
class RentPoints:
    """One suburb's rents on one axis of dates, ascending. ``mended`` says that points were sorted or dropped."""

    dates: npt.NDArray[np.datetime64] = field(repr=False)
    house: npt.NDArray[np.float64] = field(repr=False)
    unit: npt.NDArray[np.float64] = field(repr=False)
    mended: bool


def points(rent: Rent) -> RentPoints:
    """Put both series of a suburb on one axis of dates. Of a date that comes twice, the last point wins."""
    (house_dates, house, house_mended), (unit_dates, unit, unit_mended) = map(_ordered, (rent.house, rent.unit))
    dates = np.sort(np.concatenate([house_dates, unit_dates]))
    dates = dates[np.append(dates[1:] != dates[:-1], True)] if len(dates) else dates
    return RentPoints(
        dates,
        _spread(dates, house_dates, house),
        _spread(dates, unit_dates, unit),
        house_mended or unit_mended,
    )


def rent_frame(found: RentPoints) -> pd.DataFrame:
    """Give one suburb's rents: index ``date``; columns ``house``, ``unit``."""
    return pd.DataFrame(np.stack([found.house, found.unit]).T, date_index(found.dates), _RENT_COLUMNS.copy())


def long_rent_frame(found: Mapping[str, RentPoints], names: Sequence[str]) -> pd.DataFrame:
    """Give many suburbs' rents below one another: index ``date``; columns ``area_name``, ``house``, ``unit``.

    Each of ``names`` is a category, also one without points.
    """
    parts = [found.get(name, _NO_POINTS) for name in names]
    frame = pd.DataFrame(
        {
            "area_name": _area_names(names, [len(part.dates) for part in parts]),
            "house": np.concatenate([_NO_POINTS.house, *(part.house for part in parts)]),
            "unit": np.concatenate([_NO_POINTS.unit, *(part.unit for part in parts)]),
        }
    )
    return frame.set_index(date_index(np.concatenate([_NO_POINTS.dates, *(part.dates for part in parts)])))


def wide(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn a long rent frame to dates by (``property_type``, ``area_name``); a suburb without points is all NaN."""
    names = frame["area_name"].cat
    dates, rows = np.unique(frame.index.to_numpy(), return_inverse=True)
    values = np.full((len(dates), 2, len(names.categories)), np.nan)
    values[rows, :, names.codes.to_numpy()] = frame[list(PROPERTY_TYPES)].to_numpy()
    columns = pd.MultiIndex.from_product([PROPERTY_TYPES, names.categories], names=["property_type", "area_name"])
    return pd.DataFrame(values.reshape(len(dates), len(columns)), index=date_index(dates), columns=columns)


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


def ledger_frame(rows: Iterable[LedgerRow]) -> pd.DataFrame:
    """Give the ledger, one row a call, oldest first."""
    return _table([asdict(row) for row in rows], _LEDGER_DTYPES)


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
    return _table([asdict(one) for one in lists], _LIST_DTYPES)


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


def _ordered(
    series: Sequence[Point] | None,
) -> tuple[npt.NDArray[np.datetime64], npt.NDArray[np.float64], bool]:
    """Give a series' dates, strictly ascending, its values, and whether that took any mending."""
    series = series or ()
    # By way of ordinals: numpy is slow to read date objects.
    ordinals = np.array([point.date.toordinal() for point in series], dtype="int64")
    dates = (ordinals - EPOCH).astype("M8[D]")
    values = np.array([point.value for point in series], dtype="float64")
    if (dates[1:] > dates[:-1]).all():
        return dates, values, False
    order = np.argsort(dates, kind="stable")
    dates, values = dates[order], values[order]
    last_of_date = np.append(dates[1:] != dates[:-1], True)
    return dates[last_of_date], values[last_of_date], True


def _spread(
    axis: npt.NDArray[np.datetime64], dates: npt.NDArray[np.datetime64], values: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Put values at their dates on a longer axis, NaN elsewhere."""
    spread = np.full(len(axis), np.nan)
    spread[np.searchsorted(axis, dates)] = values
    return spread


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
    codes = np.repeat(np.arange(len(names)), np.array(counts, dtype="int64"))
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(names), dtype="str"))


_NO_POINTS = RentPoints(np.array([], dtype="M8[D]"), np.array([]), np.array([]), mended=False)
