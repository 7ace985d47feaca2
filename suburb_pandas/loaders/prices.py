"""Reads the user's prices for the gross yields of a scorecard, and warns of prices that are missing or cannot be true.

Computing the yields is left to scorecard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from suburb_pandas.errors import DataWarning, NoSuburbColumn
from suburb_pandas.frames.column import labels_of, suburbs_of
from suburb_pandas.frames.schema import PROPERTY_TYPES
from suburb_pandas.messages import counted, joined, listed, warn
from suburb_pandas.names import sal, search
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.timeseries.points import numbers

_SUGGESTED_FOR: Final = 10  # suburbs: as many as a message lists
_MOST_YIELD: Final = 30  # per cent
_A_PRICE: Final = re.compile("price|median", re.IGNORECASE)


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
        likely = [label for label in prices.columns if isinstance(label, str) and _A_PRICE.search(label)]
        how = f", as in prices.rename(columns={{{likely[0]!r}: 'house_price'}})" if likely else " house_price."
        raise ValueError(
            f"prices has neither house_price nor unit_price: its columns are {listed(prices.columns) or 'none'}. "
            f"Nothing was sent; name the column of prices{how}"
        )
    by_name = pd.DataFrame(
        {column: numbers(prices, column, f"prices[{column!r}]") for column in given}, index=_suburbs_of_prices(prices)
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


def _suburbs_of_prices(prices: pd.DataFrame) -> pd.Index[Any]:
    """Return the suburbs of a frame of prices: the column or level labelled for them, otherwise an index of text."""
    labels, names = labels_of(prices), prices.index
    if len(labels) == 1:
        names = pd.Index(suburbs_of(prices, labels[0]))
    if len(labels) == 1 or (not labels and infer_dtype(names.astype("object")) == "string"):
        return names
    which = f"each of {listed(labels)} may be it" if labels else "none is called area_name or suburb"
    texts = [label for label in prices.columns if infer_dtype(prices[label]) == "string"]
    how = "make the names its index" + (f", as in prices.set_index({texts[0]!r})" if texts else ".")
    if labels:
        how = f"keep one, as in prices.drop(columns={labels[:-1]})"
    raise NoSuburbColumn(f"prices has no single column of suburbs: {which}. Nothing was sent; {how}")


def warn_of_prices(card: pd.DataFrame, prices: pd.DataFrame) -> None:
    """Warn of the suburbs of a scorecard that have no row in the user's prices, and of prices that cannot be true."""
    _warn_of_no_price([str(name) for name in card.index], prices.index)
    _warn_of_impossible(card, prices.reindex(card.index))


def _warn_of_no_price(names: Sequence[str], with_price: pd.Index[Any]) -> None:
    """Warn of the suburbs that have no row in the user's prices, with the nearest of the rows that no suburb uses."""
    without = [name for name in names if name not in with_price]
    if not without:
        return
    unused = [name for name in with_price.difference(pd.Index(names), sort=False) if sal.is_name(name)]
    places = Gazetteer(Place(name, sal.parse(name).state) for name in unused)
    near = {name: search.suggest(places, name, sal.parse(name).state, limit=1) for name in without[:_SUGGESTED_FOR]}
    pairs = [f"{place.area_name!r} for {name!r}" for name, found in near.items() for place in found]
    hint = f" Similar names in prices: {joined(pairs)}." if pairs else ""
    have = "has no row in prices, so its" if len(without) == 1 else "have no row in prices, so their"
    warn(
        f"{len(without)} of {counted(len(names), 'suburb')} {have} gross yields are NaN: {listed(without)}. "
        f"Rows of prices are found by the exact name of a suburb, as df.suburb.resolve() returns it.{hint}",
        DataWarning,
    )


def _warn_of_impossible(card: pd.DataFrame, prices: pd.DataFrame) -> None:
    """Warn of gross yields above `_MOST_YIELD`, and of prices that are not above zero and so have none."""
    found: list[str] = []
    too_low, too_high = set(), set()  # columns of prices with a price that is so
    for kind in PROPERTY_TYPES:
        column = f"{kind}_price"
        for name, price, gross in zip(card.index, prices[column], card[f"{kind}_gross_yield_pct"], strict=True):
            if price <= 0:
                gives = "no yield from"
                too_low.add(column)
            elif gross > _MOST_YIELD:
                gives = f"{gross:,.0f} per cent of"
                too_high.add(column)
            else:
                continue
            found.append(f"{name!r} ({kind}: {gives} a price of {f'{price:,}'.removesuffix('.0')})")
    if not found:
        return
    if too_high:
        how = "If the prices are in thousands, pass them in AUD"
        repairs = [f'{column}=prices["{column}"] * 1000' for column in sorted(too_high)]
    else:
        how = "Make prices that are not known NaN"
        repairs = [f'{column}=prices["{column}"].where(prices["{column}"] > 0)' for column in sorted(too_low)]
    warn(
        f"Some gross yields, or their prices, cannot be true: {listed(found, str)}. {how}: "
        f"prices = prices.assign({', '.join(repairs)})",
        DataWarning,
    )
