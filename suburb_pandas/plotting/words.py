"""Writes the words that charts, maps and tables share: columns with their units, suburbs, operations and the source.

One table has the words for each column, so that all of them describe it alike. The notes on lines, bars and marks are
left to the modules that draw them, the place of all words to figure.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype

from suburb_pandas.client import provenance_log
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.schema import (
    AREA_NAME,
    GROWTH_UNIT,
    INDEX_UNIT,
    PROPERTY_TYPES,
    RENT,
    RENT_UNIT,
    is_computed,
    is_made_up,
    marks_of,
    means_in_words,
    operations_of,
    unit_of,
)
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.messages import counted, listed
from suburb_pandas.plotting.look import decimals_of
from suburb_pandas.timeseries.dates import Values
from suburb_pandas.timeseries.points import KINDS
from suburb_pandas.tracing.trace import trace

PER_CENT: Final = "per cent"
"""The unit of growth, yields and premiums in charts. Headings of tables have the sign."""

OWN_PRICES: Final = "The prices are the user's own, so they have no flags for few sales."
"""The sentence on the prices of a gross yield. The number of sales in a scorecard is not about them."""

_RENT: Final = "Advertised median rent"
_PRICE: Final = ("Median sale prices", "Median price of houses and units together", "Median price", "AUD")
_OF_A_TYPE: Final = {
    "rent": ("{} rents", _RENT, "{} rent", RENT_UNIT),
    "rent_date": ("", "", "{} rent dated", None),
    "unchanged_days": ("Unchanged {} rents", "Time without a change of the rent", "{} rent unchanged", "days"),
    "growth_1y_pct": ("Growth of {} rents", "Growth over one year", "{} growth over 1 year", PER_CENT),
    "growth_1y_base_date": ("", "", "{} growth since", None),
    "rent_to_all_sales_price_pct": (
        "Ratio of {} rents to prices",
        "52 weeks' rent relative to the median price of houses and units together",
        "{} rent to median price",
        PER_CENT,
    ),
    "gross_yield_pct": (
        "Gross yields of {}s",
        "52 weeks' rent relative to the price, before all costs",
        "{} gross yield",
        PER_CENT,
    ),
}
"""Title, measure, heading and unit of the columns on one property type, without its name and the underscore."""

_OTHERS: Final = {
    "median_price_all_sales": _PRICE,
    "median_price": _PRICE,
    "n_sales": ("Recent sales", "Number of sales of houses and units together", "Sales", "sales"),
    "n_drivers": ("Listed drivers", "Number of drivers that the service lists", "Drivers", "drivers"),
    "total_premium": ("Total amenity premiums", "Total of the amenity price impacts", "Total premium", "AUD"),
    "total_premium_pct": (
        "Total amenity premiums",
        "Total of the amenity price impacts relative to the median price",
        "Total premium, % of median",
        PER_CENT,
    ),
    "sum_drivers": ("Listed amenity premiums", "Sum of the premiums of the listed drivers", "Sum of drivers", "AUD"),
    "premium_dollars": ("", "", "Premium", "AUD"),
    "pct_of_median": ("", "Premium relative to the median price", "Premium, % of median", PER_CENT),
    "coverage_pct": ("", "", "Sales without the amenity", PER_CENT),
    "n_absent": ("", "", "Sales without", None),
    "n_present": ("", "", "Sales with", None),
    "dwellings": ("Dwellings", "Number of dwellings", "Dwellings", "dwellings"),
    "persons": ("Persons", "Number of persons", "Persons", "persons"),
    "label": ("", "", "Driver", None),
    AREA_NAME: ("", "", "Suburb", None),
    "sales_flag": ("", "", "Evidence", None),
    "retrieved_at": ("", "", "Retrieved", "UTC"),
}
_COUNTS: Final = ("n_sales", "n_drivers", "dwellings", "persons")
_ON_RENTS: Final = ("rent", "unchanged_days", "growth_1y_pct", "gross_yield_pct")
_YIELD: Final = "_gross_yield_pct"

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SPANS: Final = {"D": "day", "W": "week", "M": "month", "Y": "year"}
_PERIODS: Final = {"D": "daily", "W": "weekly", "M": "monthly", "Q": "quarterly", "Y": "yearly"}
_HOWS: Final = {"last": "last values", "mean": "means", "median": "medians", "count": "numbers of points"}
_FILLS: Final = {"linear": "filled along the line", "ffill": "filled with the last value"}

_NAMED: Final = 2  # the most suburbs that a title names; of more suburbs, it has the number
_LETTERS: Final = 45  # of two names; if they are longer, the title has the number
_SOURCES: Final = {
    "embedded": "the embedded sandbox",
    "sandbox": "the property data service, under its sandbox key",
    "live": "the property data service",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers in words.

    ``title`` begins the title of a chart, ``measure`` is its subtitle with the unit, and ``heading`` the heading of a
    table, without it. ``factor`` turns its values into the unit, which is None if it is not known. ``is_own`` is True
    for a column that the package did not make.
    """

    title: str
    measure: str
    heading: str
    unit: str | None
    factor: float = 1.0
    is_own: bool = False

    def decimals(self, values: Values) -> int:
        """Return the decimals with which values in the unit are written."""
        return 1 if self.unit == PER_CENT else decimals_of(values, {None: 2, INDEX_UNIT: 1}.get(self.unit, 0))


