"""Draws rents, their index or their growth on their real dates, with cadence, gaps and flat runs visible.

This module checks the frames, and decides on the panels, the measure and the words of a chart. Reading series,
drawing them and the labels at their ends are left to lines, the figure and its words to figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any, Final

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

from suburb_pandas.frames.rents import as_long
from suburb_pandas.frames.schema import (
    DATE,
    GROWTH_UNIT,
    INDEX_UNIT,
    PROPERTY_TYPES,
    RENT,
    RENT_UNIT,
    check_rents,
    is_index,
    is_made_up,
    rent_columns_of,
    unit_of,
)
from suburb_pandas.loaders.staleness import stale_before
from suburb_pandas.messages import listed
from suburb_pandas.plotting.figure import Target, Words, finish, make_axes, wrapped
from suburb_pandas.plotting.lines import AT_BASE, SERIES, base_of, draw_line, label_ends, notes, read_points
from suburb_pandas.plotting.look import (
    COLOURS,
    MARKERS,
    decimals_of,
    format_number,
    muted,
    page_colour,
    series_colours,
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

MOST_SUBURBS: Final = 60
"""The most suburbs of a chart."""

_SMALL: Final = 2.1  # inches, the usual width of a small panel
_TICK: Final = 50.0  # points, the width of the label of a date with the space around it
_GREY: Final = 0.35  # the share of the colour of text in that of series that are not highlighted
_LEVELS: Final = {PER_CENT: 0.0, INDEX_UNIT: AT_BASE}  # by unit, the value that gets a line across each panel

Vintages = Sequence[pd.DataFrame] | Mapping[str, pd.DataFrame]
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
    originals = [*frame.values()] if isinstance(frame, Mapping) else frame if isinstance(frame, Sequence) else [frame]
    longs = [_long(each, property_type, kind) for each in originals]
    names = _names(frame, longs)
    chosen = _highlighted(highlight, names)
    kinds = rent_columns_of(label for long in longs for label in long)
    column = column_of(longs[0], property_type or (kinds[0] if len(kinds) == 1 else RENT))
    tables = [read_points(long, names[number:]) for number, long in enumerate(longs)]  # a vintage has one name
    points = pd.concat(tables, ignore_index=True)
    measure, level = _measure(points, column, kind)
    is_small = len(names) > len(COLOURS) and not chosen
    is_by_suburb = is_small or len(names) == 1
    columns = max(round(target.width / _SMALL), 1) if is_small else 1
    room = 72 * target.width / columns
    axes = make_axes(target, len(names if is_by_suburb else kinds), columns)
    by_series = points.groupby(SERIES)
    series = _series(by_series, kinds, names, chosen, page_colour(axes[0]), is_by_suburb=is_by_suburb)
    drawn = series.dropna()
    ends = drawn[drawn["marker"] != ""]
    texts = {each: ", ".join(ends["text"][ends["heading"] == each]) for each in series["heading"].unique()}
    if is_small:
        headings = ["\n".join(wrapped(part, 0.75 * room) for part in each) for each in texts.items()]
        inches = 1.0 + 0.17 * max(heading.count("\n") + 1 for heading in headings)
    else:
        headings = [*texts] if len(texts) > 1 else []
        ends = ends.assign(text=ends["text"].map(lambda text: wrapped(text, 0.3 * room)))
        lines = ends["text"].str.count("\n").add(1).groupby(ends["heading"]).sum()
        inches = max(2.8, 0.5 + 0.16 * lines.max())
    for ax, heading in zip(axes, texts, strict=True):
        _draw_panel(ax, drawn[drawn["heading"] == heading], by_series, level, room)
        if not is_small:
            inside = 0.7 * 72 * ax.bbox.height / ax.figure.dpi if target.ax else (8 * inches - 4) * type_size()
            label_ends(ax, ends[ends["heading"] == heading], inside)
    legend = _share_axes(axes, columns, is_small=is_small)
    last = "; ".join(f"{heading} {text}" for heading, text in texts.items() if text)
    without = [title_of(f"{kind}s", [name]) for kind, name in series.index.difference(drawn.index, sort=False)]
    suburbs = suburbs_in(longs[0])
    words = Words(
        title_of(column.title, suburbs, "groups" if is_index(longs[0]) else "suburbs"),
        measure,
        headings,
        [
            *notes(points, ends),
            f"Without points: {listed(without, str)}." if without else "",
            *map(_open_note, originals, tables),
            *map(operations_note, originals),
            missing_suburbs_note(originals[0], suburbs),
        ],
        source_note(*originals),
        f"Last values: {last}." if last else "",
        any(map(is_made_up, originals)),
        has_values_on_y=True,
    )
    return finish(target, axes, words, inches * ceil(len(axes) / columns), columns=columns, legend=legend)


def _long(frame: pd.DataFrame, property_type: str | None, kind: str | None) -> pd.DataFrame:
    """Return a frame in the long layout, with one property type or with all, after checking that it can be drawn."""
    if kind not in {None, "index"}:
        raise ValueError(f"kind must be 'index', or None for the values as they are, not {kind!r}.")
    long = as_long(frame)
    if kind or unit_of(long) != GROWTH_UNIT:
        check_rents(long, or_index=not kind)
    if property_type is None:
        return long
    found = [label for label in PROPERTY_TYPES if label in long.columns] or PROPERTY_TYPES  # ``rent`` may be of either
    if property_type not in found:
        raise ValueError(f"This frame has no column {property_type!r}. Draw the other: property_type={found[0]!r}")
    return long.drop(columns={*PROPERTY_TYPES} - {property_type}, errors="ignore")


def _names(frame: pd.DataFrame | Vintages, longs: Sequence[pd.DataFrame]) -> list[str]:
    """Return the suburbs of a frame, or the labels of vintages after checking that they can be compared."""
    if not longs:
        raise ValueError("The list has no frame. Pass a frame of rents, or one for each vintage of a suburb.")
    suburbs = [name or "" for long in longs for name in suburbs_in(long)]
    if len(longs) == 1:
        return suburbs
    units = {unit_of(long) or RENT_UNIT for long in longs}
    if len({*suburbs}) > 1 or len(units) > 1:
        raise ValueError(
            f"A chart compares vintages of one suburb in one unit, not {len(longs)} frames of "
            f"{listed(sorted(map(str, suburbs)))}. Pass each suburb by itself, without a list."
        )
    if isinstance(frame, Mapping):
        return [*map(str, frame)]
    days = [max(retrieval_times(long), default="")[:10] or "at an unknown time" for long in longs]
    return [f"retrieved {day} ({number})" for number, day in enumerate(days, 1)]


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


def _measure(points: pd.DataFrame, column: Column, kind: str | None) -> tuple[str, float | None]:
    """Convert points to the measure of a chart; return it in words, and the value that gets a line if there is one."""
    measure, level = column.measure, _LEVELS.get(str(column.unit))
    points["value"] *= column.factor
    if kind and len(points):
        day, factors = base_of(points)
        points["value"] *= factors
        measure, level = f"{measure.partition(',')[0]}, index, 100 at {day}", AT_BASE
    # A slice of an index begins at another value.
    begins = points.groupby(SERIES)["value"].first().round(9)
    if column.unit == INDEX_UNIT and (begins == AT_BASE).all():
        measure += ", 100 at the first date of each series"
    return measure, level


def _series(
    by_series: Any,
    kinds: Sequence[str],
    names: Sequence[str],
    chosen: Sequence[str],
    page: str,
    *,
    is_by_suburb: bool,
) -> pd.DataFrame:
    """Return a row for each series, the grey ones first: its last point, its heading, label, text, colour and marker.

    The text is that at the end of the line, with its last value and, if that is stale, its month.
    """
    keys = pd.MultiIndex.from_product([kinds, sorted(names, key=chosen.__contains__)], names=SERIES)
    series: pd.DataFrame = by_series[[DATE, "value"]].last().reindex(keys)
    types, suburbs = (keys.get_level_values(level) for level in SERIES)
    series["heading"], series["label"] = (suburbs, types) if is_by_suburb else (types.str.capitalize() + "s", suburbs)
    decimals = decimals_of(series["value"], 1)
    values = [format_number(value, decimals) for value in series["value"]]
    months = series[DATE].dt.strftime(" (%Y-%m)").where(series[DATE] < stale_before(series[DATE]), "")
    series["text"] = series["label"] + " " + values + months
    # Units have the same colour whether or not houses are drawn.
    labels = (kinds if RENT in kinds else PROPERTY_TYPES) if is_by_suburb else chosen or names
    looks = dict(zip(labels, zip(series_colours(page), MARKERS, strict=True), strict=False))
    series[["colour", "marker"]] = [looks.get(label, (muted(page, _GREY), "")) for label in series["label"]]
    return series


def _draw_panel(ax: Axes, panel: pd.DataFrame, by_series: Any, level: float | None, room: float) -> None:
    """Draw the lines of a panel, with as many labels of dates as fit into a room in points."""
    tidy(ax, values="y")
    ink = muted(page_colour(ax))
    if panel.empty:
        ax.tick_params(labelleft=False, grid_alpha=0)
        ax.text(0.5, 0.5, "No points", transform=ax.transAxes, ha="center", color=ink, fontsize=type_size())
    elif level is not None:
        ax.axhline(level, color=ink, linewidth=0.8, gid="level")
    # A line alone needs no markers to be told from others: it has one at its end.
    markers = 4 if (panel["marker"] != "").sum() > 1 else 1
    for line in panel.itertuples():
        draw_line(ax, by_series.get_group(line.Index), line, markers)
    if not len(by_series):
        ax.set(xticks=[], yticks=[])
        return
    locator = AutoDateLocator(minticks=3, maxticks=max(int(room / _TICK), 4))  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    ax.margins(x=0.01)


def _share_axes(axes: Sequence[Axes], columns: int, *, is_small: bool) -> list[Artist]:
    """Leave labels of dates to the lowest panels, put small panels on one scale, and return their legend if any."""
    for ax in axes[:-columns]:
        ax.tick_params(labelbottom=False)
        ax.xaxis.offsetText.set_visible(False)
    if not is_small:
        return []
    for number, ax in enumerate(axes):
        ax.tick_params(labelleft=number % columns == 0)
        if number:
            ax.sharey(axes[0])
    axes[0].autoscale_view(scalex=False)
    entries = {line.get_label(): line for ax in axes for line in ax.get_legend_handles_labels()[0]}
    return [*entries.values()] if len(entries) > 1 else []


def _open_note(frame: pd.DataFrame, points: pd.DataFrame) -> str:
    """Return a sentence if data were retrieved before the end of the last period that has a value."""
    times = retrieval_times(frame)
    if times and pd.Timestamp(max(times)[:10]) < points[DATE].max():
        return "The last period was still open when the data were retrieved."
    return ""
