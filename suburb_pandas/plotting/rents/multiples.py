"""Draws small multiples: a small panel for each suburb with its one series, all on the same scales.

Their arrangement in rows and columns is left to composition, their lines to lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from typing import Final

import numpy as np
from matplotlib.axes import Axes

from suburb_pandas.plotting.composition import ticks
from suburb_pandas.plotting.composition.colours import MARKERS, muted, page_colour, series_colours
from suburb_pandas.plotting.composition.content import Panel
from suburb_pandas.plotting.composition.style import tidy
from suburb_pandas.plotting.composition.text import NumberFormatter, decimals_of, format_number
from suburb_pandas.plotting.composition.ticks import Ticks
from suburb_pandas.plotting.rents.lines import draw_markers, draw_series, resize
from suburb_pandas.plotting.rents.measure import Measure
from suburb_pandas.plotting.rents.series import Group, Series
from suburb_pandas.timeseries.doubts import stale_before

MOST_MULTIPLES: Final = 48
"""The most suburbs of a chart with a small panel for each."""

_USUAL_COLUMNS: Final = 4
_WORDS_INCHES, _ROW_INCHES = 1.5, 1.3
_LEAST_SHAPE: Final = 0.3


def height_of(number: int) -> float:
    """Return the height of a new figure for a number of small panels, in inches."""
    return _WORDS_INCHES + _ROW_INCHES * ceil(number / _USUAL_COLUMNS)


def draw_multiples(axes: Sequence[Axes], groups: Mapping[str, Group], measure: Measure) -> list[Panel]:
    """Draw the series of each suburb in Axes of its own, and return the panels."""
    drawn = {name: series for name, group in groups.items() for series in group.values()}
    with_points = [series for series in drawn.values() if len(series.points.day)]
    limit = stale_before([series.dates[-1] for series in with_points])
    decimals = decimals_of([series.points.value[-1] for series in with_points], measure.decimals)
    for ax in axes[1:]:
        ax.sharey(axes[0])
    panels = []
    for ax, (name, series) in zip(axes, drawn.items(), strict=True):
        _draw_panel(ax, series, measure)
        has_points = bool(len(series.points.day))
        panels.append(
            Panel(
                ax,
                name,
                _remark(series, limit, decimals) if has_points else "",
                least_shape=_LEAST_SHAPE,
                message="" if has_points else "No points",
                ticks=Ticks(has_dates=bool(with_points), has_values=bool(with_points)),
                resize=partial(resize, lines=1),
            )
        )
    if not with_points:
        ticks.hide(axes[0])
    return panels


def _draw_panel(ax: Axes, series: Series, measure: Measure) -> None:
    """Draw one series, with a marker at its end."""
    has_points = bool(len(series.points.day))
    tidy(ax, grid="y" if has_points else None)
    if has_points:
        colour = series_colours(page_colour(ax))[0]
        draw_series(ax, "_nolegend_", series, colour)
        draw_markers(ax, series, colour, MARKERS[0], number=1)
    if has_points and measure.mark is not None:
        ax.axhline(measure.mark, color=muted(page_colour(ax)), linewidth=0.8, gid="zero")
    ax.yaxis.set_major_formatter(NumberFormatter())
    ax.margins(x=0.01)


def _remark(series: Series, limit: np.datetime64, decimals: int) -> str:
    """Return the last value of a series, with its month if that is stale: if it is dated before ``limit``."""
    end = series.dates[-1]
    ended = f" ({end.astype('M8[M]')})" if end < limit else ""
    return f"{format_number(series.points.value[-1], decimals)}{ended}"
