"""Writes the words that charts, maps and tables share: columns with their units, suburbs, operations and the source.

One table has the words for each column, so that all of them describe it alike. The text alternatives of all charts are
here. The notes on lines, bars and marks are left to the modules that draw them, the place of all words to figure.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

import pandas as pd

from suburb_pandas.client import provenance_log
from suburb_pandas.errors import SuburbError
from suburb_pandas.frames.dates import Values
from suburb_pandas.frames.marks import SELECTION, is_computed, marks_of, means_in_words, operations_of
from suburb_pandas.frames.schema import (
    AREA_NAME,
    COUNT_UNIT,
    DATE,
    GROWTH_UNIT,
    INDEX_UNIT,
    PROPERTY_TYPES,
    RENT_COLUMNS,
    RENT_UNIT,
    is_made_up,
    unit_of,
)
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.messages import counted, listed
from suburb_pandas.plotting.look import decimals_of
from suburb_pandas.tracing.provenance import trace

PER_CENT: Final = "per cent"
"""The unit of growth, yields and premiums in charts. Headings of tables have the sign."""

CAVEAT: Final = (
    "A premium compares the sales without the amenity with comparable suburbs that have it. It is not the effect of "
    "removing an amenity."
)
"""The sentence on what a premium is not."""

OWN_PRICES: Final = "The prices are the user's own, so they have no flags for few sales."
"""The sentence on the prices of a gross yield. The number of sales in a scorecard is not about them."""

_COUNTS: Final = {COUNT_UNIT, "days", "drivers", "dwellings", "persons", "sales"}
_YIELD: Final = "_gross_yield_pct"


class Column(NamedTuple):
    """A column of numbers in words.

    ``heading`` is that of a table, without the unit, which is None if it is not known. ``title`` begins the title of a
    chart, and ``measure`` its subtitle. In the table of words, both are empty if they are the heading. ``factor`` turns
    values of the column into the unit.
    """

    heading: str
    unit: str | None = None
    title: str = ""
    measure: str = ""
    factor: float = 1.0

    @property
    def subtitle(self) -> str:
        """The measure with its unit."""
        return with_unit(self.measure, self.unit or "")

    def decimals(self, values: Values) -> int:
        """Return the decimals with which values in the unit are written: none for AUD and counts."""
        if self.unit in {PER_CENT, INDEX_UNIT}:
            return 1
        return 0 if self.unit in _COUNTS or str(self.unit).startswith("AUD") else decimals_of(values, 2)


_PRICE: Final = Column("Median price", "AUD", "Median sale prices", "Median price of houses and units together")
_COLUMNS: Final = {
    "_rent": Column("{} rent", RENT_UNIT, "{} rents", "Advertised median rent"),
    "_unchanged_days": Column("{} rent unchanged", "days", "Unchanged {} rents", "Time without a change of the rent"),
    "_growth_1y_pct": Column(
        "{} growth over 1 year{means}", PER_CENT, "Growth of {} rents", "Growth over one year{means}"
    ),
    "_growth_1y_base_date": Column("{} growth since"),
    "_rent_to_all_sales_price_pct": Column(
        "{} rent to median price",
        PER_CENT,
        "Ratio of {} rents to prices",
        "52 weeks' rent relative to the median price of houses and units together",
    ),
    _YIELD: Column(
        "{} gross yield", PER_CENT, "Gross yields of {}s", "52 weeks' rent relative to the price, before all costs"
    ),
    "median_price_all_sales": _PRICE,
    "median_price": _PRICE,
    "n_sales": Column("Sales", "sales", "Recent sales", "Number of sales of houses and units together"),
    "n_drivers": Column("Listed drivers", "drivers"),
    "total_premium": Column("Total premium", "AUD", "Total amenity premiums", "Total of the amenity price impacts"),
    "total_premium_pct": Column(
        "Total premium, % of median",
        PER_CENT,
        "Total amenity premiums",
        "Total of the amenity price impacts relative to the median price",
    ),
    "sum_drivers": Column("Sum of listed premiums", "AUD"),
    "premium_dollars": Column("Premium", "AUD"),
    "pct_of_median": Column("Premium, % of median", PER_CENT, measure="Premium relative to the median price"),
    "coverage_pct": Column("Sales without the amenity", PER_CENT),
    "n_absent": Column("Sales without", "sales"),
    "n_present": Column("Sales with", "sales"),
    "dwellings": Column("Dwellings", "dwellings"),
    "persons": Column("Persons", "persons"),
    "label": Column("Driver"),
    AREA_NAME: Column("Suburb"),
    "retrieved_at": Column("Retrieved", "UTC"),
    **{area: Column(area.upper()) for area in ("lga", "sa2", "sa3", "sa4")},
}
"""The words for each column. Those of a property type begin with an underscore, for which the type is written."""

_STEPS: Final = {
    SELECTION: {"": "dates", "start": "from {}", "end": "to {}"},
    "resample": {"freq": "{}", "how": "{}", "fill": ", filled {}"},
    "growth": {"": "growth", "over": "over {}", "smooth": "of means over {}", "annualise": ", annualised"},
    "rent_index": {"": "like-for-like index", "by": "by {}", "weights": ", weighted by {}", "base": ", 100 at {}"},
    "...": {"": "further steps"},
}
"""The words for each operation and its arguments."""

_ARGUMENTS: Final = {
    "W": "weekly",
    "MS": "monthly",
    "ME": "monthly",
    "QS": "quarterly",
    "QE": "quarterly",
    "YS": "yearly",
    "YE": "yearly",
    "last": "last values",
    "mean": "means",
    "median": "medians",
    "count": "numbers of points",
    "linear": "along the line",
    "ffill": "with the last value",
    "1M": "one month",
    "1Y": "one year",
}
"""The words for values of arguments."""

_SPANS: Final = {"D": "day", "W": "week", "M": "month", "Y": "year"}

_NAMED: Final = 2  # the most suburbs that a title names; of more suburbs, it has the number
_SOURCES: Final = {
    "embedded": "the embedded sandbox",
    "sandbox": "the property data service, under its sandbox key",
    "live": "the property data service",
}


def column_of(frame: pd.DataFrame, label: Hashable) -> Column:
    """Return a column of a frame in words. Its unit is that of the marks or, in a frame without it, of its name."""
    type_, units, means = property_type_of(label), marks_of(frame).get("unit"), means_in_words(frame)
    if label in RENT_COLUMNS or (isinstance(label, date) and isinstance(units, str)):  # a date: a row of a wide frame
        marked = unit_of(frame)
        known = _of_a_series(frame, type_, marked)
    else:
        marked = units.get(label) if isinstance(units, Mapping) else None
        own = Column(str(label).replace("_", " "), measure="" if marked else "unit not known")
        known = _COLUMNS.get(str(label).removeprefix(type_), own)
    unit = PER_CENT if marked == GROWTH_UNIT else marked or known.unit
    heading, title, measure = (_filled(text, type_, means) for text in (known.heading, known.title, known.measure))
    return Column(heading, unit, title or heading, measure or heading, 100.0 if marked == GROWTH_UNIT else 1.0)


def _of_a_series(frame: pd.DataFrame, type_: str, unit: str | None) -> Column:
    """Return the words for a column of rents, of their growth, or of an index of them."""
    endpoint = endpoint_of(frame)
    noun = f"{type_} {endpoint.noun}".strip()
    if unit == GROWTH_UNIT:
        growth = [_in_words(call) for call in ("growth", *operations_of(frame)) if call.startswith("growth")][-1]
        return Column(f"{type_ or noun[:-1]} {growth}", title=f"growth of {noun}", measure=growth)
    if unit == INDEX_UNIT:
        return Column(f"index of {noun}", measure=f"{endpoint.axis_label}, like-for-like index")
    return Column(noun[:-1], title=noun, measure=endpoint.axis_label)


def _filled(text: str, type_: str, means: str) -> str:
    """Return a text of the table with its property type and the means that growth compares, if any."""
    filled = text.replace("{}", type_).replace("{means}", f", {means}" if means else "")
    return filled[:1].upper() + filled[1:]


def with_unit(text: str, unit: str) -> str:
    """Return a text with a unit, unless the text names it."""
    return text if unit.casefold() in text.casefold() else f"{text}, {unit}"


def property_type_of(label: Hashable) -> str:
    """Return the property type that a column is about; empty if it is about both or neither."""
    type_ = str(label).partition("_")[0]
    return type_ if type_ in PROPERTY_TYPES else ""


def is_yield(label: Hashable) -> bool:
    """Return True if a column of a scorecard is a gross yield, which rests on the user's own prices."""
    return str(label).endswith(_YIELD)