def column_of(frame: pd.DataFrame, label: Hashable) -> Column:
    """Return a column of a frame in words. Its unit is that of the marks or, in a frame without it, of its name."""
    kind, marked, endpoint = property_type_of(label), _marked_unit(frame, label), endpoint_of(frame)
    if label in KINDS:
        noun = f"{kind} {endpoint.noun}" if kind else endpoint.noun
        if marked == GROWTH_UNIT:
            growth = growth_in_words(frame)
            heading = _capitalised(f"{kind or noun[:-1]} {growth.lower()}")
            return Column(f"Growth of {noun}", f"{growth}, {PER_CENT}", heading, PER_CENT, 100.0)
        if marked == INDEX_UNIT:
            return Column(f"Index of {noun}", "Like-for-like index", f"Index of {noun}", INDEX_UNIT)
        measure = ", ".join(filter(None, [endpoint.axis_label, marked]))
        return Column(_capitalised(noun), measure, _capitalised(noun[:-1]), marked)
    known = _OF_A_TYPE.get(str(label).removeprefix(f"{kind}_")) if kind else _OTHERS.get(str(label))
    if known is None:
        text = _capitalised(str(label).replace("_", " ") if str(label) == str(label).lower() else str(label))
        text = re.sub(r"\b([Ll]ga|[Ss]a\d)\b", lambda area: area[0].upper(), text)
        unit, factor = (PER_CENT, 100.0) if marked == GROWTH_UNIT else (marked, 1.0)
        return Column(text, _capitalised(unit or "unit not known"), text, unit, factor, is_own=unit is None)
    title, measure, heading, usual = known
    unit = marked or usual
    means = means_in_words(frame) if "growth" in str(label) else ""
    measured = ", ".join(filter(None, [measure, means, None if label in _COUNTS else unit]))
    return Column(_capitalised(title.format(kind)), measured, _capitalised(heading.format(kind)), unit)


def growth_in_words(frame: pd.DataFrame) -> str:
    """Return the growth of a frame as its operation names it, such as ``growth over one year``."""
    calls = [call for call in operations_of(frame) if call.startswith("growth(")]
    return _capitalised(_in_words(calls[-1]) if calls else "growth")


def _marked_unit(frame: pd.DataFrame, label: Hashable) -> str | None:
    """Return the unit of a column by the marks of a frame; None if they do not have it."""
    unit = marks_of(frame).get("unit")
    if label == RENT and isinstance(unit, Mapping):
        unit = unit_of(frame)
    found = unit.get(label) if isinstance(unit, Mapping) else unit if label in KINDS else None
    return None if found is None else str(found)


