"""Says what a column of numbers measures: its title, its measure with the unit, its property type, and its evidence.

Maps and ranked charts take their words from here, so that both say the same of the same column.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final

import pandas as pd

from suburb_pandas.frames.schema import PROPERTY_TYPES, marks_of

_OF_A_TYPE: Final = {
    "rent": ("{} rents", "Advertised median rent"),
    "unchanged_days": ("Unchanged {} rents", "Time without a change of the rent"),
    "growth_1y_pct": ("Growth of {} rents", "Growth over 1 year"),
    "rent_to_all_sales_price_pct": (
        "{} rents to prices",
        "52 weeks' rent relative to the median price of houses and units together",
    ),
    "gross_yield_pct": ("Gross yields of {}s", "52 weeks' rent relative to the price, before all costs"),
}
_OTHERS: Final = {
    "median_price_all_sales": ("Median sale prices", "Median price of houses and units together"),
    "median_price": ("Median sale prices", "Median price of houses and units together"),
    "n_sales": ("Recent sales", "Number of sales of houses and units together"),
    "n_drivers": ("Listed drivers", "Number of drivers that the service lists"),
    "total_premium": ("Total amenity premiums", "Total of the amenity price impacts"),
    "total_premium_pct": ("Total amenity premiums", "Total of the amenity price impacts relative to the median price"),
    "sum_drivers": ("Listed amenity premiums", "Sum of the premiums of the listed drivers"),
}
_NO_UNIT: Final = "unit not known"
_COUNTS: Final = ("n_sales", "n_drivers")
_ON_RENTS: Final = ("rent", "unchanged_days", "growth_1y_pct", "gross_yield_pct")


def title_words(column: Hashable) -> str:
    """Return the beginning of a title: what a column measures, or the label of a column of the user's own."""
    if words := _words(column):
        return _capitalised(words[0])
    text = str(column)
    return _capitalised(text.replace("_", " ")) if text == text.lower() else text


def measure_words(column: Hashable, unit: str | None) -> str:
    """Return the measure of a column with its unit, as a subtitle."""
    if (words := _words(column)) is None:
        return heading(unit)
    return words[1] if column in _COUNTS else f"{words[1]}, {unit or _NO_UNIT}"


def heading(unit: str | None) -> str:
    """Return a unit as the heading of a column or as a subtitle."""
    return _capitalised(unit or _NO_UNIT)


def unit_of_column(frame: pd.DataFrame, column: Hashable) -> str | None:
    """Return the unit of a column by the marks of a frame; None if they do not say."""
    unit = marks_of(frame).get("unit")
    found = unit.get(column) if isinstance(unit, Mapping) else unit
    return None if found is None else str(found)


def property_type_of(column: Hashable) -> str | None:
    """Return the property type that a column is about; None if it is about both or neither."""
    kind = str(column).partition("_")[0]
    return kind if kind in PROPERTY_TYPES else None


def rests_on_sales(column: Hashable) -> bool:
    """Return True if few sales make a column uncertain: not rents and counts, but all others, the user's own too."""
    kind = property_type_of(column)
    return column not in _COUNTS and not (kind and str(column).removeprefix(f"{kind}_") in _ON_RENTS)


def _words(column: Hashable) -> tuple[str, str] | None:
    """Return title and measure of a column of the package's own frames; None for a column of the user's own."""
    kind = property_type_of(column)
    of_type = _OF_A_TYPE.get(str(column).removeprefix(f"{kind}_")) if kind else None
    if of_type:
        return of_type[0].format(kind), of_type[1]
    return _OTHERS.get(str(column))


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