def is_count(label: Hashable) -> bool:
    """Return True if a column counts something, such as sales."""
    known = _COLUMNS.get(str(label))
    return known is not None and known.unit in _COUNTS


def own_values_note(frame: pd.DataFrame, label: Hashable) -> str:
    """Return a sentence on a column that does not come from the source of a frame alone; empty for all others."""
    if is_yield(label):
        return OWN_PRICES
    is_marked = bool(marks_of(frame)) or "source" in frame
    return f"The values of {label} are the user's own." if is_marked and column_of(frame, label).unit is None else ""


def title_of(what: str, names: Sequence[str | None], noun: str = "suburbs") -> str:
    """Return the title of a chart: its subject, and its suburbs or groups."""
    known = [*filter(None, names)]
    named = " and ".join(known) if len(known) <= _NAMED else f"{len(known):,} {noun}"
    return f"{what} in {named}" if named else what


def missing_suburbs_note(frame: pd.DataFrame, present: Sequence[str | None]) -> str:
    """Return a sentence that names the requested suburbs that are not among those present; empty if there are none.

    A wide frame has a column for each requested suburb. For other frames, the requested suburbs are known only if the
    frame is exactly as a loader returned it. For a slice of such a frame the sentence is empty.
    """
    requested: Iterable[str] = ()
    if isinstance(frame, pd.DataFrame) and AREA_NAME in frame.columns.names:
        requested = frame.columns.unique(AREA_NAME)
    elif AREA_NAME in frame:
        requested = (item.area_name for item in provenance_log.behind(frame))
    return without_data_note([name for name in requested if name not in present])


