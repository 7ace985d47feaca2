"""Divides a figure or existing Axes into panels, and shrinks them so that titles, labels and footnotes stay inside.

Drawing is left to rent and impacts, the text itself to annotations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

Target = Axes | Callable[..., Figure]
"""The place to draw in: existing Axes, or a function that makes a new figure."""

_WIDTH_INCHES: Final = 9.0  # the width of a notebook's output
_FAR_EDGE: Final = 0.99  # as a fraction of the figure: a margin of 0.01 stays free on each side


def new_figure(**options: Any) -> Figure:
    """Make a pyplot figure, which a notebook displays automatically."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - callers who pass their own Axes do not load pyplot

    return plt.figure(**options)


def panels(target: Target, heights: Sequence[float], *, share_x: bool = False) -> list[Axes]:
    """Return Axes below one another, in a new figure or in the place of existing Axes.

    The heights are inches in a new figure, and proportions in the place of existing Axes.
    """
    if not isinstance(target, Axes):
        figure = target(figsize=(_WIDTH_INCHES, sum(heights)), layout="constrained")
        return list(figure.subplots(len(heights), 1, height_ratios=heights, sharex=share_x, squeeze=False)[:, 0])
    if len(heights) == 1:
        return [target]
    figure = cast("Figure", target.figure)
    spacing = 0.5 if figure.get_layout_engine() is None else None
    grid = _subplot_spec(target).subgridspec(len(heights), 1, height_ratios=heights, hspace=spacing)
    target.set_subplotspec(grid[0])
    shared = target if share_x else None
    axes = [target, *(figure.add_subplot(grid[row], sharex=shared) for row in range(1, len(heights)))]
    for ax in axes[:-1]:
        ax.tick_params(axis="x", labelbottom=not share_x)
    return axes


def _subplot_spec(ax: Axes) -> Any:
    """Return the subplot spec of Axes; Axes that were placed by hand get a grid of one cell at their position."""
    spec = ax.get_subplotspec()
    if spec is not None:
        return spec
    box = ax.get_position()
    figure = cast("Figure", ax.figure)
    return figure.add_gridspec(1, 1, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1)[0]


def apply_layout(axes: Sequence[Axes]) -> None:
    """Bring the Axes close to their final size, so that text can be wrapped to their width."""
    if _has_layout(axes[0]):
        _root_figure(axes[0]).draw_without_rendering()
    else:
        shrink_to_fit(axes)


def shrink_to_fit(axes: Sequence[Axes]) -> None:
    """Shrink Axes so that the text beside them stays in their place.

    Nothing is done if the figure has a layout engine, which makes this room itself.
    """
    if not _has_layout(axes[0]):
        for ax in axes:
            _shrink_one(ax)


def _has_layout(ax: Axes) -> bool:
    """Return True if the figure has a layout engine."""
    return _root_figure(ax).get_layout_engine() is not None


def _root_figure(ax: Axes) -> Figure:
    """Return the whole figure, also for Axes in a subfigure."""
    return ax.figure.figure


def _shrink_one(ax: Axes) -> None:
    """Shrink Axes on each side by as much as the text beside them exceeds the available box."""
    needed = ax.get_tightbbox()
    if needed is None:
        return
    needed = needed.transformed(ax.figure.transSubfigure.inverted())
    box, available = ax.get_position(), _available_box(ax)
    left, bottom = box.x0 + max(available.x0 - needed.x0, 0), box.y0 + max(available.y0 - needed.y0, 0)
    width = box.x1 - max(needed.x1 - available.x1, 0) - left
    height = box.y1 - max(needed.y1 - available.y1, 0) - bottom
    ax.set_position((left, bottom, max(width, box.width / 4), max(height, box.height / 4)))
    ax.set_in_layout(True)  # set_position() has turned this off


def _available_box(ax: Axes) -> Bbox:
    """Return the part of the figure that belongs to Axes: up to half way to their neighbours in the grid."""
    spec = ax.get_subplotspec()
    available = Bbox.from_extents(1 - _FAR_EDGE, 1 - _FAR_EDGE, _FAR_EDGE, _FAR_EDGE)
    for cell in (spec, spec.get_topmost_subplotspec()) if spec is not None else ():
        bottoms, tops, lefts, rights = cell.get_gridspec().get_grid_positions(cast("Figure", ax.figure))
        rows, columns = cell.rowspan, cell.colspan
        x0 = (rights[columns.start - 1] + lefts[columns.start]) / 2 if columns.start else available.x0
        x1 = (rights[columns.stop - 1] + lefts[columns.stop]) / 2 if columns.stop < len(lefts) else available.x1
        y0 = (bottoms[rows.stop - 1] + tops[rows.stop]) / 2 if rows.stop < len(tops) else available.y0
        y1 = (bottoms[rows.start - 1] + tops[rows.start]) / 2 if rows.start else available.y1
        available = Bbox.from_extents(
            max(available.x0, x0), max(available.y0, y0), min(available.x1, x1), min(available.y1, y1)
        )
    return available


def size_in_points(ax: Axes) -> Bbox:
    """Return the size of the Axes in points, 72 to the inch."""
    box, point = ax.get_window_extent(), cast("Figure", ax.figure).dpi / 72
    return Bbox.from_bounds(0, 0, box.width / point, box.height / point)
