"""Draws rents: each series on its real dates, with its cadence, its gaps and its flat spells visible.

Cadence and gaps are computed by timeseries. Words around the lines are left to notes and chart, labels at their ends to
end_labels, widths to style.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from suburb_pandas.frames.schema import AREA_NAME, is_made_up, unit_of
from suburb_pandas.loaders.frames import check_unit, endpoint_of
from suburb_pandas.messages import captured_warnings
from suburb_pandas.plotting.composition import ticks
from suburb_pandas.plotting.composition.arrangement import Panel
from suburb_pandas.plotting.composition.chart import Chart, axes_for
from suburb_pandas.plotting.composition.colours import MARKERS, page_colour, series_colours
from suburb_pandas.plotting.composition.end_labels import EndLabels
from suburb_pandas.plotting.composition.place import Target
from suburb_pandas.plotting.composition.style import Sizes, line_widths, tidy
from suburb_pandas.plotting.composition.text import NumberFormatter, decimals_of, format_number
from suburb_pandas.plotting.composition.ticks import Ticks
from suburb_pandas.plotting.composition.words import Look, Words
from suburb_pandas.plotting.notes import (
    Vintages,
    missing_suburbs_note,
    operations_note,
    rows_of,
    source_note,
    suburbs_in,
    title_of,
    vintages_by_label,
)
from suburb_pandas.timeseries.cadence import FLAT, Steps, steps
from suburb_pandas.timeseries.dates import Flags, to_dates
from suburb_pandas.timeseries.detail import flags_of, without_details
from suburb_pandas.timeseries.points import Points, check_type, ends_of, read, starts_of

# The default caps extend a line beyond its last point and would cover a gap of one week.
_BUTT_CAPS: Final[Mapping[str, Any]] = {"solid_capstyle": "butt", "dash_capstyle": "butt"}
_CADENCES: Final = ("monthly", "weekly", "irregular")
_GIDS: Final = {*_CADENCES, "alone", "changeover", "mark", "open"}
_STROKES: Final[Mapping[str, Any]] = {"plain": "-", "flat": (0, (2.2, 1.2)), "filled": (0, (0.7, 0.9))}
_MARKERS_PER_LINE: Final = 6
_LOOKS_SMALL: Final = {"*": 1.6, "P": 1.2, "X": 1.2, "v": 1.1, "^": 1.1}
_ENDED_EARLY_DAYS: Final = 62
_DAYS_IN_YEAR: Final = 366
_LEAST_SHAPE: Final = 0.19
_HEIGHT_INCHES, _HEIGHT_OF_PANEL_INCHES = 4.6, 3.7


@dataclass(frozen=True, slots=True)
class _Series:
    """One series of one suburb.

    ``breaks`` is True for each step that is drawn without a line, ``is_filled`` for each point with a filled value,
    and ``is_open`` for each point of an open period.
    """

    points: Points
    steps: Steps
    breaks: Flags
    is_filled: Flags
    is_open: Flags

    @property
    def dates(self) -> npt.NDArray[np.datetime64]:
        """The dates of the points."""
        return to_dates(self.points.day)

    @property
    def styles(self) -> Iterator[tuple[str, str, Flags]]:
        """The line styles of the series: cadence, kind of stroke, and the steps in this style."""
        to_filled = self.is_filled | np.append(False, self.is_filled)[:-1]
        strokes = np.where(to_filled, "filled", np.where(self.steps.is_flat, "flat", "plain"))
        for cadence in _CADENCES:
            for stroke in _STROKES:
                selected = ~self.breaks & (self.steps.cadence == cadence) & (strokes == stroke)
                if selected.any():
                    yield cadence, stroke, selected

    @property
    def changes(self) -> Flags:
        """True for each point at which monthly steps give way to weekly ones, or weekly ones to monthly ones."""
        regular = (self.steps.cadence != "irregular") & ~self.points.is_first
        changes: Flags = (
            regular
            & np.append(regular[1:], False)
            & np.append(self.steps.cadence[1:] != self.steps.cadence[:-1], False)
        )
        return changes

    @property
    def isolated(self) -> Flags:
        """True for each point without a line on either side."""
        isolated: Flags = self.breaks & np.append(self.breaks, True)[1:]
        return isolated


_Group = Mapping[str, _Series]
"""The series of one panel, by label."""


def draw(rents: pd.DataFrame | Vintages, target: Target, *, footnote: bool = True) -> Axes:
    """Draw a frame of rents, or the vintages of a suburb, and return the Axes of the first panel.

    Raises
    ------
    TypeError, ValueError
        A frame is not of the rent shape, its unit is not that of rents, or it has too many suburbs.
    """
    frames = vintages_by_label(rents) if isinstance(rents, Mapping | list | tuple) else {None: rents}
    for frame in frames.values():
        check_type(frame)
        check_unit(frame, "pandas' own frame.plot() draws it.")
    (first, *_) = frames.values()
    found = [read(without_details(frame)) for frame in frames.values()]
    kinds = [kind for kind in found[0].points if all(kind in each.points for each in found)]
    names = [name for frame in frames.values() for name in suburbs_in(frame)]
    parts = {name: rows_of(first, name) for name in names} if len(frames) == 1 else frames
    groups = _groups({label: _series(part, kinds) for label, part in parts.items()}, kinds)
    height = _HEIGHT_INCHES if len(groups) == 1 else _HEIGHT_OF_PANEL_INCHES * len(groups)
    axes = axes_for(target, len(groups), height)
    drawn = [_draw_panel(ax, *group) for ax, group in zip(axes, groups.items(), strict=True)]
    endpoint, unit = endpoint_of(first), unit_of(first)
    words = Words(
        title_of(endpoint.title, list(dict.fromkeys(names))),
        endpoint.axis_label if unit is None else f"{endpoint.axis_label}, {unit}",
        notes=[*_notes(groups.values()), operations_note(first), missing_suburbs_note(first)],
        source=source_note(*frames.values()),
        is_made_up=any(map(is_made_up, frames.values())),
        legend=_legend(groups),
        has_foot=footnote,
    )
    Chart(drawn, words)
    return axes[0]


def _groups(series: Mapping[str | None, Mapping[str, _Series]], kinds: Iterable[str]) -> dict[str, _Group]:
    """Return the panels by their headings: one for a single suburb, else one for each property type."""
    if len(series) == 1:
        return {"": next(iter(series.values()))}
    return {f"{kind.capitalize()}s": {str(name): each[kind] for name, each in series.items()} for kind in kinds}


def _legend(groups: Mapping[str, _Group]) -> dict[str, Look]:
    """Return the look of each series that has points, by its name."""
    looks: dict[str, Look] = {}
    for group in groups.values():
        for number, (label, drawn) in enumerate(group.items()):
            if len(drawn.points.day):
                looks[label] = _colour(number), MARKERS[number], "-"
    return looks


def _series(frame: pd.DataFrame, kinds: Iterable[str]) -> dict[str, _Series]:
    """Return the series of one suburb by property type."""
    with captured_warnings():  # draw() has read the whole frame, with a warning about duplicate dates
        points = read(without_details(frame).drop(columns=AREA_NAME, errors="ignore")).points
    steps_of = {kind: steps(points[kind]) for kind in kinds}
    return {
        kind: _Series(
            points[kind],
            steps_of[kind],
            _breaks(points[kind], steps_of[kind]),
            flags_of(frame, f"{kind}_filled")[points[kind].row],
            flags_of(frame, f"{kind}_open")[points[kind].row],
        )
        for kind in kinds
    }


def _breaks(points: Points, steps: Steps) -> Flags:
    """Return True for each step without a line: the step to a first point, and a step with missing points.

    Points are missing in an irregular step, as in a series of quarters, if it is longer than one and a half times the
    median irregular step, or longer than one and a half years.
    """
    days = np.diff(points.day, prepend=0)
    irregular = (steps.cadence == "irregular") & ~points.is_first
    usual = min(np.median(days[irregular]), _DAYS_IN_YEAR) if irregular.any() else _DAYS_IN_YEAR
    breaks: Flags = points.is_first | steps.is_gap | (irregular & (days > usual * 3 / 2))
    return breaks


def _colour(number: int) -> str:
    """Return the colour of a series by its number in the panel."""
    colours = series_colours()
    return colours[number % len(colours)]


def _draw_panel(ax: Axes, heading: str, group: _Group) -> Panel:
    """Draw the series of one panel."""
    tidy(ax)
    labels = EndLabels(ax)
    with_points = {label: drawn for label, drawn in group.items() if len(drawn.points.day)}
    latest = max((drawn.points.day[-1] for drawn in with_points.values()), default=0)
    decimals = decimals_of([value for drawn in with_points.values() for value in drawn.points.value[-1:]], most=2)
    for place, (label, drawn) in enumerate(group.items()):
        if label not in with_points:
            continue
        colour, end, value = _colour(place), drawn.dates[-1], drawn.points.value[-1]
        _draw_series(ax, label, drawn, colour)
        _draw_markers(ax, drawn, colour, MARKERS[place])
        is_early = bool(latest - drawn.points.day[-1] > _ENDED_EARLY_DAYS)
        ended = f" ({end.astype('M8[M]')})" if is_early else ""
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
        resize=partial(_resize, lines=len(with_points)),
    )


def _resize(ax: Axes, height: float, sizes: Sizes, *, lines: int) -> None:
    """Fit the widths and markers of the lines of a panel to its height, and to how many series share it."""
    thick, thin = line_widths(height, lines, sizes)
    for line in ax.lines:
        gid = str(line.get_gid())
        if gid.partition(" ")[0] in _GIDS:
            line.set_linewidth(thick if gid.startswith("weekly") else thin)
            line.set_markersize(_marker_size(line, sizes, thick))
            line.set_markeredgewidth(max(0.6 * thick, 0.5) if gid in {"changeover", "open"} else 0)


def _marker_size(line: Line2D, sizes: Sizes, thick: float) -> float:
    """Return the size of the markers of a line, in points, so that all look equally large."""
    if line.get_gid() == "changeover":
        return max(5 * thick, 1.2 * sizes.marker)
    return sizes.marker * _LOOKS_SMALL.get(str(line.get_marker()), 1)


def _draw_series(ax: Axes, label: str, series: _Series, colour: str) -> None:
    """Draw the lines of a series, with one artist for each style, its isolated points, and its changes of cadence."""
    legend_label = label
    for cadence, stroke, selected in series.styles:
        ax.plot(
            *_runs(series, selected),
            color=colour,
            linestyle=_STROKES[stroke],
            marker="." if cadence == "irregular" else "",
            label=legend_label,
            gid=f"{cadence} {stroke}",
            **_BUTT_CAPS,
        )
        legend_label = "_nolegend_"
    for gid, marker, selected in (("alone", ".", series.isolated), ("changeover", "|", series.changes)):
        if selected.any():
            dates, values = series.dates[selected], series.points.value[selected]
            ax.plot(dates, values, marker, color=colour, label="_nolegend_", gid=gid)


def _runs(series: _Series, selected: Flags) -> tuple[npt.NDArray[np.datetime64], npt.NDArray[np.float64]]:
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


def _draw_markers(ax: Axes, series: _Series, colour: str, marker: str) -> None:
    """Draw markers on a few points of a series, spread evenly over its dates; the last point has one."""
    days = series.points.day
    marked = np.unique(np.searchsorted(days, np.linspace(days[-1], days[0], _MARKERS_PER_LINE).astype("int64")))
    marked = marked[~series.is_open[marked]]
    ax.plot(series.dates[marked], series.points.value[marked], marker, color=colour, label="_nolegend_", gid="mark")
    if series.is_open.any():
        dates, values = series.dates[series.is_open], series.points.value[series.is_open]
        page = page_colour(ax)
        ax.plot(dates, values, marker, color=colour, markerfacecolor=page, label="_nolegend_", gid="open")


def _notes(groups: Iterable[_Group]) -> Iterator[str]:
    """Yield sentences on the meaning of the line styles and breaks that this chart has."""
    series = [each for group in groups for each in group.values()]
    styles = [(cadence, stroke) for each in series for cadence, stroke, _ in each.styles]
    cadences = {cadence for cadence, _ in styles}
    if {"weekly", "monthly"} <= cadences:
        bar = "; an upright bar marks the change" if any(each.changes.any() for each in series) else ""
        yield f"Thin line: monthly points; thick line: weekly points{bar}."
    elif len(cadences) == 1 and "irregular" not in cadences:
        yield f"All points are {cadences.pop()}."
    if "irregular" in cadences:
        yield "Dots: points without a monthly or weekly rhythm."
    if any(stroke == "flat" for _, stroke in styles):
        yield f"Dashed: unchanged for {FLAT} days or more."
    if any(stroke == "filled" for _, stroke in styles):
        yield "Dotted: filled, not observed."
    if any(each.is_open.any() for each in series):
        yield "Hollow: the period is still open."
    if any(each.steps.is_gap.any() for each in series):
        yield "Break: points missing."
    if any((each.breaks & ~each.points.is_first & ~each.steps.is_gap).any() for each in series):
        yield "Break: longer than usual without a point."
