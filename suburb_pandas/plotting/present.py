"""Presents a chart that was drawn with pandas or matplotlib in the look of the package's own charts.

The notebooks use it. Drawing is left to the caller, the look and the arrangement to composition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.dates import AutoDateLocator
from matplotlib.lines import Line2D

from suburb_pandas.frames.schema import is_made_up
from suburb_pandas.plotting.composition.chart import Chart, remove_words
from suburb_pandas.plotting.composition.content import Look, Panel, Words
from suburb_pandas.plotting.composition.end_labels import EndLabels
from suburb_pandas.plotting.composition.style import tidy
from suburb_pandas.plotting.composition.text import NumberFormatter
from suburb_pandas.plotting.composition.ticks import Ticks
from suburb_pandas.plotting.notes import source_note


def present(
    ax: Axes,
    title: str,
    subtitle: str = "",
    *,
    frame: pd.DataFrame,
    notes: Sequence[str] = (),
    grid: str | None = "y",
) -> Axes:
    """Present a chart in the look of the package's own charts.

    Lines with a label are labelled at their ends, in place of a legend. Bars and lines of markers keep a legend, above
    the data. Colours are not changed: draw with ``color=COLOURS`` of ``suburb_pandas.plotting.composition.colours``.

    Parameters
    ----------
    ax
        The Axes with the chart.
    title, subtitle
        What is shown; the measure and its unit.
    frame
        The frame that was drawn, or was drawn from: its attrs say where it came from and whether it is made up.
    notes
        Sentences for the foot of the chart.
    grid
        The axis with a grid and with formatted numbers: ``"y"``, ``"x"`` or None. On ``"y"``, ticks are few and round.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    if (theirs := ax.get_legend()) is not None:
        theirs.remove()
    remove_words(ax)
    tidy(ax, grid=grid)
    for label in ax.get_xticklabels():
        label.set(rotation=0, ha="center")
    if grid is not None:
        getattr(ax, f"{grid}axis").set_major_formatter(NumberFormatter())
    legend = {str(name): _look(handle) for name, handle in handles.items()}
    ends = {str(name): end for name, handle in handles.items() if (end := _end_of(handle)) is not None}
    labels = EndLabels(ax)
    for name, (x, y) in ends.items() if len(ends) == len(handles) else ():
        labels.add(name, x, y, legend[name][0])
    ticks = Ticks(has_dates=isinstance(ax.xaxis.get_major_locator(), AutoDateLocator), has_values=grid == "y")
    panel = Panel(ax, beside=[labels] if len(labels) else (), ticks=ticks)
    Chart([panel], Words(title, subtitle, notes, source_note(frame), is_made_up(frame), legend))
    return ax


def _end_of(handle: Any) -> tuple[float, float] | None:
    """Return the last point of a line; None for points without a line, a line without points, bars and areas."""
    if not isinstance(handle, Line2D) or handle.get_linestyle() == "None":
        return None
    points = np.asarray(handle.get_xydata(), "float64")
    points = points[np.isfinite(points).all(axis=1)]
    return (float(points[-1, 0]), float(points[-1, 1])) if len(points) else None


def _look(handle: Any) -> Look:
    """Return the look of a series in a legend."""
    if isinstance(handle, Line2D):
        is_line = handle.get_linestyle() != "None"
        return to_hex(handle.get_color()), str(handle.get_marker()), "-" if is_line else "None"
    filled = handle.patches[0] if isinstance(handle, BarContainer) else handle
    return to_hex(np.reshape(filled.get_facecolor(), (-1, 4))[0]), "s", "None"