def without_data_note(names: Sequence[str]) -> str:
    """Return a sentence that names the suburbs without data; empty if there are none."""
    return f"Without data: {listed(names, str)}." if names else ""


def operations_note(frame: pd.DataFrame) -> str:
    """Return a sentence on the operations that made a frame from the loaded data; empty if there are none."""
    steps = [_in_words(call) for call in operations_of(frame)]
    return f"{'Computed' if is_computed(frame) else 'Selected'}: {', '.join(steps)}." if steps else ""


def open_period_note(frame: pd.DataFrame, points: pd.DataFrame) -> str:
    """Return a sentence if data were retrieved before the end of the last period that has a value."""
    times = retrieval_times(frame)
    if times and pd.Timestamp(max(times)[:10]) < points[DATE].max():
        return "The last period was still open when the data were retrieved."
    return ""


def _in_words(call: str) -> str:
    """Return a call of the marks in words, such as ``quarterly means`` for ``resample(freq="QE", how="mean")``."""
    name, _, rest = re.sub("<.+?>", "values of your own", call).partition("(")
    arguments = {"": "", "how": "last"} | dict(re.findall(r'(\w+)="?([^",)]*)', rest))
    templates = _STEPS.get(name, {"": name.replace("_", " ")})
    parts = [text.format(_argument(arguments[key])) for key, text in templates.items() if key in arguments]
    return " ".join(parts).replace(" ,", ",")


def _argument(value: str) -> str:
    """Return the value of an argument in words: one of the table, a span of time, or the value itself."""
    span = re.fullmatch(r"(\d+) ?([DWMY])", value)
    otherwise = counted(int(span[1]), _SPANS[span[2]]) if span else value
    return _ARGUMENTS.get(value.partition("-")[0], otherwise)


def source_note(*frames: pd.DataFrame) -> str:
    """Return a sentence on the source of frames and the dates of retrieval, as far as they are known.

    A scorecard has both in columns, which joins and files keep.
    """
    named = ", ".join(source for frame in frames for source in _facts(frame, "source")).split(", ")
    sources = [name for source, name in _SOURCES.items() if source in named]
    is_invented = any(map(is_made_up, frames))
    if not sources:
        return f"The source of this {'made-up ' * is_invented}data is not known."
    days = period_of(time for frame in frames for time in retrieval_times(frame))
    when = f"retrieved {days}" if days else "retrieval date not known"
    return f"Source: {'made-up data of ' * is_invented}{' and '.join(sources)}, {when}."


def period_of(times: Iterable[str]) -> str:
    """Return the first and the last day of some times in words, such as ``2026-04-26 to 2026-04-28``."""
    days = sorted({time[:10] for time in times})
    return " to ".join(dict.fromkeys(days[:1] + days[-1:]))


def _facts(frame: pd.DataFrame, name: str) -> list[str]:
    """Return a fact about a frame: that of its marks, or the distinct ones of its column of that name."""
    return [*map(str, pd.Series(marks_of(frame).get(name, frame.get(name, []))).dropna().unique())]


def retrieval_times(frame: pd.DataFrame) -> list[str]:
    """Return the retrieval times of the responses behind a frame; nothing if they cannot be known."""
    if times := _facts(frame, "retrieved_at"):
        return times
    try:
        behind = trace(frame, None).behind
    except SuburbError:
        return []
    return [vintage.retrieved_at for vintages in behind.values() for vintage in vintages]


def alt_of_ranking(figures: pd.Series[str]) -> str:
    """Return a chart of ranked figures in words. They are texts by names, of which some may be empty."""
    ranked = [", ".join(filter(None, [figure, str(name)])) for name, figure in figures.items()]
    return f"Largest: {ranked[0]}. Least: {ranked[-1]}." if ranked else ""


def alt_of_map(figures: pd.Series[str]) -> str:
    """Return a map in words. The figures are texts by suburb, from the least to the largest."""
    if figures.empty:
        return "No suburb has a value."
    low, high = (f"{name} ({figure})" for name, figure in figures.iloc[[0, -1]].items())
    return f"A map of {len(figures):,} suburb{'' if len(figures) == 1 else 's'}, from {low} to {high}."


def alt_of_lines(ends: Mapping[str, str]) -> str:
    """Return a chart of lines in words. The ends of the lines are texts, by the heading of their panel."""
    last = "; ".join(f"{heading} {text}" for heading, text in ends.items() if text)
    return f"Last values: {last}." if last else ""
