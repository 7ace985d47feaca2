"""Builds frames of rents, drivers and summaries from decoded responses, and owns their index, columns and dtypes.

The functions are pure: they make no call, use no store and issue no warning. The columns of the ledger and of
provenance are left to the modules of these names, those of places to geocoding.places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import getitem
from typing import Any

import numpy as np
import pandas as pd

from suburb_pandas.frames.dates import TICKS_A_DAY, Resolution
from suburb_pandas.frames.marks import marks_of
from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPES, is_of_drivers
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import PackedPayload
from suburb_pandas.service.endpoint import Endpoint
from suburb_pandas.service.impacts import Impacts
from suburb_pandas.service.series import Days, count_rows, join

_SERIES_COLUMNS = pd.Index(PROPERTY_TYPES)
_NO_POINTS = PackedPayload()
_SUMMARY_COLUMNS = {
    "n_sales": "Int64",
    "median_price": "float64",
    "total_premium": "float64",
    "n_drivers": "Int64",
    "sum_drivers": "float64",
}
UTC_TIME = "datetime64[us]"
"""The dtype of times in public frames: in UTC, but without a time zone, which Excel files cannot hold."""

SUMMARY_UNITS = {
    "n_sales": "sales",
    "median_price": "AUD",
    "total_premium": "AUD",
    "n_drivers": "drivers",
    "sum_drivers": "AUD",
}
"""The unit of each column of `summary_frame`."""


def endpoint_of(frame: pd.DataFrame) -> Endpoint:
    """Return the endpoint that a frame came from: by its attrs if its columns agree, otherwise by its columns alone."""
    endpoint = ENDPOINTS.get(str(marks_of(frame).get("endpoint")))
    if endpoint is not None and not endpoint.takes_a_query and {*endpoint.columns} & {*frame.columns}:
        return endpoint
    return ENDPOINTS["impacts" if is_of_drivers(frame) else "rent"]


def frame_of_many(endpoint: Endpoint, payloads: Mapping[str, Any], names: Sequence[str]) -> pd.DataFrame:
    """Return the frame of many suburbs, ``area_name`` first. Every name is a category, even without data."""
    if endpoint.shape == "series":
        return long_series_frame(payloads, names)
    lists = [endpoint.records(payloads[name]) if name in payloads else () for name in names]
    frame = table([record for records in lists for record in records], endpoint.columns, getattr)
    return pd.DataFrame({AREA_NAME: _area_names(names, [len(records) for records in lists]), **frame})


def series_frame(packed: PackedPayload) -> pd.DataFrame:
    """Return one suburb's series: index ``date``; columns ``house``, ``unit``."""
    series = join([packed])
    return pd.DataFrame(series.numbers.T, _date_index(series.days), _SERIES_COLUMNS.view(), copy=False)


def long_series_frame(payloads: Mapping[str, PackedPayload], names: Sequence[str]) -> pd.DataFrame:
    """Return many suburbs' series below one another: index ``date``; columns ``area_name``, ``house``, ``unit``."""
    by_suburb = [payloads.get(name, _NO_POINTS) for name in names]
    joined = join(by_suburb)
    area_names = _area_names(names, [count_rows(packed) for packed in by_suburb])
    columns = {AREA_NAME: area_names, **dict(zip(PROPERTY_TYPES, joined.numbers, strict=True))}
    return pd.DataFrame(columns, _date_index(joined.days), copy=False)


def summary_frame(impacts: Mapping[str, Impacts], names: Sequence[str]) -> pd.DataFrame:
    """Return one row per suburb: its sales, median and premium, the number and sum of its drivers; NaN without data."""
    summary = table([_summary(impacts.get(name)) for name in names], _SUMMARY_COLUMNS)
    return summary.set_index(pd.Index(list(names), dtype="str", name=AREA_NAME))


def _summary(impacts: Impacts | None) -> Mapping[str, float | None]:
    if impacts is None:
        return dict.fromkeys(_SUMMARY_COLUMNS)
    premiums = [driver.premium_dollars for driver in impacts.drivers]
    values = impacts.n_sales, impacts.median_price, impacts.total_premium, len(premiums), sum(premiums)
    return dict(zip(_SUMMARY_COLUMNS, values, strict=True))


def table(rows: Sequence[Any], dtypes: Mapping[str, str], value: Callable[[Any, str], Any] = getitem) -> pd.DataFrame:
    """Return a frame of these rows, with the columns and dtypes of ``dtypes``. ``value`` reads a column of a row.

    Dates of the dtype ``datetime64`` get the unit of `date_unit`.
    """
    return pd.DataFrame({name: _column([value(row, name) for row in rows], dtype) for name, dtype in dtypes.items()})


def _column(values: Sequence[Any], dtype: str) -> pd.Series[Any] | pd.DatetimeIndex:
    if dtype == UTC_TIME:
        return utc_times(values)
    if dtype == "datetime64":
        return pd.DatetimeIndex(pd.to_datetime(values, format="ISO8601")).as_unit(date_unit())
    return pd.Series(values, dtype=dtype)


def utc_times(texts: Sequence[str | None]) -> pd.DatetimeIndex:
    """Parse the texts of times in the store into the dtype `UTC_TIME`; NaT for a time that is not known."""
    times = pd.DatetimeIndex(pd.to_datetime([text or "" for text in texts], format="ISO8601", utc=True))
    return times.tz_localize(None).as_unit("us")


def _date_index(days: Days) -> pd.DatetimeIndex:
    """Return an index of dates from days since 1970-01-01, in the unit of `date_unit`."""
    unit = date_unit()
    ticks = np.multiply(days, TICKS_A_DAY[unit], dtype="int64")  # several times faster than casting with numpy
    return pd.DatetimeIndex(ticks.view(f"M8[{unit}]"), name="date", copy=False)


@cache
def date_unit() -> Resolution:
    """Return the unit in which ``pd.to_datetime`` stores dates, so that an index has the dtype of users' own dates."""
    return pd.to_datetime(["2000-01-01"]).unit


def _area_names(names: Sequence[str], counts: Sequence[int]) -> pd.Categorical:
    codes = np.repeat(np.arange(len(names), dtype=np.min_scalar_type(-len(names))), counts)
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(names), dtype="str"), validate=False)
