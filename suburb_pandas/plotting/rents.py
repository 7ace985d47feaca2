"""Draws rents, their index or their growth on their real dates, with cadence, gaps and flat runs visible.

This module checks the frames, and decides on the panels, the measure and the words of a chart. Reading series,
drawing them and the labels at their ends are left to lines, the figure and its words to figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Final

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

from suburb_pandas.frames.column import label_of
from suburb_pandas.frames.schema import (
    AREA_NAME,
    GROWTH_UNIT,
    INDEX_UNIT,
    PROPERTY_TYPES,
    RENT,
    RENT_UNIT,
    check_rents,
    is_made_up,
    unit_of,
)
from suburb_pandas.messages import listed
from suburb_pandas.plotting.figure import Target, Words, finish, make_axes, wrapped
from suburb_pandas.plotting.lines import (
    AT_BASE,
    Key,
    Line,
    base_of,
    draw_line,
    label_ends,
    notes,
    read_points,
    read_series,
)
from suburb_pandas.plotting.look import (
    COLOURS,
    MARKERS,
    decimals_of,
    format_number,
    mixed,
    muted,
    page_colour,
    series_colours,
    text_colour,
    tidy,
    type_size,
)
from suburb_pandas.plotting.words import (
    PER_CENT,
    Column,
    column_of,
    missing_suburbs_note,
    operations_note,
    retrieval_times,
    source_note,
    suburbs_in,
    title_of,
)
from suburb_pandas.timeseries.doubts import stale_before
from suburb_pandas.timeseries.layouts import Layout, as_long, index_as_rents, is_index
from suburb_pandas.timeseries.points import KINDS, Points

MOST_SUBURBS: Final = 60
"""The most suburbs of a chart."""

_SMALL: Final = 2.1  # inches, the usual width of a small panel
_TICK: Final = 50.0  # points, the width of the label of a date with the space around it
_GREY: Final = 0.35  # the share of the colour of text in that of series that are not highlighted
_LEVELS: Final = {PER_CENT: 0.0, INDEX_UNIT: AT_BASE}  # by unit, the value that gets a line across each panel

Vintages = list[pd.DataFrame] | tuple[pd.DataFrame, ...] | Mapping[str, pd.DataFrame]
"""Frames of one suburb that were retrieved at different times, perhaps with labels."""


def draw(
    frame: pd.DataFrame | Vintages,
    target: Target,
    *,
    property_type: str | None = None,
    kind: str | None = None,
    highlight: str | Iterable[str] | None = None,
) -> Axes:
    """Draw rents, growth, an index, or the vintages of a suburb, and return the Axes of the first panel.

    Raises
    ------
    TypeError, ValueError
        A frame is not of the rent shape, its unit is not that of rents, it has too many suburbs, or an option does not
        fit the frame.
    """
    originals = (
        [*frame.values()] if isinstance(frame, Mapping) else frame if isinstance(frame, list | tuple) else [frame]
    )
    longs = [_long(each, property_type, kind) for each in originals]
    long, suburbs = longs[0] if len(longs) == 1 else _together(frame, longs), suburbs_in(longs[0])
    points = read_points(long)
    kinds, names = ([*dict.fromkeys(part)] for part in zip(*points, strict=True))
    chosen = _highlighted(highlight, names)
    column = column_of(long, property_type or (kinds[0] if len(kinds) == 1 else RENT))
    measure, level, series = _measured(long, points, column, kind)
    is_small = len(names) > len(COLOURS) and not chosen
    is_by_suburb = is_small or len(names) == 1
    places = {key: key[::-1] if is_by_suburb else (f"{key[0].capitalize()}s", key[1]) for key in points}
    columns = max(round(target.width / _SMALL), 1) if is_small else 1
    room = 72 * target.width / columns
    axes = make_axes(target, len(dict(places.values())), columns)
    page = page_colour(axes[0])
    styles = dict.fromkeys(names, (mixed(text_colour(page), _GREY, page), ""))
    # Units have the same colour whether or not houses are drawn.
    labels = (kinds if RENT in kinds else PROPERTY_TYPES) if is_by_suburb else chosen or names
    styles |= zip(labels, zip(series_colours(page), MARKERS, strict=True), strict=False)
    panels = _panels(series, places, styles, room * (0.85 if is_small else 0.3))
    for number, (ax, lines) in enumerate(zip(axes, panels.values(), strict=True)):
        _draw_panel(ax, lines, level, room)
        is_lowest = number + columns >= len(axes)
        ax.tick_params(labelbottom=is_lowest)
        ax.xaxis.offsetText.set_visible(is_lowest)
        if not series:
            ax.set_axis_off()
    ends = {heading: ", ".join(line.text for line in lines if line.marker) for heading, lines in panels.items()}
    if is_small:
        legend, headings, inches = _finish_small(axes, columns, ends, room)
    else:
        legend, headings = [], [*panels] if len(panels) > 1 else []
        inches = _label_ends(target, axes, [*panels.values()])
    without = [title_of(f"{kind}s", [name]) for kind, name in points if (kind, name) not in series]
    last = "; ".join(f"{heading} {texts}" for heading, texts in ends.items() if texts)
    words = Words(
        title_of(column.title, suburbs, "groups" if is_index(long) else "suburbs"),
        measure,
        headings,
        [
            *notes(series.values()),
            f"Without points: {listed(without, str)}." if without else "",
            *map(_open_note, originals, longs),
            *map(operations_note, originals),
            missing_suburbs_note(originals[0], suburbs),
        ],
        source_note(*originals),
        f"Last values: {last}." if last else "",
        any(map(is_made_up, originals)),
        has_values_on_y=True,
    )
    return finish(target, axes, words, inches, columns=columns, legend=legend)


def _measured(
    long: pd.DataFrame, points: dict[Key, Points], column: Column, kind: str | None
) -> tuple[str, float | None, dict[Key, pd.DataFrame]]:
    """Return the measure in words, the value that gets a line, and the series that have points, in this measure."""
    measure, level, factors = column.measure, _LEVELS.get(str(column.unit)), dict.fromkeys(points, column.factor)
    if kind and any(len(found.day) for found in points.values()):
        day, factors = base_of(points)
        measure, level = f"{measure.partition(',')[0]}, index, 100 at {day}", AT_BASE
    series = {key: read_series(found, long, key[0], factors[key]) for key, found in points.items() if len(found.day)}
    # A slice of an index begins at another value.
    if column.unit == INDEX_UNIT and all(round(own["value"].iloc[0], 9) == AT_BASE for own in series.values()):
        measure += ", 100 at the first date of each series"
    return measure, level, series


def _panels(
    series: Mapping[Key, pd.DataFrame], places: Mapping[Key, Key], styles: Mapping[str, tuple[str, str]], room: float
) -> dict[str, list[Line]]:
    """Return the lines of each panel, with their last value in words and, if that is stale, its month."""
    dates, values = ([each[label].iloc[-1] for each in series.values()] for label in ("date", "value"))
    decimals, stale = decimals_of(values, 1), stale_before(dates)
    panels: dict[str, list[Line]] = {heading: [] for heading in dict(places.values())}
    for key, date, value in zip(series, dates, values, strict=True):
        heading, label = places[key]
        month = f" ({date:%Y-%m})" if date < stale else ""
        text = wrapped(f"{label} {format_number(value, decimals)}{month}", room)
        panels[heading].append(Line(series[key], label, *styles[label], text, date, value))
    for panel in panels.values():
        if sum(bool(line.marker) for line in panel) == 1:  # there are no lines to tell apart: a marker at the end
            for line in panel:
                line.series["mark"] &= line.series.index == line.series.index[-1]
    return panels


def _draw_panel(ax: Axes, lines: Sequence[Line], level: float | None, room: float) -> None:
    """Draw the lines of a panel, grey ones below, with as many labels of dates as fit into a room in points."""
    tidy(ax, values="y")
    ax.tick_params(labelleft=bool(lines))
    ink = muted(page_colour(ax))
    if not lines:
        ax.grid(visible=False)
        ax.text(0.5, 0.5, "No points", transform=ax.transAxes, ha="center", color=ink, fontsize=type_size())
    elif level is not None:
        ax.axhline(level, color=ink, linestyle="-", linewidth=0.8, gid="level")
    for line in sorted(lines, key=lambda line: bool(line.marker)):
        draw_line(ax, line)
    locator = AutoDateLocator(minticks=3, maxticks=max(int(room / _TICK), 4))  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    ax.margins(x=0.01)


def _finish_small(
    axes: Sequence[Axes], columns: int, ends: Mapping[str, str], room: float
) -> tuple[list[Artist], list[str], float]:
    """Put small panels on one scale, and return their legend, their headings, and the height in inches that they need.

    A heading has the suburb and the texts at the ends of its lines.
    """
    for number, ax in enumerate(axes):
        ax.tick_params(labelleft=number % columns == 0)
        if number:
            ax.sharey(axes[0])
    entries = {line.get_label(): line for ax in axes for line in ax.get_legend_handles_labels()[0]}
    headings = ["\n".join(wrapped(part, 0.75 * room) for part in end) for end in ends.items()]
    lines = max(heading.count("\n") + 1 for heading in headings)
    return [*entries.values()] * (len(entries) > 1), headings, (1.0 + 0.17 * lines) * ceil(len(axes) / columns)


def _label_ends(target: Target, axes: Sequence[Axes], panels: Sequence[Sequence[Line]]) -> float:
    """Label the lines of all panels at their ends, and return the height in inches that the panels need."""
    panels = [[line for line in panel if line.marker] for panel in panels]
    inches = max(2.8, 0.5 + 0.16 * max(sum(line.text.count("\n") + 1 for line in panel) for panel in panels))
    for ax, panel in zip(axes, panels, strict=True):
        inside = 0.7 * ax.get_window_extent().height * 72 / ax.figure.figure.dpi
        label_ends(ax, panel, inside if target.ax else (8 * inches - 4) * type_size())
    return inches * len(axes)


def _long(frame: pd.DataFrame, property_type: str | None, kind: str | None) -> pd.DataFrame:
    """Return a frame in the long layout, with one property type or with all, after checking that it can be drawn."""
    if property_type not in {None, *PROPERTY_TYPES} or kind not in {None, "index"}:
        raise ValueError(
            f"property_type must be 'house', 'unit' or None for both, and kind 'index' or None for the values as they "
            f"are, not {property_type!r} and {kind!r}."
        )
    long = as_long(_named(index_as_rents(frame)))
    if kind or unit_of(long) not in {GROWTH_UNIT, INDEX_UNIT}:
        check_rents(long, or_index=not kind)
    found = [label for label in PROPERTY_TYPES if label in long.columns]
    if property_type is None or not found:
        return long
    if property_type not in found:
        raise ValueError(f"This frame has no column {property_type!r}. Draw the other: property_type={found[0]!r}")
    return long.drop(columns=[label for label in found if label != property_type])


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with its suburbs in the column ``area_name``, if a column or a level can hold them."""
    if Layout.of(frame).kind == "wide" or not (label := label_of(frame)):
        return frame
    return (frame if label in frame.columns else frame.reset_index(label)).rename(columns={label: AREA_NAME})


