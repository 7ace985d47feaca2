"""Says in words what a column measures: those of scorecards and summaries, and any other by its label."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

_WORDS: Final = {
    "house_rent": "House rent",
    "unit_rent": "Unit rent",
    "house_unchanged_days": "Days without a change of house rent",
    "unit_unchanged_days": "Days without a change of unit rent",
    "house_growth_1y_pct": "Growth of house rent over one year",
    "unit_growth_1y_pct": "Growth of unit rent over one year",
    "house_rent_to_all_sales_price_pct": "A year's house rent by median price of all sales",
    "unit_rent_to_all_sales_price_pct": "A year's unit rent by median price of all sales",
    "house_gross_yield_pct": "Gross yield of houses",
    "unit_gross_yield_pct": "Gross yield of units",
    "median_price_all_sales": "Median price of all sales",
    "median_price": "Median price of all sales",
    "n_sales": "Recent sales",
    "n_drivers": "Listed drivers",
    "total_premium": "Total premium of amenities",
    "total_premium_pct": "Total premium of amenities by median price",
    "sum_drivers": "Sum of the listed premiums",
}


def in_words(column: Hashable) -> str:
    """Return what a column measures, as the beginning of a title."""
    text = str(column)
    return _WORDS.get(text, text[:1].upper() + text[1:].replace("_", " "))
