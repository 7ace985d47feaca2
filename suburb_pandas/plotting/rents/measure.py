"""Decides what the lines of a chart of rents measure: rents, an index of them, or their growth.

Computing growth is left to timeseries, drawing to chart and multiples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import operations_of, unit_of, units_of
from suburb_pandas.loaders.frames import check_unit, endpoint_of
from suburb_pandas.messages import counted
from suburb_pandas.plotting.rents.series import Group, Series
from suburb_pandas.timeseries.dates import Values, Whole, to_dates
from suburb_pandas.timeseries.line import line_of

INDEX: Final = "index"
"""The ``kind`` that sets each series to 100 at a common date."""

_AT_BASE: Final = 100.0
_PER_CENT: Final = 100.0
_FRACTION: Final = "fraction"
_SPANS: Final = {"D": "day", "W": "week", "M": "month", "Y": "year"}


@dataclass(frozen=True, slots=True)
class Measure:
    """What the values of a chart measure.

    ``mark`` is the value that has a line of its own, such as zero for growth. ``decimals`` are the most decimals of a
    value in a label.
    """

    title: str
    subtitle: str
    mark: float | None = None
    decimals: int = 2


def check_kind(kind: str | None, frame: pd.DataFrame) -> None:
    """Raise ValueError unless a frame holds rents or growth, and can be drawn as this kind."""
    if kind not in {None, INDEX}:
        raise ValueError(f"kind is None for the values as they are, or {INDEX!r}, not {kind!r}.")
    if not is_growth(frame):
        check_unit(frame, "pandas' own frame.plot() draws it.")
    elif kind == INDEX:
        raise ValueError(
            "kind='index' takes rents, and this frame holds growth. Leave kind out, or draw the rents that the growth "
            "was computed from."
        )


def is_growth(frame: pd.DataFrame) -> bool:
    """Return True if the marks of a frame say that its values are growth."""
    return units_of(frame) == {_FRACTION}


def check_alike(frames: Iterable[pd.DataFrame]) -> None:
    """Raise ValueError if some of the frames of one chart hold growth beside others that hold rents."""
    if len({is_growth(frame) for frame in frames}) > 1:
        raise ValueError("Some of these frames hold growth beside others that hold rents. Draw each in its own chart.")


def measured(
    frame: pd.DataFrame, kind: str | None, groups: Mapping[str, Group], property_type: str | None
) -> tuple[Measure, dict[str, Group]]:
    """Return what a chart measures, and its series by panel in that measure.

    Raises
    ------
    ValueError
        An index has no common base.
    """
    endpoint, unit = endpoint_of(frame), unit_of(frame)
    noun = endpoint.noun if property_type is None else f"{property_type} {endpoint.noun}"
    title = noun[0].upper() + noun[1:]
    if is_growth(frame):
        return Measure(f"Growth of {noun}", _growth_in_words(frame), 0.0, 1), _scaled(groups, lambda _: _PER_CENT)
    if kind == INDEX and any(len(series.points.day) for group in groups.values() for series in group.values()):
        day = _common_day(groups)
        measure = Measure(title, f"{endpoint.axis_label}, index, {_AT_BASE:.0f} at {_date(day)}", _AT_BASE, 1)
        return measure, _scaled(groups, lambda series: _AT_BASE / _values_at(series, np.array([day]))[0])
    subtitle = str(endpoint.axis_label) if unit is None else f"{endpoint.axis_label}, {unit}"
    return Measure(title, subtitle), dict(groups)


def _growth_in_words(frame: pd.DataFrame) -> str:
    """Return the measure of a frame of growth, with the span as its operation names it."""
    calls = [call for call in operations_of(frame) if call.startswith("growth(")]
    span = re.search(r'over="(\d+) ?([DWMY])"', calls[-1]) if calls else None
    over = f" over {counted(int(span[1]), _SPANS[span[2]])}" if span else ""
    return f"Growth{over}, per cent{' a year' if calls and 'annualise=True' in calls[-1] else ''}"


def _scaled(groups: Mapping[str, Group], factor_of: Callable[[Series], float]) -> dict[str, Group]:
    """Return all series that have points, each multiplied by its factor, and the empty ones as they are."""
    return {
        heading: {
            label: series.scaled(factor_of(series)) if len(series.points.day) else series
            for label, series in group.items()
        }
        for heading, group in groups.items()
    }


def _common_day(groups: Mapping[str, Group]) -> int:
    """Return the first day on which all series with points have a value above 0 on the line.

    The lines that all series have in common begin where one of them begins, or begins again after a gap. So only the
    points need be tried.
    """
    series = dict(_with_points(groups))
    days = np.unique(np.concatenate([each.points.day for each in series.values()]))
    known = np.array([_values_at(each, days) > 0 for each in series.values()])
    common = np.flatnonzero(known.all(axis=0))
    if len(common):
        return int(days[common[0]])
    # The series to leave out is one without which the others have a common date, or the one that has the fewest dates.
    others = [np.delete(known, number, axis=0).all(axis=0).sum() for number in range(len(known))]
    worst = int(np.lexsort((known.sum(axis=1), -np.array(others)))[0])
    (label, heading), drawn = list(series)[worst], list(series.values())[worst]
    raise ValueError(
        f"There is no date on which all {len(series)} series have a value, so they cannot be set to 100 together. "
        f"{label!r}{heading} has values from {_date(drawn.points.day[0])} to {_date(drawn.points.day[-1])}, which "
        f"prevents it: {_without(label, heading)}."
    )


def _with_points(groups: Mapping[str, Group]) -> Iterator[tuple[tuple[str, str], Series]]:
    """Yield the series that have points, with their labels and the headings of their panels."""
    for heading, group in groups.items():
        for label, series in group.items():
            if len(series.points.day):
                yield (label, f" ({heading.lower()})" if heading and heading != label else ""), series


def _without(label: str, heading: str) -> str:
    """Return how to draw a frame without the series of a suburb or, in the frame of one suburb, of a property type."""
    other = {"house": "unit", "unit": "house"}.get(label)
    if other and not heading:
        return f"sp.plot_rent(frame, kind={INDEX!r}, property_type={other!r}) leaves it out"
    return f"frame[frame['area_name'] != {label!r}] leaves it out"


def _values_at(series: Series, day: Whole) -> Values:
    """Return the values of a series on the line at these days, NaN where it has none."""
    return line_of(series.points).at(np.full(len(day), series.points.suburb[0]), day)


def _date(day: int) -> str:
    """Return the date of a day number."""
    return str(to_dates(np.array([day]))[0])
