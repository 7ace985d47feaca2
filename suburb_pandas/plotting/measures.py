"""Describes a column of numbers: its title, its measure with the unit, its property type, and its evidence.

Maps and ranked charts take their words from here, so that both describe a column in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Final

import pandas as pd

from suburb_pandas.frames.schema import (
    GROWTH_UNIT,
    PROPERTY_TYPES,
    RENT,
    RENT_UNIT,
    marks_of,
    means_in_words,
    operations_of,
)
from suburb_pandas.messages import counted
from suburb_pandas.plotting.composition.text import decimals_of
from suburb_pandas.timeseries.dates import Values
from suburb_pandas.timeseries.points import KINDS

OWN_PRICES: Final = "The prices are the user's own, so they have no flags for few sales."
"""The sentence on the prices of a gross yield. The number of sales in a scorecard is not about them."""

_GROWTH: Final = "growth_1y_pct"
_OF_A_TYPE: Final = {
    "rent": ("{} rents", "Advertised median rent"),
    "unchanged_days": ("Unchanged {} rents", "Time without a change of the rent"),
    _GROWTH: ("Growth of {} rents", "Growth over 1 year"),
    "rent_to_all_sales_price_pct": (
        "Ratio of {} rents to prices",
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
_SPANS: Final = {"D": "day", "W": "week", "M": "month", "Y": "year"}
_PER_CENT: Final = "per cent"
_NO_UNIT: Final = "unit not known"
_COUNTS: Final = ("n_sales", "n_drivers")
_YIELD: Final = "_gross_yield_pct"
_ON_RENTS: Final = ("rent", "unchanged_days", _GROWTH, "gross_yield_pct")


def title_words(column: Hashable, frame: pd.DataFrame) -> str:
    """Return the beginning of a title: the measure of a column, or the label of a user's own column."""
    if words := _words(column, frame):
        return _capitalised(words[0])
    text = str(column)
    return _capitalised(text.replace("_", " ")) if text == text.lower() else text


def measure_words(column: Hashable, frame: pd.DataFrame) -> str:
    """Return the measure of a column with its unit, as a subtitle."""
    unit = unit_of_column(frame, column)
    if (words := _words(column, frame)) is None:
        return heading(unit)
    return words[1] if column in _COUNTS or is_growth(frame, column) else f"{words[1]}, {unit or _NO_UNIT}"


def heading(unit: str | None) -> str:
    """Return a unit as the heading of a column or as a subtitle."""
    return _capitalised(unit or _NO_UNIT)


def unit_of_column(frame: pd.DataFrame, column: Hashable) -> str | None:
    """Return the unit in which a column is shown, by the marks of a frame; None if they do not have it.

    Growth is shown in per cent.
    """
    return _PER_CENT if is_growth(frame, column) else _marked_unit(frame, column)


def shown_values(frame: pd.DataFrame, column: Hashable, values: Values) -> Values:
    """Return the values of a column in the unit of `unit_of_column`."""
    return 100 * values if is_growth(frame, column) else values


def decimals_of_values(values: Values, unit: str | None) -> int:
    """Return the decimals with which the values of a column are written, in this unit."""
    return 1 if unit == _PER_CENT else decimals_of(values, 0 if unit else 1)


def is_growth(frame: pd.DataFrame, column: Hashable) -> bool:
    """Return True if a column holds growth, by the marks of its frame."""
    return column in KINDS and _marked_unit(frame, column) == GROWTH_UNIT


def growth_in_words(frame: pd.DataFrame) -> str:
    """Return the measure of a frame of growth, with the span as its operation names it."""
    calls = [call for call in operations_of(frame) if call.startswith("growth(")]
    span = re.search(r'over="(\d+) ?([DWMY])"', calls[-1]) if calls else None
    over = f" over {counted(int(span[1]), _SPANS[span[2]])}" if span else ""
    return f"Growth{over}, per cent{' a year' if calls and 'annualise=True' in calls[-1] else ''}"


def _marked_unit(frame: pd.DataFrame, column: Hashable) -> str | None:
    """Return the unit of a column by the marks of a frame; None if they do not have it."""
    unit = marks_of(frame).get("unit")
    found = unit.get(column) if isinstance(unit, Mapping) else unit
    return None if found is None else str(found)


def property_type_of(column: Hashable) -> str | None:
    """Return the property type that a column is about; None if it is about both or neither."""
    kind = str(column).partition("_")[0]
    return kind if kind in PROPERTY_TYPES else None


def rests_on_sales(column: Hashable) -> bool:
    """Return True if few sales make a column uncertain. That is any column except rents, yields and counts."""
    kind = property_type_of(column)
    return column not in _COUNTS and not (kind and str(column).removeprefix(f"{kind}_") in _ON_RENTS)


def is_yield(column: Hashable) -> bool:
    """Return True if a column of a scorecard is a gross yield, which rests on the user's own prices."""
    return str(column).endswith(_YIELD)


def why_no_yield(column: Hashable, columns: Iterable[Hashable], call: str) -> str | None:
    """Return the message for a yield that a scorecard does not have; None if it has yields or another column is meant.

    ``columns`` are those that can be drawn. ``call`` is the line to paste, with {} for the scorecard and the column.
    """
    if "yield" not in str(column).casefold() or any(map(is_yield, columns)):
        return None
    meant = f"{property_type_of(column) or PROPERTY_TYPES[0]}{_YIELD}"
    return (
        f"{column!r} is not a column of this scorecard, because a scorecard has yields only if it is made with prices. "
        "prices is a frame of your own with the house_price or unit_price (AUD) of each suburb. Paste: "
        f"{call.format('sp.scorecard(suburbs, prices=prices)', meant)}"
    )


def own_values_note(frame: pd.DataFrame, column: Hashable) -> str:
    """Return a sentence on a column that does not come from the source of a frame alone; empty for all others.

    Yields rest on the user's own prices. A column of a marked frame that the package did not make is the user's own.
    """
    if is_yield(column):
        return OWN_PRICES
    is_own = bool(marks_of(frame)) and _words(column, frame) is None and unit_of_column(frame, column) is None
    return f"{column}: the user's own." if is_own else ""


def _words(column: Hashable, frame: pd.DataFrame) -> tuple[str, str] | None:
    """Return title and measure of a column of the package's own frames; None for a user's own column."""
    kind = property_type_of(column)
    if is_growth(frame, column):
        return f"growth of {f'{kind} rents' if kind else 'rents'}", growth_in_words(frame)
    if column in KINDS and _marked_unit(frame, column) == RENT_UNIT:
        return f"{kind} rents" if kind else "rents", _OF_A_TYPE[RENT][1]
    of_type = _OF_A_TYPE.get(str(column).removeprefix(f"{kind}_")) if kind else None
    if of_type:
        means = means_in_words(frame) if str(column).endswith(_GROWTH) else ""
        return of_type[0].format(kind), ", ".join(filter(None, [of_type[1], means]))
    return _OTHERS.get(str(column))


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