def property_type_of(label: Hashable) -> str | None:
    """Return the property type that a column is about; None if it is about both or neither."""
    kind = str(label).partition("_")[0]
    return kind if kind in PROPERTY_TYPES else None


def rests_on_sales(label: Hashable) -> bool:
    """Return True if few sales make a column uncertain. That is any column except rents, yields and counts."""
    kind = property_type_of(label)
    return label not in _COUNTS and not (kind and str(label).removeprefix(f"{kind}_") in _ON_RENTS)


def is_yield(label: Hashable) -> bool:
    """Return True if a column of a scorecard is a gross yield, which rests on the user's own prices."""
    return str(label).endswith(_YIELD)


def why_no_yield(label: Hashable, labels: Iterable[Hashable], call: str) -> str | None:
    """Return the message for a yield that a scorecard does not have; None if it has yields or another column is meant.

    ``labels`` are those that can be drawn. ``call`` is the line to paste, with {} for the scorecard and the column.
    """
    if "yield" not in str(label).casefold() or any(map(is_yield, labels)):
        return None
    meant = f"{property_type_of(label) or PROPERTY_TYPES[0]}{_YIELD}"
    return (
        f"{label!r} is not a column of this scorecard, because a scorecard has yields only if it is made with prices. "
        "prices is a frame of your own with the house_price or unit_price (AUD) of each suburb. Paste: "
        f"{call.format('sp.scorecard(suburbs, prices=prices)', meant)}"
    )


def own_values_note(frame: pd.DataFrame, label: Hashable) -> str:
    """Return a sentence on a column that does not come from the source of a frame alone; empty for all others."""
    if is_yield(label):
        return OWN_PRICES
    return f"{label}: the user's own." if marks_of(frame) and column_of(frame, label).is_own else ""


def suburbs_in(frame: pd.DataFrame) -> list[str | None]:
    """Return the suburbs that have rows in a frame.

    A frame without a column ``area_name`` holds one suburb: its name comes from the attrs, or is None if they lack it.
    """
    if AREA_NAME not in frame.columns:
        return [marks_of(frame).get("area_name")]
    names: list[str | None] = [str(name) for name in frame[AREA_NAME].dropna().unique()]
    return names or [None]


def rows_of(frame: pd.DataFrame, name: str | None) -> pd.DataFrame:
    """Return the rows of one suburb; all rows if ``name`` is None or the frame has no column ``area_name``."""
    return frame if name is None or AREA_NAME not in frame.columns else frame[frame[AREA_NAME].astype(str) == name]


def title_of(what: str, names: Sequence[str | None], noun: str = "suburbs") -> str:
    """Return the title of a chart: its subject, and its suburbs or groups."""
    known = [name for name in names if name is not None]
    named = " and ".join(known)
    if len(known) > _NAMED or (len(known) > 1 and len(named) > _LETTERS):
        named = f"{len(known):,} {noun}"
    return f"{what} in {named}" if named else what


def missing_suburbs_note(frame: pd.DataFrame, present: Sequence[str | None]) -> str:
    """Return a sentence that names the requested suburbs that are not among those present; empty if there are none.

    A wide frame has a column for each requested suburb. For other frames, the requested suburbs are known only if the
    frame is exactly as a loader returned it. For a slice of such a frame the sentence is empty.
    """
    if present in ([], [None]):
        return ""
    if AREA_NAME in frame.columns.names:
        requested = [*map(str, frame.columns.get_level_values(AREA_NAME).unique())]
    else:
        requested = [item.area_name for item in provenance_log.behind(frame)]
    return without_data_note([name for name in requested if name not in present])


def without_data_note(names: Sequence[str]) -> str:
    """Return a sentence that names the suburbs without data; empty if there are none."""
    return f"Without data: {listed(names, str)}." if names else ""


