"""Owns the look of every chart: type sizes, spacing, line widths, grid and ticks.

Sizes follow from the size of the chart. Settings of the user's style sheet that differ from matplotlib's defaults are
kept. Colours are left to colours, and the place of each part to chart.

These conventions hold for every chart. They are those of the charts of the Australian Bureau of Statistics (ABS), the
Reserve Bank of Australia, the Financial Times (FT) and Datawrapper. Each item names those that have it.

1.  The title is left-aligned with the left edge of the chart, in bold, and says what is shown. (ABS, FT, Datawrapper;
    the Reserve Bank centres it.)
2.  The subtitle below it gives the measure and its unit, so that no axis needs a rotated label. (ABS, FT, Datawrapper;
    the Reserve Bank writes the unit at the top of each axis.)
3.  The notes and then the source stand at the foot, left-aligned and in small type, once for each figure. (All.)
4.  There is no frame. Light horizontal lines, behind the data, lead the eye to the few values on the axis. (FT,
    Datawrapper; the ABS and the Reserve Bank have them too.)
5.  Ticks are few and round. All numbers of an axis have the same decimals, thousands separators and a true minus sign.
    (ABS.)
6.  A series is labelled directly, at its end and in its colour. A legend above the data, in the same colours, replaces
    the labels only where these do not fit. (FT, Datawrapper, Reserve Bank.)
7.  A label does not cross data, the labels of the grid, or another label. A leader to a label is dotted. Among data it
    is also short and grey, so that it cannot be taken for data. (FT.)
8.  Bars are horizontal, sorted, and begin at zero. Their names and figures are aligned columns of text beside them, and
    each column of figures has a heading, so that they need no axis. Negative bars have a colour of their own.
    (Datawrapper, FT.)
9.  Colour is never the only difference: markers tell lines apart, and the side of zero tells bars apart. (ABS,
    Datawrapper.)
10. A change in how the data was collected is marked where it happens, and explained in the notes. (ABS and Reserve
    Bank, as for a break in series.)
11. Several panels of one chart share their scale of dates or of values, their title and their foot. Each has a heading
    in bold. (Reserve Bank, FT.)
12. Data that is made up is marked by a small badge in the corner and by its source. Nothing is written across data.
13. Small multiples share the scales of dates and of values. Only the first of a row and the lowest of a column have
    labels of ticks. (FT, Datawrapper.)
14. A dot that needs care is hollow, and the reason is written beside it. A value in a coloured cell is written in it,
    and the legend has the unit of the colours. Unknown values are hatched and never coloured. (Datawrapper; the ABS
    marks estimates that need care with an asterisk.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from matplotlib import rcParams, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from suburb_pandas.plotting.composition.colours import grid_colour, muted, page_colour, readable
from suburb_pandas.plotting.composition.style_sheet import chosen
from suburb_pandas.plotting.composition.text import Ruler

USUAL_WIDTH: Final = 648.0
"""The width of a chart, in points, on which type has the sizes of the user's style sheet: 9 inches."""

SMALLEST_TYPE: Final = 4.5
"""The smallest type size, in points."""

TITLE_WEIGHT: Final = "bold"
"""The weight of the title and of headings."""

_TYPE: Final = ("title", "text", "label", "tick", "note")
_LEAST_SCALE, _MOST_SCALE = 0.58, 1.2
_WIDTH_OF_A_LINE: Final = 0.19  # times the square root of the height that it has to itself, both in points
_LEAST_WIDTH, _MOST_WIDTH = 0.7, 1.9
_THIN: Final = 0.55
_MARKER_SIZE: Final = 4.6


def usual_scale(width: float) -> float:
    """Return the factor by which type on a chart of a width in points differs from type on one of the usual width."""
    scale: float = (width / USUAL_WIDTH) ** 0.5
    return min(max(scale, _LEAST_SCALE), _MOST_SCALE)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The type sizes and the spacing of a chart, in points.

    ``text`` is the size of the subtitle and of headings, ``label`` that of labels beside data, ``note`` that of the
    foot and of the badge. ``line`` is the width of lines, as a multiple of their usual width.
    """

    title: float
    text: float
    label: float
    tick: float
    note: float
    marker: float
    line: float

    @property
    def gap(self) -> float:
        """The usual distance between two parts of a chart."""
        return 0.6 * self.text

    def scaled(self, scale: float) -> Sizes:
        """Return these sizes at a scale, with type of at least the smallest size."""
        type_sizes = {name: max(scale * getattr(self, name), SMALLEST_TYPE) for name in _TYPE}
        return replace(self, **type_sizes, marker=scale * self.marker)


@dataclass(frozen=True, slots=True)
class Fitting:
    """The means to fit text: its sizes, the ruler that measures it, and the width of its chart or column."""

    sizes: Sizes
    ruler: Ruler
    room: float


def usual_sizes() -> Sizes:
    """Return the sizes of a chart of the usual width. They follow from the user's style sheet where that sets them."""
    text = _type_size("axes.labelsize", 1.0)
    return Sizes(
        title=_type_size("axes.titlesize", 1.3),
        text=text,
        label=_type_size("legend.fontsize", 0.9),
        tick=_type_size("ytick.labelsize", 0.9),
        note=0.78 * text,
        marker=chosen("lines.markersize", _MARKER_SIZE),
        line=rcParams["lines.linewidth"] / rcParamsDefault["lines.linewidth"],
    )


def _type_size(name: str, share: float) -> float:
    """Return a type size: the one that the user's style sheet has under a name, else a share of the usual size."""
    size: float = FontProperties(size=chosen(name, share * rcParams["font.size"])).get_size_in_points()
    return size


def line_widths(height: float, lines: int, sizes: Sizes) -> tuple[float, float]:
    """Return the widths of thick and of thin lines, in points, for series that share a panel of a height."""
    width = min(max(_WIDTH_OF_A_LINE * (height / max(lines, 1)) ** 0.5, _LEAST_WIDTH), _MOST_WIDTH)
    return sizes.line * width, _THIN * sizes.line * width


def tidy(ax: Axes, *, grid: str | None = "y") -> None:
    """Take the frame off Axes, and draw a light grid behind the data, along one axis or none."""
    ax.spines[:].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(visible=False)
    if grid is not None:
        ax.grid(
            visible=True,
            axis=grid,  # type: ignore[arg-type]
            color=grid_colour(page_colour(ax)),
            linewidth=chosen("grid.linewidth", 0.6),
        )
    ax.tick_params(axis="both", which="both", length=0, labelright=False, labeltop=False)
    _keep_readable(ax)
    if not rcParams["ytick.labelleft"] or not rcParams["xtick.labelbottom"]:
        ax.tick_params(labelleft=True, labelbottom=True)
    ax.tick_params(axis="x", which="major", length=0 if grid != "y" else 3, width=0.6, color=muted(page_colour(ax)))
    ax.set_title("")
    ax.set(xlabel="", ylabel="")


def _keep_readable(ax: Axes) -> None:
    """Change the colour of the labels of ticks if that of the user's style sheet cannot be read on the page."""
    page = page_colour(ax)
    for axis, of_label, of_tick in (
        (ax.xaxis, rcParams["xtick.labelcolor"], rcParams["xtick.color"]),
        (ax.yaxis, rcParams["ytick.labelcolor"], rcParams["ytick.color"]),
    ):
        theirs = of_tick if of_label == "inherit" else of_label
        if readable(theirs, page) != theirs:
            axis.set_tick_params(labelcolor=readable(theirs, page))
