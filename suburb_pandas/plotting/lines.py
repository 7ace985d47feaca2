"""Reads points, draws them as lines, each step in its form, and labels the ends of lines beside the data.

Cadence and gaps are computed by timeseries. The panels and their words are left to rents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import offset_copy

from suburb_pandas.frames.dates import Values, day_text, to_dates, to_days
from suburb_pandas.frames.marks import is_resampled
from suburb_pandas.frames.points import Points
from suburb_pandas.frames.rents import read
from suburb_pandas.frames.schema import AREA_NAME, DATE, PROPERTY_TYPE, RENT_COLUMNS
from suburb_pandas.plotting.figure import down
from suburb_pandas.plotting.look import page_colour, type_size
from suburb_pandas.timeseries.line import line_of
from suburb_pandas.timeseries.period_values import flag_column
from suburb_pandas.timeseries.stretches import FLAT, steps

SERIES: Final = [PROPERTY_TYPE, AREA_NAME]
"""The columns of points that tell the series apart."""

AT_BASE: Final = 100.0
"""The value of an index at its base."""

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


def read_points(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the points of a frame in the long layout, whose suburbs get these names in their order.

    All suburbs of one property type come before the next. Columns that are not about rents are ignored. Beside the
    columns of `SERIES`, the result has:

    - ``date`` and ``value``
    - ``form``: the form of the step to the point, which is its cadence, and ``plain``, ``flat`` or ``filled``; empty
      where no line is drawn
    - the flags ``gap`` of a step in which points are missing, ``dot`` of a point that is drawn as a dot, and ``open``
      of a point of an open period
    """
    found = read(frame.filter(items=[AREA_NAME, *RENT_COLUMNS])).points
    tables = [
        pd.DataFrame(
            {
                PROPERTY_TYPE: kind,
                AREA_NAME: np.array(names)[points.suburb],
                DATE: to_dates(points.day),
                "value": points.value,
                "open": flag_column(frame, f"{kind}_open")[points.place],
                **_forms(points, frame, kind),
            }
        )
        for kind, points in found.items()
    ]
    return pd.concat(tables)


def _forms(points: Points, frame: pd.DataFrame, kind: str) -> dict[str, Any]:
    """Return the columns ``form``, ``gap`` and ``dot`` for the points of a property type."""
    found, is_filled = steps(points), flag_column(frame, f"{kind}_filled")[points.place]
    # All steps of a series of years are irregular. One that is much longer than usual, or a year, has missing points.
    irregular = pd.Series(np.diff(points.day, prepend=0)).where((found.cadence == "irregular") & ~points.is_first)
    usual = irregular.groupby(points.suburb).transform("median").clip(upper=366)
    is_gap = found.is_gap | (irregular > 1.5 * usual)
    has_line, is_dotted = ~is_gap & ~points.is_first, np.isin(found.cadence, _DOTTED)
    if (label := f"{kind}_unchanged_days") in frame.columns:
        is_unchanged = frame[label].to_numpy("float64", na_value=np.nan)[points.place] >= FLAT
    else:
        # The label of a period is not the date of a point: two equal quarters may hold points a few weeks apart.
        is_unchanged = ~is_dotted & (not is_resampled(frame))
    strokes = np.select(
        [is_filled | np.roll(is_filled, 1), found.is_flat & is_unchanged], [" filled", " flat"], " plain"
    )
    return {
        "form": np.where(has_line, found.cadence + strokes, ""),
        "gap": is_gap,
        "dot": is_dotted | ~(has_line | np.roll(has_line, -1)),
    }


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


def draw_line(ax: Axes, points: pd.DataFrame, line: Any, markers: int) -> None:
    """Draw the steps of a series, one artist for each form, and then its dots, its markers and its hollow points.

    ``line`` has a label, a colour and a marker. A grey line has no marker, and is thinner.
    """
    weight = 1.0 if line.marker else 0.6
    for form in sorted({*points["form"]} - {""}):
        cadence, stroke = form.split()
        at = np.flatnonzero(points["form"] != form)  # the line is broken before each other point
        ax.plot(
            np.insert(points[DATE].to_numpy(), at, np.datetime64("NaT", "D")),
            np.insert(points["value"].to_numpy(), at, np.nan),
            color=line.colour,
            linestyle=_DASHES[stroke],
            linewidth=weight * (1.9 if cadence in _THICK else 0.9),
            marker="",
            gid=form,
            solid_capstyle="butt",  # the default caps would cover a gap of one week
        )
    marked = points.iloc[np.unique(np.linspace(len(points) - 1, 0, markers).astype("int64"))]
    for flag, own, marker, size in (
        ("dot", points[points["dot"]], ".", 4.5),
        ("mark", marked[~marked["open"]], line.marker, 5.0),
        ("open", points[points["open"]], line.marker, 5.0),
    ):
        ax.plot(
            own[DATE],
            own["value"],
            color=line.colour,
            linestyle="",
            marker=marker,
            markersize=weight * size,
            markerfacecolor=page_colour(ax) if flag == "open" else line.colour,
            markeredgewidth=1.0,
            label=line.label if flag == "mark" else "",
            gid=flag,
        )


def notes(points: pd.DataFrame, lines: pd.DataFrame) -> list[str]:
    """Return sentences on the meaning of the forms of points, and on the markers of lines that share a panel."""
    drawn = " ".join(points["form"].unique()).split()
    drawn += [flag for flag in ("dot", "open", "gap") if points[flag].any()]
    if lines["heading"].duplicated().any() and len(points) > len(lines):
        drawn.append("mark")
    return [sentence for word, sentence in _NOTES.items() if word in drawn]


def label_ends(ax: Axes, lines: pd.DataFrame, room: float) -> None:
    """Label lines to the right of the data, moved apart for a panel of a height in points, with leaders if moved.

    The labels follow their lines when limits change, and are hidden while the end of the line is out of view. A line
    that ended early has no leader, which could be taken for data.
    """
    lines = lines.sort_values("value", kind="stable")
    rows: Any = lines.itertuples()
    wanted = np.asarray(np.interp(lines["value"], ax.get_ylim(), (0, room)))
    heights = np.array([down([text]) for text in lines["text"]])
    for line, move in zip(rows, spread(wanted, heights, room) - wanted, strict=True):
        leader = {"arrowstyle": "-", "linestyle": ":", "linewidth": 0.9, "relpos": (0, 0.5), "color": line.colour}
        has_leader = abs(move) > type_size() / 2 and not line.text.endswith(")")
        ax.annotate(
            line.text,
            (line.date, line.value),
            (1, line.value),
            textcoords=offset_copy(ax.get_yaxis_transform(), ax.figure.figure, 12, move, "points"),
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