def operations_note(frame: pd.DataFrame) -> str:
    """Return a sentence on the operations that made a frame from the loaded data; empty if there are none."""
    words = [_in_words(call) for call in operations_of(frame)]
    return f"{'Computed' if is_computed(frame) else 'Selected'}: {', '.join(words)}." if words else ""


def _in_words(call: str) -> str:
    """Return a call of the marks in words, such as ``quarterly means`` for ``resample(freq="QE", how="mean")``."""
    name, _, arguments = call.partition("(")
    given = dict(re.findall(r'(\w+)="?([^",)]*)', arguments))
    if name == "rent":
        ends = [f"{word} {given[end]}" for end, word in (("start", "from"), ("end", "to")) if end in given]
        return " ".join(["dates", *ends])
    if name == "resample":
        freq = given.get("freq", "")
        period = _PERIODS.get(re.split(r"[ES]?(?:-|$)", freq)[0], f"{freq} period")
        return ", ".join(
            filter(None, [f"{period} {_HOWS[given.get('how', 'last')]}", _FILLS.get(given.get("fill", ""))])
        )
    if name == "growth":
        smooth = f" of means over {_span(given['smooth'])}" if "smooth" in given else ""
        return f"growth over {_span(given.get('over', '1Y'))}{smooth}{', a year' if 'annualise' in given else ''}"
    if name == "rent_index":
        return " by ".join(["like-for-like index", *([given["by"]] if "by" in given else [])])
    return "further steps" if name == "..." else name.replace("_", " ")


def _span(span: str) -> str:
    """Return a span such as ``1Y`` in words."""
    found = re.fullmatch(r"(\d+) ?([DWMY])", span)
    if found is None:
        return span
    number = int(found[1])
    words = counted(number, _SPANS[found[2]])
    return words.replace(found[1], _NUMBERS[number], 1) if number < len(_NUMBERS) else words


def source_note(*frames: pd.DataFrame) -> str:
    """Return a sentence on the source of frames and the dates of retrieval, as far as they are known.

    A scorecard has both in columns, which joins and files keep.
    """
    made_up = "made-up data of " if any(map(holds_made_up, frames)) else ""
    named = [source for frame in frames for source in _values(frame, "source") or [""]]
    sources = [_SOURCES[source] for source in dict.fromkeys(", ".join(named).split(", ")) if source in _SOURCES]
    if not sources:
        return "The source of this data is not known." if not made_up else "Made-up data; its source is not known."
    days = sorted({time[:10] for frame in frames for time in retrieval_times(frame)})
    when = f"retrieved {' to '.join(dict.fromkeys([days[0], days[-1]]))}" if days else "retrieval date not known"
    return f"Source: {made_up}{' and '.join(sources)}, {when}."


def _values(frame: pd.DataFrame, name: str) -> list[str]:
    """Return a fact about a frame: that of its marks, or the distinct ones of its column of that name."""
    if name in marks_of(frame):
        return [str(marks_of(frame)[name])]
    return [*map(str, frame[name].dropna().unique())] if name in frame.columns else []


def holds_made_up(frame: pd.DataFrame) -> bool:
    """Return True if the marks of a frame, its suburbs or its column ``source`` say that its data is made up."""
    return is_made_up(frame) or "embedded" in _values(frame, "source")


def retrieval_times(frame: pd.DataFrame) -> list[str]:
    """Return the retrieval times of the responses behind a frame; nothing if they cannot be known."""
    if times := _values(frame, "retrieved_at"):
        return times
    try:
        behind = trace(frame, None).behind
    except SuburbError:
        return []
    return [vintage.retrieved_at for vintages in behind.values() for vintage in vintages]


def dates_in(frame: pd.DataFrame, label: str) -> pd.Series[Any]:
    """Return a column of dates. A file may have made text of them; what is not a date is missing."""
    column = frame[label] if label in frame.columns else pd.Series(pd.NaT, frame.index)
    return column if is_datetime64_any_dtype(column) else pd.to_datetime(column, errors="coerce", format="ISO8601")


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