def _together(vintages: pd.DataFrame | Vintages, longs: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the vintages of a suburb in one frame, with their labels as ``area_name``, if they can be compared."""
    if not longs:
        raise ValueError("The list has no frame. Pass a frame of rents, or one for each vintage of a suburb.")
    suburbs = {name for long in longs for name in suburbs_in(long)}
    units = {unit_of(long) or RENT_UNIT for long in longs}
    if len(suburbs) != 1 or len(units) > 1:
        raise ValueError(
            f"A chart compares vintages of one suburb in one unit, not {len(longs)} frames of "
            f"{listed(sorted(map(str, suburbs)))}. Pass each suburb by itself, without a list."
        )
    times = [max(retrieval_times(long), default="") for long in longs]
    labels = [f"retrieved {time[:10] or 'at an unknown time'} ({number})" for number, time in enumerate(times, 1)]
    labels = [*map(str, vintages)] if isinstance(vintages, Mapping) else labels
    rows = pd.concat(longs).index[:1]  # so that a vintage without points is named, it has a row without a value
    longs = [long if len(long) else long.reindex(rows) for long in longs]
    result = pd.concat([long.assign(**{AREA_NAME: label}) for label, long in zip(labels, longs, strict=True)])
    result.attrs = longs[times.index(max(times))].attrs  # all dates are before the last retrieval
    return result


def _highlighted(highlight: str | Iterable[str] | None, names: Sequence[str]) -> list[str]:
    """Return the names to highlight, after checking that the chart has them, and that it can draw so many names."""
    if len(names) > MOST_SUBURBS:
        raise ValueError(
            f"This frame has {len(names)} suburbs or groups, but a chart shows up to {MOST_SUBURBS}. Choose some "
            f"before: sp.plot_rent(sp.rent(suburbs[:{MOST_SUBURBS}]))"
        )
    wanted = [highlight] if isinstance(highlight, str) else [*(() if highlight is None else highlight)]
    unknown = [name for name in wanted if name not in names]
    if unknown or len(wanted) > len(COLOURS):
        raise ValueError(
            f"highlight takes up to {len(COLOURS)} names of this chart, not {listed(unknown or [len(wanted)])}. "
            f"Choose some of these: highlight=[{listed(names)}]"
        )
    return wanted


def _open_note(frame: pd.DataFrame, long: pd.DataFrame) -> str:
    """Return a sentence if data were retrieved before the end of the last period that has a value."""
    times, last = retrieval_times(frame), long.filter(items=KINDS).dropna(how="all").index.max()
    if times and pd.Timestamp(max(times)[:10]) < last:
        return "The last period was still open when the data were retrieved."
    return ""
