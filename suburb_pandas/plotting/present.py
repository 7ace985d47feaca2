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
from matplotlib.dates import AutoDateLocator
from matplotlib.lines import Line2D

from suburb_pandas.frames.schema import is_made_up
from suburb_pandas.plotting.composition.arrangement import Panel
from suburb_pandas.plotting.composition.chart import Chart
from suburb_pandas.plotting.composition.end_labels import EndLabels
from suburb_pandas.plotting.composition.style import tidy
from suburb_pandas.plotting.composition.text import NumberFormatter
from suburb_pandas.plotting.composition.words import Look, Words
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
        The axis with a grid and with round values: ``"y"``, ``"x"`` or None.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    if (theirs := ax.get_legend()) is not None:
        theirs.remove()
    tidy(ax, grid=grid)
    for label in ax.get_xticklabels():
        label.set(rotation=0, ha="center")
    labels = EndLabels(ax)
    lines = {
        name: line for name, line in handles.items() if isinstance(line, Line2D) and line.get_linestyle() != "None"
    }
    is_labelled = len(lines) == len(handles)
    for name, line in lines.items() if is_labelled else ():
        points = np.column_stack([line.get_xdata(orig=False), line.get_ydata(orig=False)]).astype("float64")
        x, y = points[np.isfinite(points).all(axis=1)][-1]
        labels.add(str(name), x, y, to_hex(line.get_color()))
    if grid is not None:
        getattr(ax, f"{grid}axis").set_major_formatter(NumberFormatter())
    legend = {str(name): _look(handle) for name, handle in handles.items()}
    has_dates = isinstance(ax.xaxis.get_major_locator(), AutoDateLocator)
    panel = Panel(ax, beside=[labels] if is_labelled else (), has_dates=has_dates, has_values=grid == "y")
    Chart([panel], Words(title, subtitle, notes, source_note(frame), is_made_up(frame), legend))
    return ax


def _look(handle: Any) -> Look:
    """Return the look of a series in a legend."""
    if isinstance(handle, Line2D):
        is_line = handle.get_linestyle() != "None"
        return to_hex(handle.get_color()), str(handle.get_marker()), "-" if is_line else "None"
    return to_hex(handle.patches[0].get_facecolor()), "s", "None"
