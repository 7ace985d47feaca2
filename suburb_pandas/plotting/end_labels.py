"""Places labels beside the ends of lines without overlap, in place of a legend, and joins each one to its line.

Positions are computed at every draw, because the size of the figure and the limits of the Axes may have changed.
The text and the colours of the labels are left to rent.
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from suburb_pandas.plotting.annotations import LABEL_SIZE, LINE_HEIGHT
from suburb_pandas.timeseries.dates import Values

_GAP: Final = 8.0  # points between the Axes and the labels
_FROM_LEFT: Final = {"relpos": (0, 0.5)}


class EndLabels(Artist):
    """The labels to the right of the Axes.

    Parameters
    ----------
    ax
        The labelled Axes; the new object adds itself to them as an artist.
    """

    zorder: float = 0  # matplotlib draws this artist before the labels, so that it can move them first

    def __init__(self, ax: Axes) -> None:
        super().__init__()
        self._labels: list[Annotation] = []
        self._line_counts: list[int] = []
        self._ax = ax
        ax.add_artist(self)

    def add(self, text: str, x: Any, y: float, colour: str) -> None:
        """Add the label of a line that ends at (x, y)."""
        label = self._ax.annotate(
            text,
            (x, y),
            (1, 0.5),
            textcoords="axes fraction",
            va="center",
            color=colour,
            fontsize=LABEL_SIZE,
            gid="end",
            annotation_clip=False,
            parse_math=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 1, "shrinkB": 3} | _FROM_LEFT,
        )
        self._labels.append(label)
        self._line_counts.append(len(text.splitlines()))
        self.place()

    def draw(self, _renderer: RendererBase) -> None:
        """Update the positions of the labels; matplotlib then draws them as artists of their own."""
        self.place()

    def place(self) -> None:
        """Move each label as close to the end of its line as the other labels allow."""
        if not self._labels:
            return
        ax = self._ax
        box = ax.get_window_extent()
        point = cast("Figure", ax.figure).dpi / 72
        wanted = np.array([ax.transData.transform((0, label.xy[1]))[1] for label in self._labels]) - box.y0
        heights = np.array(self._line_counts) * LINE_HEIGHT * LABEL_SIZE * point
        for label, y in zip(self._labels, spread(wanted, heights, box.height), strict=True):
            label.set_position((1 + _GAP * point / box.width, y / box.height))


def spread(wanted: Values, heights: Values, room: float) -> Values:
    """Return the centres of labels moved as little as possible so that none overlap.

    The labels keep their order, and lie between 0 and ``room`` if they fit. Labels that would overlap move together, to
    the mean of the positions that they want. This is isotonic regression by pooling adjacent violators (Ayer and
    others, 1955).
    """
    order = np.argsort(wanted, kind="stable")
    sorted_heights = heights[order]
    stacked = np.cumsum(sorted_heights) - sorted_heights / 2
    pools: list[list[float]] = []
    for place in wanted[order] - stacked:
        pools.append([place])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    free = np.concatenate([np.full(len(pool), np.mean(pool)) for pool in pools])
    placed = np.empty(len(wanted))
    spare = room - sorted_heights.sum()
    placed[order] = stacked + np.clip(free, min(0, spare), max(0, spare))
    return placed
