"""Defines the parts of a chart: panels, the texts beside their data, and the words around it.

The words are left to the modules that draw data, and the place of each part to arrangement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Literal, Protocol

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.style import Fitting, Sizes
from suburb_pandas.plotting.composition.ticks import Ticks

Look = tuple[str, str, Literal["-", "None"]]
"""The colour, the marker and the line style of a series in a legend."""


@dataclass(frozen=True, slots=True)
class Swatch:
    """The look of an area in a legend: a box in its colour, with its hatching in the colour of its edge."""

    colour: str
    edge: str
    hatch: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """The words around the data of a chart.

    ``notes`` are sentences. ``source`` is one sentence, or several on lines of their own. ``legend`` has the look of
    each series or area, by its name. It is shown where there are no labels beside the data, or where they do not fit.
    ``has_foot`` is False if neither notes nor source are to be shown.
    """

    title: str
    subtitle: str = ""
    notes: Sequence[str] = ()
    source: str = ""
    is_made_up: bool = False
    legend: Mapping[str, Look | Swatch] = field(default_factory=dict)
    has_foot: bool = True


class Beside(Protocol):
    """Text to the left or to the right of the data of a panel. ``has_legend``: True if a legend can replace it."""

    side: Literal["left", "right"]
    has_legend: bool

    def width(self, fit: Fitting) -> float:
        """Return the width that it needs, in points."""

    def height(self, fit: Fitting) -> float:
        """Return the least height of the data beside it, in points."""

    def heading(self, fit: Fitting) -> tuple[float, float]:
        """Return the width and the height of its heading, in points; 0 and 0 without one."""

    def place(self, box: Bbox, fit: Fitting) -> None:
        """Put it beside the box for the data, given in points of the figure."""

    def show(self, *, visible: bool, headed: bool) -> None:
        """Show or hide it, with or without its heading."""


@dataclass(slots=True)
class Panel:
    """One panel of a chart.

    Parameters
    ----------
    ax
        Its Axes.
    heading, remark
        The words above it, in bold and in small type.
    beside
        The texts beside its data, from left to right.
    share
        Its part of the height of all panels.
    most_height
        The largest height of one such part, as a multiple of the type size of labels.
    least_width
        The least width of its data, as a share of the width of the chart.
    least_shape
        The least height of its data as a share of their width, if there are several panels.
    message
        The text in place of data, if there is none.
    ticks
        Chooses its ticks; None if the ticks are not left to the chart.
    resize
        Called with the Axes, the height of the data in points and the sizes of the chart when these change.
    """

    ax: Axes
    heading: str = ""
    remark: str = ""
    beside: Sequence[Beside] = ()
    share: float = 1
    most_height: float = inf
    least_width: float = 0.42
    least_shape: float = 0
    message: str = ""
    ticks: Ticks = field(default_factory=Ticks)
    resize: Callable[[Axes, float, Sizes], None] | None = None
