"""Reads rents, growth and indexes for charts, checks them, and writes the captions that all charts of them share.

Whatever the kind of a chart, it draws the points of a `RentChart`. Drawing them as lines is left to lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.column import suburbs_in
from suburb_pandas.frames.dates import Flags, Values, day_text, to_dates, to_days
from suburb_pandas.frames.marks import has_operation
from suburb_pandas.frames.points import Points
from suburb_pandas.frames.rents import as_long, read
from suburb_pandas.frames.schema import (
    AREA_NAME,
    DATE,
    GROWTH_UNIT,
    INDEX_UNIT,
    PROPERTY_TYPE,
    PROPERTY_TYPES,
    RENT,
    RENT_COLUMNS,
    RENT_UNIT,
    check_rents,
    is_index,
    is_made_up,
    rent_columns_of,
    unit_of,
)
from suburb_pandas.messages import listed
from suburb_pandas.plotting.figure import Captions
from suburb_pandas.plotting.look import COLOURS, read_highlight
from suburb_pandas.plotting.words import (
    Column,
    column_of,
    missing_suburbs_note,
    open_period_note,
    operations_note,
    retrieval_times,
    source_note,
    title_of,
)
from suburb_pandas.timeseries.line import line_of
from suburb_pandas.timeseries.stretches import FLAT, steps

MOST_SUBURBS: Final = 60
"""The most suburbs of a chart."""

SERIES: Final = [PROPERTY_TYPE, AREA_NAME]
"""The columns of points that tell the series apart."""

AT_BASE: Final = 100.0
"""The value of an index at its base."""

_WITH_DOTS: Final = ("quarterly", "irregular")  # the cadences whose points are drawn as dots
_LONG_STEP: Final = 1.5  # times the usual step of a series; in a longer one, points are missing
_YEAR: Final = 366  # days, the longest step that can be usual

Vintages = Sequence[pd.DataFrame] | Mapping[str, pd.DataFrame]
"""Frames of one suburb that were retrieved at different times, perhaps with labels."""


@dataclass(frozen=True, slots=True)
class RentChart:
    """What a chart of rents shows: ``points``, as `read_points` returns them, in the unit of ``column``.

    ``names`` are those of suburbs, groups or vintages, also of those without points; some of them are ``highlighted``.
    ``property_types`` has ``rent`` alone if the type is not named. ``frames`` are those of the user, one or all
    vintages, and ``notes`` are sentences on them.
    """

    points: pd.DataFrame
    names: Sequence[str]
    highlighted: Sequence[str]
    property_types: Sequence[str]
    column: Column
    title: str
    frames: Sequence[pd.DataFrame]
    notes: Sequence[str]

    def captions(self, drawn: pd.Index[Any], notes: Iterable[str]) -> Captions:
        """Return the captions that all kinds of charts share, for one that draws these series.

        ``drawn`` has the columns of `SERIES`. The notes of the kind of chart come first.
        """
        every: Any = pd.MultiIndex.from_product([self.property_types, self.names])
        without = [title_of(houses_of(type_), [name]) for type_, name in every.difference(drawn, sort=False)]
        without_note = f"Without points: {listed(without, str)}." if without else ""
        return Captions(
            self.title,
            self.column.subtitle,
            notes=[*notes, without_note, *self.notes],
            source=source_note(*self.frames),
            is_made_up=any(map(is_made_up, self.frames)),
        )


def houses_of(property_type: str) -> str:
    """Return the plural of a property type, such as ``houses``."""
    return f"{property_type}s"


def read_rent_chart(
    frame: pd.DataFrame | Vintages,
    property_type: str | None = None,
    highlight: str | Iterable[str] | None = None,
    *,
    rents_only: bool = False,
) -> RentChart:
    """Read rents, growth, an index, or the vintages of a suburb. With ``rents_only``, growth and an index are refused.

    Raises
    ------
    TypeError, ValueError
        A frame is not of the rent shape, or its unit is not that of rents. The frame has too many suburbs, or there is
        none. Vintages are of several suburbs or units. An option does not fit the frame.
    NoSuburbColumn
        Several columns or index levels can hold the suburbs.
    """
    frames = [*frame.values()] if isinstance(frame, Mapping) else frame if isinstance(frame, Sequence) else [frame]
    longs = [_long(each, property_type, rents_only=rents_only) for each in frames]
    names = _names(frame, longs)
    highlighted = read_highlight(highlight, names, len(COLOURS))
    if len(longs) > 1 and not highlighted:  # vintages share panels, however many there are
        highlighted = names[-len(COLOURS) :]
    types = rent_columns_of(column for long in longs for column in long)
    column = column_of(longs[0], property_type or (types[0] if len(types) == 1 else RENT))
    names_of_each = [names] if len(longs) == 1 else [[name] for name in names]
    tables = [read_points(long, own) for long, own in zip(longs, names_of_each, strict=True)]
    points = pd.concat(tables, ignore_index=True)
    points = points.assign(value=column.factor * points["value"])
    # A slice of an index begins at another value.
    begins = points.groupby(SERIES)["value"].first().round(9)
    if column.unit == INDEX_UNIT and (begins == AT_BASE).all():
        column = column._replace(measure=f"{column.measure}, 100 at the first date of each series")
    suburbs = suburbs_in(longs[0])
    title = title_of(column.title, suburbs, "groups" if is_index(longs[0]) else "suburbs")
    missing = missing_suburbs_note(frames[0], suburbs)
    notes = [*map(open_period_note, frames, tables), *map(operations_note, frames), missing]
    return RentChart(points, names, highlighted, types, column, title, frames, notes)


def _long(frame: pd.DataFrame, property_type: str | None, *, rents_only: bool) -> pd.DataFrame:
    """Return a frame in the long layout, with one property type or with all, after checking that it can be drawn."""
    long = as_long(frame)
    if rents_only or unit_of(long) != GROWTH_UNIT:
        check_rents(long, or_index=not rents_only)
    if property_type is None:
        return long
    found = [column for column in PROPERTY_TYPES if column in long.columns] or PROPERTY_TYPES  # ``rent``: of either
    if property_type not in found:
        raise ValueError(f"This frame has no column {property_type!r}. Draw the other: property_type={found[0]!r}")
    return long.drop(columns={*PROPERTY_TYPES} - {property_type}, errors="ignore")


def _names(frame: pd.DataFrame | Vintages, longs: Sequence[pd.DataFrame]) -> list[str]:
    """Return the suburbs of a frame, or the names of vintages, after checking that a chart can show them together."""
    if not longs:
        raise ValueError("The list has no frame. Pass a frame of rents, or one for each vintage of a suburb.")
    suburbs = [name or "" for long in longs for name in suburbs_in(long)]
    units = {(unit_of(long) or RENT_UNIT, RENT in long) for long in longs}
    if len(longs) > 1 and (len({*suburbs}) > 1 or len(units) > 1):
        raise ValueError(
            f"A chart compares vintages of one suburb, in one unit and with columns of the same names, not "
            f"{len(longs)} frames of {listed(sorted(map(str, suburbs)))}. Pass each frame by itself, without a list."
        )
    if len(suburbs) > MOST_SUBURBS:
        raise ValueError(
            f"This frame has {len(suburbs)} suburbs or groups, but a chart shows up to {MOST_SUBURBS}. Choose some "
            f"before: sp.rent(suburbs[:{MOST_SUBURBS}])"
        )
    if len(longs) == 1:
        return suburbs
    if isinstance(frame, Mapping):
        return [*map(str, frame)]
    days = [max(retrieval_times(long), default="")[:10] or "at an unknown time" for long in longs]
    return [f"retrieved {day} ({number})" for number, day in enumerate(days, 1)]


def read_points(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the points of a frame in the long layout, whose suburbs get these names in their order.

    All suburbs of one property type come before the next. Columns that are not about rents are ignored. Beside the
    columns of `SERIES`, the result has:

    - ``date`` and ``value``
    - ``open``: True for a point of an open period
    - ``filled``: True for a value that was not observed
    - ``dot``: True for a point that is drawn as a dot
    - ``cadence``: that of the step to the point
    - ``stroke``: the form of that step, ``plain``, ``flat`` or ``filled``; empty if no line is drawn
    - ``gap``: True if points are missing in that step
    """
    tables = [
        pd.DataFrame(
            {
                PROPERTY_TYPE: property_type,
                AREA_NAME: np.array(names)[points.suburb],
                DATE: to_dates(points.day),
                "value": points.value,
                "open": _flags(frame, f"{property_type}_open")[points.place],
                **_steps(points, frame, property_type),
            }
        )
        for property_type, points in read(frame.filter(items=[AREA_NAME, *RENT_COLUMNS])).points.items()
    ]
    return pd.concat(tables)


