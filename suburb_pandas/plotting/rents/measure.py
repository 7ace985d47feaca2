"""Decides the measure of a chart of rents: rents, an index of them, or their growth.

Computing growth is left to timeseries, drawing to chart and multiples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from suburb_pandas.frames.schema import GROWTH_UNIT, INDEX_UNIT, check_rents, unit_of, units_of
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.plotting.measures import growth_in_words
from suburb_pandas.plotting.rents.indices import AT_BASE, index_in_words
from suburb_pandas.plotting.rents.series import Group, Series
from suburb_pandas.timeseries.dates import Values, Whole, day_text
from suburb_pandas.timeseries.layouts import is_index
from suburb_pandas.timeseries.line import line_of

INDEX: Final = "index"
"""The ``kind`` that sets each series to 100 at a common date."""

_PER_CENT: Final = 100.0
_RENTS: Final = "rents"


@dataclass(frozen=True, slots=True)
class Measure:
    """The measure of a chart's values.

    ``mark`` is a value that gets a horizontal line, such as zero for growth. ``decimals`` is the largest number of
    decimals in a label.
    """

    title: str
    subtitle: str
    mark: float | None = None
    decimals: int = 2


def check_kind(kind: str | None, frame: pd.DataFrame) -> None:
    """Raise ValueError unless a frame holds rents, an index or growth, and can be drawn as this kind."""
    if kind not in {None, INDEX}:
        raise ValueError(f"kind must be {INDEX!r}, or None for the values as they are, not {kind!r}.")
    what = _contents(frame)
    if what == _RENTS:
        check_rents(frame, "pandas' own frame.plot() draws it")
    elif kind == INDEX:
        raise ValueError(
            f"kind='index' takes rents, but this frame holds {what}. Leave kind out, or draw the rents that it was "
            "computed from."
        )


def is_growth(frame: pd.DataFrame) -> bool:
    """Return True if the marks of a frame say that its values are growth."""
    return units_of(frame) == {GROWTH_UNIT}


def is_levels(frame: pd.DataFrame) -> bool:
    """Return True if the marks of a frame say that its values are those of a rent index."""
    return units_of(frame) == {INDEX_UNIT}


def check_alike(frames: Iterable[pd.DataFrame]) -> None:
    """Raise ValueError if the frames of one chart do not all hold rents, or an index, or growth."""
    first, *others = dict.fromkeys(map(_contents, frames))
    if others:
        raise ValueError(
            f"Some of these frames hold {first}, and others hold {others[0]}. Draw each kind in its own chart."
        )


def _contents(frame: pd.DataFrame) -> str:
    """Return the contents of a frame by its marks: rents if these name nothing else."""
    if is_growth(frame):
        return "growth of an index" if is_index(frame) else "growth"
    return "an index" if is_levels(frame) else _RENTS


def measured(
    frames: Sequence[pd.DataFrame], kind: str | None, groups: Mapping[str, Group], property_type: str | None
) -> tuple[Measure, dict[str, Group]]:
    """Return the measure of a chart, and its series by panel in that measure.

    Raises
    ------
    ValueError
        An index has no common base.
    """
    frame = frames[0]
    endpoint, unit = endpoint_of(frame), unit_of(frame)
    noun = endpoint.noun if property_type is None else f"{property_type} {endpoint.noun}"
    title, subtitle = noun[0].upper() + noun[1:], str(endpoint.axis_label)
    if is_growth(frame):
        what = f"the index of {noun}" if is_index(frame) else noun
        return Measure(f"Growth of {what}", growth_in_words(frame), 0.0, 1), _scaled(groups, lambda _: _PER_CENT)
    if is_levels(frame):
        words = f"{subtitle}, like-for-like index{index_in_words(frames, groups)}"
        return Measure(f"Index of {noun}", words, AT_BASE, 1), dict(groups)
    if kind == INDEX and any(len(series.points.day) for group in groups.values() for series in group.values()):
        day = _common_day(groups)
        measure = Measure(title, f"{subtitle}, index, {AT_BASE:.0f} at {day_text(day)}", AT_BASE, 1)
        return measure, _scaled(groups, lambda series: AT_BASE / _values_at(series, np.array([day]))[0])
    return Measure(title, subtitle if unit is None else f"{subtitle}, {unit}"), dict(groups)


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
    """Return the first day on which all series with points have a value on the line.

    A stretch on which all series have a line begins where one of them begins, or begins again after a gap. So only the
    dates of points have to be tried.
    """
    series = dict(_with_points(groups))
    days = np.unique(np.concatenate([each.points.day for each in series.values()]))
    known = np.array([~np.isnan(_values_at(each, days)) for each in series.values()])
    common = np.flatnonzero(known.all(axis=0))
    if len(common):
        return int(days[common[0]])
    # Name the series without which the others have the most common dates; of several, the one with the fewest dates.
    others = [np.delete(known, number, axis=0).all(axis=0).sum() for number in range(len(known))]
    worst = int(np.lexsort((known.sum(axis=1), -np.array(others)))[0])
    (label, heading), drawn = list(series)[worst], list(series.values())[worst]
    raise ValueError(
        f"There is no date on which all {len(series)} series have a value, so they cannot be set to 100 together. "
        f"The obstacle is {label!r}{heading}, with values from {day_text(drawn.points.day[0])} to "
        f"{day_text(drawn.points.day[-1])}. Leave it out: {_without(label, heading)}"
    )


def _with_points(groups: Mapping[str, Group]) -> Iterator[tuple[tuple[str, str], Series]]:
    """Yield the series that have points, with their labels and the headings of their panels."""
    for heading, group in groups.items():
        for label, series in group.items():
            if len(series.points.day):
                yield (label, f" ({heading.lower()})" if heading and heading != label else ""), series


def _without(label: str, heading: str) -> str:
    """Return the code that leaves out the series of a suburb or, in the frame of one suburb, of a property type."""
    other = {"house": "unit", "unit": "house"}.get(label)
    if other and not heading:
        return f"sp.plot_rent(frame, kind={INDEX!r}, property_type={other!r})"
    return f"frame[frame['area_name'] != {label!r}]"


def _values_at(series: Series, day: Whole) -> Values:
    """Return the values of a series on the line at these days, NaN where it has none."""
    return line_of(series.points).at(np.full(len(day), series.points.suburb[0]), day)
