"""Draws rents, their index or their growth on their real dates, with cadence, gaps and flat runs visible.

This module checks the frame and decides which panels a chart has. Cadence and gaps are computed by timeseries.
Lines are left to lines, small panels to multiples, words to notes and chart, labels at their ends to end_labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import pandas as pd
from matplotlib.axes import Axes

from suburb_pandas.frames.schema import PROPERTY_TYPES, is_made_up
from suburb_pandas.plotting.composition import ticks
from suburb_pandas.plotting.composition.chart import Chart, axes_for
from suburb_pandas.plotting.composition.colours import COLOURS, MARKERS, muted, page_colour, series_colours
from suburb_pandas.plotting.composition.content import Look, Panel, Words
from suburb_pandas.plotting.composition.end_labels import EndLabels
from suburb_pandas.plotting.composition.place import Target
from suburb_pandas.plotting.composition.style import tidy
from suburb_pandas.plotting.composition.text import NumberFormatter, decimals_of, format_number
from suburb_pandas.plotting.composition.ticks import Ticks
from suburb_pandas.plotting.notes import (
    Vintages,
    check_number,
    missing_suburbs_note,
    open_period_note,
    operations_note,
    rows_of,
    source_note,
    suburbs_in,
    title_of,
    vintages_by_label,
)
from suburb_pandas.plotting.rents.indices import suburbs_behind, title_of_groups
from suburb_pandas.plotting.rents.lines import draw_markers, draw_series, notes, resize
from suburb_pandas.plotting.rents.measure import Measure, check_alike, check_kind, measured
from suburb_pandas.plotting.rents.multiples import MOST_MULTIPLES, draw_multiples, height_of
from suburb_pandas.plotting.rents.series import Group, Series, read_series, without_other_columns
from suburb_pandas.timeseries.doubts import stale_before
from suburb_pandas.timeseries.layouts import as_long, index_as_rents, is_index
from suburb_pandas.timeseries.points import check_type, read

_LEAST_SHAPE: Final = 0.19
_HEIGHT_INCHES, _HEIGHT_OF_PANEL_INCHES = 4.6, 3.7


def draw(
    rents: pd.DataFrame | Vintages,
    target: Target,
    *,
    property_type: str | None = None,
    kind: str | None = None,
    footnote: bool = True,
) -> Axes:
    """Draw rents, growth, an index, or the vintages of a suburb, and return the Axes of the first panel.

    Raises
    ------
    TypeError, ValueError
        A frame is not of the rent shape, its unit is not that of rents, it has too many suburbs, or an option does not
        fit the frame.
    """
    originals, given = _given(rents)
    frames = {label: _checked(frame, property_type, kind) for label, frame in given.items()}
    check_alike(frames.values())
    (first, *_) = frames.values()
    types = _common_types(frames.values())
    names = list(dict.fromkeys(name for frame in frames.values() for name in suburbs_in(frame)))
    of_index = is_index(first)
    is_multiple = _check_names(names, types, of_groups=of_index)
    parts = {name: rows_of(first, name) for name in names} if len(frames) == 1 else frames
    series = {label: read_series(part, types) for label, part in parts.items()}
    groups = _multiples(series) if is_multiple else _groups(series, types, property_type)
    measure, groups = measured([*frames.values()], kind, groups, property_type)
    axes = axes_for(target, len(groups), _height(len(groups), is_multiple=is_multiple))
    if is_multiple:
        drawn = draw_multiples(axes, groups, measure)
    else:
        drawn = [_draw_panel(ax, *group, measure) for ax, group in zip(axes, groups.items(), strict=True)]
    words = Words(
        _title(measure, names, originals[0], first) if of_index else title_of(measure.title, names),
        measure.subtitle,
        notes=[
            *notes(groups.values()),
            *_open_periods(originals, [*series.values()]),
            *dict.fromkeys(map(operations_note, frames.values())),
            "" if of_index else missing_suburbs_note(originals[0], names),
        ],
        source=source_note(*originals),
        is_made_up=any(map(is_made_up, frames.values())),
        legend={} if is_multiple else _legend(groups, page_colour(axes[0])),
        has_foot=footnote,
    )
    Chart(drawn, words, is_grid=is_multiple)
    return axes[0]


def _given(rents: pd.DataFrame | Vintages) -> tuple[list[pd.DataFrame], dict[str | None, pd.DataFrame]]:
    """Return the frames as given, which can be traced, and the frames to draw by label: of an index, its levels."""
    if isinstance(rents, Mapping | list | tuple):
        found = vintages_by_label(rents)
        levels = {str(label): index_as_rents(frame) for label, frame in found.items()}
        return [*found.values()], vintages_by_label(levels)  # the groups of an index are several suburbs, too
    return [rents], {None: index_as_rents(rents)}


def _open_periods(frames: Sequence[pd.DataFrame], series: Sequence[Group]) -> Iterator[str]:
    """Yield a note for each frame whose last period was open, unless hollow markers show it; see `_given`."""
    for number, frame in enumerate(frames):
        own = series if len(frames) == 1 else [series[number]]
        drawn = [each for group in own for each in group.values() if len(each.points.day)]
        if drawn and not any(each.is_open.any() for each in drawn):
            yield open_period_note(frame, max(each.dates[-1].item() for each in drawn))


def _title(measure: Measure, names: list[str | None], index: pd.DataFrame, levels: pd.DataFrame) -> str:
    """Return the title of a chart of an index: with its groups or, without groups, with the suburbs behind it."""
    if names == [None]:
        return title_of(measure.title, suburbs_behind(index, levels))
    return title_of_groups(measure.title, names, index)


def _checked(frame: pd.DataFrame, property_type: str | None, kind: str | None) -> pd.DataFrame:
    """Return a frame in the long layout, with one property type or with all, after checking that it can be drawn."""
    if property_type not in {None, *PROPERTY_TYPES}:
        raise ValueError(f"property_type must be 'house', 'unit' or None for both, not {property_type!r}.")
    check_type(frame)
    long = as_long(frame)
    check_kind(kind, long)
    found = [label for label in PROPERTY_TYPES if label in long.columns]
    if property_type is None or not found:
        return long
    if property_type not in found:
        raise ValueError(f"This frame has no column {property_type!r}. Draw the other: property_type={found[0]!r}")
    others = [label for label in long.columns if str(label).partition("_")[0] in {*PROPERTY_TYPES} - {property_type}]
    return long.drop(columns=others)


def _common_types(frames: Iterable[pd.DataFrame]) -> list[str]:
    """Read all frames, and return the property types that each of them has."""
    first, *others = [read(without_other_columns(frame)).points for frame in frames]
    return [label for label in first if all(label in each for each in others)]


def _check_names(names: list[str | None], types: list[str], *, of_groups: bool) -> bool:
    """Return True if a chart has a small panel for each suburb or group. Raise ValueError if there are too many."""
    if len(names) <= len(COLOURS):
        return False
    if len(types) > 1:
        what = "group" if of_groups else "suburb"
        raise ValueError(
            f"This frame has {len(names)} {what}s, but a chart of both types shows up to {len(COLOURS)}. Draw one "
            f"type, with a small panel for each {what}: property_type={types[0]!r}"
        )
    check_number(names, MOST_MULTIPLES, of_groups=of_groups)
    return True


def _height(number: int, *, is_multiple: bool) -> float:
    """Return the height of a new figure for a number of panels, in inches."""
    if is_multiple:
        return height_of(number)
    return _HEIGHT_INCHES if number == 1 else _HEIGHT_OF_PANEL_INCHES * number


def _groups(
    series: Mapping[str | None, Mapping[str, Series]], types: Iterable[str], property_type: str | None
) -> dict[str, Group]:
    """Return the panels by their headings: one for a single suburb, else one for each property type."""
    if len(series) == 1:
        ((name, by_type),) = series.items()
        return {"": {label if label in PROPERTY_TYPES else str(name or label): by_type[label] for label in types}}
    return {
        "" if property_type or label not in PROPERTY_TYPES else f"{label.capitalize()}s": {
            str(name): each[label] for name, each in series.items()
        }
        for label in types
    }


def _multiples(series: Mapping[str | None, Mapping[str, Series]]) -> dict[str, Group]:
    """Return a panel for each suburb, by its name."""
    return {str(name): {str(name): each} for name, by_type in series.items() for each in by_type.values()}


def _legend(groups: Mapping[str, Group], page: str) -> dict[str, Look]:
    """Return the look of each series that has points, by its name."""
    looks: dict[str, Look] = {}
    for group in groups.values():
        for number, (label, drawn) in enumerate(group.items()):
            if len(drawn.points.day):
                looks[label] = _colour(number, page), MARKERS[number], "-"
    return looks


def _colour(number: int, page: str) -> str:
    """Return the colour of a series on a page by its number in the panel."""
    colours = series_colours(page)
    return colours[number % len(colours)]


def _draw_panel(ax: Axes, heading: str, group: Group, measure: Measure) -> Panel:
    """Draw the series of one panel."""
    tidy(ax)
    labels = EndLabels(ax)
    with_points = {label: drawn for label, drawn in group.items() if len(drawn.points.day)}
    limit = stale_before([drawn.dates[-1] for drawn in with_points.values()])
    ends = [value for drawn in with_points.values() for value in drawn.points.value[-1:]]
    decimals = decimals_of(ends, measure.decimals)
    if measure.mark is not None and with_points:
        ax.axhline(measure.mark, color=muted(page_colour(ax)), linewidth=0.8, gid="zero")
    for place, (label, drawn) in enumerate(group.items()):
        if label not in with_points:
            continue
        colour, end, value = _colour(place, page_colour(ax)), drawn.dates[-1], drawn.points.value[-1]
        draw_series(ax, label, drawn, colour)
        draw_markers(ax, drawn, colour, MARKERS[place])
        ended = f" ({end.astype('M8[M]')})" if end < limit else ""
        labels.add(f"{label} {format_number(value, decimals)}{ended}", end, value, colour)
    if not with_points:
        ticks.hide(ax)
    ax.yaxis.set_major_formatter(NumberFormatter())
    ax.margins(x=0.01)
    without = ", ".join(label for label in group if label not in with_points)
    return Panel(
        ax,
        heading,
        f"Without points: {without}" if without else "",
        [labels],
        least_shape=_LEAST_SHAPE,
        message="" if with_points else "No points",
        ticks=Ticks(has_dates=bool(with_points), has_values=bool(with_points)),
        resize=partial(resize, lines=len(with_points)),
    )
