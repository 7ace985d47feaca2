"""Draws the lines of rents: each step in the look of its cadence, with markers, and changes of cadence marked.

Reading the series is left to series, the panels around the lines to chart, widths to style.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from suburb_pandas.plotting.composition.colours import page_colour
from suburb_pandas.plotting.composition.style import Sizes, line_widths
from suburb_pandas.plotting.rents.series import CADENCES, DOTTED, STROKES, Group, Series, common_calendar
from suburb_pandas.timeseries.cadence import FLAT
from suburb_pandas.timeseries.dates import Flags
from suburb_pandas.timeseries.points import ends_of, starts_of

MARKERS_PER_LINE: Final = 6
"""The number of markers on a line that shares its panel."""

# The default caps extend a line beyond its last point and would cover a gap of one week.
_BUTT_CAPS: Final[Mapping[str, Any]] = {"solid_capstyle": "butt", "dash_capstyle": "butt"}
_GIDS: Final = {*CADENCES, "alone", "changeover", "mark", "open"}
_WIDTHS: Final[Mapping[str, tuple[str, ...]]] = {
    "thin": ("quarterly", "monthly"),
    "thick": ("fortnightly", "weekly"),
}
_LOOKS_SMALL: Final = {"*": 1.6, "P": 1.2, "X": 1.2, "v": 1.1, "^": 1.1}


def draw_series(ax: Axes, label: str, series: Series, colour: str) -> None:
    """Draw the lines of a series, with one artist for each style, its isolated points, and its changes of cadence."""
    legend_label = label
    for cadence, stroke, selected in series.styles:
        ax.plot(
            *_runs(series, selected),
            color=colour,
            linestyle=STROKES[stroke],
            marker="." if cadence in DOTTED else "",
            label=legend_label,
            gid=f"{cadence} {stroke}",
            **_BUTT_CAPS,
        )
        legend_label = "_nolegend_"
    for gid, marker, selected in (("alone", ".", series.isolated), ("changeover", "|", series.changes)):
        if selected.any():
            dates, values = series.dates[selected], series.points.value[selected]
            ax.plot(dates, values, marker, color=colour, label="_nolegend_", gid=gid)


def draw_markers(ax: Axes, series: Series, colour: str, marker: str, number: int = MARKERS_PER_LINE) -> None:
    """Draw markers on a number of points of a series, spread evenly over its dates; the last point has one."""
    days = series.points.day
    marked = np.unique(np.searchsorted(days, np.linspace(days[-1], days[0], number).astype("int64")))
    marked = marked[~series.is_open[marked]]
    ax.plot(series.dates[marked], series.points.value[marked], marker, color=colour, label="_nolegend_", gid="mark")
    if series.is_open.any():
        dates, values = series.dates[series.is_open], series.points.value[series.is_open]
        page = page_colour(ax)
        ax.plot(dates, values, marker, color=colour, markerfacecolor=page, label="_nolegend_", gid="open")


def resize(ax: Axes, height: float, sizes: Sizes, *, lines: int) -> None:
    """Fit the widths and markers of the lines of a panel to its height, and to how many series share it."""
    thick, thin = line_widths(height, lines, sizes)
    for line in ax.lines:
        gid = str(line.get_gid())
        if gid.partition(" ")[0] in _GIDS:
            line.set_linewidth(thick if gid.startswith(_WIDTHS["thick"]) else thin)
            line.set_markersize(_marker_size(line, sizes, thick))
            line.set_markeredgewidth(max(0.6 * thick, 0.5) if gid in {"changeover", "open"} else 0)


def notes(groups: Iterable[Group]) -> Iterator[str]:
    """Yield sentences on the meaning of the line styles and breaks that this chart has."""
    series = [each for group in groups for each in group.values() if len(each.points.day)]
    styles = [(cadence, stroke) for each in series for cadence, stroke, _ in each.styles]
    yield from _on_cadences(series, {cadence for cadence, _ in styles})
    if any(stroke == "flat" for _, stroke in styles):
        yield f"Dashed: unchanged for {FLAT} days or more."
    if any(stroke == "filled" for _, stroke in styles):
        yield "Dotted: filled, not observed."
    if any(each.is_open.any() for each in series):
        yield "Hollow: the period is still open."
    if any(each.steps.is_gap.any() for each in series):
        yield "Break: points missing."
    if any((each.breaks & ~each.points.is_first & ~each.steps.is_gap).any() for each in series):
        yield "Break: an unusually long time without points."


def _on_cadences(series: Iterable[Series], cadences: set[str]) -> Iterator[str]:
    """Yield sentences on the looks of the cadences that are drawn."""
    regular = cadences - {"irregular"}
    widths = {width: " and ".join(name for name in names if name in cadences) for width, names in _WIDTHS.items()}
    lines = [f"{width} line: {names} points" for width, names in widths.items() if names]
    has_bar = any(each.changes.any() for each in series)
    if has_bar or len(regular) > 1 or (regular and "irregular" in cadences):
        yield "; ".join(lines + ["an upright bar marks the change"] * has_bar).capitalize() + "."
    if cadences and cadences <= DOTTED and (calendar := common_calendar(series)):
        yield f"All points are {calendar}."
    elif cadences == regular and len(regular) == 1:
        yield f"All points are {regular.pop()}."
    elif dotted := [name for name in CADENCES if name in cadences & DOTTED]:
        yield f"Dots: {' and '.join(dotted)} points."


def _runs(series: Series, selected: Flags) -> tuple[npt.NDArray[np.datetime64], npt.NDArray[np.float64]]:
    """Return the dates and values of a line along the selected steps, with NaT and NaN after each run of steps."""
    starts = np.flatnonzero(selected & starts_of(selected)) - 1
    ends = np.flatnonzero(selected & ends_of(selected)) + 1
    dates, values = series.dates, series.points.value
    no_date, no_value = np.array(["NaT"], "M8[D]"), np.array([np.nan])
    runs = list(zip(starts, ends, strict=True))
    return (
        np.concatenate([part for start, end in runs for part in (dates[start:end], no_date)]),
        np.concatenate([part for start, end in runs for part in (values[start:end], no_value)]),
    )


def _marker_size(line: Line2D, sizes: Sizes, thick: float) -> float:
    """Return the size of the markers of a line, in points, so that all look equally large."""
    if line.get_gid() == "changeover":
        return max(5 * thick, 1.2 * sizes.marker)
    return sizes.marker * _LOOKS_SMALL.get(str(line.get_marker()), 1)
