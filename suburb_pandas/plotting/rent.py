"""Draws rents: each series on its real dates, with its cadence, its gaps and its flat spells visible.

Cadence and gaps are computed by timeseries. Text around the lines is left to annotations, labels at their ends to
end_labels, panels and their size to layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator

from suburb_pandas.frames.schema import AREA_NAME, unit_of
from suburb_pandas.loaders.frames import endpoint_of
from suburb_pandas.messages import captured_warnings
from suburb_pandas.plotting.annotations import (
    COLOURS,
    LABEL_SIZE,
    label_y_axis,
    mark_if_made_up,
    max_ticks,
    missing_suburbs_note,
    rows_of,
    source_note,
    suburbs_in,
    wrap,
    write_footnotes,
    write_text,
    write_title,
)
from suburb_pandas.plotting.end_labels import EndLabels
from suburb_pandas.plotting.layout import Target, apply_layout, panels, shrink_to_fit
from suburb_pandas.timeseries.cadence import FLAT, Steps, steps
from suburb_pandas.timeseries.dates import Flags, to_dates
from suburb_pandas.timeseries.points import Points, ends_of, read, starts_of

# The default caps extend a line beyond its last point and would cover a gap of one week.
_BUTT_CAPS: Final = {"solid_capstyle": "butt", "dash_capstyle": "butt"}
_STYLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "monthly": {"linewidth": 1.0, **_BUTT_CAPS},
    "weekly": {"linewidth": 2.4, **_BUTT_CAPS},
    "irregular": {"linewidth": 1.0, "marker": ".", "markersize": 5, **_BUTT_CAPS},
}
_LEGEND: Final = {
    "monthly": "thin line: monthly points",
    "weekly": "thick line: weekly points",
    "irregular": "dots: points neither monthly nor weekly",
}
_DASHES: Final = (0, (2.2, 1.2))
_MARKERS: Final = "os^DvPX*"
_MARKERS_PER_LINE: Final = 7
_LABEL_LETTERS: Final = 28
_ENDED_EARLY_DAYS: Final = 62
_DAYS_IN_YEAR: Final = 366
_PANEL_INCHES, _SMALL_PANEL_INCHES = 4.4, 3.6


@dataclass(frozen=True, slots=True)
class _Series:
    """One series of one suburb. ``breaks`` is True for each step that is drawn without a line."""

    points: Points
    steps: Steps
    breaks: Flags

    @property
    def dates(self) -> npt.NDArray[np.datetime64]:
        """The dates of the points."""
        return to_dates(self.points.day)

    @property
    def styles(self) -> Iterator[tuple[str, bool, Flags]]:
        """The line styles of the series: cadence, whether flat, and the steps in this style."""
        for cadence in _STYLES:
            for flat in (False, True):
                selected = ~self.breaks & (self.steps.cadence == cadence) & (self.steps.is_flat == flat)
                if selected.any():
                    yield cadence, flat, selected

    @property
    def isolated(self) -> Flags:
        """True for each point without a line on either side."""
        isolated: Flags = self.breaks & np.append(self.breaks, True)[1:]
        return isolated


_Group = Mapping[str, _Series]
"""The series of one panel, by label."""


def draw(frame: pd.DataFrame, target: Target) -> Axes:
    """Draw a frame of rents and return the Axes of the first panel.

    Raises
    ------
    TypeError, ValueError
        ``frame`` is not of the rent shape, its unit is not that of rents, or it has too many suburbs.
    """
    kinds, names = list(read(frame).points), suburbs_in(frame)
    endpoint = endpoint_of(frame)
    if unit_of(frame) not in {None, endpoint.unit}:
        raise ValueError(
            f"This frame holds no rents: its unit is {unit_of(frame)!r}. pandas' own frame.plot() draws it."
        )
    series = {name: _series(rows_of(frame, name), kinds) for name in names}
    if len(names) == 1:
        groups: dict[str, _Group] = {names[0] or endpoint.axis_label.partition(",")[0]: series[names[0]]}
    else:
        groups = {f"{kind.capitalize()}s": {str(name): series[name][kind] for name in names} for kind in kinds}
    axes = panels(target, [_PANEL_INCHES if len(groups) == 1 else _SMALL_PANEL_INCHES] * len(groups), share_x=True)
    for ax, group in zip(axes, groups.values(), strict=True):
        _draw_panel(ax, group, endpoint.axis_label, marked=len(names) > 1)
    apply_layout(axes)
    for ax, (title, group) in zip(axes, groups.items(), strict=True):
        without = ", ".join(label for label, each in group.items() if not len(each.points.day))
        ax.xaxis.set_major_locator(AutoDateLocator(minticks=2, maxticks=max_ticks(ax)))  # type: ignore[no-untyped-call]
        write_title(ax, title, f"Without points: {without}" if without else "")
        mark_if_made_up(ax, frame)
    write_footnotes(axes[-1], _legend_note(groups.values()), missing_suburbs_note(frame), source_note(frame))
    shrink_to_fit(axes)
    return axes[0]


def _series(frame: pd.DataFrame, kinds: Iterable[str]) -> dict[str, _Series]:
    """Return the series of one suburb by property type."""
    with captured_warnings():  # draw() has read the whole frame, with a warning about duplicate dates
        points = read(frame.drop(columns=AREA_NAME, errors="ignore")).points
    steps_of = {kind: steps(points[kind]) for kind in kinds}
    return {kind: _Series(points[kind], steps_of[kind], _breaks(points[kind], steps_of[kind])) for kind in kinds}


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


def _draw_panel(ax: Axes, group: _Group, axis_label: str, *, marked: bool) -> None:
    """Draw the series of one panel; if ``marked``, markers tell the lines apart in greyscale."""
    labels = EndLabels(ax)
    latest = max((drawn.points.day[-1] for drawn in group.values() if len(drawn.points.day)), default=None)
    for number, (label, drawn) in enumerate(group.items()):
        if not len(drawn.points.day):
            continue
        colour = COLOURS[number]
        _draw_series(ax, label, drawn, colour)
        end = drawn.dates[-1]
        ended = f" ({end.astype('M8[M]')})" if latest - drawn.points.day[-1] > _ENDED_EARLY_DAYS else ""
        _draw_markers(ax, drawn, colour, _MARKERS[number] if marked else "o", _MARKERS_PER_LINE if marked else 1)
        labels.add(
            wrap(f"{label} {drawn.points.value[-1]:,.0f}{ended}", _LABEL_LETTERS), end, drawn.points.value[-1], colour
        )
    if latest is None:
        write_text(ax, "No points", (0.5, 0.5), ha="center", va="center")
    label_y_axis(ax, axis_label)
    ax.spines[["top", "right"]].set_visible(False)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.margins(x=0.02)
    ax.tick_params(labelsize=LABEL_SIZE)


def _draw_series(ax: Axes, label: str, series: _Series, colour: str) -> None:
    """Draw the lines of a series, with one artist for each style, and the isolated points."""
    legend_label = label
    for cadence, flat, selected in series.styles:
        style = _DASHES if flat else "-"
        ax.plot(
            *_runs(series, selected),
            color=colour,
            linestyle=style,
            label=legend_label,
            gid=f"{cadence}{' flat' * flat}",
            **_STYLES[cadence],
        )
        legend_label = "_nolegend_"
    if series.isolated.any():
        ax.plot(
            series.dates[series.isolated],
            series.points.value[series.isolated],
            ".",
            color=colour,
            label=legend_label,
            gid="alone",
        )


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


def _draw_markers(ax: Axes, series: _Series, colour: str, marker: str, number: int) -> None:
    """Draw markers on about ``number`` points of a series, spread evenly over its dates; the last point has one."""
    days = series.points.day
    marked = np.unique(np.searchsorted(days, np.linspace(days[-1], days[0], number).astype("int64")))
    dates, values = series.dates[marked], series.points.value[marked]
    ax.plot(dates, values, marker, color=colour, markersize=5, label="_nolegend_", gid="mark")


def _legend_note(groups: Iterable[_Group]) -> str:
    """Return a sentence on the meaning of the line styles and breaks that this chart has."""
    series = [each for group in groups for each in group.values()]
    styles = [(cadence, flat) for each in series for cadence, flat, _ in each.styles]
    meanings = [text for cadence, text in _LEGEND.items() if cadence in {cadence for cadence, _ in styles}]
    if any(flat for _, flat in styles):
        meanings.append(f"dashed: unchanged for {FLAT} days or more")
    if any(each.steps.is_gap.any() for each in series):
        meanings.append("break: points missing")
    if any((each.breaks & ~each.points.is_first & ~each.steps.is_gap).any() for each in series):
        meanings.append("break: longer than usual without a point")
    return "; ".join(meanings).capitalize() + "." if meanings else ""
