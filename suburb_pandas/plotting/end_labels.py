"""Labels at the ends of lines, in place of a legend: kept apart, and tied to their lines by a thin one.

They are put in place anew at every draw, because a figure may get another size, and its Axes other limits.
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from suburb_pandas.plotting.annotations import LINE, NORMAL
from suburb_pandas.timeseries.dates import Values

_GAP: Final = 8.0  # points between the Axes and the labels
_FROM_LEFT: Final = {"relpos": (0, 0.5)}


class EndLabels(Artist):
    """The labels of some Axes, on their right.

    Parameters
    ----------
    ax
        The Axes, on which it puts itself.
    """

    zorder = 0  # drawn before what it puts in place

    def __init__(self, ax: Axes) -> None:
        super().__init__()
        self._labels: list[Annotation] = []
        self._sizes: list[int] = []
        self._ax = ax
        ax.add_artist(self)

    def add(self, text: str, x: Any, y: float, colour: str) -> None:
        """Add the label of a line that ends there."""
        label = self._ax.annotate(
            text,
            (x, y),
            (1, 0.5),
            textcoords="axes fraction",
            va="center",
            color=colour,
            fontsize=NORMAL,
            gid="end",
            annotation_clip=False,
            parse_math=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 1, "shrinkB": 3} | _FROM_LEFT,
        )
        self._labels.append(label)
        self._sizes.append(len(text.splitlines()))
        self.place()

    def draw(self, _renderer: RendererBase) -> None:
        """Put the labels in place."""
        self.place()

    def place(self) -> None:
        """Put each label as near to the end of its line as the others leave room for."""
        if not self._labels:
            return
        ax = self._ax
        box = ax.get_window_extent()
        point = cast("Figure", ax.figure).dpi / 72
        wanted = np.array([ax.transData.transform((0, label.xy[1]))[1] for label in self._labels]) - box.y0
        heights = np.array(self._sizes) * LINE * NORMAL * point
        for label, y in zip(self._labels, spread(wanted, heights, box.height), strict=True):
            label.set_position((1 + _GAP * point / box.width, y / box.height))


def spread(wanted: Values, heights: Values, room: float) -> Values:
    """Move labels as little as keeps them from overlapping, in the order of their places, and inside if they fit.

    What overlaps moves together, by the mean of what each wanted: isotonic regression by pooling neighbours that are
    the wrong way round (Ayer and others, 1955).
    """
    order = np.argsort(wanted, kind="stable")
    high = heights[order]
    stacked = np.cumsum(high) - high / 2
    pools: list[list[float]] = []
    for place in wanted[order] - stacked:
        pools.append([place])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    free = np.concatenate([np.full(len(pool), np.mean(pool)) for pool in pools])
    placed = np.empty(len(wanted))
    placed[order] = stacked + np.clip(free, min(0, room - high.sum()), max(0, room - high.sum()))
    return placed