def _steps(points: Points, frame: pd.DataFrame, property_type: str) -> dict[str, Any]:
    """Return the columns from ``filled`` on for the points of a property type."""
    found, is_filled = steps(points), _flags(frame, f"{property_type}_filled")[points.place]
    # All steps of a series of years are irregular. One that is much longer than usual, or a year, has missing points.
    irregular = pd.Series(np.diff(points.day, prepend=0)).where((found.cadence == "irregular") & ~points.is_first)
    usual = irregular.groupby(points.suburb).transform("median").clip(upper=_YEAR)
    is_gap = found.is_gap | (irregular > _LONG_STEP * usual)
    has_line, has_dots = ~is_gap & ~points.is_first, np.isin(found.cadence, _WITH_DOTS)
    if (label := f"{property_type}_unchanged_days") in frame.columns:
        is_unchanged = frame[label].to_numpy("float64", na_value=np.nan)[points.place] >= FLAT
    else:
        # The label of a period is not the date of a point: two equal quarters may hold points a few weeks apart.
        is_unchanged = ~has_dots & (not has_operation(frame, "resample"))
    # The point before a first point is another series', and no step leads to a first point.
    before_is_filled, next_has_line = np.roll(is_filled, 1), np.roll(has_line, -1)
    forms = [~has_line, is_filled | before_is_filled, found.is_flat & is_unchanged]
    return {
        "filled": is_filled,
        "dot": has_dots | ~(has_line | next_has_line),
        "cadence": found.cadence,
        "stroke": np.select(forms, ["", "filled", "flat"], "plain"),
        "gap": is_gap,
    }


