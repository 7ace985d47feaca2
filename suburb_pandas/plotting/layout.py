"""Where the panels of a chart are, and the room that they have for what is written beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

Onto = Axes | Callable[..., Figure]
"""Where to draw: onto Axes, or onto a figure that this makes."""

_WIDTH: Final = 9.0  # inches: a notebook's
_EDGE: Final = 0.99  # of the figure


def new_figure(**how: Any) -> Figure:
    """Make a figure that a notebook shows by itself."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - who brings Axes of their own keeps it out

    return plt.figure(**how)


def panels(onto: Onto, heights: Sequence[float], *, share_x: bool = False) -> list[Axes]:
    """Give Axes below one another, in a new figure as high as all of them, or in the place of the Axes given."""
    if not isinstance(onto, Axes):
        figure = onto(figsize=(_WIDTH, sum(heights)), layout="constrained")
        return list(figure.subplots(len(heights), 1, height_ratios=heights, sharex=share_x, squeeze=False)[:, 0])
    if len(heights) == 1:
        return [onto]
    figure = cast("Figure", onto.figure)
    apart = 0.5 if figure.get_layout_engine() is None else None
    grid = _place_of(onto).subgridspec(len(heights), 1, height_ratios=heights, hspace=apart)
    onto.set_subplotspec(grid[0])
    shared = onto if share_x else None
    axes = [onto, *(figure.add_subplot(grid[row], sharex=shared) for row in range(1, len(heights)))]
    for ax in axes[:-1]:
        ax.tick_params(axis="x", labelbottom=not share_x)
    return axes


def _place_of(ax: Axes) -> Any:
    """Give the place of Axes in a grid; where they were put by hand, in one of their own."""
    place = ax.get_subplotspec()
    if place is not None:
        return place
    box = ax.get_position()
    figure = cast("Figure", ax.figure)
    return figure.add_gridspec(1, 1, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1)[0]


def settle(axes: Sequence[Axes]) -> None:
    """Give the Axes their size, for what is to be written as wide as they are."""
    if _has_layout(axes[0]):
        _page_of(axes[0]).draw_without_rendering()
    else:
        make_room(axes)


def make_room(axes: Sequence[Axes]) -> None:
    """Make Axes smaller, so that what is beside them is in their place; a figure with a layout does so itself."""
    if not _has_layout(axes[0]):
        for ax in axes:
            _shrink(ax)


def _has_layout(ax: Axes) -> bool:
    return _page_of(ax).get_layout_engine() is not None


def _page_of(ax: Axes) -> Figure:
    """Give the whole figure, where the Axes may be in a part of it."""
    return ax.figure.figure


def _shrink(ax: Axes) -> None:
    """Make Axes so much smaller as what is written beside them is out of their place."""
    needed = ax.get_tightbbox()
    if needed is None:
        return
    needed, box, room = needed.transformed(ax.figure.transSubfigure.inverted()), ax.get_position(), _room_of(ax)
    left, bottom = box.x0 + max(room.x0 - needed.x0, 0), box.y0 + max(room.y0 - needed.y0, 0)
    width = box.x1 - max(needed.x1 - room.x1, 0) - left
    height = box.y1 - max(needed.y1 - room.y1, 0) - bottom
    ax.set_position((left, bottom, max(width, box.width / 4), max(height, box.height / 4)))
    ax.set_in_layout(True)  # which setting the position by hand takes off


def _room_of(ax: Axes) -> Bbox:
    """Give the part of the figure that Axes have for themselves: up to half way to their neighbours in the grid."""
    place = ax.get_subplotspec()
    room = Bbox.from_extents(1 - _EDGE, 1 - _EDGE, _EDGE, _EDGE)
    for one in (place, place.get_topmost_subplotspec()) if place is not None else ():
        bottoms, tops, lefts, rights = one.get_gridspec().get_grid_positions(cast("Figure", ax.figure))
        rows, columns = one.rowspan, one.colspan
        x0 = (rights[columns.start - 1] + lefts[columns.start]) / 2 if columns.start else room.x0
        x1 = (rights[columns.stop - 1] + lefts[columns.stop]) / 2 if columns.stop < len(lefts) else room.x1
        y0 = (bottoms[rows.stop - 1] + tops[rows.stop]) / 2 if rows.stop < len(tops) else room.y0
        y1 = (bottoms[rows.start - 1] + tops[rows.start]) / 2 if rows.start else room.y1
        room = Bbox.from_extents(max(room.x0, x0), max(room.y0, y0), min(room.x1, x1), min(room.y1, y1))
    return room


def size_of(ax: Axes) -> Bbox:
    """Give the size of the Axes in points, of which an inch has 72."""
    box, point = ax.get_window_extent(), cast("Figure", ax.figure).dpi / 72
    return Bbox.from_bounds(0, 0, box.width / point, box.height / point)
