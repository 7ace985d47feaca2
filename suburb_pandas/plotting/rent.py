"""The chart of rents: each series on its real dates, with its cadence, its gaps and its flat spells visible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator

from suburb_pandas.frames.schema import AREA_NAME, UNITS, unit_of
from suburb_pandas.messages import captured_warnings
from suburb_pandas.plotting.annotations import (
    COLOURS,
    NORMAL,
    broken,
    foot,
    head,
    label_y,
    rows_of,
    say_if_made_up,
    source,
    suburbs_in,
    ticks,
    without_rows,
    write,
)
from suburb_pandas.plotting.end_labels import EndLabels
from suburb_pandas.plotting.layout import Onto, make_room, panels, settle
from suburb_pandas.timeseries.cadence import FLAT, Steps, steps
from suburb_pandas.timeseries.dates import Flags, to_dates
from suburb_pandas.timeseries.points import Points, ends_of, read, starts_of

_Y_LABEL: Final = "Advertised median rent, AUD per week"
_BUTT: Final = {"solid_capstyle": "butt", "dash_capstyle": "butt"}  # so that one missing week can be seen
_LOOKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "monthly": {"linewidth": 1.0, **_BUTT},
    "weekly": {"linewidth": 2.4, **_BUTT},
    "irregular": {"linewidth": 1.0, "marker": ".", "markersize": 5, **_BUTT},
}
_KEYS: Final = {
    "monthly": "thin line: monthly points",
    "weekly": "thick line: weekly points",
    "irregular": "dots: points neither monthly nor weekly",
}
_DASHES: Final = (0, (2.2, 1.2))
_MARKERS: Final = "os^DvPX*"
_MARKED: Final = 7
_LONG_NAME: Final = 28
_ENDED_DAYS: Final = 62
_YEAR: Final = 366
_HEIGHT, _HEIGHT_OF_SEVERAL = 4.4, 3.6  # inches


@dataclass(frozen=True, slots=True)
class _Series:
    """One series of one suburb. ``breaks`` are the steps for which no line is drawn."""

    points: Points
    steps: Steps
    breaks: Flags

    @property
    def dates(self) -> npt.NDArray[np.datetime64]:
        """Give the dates of its points."""
        return to_dates(self.points.day)

    @property
    def strokes(self) -> Iterator[tuple[str, bool, Flags]]:
        """Give each look that the series has, its cadence and whether it is flat, with the steps that look so."""
        for cadence in _LOOKS:
            for flat in (False, True):
                these = ~self.breaks & (self.steps.cadence == cadence) & (self.steps.is_flat == flat)
                if these.any():
                    yield cadence, flat, these

    @property
    def alone(self) -> Flags:
        """Which points no line leads to or from."""
        alone: Flags = self.breaks & np.append(self.breaks, True)[1:]
        return alone


_Group = Mapping[str, _Series]
"""The series of one panel, by their labels."""


def draw(frame: pd.DataFrame, onto: Onto) -> Axes:
    """Draw a frame of rents, and give its first panel.

    Raises
    ------
    TypeError, ValueError
        It is not of the rent shape, or of too many suburbs.
    """
    kinds, names = list(read(frame).points), suburbs_in(frame)
    if unit_of(frame) not in {None, UNITS["rent"]}:
        raise ValueError(
            f"This frame holds no rents: its unit is {unit_of(frame)!r}. pandas' own frame.plot() draws it."
        )
    series = {name: _series(rows_of(frame, name), kinds) for name in names}
    if len(names) == 1:
        groups: dict[str, _Group] = {names[0] or "Advertised median rent": series[names[0]]}
    else:
        groups = {f"{kind.capitalize()}s": {str(name): series[name][kind] for name in names} for kind in kinds}
    axes = panels(onto, [_HEIGHT if len(groups) == 1 else _HEIGHT_OF_SEVERAL] * len(groups), share_x=True)
    for ax, group in zip(axes, groups.values(), strict=True):
        _draw_panel(ax, group, marked=len(names) > 1)
    settle(axes)
    for ax, (title, group) in zip(axes, groups.items(), strict=True):
        without = ", ".join(label for label, one in group.items() if not len(one.points.day))
        ax.xaxis.set_major_locator(AutoDateLocator(minticks=2, maxticks=ticks(ax)))  # type: ignore[no-untyped-call]
        head(ax, title, f"Without points: {without}" if without else "")
        say_if_made_up(ax, frame)
    foot(axes[-1], _key(groups.values()), without_rows(frame), source(frame))
    make_room(axes)
    return axes[0]


def _series(frame: pd.DataFrame, kinds: Iterable[str]) -> dict[str, _Series]:
    """Give the series of one suburb, by property type."""
    with captured_warnings():  # of dates that come twice the whole frame has been read already
        found = read(frame.drop(columns=AREA_NAME, errors="ignore")).points
    told = {kind: steps(found[kind]) for kind in kinds}
    return {kind: _Series(found[kind], told[kind], _breaks(found[kind], told[kind])) for kind in kinds}


def _breaks(points: Points, told: Steps) -> Flags:
    """Say which steps are no line: to a first point, and where points are missing.

    In a series of no cadence, as one of quarters, that is where a step is half longer than usual, or than a year.
    """
    days = np.diff(points.day, prepend=0)
    irregular = (told.cadence == "irregular") & ~points.is_first
    usual = min(np.median(days[irregular]), _YEAR) if irregular.any() else _YEAR
    breaks: Flags = points.is_first | told.is_gap | (irregular & (days > usual * 3 / 2))
    return breaks


def _draw_panel(ax: Axes, group: _Group, *, marked: bool) -> None:
    """Draw the series of one panel, with markers that tell many of them apart also in grey."""
    labels = EndLabels(ax)
    latest = max((one.points.day[-1] for one in group.values() if len(one.points.day)), default=None)
    for number, (label, one) in enumerate(group.items()):
        if not len(one.points.day):
            continue
        colour = COLOURS[number]
        _draw_series(ax, label, one, colour)
        end = one.dates[-1]
        stopped = f" ({end.astype('M8[M]')})" if latest - one.points.day[-1] > _ENDED_DAYS else ""
        _mark(ax, one, colour, _MARKERS[number] if marked else "o", _MARKED if marked else 1)
        labels.add(
            broken(f"{label} {one.points.value[-1]:,.0f}{stopped}", _LONG_NAME), end, one.points.value[-1], colour
        )
    if latest is None:
        write(ax, "No points", (0.5, 0.5), ha="center", va="center")
    label_y(ax, _Y_LABEL)
    ax.spines[["top", "right"]].set_visible(False)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.margins(x=0.02)
    ax.tick_params(labelsize=NORMAL)


def _draw_series(ax: Axes, label: str, one: _Series, colour: str) -> None:
    """Draw the lines of a series, each look as one artist, and the points that stand alone."""
    shown = label
    for cadence, flat, these in one.strokes:
        style = _DASHES if flat else "-"
        ax.plot(
            *_runs(one, these),
            color=colour,
            linestyle=style,
            label=shown,
            gid=f"{cadence}{' flat' * flat}",
            **_LOOKS[cadence],
        )
        shown = "_nolegend_"
    if one.alone.any():
        ax.plot(one.dates[one.alone], one.points.value[one.alone], ".", color=colour, label=shown, gid="alone")


def _runs(one: _Series, these: Flags) -> tuple[npt.NDArray[np.datetime64], npt.NDArray[np.float64]]:
    """Give the dates and values of a line along these steps, broken wherever one is left out."""
    starts = np.flatnonzero(these & starts_of(these)) - 1
    ends = np.flatnonzero(these & ends_of(these)) + 1
    dates, values = one.dates, one.points.value
    no_date, no_value = np.array(["NaT"], "M8[D]"), np.array([np.nan])
    runs = list(zip(starts, ends, strict=True))
    return (
        np.concatenate([part for start, end in runs for part in (dates[start:end], no_date)]),
        np.concatenate([part for start, end in runs for part in (values[start:end], no_value)]),
    )


def _mark(ax: Axes, one: _Series, colour: str, marker: str, number: int) -> None:
    """Put markers on some points of a series, the last among them."""
    days = one.points.day
    some = np.unique(np.searchsorted(days, np.linspace(days[-1], days[0], number).astype("int64")))
    ax.plot(one.dates[some], one.points.value[some], marker, color=colour, markersize=5, label="_nolegend_", gid="mark")


def _key(groups: Iterable[_Group]) -> str:
    """Say what the lines mean, of which there are some."""
    series = [one for group in groups for one in group.values()]
    strokes = [(cadence, flat) for one in series for cadence, flat, _ in one.strokes]
    told = [text for cadence, text in _KEYS.items() if cadence in {cadence for cadence, _ in strokes}]
    if any(flat for _, flat in strokes):
        told.append(f"dashed: unchanged for {FLAT} days or more")
    if any(one.steps.is_gap.any() for one in series):
        told.append("break: points missing")
    if any((one.breaks & ~one.points.is_first & ~one.steps.is_gap).any() for one in series):
        told.append("break: longer than usual without a point")
    return "; ".join(told).capitalize() + "." if told else ""
