"""Chooses few, round ticks for the axes of a panel, and reads the labels that they will have.

Type sizes are left to style, the format of numbers to text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.dates import MONTHLY, AutoDateFormatter, AutoDateLocator, DateFormatter, num2date
from matplotlib.ticker import FixedLocator, Formatter, Locator, MaxNLocator, NullLocator

from suburb_pandas.plotting.composition.text import Ruler

_ROUND_STEPS: Final = (1, 2, 2.5, 5, 10)
_MOST: Final = 6
_DATE_ROOM, _YEAR_ROOM, _VALUE_ROOM = 6.0, 3.0, 3.4  # of a tick, as a multiple of the type size
_YEARS: Final = 366  # days for each date, from which on dates are written as years
_MORE: Final = 3  # dates that a locator may look for beyond those that fit
DATE_PAD: Final = 0.5
"""The distance between the data and the labels of dates, as a multiple of their type size."""

VALUE_PAD: Final = 0.5
"""The distance between the data and the labels of values, as a multiple of their type size."""


def set_size(ax: Axes, size: float, *, visible: bool) -> None:
    """Set the type size of the labels of ticks, and their distance from the data; or hide the ticks."""
    ax.tick_params(axis="x", labelsize=size, pad=(DATE_PAD - 0.3) * size, length=0.3 * size)
    ax.tick_params(axis="y", labelsize=size, pad=VALUE_PAD * size)
    ax.xaxis.set_visible(visible)
    ax.yaxis.set_visible(visible)


@dataclass(slots=True)
class Ticks:
    """Chooses the ticks of one panel: dates on its x axis, round values on its y axis, or only one of them, or neither.

    An axis whose ticks the user has changed is left as it is.
    """

    has_dates: bool = False
    has_values: bool = False
    _dates: Locator | None = None
    _values: Locator | None = None

    def choose(self, ax: Axes, width: float, height: float, size: float) -> None:
        """Choose ticks for a panel of a width and a height in points, and labels of a type size."""
        if self.has_dates and self._dates in {None, ax.xaxis.get_major_locator()}:
            _choose_dates(ax, width, size)
            self._dates = ax.xaxis.get_major_locator()
        if self.has_values and self._values in {None, ax.yaxis.get_major_locator()}:
            _choose_values(ax, height, size)
            self._values = ax.yaxis.get_major_locator()


def _choose_values(ax: Axes, height: float, size: float) -> None:
    """Choose round values for a panel of a height in points: one for a panel of one value, none for an empty one."""
    limits = np.array([each.dataLim.intervaly for each in ax.get_shared_y_axes().get_siblings(ax)])
    low, high = limits[:, 0].min(), limits[:, 1].max()
    if low < high:
        most = min(max(int(height / (_VALUE_ROOM * size)), 3), _MOST)
        ax.yaxis.set_major_locator(MaxNLocator(nbins=most, steps=list(_ROUND_STEPS)))
    else:
        ax.yaxis.set_major_locator(FixedLocator([low] if low == high else []))


def _choose_dates(ax: Axes, width: float, size: float) -> None:
    """Choose dates for a panel of a width in points: the date itself for panels of one date."""
    limits = np.array([each.dataLim.intervalx for each in ax.get_shared_x_axes().get_siblings(ax)])
    low, high = limits[:, 0].min(), limits[:, 1].max()
    locator: Locator = _date_locator(sorted(ax.get_xlim()), width / size)  # data limits lack the margins
    is_ours = isinstance(ax.xaxis.get_major_formatter(), AutoDateFormatter) or ax.xaxis.isDefault_majfmt
    formatter: Formatter = AutoDateFormatter(locator)  # type: ignore[no-untyped-call]
    if low == high:
        locator, formatter = FixedLocator([low]), DateFormatter("%Y-%m-%d")  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    if is_ours:
        ax.xaxis.set_major_formatter(formatter)


def _date_locator(view: Sequence[float], width: float) -> AutoDateLocator:
    """Return a locator of the dates that fit in a width, a multiple of the type size: of at least two, if two fit.

    A single date is not a scale. Labels of years are short, so that a few more of them fit, and of months one more.
    """
    low, high = view
    most = min(max(int(width / _DATE_ROOM), 3), _MOST)
    locators = [_locator_of(most + more) for more in range(_MORE + 1)]
    for more, locator in enumerate(locators):
        dates = locator.tick_values(*num2date([low, high]))  # type: ignore[no-untyped-call]
        dates = dates[(dates >= low) & (dates <= high)]
        spare = more if high - low > _YEARS * most else int(high - low > _YEARS)
        if 1 < len(dates) <= most + spare and np.diff(dates).min() * width >= _YEAR_ROOM * (high - low):
            return locator
    return locators[0]


def _locator_of(most: int) -> AutoDateLocator:
    """Return a locator of about so many dates. Without twelve months as a step, matplotlib warns of some ranges."""
    locator = AutoDateLocator(minticks=2, maxticks=most)  # type: ignore[no-untyped-call]
    locator.intervald[MONTHLY] = [*locator.intervald[MONTHLY], 12]
    return locator


def hide(ax: Axes) -> None:
    """Hide all ticks of both axes."""
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(NullLocator())
        axis.set_minor_locator(NullLocator())


def room_of_label(axis: Axis, ruler: Ruler) -> float:
    """Return the room that the label of an axis needs beside its ticks, in points; 0 for an axis without a label."""
    label = axis.get_label()
    if not label.get_text():
        return 0
    return axis.labelpad + ruler.height(label.get_text(), float(label.get_fontsize()))


def labels_of(axis: Axis) -> list[str]:
    """Return the labels of an axis that are in view."""
    shown = axis.get_tick_params()
    if not (shown.get("labelbottom") or shown.get("labelleft")):
        return []
    low, high = sorted(axis.get_view_interval())
    places = [place for place in axis.get_majorticklocs() if low <= place <= high]
    return list(axis.get_major_formatter().format_ticks(places))
