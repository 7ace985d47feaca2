"""Makes tidy, wide and panel frames from long ones.

Recognising a layout, and putting a result back into it, is left to `layouts`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import AREA_NAME, DATE, PROPERTY_TYPE, PROPERTY_TYPES, RENT


def tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a long frame in the tidy layout: a row for each value, by suburb, then houses before units, then date.

    The rows of the long frame are by suburb, then by date.
    """
    names = [AREA_NAME] if AREA_NAME in frame.columns else []
    result = frame.reset_index().melt([DATE, *names], var_name=PROPERTY_TYPE, value_name=RENT).dropna(subset=[RENT])
    if names:
        suburb = pd.factorize(frame[AREA_NAME])[0][result.index % max(len(frame), 1)]
        result = result.iloc[np.argsort(suburb, kind="stable")]
    result = as_text(result.reset_index(drop=True))
    result.attrs = frame.attrs
    return result


def wide(frame: pd.DataFrame, columns: pd.Index[Any] | None = None) -> pd.DataFrame:
    """Return a long frame in the wide layout: one row per date, one column per (``property_type``, ``area_name``).

    A suburb without points has columns of NaN. With `columns`, these are the columns of the result.
    """
    if columns is None:
        levels: list[Any] = [PROPERTY_TYPES, frame[AREA_NAME].cat.categories]
        columns = pd.MultiIndex.from_product(levels, names=[PROPERTY_TYPE, AREA_NAME])
    if isinstance(columns, pd.MultiIndex):
        own = columns.reorder_levels([PROPERTY_TYPE, AREA_NAME])
    else:
        own = pd.MultiIndex.from_product([[RENT], columns])
    names: Any = own.levels[1].astype("str")  # as in a long frame, whatever they were
    own = own.set_levels(names, level=1)
    table: Any = frame.set_index(AREA_NAME, append=True).unstack()  # noqa: PD010 - pivot_table would aggregate
    # A categorical level, which the table has, cannot be written to Parquet.
    result: pd.DataFrame = table.reindex(columns=own).set_axis(columns, axis=1)
    result.attrs = frame.attrs
    return result


def panel(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a long frame as a panel: the index has the levels ``area_name`` and ``date``."""
    return frame.set_index(AREA_NAME, append=True).swaplevel()


def as_text(tidy_frame: pd.DataFrame) -> pd.DataFrame:
    """Return a tidy frame with text in place of categories: seaborn and statsmodels use also those without a row."""
    return tidy_frame.astype({label: "str" for label in (AREA_NAME, PROPERTY_TYPE) if label in tidy_frame.columns})
