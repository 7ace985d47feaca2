"""Chooses few, round ticks for the axes of a panel, and reads the labels that they will have.

Type sizes are left to style, the format of numbers to text.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.dates import AutoDateFormatter, AutoDateLocator, DateFormatter
from matplotlib.ticker import MaxNLocator, NullLocator

_ROUND_STEPS: Final = (1, 2, 2.5, 5, 10)
_MOST: Final = 6
_DATE_ROOM, _VALUE_ROOM = 6.0, 3.4  # of a tick, as a multiple of the type size
DATE_PAD: Final = 0.5
"""The distance between the data and the labels of dates, as a multiple of their type size."""

VALUE_PAD: Final = 0.5
"""The distance between the data and the labels of values, as a multiple of their type size."""


def set_size(ax: Axes, size: float) -> None:
    """Set the type size of the labels of ticks, and their distance from the data."""
    ax.tick_params(axis="x", labelsize=size, pad=(DATE_PAD - 0.3) * size, length=0.3 * size)
    ax.tick_params(axis="y", labelsize=size, pad=VALUE_PAD * size)


def choose_values(ax: Axes, height: float, size: float) -> None:
    """Choose round values for a panel of a height in points: one for a panel of one value, none for an empty one."""
    low, high = ax.dataLim.intervaly
    if low < high:
        most = min(max(int(height / (_VALUE_ROOM * size)), 3), _MOST)
        ax.yaxis.set_major_locator(MaxNLocator(nbins=most, steps=list(_ROUND_STEPS)))
    else:
        ax.set_yticks([low] if low == high else [])


def choose_dates(ax: Axes, width: float, size: float) -> None:
    """Choose dates for a panel of a width in points: the date itself for panels of one date."""
    limits = np.array([each.dataLim.intervalx for each in ax.get_shared_x_axes().get_siblings(ax)])
    low, high = limits[:, 0].min(), limits[:, 1].max()
    if low == high:
        ax.set_xticks([low])
        ax.xaxis.set_major_formatter(DateFormatter("%Y-%m-%d"))  # type: ignore[no-untyped-call]
        return
    most = min(max(int(width / (_DATE_ROOM * size)), 3), _MOST)
    locator = AutoDateLocator(minticks=2, maxticks=most)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(AutoDateFormatter(locator))  # type: ignore[no-untyped-call]


def hide(ax: Axes, *, x: bool, y: bool) -> None:
    """Hide all ticks of the x axis or of the y axis."""
    for axis, is_hidden in ((ax.xaxis, x), (ax.yaxis, y)):
        if is_hidden:
            axis.set_major_locator(NullLocator())
            axis.set_minor_locator(NullLocator())


def labels_of(axis: Axis) -> list[str]:
    """Return the labels of an axis that are in view."""
    shown = axis.get_tick_params()
    if not axis.get_visible() or not (shown.get("labelbottom") or shown.get("labelleft")):
        return []
    low, high = sorted(axis.get_view_interval())
    places = [place for place in axis.get_majorticklocs() if low <= place <= high]
    return list(axis.get_major_formatter().format_ticks(places))
