"""Finds the place of a chart in a figure, and makes the Axes of its panels there.

The place is all of the room that a chart and its words may use. Dividing it is left to arrangement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from matplotlib import rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.style_sheet import chosen
from suburb_pandas.plotting.composition.text import POINTS_IN_INCH

Target = Axes | Callable[..., Figure]
"""The place to draw in: existing Axes, or a function that makes a new figure."""

_WIDTH_INCHES: Final = 9.0  # the width of a notebook's output
_EDGE: Final = 0.005  # the margin that stays free at each edge of a figure, as a fraction of it


def new_figure(**options: Any) -> Figure:
    """Make a pyplot figure, which a notebook displays automatically."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - callers who pass their own Axes do not load pyplot

    return plt.figure(**options)


def make_axes(target: Target, number: int, height: float) -> list[Axes]:
    """Return Axes that share their x axis: in a new figure of a height in inches, or in the place of given Axes.

    All of them get the same cell of the figure; chart divides it.
    """
    first = target if isinstance(target, Axes) else target(figsize=_figure_size(height)).add_subplot()
    others = [_beside(first) for _ in range(number - 1)]
    for ax in others:
        ax.set_facecolor(first.get_facecolor())
    return [first, *others]


def _figure_size(height: float) -> tuple[float, float]:
    """Return the size of a new figure: as high as needed, and as wide as the user's style sheet says, if it does."""
    width, least = chosen("figure.figsize", (_WIDTH_INCHES, height))
    return width, max(least, height)


def _beside(first: Axes) -> Axes:
    """Make Axes in the cell of others, or at their position if they have none."""
    figure, spec = cast("Figure", first.figure), first.get_subplotspec()
    if spec is None:
        return figure.add_axes(first.get_position(original=True).bounds, sharex=first)
    return figure.add_subplot(spec, sharex=first)


def place_of(ax: Axes) -> Bbox:
    """Return the place of Axes and of the words around them, in points from the lower left of the figure.

    With a layout engine, even one that has ended, as after ``tight_layout``, the room is already there. Without one,
    Axes of a grid may use the space around them: up to half way to their neighbours, or at the edge of the grid, as
    much as matplotlib's own margins. Axes that were placed by hand keep to their position.
    """
    figure = cast("Figure", ax.figure)
    box = ax.get_position(original=True)
    engine = figure.figure.get_layout_engine()
    spec = ax.get_subplotspec()
    if spec is not None and engine is None:
        box = _with_margins(box, spec, figure)
    pixels = box.transformed(figure.transSubfigure)
    point = figure.figure.dpi / POINTS_IN_INCH
    return Bbox(pixels.get_points() / point)


def usual_width_of(ax: Axes) -> float:
    """Return the width from which the type sizes of a chart follow, in points: equal for all charts of a grid."""
    figure = cast("Figure", ax.figure)
    if ax.get_subplotspec() is None or figure.figure.get_layout_engine() is not None:
        return float(place_of(ax).width)
    usual = rcParamsDefault["figure.subplot.right"] - rcParamsDefault["figure.subplot.left"]
    share = min(ax.get_position(original=True).width / usual, 1)
    return float(share * figure.bbox.width * POINTS_IN_INCH / figure.figure.dpi)


def _with_margins(box: Bbox, spec: Any, figure: Figure) -> Bbox:
    """Return a cell of a grid with its share of the space around it; a grid in a cell of a grid has both limits."""
    low_x, high_x = (
        box.x0 - rcParamsDefault["figure.subplot.left"],
        box.x1 + 1 - rcParamsDefault["figure.subplot.right"],
    )
    low_y, high_y = (
        box.y0 - rcParamsDefault["figure.subplot.bottom"],
        box.y1 + 1 - rcParamsDefault["figure.subplot.top"],
    )
    if figure.get_suptitle():
        high_y = box.y1  # matplotlib's own place for it is above the cells of a grid
    for cell in (spec, spec.get_topmost_subplotspec()):
        bottoms, tops, lefts, rights = cell.get_gridspec().get_grid_positions(figure)
        rows, columns = cell.rowspan, cell.colspan
        if columns.start:
            low_x = max(low_x, (rights[columns.start - 1] + lefts[columns.start]) / 2)
        if columns.stop < len(lefts):
            high_x = min(high_x, (rights[columns.stop - 1] + lefts[columns.stop]) / 2)
        if rows.stop < len(tops):
            low_y = max(low_y, (bottoms[rows.stop - 1] + tops[rows.stop]) / 2)
        if rows.start:
            high_y = min(high_y, (bottoms[rows.start - 1] + tops[rows.start]) / 2)
    return Bbox.from_extents(max(low_x, _EDGE), max(low_y, _EDGE), min(high_x, 1 - _EDGE), min(high_y, 1 - _EDGE))
