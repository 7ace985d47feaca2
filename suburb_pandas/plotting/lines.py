"""Draws series as lines, each step in its form, and labels the lines at their ends, where no label crosses data.

Reading the series is left to series, the panels and their words to rents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy

from suburb_pandas.plotting.look import MARKERS, page_colour, type_size
from suburb_pandas.plotting.series import Series
from suburb_pandas.timeseries.cadence import FLAT
from suburb_pandas.timeseries.dates import Flags, Values

MARKERS_PER_LINE: Final = 4
"""The number of markers on a line that shares its panel."""

LINE: Final = 1.25
"""The height of a line of a label, as a multiple of its type size."""

_THICK, _THIN = ("fortnightly", "weekly"), ("quarterly", "monthly")
_WIDTHS: Final = dict.fromkeys(_THICK, 1.9) | dict.fromkeys([*_THIN, "irregular"], 0.9)  # points
_STROKES: Final[dict[str, Any]] = {"plain": "-", "flat": (0, (2.2, 1.2)), "filled": (0, (0.7, 0.9))}
_LARGER: Final = {"*": 1.7, "P": 1.3, "X": 1.3}  # so that all markers look equally large
_SPACE: Final = 12.0  # points between the data and the labels, for leaders
_EARLY: Final = 0.04  # of the width of a panel, from its right edge to the end of a line that ended early
_LEADER: Final[dict[str, Any]] = {
    "arrowstyle": "-",
    "linestyle": ":",
    "linewidth": 0.9,
    "shrinkA": 1,
    "shrinkB": 3,
    "relpos": (0, 0.5),
}


@dataclass(frozen=True, slots=True)
class End:
    """The label at the end of a line."""

    text: str
    date: np.datetime64
    value: float
    colour: str

    @property
    def height(self) -> float:
        """The height of the label, in points."""
        return LINE * type_size() * len(self.text.splitlines())


def draw_series(ax: Axes, series: Series, colour: str, weight: float = 1.0) -> None:
    """Draw the lines of a series, one artist for each form, its dots, and the bars at changes of cadence."""
    for cadence, stroke, selected in series.forms:
        at = np.flatnonzero(~selected)
        ax.plot(
            np.insert(series.dates, at, np.datetime64("NaT", "D")),
            np.insert(series.points.value, at, np.nan),
            color=colour,
            linestyle=_STROKES[stroke],
            linewidth=weight * _WIDTHS[cadence],
            marker="",
            label="_nolegend_",
            gid=f"{cadence} {stroke}",
            solid_capstyle="butt",  # the default caps would cover a gap of one week
            dash_capstyle="butt",
        )
    draw_points(ax, series, series.dots, colour, marker=".", markersize=4.5 * weight)
    draw_points(ax, series, series.changes, colour, marker="|", markersize=9 * weight, gid="change")


def draw_markers(ax: Axes, series: Series, number: int, colour: str, label: str, *, alone: bool) -> None:
    """Draw the marker of a line at its end and, unless it is alone in its panel, on some of its points."""
    days, marker = series.points.day, MARKERS[number]
    wanted = np.linspace(days[-1], days[0], 1 if alone else MARKERS_PER_LINE).astype("int64")
    is_marked = np.isin(np.arange(len(days)), np.searchsorted(days, wanted)) & ~series.is_open
    look = {"marker": marker, "markersize": 5 * _LARGER.get(marker, 1)}
    draw_points(ax, series, is_marked, colour, **look, label=label, gid="mark")
    draw_points(ax, series, series.is_open, colour, **look, gid="open", markerfacecolor=page_colour(ax))


def draw_points(ax: Axes, series: Series, selected: Flags, colour: str, **look: Any) -> None:
    """Draw a marker at the selected points of a series, if there are any."""
    style = {"color": colour, "linestyle": "", "markeredgecolor": colour, "markeredgewidth": 1.0, "label": "_nolegend_"}
    if selected.any():
        ax.plot(series.dates[selected], series.points.value[selected], **{**style, **look})


def label_ends(ax: Axes, ends: Sequence[End], room: float) -> None:
    """Label lines to the right of the data, moved apart for a panel of a height in points, with leaders if moved.

    The labels follow their lines when limits change, and are hidden while the end of the line is out of view. A line
    that ended early has no leader, which could be taken for data.
    """
    (first, last), (low, high), figure = ax.get_xlim(), ax.get_ylim(), cast("Figure", ax.figure)
    wanted = room * (np.array([end.value for end in ends]) - low) / (high - low)
    moves = spread(wanted, np.array([end.height for end in ends]), room) - wanted
    for end, move in zip(ends, moves, strict=True):
        leader = {**_LEADER, "color": end.colour}
        date = float(ax.convert_xunits(end.date))  # type: ignore[no-untyped-call]
        is_early = date < last - _EARLY * (last - first)
        ax.annotate(
            end.text,
            (date, end.value),
            (1, end.value),
            textcoords=offset_copy(ax.get_yaxis_transform(), figure, _SPACE, move, "points"),
            arrowprops=None if is_early or abs(move) < type_size() / 2 else leader,
            color=end.colour,
            fontsize=type_size(),
            va="center",
            parse_math=False,
            gid="end",
        )


def spread(wanted: Values, heights: Values, room: float) -> Values:
    """Return the centres of labels moved as little as possible so that none overlap.

    The labels keep their order, and lie between 0 and ``room`` if they fit. Labels that would overlap move together, to
    the mean of the positions that they want. This is isotonic regression, by its max-min formula.
    """
    order = np.argsort(wanted, kind="stable")
    stacked = np.cumsum(heights[order]) - heights[order] / 2
    places, number = wanted[order] - stacked, range(len(wanted))
    free = [max(min(places[j : k + 1].mean() for k in number[i:]) for j in number[: i + 1]) for i in number]
    placed, spare = np.empty(len(wanted)), room - heights.sum()
    placed[order] = stacked + np.clip(free, min(0, spare), max(0, spare))
    return placed


def notes(series: Sequence[Series], *, has_markers: bool) -> list[str]:
    """Return sentences on the meaning of the forms that are drawn."""
    forms = [form for each in series for form in each.forms]
    cadences, strokes = {cadence for cadence, *_ in forms}, {stroke for _, stroke, _ in forms}
    thin, thick = (" and ".join(name for name in names if name in cadences) for names in (_THIN, _THICK))
    has_several = len(cadences) > 1
    meanings = {
        f"All points are {thin or thick}.": not has_several and (thin or thick),
        f"Thin line: {thin} points.": has_several and thin,
        f"Thick line: {thick} points.": has_several and thick,
        "Upright bar: a change from one to the other.": any(each.changes.any() for each in series),
        "Each dot is a point.": any(each.dots.any() for each in series),
        f"Dashed: unchanged for {FLAT} days or more.": "flat" in strokes,
        "Dotted: filled, not observed.": "filled" in strokes,
        "Hollow: the period is still open.": any(each.is_open.any() for each in series),
        "Break: no points for longer than usual.": any((each.is_break > each.points.is_first).any() for each in series),
        "Markers only tell the lines apart.": has_markers,
    }
    return [sentence for sentence, is_drawn in meanings.items() if is_drawn]
