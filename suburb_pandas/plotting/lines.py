"""Reads series, draws them as lines, each step in its form, and labels them at their ends, where no label crosses data.

Cadence and gaps are computed by timeseries. The panels and their words are left to rents.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy

from suburb_pandas.frames.schema import AREA_NAME, is_resampled
from suburb_pandas.plotting.look import page_colour, type_size
from suburb_pandas.plotting.words import suburbs_in
from suburb_pandas.timeseries.cadence import FLAT, steps
from suburb_pandas.timeseries.dates import Values, day_text, to_dates
from suburb_pandas.timeseries.line import line_of
from suburb_pandas.timeseries.period_values import flags_of
from suburb_pandas.timeseries.points import KINDS, Points, read

AT_BASE: Final = 100.0
"""The value of an index at its base."""

Key = tuple[str, str]
"""The property type and the suburb of a series."""

_DOTTED: Final = ("quarterly", "irregular")  # the cadences whose points are drawn as dots
_NOTES: Final = {
    "quarterly": "Thin line with dots: quarterly points.",
    "monthly": "Thin line: monthly points.",
    "fortnightly": "Thick line: fortnightly points.",
    "weekly": "Thick line: weekly points.",
    "dot": "Each dot is a point.",
    "flat": f"Dashed: unchanged for {FLAT} days or more.",
    "filled": "Dotted: filled, not observed.",
    "open": "Hollow: the period is still open.",
    "gap": "Break: no points for longer than usual.",
    "mark": "Markers only tell the lines apart.",
}
"""The sentences on the forms of steps and on the flags of points."""

_THICK: Final = ("weekly", "fortnightly")
_DASHES: Final[dict[str, Any]] = {"plain": "-", "flat": (0, (2.2, 1.2)), "filled": (0, (0.7, 0.9))}


class Line(NamedTuple):
    """A series as it is drawn: with the text at its end, and with a colour and a marker; a grey one has no marker."""

    series: pd.DataFrame
    label: str
    colour: str
    marker: str
    text: str
    date: pd.Timestamp
    value: float


def read_points(frame: pd.DataFrame) -> dict[Key, Points]:
    """Return the points of each series of a frame in the long layout: all suburbs of one property type, then the next.

    Columns that are not about rents are ignored.
    """
    return {
        (kind, str(name or "")): points.where(points.suburb == number)
        for kind, points in read(frame.filter(items=[AREA_NAME, *KINDS])).points.items()
        for number, name in enumerate(suburbs_in(frame))
    }


def base_of(series: dict[Key, Points]) -> tuple[str, dict[Key, float]]:
    """Return the first date on which all series with points have a value on the line, and the factors to 100 there."""
    days = np.unique(np.concatenate([points.day for points in series.values()]))
    known = {key: points for key, points in series.items() if len(points.day)}
    at = {key: line_of(points).at(np.full(len(days), points.suburb[0]), days) for key, points in known.items()}
    common = pd.DataFrame(at, days).dropna()
    if common.empty:
        raise ValueError(
            f"There is no date on which all {len(at)} series have a value, so they cannot be set to 100 together. "
            f"Draw fewer suburbs, or one type: property_type={next(iter(series))[0]!r}"
        )
    return day_text(common.index[0]), dict(zip(at, AT_BASE / common.iloc[0], strict=True))


def read_series(points: Points, frame: pd.DataFrame, kind: str, factor: float) -> pd.DataFrame:
    """Return a series of a property type: a row for each point, with its ``date`` and its ``value`` times a factor.

    ``form`` is the form of the step to the point: its cadence, and ``plain``, ``flat`` or ``filled``; it is empty where
    no line is drawn. The other columns are flags: ``gap`` of a step in which points are missing, ``open`` of a point of
    an open period, ``dot`` of a point that is drawn as a dot, and ``mark`` of up to four with the marker of the line.
    """
    found, is_filled = steps(points), flags_of(frame, f"{kind}_filled")[points.row]
    table = pd.DataFrame({"date": to_dates(points.day), "value": factor * points.value})
    days, is_irregular = table["date"].diff().dt.days, found.cadence == "irregular"
    # All steps of a series of years are irregular. One that is much longer than usual, or a year, has missing points.
    table["gap"] = found.is_gap | (is_irregular & (days > 1.5 * min(366, days[is_irregular].median())))
    has_line = ~table["gap"] & ~points.is_first
    is_flat = found.is_flat & _are_unchanged(points, frame, kind, found.cadence)
    strokes = np.select([is_filled | np.roll(is_filled, 1), is_flat], [" filled", " flat"], " plain")
    table["form"] = np.where(has_line, np.char.add(found.cadence.astype("U"), strokes), "")
    has_dots = has_line & np.isin(found.cadence, _DOTTED)
    table["dot"] = has_dots | has_dots.shift(-1, fill_value=False) | ~(has_line | has_line.shift(-1, fill_value=False))
    table["open"] = flags_of(frame, f"{kind}_open")[points.row]
    table["mark"] = table.index.isin(np.linspace(0, len(table) - 1, 4).astype("int64")) & ~table["open"]
    return table


def _are_unchanged(points: Points, frame: pd.DataFrame, kind: str, cadence: Any) -> Any:
    """Return True for each step whose points are known to have been unchanged, not only equal.

    The label of a period is not the date of a point: two equal quarters may hold points that are a few weeks apart. So
    a resampled frame needs its column of unchanged days, and quarterly or irregular steps of any other frame are not
    known.
    """
    label = f"{kind}_unchanged_days"
    if label in frame.columns:
        return frame[label].to_numpy("float64", na_value=np.nan)[points.row] >= FLAT
    return ~np.isin(cadence, _DOTTED) & (not is_resampled(frame))


def draw_line(ax: Axes, line: Line) -> None:
    """Draw the steps of a series, one artist for each form, and its points that are dots or markers."""
    series, weight = line.series, 1.0 if line.marker else 0.6
    for form in sorted({*series["form"]} - {""}):
        cadence, stroke = form.split()
        at = np.flatnonzero(series["form"] != form)
        ax.plot(
            np.insert(series["date"].to_numpy(), at, np.datetime64("NaT", "D")),
            np.insert(series["value"].to_numpy(), at, np.nan),
            color=line.colour,
            linestyle=_DASHES[stroke],
            linewidth=weight * (1.9 if cadence in _THICK else 0.9),
            marker="",
            gid=form,
            solid_capstyle="butt",  # the default caps would cover a gap of one week
            dash_capstyle="butt",
        )
    marks = {"dot": (".", 4.5), "mark": (line.marker, 5.0), "open": (line.marker, 5.0)}
    for flag, (marker, size) in marks.items():
        ax.plot(
            series["date"][series[flag]],
            series["value"][series[flag]],
            linestyle="",
            marker=marker,
            markersize=weight * size,
            markerfacecolor=page_colour(ax) if flag == "open" else line.colour,
            markeredgecolor=line.colour,
            markeredgewidth=1.0,
            label=line.label if flag == "mark" else "",
            gid=flag,
        )


def notes(series: Collection[pd.DataFrame]) -> list[str]:
    """Return sentences on the meaning of the forms that are drawn."""
    drawn = {word for each in series for form in {*each["form"]} for word in form.split()}
    drawn |= {
        flag for each in series for flag in each.columns if flag in _NOTES and each[flag].sum() > (flag == "mark")
    }
    return [sentence for word, sentence in _NOTES.items() if word in drawn]


def label_ends(ax: Axes, lines: Sequence[Line], room: float) -> None:
    """Label lines to the right of the data, moved apart for a panel of a height in points, with leaders if moved.

    The labels follow their lines when limits change, and are hidden while the end of the line is out of view. A line
    that ended early has no leader, which could be taken for data.
    """
    low, high = ax.get_ylim()
    lines = sorted(lines, key=lambda line: line.value)
    wanted = room * (np.array([line.value for line in lines]) - low) / (high - low)
    heights = 1.3 * type_size() * np.array([len(line.text.splitlines()) for line in lines])
    for line, move in zip(lines, spread(wanted, heights, room) - wanted, strict=True):
        leader = {"arrowstyle": "-", "linestyle": ":", "linewidth": 0.9, "relpos": (0, 0.5), "color": line.colour}
        has_leader = abs(move) > type_size() / 2 and not line.text.endswith(")")
        ax.annotate(
            line.text,
            (line.date, line.value),
            (1, line.value),
            textcoords=offset_copy(
                ax.get_yaxis_transform(), cast("Figure", ax.figure), 12, move, "points"
            ),  # room for leaders
            arrowprops=leader if has_leader else None,
            color=line.colour,
            fontsize=type_size(),
            va="center",
            parse_math=False,
            gid="end",
        )


def spread(wanted: Values, heights: Values, room: float) -> Values:
    """Return the centres of labels, which come from the lowest to the highest, moved apart so that none overlap.

    They lie between 0 and ``room`` if they fit. Each is in the middle between two places: where it is if all labels
    only move up, and where it is if they only move down.
    """
    stacked, spare = np.cumsum(heights) - heights / 2, room - heights.sum()
    places = wanted - stacked
    free = (np.maximum.accumulate(places) + np.minimum.accumulate(places[::-1])[::-1]) / 2
    return stacked + np.clip(free, min(0, spare), max(0, spare))
