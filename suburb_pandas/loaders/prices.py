"""Reads the user's prices for the gross yields of a scorecard, and warns of prices that are missing or cannot be true.

Computing the yields is left to scorecard.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.errors import DataWarning
from suburb_pandas.frames.column import suburbs_of_rows
from suburb_pandas.frames.schema import PROPERTY_TYPES
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.timeseries.points import numbers

_MOST_YIELD: Final = 30  # per cent


def read_prices(prices: pd.DataFrame) -> pd.DataFrame:
    """Check the user's prices and return them by suburb, with both price columns.

    Raises
    ------
    TypeError, ValueError, NoSuburbColumn
        They cannot be used.
    """
    if not isinstance(prices, pd.DataFrame):
        raise TypeError(
            f"prices must be a frame with house_price, unit_price or both, not {type(prices).__name__}. Nothing was "
            "sent."
        )
    columns = [f"{kind}_price" for kind in PROPERTY_TYPES]
    given = [column for column in columns if column in prices.columns]
    if not given:
        raise ValueError(
            f"prices has neither house_price nor unit_price: its columns are {listed(prices.columns) or 'none'}. "
            "Nothing was sent; rename the column of prices."
        )
    by_name = pd.DataFrame(
        {column: numbers(prices, column, f"prices[{column!r}]") for column in given}, index=suburbs_of_rows(prices)
    )
    by_name = by_name[by_name.index.notna()]
    repeated = by_name.index[by_name.index.duplicated()]
    if len(repeated):
        raise ValueError(
            f"prices has several rows for {listed(repeated.unique())}. Nothing was sent; keep one for each suburb."
        )
    endless = by_name.index[np.isinf(by_name).any(axis=1)]
    if len(endless):
        raise ValueError(
            f"prices has infinite prices for {listed(endless)}. Nothing was sent; make unknown prices NaN: "
            'prices = prices.replace([float("inf"), float("-inf")], float("nan"))'
        )
    return by_name.reindex(columns=columns)


def warn_of_prices(card: pd.DataFrame, prices: pd.DataFrame) -> None:
    """Warn of the suburbs of a scorecard that have no row in the user's prices, and of prices that cannot be true."""
    without = card.index[~card.index.isin(prices.index)]
    if len(without):
        warn(
            f"There is no row in prices, and so no gross yield, for {len(without)} of "
            f"{counted(len(card), 'suburb')}: {listed(without)}. Rows of prices are found by the exact name of "
            "a suburb, as df.suburb.resolve() returns it.",
            DataWarning,
        )
    found: list[str] = []
    for kind in PROPERTY_TYPES:
        price = prices[f"{kind}_price"].reindex(card.index)
        wrong = price[(price <= 0) | (card[f"{kind}_gross_yield_pct"] > _MOST_YIELD)]
        found += [f"{name!r} ({kind}: {value:,.10g})" for name, value in wrong.items()]
    if found:
        warn(
            "Some prices cannot be true, because they are not above zero or make a gross yield of more than "
            f"{_MOST_YIELD} per cent: {listed(found, str)}. If prices are in thousands, multiply them by 1000; if they "
            "are not known, make them NaN.",
            DataWarning,
        )