def to_index(chart: RentChart) -> RentChart:
    """Return a chart with each series set to 100 on the first date on which all have a value on the line.

    Raises
    ------
    ValueError
        There is no such date.
    """
    if chart.points.empty:
        return chart
    day, factors = base_of(chart.points)
    measure = f"{chart.column.measure}, index, 100 at {day}"
    points = chart.points.assign(value=factors * chart.points["value"])
    return replace(chart, points=points, column=chart.column._replace(measure=measure, unit=INDEX_UNIT))


def base_of(points: pd.DataFrame) -> tuple[str, Values]:
    """Return the first date on which all series have a value on the line, and the factor to 100 there by point."""
    series = np.asarray(points.groupby(SERIES, sort=False).ngroup(), "int64")
    day = to_days(pd.DatetimeIndex(points[DATE]))
    line, days = line_of(Points(series, day, points["value"].to_numpy(), series)), np.unique(day)
    at = pd.DataFrame({each: line.at(np.full(len(days), each), days) for each in np.unique(series)}, days).dropna()
    if at.empty:
        raise ValueError(
            f"There is no date on which all {at.shape[1]} series have a value, so they cannot be set to 100 together. "
            f"Draw fewer suburbs, or one type: property_type={points[PROPERTY_TYPE].iloc[0]!r}"
        )
    return day_text(at.index[0]), AT_BASE / at.iloc[0].to_numpy()[series]


def _flags(frame: pd.DataFrame, label: str) -> Flags:
    """Return a column of a resampled frame that holds True and False; False for all rows if there is none."""
    return frame[label].to_numpy("bool") if label in frame.columns else np.zeros(len(frame), dtype="bool")
